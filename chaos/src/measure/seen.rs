//! The counts behind the recorder, and what they come to.

use std::{collections::BTreeMap, time::Duration};

use super::{
    Outcome, ServiceCounts, TaskCounts,
    table::Table,
    work::{Piece, Work},
};

/// Everything but what has a counter of its own.
#[derive(Debug)]
pub(super) struct Seen {
    /// How many bins there are at least.
    pub(super) least_bins: usize,
    pub(super) services: Table<At>,
    pub(super) businesses: Table<Tasks>,
    /// By weight, one column each.
    pub(super) by_calls: BTreeMap<u32, Table<Tasks>>,
    pub(super) work: Work,
    pub(super) took: Vec<(u32, u8, u32)>,
}

/// What happened at a service in a bin. Times are whole nanoseconds: sums do not depend on their order.
#[derive(Clone, Debug, Default)]
pub(super) struct At {
    pub(super) arrived: u32,
    pub(super) refused: u32,
    pub(super) withheld: u32,
    pub(super) started: u32,
    pub(super) served: u32,
    pub(super) levels: u32,
    pub(super) level_sum: f64,
    pub(super) waited_ns: u64,
    pub(super) worked_ns: u64,
    pub(super) wasted_ns: u64,
}

/// Tasks that came in a bin.
#[derive(Clone, Debug, Default)]
pub(super) struct Tasks {
    offered: u32,
    good: u32,
    offered_weight: u64,
    good_weight: u64,
}

// === impl Seen ===

impl Seen {
    pub(super) fn new(services: usize, businesses: usize, least_bins: usize) -> Self {
        Self {
            least_bins,
            services: Table::new(services),
            businesses: Table::new(businesses),
            by_calls: BTreeMap::new(),
            work: Work::default(),
            took: Vec::new(),
        }
    }

    /// Counts something of a task that came in a bin, in all groups that it is in.
    pub(super) fn count_task(
        &mut self,
        bin: usize,
        business: usize,
        weight: u32,
        count: impl Fn(&mut Tasks),
    ) {
        count(self.businesses.at(bin, business));
        let group = self.by_calls.entry(weight);
        count(group.or_insert_with(|| Table::new(1)).at(bin, 0));
    }

    /// Counts a piece of work that was in vain, in the bin in which it ended.
    pub(super) fn waste(services: &mut Table<At>, piece: Piece) {
        services.at(piece.bin, piece.service).wasted_ns += nanos(piece.worked);
    }

    /// Returns what all of it comes to, with 0 for what is counted elsewhere. The run is over: tasks that have
    /// not ended never will, and what was done for them was in vain.
    pub(super) fn outcome(&mut self) -> Outcome {
        let Self { services, work, .. } = self;
        work.fail_all(|piece| Self::waste(services, piece));
        let tables = self.by_calls.values().chain([&self.businesses]);
        let bins = tables.map(Table::bins).max().unwrap_or(0);
        let bins = bins.max(services.bins()).max(self.least_bins);
        let of_tasks = |table: &Table<Tasks>| -> Vec<_> {
            let columns = 0..table.columns();
            columns.map(|column| tasks(table, bins, column)).collect()
        };
        let by_calls = self.by_calls.iter();
        let by_calls = by_calls.flat_map(|(weight, table)| {
            let counts = of_tasks(table).into_iter();
            counts.map(|counts| (*weight, counts))
        });
        let services: Vec<_> = (0..services.columns())
            .map(|column| service(services, bins, column))
            .collect();
        let arrived = services.iter().flat_map(|service| &service.arrived);
        Outcome {
            businesses: of_tasks(&self.businesses),
            by_calls: by_calls.collect(),
            requests: arrived.map(|arrived| u64::from(*arrived)).sum(),
            took: self.took.clone(),
            services,
            ..Outcome::default()
        }
    }
}

// === impl Tasks ===

impl Tasks {
    pub(super) fn offer(&mut self, weight: u32) {
        self.offered += 1;
        self.offered_weight += u64::from(weight);
    }

    pub(super) fn succeed(&mut self, weight: u32) {
        self.good += 1;
        self.good_weight += u64::from(weight);
    }
}

// === Conversions ===

fn tasks(table: &Table<Tasks>, bins: usize, column: usize) -> TaskCounts {
    TaskCounts {
        offered: table.column(bins, column, |cell| cell.offered),
        good: table.column(bins, column, |cell| cell.good),
        offered_weight: table.column(bins, column, |cell| float(cell.offered_weight)),
        good_weight: table.column(bins, column, |cell| float(cell.good_weight)),
    }
}

fn service(table: &Table<At>, bins: usize, column: usize) -> ServiceCounts {
    // A bin in which nobody was asked is as the one before it; at first everything is open.
    let mut level = 1.0;
    let mut level_of = |cell: &At| {
        if cell.levels > 0 {
            level = cell.level_sum / f64::from(cell.levels);
        }
        level
    };
    ServiceCounts {
        arrived: table.column(bins, column, |cell| cell.arrived),
        refused: table.column(bins, column, |cell| cell.refused),
        withheld: table.column(bins, column, |cell| cell.withheld),
        started: table.column(bins, column, |cell| cell.started),
        served: table.column(bins, column, |cell| cell.served),
        waited_us: table.column(bins, column, |cell| float(cell.waited_ns) / 1e3),
        worked_us: table.column(bins, column, |cell| float(cell.worked_ns) / 1e3),
        wasted_us: table.column(bins, column, |cell| float(cell.wasted_ns) / 1e3),
        level: table.column(bins, column, &mut level_of),
    }
}

/// Returns whole nanoseconds, at most `u64::MAX` (584 years).
pub(super) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "exact up to 2^53: a hundred days in nanoseconds"
)]
const fn float(count: u64) -> f64 {
    count as f64
}
