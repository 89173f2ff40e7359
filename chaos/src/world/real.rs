//! tokio's time.
//! (to be written by the author of the live engine; the signatures stand)

use std::{future::Future, time::Duration};

use dagor::Clock;

/// A run on a tokio runtime.
#[derive(Clone, Debug)]
pub struct Real {
    runtime: tokio::runtime::Handle,
    clock: Clock,
    start: Duration,
    origin: tokio::time::Instant,
}

impl Real {
    /// A run that starts now on the current runtime; its clock is tokio's, so time may be paused.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "the origin that tokio's timers count from"
    )]
    pub fn start() -> Self {
        let clock = Clock::tokio();
        Self {
            runtime: tokio::runtime::Handle::current(),
            start: clock.now(),
            clock,
            origin: tokio::time::Instant::now(),
        }
    }

    /// Returns the clock.
    #[must_use]
    pub const fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Returns the time since the start.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.clock.now().saturating_sub(self.start)
    }

    /// Waits until `at`.
    pub fn sleep_until(&self, at: Duration) -> tokio::time::Sleep {
        tokio::time::sleep_until(self.origin + at)
    }

    /// Runs a task beside this one.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.runtime.spawn(task));
    }

    /// Works for `span`, `cpu` of it on the CPU.
    pub async fn work(&self, span: Duration, cpu: f64) {
        let _ = cpu;
        self.sleep_until(self.now() + span).await;
    }
}
