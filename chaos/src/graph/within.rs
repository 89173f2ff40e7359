//! Waiting for something no longer than until a moment.

use std::{
    future::Future,
    pin::{Pin, pin},
    task::Poll,
    time::Duration,
};

use crate::world::World;

/// Returns what `future` gives, or `None` if that takes until `at`; the future is then dropped.
pub(super) async fn within<F: Future>(world: &World, at: Duration, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut sleep = world.sleep_until(at);
    // The future first: what is ready at the very moment was in time.
    std::future::poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Pin::new(&mut sleep).poll(cx).map(|()| None),
    })
    .await
}
