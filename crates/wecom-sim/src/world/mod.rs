//! Everything that the simulated WeCom knows: its enterprises and what runs in it.
//!
//! Each enterprise has a lock of its own; none is held while a call waits. What is random comes from the profile's
//! seed, what is listed has an order of its own: two runs that are called alike answer alike.

use std::{
    collections::BTreeMap,
    fmt,
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard},
    time::Duration,
};

use wecom::Clock;

use crate::{
    fault::Faults,
    profile::{self, Fault, Profile},
};

mod code;
mod contact;
mod corp;
mod corp_codes;
mod corp_customers;
mod corp_members;
mod flight;
mod found;
mod hold;
mod ip;
mod member;
mod page;
mod random;
mod reach;
mod scramble;
mod settings;
mod shared;
mod targets;
mod token;
mod traffic;
mod unknown;
mod view;
mod window;

#[cfg(test)]
pub(crate) use self::hold::counting;
pub(crate) use self::{
    code::{Code, Codes, Temp},
    contact::Row,
    corp::State,
    flight::{Admission, Flight},
    ip::Callers,
    member::Members,
    reach::Reach,
    shared::Shared,
    targets::{Drawn, Targets},
    window::{Limits, hour, nanos},
};
pub use self::{
    corp::Corp,
    corp_codes::MOST_ON_CODE,
    page::Page,
    random::Random,
    settings::{LARGEST_LIMIT, Settings},
    traffic::{ApiTraffic, IpTraffic},
    view::{CodeSeed, CodeView, MemberView, NewRelation, Relation},
};

/// The simulated WeCom's memory. Cheap to clone; clones are the same world.
#[derive(Clone)]
pub struct World(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    faults: RwLock<Arc<Faults>>,
    corps: RwLock<Corps>,
    callers: Callers,
}

#[derive(Default)]
struct Corps {
    by_id: BTreeMap<Box<str>, Arc<Corp>>,
    /// In the order in which they were added; tokens and `config_id`s hold the place here.
    by_number: Vec<Arc<Corp>>,
}

/// What is wrong with a profile or a request to the admin interface.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Mistake(pub String);

// === impl World ===

impl World {
    /// Returns the world of a profile.
    ///
    /// # Errors
    ///
    /// If two enterprises, members or departments have one id, an id is none, a setting is out of range, or a fault
    /// befalls an enterprise or a call that is not there.
    pub fn new(profile: &Profile, clock: Clock) -> Result<Self, Mistake> {
        let settings = Settings::of(profile);
        settings.check()?;
        let faults = Arc::new(Faults::new(&settings.faults, profile.seed));
        let world = Self(Arc::new(Inner {
            shared: Arc::new(Shared::new(profile.seed, clock, settings)),
            faults: RwLock::new(faults),
            corps: RwLock::default(),
            callers: Callers::default(),
        }));
        for corp in &profile.corps {
            world.add_corp(corp)?;
        }
        world.check_corps(&profile.faults)?;
        Ok(world)
    }

    /// Returns the enterprise of this id.
    #[must_use]
    pub fn corp(&self, id: &str) -> Option<Arc<Corp>> {
        self.read().by_id.get(id).map(Arc::clone)
    }

    /// Returns all enterprises, by id.
    #[must_use]
    pub fn corps(&self) -> Vec<Arc<Corp>> {
        let mut all = Vec::new();
        loop {
            let last = all.last().map(|corp: &Arc<Corp>| corp.id());
            let piece = self.corps_after(last, hold::PIECE);
            if piece.is_empty() {
                return all;
            }
            all.extend(piece);
        }
    }

    /// Returns at most `limit` enterprises, by id, after this one; from the first on if there is no id.
    #[must_use]
    pub fn corps_after(&self, id: Option<&str>, limit: usize) -> Vec<Arc<Corp>> {
        let after = id.map_or(Bound::Unbounded, Bound::Excluded);
        let corps = self.read();
        let those = corps.by_id.range::<str, _>((after, Bound::Unbounded));
        let those = those.inspect(|_| hold::touch()).take(limit);
        those.map(|(_, corp)| Arc::clone(corp)).collect()
    }

    /// Returns how many enterprises there are.
    #[must_use]
    pub fn corp_count(&self) -> usize {
        self.read().by_number.len()
    }

