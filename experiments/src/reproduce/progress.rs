//! Progress on stderr: what is done, the rate, and the time that is left, by the weight of what is left.

use crate::files::say;
use crate::study::duration;
use indicatif::{ProgressBar, ProgressDrawTarget};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Progress of one recipe.
pub struct Progress {
    name: String,
    shown: bool,
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

struct State {
    start: Instant,
    said: Instant,
    total_weight: u64,
    done_weight: u64,
    total: u64,
    done: u64,
}

const LINE_EVERY: Duration = Duration::from_secs(5);

impl Progress {
    /// Of a recipe called `name`; shows nothing unless `shown`.
    pub fn new(name: &str, shown: bool) -> Self {
        let terminal = shown && std::io::stderr().is_terminal();
        let now = Instant::now();
        Progress {
            name: name.into(),
            shown,
            bar: terminal.then(|| ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())),
            state: Mutex::new(State {
                start: now,
                said: now,
                total_weight: 0,
                done_weight: 0,
                total: 0,
                done: 0,
            }),
        }
    }

    /// How much there is to do.
    pub fn expect(&self, weight: u64, count: u64) {
        if let Ok(mut state) = self.state.lock() {
            (state.total_weight, state.total) = (weight, count);
            (state.done_weight, state.done) = (0, 0);
            state.start = Instant::now();
        }
    }

    /// One more is done.
    pub fn advance(&self, weight: u64) {
        let Ok(mut state) = self.state.lock() else { return };
        state.done += 1;
        state.done_weight += weight;
        if !self.shown || (self.bar.is_none() && state.said.elapsed() < LINE_EVERY) {
            return;
        }
        state.said = Instant::now();
        let seconds = state.start.elapsed().as_secs_f64();
        let left = seconds * (state.total_weight - state.done_weight.min(state.total_weight)) as f64
            / state.done_weight.max(1) as f64;
        let line = format!(
            "{}: {} of {} simulations, {:.1}/s, about {} left",
            self.name,
            state.done,
            state.total,
            state.done as f64 / seconds.max(1e-9),
            duration(left)
        );
        match &self.bar {
            Some(bar) => bar.set_message(line),
            None => say(line),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
