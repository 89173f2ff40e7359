//! The settings of a callee, and their ranges.

use std::{fmt, sync::Arc, time::Duration};

use super::{
    callee::{Callee, Shared},
    inference::Inference,
    table::Table,
};
use crate::{
    clock::Clock,
    control::Constants,
    observe::{Observer, Observers},
    priority::{Business, OutOfRange, Priority},
    wire::Names,
};

/// The settings of a [`Callee`]; made by [`Callee::builder`].
#[derive(Clone, Debug)]
#[must_use = "nothing is made before `build`"]
pub struct Builder {
    name: Arc<str>,
    ttl: Duration,
    instances: u32,
    businesses: u16,
    default_priority: Option<Priority>,
    names: Names,
    clock: Clock,
    observers: Vec<Watch>,
    constants: Constants,
    longest_hold: Duration,
}

#[derive(Clone)]
struct Watch(Arc<dyn Observer>);

// === impl Builder ===

impl Builder {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            ttl: Duration::from_secs(1),
            instances: 1024,
            businesses: 8,
            default_priority: None,
            names: Names::default(),
            clock: Clock::default(),
            observers: Vec::new(),
            constants: Inference::constants(),
            longest_hold: Duration::from_secs(60),
        }
    }

    /// Sets the time to live: how long nothing may be heard of an instance before one call passes as a
    /// probe, whatever its priority. Default 1 s, 10 ms to 1 hour.
    ///
    /// Too short and many callers together keep an overloaded instance busy with probes; too long and
    /// traffic that was withheld entirely comes back late.
    pub const fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Sets how many instances are kept at most. Default 1024, 1 to 65,536.
    ///
    /// An instance takes some 200 bytes, and with feedback some 12 KiB. Beyond the bound the one unused
    /// for longest is forgotten and begins with an open level when it is called again.
    pub const fn instances(mut self, instances: u32) -> Self {
        self.instances = instances;
        self
    }

    /// Sets how many businesses the callee tells apart. Default 8, 1 to 256.
    ///
    /// Must be what the callee has: a larger business number counts as the last of them, here as there.
    pub const fn businesses(mut self, businesses: u16) -> Self {
        self.businesses = businesses;
        self
    }

    /// Sets the priority of calls that belong to no task.
    ///
    /// Default: the least important business, and of its users each in turn, so that a level can cut among
    /// such calls instead of withholding all of them or none.
    pub const fn default_priority(mut self, default_priority: Priority) -> Self {
        self.default_priority = Some(default_priority);
        self
    }

    /// Sets the names of the fields. Default `dagor-priority`, `dagor-level`, `dagor-demand`.
    pub fn names(mut self, names: Names) -> Self {
        self.names = names;
        self
    }

    /// Sets the clock. Default the system's.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Adds an observer; all are told, in the order they were added.
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observers.push(Watch(Arc::new(observer)));
        self
    }

    /// Sets the constants of the law by which a level is inferred from feedback.
    ///
    /// Default [`Constants::dagor`] with 1 as the fewest samples of a window, for a refusal is proof
    /// where a long wait is a hint. Without [`feedback`](super::ClientLayer::feedback) they have no effect.
    pub fn constants(mut self, constants: Constants) -> Self {
        self.constants = constants;
        self
    }

    /// Sets for how long a `Retry-After` is believed at most. Default 60 s, 0 to 24 hours.
    ///
    /// The level does not rise for that long; a mistaken date must not keep it down for ever.
    pub const fn longest_hold(mut self, longest_hold: Duration) -> Self {
        self.longest_hold = longest_hold;
        self
    }

    /// Returns the callee with these settings.
    ///
    /// # Errors
    ///
    /// If `ttl`, `instances`, `businesses` or `longest_hold` is out of its range; the error names it.
    pub fn build(self) -> Result<Callee, OutOfRange> {
        const MS_PER_HOUR: u64 = 3_600_000;
        let ms = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let checked = [
            ("callee ttl in ms", ms(self.ttl), (10, MS_PER_HOUR)),
            ("callee instances", self.instances.into(), (1, 65_536)),
            ("callee businesses", self.businesses.into(), (1, 256)),
            (
                "callee longest hold in ms",
                ms(self.longest_hold),
                (0, 24 * MS_PER_HOUR),
            ),
        ];
        for (what, value, (low, high)) in checked {
            if !(low..=high).contains(&value) {
                return Err(OutOfRange::new(what, value, (low, high)));
            }
        }
        Ok(self.make())
    }

    /// Makes a callee of settings that are in their ranges.
    pub(super) fn make(self) -> Callee {
        let last_business = u8::try_from(self.businesses - 1).unwrap_or(u8::MAX);
        // At most 65,536.
        let bound = usize::try_from(self.instances).unwrap_or(usize::MAX);
        Callee(Arc::new(Shared {
            name: self.name,
            ttl: self.ttl,
            last_business: Business::new(last_business),
            default_priority: self.default_priority,
            names: self.names,
            clock: self.clock,
            observers: Observers::new(self.observers.into_iter().map(|w| w.0).collect()),
            constants: self.constants,
            longest_hold: self.longest_hold,
            table: Table::new(bound, self.businesses),
        }))
    }
}

// === impl Watch ===

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}
