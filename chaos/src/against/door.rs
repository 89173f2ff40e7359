//! The way to the service and back: the network, and what goes wrong with it.

use std::{future::pending, time::Duration};

use crate::{
    scenario::{Fault, FaultKind, Scenario},
    world::World,
};

/// What is between clients and the service.
#[derive(Debug)]
pub(super) struct Door {
    network: Duration,
    faults: Vec<Fault>,
}

impl Door {
    pub(super) fn new(scenario: &Scenario) -> Self {
        Self {
            network: scenario.network,
            faults: scenario.faults.clone(),
        }
    }

    /// A request travels to the service that begins at `entry`.
    pub(super) async fn enter(&self, world: &World, entry: usize) {
        self.travel(world, entry).await;
        self.while_paused(world, entry).await;
    }

    /// A response travels back.
    pub(super) async fn leave(&self, world: &World, entry: usize) {
        self.while_paused(world, entry).await;
        self.travel(world, entry).await;
    }

    /// Takes the time of the network. What sets out during a partition never gets there.
    async fn travel(&self, world: &World, entry: usize) {
        let mut takes = self.network;
        for fault in self.at(world.now(), entry) {
            match fault.kind {
                FaultKind::Partition => pending().await,
                FaultKind::Delay(more) => takes = takes.saturating_add(more),
                _ => {}
            }
        }
        if !takes.is_zero() {
            world.sleep(takes).await;
        }
    }

    /// Waits for the end of a pause.
    async fn while_paused(&self, world: &World, entry: usize) {
        let mut now = world.now();
        loop {
            let mut pauses = self.at(now, entry);
            let Some(pause) = pauses.find(|fault| fault.kind == FaultKind::Pause) else {
                return;
            };
            let Some(lasts) = pause.lasts else {
                return pending().await;
            };
            let end = pause.at.saturating_add(lasts);
            world.sleep_until(end).await;
            // A timer may be early by less than a clock can tell.
            now = world.now().max(end);
        }
    }

    fn at(&self, now: Duration, entry: usize) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(move |fault| {
            let ends = fault.lasts.map(|lasts| fault.at.saturating_add(lasts));
            fault.service == entry && fault.at <= now && ends.is_none_or(|end| now < end)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Real;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn door(kind: FaultKind, at: u64, lasts: Option<u64>) -> Door {
        let fault = Fault {
            at: ms(at),
            lasts: lasts.map(ms),
            service: 0,
            instances: Vec::new(),
            from: None,
            kind,
        };
        Door {
            network: ms(1),
            faults: vec![fault],
        }
    }

    /// Returns after how many milliseconds of a run something has passed that set out at `start`; `None` if it is not
    /// there after ten seconds.
    fn passes(start: u64, way: &impl AsyncFn(&World)) -> Option<u64> {
        super::super::paused().unwrap().block_on(async {
            let world = World::Real(Real::start());
            world.sleep_until(ms(start)).await;
            let passed = tokio::time::timeout(ms(10_000), way(&world)).await;
            passed
                .is_ok()
                .then(|| u64::try_from(world.now().as_millis()).unwrap())
        })
    }

    /// Returns when a request is there that sets out at `start`, and when a response is back that does.
    fn both(door: &Door, start: u64) -> (Option<u64>, Option<u64>) {
        let there = passes(start, &async |world| door.enter(world, 0).await);
        let back = passes(start, &async |world| door.leave(world, 0).await);
        (there, back)
    }

    #[test]
    fn packets_take_longer_while_they_are_delayed() {
        let door = door(FaultKind::Delay(ms(30)), 100, Some(100));
        for (start, there) in [(50, 51), (100, 131), (199, 230), (200, 201)] {
            assert_eq!(both(&door, start), (Some(there), Some(there)));
        }
    }

    #[test]
    fn what_sets_out_in_a_partition_is_lost() {
        let door = door(FaultKind::Partition, 100, Some(100));
        for (start, there) in [(99, Some(100)), (100, None), (199, None), (200, Some(201))] {
            assert_eq!(both(&door, start), (there, there));
        }
    }

    #[test]
    fn a_pause_holds_requests_and_responses() {
        let paused = door(FaultKind::Pause, 100, Some(100));
        // The request arrives in it and is taken up at its end; the response leaves at its end.
        assert_eq!(both(&paused, 150), (Some(200), Some(201)));
        let forever = door(FaultKind::Pause, 100, None);
        assert_eq!(both(&forever, 150), (None, None));
    }
}
