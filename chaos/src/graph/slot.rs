//! The place of an instance: an address, where it may be dead, or another one after a restart.

use std::{
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use futures_util::future::{self, Either};

use super::{At, Receiving, detach::detach, instance::Instance, lock, trouble::Trouble};
use crate::{
    wire::{Answer, Request, Unreachable},
    world::World,
};

/// Where requests to an instance arrive, whichever way they travelled.
pub struct Slot {
    at: At,
    world: World,
    /// Whether an instance notices that a caller has hung up.
    hang_up: bool,
    instance: Mutex<Option<Arc<Instance>>>,
    /// How many instances were started here.
    starts: AtomicU32,
    trouble: Option<Arc<Trouble>>,
}

impl Slot {
    /// An empty place; with trouble if some fault is about it.
    pub(super) fn new(at: At, world: World, hang_up: bool, trouble: Option<Arc<Trouble>>) -> Self {
        Self {
            at,
            world,
            hang_up,
            instance: Mutex::new(None),
            starts: AtomicU32::new(0),
            trouble,
        }
    }

    /// Returns which instance of which service is here.
    #[must_use]
    pub const fn at(&self) -> At {
        self.at
    }

    /// Serves a request that arrived here now. The answer is an error if nobody is there or the instance dies
    /// meanwhile ([`Unreachable`]), and where the policy's links return one.
    ///
    /// Dropping the future is how a caller hangs up; an instance that does not notice such things goes on.
    pub fn receive(self: &Arc<Self>, request: Request) -> Receiving {
        match (&self.trouble, self.hang_up) {
            (None, true) => match self.instance() {
                Some(instance) => instance.receive(request),
                None => Receiving::answered(Err(Unreachable.into())),
            },
            (_, true) => Receiving::otherwise(Arc::clone(self).receive_in_trouble(request)),
            (_, false) => {
                let serving = Arc::clone(self).receive_in_trouble(request);
                let world = self.world.clone();
                Receiving::otherwise(async move { detach(&world, serving).await })
            }
        }
    }

    /// While it stands still nothing is read and nothing answered; when it dies all is lost.
    async fn receive_in_trouble(self: Arc<Self>, request: Request) -> Answer {
        let Some(trouble) = &self.trouble else {
            let instance = self.instance().ok_or(Unreachable)?;
            return instance.receive(request).await;
        };
        if trouble.is_dead() {
            return Err(Unreachable.into());
        }
        let serving = async {
            trouble.resumed().await;
            let instance = self.instance().ok_or(Unreachable)?;
            let answer = instance.receive(request).await;
            trouble.resumed().await;
            answer
        };
        // Whether it died first: it may be alive again by the time this is polled.
        match future::select(std::pin::pin!(trouble.died()), std::pin::pin!(serving)).await {
            Either::Left(_) => Err(Unreachable.into()),
            Either::Right((answer, _)) => answer,
        }
    }

    /// Returns how open the instance is, if there is one and its policy has such a thing.
    pub(super) fn level(&self) -> Option<f64> {
        self.instance().and_then(|instance| instance.level())
    }

    pub(super) const fn trouble(&self) -> Option<&Arc<Trouble>> {
        self.trouble.as_ref()
    }

    /// Returns how many instances were started here before the next.
    pub(super) fn starts(&self) -> u32 {
        self.starts.load(Ordering::Relaxed)
    }

    /// An instance starts here.
    pub(super) fn start(&self, instance: Instance) {
        self.starts.fetch_add(1, Ordering::Relaxed);
        let before = lock(&self.instance).replace(Arc::new(instance));
        drop(before);
    }

    /// The one that is here dies, if there is one.
    pub(super) fn kill(&self) {
        let Some(instance) = lock(&self.instance).take() else {
            return;
        };
        instance.end();
        if let Some(trouble) = &self.trouble {
            trouble.die();
        }
    }

    fn instance(&self) -> Option<Arc<Instance>> {
        lock(&self.instance).clone()
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot")
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}
