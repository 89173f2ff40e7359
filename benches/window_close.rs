//! What does it cost to close a window?
//!
//! `Controller::step` over 8 x 128 and 256 x 128 cells with demand in every cell, for an overloaded and
//! for a calm window. Included: judging, folding the counts into the histogram, moving the level, and a
//! copy of the controller's scalars. Not included: collecting the counters. The level is held in the middle
//! of its range by alternating both kinds, so an iteration is two steps.

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use dagor::control::{Constants, Controller, Seen};

const STARTS: u32 = 1000;

fn window_close(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("window_close");
    for businesses in [8, 256] {
        let cells = 128 * usize::from(businesses);
        let arrived = vec![2; cells];
        let withheld = vec![100; usize::from(businesses)];
        let window = |mean_ms: u64| Seen {
            arrived: &arrived,
            withheld: &withheld,
            served: u64::from(STARTS),
            starts: u64::from(STARTS),
            waited: STARTS * Duration::from_millis(mean_ms),
            running: 10,
            ..Seen::default()
        };
        let mut controller = Controller::new(Constants::dagor(), businesses, Duration::ZERO);
        group.bench_function(format!("two_steps/{cells}_cells"), |bencher| {
            bencher.iter(|| {
                controller.step(Duration::ZERO, black_box(&window(30)));
                controller.step(Duration::ZERO, black_box(&window(18)))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, window_close);
criterion_main!(benches);