    /// Adds an enterprise.
    ///
    /// # Errors
    ///
    /// If there is one of this id, or it is wrong as for [`new`](Self::new).
    pub fn add_corp(&self, corp: &profile::Corp) -> Result<Arc<Corp>, Mistake> {
        let twice = || Mistake(format!("corp {}: is there already", corp.id));
        if self.corp(&corp.id).is_some() {
            return Err(twice());
        }
        // Made before the lock is taken: a million members take their time.
        let state = found::found(corp)?;
        let mut corps = self.0.corps.write().unwrap_or_else(PoisonError::into_inner);
        if corps.by_id.contains_key(corp.id.as_str()) {
            return Err(twice());
        }
        let number = u32::try_from(corps.by_number.len())
            .map_err(|_| Mistake("there are 4,294,967,296 corps already".into()))?;
        let corp = Arc::new(Corp::new(corp, number, &self.0.shared, state));
        corps.by_id.insert(corp.id().into(), Arc::clone(&corp));
        corps.by_number.push(Arc::clone(&corp));
        Ok(corp)
    }

    /// Returns the settings of this moment.
    #[must_use]
    pub fn settings(&self) -> Arc<Settings> {
        self.0.shared.settings()
    }

    /// Replaces the settings; calls that are under way keep theirs. Faults, if they differ, are counted anew.
    ///
    /// # Errors
    ///
    /// If one is out of range, or a fault befalls an enterprise or a call that is not there; nothing is replaced then.
    pub fn set_settings(&self, settings: Settings) -> Result<(), Mistake> {
        settings.check()?;
        self.check_corps(&settings.faults)?;
        let mut faults = self
            .0
            .faults
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if self.0.shared.settings().faults != settings.faults {
            *faults = Arc::new(Faults::new(&settings.faults, self.0.shared.seed));
        }
        self.0.shared.set_settings(settings);
        Ok(())
    }

    /// Returns the layer of faults.
    #[must_use]
    pub fn faults(&self) -> Arc<Faults> {
        Arc::clone(&self.0.faults.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the clock.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.0.shared.clock
    }

    /// Returns the calendar time since the Unix epoch, which goes on with the clock and never back.
    #[must_use]
    pub fn calendar(&self) -> Duration {
        self.0.shared.calendar()
    }

    /// Returns the seed of the profile, from which others make a [`Random`] of their own.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.0.shared.seed
    }

    /// Returns the world's own source of random numbers.
    #[must_use]
    pub fn random(&self) -> &Random {
        &self.0.shared.random
    }

    /// Returns what was called from each IP, by IP and API.
    #[must_use]
    pub fn ip_traffic(&self) -> Vec<IpTraffic> {
        self.0.callers.report()
    }

    /// Returns how often an IP was banned for an hour, for it came with too many wrong secrets.
    #[must_use]
    pub fn ip_bans(&self) -> u64 {
        self.0.callers.bans()
    }

    /// Forgets what was counted of calls; windows and blocks go on.
    pub fn reset_traffic(&self) {
        for corp in self.corps() {
            corp.reset_traffic();
        }
        self.0.callers.reset();
    }

    /// Gives back what is remembered of calls that were more than an hour ago, but for what was counted. It takes
    /// each enterprise's lock in turn, so it is for a task that runs now and then.
    pub fn rest(&self) {
        let hour_ns = nanos(hour(&self.settings().windows));
        for corp in self.corps() {
            corp.rest(self.0.shared.now_ns(), hour_ns);
        }
        self.0.callers.rest(self.0.shared.now_ns(), hour_ns);
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.0.shared
    }

    pub(crate) fn callers(&self) -> &Callers {
        &self.0.callers
    }

    /// Returns the enterprise and serial of a token that was once given out.
    pub(crate) fn token(&self, token: &str) -> Option<(Arc<Corp>, u32)> {
        let names = &self.0.shared.names;
        let (head, tail) = token.split_at_checked(token.len() / 2)?;
        let (number, serial) = names.tokens.numbers(head)?;
        if names.token_tails.numbers(tail) != Some((number, serial)) {
            return None;
        }
        let corps = self.read();
        let corp = corps.by_number.get(usize::try_from(number).ok()?)?;
        Some((Arc::clone(corp), serial))
    }

    /// Says that a fault would befall nobody, for its enterprise is not there.
    fn check_corps(&self, faults: &[Fault]) -> Result<(), Mistake> {
        for (index, id) in faults.iter().map(|fault| &fault.corp).enumerate() {
            if let Some(id) = id
                && self.corp(id).is_none()
            {
                let told = format!("fault[{index}].corp = {id:?}, expected an enterprise's id");
                return Err(Mistake(told));
            }
        }
        Ok(())
    }

    fn read(&self) -> RwLockReadGuard<'_, Corps> {
        let corps = self.0.corps.read().unwrap_or_else(PoisonError::into_inner);
        hold::begin();
        corps
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.shared.fmt(f)
    }
}

/// Locks; who panicked with it left it whole, for every change is one step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

// === impl Mistake ===

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Mistake {}
