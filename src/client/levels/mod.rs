//! What a caller knows of one instance, and the decision made from it.
//!
//! Plain atomics, the last writer wins: a level that is a moment old costs one refusal at most, a lock
//! here would cost every call. The rule is `priority < level`, the exception is the probe: into
//! silence of one time to live passes one call, whatever its priority, and its answer says how the
//! instance is now. There is no timed re-opening, so an overloaded instance is never flooded by it.

use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use super::inference::Inference;
use crate::{
    clock::nanos,
    priority::{Level, Priority, Progress},
    sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
};

/// What is known of one instance of a callee.
///
/// 112 bytes with the counters of its [`Arc`], and beside it the name and 4 bytes per business.
pub(crate) struct Instance {
    name: Arc<str>,
    /// The level as last heard (or inferred); read by every call.
    level: AtomicU32,
    /// Requests waiting and running there, by the last response that said so.
    waiting: AtomicU32,
    running: AtomicU32,
    /// Calls sent by this process whose response head is not here yet.
    outstanding: AtomicU32,
    /// When the last response or probe was, in nanoseconds: the silence is measured from here.
    heard: AtomicU64,
    /// When the last response *with a level* was, in nanoseconds; see [`answered_without_level`].
    ///
    /// [`answered_without_level`]: Self::answered_without_level
    told: AtomicU64,
    /// When it was last looked up, in nanoseconds; read when the table is full.
    used: AtomicU64,
    /// Calls withheld since it is known.
    withheld_total: AtomicU64,
    /// Calls withheld per business since they were last reported.
    withheld: Box<[AtomicU32]>,
    /// The caller's own level for a callee that tells none; made by the first such call.
    inference: OnceLock<Box<Inference>>,
}

/// What is to be done with a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Decision {
    /// Send it.
    Send,
    /// Send it although the level refuses it: nothing was heard for one time to live.
    Probe,
    /// Do not send it.
    Withhold,
}

/// One call in flight to an instance; counted until dropped.
#[derive(Debug)]
pub(crate) struct Outstanding(Arc<Instance>);

// === impl Instance ===

impl Instance {
    /// Levels unheard of for this many times to live are forgotten when a response carries none.
    const FORGET: u64 = 10;

    pub(crate) fn new(name: Arc<str>, businesses: u16) -> Self {
        Self {
            name,
            level: AtomicU32::new(Level::OPEN.get()),
            waiting: AtomicU32::new(0),
            running: AtomicU32::new(0),
            outstanding: AtomicU32::new(0),
            heard: AtomicU64::new(0),
            told: AtomicU64::new(0),
            used: AtomicU64::new(0),
            withheld_total: AtomicU64::new(0),
            withheld: (0..businesses).map(|_| AtomicU32::new(0)).collect(),
            inference: OnceLock::new(),
        }
    }

    pub(crate) const fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub(crate) fn level(&self) -> Level {
        // Only valid levels are stored.
        Level::new(self.level.load(Relaxed)).unwrap_or(Level::OPEN)
    }

    /// Decides on a call of `priority`, whose business is one of those counted.
    pub(crate) fn decide(
        &self,
        priority: Priority,
        progress: Progress,
        now: Duration,
        ttl: Duration,
    ) -> Decision {
        if self.level().admits(priority, progress) {
            return Decision::Send;
        }
        let now = nanos(now);
        let heard = self.heard.load(Relaxed);
        // Of all calls that find the silence long enough, one becomes the probe.
        if now.saturating_sub(heard) >= nanos(ttl)
            && self
                .heard
                .compare_exchange(heard, now, Relaxed, Relaxed)
                .is_ok()
        {
            return Decision::Probe;
        }
        self.withheld_total.fetch_add(1, Relaxed);
        if let Some(count) = self.withheld.get(usize::from(priority.business().get())) {
            add(count, 1);
        }
        Decision::Withhold
    }

