//! Damaged files that make the Parquet reader panic: an error like any other damage.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::thread;

thread_local! {
    /// Whether this thread is reading a table.
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// How the reader names the threads of its pool, which does nothing but read and write tables.
const POOL: &str = "polars-";

/// Runs `read`; `None` when it panicked, about which nothing is printed.
pub(super) fn guarded<T>(read: impl FnOnce() -> T) -> Option<T> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            let pool = thread::current().name().is_some_and(|name| name.starts_with(POOL));
            if !pool && !READING.get() {
                usual(panic);
            }
        }));
    });
    let before = READING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(read)).ok();
    READING.set(before);
    result
}
