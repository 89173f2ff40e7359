//! The law as a whole: what it promises for any history, and what it does in the cases that hurt.

use std::time::Duration;

use proptest::{prelude::*, test_runner::RngSeed};

use super::*;
use crate::priority::{Business, Priority, Progress, User};

mod invariants;
mod lopsided;
mod paper;
mod plant;
mod quiet;
mod stall;
mod steps;

const BUSINESSES: u16 = 8;
const CELLS: usize = 8 * 128;
const TOP: u32 = 8 * 128 * 256;

/// A random history: the same seed, the same history.
#[derive(Clone, Debug)]
struct Random(u64);

/// One window's counts, owned.
#[derive(Clone, Debug)]
struct Counts {
    arrived: Vec<u32>,
    withheld: Vec<u32>,
    served: u64,
    starts: u64,
    waited: Duration,
}

impl Random {
    /// splitmix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u32) -> u32 {
        u32::try_from(self.next() % u64::from(bound)).unwrap()
    }

    /// Returns a window of one of several shapes of demand, overloaded in half of the cases.
    fn counts(&mut self) -> Counts {
        let mut arrived = vec![0; CELLS];
        let businesses = 1 + self.below(8);
        let shape = self.below(4);
        for _ in 0..20 + self.below(500) {
            let cell = match shape {
                0 => 5 * 128 + 64,
                1 if self.below(20) > 0 => 3 * 128 + self.below(128),
                _ => self.below(businesses * 128),
            };
            arrived[usize::try_from(cell).unwrap()] += 1;
        }
        let withheld = (0..businesses).map(|_| self.below(300)).collect();
        let starts = 1 + self.below(400);
        let mean_us = if self.below(2) == 0 {
            self.below(80_000)
        } else {
            self.below(2)
        };
        Counts {
            arrived,
            withheld,
            served: u64::from(self.below(400)),
            starts: u64::from(starts),
            waited: starts * Duration::from_micros(u64::from(mean_us)),
        }
    }
}

impl Counts {
    /// `total` requests spread evenly over a business's cells, waiting `mean_ms` each.
    fn even(business: usize, each: u32, served: u64, mean_ms: u64) -> Self {
        let mut arrived = vec![0; CELLS];
        arrived[business * 128..(business + 1) * 128].fill(each);
        Self::of(arrived, served, mean_ms)
    }

    fn of(arrived: Vec<u32>, served: u64, mean_ms: u64) -> Self {
        let starts = served.max(1);
        Self {
            arrived,
            withheld: Vec::new(),
            served,
            starts,
            waited: Duration::from_millis(starts * mean_ms),
        }
    }

    fn seen(&self) -> Seen<'_> {
        Seen {
            arrived: &self.arrived,
            withheld: &self.withheld,
            served: self.served,
            starts: self.starts,
            waited: self.waited,
            running: 1,
            ..Seen::default()
        }
    }

    fn times(mut self, factor: u32) -> Self {
        for count in self.arrived.iter_mut().chain(&mut self.withheld) {
            *count *= factor;
        }
        self.served *= u64::from(factor);
        self.starts *= u64::from(factor);
        self.waited *= factor;
        self
    }
}

fn controller(constants: Constants) -> Controller {
    Controller::new(constants, BUSINESSES, Duration::ZERO)
}

fn step(controller: &mut Controller, seen: &Seen<'_>) -> Verdict {
    controller.step(Duration::ZERO, seen).verdict
}