    /// Takes the counts of withheld calls, at most 65,535 per business, to attach them to a call.
    ///
    /// What is above stays for the next one.
    pub(crate) fn take_withheld(&self, mut take: impl FnMut(u8, u16)) {
        for (business, count) in (0..=u8::MAX).zip(&self.withheld) {
            if count.load(Relaxed) == 0 {
                continue;
            }
            let all = count.swap(0, Relaxed);
            let told = u16::try_from(all).unwrap_or(u16::MAX);
            if all > u32::from(told) {
                add(count, all - u32::from(told));
            }
            if told > 0 {
                take(business, told);
            }
        }
    }

    /// Returns the calls withheld since something was last sent there, by whatever client of this process.
    #[cfg(feature = "balance")]
    pub(crate) fn withheld_since_sent(&self) -> u64 {
        let counts = self.withheld.iter();
        counts.map(|count| u64::from(count.load(Relaxed))).sum()
    }

    /// Puts back counts that were attached to a call that did not arrive.
    pub(crate) fn give_back(&self, business: u8, count: u16) {
        if let Some(pending) = self.withheld.get(usize::from(business)) {
            add(pending, u32::from(count));
        }
    }

    /// Notes a level that a response carried; returns whether it is another than before.
    pub(crate) fn hear(&self, level: Level, waiting: u32, running: u32, now: Duration) -> bool {
        self.waiting.store(waiting, Relaxed);
        self.running.store(running, Relaxed);
        self.told.fetch_max(nanos(now), Relaxed);
        self.answered(now);
        self.set_level(level)
    }

    /// Notes a response that carried no level; returns whether the level is forgotten.
    ///
    /// The level stays, for the response may be a proxy's. But an instance that answers for ten times
    /// to live without ever telling a level has none any more (it was replaced by a version without
    /// it, or control was switched off there), and nothing else would ever lift the last one.
    pub(crate) fn answered_without_level(&self, now: Duration, ttl: Duration) -> bool {
        self.answered(now);
        let silence = nanos(now).saturating_sub(self.told.load(Relaxed));
        !self.level().is_open()
            && silence >= nanos(ttl).saturating_mul(Self::FORGET)
            && self.set_level(Level::OPEN)
    }

    /// Notes that a response came, whatever it said.
    pub(crate) fn answered(&self, now: Duration) {
        self.heard.fetch_max(nanos(now), Relaxed);
    }

    /// Publishes a level; returns whether it is another than before.
    pub(crate) fn set_level(&self, level: Level) -> bool {
        self.level.swap(level.get(), Relaxed) != level.get()
    }

    /// Returns what the caller infers of this instance, made by `make` at the first call.
    pub(crate) fn inference(&self, make: impl FnOnce() -> Inference) -> &Inference {
        self.inference.get_or_init(|| Box::new(make()))
    }

    /// Counts a call as outstanding until the guard is dropped.
    pub(crate) fn send(self: &Arc<Self>) -> Outstanding {
        self.outstanding.fetch_add(1, Relaxed);
        Outstanding(Arc::clone(self))
    }

    pub(crate) fn waiting(&self) -> u32 {
        self.waiting.load(Relaxed)
    }

    pub(crate) fn running(&self) -> u32 {
        self.running.load(Relaxed)
    }

    pub(crate) fn outstanding(&self) -> u32 {
        self.outstanding.load(Relaxed)
    }

    pub(crate) fn withheld_total(&self) -> u64 {
        self.withheld_total.load(Relaxed)
    }

    pub(crate) fn touch(&self, now: Duration) {
        self.used.store(nanos(now), Relaxed);
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance")
            .field("name", &self.name)
            .field("level", &self.level())
            .field("outstanding", &self.outstanding())
            .finish_non_exhaustive()
    }
}

// === impl Outstanding ===

impl Outstanding {
    pub(crate) const fn instance(&self) -> &Arc<Instance> {
        &self.0
    }
}

impl Drop for Outstanding {
    fn drop(&mut self) {
        self.0.outstanding.fetch_sub(1, Relaxed);
    }
}

/// Adds to a counter that stays at its maximum instead of starting again.
fn add(count: &AtomicU32, more: u32) {
    // `Err` is the counter at its maximum, where it is to stay.
    let _ = count.fetch_update(Relaxed, Relaxed, |n| {
        (n < u32::MAX).then(|| n.saturating_add(more))
    });
}

#[cfg(test)]
mod tests;
