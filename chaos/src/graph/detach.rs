//! Serving a request to the end whether or not anybody still waits for the answer.

use std::{future::Future, pin::pin};

use futures_util::future::{self, Either};
use tokio::sync::oneshot;

use crate::{
    wire::{Answer, Unreachable},
    world::World,
};

/// Runs `serving` as a task of its own and returns its answer; dropping what this returns does not stop it.
pub(super) async fn detach(
    world: &World,
    serving: impl Future<Output = Answer> + Send + 'static,
) -> Answer {
    let (answered, answer) = oneshot::channel();
    world.spawn(async move { drop(answered.send(serving.await)) });
    // The task ends without an answer only if the whole run does.
    answer.await.unwrap_or_else(|_| Err(Unreachable.into()))
}

/// The same, but when the answer is no longer waited for, `stays` is asked once whether to go on all the same.
pub(super) async fn detach_if(
    world: &World,
    serving: impl Future<Output = Answer> + Send + 'static,
    stays: impl FnOnce() -> bool + Send + 'static,
) -> Answer {
    let (mut answered, answer) = oneshot::channel();
    world.spawn(async move {
        let served = {
            let (serving, gave_up) = (pin!(serving), pin!(answered.closed()));
            match future::select(serving, gave_up).await {
                Either::Left((served, _)) => Some(served),
                Either::Right(((), serving)) if stays() => Some(serving.await),
                Either::Right(_) => None,
            }
        };
        if let Some(served) = served {
            drop(answered.send(served));
        }
    });
    answer.await.unwrap_or_else(|_| Err(Unreachable.into()))
}
