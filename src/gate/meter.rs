//! What the gate measures: the area under its queue, starts, completions, and how fast it drains.
//!
//! The mean queuing time of a window is that area divided by the starts (Little's law), which sees
//! requests that are still waiting; a mean over those that left would not.

use std::time::Duration;

/// Everything since the last window was taken, and the smoothed drain interval.
#[derive(Debug, Default)]
pub(super) struct Meter {
    last: u64,
    area: u128,
    delay: u128,
    starts: u64,
    served: u64,
    /// Time during which somebody waited: of this window, and since the drain interval was last computed.
    waited_on: u64,
    backlogged: u64,
    backlog_starts: u64,
    slot: f64,
    saw_waiting: bool,
}

/// What the gate saw in one window.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Metered {
    /// Sum of the waits: area under the queue, and from each grant to the start.
    pub(crate) waited: Duration,
    /// Requests that were given a permit.
    pub(crate) starts: u64,
    /// Requests that were completed.
    pub(crate) served: u64,
    /// Requests waiting now.
    pub(crate) waiting: usize,
    /// Requests holding a permit now, those that cool not counted.
    pub(crate) running: usize,
    /// Permits now.
    pub(crate) permits: usize,
    /// Mean interval between starts while somebody waits; zero while unknown.
    pub(crate) slot: Duration,
    /// Time during which somebody waited.
    pub(crate) backlogged: Duration,
}

impl Meter {
    /// Fewest starts out of a backlog that a drain rate is computed from.
    const FEWEST: u64 = 5;
    /// Weight of the newest drain interval in the smoothed one.
    const NEWEST: f64 = 0.2;

    /// Charges the time since the last call to `waiting` requests; call before the number changes.
    pub(super) fn advance(&mut self, now: u64, waiting: usize) {
        let elapsed = now.saturating_sub(self.last);
        self.last = self.last.max(now);
        if waiting > 0 {
            self.area += u128::from(elapsed) * waiting as u128;
            self.backlogged += elapsed;
            self.waited_on += elapsed;
            self.saw_waiting = true;
        }
    }

    pub(super) fn started(&mut self, others_wait: bool) {
        self.starts += 1;
        self.backlog_starts += u64::from(others_wait);
    }

    /// Notes the time from a grant to the first poll of the granted request.
    pub(super) fn delayed(&mut self, delay: u64) {
        self.delay += u128::from(delay);
    }

    pub(super) fn served(&mut self) {
        self.served += 1;
    }

    /// Returns whether nobody waited since the last window was taken.
    pub(super) const fn is_calm(&self) -> bool {
        !self.saw_waiting
    }

    pub(super) fn slot(&self) -> Duration {
        Duration::from_secs_f64(self.slot / 1e9)
    }

    /// Returns what the window saw and begins the next.
    pub(super) fn take(&mut self, now: u64, waiting: usize) -> Metered {
        self.advance(now, waiting);
        if self.backlog_starts >= Self::FEWEST {
            #[expect(
                clippy::cast_precision_loss,
                reason = "nanoseconds of one window: exact in f64"
            )]
            let interval = self.backlogged as f64 / self.backlog_starts as f64;
            self.slot = if self.slot > 0.0 {
                self.slot + Self::NEWEST * (interval - self.slot)
            } else {
                interval
            };
            (self.backlogged, self.backlog_starts) = (0, 0);
        }
        let waited = u64::try_from(self.area + self.delay).unwrap_or(u64::MAX);
        let metered = Metered {
            waited: Duration::from_nanos(waited),
            starts: self.starts,
            served: self.served,
            waiting,
            slot: self.slot(),
            backlogged: Duration::from_nanos(self.waited_on),
            ..Metered::default()
        };
        (self.area, self.delay, self.starts, self.served) = (0, 0, 0, 0);
        self.waited_on = 0;
        self.saw_waiting = waiting > 0;
        metered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn area_counts_those_still_waiting() {
        let mut meter = Meter::default();
        meter.advance(0, 0);
        meter.advance(10 * MS, 3);
        meter.started(true);
        let window = meter.take(30 * MS, 2);
        assert_eq!(window.waited, Duration::from_millis(3 * 10 + 2 * 20));
        assert_eq!((window.starts, window.waiting), (1, 2));
        assert_eq!(meter.take(30 * MS, 2).waited, Duration::ZERO);
    }

    /// An idle service starts few requests a second because few come; that says nothing of its speed.
    #[test]
    fn drain_rate_is_learned_from_backlogs_only() {
        let mut meter = Meter::default();
        for second in 1..20 {
            meter.advance(second * 1000 * MS, 0);
            meter.started(false);
        }
        assert_eq!(meter.take(20_000 * MS, 0).slot, Duration::ZERO);
        for start in 0..10 {
            meter.advance(20_000 * MS + start * 2 * MS, 4);
            meter.started(true);
        }
        let slot = meter.take(20_020 * MS, 0).slot;
        assert!((slot.as_secs_f64() - 0.0018).abs() < 1e-6, "{slot:?}");
    }
}
