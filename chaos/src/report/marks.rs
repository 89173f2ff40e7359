//! What goes wrong when, in words, for the charts.

use serde::Serialize;

use crate::scenario::{Fault, FaultKind, Scenario};

/// A fault.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mark {
    /// Its beginning, in seconds since the start of the run.
    pub from_s: f64,
    /// Its end; null if it lasts to the end of the run.
    pub until_s: Option<f64>,
    /// What and where.
    pub what: String,
}

impl Mark {
    /// Returns the faults of a scenario, in order of time.
    pub(super) fn all(scenario: &Scenario) -> Vec<Self> {
        let mut marks: Vec<Self> = scenario
            .faults
            .iter()
            .map(|fault| Self::new(scenario, fault))
            .collect();
        marks.sort_by(|one, two| one.from_s.total_cmp(&two.from_s));
        marks
    }

    fn new(scenario: &Scenario, fault: &Fault) -> Self {
        let service = &scenario.services[fault.service];
        let words = words(&fault.kind);
        let mut what = match fault.kind {
            // Tasks are of a user wherever they come.
            FaultKind::HotKey(_) => words,
            _ => format!("{}{}: {words}", service.name, places(&fault.instances)),
        };
        if let Some(from) = fault.from {
            what += &format!(", for calls from {}", scenario.services[from].name);
        }
        let end = fault.lasts.map(|lasts| fault.at.saturating_add(lasts));
        let until = match fault.kind {
            // A jump is over at once.
            FaultKind::ClockJump(_) => Some(fault.at),
            FaultKind::ColdRestart { warm, .. } => end.map(|end| end.saturating_add(warm)),
            FaultKind::DeployWave { down, every } => {
                let hit = u32::try_from(fault.instances.len()).unwrap_or(u32::MAX);
                let hit = if hit == 0 { service.instances } else { hit };
                let last = every.saturating_mul(hit.saturating_sub(1));
                Some(fault.at.saturating_add(last).saturating_add(down))
            }
            _ => end,
        };
        let until = until.filter(|&until| until < scenario.duration);
        Self {
            from_s: fault.at.as_secs_f64(),
            until_s: until.map(|it| it.as_secs_f64()),
            what,
        }
    }
}

/// Returns which instances, if not all: ` 0, 1, 2 and 5 more`.
fn places(instances: &[u32]) -> String {
    const MOST: usize = 3;
    if instances.is_empty() {
        return String::new();
    }
    let first: Vec<String> = instances.iter().take(MOST).map(u32::to_string).collect();
    let more = instances.len().saturating_sub(MOST);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!(" {}{rest}", first.join(", "))
}

fn words(kind: &FaultKind) -> String {
    match kind {
        FaultKind::Speed(speed) => format!("speed {speed}"),
        FaultKind::Dead => "dead".into(),
        FaultKind::Pause => "paused".into(),
        FaultKind::Delay(delay) => format!("{} ms of delay", delay.as_secs_f64() * 1e3),
        FaultKind::Partition => "cut off".into(),
        FaultKind::LevelLost(share) => format!("level lost in {share} of the responses"),
        FaultKind::LevelForged(share) => format!("level forged to {share}"),
        FaultKind::ClockJump(seconds) => format!("calendar jumps by {seconds} s"),
        FaultKind::HotKey(share) => format!("{share} of the tasks from one user"),
        FaultKind::ColdRestart { cold, .. } => format!("restarted, cold at speed {cold}"),
        FaultKind::DeployWave { .. } => "restarted one by one".into(),
    }
}
