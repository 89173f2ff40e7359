//! How many permits there are: fixed, adaptive, or no limit.
//!
//! The adaptive limit listens to the delay from a grant to the first poll of the granted request. That
//! is the runtime's own queue, measured by the gate for free: when it is long, more requests hold
//! permits than the workers can run and their order is lost again; when it is short and somebody had to
//! wait, the workers have room. It sees CPU-bound and mixed handlers; a queue behind the handler (a
//! connection pool) is invisible to it, which is what `Fixed` is for.

use std::num::NonZeroUsize;

use crate::{
    clock::nanos,
    config::{Adaptive, Concurrency},
};

/// The number of permits and what moves it.
#[derive(Debug)]
pub(super) struct Limit {
    permits: usize,
    adaptive: Option<Adjuster>,
}

/// Everything since the last adjustment.
#[derive(Debug)]
struct Adjuster {
    settings: Adaptive,
    workers: usize,
    next: u64,
    delay_sum: u64,
    delays: u64,
    waited: bool,
}

// === impl Limit ===

impl Limit {
    pub(super) fn new(concurrency: &Concurrency, workers: NonZeroUsize) -> Self {
        let workers = workers.get();
        match concurrency {
            Concurrency::Adaptive(settings) => Self {
                permits: settings
                    .start_per_worker
                    .saturating_mul(workers)
                    .max(workers),
                adaptive: Some(Adjuster::new(settings.clone(), workers)),
            },
            Concurrency::Fixed(permits) => Self {
                permits: permits.get(),
                adaptive: None,
            },
            Concurrency::Unlimited => Self::unlimited(),
        }
    }

    pub(super) const fn unlimited() -> Self {
        Self {
            permits: usize::MAX,
            adaptive: None,
        }
    }

    pub(super) const fn permits(&self) -> usize {
        self.permits
    }

    pub(super) const fn is_unlimited(&self) -> bool {
        self.permits == usize::MAX
    }

    /// Returns whether this is the limit of these settings, so that there is nothing to replace.
    pub(super) fn follows(&self, concurrency: &Concurrency) -> bool {
        match (concurrency, &self.adaptive) {
            (Concurrency::Adaptive(settings), Some(adjuster)) => adjuster.settings == *settings,
            (Concurrency::Fixed(permits), None) => self.permits == permits.get(),
            (Concurrency::Unlimited, None) => self.is_unlimited(),
            _ => false,
        }
    }

    /// Learns how many workers the runtime really has, before the first adjustment.
    pub(super) fn set_workers(&mut self, workers: usize) {
        if let Some(adjuster) = &mut self.adaptive
            && adjuster.next == 0
        {
            adjuster.workers = workers.max(1);
            self.permits = adjuster
                .settings
                .start_per_worker
                .saturating_mul(adjuster.workers)
                .max(1);
        }
    }

    /// Notes that a request had to wait for a permit.
    pub(super) fn note_wait(&mut self) {
        if let Some(adjuster) = &mut self.adaptive {
            adjuster.waited = true;
        }
    }

    /// Notes the delay, in nanoseconds, from a grant to the first poll of the granted request.
    pub(super) fn note_delay(&mut self, delay: u64) {
        if let Some(adjuster) = &mut self.adaptive {
            adjuster.delay_sum = adjuster.delay_sum.saturating_add(delay);
            adjuster.delays += 1;
        }
    }

    /// Moves the limit if it is time to.
    pub(super) fn adjust(&mut self, now: u64) {
        if let Some(adjuster) = &mut self.adaptive
            && adjuster.next <= now
        {
            self.permits = adjuster.adjusted(self.permits);
            adjuster.next = now.saturating_add(nanos(adjuster.settings.every)).max(1);
        }
    }
}

// === impl Adjuster ===

impl Adjuster {
    const fn new(settings: Adaptive, workers: usize) -> Self {
        Self {
            settings,
            workers,
            next: 0,
            delay_sum: 0,
            delays: 0,
            waited: false,
        }
    }

    /// Returns the next number of permits and begins a new interval.
    fn adjusted(&mut self, permits: usize) -> usize {
        // Nobody was granted a permit after a wait: nothing was learned.
        let delay = self.delay_sum.checked_div(self.delays).unwrap_or_default();
        let waited = std::mem::take(&mut self.waited);
        (self.delay_sum, self.delays) = (0, 0);
        let step = self.step(permits);
        if delay > nanos(self.settings.busy) {
            permits.saturating_sub(step).max(self.workers)
        } else if delay < nanos(self.settings.calm) && waited {
            permits.saturating_add(step)
        } else {
            permits
        }
    }

    fn step(&self, permits: usize) -> usize {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a tenth of a number of permits; saturates, and exactness does not matter"
        )]
        let step = (permits as f64 * self.settings.step) as usize;
        step.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn adaptive(workers: usize) -> Limit {
        let settings = Adaptive {
            start_per_worker: 8,
            ..Adaptive::default()
        };
        Limit::new(
            &Concurrency::Adaptive(settings),
            NonZeroUsize::new(workers).unwrap(),
        )
    }

    #[test]
    fn grows_only_when_calm_and_somebody_waited() {
        let mut limit = adaptive(1);
        limit.adjust(10 * MS);
        assert_eq!(limit.permits(), 8, "nobody waited");
        limit.note_wait();
        limit.note_delay(MS / 10);
        limit.adjust(30 * MS);
        assert_eq!(limit.permits(), 9);
        limit.note_wait();
        limit.adjust(31 * MS);
        assert_eq!(limit.permits(), 9, "not time yet");
    }

    #[test]
    fn shrinks_while_the_runtime_is_late_down_to_its_workers() {
        let mut limit = adaptive(2);
        for round in 1..200 {
            limit.note_wait();
            limit.note_delay(50 * MS);
            limit.adjust(round * 20 * MS);
        }
        assert_eq!(limit.permits(), 2);
    }

    #[test]
    fn fixed_and_unlimited_stay() {
        let fixed = Concurrency::Fixed(NonZeroUsize::new(12).unwrap());
        for (concurrency, permits) in [(fixed, 12), (Concurrency::Unlimited, usize::MAX)] {
            let mut limit = Limit::new(&concurrency, NonZeroUsize::MIN);
            limit.note_wait();
            limit.note_delay(50 * MS);
            limit.adjust(MS);
            assert_eq!(limit.permits(), permits);
        }
    }
}
