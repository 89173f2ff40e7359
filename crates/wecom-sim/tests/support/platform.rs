//! What a platform does with callbacks: an address of its own, a log that is durable, and a counter of customers.

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::Router;
use wecom::{
    Clock,
    callback::{ContactChange, Delivery, Endpoint, Event, Identity, Keys, Receiver},
};
use wecom_sim::profile::CallbackTo;

use super::CORP;

pub(crate) const TOKEN: &str = "QDG6eK";
pub(crate) const KEY: &str = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";

/// A platform with an address for callbacks. Clones are the same one.
#[derive(Clone, Default)]
pub(crate) struct Platform(Arc<Mutex<State>>);

/// What the handler does with one delivery.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Does {
    /// Makes it durable.
    Keep,
    /// Fails.
    Fail,
    /// Panics.
    Panic,
    /// Makes it durable after so long.
    After(Duration),
}

/// What was kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    /// Every delivery that reached the handler, in order.
    pub(crate) delivered: usize,
    /// Those that were marked as seen before.
    pub(crate) marked: usize,
    /// Distinct events, in the order in which they became durable.
    pub(crate) log: Vec<Event>,
    /// Customers as counted once for each member, code and day, by `state`.
    pub(crate) customers: BTreeMap<String, u64>,
}

#[derive(Default)]
struct State {
    does: VecDeque<Does>,
    known: HashSet<Identity>,
    counted: HashSet<Identity>,
    /// The code by which a customer came to a member; the state may be missing from one of two events.
    came_by: HashMap<(String, String), String>,
    kept: Kept,
}

// === impl Platform ===

impl Platform {
    /// Does this with the next deliveries, then makes all durable.
    pub(crate) fn next_ones(&self, does: &[Does]) {
        self.lock().does = does.iter().copied().collect();
    }

    pub(crate) fn kept(&self) -> Kept {
        self.lock().kept.clone()
    }

    /// Returns its address as a service: `POST` and `GET` at `/callback`.
    pub(crate) fn router(&self, clock: Clock) -> Router {
        self.endpoint(clock, Endpoint::into_router)
    }

    /// Returns the same with other settings.
    pub(crate) fn endpoint(
        &self,
        clock: Clock,
        finish: impl FnOnce(Endpoint<Self>) -> Router,
    ) -> Router {
        let keys = Keys::new(TOKEN, KEY, CORP).expect("keys");
        let receiver = Receiver::builder(keys).clock(clock).build();
        let endpoint = Endpoint::new(receiver.expect("settings in their ranges"), self.clone());
        Router::new().nest("/callback", finish(endpoint))
    }

    async fn take(&self, delivery: Delivery) -> Result<(), &'static str> {
        let does = {
            let mut state = self.lock();
            state.kept.delivered += 1;
            state.kept.marked += usize::from(delivery.seen_before);
            state.does.pop_front().unwrap_or(Does::Keep)
        };
        match does {
            Does::Keep => {}
            Does::Fail => return Err("the log is full"),
            Does::Panic => panic!("a handler that panics, on purpose"),
            Does::After(time) => tokio::time::sleep(time).await,
        }
        self.lock().keep(delivery);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl wecom::callback::Handler for Platform {
    type Error = &'static str;

    async fn make_durable(&self, delivery: Delivery) -> Result<(), Self::Error> {
        self.take(delivery).await
    }
}

// === impl State ===

impl State {
    /// Appends an event to the log unless it is there, and counts a customer unless he was counted.
    fn keep(&mut self, delivery: Delivery) {
        if !self.known.insert(delivery.identity) {
            return;
        }
        if let Event::Contact(contact) = &delivery.event
            && let ContactChange::Added { state, .. } | ContactChange::HalfAdded { state, .. } =
                &contact.change
        {
            let pair = (
                String::from(contact.user.as_str()),
                String::from(contact.external_user.as_str()),
            );
            let code = self.came_by.entry(pair).or_default();
            if let Some(state) = state {
                *code = String::from(&**state);
            }
            let code = code.clone();
            let seconds = delivery.created.map_or(0, |created| created.as_secs());
            let day = (seconds + 28_800) / 86_400;
            let key = delivery
                .corp
                .as_ref()
                .and_then(|corp| contact.daily_key(corp, &code, day));
            if key.is_some_and(|key| self.counted.insert(key)) {
                *self.kept.customers.entry(code).or_default() += 1;
            }
        }
        self.kept.log.push(delivery.event);
    }
}

/// Returns an address for callbacks, with the keys of the platform.
pub(crate) fn address(url: &str) -> CallbackTo {
    CallbackTo {
        url: String::from(url),
        token: String::from(TOKEN),
        encoding_aes_key: String::from(KEY),
    }
}
