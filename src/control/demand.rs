//! Who wants the service, per level: arrived here, withheld elsewhere, remembered from before.
//!
//! A *cell* is one user level of one business. A *cursor* is a position in the order of priorities in
//! sub-levels, 256 to a cell: the level as this module moves it. Inside a cell demand counts as spread
//! evenly over its sub-levels.

use super::Seen;
use crate::priority::{Level, User};

/// Cells of one business.
const CELLS: usize = User::LEVELS as usize;

/// Sub-levels of one cell.
const SUB_LEVELS: u32 = User::SUB_LEVELS as u32;

/// The lowest cursor.
pub(super) const FLOOR: u32 = Level::FLOOR.get();

/// A billionth of a request: less than this is rounding, and must not carry the cursor over an empty
/// stretch into the next cell that has demand.
const NEGLIGIBLE: f64 = 1e-9;

/// Demand per cell, remembered over windows. All of it decays alike, so that what was admitted, wanted
/// and served can be compared without knowing a rate.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    /// Requests per cell, the most important first.
    cells: Box<[f64]>,
    /// Requests in all cells.
    total: f64,
    /// Requests served.
    served: f64,
}

impl Demand {
    /// Returns no demand in `businesses` (1 to 256).
    pub(super) fn new(businesses: u16) -> Self {
        Self {
            cells: vec![0.0; CELLS * usize::from(businesses)].into(),
            total: 0.0,
            served: 0.0,
        }
    }

    /// Adds a window to `memory` times the past; withheld requests were above `cursor` in their business.
    pub(super) fn remember(&mut self, memory: f64, seen: &Seen<'_>, wanted: u64, cursor: u32) {
        let boundary = cell_of(cursor);
        let mut arrived = seen.arrived.chunks_exact(CELLS);
        let mut withheld = seen.withheld.iter();
        for (business, cells) in self.cells.chunks_exact_mut(CELLS).enumerate() {
            let arrived = arrived.next().unwrap_or(&[0; CELLS]);
            let withheld = withheld.next().copied().unwrap_or(0);
            let from = boundary.saturating_sub(business * CELLS).min(CELLS - 1);
            let share = f64::from(withheld) / f64::from(cells_from(from));
            let (below, above) = cells.split_at_mut(from);
            add(below, memory, &arrived[..from], 0.0);
            add(above, memory, &arrived[from..], share);
        }
        self.total = memory * self.total + super::float(wanted);
        self.served = memory * self.served + super::float(seen.served);
    }

    /// Returns the lowest cursor from `from` down that takes `by` requests away: at least one sub-level.
    pub(super) fn lowered(&self, from: u32, by: f64) -> u32 {
        let Some(mut cursor) = from.checked_sub(1).filter(|&below| below >= FLOOR) else {
            return from;
        };
        let mut left = by - self.between(cursor, from);
        while left > NEGLIGIBLE && cursor > FLOOR {
            let start = (cursor - 1) / SUB_LEVELS * SUB_LEVELS;
            let mass = self.between(start, cursor);
            if mass > left {
                let part = cursor - start;
                let steps = whole((f64::from(part) * left / mass).round(), part);
                return (cursor - steps).max(FLOOR);
            }
            left -= mass;
            cursor = start;
        }
        cursor.max(FLOOR)
    }

    /// Returns the highest cursor from `from` up that adds no more than `by` requests: at least one
    /// sub-level. Stretches without demand are free.
    pub(super) fn raised(&self, from: u32, by: f64) -> u32 {
        if from >= self.top() {
            return from;
        }
        let mut cursor = from + 1;
        let mut left = by - self.between(from, cursor);
        while cursor < self.top() {
            let end = (cursor / SUB_LEVELS + 1) * SUB_LEVELS;
            let mass = self.between(cursor, end);
            if mass > left {
                let part = end - cursor;
                return cursor + whole((f64::from(part) * left / mass).floor(), part);
            }
            left -= mass;
            cursor = end;
        }
        cursor
    }

