//! The response of a [`Client`](super::Client).

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use http::Response;
use pin_project_lite::pin_project;

use super::{BoxError, Feedback, Fields, Inferred, sent::Sent};
use crate::error::Withheld;

pin_project! {
    /// The response of a [`Client`](super::Client): the inner service's, or the error of a withheld call.
    ///
    /// The call is outstanding until this resolves, which is at the response head. The body that
    /// follows is not counted: the instance's own number of running requests has it.
    ///
    /// # Cancellation
    ///
    /// Dropped, it drops the inner future at once, so that the protocol below can reset the stream and a
    /// call that waits in the callee's gate leaves it; the call is no longer outstanding. The counts of
    /// withheld calls that it carried are taken as delivered: they most likely were.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<F, P> {
        #[pin]
        state: State<F>,
        level_from: P,
    }
}

pin_project! {
    #[project = StateProj]
    #[derive(Debug)]
    enum State<F> {
        Sent {
            #[pin]
            inner: F,
            // Until it is settled.
            sent: Option<Sent>,
        },
        Withheld {
            // Until it is returned.
            error: Option<Withheld>,
        },
    }
}

impl<F, P> ResponseFuture<F, P> {
    pub(super) const fn sent(inner: F, sent: Sent, level_from: P) -> Self {
        let sent = Some(sent);
        Self {
            state: State::Sent { inner, sent },
            level_from,
        }
    }

    pub(super) const fn withheld(error: Withheld, level_from: P) -> Self {
        let error = Some(error);
        Self {
            state: State::Withheld { error },
            level_from,
        }
    }
}

impl<F: Future> State<F> {
    /// Polls for the result of the inner service, to be settled if it is there.
    fn poll(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(F::Output, Option<Sent>), Withheld>> {
        match self.project() {
            StateProj::Sent { inner, sent } => {
                let result = ready!(inner.poll(cx));
                Poll::Ready(Ok((result, sent.take())))
            }
            StateProj::Withheld { error } => {
                Poll::Ready(Err(error.take().expect("not polled after it was ready")))
            }
        }
    }
}

impl<F, R, E> Future for ResponseFuture<F, Fields>
where
    F: Future<Output = Result<Response<R>, E>>,
    E: Into<BoxError>,
{
    type Output = Result<Response<R>, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let (mut result, sent) = ready!(self.project().state.poll(cx))?;
        match (&mut result, sent) {
            (Ok(response), Some(sent)) => sent.answered(response),
            (Err(_), Some(sent)) => sent.failed(),
            (_, None) => {}
        }
        Poll::Ready(result.map_err(Into::into))
    }
}

impl<F, L, R, E> Future for ResponseFuture<F, Inferred<L>>
where
    F: Future<Output = Result<R, E>>,
    E: Into<BoxError>,
    L: Feedback<R, E>,
{
    type Output = Result<R, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let (result, sent) = ready!(this.state.poll(cx))?;
        if let Some(sent) = sent {
            sent.classified(this.level_from.classify(&result));
        }
        Poll::Ready(result.map_err(Into::into))
    }
}
