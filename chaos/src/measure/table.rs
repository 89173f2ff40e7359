//! Cells by bin of time and column.

use std::time::Duration;

use super::BIN;

/// A row for each bin, which are added as time reaches them.
///
/// By row, because what is counted at one moment is then next to each other, however many services there are.
#[derive(Debug)]
pub(super) struct Table<C> {
    columns: usize,
    rows: Vec<Box<[C]>>,
}

impl<C: Clone + Default> Table<C> {
    pub(super) const fn new(columns: usize) -> Self {
        let rows = Vec::new();
        Self { columns, rows }
    }

    pub(super) const fn columns(&self) -> usize {
        self.columns
    }

    /// Returns how many bins have a row.
    pub(super) const fn bins(&self) -> usize {
        self.rows.len()
    }

    /// Returns a cell to count in.
    ///
    /// # Panics
    ///
    /// If there is no such column.
    pub(super) fn at(&mut self, bin: usize, column: usize) -> &mut C {
        while self.rows.len() <= bin {
            self.rows
                .push(vec![C::default(); self.columns].into_boxed_slice());
        }
        &mut self.rows[bin][column]
    }

    /// Returns something of all cells of a column, for this many bins.
    pub(super) fn column<T>(&self, bins: usize, column: usize, of: impl FnMut(&C) -> T) -> Vec<T> {
        let (seen, empty) = (self.rows.iter().map(|row| &row[column]), C::default());
        let cells = seen.chain(std::iter::repeat(&empty)).take(bins);
        cells.map(of).collect()
    }
}

/// Returns the bin of a moment.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a run of 2^32 bins is of 13 years"
)]
pub(super) const fn bin(at: Duration) -> usize {
    const A_SECOND: u64 = 1_000_000_000 / NANOS as u64;
    const NANOS: u32 = BIN.subsec_nanos();
    const {
        assert!(
            1_000_000_000 % NANOS == 0,
            "bins that seconds are whole numbers of"
        )
    };
    (at.as_secs() * A_SECOND) as usize + (at.subsec_nanos() / NANOS) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_a_tenth_of_a_second() {
        let cases = [
            (0, 0),
            (99_999_999, 0),
            (100_000_000, 1),
            (999_999_999, 9),
            (1_000_000_000, 10),
            (60_000_000_000, 600),
        ];
        for (nanos, expected) in cases {
            assert_eq!(bin(Duration::from_nanos(nanos)), expected, "{nanos}");
        }
    }
}