    /// Returns the lowest cursor with at least `wanted` requests below it.
    pub(super) fn reaching(&self, wanted: f64) -> u32 {
        let mut left = wanted;
        let mut cursor = 0;
        for &mass in &self.cells {
            if left <= NEGLIGIBLE {
                break;
            }
            if mass >= left {
                cursor += whole((f64::from(SUB_LEVELS) * left / mass).ceil(), SUB_LEVELS);
                break;
            }
            left -= mass;
            cursor += SUB_LEVELS;
        }
        cursor.max(FLOOR)
    }

    /// Returns the requests below `cursor`.
    pub(super) fn below(&self, cursor: u32) -> f64 {
        let start = cursor - cursor % SUB_LEVELS;
        let whole_cells = self.cells[..cell_of(cursor)].iter().sum::<f64>();
        if start == cursor {
            whole_cells
        } else {
            whole_cells + self.between(start, cursor)
        }
    }

    /// Walks down from `from` in whole cells, as the paper does: while more than `target` of `admitted` is
    /// left, not below the first cell.
    pub(super) fn cells_down(&self, from: u32, mut admitted: f64, target: f64) -> u32 {
        let mut cursor = from.div_ceil(SUB_LEVELS) * SUB_LEVELS;
        while admitted > target && cursor > FLOOR {
            cursor -= SUB_LEVELS;
            admitted -= self.cells[cell_of(cursor)];
        }
        cursor.min(from)
    }

    /// Walks up from `from` in whole cells, as the paper does: while less than `target` is admitted.
    pub(super) fn cells_up(&self, from: u32, mut admitted: f64, target: f64) -> u32 {
        let mut cursor = from - from % SUB_LEVELS;
        while admitted < target && cursor < self.top() {
            admitted += self.cells[cell_of(cursor)];
            cursor += SUB_LEVELS;
        }
        cursor.max(from)
    }

    /// Returns how many requests arrived, in the cells there are.
    pub(super) fn arrived(&self, seen: &Seen<'_>) -> u64 {
        sum(self.known(seen.arrived, CELLS))
    }

    /// Returns how many requests were withheld, in the businesses there are.
    pub(super) fn withheld(&self, seen: &Seen<'_>) -> u64 {
        sum(self.known(seen.withheld, 1))
    }

    pub(super) const fn total(&self) -> f64 {
        self.total
    }

    pub(super) const fn served(&self) -> f64 {
        self.served
    }

    /// Returns the cursor above all demand: open.
    pub(super) fn top(&self) -> u32 {
        // At most 256 businesses of 128 cells.
        u32::try_from(self.cells.len()).map_or(Level::OPEN.get(), |cells| cells * SUB_LEVELS)
    }

    /// Returns the counts, `each` to a business, of the businesses there are.
    fn known<'a>(&self, counts: &'a [u32], each: usize) -> &'a [u32] {
        let businesses = (self.cells.len() / CELLS).min(counts.len() / each);
        &counts[..businesses * each]
    }

    /// Returns the requests between two cursors of one cell.
    fn between(&self, low: u32, high: u32) -> f64 {
        self.cells[cell_of(low)] * f64::from(high - low) / f64::from(SUB_LEVELS)
    }
}

/// Adds what arrived and a `share` of what was withheld to `memory` times each cell.
fn add(cells: &mut [f64], memory: f64, arrived: &[u32], share: f64) {
    for (cell, &arrived) in cells.iter_mut().zip(arrived) {
        *cell = memory * *cell + (f64::from(arrived) + share);
    }
}

fn sum(counts: &[u32]) -> u64 {
    counts.iter().copied().map(u64::from).sum()
}

/// Returns the cell that holds a cursor.
const fn cell_of(cursor: u32) -> usize {
    // Lossless: usize has at least 32 bits wherever tokio runs.
    (cursor / SUB_LEVELS) as usize
}

/// Returns how many cells of a business there are from this one on.
fn cells_from(cell: usize) -> u32 {
    u32::try_from(CELLS - cell).unwrap_or(1)
}

/// Returns a rounded number of sub-levels as an integer, 0 to `most`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "below zero counts as zero, and the rest is a part of a cell: at most 256"
)]
fn whole(sub_levels: f64, most: u32) -> u32 {
    (sub_levels as u32).min(most)
}
