//! Making an [`Admission`].

use std::{
    num::NonZeroUsize,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicU8, AtomicUsize},
    },
};

use arc_swap::ArcSwap;

use super::{Admission, Shared, counts::Counts, demand::Demand, door::Door, owner::Window};
use crate::{
    clock::Clock,
    config::{Concurrency, Mode, Settings, SettingsError, check_businesses},
    control::Controller,
    gate::{Gate, Owner},
    observe::{Observer, Observers},
};
#[cfg(feature = "http")]
use crate::{queuing_time::Source, wire::Names};

/// What an [`Admission`] is made of. [`build`](Self::build) checks everything at once.
#[derive(Clone)]
#[must_use = "a builder does nothing until it is built"]
pub struct Builder {
    name: Arc<str>,
    settings: Settings,
    businesses: u16,
    #[cfg(feature = "http")]
    names: Names,
    clock: Clock,
    observers: Vec<Arc<dyn Observer>>,
    dispatcher: Option<Arc<dyn Fn() + Send + Sync>>,
    #[cfg(feature = "http")]
    source: Option<Arc<dyn Source>>,
}

/// Most shards that threads count in; 4 KiB each with 8 businesses.
const MOST_SHARDS: usize = 4;

impl Builder {
    pub(super) fn new(name: Arc<str>) -> Self {
        Self {
            name,
            settings: Settings::default(),
            businesses: 8,
            #[cfg(feature = "http")]
            names: Names::default(),
            clock: Clock::system(),
            observers: Vec::new(),
            dispatcher: None,
            #[cfg(feature = "http")]
            source: None,
        }
    }

    /// Sets everything that can also be changed while running.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets how permits are limited; default: adaptive. Short for the field of [`Settings`].
    pub fn concurrency(mut self, concurrency: Concurrency) -> Self {
        self.settings.concurrency = concurrency;
        self
    }

    /// Sets the mode to begin with; default: enforce. Short for the field of [`Settings`].
    pub fn mode(mut self, mode: Mode) -> Self {
        self.settings.mode = mode;
        self
    }

    /// Sets how many businesses are told apart, 1 to 256; default 8. Larger numbers count as the last.
    ///
    /// Memory: businesses x 128 x (4 bytes x (shards + 2) + 8), at most 4 shards.
    pub fn businesses(mut self, businesses: u16) -> Self {
        self.businesses = businesses;
        self
    }

    /// Sets the names of the fields; default `dagor-priority`, `dagor-level`, `dagor-demand`.
    #[cfg(feature = "http")]
    pub fn names(mut self, names: Names) -> Self {
        self.names = names;
        self
    }

    /// Sets the clock; default: the system's.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Adds a listener.
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// Runs without a tokio runtime: `ask` is called whenever [`Admission::dispatch`] should be, after the tasks
    /// that can run now have had their turn.
    ///
    /// For executors of another kind, and for simulations in virtual time, together with a
    /// [`clock`](Self::clock) of theirs. Default: a task on the tokio runtime that the requests come from.
    ///
    /// `ask` is called from wherever a request comes or ends, never under a lock of this crate; it should make a
    /// note and return. Called again before the dispatch took place, it asks for nothing more.
    pub fn dispatcher(mut self, ask: impl Fn() + Send + Sync + 'static) -> Self {
        self.dispatcher = Some(Arc::new(ask));
        self
    }

    /// Sets the source asked for requests that bring no stamp of their own; default: none with a gate,
    /// whose wait is the signal, and a [`Probe`](crate::queuing_time::Probe) of the runtime without one.
    #[cfg(feature = "http")]
    pub fn source(mut self, source: impl Source) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// Makes the admission: the level is open, nothing is measured yet.
    ///
    /// # Errors
    ///
    /// Every fault of the settings, each with its value and the allowed range.
    pub fn build(self) -> Result<Admission, SettingsError> {
        self.settings.check()?;
        check_businesses(self.businesses)?;
        let Self {
            name,
            settings,
            businesses,
            #[cfg(feature = "http")]
            names,
            clock,
            observers,
            dispatcher,
            #[cfg(feature = "http")]
            source,
        } = self;
        let now = clock.now();
        let shards = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let demand = Demand::new(businesses, shards.min(MOST_SHARDS));
        let controller = Controller::new(super::shared::constants(&settings), businesses, now);
        let longest_wait = settings
            .longest_wait
            .unwrap_or(5 * settings.constants.threshold);
        let concurrency = super::shared::concurrency(&settings);
        let gate = Gate::new(&concurrency, clock.clone(), longest_wait, dispatcher);
        let shared = Arc::new(Shared {
            name,
            #[cfg(feature = "http")]
            names,
            observers: Observers::new(observers),
            changing: Mutex::new(()),
            mode: AtomicU8::new(super::shared::number_of(settings.mode)),
            settings: ArcSwap::from_pointee(settings),
            door: Door::new(controller, demand, now),
            gate,
            counts: Counts::new(businesses),
            window: Window::default(),
            #[cfg(feature = "http")]
            outside: super::outside::Outside::new(
                source,
                clock.clone(),
                concurrency == Concurrency::Unlimited,
            ),
            #[cfg(feature = "http")]
            sockets: crate::queuing_time::SocketWaits::new(clock.clone()),
            in_flight: AtomicUsize::new(0),
            clock,
        });
        let weak = Arc::downgrade(&shared);
        let owner: Weak<dyn Owner> = weak;
        shared.gate.set_owner(owner);
        Ok(Admission { shared })
    }
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder")
            .field("name", &self.name)
            .field("settings", &self.settings)
            .field("businesses", &self.businesses)
            .finish_non_exhaustive()
    }
}
