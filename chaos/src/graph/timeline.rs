//! When what goes wrong where, and when it is over, from what a scenario says.

use std::time::Duration;

use super::{
    At,
    trouble::{Effect, EffectKind},
};
use crate::scenario::{Fault, FaultKind, Scenario};

/// Something that happens to an instance, or to a service's calendar.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    /// When.
    pub(super) at: Duration,
    /// What.
    pub(super) what: What,
}

/// What happens.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    /// An effect is over.
    End(At, usize),
    /// One begins; the number ends it.
    Begin(At, usize, Effect),
    /// The calendar of a service jumps by these seconds.
    Jump(usize, f64),
}

/// Returns all that happens, in order. What ends at a moment ends before what begins then.
pub(super) fn timeline(scenario: &Scenario) -> Vec<Event> {
    let mut events = Vec::new();
    for fault in &scenario.faults {
        add(&mut events, scenario, fault);
    }
    // Stable: what the scenario has first comes first.
    events.sort_by_key(|event| (event.at, !matches!(event.what, What::End(..))));
    events
}

/// Returns whether a fault is about instances, which then need to be watched.
pub(super) const fn concerns_instances(fault: &Fault) -> bool {
    !matches!(fault.kind, FaultKind::ClockJump(_) | FaultKind::HotKey(_))
}

/// Returns whether something cuts the ways of this scenario.
pub(super) fn cuts(scenario: &Scenario) -> bool {
    let mut kinds = scenario.faults.iter().map(|fault| &fault.kind);
    kinds.any(|kind| *kind == FaultKind::Partition)
}

fn add(events: &mut Vec<Event>, scenario: &Scenario, fault: &Fault) {
    let lasts = fault.lasts.unwrap_or(Duration::MAX);
    let always = |kind| vec![(Duration::ZERO, lasts, kind)];
    let everywhere = match &fault.kind {
        FaultKind::Speed(speed) => always(EffectKind::Speed(*speed)),
        FaultKind::Dead => always(EffectKind::Dead),
        FaultKind::Pause => always(EffectKind::Pause),
        FaultKind::Delay(delay) => always(EffectKind::Delay(*delay)),
        FaultKind::Partition => always(EffectKind::Partition),
        FaultKind::LevelLost(share) => always(EffectKind::LevelLost(*share)),
        FaultKind::LevelForged(share) => always(EffectKind::LevelForged(*share)),
        FaultKind::ColdRestart { cold, warm } => vec![
            (Duration::ZERO, lasts, EffectKind::Dead),
            (lasts, *warm, EffectKind::Speed(*cold)),
        ],
        FaultKind::DeployWave { down, every } => {
            return wave(events, scenario, fault, (*down, *every));
        }
        FaultKind::ClockJump(seconds) => {
            let what = What::Jump(fault.service, *seconds);
            return events.push(Event { at: fault.at, what });
        }
        // Whose tasks come is the load's.
        FaultKind::HotKey(_) => return,
    };
    for at in instances(scenario, fault) {
        for (after, lasts, kind) in &everywhere {
            let from = fault.at.saturating_add(*after);
            hold(events, at, (from, *lasts), (fault.from, *kind));
        }
    }
}

/// One instance after the other.
fn wave(events: &mut Vec<Event>, scenario: &Scenario, fault: &Fault, times: (Duration, Duration)) {
    let (down, every) = times;
    let mut from = fault.at;
    for at in instances(scenario, fault) {
        hold(events, at, (from, down), (None, EffectKind::Dead));
        from = from.saturating_add(every);
    }
}

/// An effect from then on for so long.
fn hold(
    events: &mut Vec<Event>,
    at: At,
    (from, lasts): (Duration, Duration),
    (caller, kind): (Option<usize>, EffectKind),
) {
    let number = events.len();
    let effect = Effect { from: caller, kind };
    if from == Duration::MAX {
        return;
    }
    let what = What::Begin(at, number, effect);
    events.push(Event { at: from, what });
    if let Some(until) = from.checked_add(lasts) {
        let what = What::End(at, number);
        events.push(Event { at: until, what });
    }
}

fn instances(scenario: &Scenario, fault: &Fault) -> Vec<At> {
    let service = fault.service;
    let all = || (0..scenario.services[service].instances).collect();
    let named = fault.instances.clone();
    let instances: Vec<u32> = if named.is_empty() { all() } else { named };
    let at = |instance| At { service, instance };
    instances.into_iter().map(at).collect()
}
