//! A permit, and the wait for one. Both give back what they hold when dropped, at any point.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use super::Gate;
use crate::error::Reason;

/// The right to run one request. Dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Permit {
    gate: Arc<Gate>,
    served: bool,
}

/// What the gate says to a request.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Start.
    Granted(Permit),
    /// Wait for a permit.
    Wait(Acquire),
    /// Not admitted.
    Refused(Reason),
}

/// The wait for a [`Permit`]: ready with one and how long it took, or with the reason of a refusal.
///
/// Dropped while waiting, it leaves the queue at once; dropped with a permit that nobody looked at, it
/// hands the permit on.
pub(crate) struct Acquire(State);

enum State {
    Waiting {
        gate: Arc<Gate>,
        seat: u32,
    },
    /// Granted where no dispatcher can run: the other tasks go first, then the request starts.
    Yielding {
        permit: Permit,
        waited: Duration,
        yielding: Pin<Box<dyn Future<Output = ()> + Send>>,
    },
    Done,
}

// === impl Permit ===

impl Permit {
    pub(super) const fn new(gate: Arc<Gate>) -> Self {
        Self {
            gate,
            served: false,
        }
    }

    /// Gives the permit back after work that was completed, not given up.
    pub(crate) fn finish(mut self) {
        self.served = true;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.gate.release(self.served);
    }
}

// === impl Acquire ===

impl Acquire {
    pub(super) const fn waiting(gate: Arc<Gate>, seat: u32) -> Self {
        Self(State::Waiting { gate, seat })
    }

    /// Lets the other tasks run once before `permit` is used.
    pub(super) fn yielding(permit: Permit, waited: Duration) -> Self {
        let yielding = Box::pin(tokio::task::yield_now());
        Self(State::Yielding {
            permit,
            waited,
            yielding,
        })
    }
}

impl Future for Acquire {
    type Output = Result<(Permit, Duration), Reason>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            match std::mem::replace(&mut self.0, State::Done) {
                State::Waiting { gate, seat } => match gate.look(seat, cx.waker()) {
                    None => {
                        self.0 = State::Waiting { gate, seat };
                        return Poll::Pending;
                    }
                    Some(Err(reason)) => return Poll::Ready(Err(reason)),
                    Some(Ok(waited)) => {
                        let yields = gate.yields();
                        let permit = Permit::new(gate);
                        if !yields {
                            return Poll::Ready(Ok((permit, waited)));
                        }
                        *self = Self::yielding(permit, waited);
                    }
                },
                State::Yielding {
                    permit,
                    waited,
                    mut yielding,
                } => {
                    if yielding.as_mut().poll(cx).is_pending() {
                        self.0 = State::Yielding {
                            permit,
                            waited,
                            yielding,
                        };
                        return Poll::Pending;
                    }
                    return Poll::Ready(Ok((permit, waited)));
                }
                State::Done => unreachable!("polled after it was ready"),
            }
        }
    }
}

impl Drop for Acquire {
    fn drop(&mut self) {
        if let State::Waiting { gate, seat } = std::mem::replace(&mut self.0, State::Done)
            && gate.abandon(seat)
        {
            drop(Permit::new(gate));
        }
    }
}

impl fmt::Debug for Acquire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &self.0 {
            State::Waiting { .. } => "waiting",
            State::Yielding { .. } => "yielding",
            State::Done => "done",
        };
        f.debug_tuple("Acquire").field(&state).finish()
    }
}
