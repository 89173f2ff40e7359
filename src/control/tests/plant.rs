//! A service with callers that obey its level, to close the loop around a controller.

use super::*;

/// A service and its obedient callers: demand per cell and window, of which `capacity` can be served.
pub(super) struct Plant {
    pub(super) demand: Vec<u32>,
    pub(super) capacity: u32,
    pub(super) controller: Controller,
}

/// What a plant did in one window.
pub(super) struct Did {
    pub(super) verdict: Verdict,
    pub(super) admitted: u32,
}

impl Plant {
    pub(super) fn new(demand: Vec<u32>, capacity: u32) -> Self {
        Self {
            demand,
            capacity,
            controller: controller(Constants::dagor()),
        }
    }

    /// Plays one window: what is below the level arrives, the rest is withheld and reported. The mean
    /// wait is 20 ms at capacity, none at half of it, and 40 ms, where the gate's queue is full, at most.
    pub(super) fn window(&mut self) -> Did {
        let level = self.controller.cursor;
        let mut arrived = self.demand.clone();
        let mut withheld = [0; 8];
        for ((cell, arrived), start) in arrived.iter_mut().enumerate().zip((0..).step_by(256)) {
            let passes = level.saturating_sub(start).min(256);
            let sent = *arrived * passes / 256;
            withheld[cell / 128] += *arrived - sent;
            *arrived = sent;
        }
        self.close(&arrived, &withheld)
    }

    pub(super) fn close(&mut self, arrived: &[u32], withheld: &[u32]) -> Did {
        let admitted = arrived.iter().sum::<u32>();
        let served = admitted.min(self.capacity);
        let load = f64::from(admitted) / f64::from(self.capacity);
        let mean = 0.040 * (load - 0.5).clamp(0.0, 1.0);
        let seen = Seen {
            arrived,
            withheld,
            served: u64::from(served),
            starts: u64::from(served),
            waited: Duration::from_secs_f64(mean * f64::from(served)),
            running: usize::from(served > 0),
            ..Seen::default()
        };
        let verdict = step(&mut self.controller, &seen);
        Did { verdict, admitted }
    }

    /// Lets the plant settle, then returns the fewest and the most admitted in 100 windows.
    pub(super) fn settled(&mut self) -> (u32, u32) {
        for _ in 0..30 {
            self.window();
        }
        let admitted: Vec<u32> = (0..100).map(|_| self.window().admitted).collect();
        (
            *admitted.iter().min().unwrap(),
            *admitted.iter().max().unwrap(),
        )
    }

    /// Returns whether the level opens within so many windows.
    pub(super) fn opens_within(&mut self, windows: u32) -> bool {
        (0..windows).any(|_| {
            self.window();
            self.controller.level() == Level::OPEN
        })
    }
}
