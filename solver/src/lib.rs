//! GPU-cluster CPU and memory allocation.

pub mod bounds;
pub mod check;
pub mod mechanisms;
pub mod model;
pub mod status;
