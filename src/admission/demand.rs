//! How much of what arrived, counted by every thread without a lock and read by one.
//!
//! The counters only ever grow (and wrap); whoever closes a window subtracts what it saw at the last
//! one. So nothing is reset under the feet of a thread that counts, and no arrival is lost or counted
//! twice. Each thread counts in one of a few shards, so that two threads do not fight for a cache line.

use crate::{
    observe::BusinessDemand,
    priority::{Business, Priority, User},
    sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
};

/// Arrivals per cell (business and user level) and withheld requests per business, since the start.
#[derive(Debug)]
pub(super) struct Demand {
    shards: Box<[Shard]>,
    withheld: Box<[AtomicU64]>,
    last: Business,
}

/// One thread's share of the counters, on cache lines of its own.
#[derive(Debug)]
#[repr(align(128))]
struct Shard {
    arrived: AtomicU32,
    cells: Box<[AtomicU32]>,
}

/// What was seen when the last window closed, and totals that do not wrap.
#[derive(Debug)]
pub(super) struct Seen {
    cells: Box<[u32]>,
    arrived: u32,
    withheld: Box<[u64]>,
    /// Of the window just taken.
    pub(super) window: Box<[u32]>,
    pub(super) window_withheld: Box<[u32]>,
    /// Since the start, per business.
    pub(super) total_arrived: Box<[u64]>,
}

/// Cells of a business. The model checker gets one: cells have nothing to do with each other, and it would
/// visit every order in which they can be read.
const USERS: usize = if cfg!(dagor_loom) {
    1
} else {
    User::LEVELS as usize
};

impl Demand {
    pub(super) fn new(businesses: u16, shards: usize) -> Self {
        let businesses = usize::from(businesses.clamp(1, 256));
        let shard = || Shard {
            arrived: AtomicU32::new(0),
            cells: (0..businesses * USERS).map(|_| AtomicU32::new(0)).collect(),
        };
        Self {
            shards: (0..shards.next_power_of_two()).map(|_| shard()).collect(),
            withheld: (0..businesses).map(|_| AtomicU64::new(0)).collect(),
            last: Business::new(u8::try_from(businesses - 1).unwrap_or(u8::MAX)),
        }
    }

    /// The least important business that is told apart.
    pub(super) const fn last(&self) -> Business {
        self.last
    }

    /// Counts one arrival in shard `shard`; returns how many that shard has counted, itself included.
    pub(super) fn arrive(&self, priority: Priority, shard: usize) -> u32 {
        // A power of two of them, so this is a remainder without a division.
        let shard = &self.shards[shard & (self.shards.len() - 1)];
        let business = usize::from(priority.business().min(self.last).get());
        let cell = business * USERS + usize::from(priority.user().level());
        shard.cells[cell].fetch_add(1, Relaxed);
        shard.arrived.fetch_add(1, Relaxed).wrapping_add(1)
    }

    /// Counts requests that a caller withheld.
    pub(super) fn withheld(&self, business: Business, count: u64) {
        self.withheld[usize::from(business.min(self.last).get())].fetch_add(count, Relaxed);
    }

    /// Returns how many arrived since `seen` was last taken.
    pub(super) fn arrived_since(&self, seen: &Seen) -> u32 {
        self.arrived().wrapping_sub(seen.arrived)
    }

    fn arrived(&self) -> u32 {
        let counts = self.shards.iter().map(|shard| shard.arrived.load(Relaxed));
        counts.fold(0, u32::wrapping_add)
    }

    fn cell(&self, cell: usize) -> u32 {
        let counts = self
            .shards
            .iter()
            .map(|shard| shard.cells[cell].load(Relaxed));
        counts.fold(0, u32::wrapping_add)
    }

    /// Moves everything counted since the last time into `seen.window`.
    pub(super) fn take(&self, seen: &mut Seen) {
        seen.arrived = self.arrived();
        for (cell, (window, before)) in seen.window.iter_mut().zip(&mut seen.cells).enumerate() {
            let count = self.cell(cell);
            *window = count.wrapping_sub(*before);
            *before = count;
        }
        for (total, cells) in seen.total_arrived.iter_mut().zip(seen.window.chunks(USERS)) {
            *total += cells.iter().map(|&count| u64::from(count)).sum::<u64>();
        }
        let withheld = self
            .withheld
            .iter()
            .zip(&mut seen.withheld)
            .zip(&mut seen.window_withheld);
        for ((count, before), window) in withheld {
            let count = count.load(Relaxed);
            *window = u32::try_from(count.wrapping_sub(*before)).unwrap_or(u32::MAX);
            *before = count;
        }
    }

    /// Returns arrivals and withheld requests per business since the start.
    pub(super) fn totals<'a>(&'a self, seen: &'a Seen) -> impl Iterator<Item = (u64, u64)> + 'a {
        self.withheld
            .iter()
            .enumerate()
            .map(|(business, withheld)| {
                let cells = business * USERS..(business + 1) * USERS;
                let since =
                    cells.map(|cell| u64::from(self.cell(cell).wrapping_sub(seen.cells[cell])));
                (
                    seen.total_arrived[business] + since.sum::<u64>(),
                    withheld.load(Relaxed),
                )
            })
    }
}

impl Seen {
    pub(super) fn new(demand: &Demand) -> Self {
        let businesses = demand.withheld.len();
        Self {
            cells: vec![0; businesses * USERS].into(),
            arrived: 0,
            withheld: vec![0; businesses].into(),
            window: vec![0; businesses * USERS].into(),
            window_withheld: vec![0; businesses].into(),
            total_arrived: vec![0; businesses].into(),
        }
    }

    /// Returns what the window just taken saw, per business.
    pub(super) fn businesses(&self) -> Vec<BusinessDemand> {
        let cells = self.window.chunks(USERS).zip(&self.window_withheld);
        cells
            .map(|(cells, &withheld)| BusinessDemand {
                arrived: cells.iter().map(|&count| u64::from(count)).sum(),
                withheld: u64::from(withheld),
            })
            .collect()
    }
}

#[cfg(not(dagor_loom))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_or_counted_twice() {
        let demand = Demand::new(2, 2);
        let mut seen = Seen::new(&demand);
        let mut taken = 0;
        for round in 0..1000 {
            demand.arrive(Priority::MOST_IMPORTANT, round);
            demand.arrive(Priority::LEAST_IMPORTANT, round / 3);
            demand.withheld(Business::new(9), 2);
            if round % 7 == 0 {
                demand.take(&mut seen);
                taken += seen.window.iter().sum::<u32>();
            }
        }
        assert_eq!(taken + demand.arrived_since(&seen), 2000);
        let totals: Vec<_> = demand.totals(&seen).collect();
        assert_eq!(
            totals,
            [(1000, 0), (1000, 2000)],
            "a business out of range is the last one"
        );
    }
}
