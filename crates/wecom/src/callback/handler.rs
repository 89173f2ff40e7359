//! What makes an event durable; an answer to WeCom depends on nothing else.

use std::future::Future;

use super::delivery::Delivery;

/// Makes an event durable.
///
/// Implemented for every `Fn(Delivery) -> impl Future<Output = Result<(), E>>`. To return `Ok` is to promise that
/// the event survives a crash: WeCom gets its 200 and never tells of it again. So append it to a log or a
/// queue that has been synced, and do the work from there; an upsert by [`Delivery::identity`] makes it harmless
/// that the same comes twice.
pub trait Handler: Send + Sync + 'static {
    /// Why it is not durable. It is counted and dropped: what is to be logged of it, the handler knows.
    type Error: Send + 'static;

    /// Makes an event durable, in less than [`deadline`](super::Endpoint::deadline).
    ///
    /// While this runs for an event, copies of it wait for the outcome and start nothing of their own.
    ///
    /// # Cancellation
    ///
    /// Past the deadline, or when WeCom hangs up, it is not dropped: WeCom is asked to send the event again,
    /// and this goes on. It is dropped at an await point if it has not ended after
    /// [`handler_time`](super::Endpoint::handler_time), by default a minute, or when the runtime ends. So it
    /// must leave nothing half-way that the next attempt cannot bear: write in one step, or in a task of its own,
    /// which goes on when this is dropped. Between two await points nothing can stop it; work that blocks
    /// belongs into `spawn_blocking`.
    fn make_durable(
        &self,
        delivery: Delivery,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

impl<F, Fut, E> Handler for F
where
    F: Fn(Delivery) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<(), E>> + Send,
    E: Send + 'static,
{
    type Error = E;

    fn make_durable(&self, delivery: Delivery) -> impl Future<Output = Result<(), E>> + Send {
        self(delivery)
    }
}
