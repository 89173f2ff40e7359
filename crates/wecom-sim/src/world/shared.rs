//! What every enterprise of a world needs of it.

use std::{
    fmt,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use wecom::Clock;

use super::{Random, Settings, scramble::Scramble, window::nanos};

/// The world without its enterprises.
pub(crate) struct Shared {
    pub(crate) clock: Clock,
    /// The calendar when the world began: it goes on with the clock and never back.
    pub(crate) began: Duration,
    pub(crate) seed: u64,
    pub(crate) random: Random,
    pub(crate) names: Names,
    settings: RwLock<Arc<Settings>>,
    /// How many errors were answered: each has a number of its own in its `hint`.
    hints: AtomicU64,
}

/// The names of each kind.
pub(crate) struct Names {
    pub(crate) codes: Scramble,
    pub(crate) qr_codes: Scramble,
    pub(crate) tokens: Scramble,
    /// The second half of a token: real ones are longer than one name.
    pub(crate) token_tails: Scramble,
    pub(crate) cursors: Scramble,
    pub(crate) hints: Scramble,
}

// === impl Shared ===

impl Shared {
    pub(crate) fn new(seed: u64, clock: Clock, settings: Settings) -> Self {
        let name = |kind| Scramble::new(seed, kind);
        Self {
            clock,
            began: clock.calendar(),
            seed,
            random: Random::new(seed, "world"),
            names: Names {
                codes: name("code"),
                qr_codes: name("qr"),
                tokens: name("token"),
                token_tails: name("token tail"),
                cursors: name("cursor"),
                hints: name("hint"),
            },
            settings: RwLock::new(Arc::new(settings)),
            hints: AtomicU64::new(0),
        }
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set_settings(&self, settings: Settings) {
        *self
            .settings
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
    }

    /// The time of the clock, in ns.
    pub(crate) fn now_ns(&self) -> u64 {
        nanos(self.clock.now())
    }

    pub(crate) fn calendar(&self) -> Duration {
        self.began.saturating_add(self.clock.now())
    }

    pub(crate) fn now_s(&self) -> u64 {
        self.calendar().as_secs()
    }

    pub(crate) fn next_hint(&self) -> u64 {
        self.hints.fetch_add(1, Ordering::Relaxed)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}
