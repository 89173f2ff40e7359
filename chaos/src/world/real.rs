//! tokio's time, and work that burns the CPU for real.
//!
//! tokio's own timers tick in milliseconds, and wake 1.1 ms late (the median on an idle machine): work of a few
//! milliseconds would take a third longer than it should. Where time is real, waits are therefore kept by a
//! timer of the run, a thread, whose wake-ups come 0.1 ms late. Where a test has paused the time they are
//! tokio's, so that the time still jumps, and nothing is burnt.

mod burn;
mod timer;

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use dagor::Clock;

use self::timer::{Timer, Wait};

/// A run on a tokio runtime. Cheap to clone; clones are one run.
#[derive(Clone, Debug)]
pub struct Real {
    runtime: tokio::runtime::Handle,
    clock: Clock,
    start: Duration,
    origin: tokio::time::Instant,
    /// `None` where time is paused, or where no thread was to be had.
    timer: Option<Arc<Timer>>,
    paused: bool,
}

/// Ready at its moment, on the run's timer or on tokio's. Dropping it forgets it.
#[derive(Debug)]
pub struct Sleep(Kind);

#[derive(Debug)]
enum Kind {
    Exact(Wait),
    Tokio(Pin<Box<tokio::time::Sleep>>),
}

impl Real {
    /// A run that starts now on the current runtime; its clock is tokio's, so time may be paused, but only
    /// before.
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
        let paused = is_paused(&clock);
        Self {
            runtime: tokio::runtime::Handle::current(),
            start: clock.now(),
            clock,
            origin: tokio::time::Instant::now(),
            timer: if paused { None } else { Timer::start() },
            paused,
        }
    }

    /// Returns the same run with its tasks on another runtime, whose time is not paused either.
    #[must_use]
    pub fn on(&self, runtime: tokio::runtime::Handle) -> Self {
        Self {
            runtime,
            ..self.clone()
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
    #[must_use]
    pub fn sleep_until(&self, at: Duration) -> Sleep {
        let exact = self.timer.as_ref().map(|timer| {
            let at = self.start.saturating_add(at);
            Kind::Exact(timer.wait_until(at))
        });
        Sleep(exact.unwrap_or_else(|| {
            let at = self.origin.checked_add(at).unwrap_or(self.origin + FAR);
            Kind::Tokio(Box::pin(tokio::time::sleep_until(at)))
        }))
    }

    /// Runs a task beside this one.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.runtime.spawn(task));
    }

    /// Works for `span`, of which the last `cpu` (0 to 1) burns the CPU.
    ///
    /// It burns by the amount and not by the clock: on a CPU that others want too the work takes longer, as any
    /// work does.
    pub async fn work(&self, span: Duration, cpu: f64) {
        let burnt = if self.paused {
            Duration::ZERO
        } else {
            span.mul_f64(cpu.clamp(0.0, 1.0))
        };
        let slept = span.saturating_sub(burnt);
        if !slept.is_zero() {
            let late = if self.timer.is_some() {
                WAKE_UP
            } else {
                Duration::ZERO
            };
            let slept = slept.saturating_sub(late);
            self.sleep_until(self.now().saturating_add(slept)).await;
        }
        burn::burn(burnt);
    }
}

/// Finds out how fast this machine works, which takes some ten milliseconds; later calls cost nothing.
///
/// To be called before the load comes: the first work does it otherwise, and holds everybody up.
pub(crate) fn calibrate() {
    burn::calibrate();
}

/// From the moment to the waiting task's turn, when nothing else runs.
const WAKE_UP: Duration = Duration::from_micros(80);

/// A moment beyond every run.
const FAR: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// Returns whether `clock`, which is tokio's, stands still while the system's goes on.
fn is_paused(clock: &Clock) -> bool {
    let system = Clock::system();
    let (began, stood) = (system.now(), clock.now());
    while system.now() == began {
        std::hint::spin_loop();
    }
    clock.now() == stood
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match &mut self.get_mut().0 {
            Kind::Exact(wait) => Pin::new(wait).poll(cx),
            Kind::Tokio(sleep) => sleep.as_mut().poll(cx),
        }
    }
}

#[cfg(test)]
#[path = "real/tests.rs"]
mod tests;
