//! Progress on stderr: a bar on a terminal, otherwise a plain line every few seconds.

use crate::files::say;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Progress of a run.
pub struct Progress {
    name: String,
    total: u64,
    done: Cell<u64>,
    failed: Cell<u64>,
    start: Instant,
    last_line: Cell<Instant>,
    shown: bool,
    bar: Option<ProgressBar>,
}

const LINE_EVERY: Duration = Duration::from_secs(5);

impl Progress {
    /// Starts the clock. Nothing is shown when `shown` is false.
    pub fn start(name: &str, total: u64, shown: bool) -> Self {
        let bar = (shown && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let style = "{msg} [{bar:30}] {pos}/{len} units, {per_sec}, {eta} left";
            bar.set_style(
                ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar.set_message(name.to_string());
            bar
        });
        let now = Instant::now();
        Progress {
            name: name.to_string(),
            total,
            done: Cell::new(0),
            failed: Cell::new(0),
            start: now,
            last_line: Cell::new(now),
            shown,
            bar,
        }
    }

    /// One more unit.
    pub fn advance(&self, failed: bool) {
        self.done.set(self.done.get() + 1);
        self.failed.set(self.failed.get() + u64::from(failed));
        match &self.bar {
            Some(bar) => bar.inc(1),
            None if self.shown && self.last_line.get().elapsed() >= LINE_EVERY => {
                self.last_line.set(Instant::now());
                self.line();
            }
            None => {}
        }
    }

    /// The last word: units, time, rate.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if self.shown {
            self.line();
        }
    }

    fn line(&self) {
        let (done, seconds) = (self.done.get(), self.start.elapsed().as_secs_f64());
        let rate = done as f64 / seconds.max(1e-9);
        let failed = match self.failed.get() {
            0 => String::new(),
            n => format!(", {n} failed"),
        };
        let left = if done < self.total && rate > 0.0 {
            format!(", {} left", duration((self.total - done) as f64 / rate))
        } else {
            format!(" in {}", duration(seconds))
        };
        say(format_args!("{}: {done} of {} units, {rate:.1}/s{left}{failed}", self.name, self.total));
    }
}

/// Seconds as a reader wants them: `12.3 s`, `4 min 5 s`, `2 h 10 min`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}
