//! How far the runs are, on standard error.

use std::{
    fmt::Write as _,
    io::{IsTerminal as _, stderr},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use dagor::Clock;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::out::note;

/// A bar with the time left; where nobody watches, a line every few seconds.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    runs: usize,
    /// How long everything takes, where that is known: on real sockets.
    known: Option<Duration>,
    clock: Clock,
    begun: Duration,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    runs: usize,
    /// Of the whole, 0 to 1.
    share: f64,
    /// When the last line was written.
    told: Duration,
}

/// Steps of the bar; finer than any terminal is wide.
const STEPS: f64 = 10_000.0;
/// Lines for logs are rare.
const EVERY: Duration = Duration::from_secs(5);

impl Progress {
    /// Begins with this many runs to do.
    pub(crate) fn begin(runs: usize, known: Option<Duration>) -> Self {
        let target = match stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(steps(1.0)), target);
        let left = move |state: &ProgressState, text: &mut dyn std::fmt::Write| {
            let share = f64::from(u32::try_from(state.pos()).unwrap_or(u32::MAX)) / STEPS;
            let _ = text.write_str(&left(state.elapsed(), share, known));
        };
        let template = "{bar:30} {msg}{left}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("left", left));
        }
        let clock = Clock::system();
        let begun = clock.now();
        let progress = Self {
            bar,
            runs,
            known,
            clock,
            begun,
            state: Mutex::new(State {
                runs: 0,
                share: 0.0,
                told: begun,
            }),
        };
        progress.bar.set_message(progress.words(0));
        progress.bar.enable_steady_tick(Duration::from_millis(500));
        progress
    }

    /// One more run is done, which was this share of the whole.
    pub(crate) fn done(&self, share: f64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.runs += 1;
        state.share += share;
        self.bar.set_message(self.words(state.runs));
        self.bar.set_position(steps(state.share));

        let now = self.clock.now();
        let due = now.saturating_sub(state.told) >= EVERY && state.runs < self.runs;
        if self.bar.is_hidden() && due {
            state.told = now;
            let elapsed = now.saturating_sub(self.begun);
            let mut line = self.words(state.runs);
            let _ = write!(line, "{}", left(elapsed, state.share, self.known));
            note(&line);
        }
    }

    /// Takes the bar away.
    pub(crate) fn end(self) {
        self.bar.finish_and_clear();
    }

    fn words(&self, runs: usize) -> String {
        format!("{runs} of {} runs", self.runs)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 to 10,000"
)]
fn steps(share: f64) -> u64 {
    (share.clamp(0.0, 1.0) * STEPS).round() as u64
}

/// Returns the time left in words, nothing if it cannot be told yet.
fn left(elapsed: Duration, share: f64, known: Option<Duration>) -> String {
    let rest = (1.0 - share).max(0.0);
    let left = match known {
        Some(whole) => whole.mul_f64(rest),
        None if share > 0.0 => elapsed.mul_f64(rest / share),
        None => return String::new(),
    };
    let seconds = left.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!(", {seconds} s left"),
        (0, minutes, seconds) => format!(", {minutes} min {seconds} s left"),
        (hours, minutes, _) => format!(", {hours} h {minutes} min left"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_time_left() {
        let seconds = Duration::from_secs;
        assert_eq!(left(seconds(5), 0.0, None), "");
        assert_eq!(left(seconds(30), 0.75, None), ", 10 s left");
        assert_eq!(left(seconds(60), 0.25, None), ", 3 min 0 s left");
        assert_eq!(left(seconds(3600), 0.25, None), ", 3 h 0 min left");
        assert_eq!(
            left(seconds(0), 0.0, Some(seconds(90))),
            ", 1 min 30 s left"
        );
        assert_eq!(left(seconds(1), 1.1, None), ", 0 s left");
        assert_eq!(steps(0.5), 5000);
    }
}
