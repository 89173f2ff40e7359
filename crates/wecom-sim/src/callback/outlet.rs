//! The callbacks of one enterprise: what waits, what is on its way, and what chance does to it.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{runtime::Handle, sync::Notify};

use super::{
    counts::Counting,
    deliver::{self, Route},
    event::Event,
    target::Target,
};
use crate::{fault::Draw, profile::Callbacks, world::Random};

/// The callbacks of one enterprise.
pub(super) struct Outlet {
    /// What the draws for its events come from.
    seed: u64,
    /// What is drawn for encryption, in the order in which callbacks are sent.
    pub(super) random: Random,
    pub(super) counts: Counting,
    state: Mutex<State>,
    /// For a third party: its suite.
    suite: Option<String>,
    /// Told whenever nothing waits and nothing is on its way.
    idle: Notify,
}

/// What changes; held for moments only.
#[derive(Debug, Default)]
struct State {
    target: Option<Arc<Target>>,
    queue: VecDeque<Parcel>,
    /// An event that is to be sent after its successor, with its number, until that comes.
    held: Option<(u64, Parcel)>,
    /// How many events are in `queue` and `held`.
    waiting: usize,
    on_their_way: usize,
    /// How many events there were: the next one's number.
    events: u64,
}

/// Events that are sent one after the other.
type Parcel = Vec<Event>;

/// One of the callbacks on their way; gives its place back even if the task ends early.
struct Place(Arc<Outlet>);

// === impl Outlet ===

impl Outlet {
    /// Returns the callbacks of this enterprise, without an address.
    pub(super) fn new(seed: u64, corp: &str, suite: Option<String>) -> Self {
        let purpose = format!("callbacks of {corp}");
        Self {
            seed: Random::new(seed, &purpose).next(),
            random: Random::new(seed, &purpose),
            counts: Counting::default(),
            state: Mutex::default(),
            suite,
            idle: Notify::new(),
        }
    }

    /// Returns the suite of a third party.
    pub(super) fn suite(&self) -> Option<String> {
        self.suite.clone()
    }

    /// Returns where callbacks go.
    pub(super) fn target(&self) -> Option<Arc<Target>> {
        self.lock().target.as_ref().map(Arc::clone)
    }

    /// Sets where callbacks go; those on their way go where they go.
    pub(super) fn set_target(&self, target: Option<Target>) {
        self.lock().target = target.map(Arc::new);
    }

    /// Takes an event, lets chance have its way with it, and sends what can be sent.
    pub(super) fn tell(self: &Arc<Self>, event: Event, route: &Route, settings: &Callbacks) {
        self.counts.events.add();
        {
            let mut state = self.lock();
            if state.target.is_none() {
                return self.counts.unaddressed.add();
            }
            state.events += 1;
            let mut draw = Draw::new(self.seed, state.events, 0);
            let [is_lost, is_twice, is_late] =
                [settings.lost, settings.duplicates, settings.reordered]
                    .map(|share| draw.unit() < share);
            if is_lost {
                return self.counts.lost.add();
            }
            if state.waiting >= usize::try_from(settings.queue).unwrap_or(usize::MAX) {
                return self.counts.dropped.add();
            }
            let mut parcel = vec![event];
            if is_twice {
                self.counts.duplicated.add();
                parcel.push(parcel[0].clone());
            }
            state.waiting += parcel.len();
            match state.held.take() {
                Some((_, late)) => {
                    self.counts.reordered.add();
                    parcel.extend(late);
                    state.queue.push_back(parcel);
                }
                None if is_late => {
                    let number = state.events;
                    state.held = Some((number, parcel));
                    self.wait_for_successor(number, route);
                }
                None => state.queue.push_back(parcel),
            }
        }
        self.pump(route);
    }

    /// Sends what waits, as far as places are free. Outside a runtime nothing is sent before the next call.
    pub(super) fn pump(self: &Arc<Self>, route: &Route) {
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let most = usize::try_from(route.settings().in_flight).unwrap_or(usize::MAX);
        loop {
            let mut state = self.lock();
            if state.on_their_way >= most {
                return;
            }
            let Some(parcel) = state.queue.pop_front() else {
                return;
            };
            state.waiting -= parcel.len();
            state.on_their_way += 1;
            let Some(target) = state.target.as_ref().map(Arc::clone) else {
                drop(state);
                parcel.iter().for_each(|_| self.counts.unaddressed.add());
                drop(Place(Arc::clone(self)));
                continue;
            };
            // Sealed under the lock, so that the same events in the same order have the same bytes.
            let at = route.now_s();
            let sealed: Vec<_> = parcel
                .iter()
                .map(|event| target.request(event, at, &self.random))
                .collect();
            drop(state);
            let (place, route) = (Place(Arc::clone(self)), route.clone());
            runtime.spawn(async move {
                for request in sealed {
                    deliver::deliver(&request, &route, &place.0.counts).await;
                }
                let outlet = Arc::clone(&place.0);
                drop(place);
                outlet.pump(&route);
            });
        }
    }

    /// Waits until nothing waits and nothing is on its way.
    pub(super) async fn settled(&self) {
        loop {
            let told = self.idle.notified();
            {
                let state = self.lock();
                if state.waiting == 0 && state.on_their_way == 0 {
                    return;
                }
            }
            told.await;
        }
    }

    /// Sends a late event even if no successor comes.
    fn wait_for_successor(self: &Arc<Self>, number: u64, route: &Route) {
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let (outlet, route) = (Arc::clone(self), route.clone());
        runtime.spawn(async move {
            tokio::time::sleep(LATEST).await;
            {
                let mut state = outlet.lock();
                match state.held.take() {
                    Some((held, parcel)) if held == number => state.queue.push_back(parcel),
                    other => state.held = other,
                }
            }
            outlet.pump(&route);
        });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Outlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("Outlet")
            .field("waiting", &state.waiting)
            .field("on_their_way", &state.on_their_way)
            .finish_non_exhaustive()
    }
}

// === impl Place ===

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.on_their_way -= 1;
        let is_idle = state.waiting == 0 && state.on_their_way == 0;
        drop(state);
        if is_idle {
            self.0.idle.notify_waiters();
        }
    }
}

/// How long a late event waits for its successor.
const LATEST: Duration = Duration::from_secs(1);
