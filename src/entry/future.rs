//! The response of an [`Entry`](super::Entry), on its way.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use http::{HeaderName, Response};
use pin_project_lite::pin_project;

use crate::task::{self, Task};

pin_project! {
    /// The future of an [`Entry`](super::Entry): the inner one, polled as part of the task.
    ///
    /// # Cancellation
    ///
    /// Dropping it drops the inner future; the entry records nothing.
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        #[pin]
        inner: F,
        // None: the path is exempt.
        task: Option<Task>,
        // The field that the peer does not get to see.
        hide: Option<HeaderName>,
    }
}

impl<F> ResponseFuture<F> {
    pub(super) const fn new(inner: F, task: Option<Task>, hide: Option<HeaderName>) -> Self {
        Self { inner, task, hide }
    }
}

impl<F, R, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Response<R>, E>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let mut answer = ready!(task::lend(this.task, || this.inner.poll(cx)));
        if let (Ok(response), Some(hide)) = (&mut answer, this.hide) {
            response.headers_mut().remove(&*hide);
        }
        Poll::Ready(answer)
    }
}
