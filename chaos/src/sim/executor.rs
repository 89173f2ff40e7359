//! Tasks and timers in virtual time. (stub; the signatures stand)

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use dagor::Clock;

/// The executor, as tasks see it.
#[derive(Clone, Debug)]
pub struct Handle {
    clock: Clock,
}

/// Ready when the time has come.
#[derive(Debug)]
pub struct Sleep(());

impl Handle {
    /// Returns the clock.
    #[must_use]
    pub const fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Returns the time since the start.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Waits until `at`.
    #[must_use]
    pub fn sleep_until(&self, at: Duration) -> Sleep {
        let _ = at;
        Sleep(())
    }

    /// Runs a task beside this one.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(task);
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
}
