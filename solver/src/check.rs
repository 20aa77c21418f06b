//! The independent checker: verdicts on an allocation from the instance and the allocation alone.
//! It shares no code with any mechanism.

/// Separate verdicts (problem statement, section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdicts {
    /// Within every capacity; exact GPU demands; amounts in proportion to GPUs.
    pub valid: bool,
    /// Every job on the fewest servers.
    pub consolidated: bool,
    /// Every scheduled job has normalised throughput of at least 1.
    pub fair: bool,
    /// Every runnable job is scheduled.
    pub complete: bool,
}
