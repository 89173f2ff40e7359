//! Asking how open everybody is.

use std::sync::Arc;

use super::Fabric;
use crate::measure::BIN;

/// Records the level of each instance that has one, once in each bin, in its middle.
///
/// Of a large service, 64 instances evenly spread over it speak for the others.
pub fn sample_levels(fabric: &Arc<Fabric>) {
    let fabric = Arc::clone(fabric);
    let world = fabric.run.world.clone();
    world.spawn(async move {
        let run = &fabric.run;
        let mut at = run.world.now() + BIN / 2;
        while at < run.scenario.duration {
            run.world.sleep_until(at).await;
            fabric.sample();
            at += BIN;
        }
    });
}

/// Instances of a service that are asked.
const MOST: usize = 64;

impl Fabric {
    fn sample(&self) {
        let now = self.run.world.now();
        for (service, spec) in self.run.scenario.services.iter().enumerate() {
            if !spec.protected {
                continue;
            }
            let slots = self.slots(service);
            let step = slots.len().div_ceil(MOST).max(1);
            for level in slots.iter().step_by(step).filter_map(|slot| slot.level()) {
                self.run.recorder.level(now, service, level);
            }
        }
    }
}
