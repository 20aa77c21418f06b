//! Stage two against slow and obvious versions of itself, and what is made of it.

mod bisection;
mod exact;
mod interior;
mod rounding;
mod support;
mod vertex;
