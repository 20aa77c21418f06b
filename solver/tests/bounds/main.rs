//! The bounds against slow and obvious versions of themselves.

mod cap;
mod certificates;
mod choice;
mod formulations;
mod pruning;
mod readable;
mod stage_one;
mod support;
