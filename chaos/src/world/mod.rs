//! Where a run takes place: its clock, its timers, its tasks, and its chance.
//!
//! Code that simulates work or waits for something takes a [`World`] and never asks which one it is.

mod chance;
pub mod real;

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use dagor::Clock;

pub use self::{chance::Chance, real::Real};
use crate::sim;

/// Cheap to clone; clones are one.
#[derive(Clone, Debug)]
pub enum World {
    /// Virtual time, on an executor of our own.
    Virtual(sim::Handle),
    /// tokio's time: real, or paused in tests of users' own services.
    Real(Real),
}

/// Ready after some time. Dropping it forgets it.
#[derive(Debug)]
pub enum Sleep {
    /// In virtual time.
    Virtual(sim::Sleep),
    /// In real time, or in tokio's where that is paused.
    Real(real::Sleep),
}

impl World {
    /// Returns the clock that `dagor`'s parts go by.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        match self {
            Self::Virtual(handle) => handle.clock(),
            Self::Real(real) => real.clock(),
        }
    }

    /// Returns the time since the start of the run.
    #[must_use]
    pub fn now(&self) -> Duration {
        match self {
            Self::Virtual(handle) => handle.now(),
            Self::Real(real) => real.now(),
        }
    }

    /// Waits until `at`, since the start of the run.
    #[must_use]
    pub fn sleep_until(&self, at: Duration) -> Sleep {
        match self {
            Self::Virtual(handle) => Sleep::Virtual(handle.sleep_until(at)),
            Self::Real(real) => Sleep::Real(real.sleep_until(at)),
        }
    }

    /// Waits for `span`.
    #[must_use]
    pub fn sleep(&self, span: Duration) -> Sleep {
        self.sleep_until(self.now().saturating_add(span))
    }

    /// Runs a task beside this one.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        match self {
            Self::Virtual(handle) => handle.spawn(task),
            Self::Real(real) => real.spawn(task),
        }
    }

    /// Works for `span`, of which `cpu` (0 to 1) burns the CPU where time is real.
    pub async fn work(&self, span: Duration, cpu: f64) {
        match self {
            Self::Virtual(handle) => handle.sleep_until(handle.now().saturating_add(span)).await,
            // In a box: in virtual time every request has room for this.
            Self::Real(real) => Box::pin(real.work(span, cpu)).await,
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.get_mut() {
            Self::Virtual(sleep) => Pin::new(sleep).poll(cx),
            Self::Real(sleep) => Pin::new(sleep).poll(cx),
        }
    }
}
