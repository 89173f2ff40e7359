//! Waiting for a moment.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use super::{Handle, nanos, timers::TimerId};

/// Ready when the time has come. Dropping it forgets it.
#[derive(Debug)]
pub struct Sleep {
    handle: Handle,
    at: u64,
    /// Since the first poll that had to wait.
    timer: Option<TimerId>,
}

impl Sleep {
    pub(super) const fn new(handle: Handle, at: u64) -> Self {
        let timer = None;
        Self { handle, at, timer }
    }

    /// All timers of an instant fire before any task has its turn, so by then the timer is gone.
    fn has_come(&self) -> bool {
        nanos(self.handle.now()) >= self.at
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.has_come() {
            self.timer = None;
            return Poll::Ready(());
        }
        match self.timer {
            Some(timer) => {
                let replaced = self.handle.0.lock().timers.wakes(timer, cx.waker());
                drop(replaced);
            }
            None => {
                let timer = self.handle.0.lock().timers.add(self.at, cx.waker());
                self.timer = timer;
            }
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(timer) = self.timer.filter(|_| !self.has_come()) {
            let forgotten = self.handle.0.lock().timers.cancel(timer);
            drop(forgotten);
        }
    }
}
