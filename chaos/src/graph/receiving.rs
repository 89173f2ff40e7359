//! A request that is being served.

use std::{
    fmt,
    future::{self, Future},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use super::instance::Instance;
use crate::wire::{Answer, Answering};

/// The answer to a request that arrived; dropping this is how its caller hangs up.
///
/// A type of its own, without a box where nothing is wrong: every request of a run is in one of these.
#[must_use = "a request that nobody waits for is given up"]
pub struct Receiving(Kind);

enum Kind {
    /// Behind the instance's policy.
    Served(Arc<Instance>, Answering),
    /// Anything else.
    Otherwise(Answering),
}

impl Receiving {
    pub(super) fn served(instance: Arc<Instance>, answering: Answering) -> Self {
        Self(Kind::Served(instance, answering))
    }

    pub(super) fn otherwise(serving: impl Future<Output = Answer> + Send + 'static) -> Self {
        Self(Kind::Otherwise(Box::pin(serving)))
    }

    /// Answered already.
    pub(super) fn answered(answer: Answer) -> Self {
        Self::otherwise(future::ready(answer))
    }
}

impl Future for Receiving {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answer> {
        match &mut self.0 {
            Kind::Served(instance, answering) => {
                let answer = ready!(answering.as_mut().poll(cx));
                instance.answers(&answer);
                Poll::Ready(answer)
            }
            Kind::Otherwise(answering) => answering.as_mut().poll(cx),
        }
    }
}

impl fmt::Debug for Receiving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiving").finish_non_exhaustive()
    }
}
