//! `[[fault]]`.

use super::{Context, shape::require};
use crate::scenario::{
    Fault, FaultKind, Scenario, document::Value, keys::fault as keys, section::Section,
};

/// Reads all of them; calls are looked at only if they are certain.
pub(super) fn read(
    sections: &[Section<'_>],
    scenario: &Scenario,
    context: &Context<'_>,
    is_structured: bool,
) -> Vec<Fault> {
    if sections.len() > MOST_FAULTS {
        context.whole(&format!("at most {MOST_FAULTS} [[fault]]"));
        return Vec::new();
    }
    let faults = sections.iter().filter_map(|section| {
        let fault = fault(section, scenario, context)?;
        if is_structured {
            places(section, &fault, scenario);
            wave(section, &fault, scenario, context);
        }
        Some(fault)
    });
    faults.collect()
}

fn fault(section: &Section<'_>, scenario: &Scenario, context: &Context<'_>) -> Option<Fault> {
    let service = section.one_of(&keys::SERVICE, &context.services);
    let from = section.one_of(&keys::FROM, &context.services);
    let at = section.seconds(&keys::AT);
    if let (Some(at), Some(duration)) = (at, context.duration)
        && at >= duration
    {
        let allowed = format!("less than duration_s ({})", duration.as_secs_f64());
        section.wrong(&keys::AT, allowed);
    }
    let lasts = section.seconds(&keys::LASTS);
    let instances = instances(section, service, scenario);
    let kind = kind(section);
    Some(Fault {
        at: at?,
        lasts,
        service: service?,
        instances: instances?,
        from,
        kind: kind?,
    })
}

fn kind(section: &Section<'_>) -> Option<FaultKind> {
    Some(match section.switch()? {
        "slow" | "capacity-loss" => FaultKind::Speed(section.number(&keys::SPEED)?),
        "dead" => FaultKind::Dead,
        "pause" => FaultKind::Pause,
        "delay" => FaultKind::Delay(section.millis(&keys::DELAY)?),
        "partition" => FaultKind::Partition,
        "level-lost" => FaultKind::LevelLost(section.number(&keys::SHARE)?),
        "level-forged" => FaultKind::LevelForged(section.number(&keys::SHARE)?),
        "clock-jump" => FaultKind::ClockJump(section.number(&keys::SECONDS)?),
        "hot-key" => FaultKind::HotKey(section.number(&keys::SHARE)?),
        "cold-restart" => {
            require(section, &keys::LASTS);
            let (cold, warm) = (
                section.number(&keys::COLD_SPEED),
                section.seconds(&keys::WARM),
            );
            FaultKind::ColdRestart {
                cold: cold?,
                warm: warm?,
            }
        }
        _ => {
            let (down, every) = (section.seconds(&keys::DOWN), section.seconds(&keys::EVERY));
            FaultKind::DeployWave {
                down: down?,
                every: every?,
            }
        }
    })
}

/// Returns the instances, none for all of them.
fn instances(
    section: &Section<'_>,
    service: Option<usize>,
    scenario: &Scenario,
) -> Option<Vec<u32>> {
    if section.given(&keys::INSTANCES).is_none() {
        return Some(Vec::new());
    }
    let range = keys::INSTANCES.takes.range()?;
    let number = |value: &Value| u32::try_from(value.whole_in(range)?).ok();
    let list = section.read(&keys::INSTANCES, |value| value.list(number))?;
    section.check_set(&keys::INSTANCES, &list)?;
    if let Some(service) = service.and_then(|service| scenario.services.get(service))
        && list.iter().any(|instance| *instance >= service.instances)
    {
        let (name, last) = (&service.name, service.instances - 1);
        section.wrong(
            &keys::INSTANCES,
            format!("instances of {name}: 0 to {last}"),
        );
    }
    Some(list)
}

/// Whether anything is there that the fault could hit.
fn places(section: &Section<'_>, fault: &Fault, scenario: &Scenario) {
    let name = |service: usize| &scenario.services[service].name;
    if let Some(from) = fault.from {
        let mut calls = scenario.edges.iter();
        if !calls.any(|call| call.from == from && call.to == fault.service) {
            section.wrong(
                &keys::FROM,
                format!("a service that calls {}", name(fault.service)),
            );
        }
    }
    let mut businesses = scenario.businesses.iter();
    if matches!(fault.kind, FaultKind::HotKey(_))
        && !businesses.any(|business| business.entry == fault.service)
    {
        section.wrong(&keys::SERVICE, "where tasks enter: the entry of a business");
    }
}

/// A wave whose last restarts would come after the end.
fn wave(section: &Section<'_>, fault: &Fault, scenario: &Scenario, context: &Context<'_>) {
    let (FaultKind::DeployWave { every, .. }, Some(duration)) = (&fault.kind, context.duration)
    else {
        return;
    };
    let hit = match fault.instances.len() {
        0 => scenario.services[fault.service].instances,
        some => u32::try_from(some).unwrap_or(u32::MAX),
    };
    let last = fault.at.saturating_add(every.saturating_mul(hit - 1));
    if last >= duration {
        let (last, end) = (last.as_secs_f64(), duration.as_secs_f64());
        let allowed =
            format!("so little that the last restart, at {last} s, is before duration_s ({end})");
        section.wrong(&keys::EVERY, allowed);
    }
}

/// One every second of a quarter of an hour.
const MOST_FAULTS: usize = 1_000;
