//! The response of an [`Entry`](super::Entry), on its way.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

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
    }
}

impl<F> ResponseFuture<F> {
    pub(super) const fn new(inner: F, task: Option<Task>) -> Self {
        Self { inner, task }
    }
}

impl<F: Future> Future for ResponseFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        task::lend(this.task, || this.inner.poll(cx))
    }
}
