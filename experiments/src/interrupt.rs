//! Ctrl-C and termination: a command ends at once with exit code 130, unless it asked to end in its own time.

use crate::error::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static IN_ITS_OWN_TIME: AtomicBool = AtomicBool::new(false);

/// Starts to listen. Outputs are in their place only when complete, so nothing is half-written when
/// the process ends at once.
pub(crate) fn listen() {
    // Without a handler the system ends the process, which is as well.
    let _ = ctrlc::set_handler(|| {
        let first = !INTERRUPTED.swap(true, Ordering::SeqCst);
        if !(first && IN_ITS_OWN_TIME.load(Ordering::SeqCst)) {
            std::process::exit(ExitCode::Interrupted as i32);
        }
    });
}

/// For commands with something to save: from now on the first Ctrl-C only sets this flag, which the
/// command watches to end with [`CliError::Interrupted`](crate::error::CliError::Interrupted); a second one ends the process.
pub fn flag() -> &'static AtomicBool {
    IN_ITS_OWN_TIME.store(true, Ordering::SeqCst);
    &INTERRUPTED
}
