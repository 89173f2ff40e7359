//! Everything that is counted beside the demand: refusals, faults, waits outside the gate.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use hdrhistogram::Histogram;

use crate::{clock::nanos, error::Reason, observe::FieldFault, priority::Business};

#[derive(Debug)]
pub(super) struct Counts {
    /// Refusals by business and reason.
    shed: Box<[[AtomicU64; Reason::ALL.len()]]>,
    faults: [AtomicU64; FieldFault::ALL.len()],
    pub(super) exempt: AtomicU64,
    /// Nanoseconds waited before the layer, and those that handlers reported.
    outside: AtomicU64,
    /// Of those nanoseconds, what the stamps of connections saw: all that says something of sockets.
    stamped: AtomicU64,
    reported: AtomicU64,
    waits: Mutex<Waits>,
    unwaited: AtomicU64,
}

/// Queuing times in microseconds, of the current ten seconds and the ten before.
#[derive(Debug)]
struct Waits {
    current: Histogram<u32>,
    previous: Histogram<u32>,
    rotated: Duration,
}

/// How long one histogram is filled.
const ROTATION: Duration = Duration::from_secs(10);

impl Counts {
    pub(super) fn new(businesses: u16) -> Self {
        Self {
            shed: (0..businesses).map(|_| Default::default()).collect(),
            faults: Default::default(),
            exempt: AtomicU64::new(0),
            outside: AtomicU64::new(0),
            stamped: AtomicU64::new(0),
            reported: AtomicU64::new(0),
            waits: Mutex::new(Waits::new()),
            unwaited: AtomicU64::new(0),
        }
    }

    pub(super) fn shed(&self, business: Business, reason: Reason) {
        self.shed[usize::from(business.get())][reason.index()].fetch_add(1, Relaxed);
    }

    pub(super) fn shed_by(&self, business: usize) -> [u64; Reason::ALL.len()] {
        self.shed[business]
            .each_ref()
            .map(|count| count.load(Relaxed))
    }

    /// Refusals by the level, of every business.
    pub(super) fn shed_by_level(&self) -> u64 {
        self.shed
            .iter()
            .map(|reasons| reasons[Reason::Level.index()].load(Relaxed))
            .sum()
    }

    /// Refusals of every business because there were too many: not those that only waited too long.
    pub(super) fn shed_as_too_many(&self) -> u64 {
        let all = self.shed.iter().flatten().map(|count| count.load(Relaxed));
        let expired =
            |by: &[AtomicU64; Reason::ALL.len()]| by[Reason::Expired.index()].load(Relaxed);
        let expired: u64 = self.shed.iter().map(expired).sum();
        all.sum::<u64>().saturating_sub(expired)
    }

    #[cfg(feature = "http")]
    pub(super) fn fault(&self, fault: FieldFault) {
        self.faults[fault.index()].fetch_add(1, Relaxed);
    }

    pub(super) fn faults(&self) -> [u64; FieldFault::ALL.len()] {
        self.faults.each_ref().map(|count| count.load(Relaxed))
    }

    pub(super) fn note_outside(&self, waited: Duration) {
        if !waited.is_zero() {
            self.outside.fetch_add(nanos(waited), Relaxed);
        }
    }

    pub(super) fn report_wait(&self, waited: Duration) {
        self.reported.fetch_add(nanos(waited), Relaxed);
    }

    /// Nanoseconds that requests waited before the layer, since the start; wraps.
    #[cfg(feature = "http")]
    pub(super) fn note_stamped(&self, waited: Duration) {
        if !waited.is_zero() {
            self.stamped.fetch_add(nanos(waited), Relaxed);
        }
    }

    pub(super) fn stamped(&self) -> u64 {
        self.stamped.load(Relaxed)
    }

    pub(super) fn outside(&self) -> u64 {
        self.outside.load(Relaxed)
    }

    /// Nanoseconds that handlers reported, since the start; wraps.
    pub(super) fn reported(&self) -> u64 {
        self.reported.load(Relaxed)
    }

    /// Records how long one request waited in all before it started.
    pub(super) fn record_wait(&self, waited: Duration) {
        if waited < Duration::from_micros(1) {
            self.unwaited.fetch_add(1, Relaxed);
            return;
        }
        let micros = u64::try_from(waited.as_micros()).unwrap_or(u64::MAX);
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        waits.current.saturating_record(micros);
    }

    /// Begins a new histogram when the current one is full of time.
    pub(super) fn rotate(&self, now: Duration) {
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        waits.fold(self.unwaited.swap(0, Relaxed));
        let age = now.saturating_sub(waits.rotated);
        if age >= ROTATION {
            waits.rotated = now;
            if age >= 2 * ROTATION {
                // No window was closed in between: what is current is as old as what is before it.
                waits.current.reset();
            }
            let Waits {
                current, previous, ..
            } = &mut *waits;
            std::mem::swap(current, previous);
            current.reset();
        }
    }

    /// Returns the queuing times of the last ten to twenty seconds, in microseconds.
    pub(super) fn waits(&self) -> Histogram<u32> {
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        waits.fold(self.unwaited.swap(0, Relaxed));
        let mut all = waits.current.clone();
        // Both have the same bounds, so adding cannot fail.
        let _ = all.add(&waits.previous);
        all
    }
}

impl Waits {
    /// One microsecond to one minute, to two digits: 10 KiB.
    fn new() -> Self {
        let empty = Histogram::new_with_bounds(1, 60_000_000, 2);
        let empty = empty.expect("1 to 60,000,000 with 2 digits are valid bounds");
        Self {
            current: empty.clone(),
            previous: empty,
            rotated: Duration::ZERO,
        }
    }

    /// Adds requests that did not wait, counted apart because they are most of them.
    fn fold(&mut self, unwaited: u64) {
        let count = u32::try_from(unwaited).unwrap_or(u32::MAX);
        // Zero is recorded as the lowest value, one microsecond.
        let _ = self.current.record_n(1, count);
    }
}

/// Returns the shard this thread counts in: threads take turns.
pub(super) fn shard() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static SHARD: usize = NEXT.fetch_add(1, Relaxed));
    SHARD.with(|shard| *shard)
}
