//! Making happen what the scenario says goes wrong.

use std::sync::Arc;

use super::{
    At, Fabric,
    timeline::{Event, What, timeline},
    trouble::{Effect, EffectKind},
};

/// Begins and ends the scenario's faults at their times, in a task of its own.
pub fn break_things(fabric: &Arc<Fabric>) {
    let events = timeline(&fabric.run.scenario);
    if events.is_empty() {
        return;
    }
    let fabric = Arc::clone(fabric);
    let world = fabric.run.world.clone();
    world.spawn(async move {
        for Event { at, what } in events {
            fabric.run.world.sleep_until(at).await;
            match what {
                What::Begin(at, number, effect) => fabric.begin(at, number, effect),
                What::End(at, number) => fabric.end(at, number),
                What::Jump(service, seconds) => fabric.clocks.jump(service, seconds),
            }
        }
    });
}

impl Fabric {
    fn begin(&self, at: At, number: usize, effect: Effect) {
        let slot = self.slot(at);
        let dies = effect.kind == EffectKind::Dead;
        if let Some(trouble) = slot.trouble() {
            trouble.begin(self.run.world.now(), number, effect);
        }
        if dies {
            self.kill(at);
        }
    }

    /// Whoever was dead starts anew, with nothing that it knew before.
    fn end(&self, at: At, number: usize) {
        let Some(trouble) = self.slot(at).trouble() else {
            return;
        };
        let was_dead = trouble.is_dead();
        trouble.end(self.run.world.now(), number);
        if was_dead && !trouble.is_dead() {
            self.start(at);
        }
    }
}
