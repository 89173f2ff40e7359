//! The clocks of services whose calendars jump.

use std::time::Duration;

use dagor::{Clock, clock::Hand};

use super::Run;
use crate::{scenario::FaultKind, world::World};

/// A clock of its own for each service with such a fault; all others go by the world's.
///
/// In virtual time only: nobody can move the system's calendar for one service.
#[derive(Clone, Debug)]
pub struct Clocks(Vec<(usize, Clock, Hand)>);

impl Clocks {
    pub(super) fn new(run: &Run) -> Self {
        let mut clocks: Vec<(usize, Clock, Hand)> = Vec::new();
        for fault in &run.scenario.faults {
            let jumps = matches!(fault.kind, FaultKind::ClockJump(_));
            let virtual_time = matches!(run.world, World::Virtual(_));
            let known = clocks.iter().any(|(service, ..)| *service == fault.service);
            if jumps && virtual_time && !known {
                let (clock, hand) = Clock::manual();
                hand.advance(run.world.clock().now());
                hand.set_calendar(run.world.clock().calendar());
                clocks.push((fault.service, clock, hand));
            }
        }
        Self(clocks)
    }

    /// Returns the hands of all of them: whoever moves the world's clock moves these along.
    pub fn hands(&self) -> impl Iterator<Item = &Hand> {
        self.0.iter().map(|(.., hand)| hand)
    }

    /// Returns the clock of a service that has its own.
    #[must_use]
    pub fn of(&self, service: usize) -> Option<&Clock> {
        self.find(service).map(|(_, clock, _)| clock)
    }

    /// Makes a service's calendar jump, forward or back.
    pub(super) fn jump(&self, service: usize, seconds: f64) {
        let Some((_, clock, hand)) = self.find(service) else {
            return;
        };
        let by = Duration::try_from_secs_f64(seconds.abs()).unwrap_or_default();
        let calendar = clock.calendar();
        hand.set_calendar(if seconds < 0.0 {
            calendar.saturating_sub(by)
        } else {
            calendar.saturating_add(by)
        });
    }

    fn find(&self, service: usize) -> Option<&(usize, Clock, Hand)> {
        self.0.iter().find(|(own, ..)| *own == service)
    }
}
