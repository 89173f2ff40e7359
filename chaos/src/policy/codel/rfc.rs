//! RFC 8289's law of dropping, which [`Codel`](super::Codel) is measured against.

use std::time::Duration;

use crate::policy::{Arrival, Gatekeeper, Verdict};

/// The RFC's section 5 for requests: one stands for a packet of full size.
#[derive(Debug)]
pub(super) struct Rfc {
    workers: usize,
    target: Duration,
    interval: Duration,
    /// When it will have been above the target for an interval, if it is above it.
    due: Option<Duration>,
    dropping: bool,
    next: Duration,
    count: u32,
    last_count: u32,
}

impl Rfc {
    pub(super) const fn new(workers: usize, target: Duration, interval: Duration) -> Self {
        Self {
            workers,
            target,
            interval,
            due: None,
            dropping: false,
            next: Duration::ZERO,
            count: 0,
            last_count: 0,
        }
    }

    /// When to drop after a drop at `at`.
    fn law(&self, at: Duration) -> Duration {
        at + self.interval.div_f64(libm::sqrt(f64::from(self.count)))
    }

    /// Whether the wait has been above the target for an interval.
    fn may_drop(&mut self, now: Duration, waited: Duration, waiting: usize) -> bool {
        if waited < self.target || waiting <= 1 {
            self.due = None;
            return false;
        }
        now >= *self.due.get_or_insert(now + self.interval)
    }

    fn begin_dropping(&mut self, now: Duration) {
        self.dropping = true;
        let dropped = self.count - self.last_count;
        let recent = now.saturating_sub(self.next) < 16 * self.interval;
        self.count = if dropped > 1 && recent { dropped } else { 1 };
        self.next = self.law(now);
        self.last_count = self.count;
    }
}

impl Gatekeeper for Rfc {
    fn arrive(&mut self, _: Duration, _: &Arrival, _: usize, _: usize) -> Verdict {
        Verdict::Queue(0)
    }

    fn slots(&self) -> usize {
        self.workers
    }

    fn start(&mut self, now: Duration, request: &Arrival, waiting: usize) -> bool {
        let may_drop = self.may_drop(now, now.saturating_sub(request.at), waiting);
        if !may_drop {
            self.dropping = false;
            true
        } else if !self.dropping {
            self.begin_dropping(now);
            false
        } else if now >= self.next {
            self.count += 1;
            self.next = self.law(self.next);
            false
        } else {
            true
        }
    }

    fn finish(&mut self, _: Duration, _: &Arrival, _: Duration, _: bool) {}
}
