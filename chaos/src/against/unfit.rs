//! What a scenario asks that nobody can do to, or see of, a service from its door.

use std::time::Duration;

use crate::scenario::{Criterion, CriterionKind, Fault, FaultKind, Scenario};

/// Returns everything in a scenario that does not fit a service of the user's own, one line each.
pub(super) fn unfit(scenario: &Scenario) -> Vec<String> {
    let faults = scenario
        .faults
        .iter()
        .filter_map(|fault| of_fault(scenario, fault));
    let businesses = scenario.businesses.iter();
    let forged = businesses.filter(|business| business.forged > 0.0).map(|business| {
        format!(
            "business {:?}: forged fields are dagor's own, a service of your own has to send them by itself",
            business.name
        )
    });
    let criteria = scenario.criteria.iter().filter_map(of_criterion);
    faults.chain(forged).chain(criteria).collect()
}

fn of_fault(scenario: &Scenario, fault: &Fault) -> Option<String> {
    let service = &scenario.services[fault.service];
    let what = word(&fault.kind);
    let begin = format!("fault {what:?} at {} s", seconds(fault.at));
    let at_door = scenario
        .businesses
        .iter()
        .any(|business| business.entry == fault.service);
    let everybody = (0..service.instances).all(|one| fault.instances.contains(&one));

    let is_outside = matches!(
        fault.kind,
        FaultKind::Delay(_) | FaultKind::Partition | FaultKind::Pause
    );
    if !is_outside {
        Some(format!(
            "{begin}: cannot be done to a service of your own from outside, only \"delay\", \"partition\" and \
             \"pause\" can"
        ))
    } else if !at_door {
        Some(format!(
            "{begin}: {:?} is behind the door, and a service of your own stands for all services of the graph",
            service.name
        ))
    } else if fault.from.is_some() {
        Some(format!(
            "{begin}: is between two services, and there are no others here"
        ))
    } else if !fault.instances.is_empty() && !everybody {
        Some(format!(
            "{begin}: names instances, and there is only one service here"
        ))
    } else {
        None
    }
}

fn of_criterion(criterion: &Criterion) -> Option<String> {
    let (measure, why) = match criterion.kind {
        CriterionKind::Goodput(_)
        | CriterionKind::P99 { .. }
        | CriterionKind::Share { .. }
        | CriterionKind::Recovery { .. }
        | CriterionKind::ShedsFrom { .. } => return None,
        CriterionKind::Wasted(_) => ("wasted", "work"),
        CriterionKind::RefusedAtCaller(_) => ("refused-at-caller", "calls to others"),
        CriterionKind::MeanWait { .. } => ("mean-wait", "waiting"),
        CriterionKind::Fairness(_) => ("fairness", "calls to others"),
        CriterionKind::Amplification(_) => ("amplification", "calls to others"),
    };
    Some(format!(
        "criterion {:?}: {measure:?} is not to be seen from outside: {why} inside a service of your own \
         is its own affair",
        criterion.name
    ))
}

/// Returns the word that scenario files have.
const fn word(kind: &FaultKind) -> &'static str {
    match kind {
        FaultKind::Speed(_) => "slow",
        FaultKind::Dead => "dead",
        FaultKind::Pause => "pause",
        FaultKind::Delay(_) => "delay",
        FaultKind::Partition => "partition",
        FaultKind::LevelLost(_) => "level-lost",
        FaultKind::LevelForged(_) => "level-forged",
        FaultKind::ClockJump(_) => "clock-jump",
        FaultKind::HotKey(_) => "hot-key",
        FaultKind::ColdRestart { .. } => "cold-restart",
        FaultKind::DeployWave { .. } => "deploy-wave",
    }
}

fn seconds(at: Duration) -> f64 {
    at.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Folder;

    /// A shop with a store behind it, and these lines more.
    fn shop(more: &str) -> Scenario {
        let text = format!(
            r#"
            purpose = "A shop"
            [[service]]
            name = "shop"
            instances = 2
            service_ms = 0
            workers = "unlimited"
            [[service]]
            name = "store"
            service_ms = 10
            [[call]]
            from = "shop"
            to = "store"
            [[business]]
            name = "buy"
            entry = "shop"
            [[load]]
            times_capacity = 2
            {more}
            "#
        );
        Scenario::parse("shop.toml", &text, Folder::BuiltIn).unwrap()
    }

    fn fault(kind: &str, service: &str, more: &str) -> String {
        let words = format!("kind = \"{kind}\"\nat_s = 5\nlasts_s = 2\nservice = \"{service}\"");
        format!("[[fault]]\n{words}\n{more}\n")
    }

    fn criterion(measure: &str, more: &str) -> String {
        format!("[[criterion]]\nname = \"{measure}\"\nmeasure = \"{measure}\"\n{more}\n")
    }

    #[test]
    fn what_happens_at_the_door_fits() {
        let more = [
            fault("delay", "shop", "delay_ms = 20"),
            fault("partition", "shop", ""),
            fault("pause", "shop", "instances = [0, 1]"),
            criterion("goodput", "at_least = 0.9"),
            criterion("share", "business = \"buy\"\nat_least = 0.4"),
            criterion("p99", "at_most = 300"),
            criterion("recovery", "at_most = 2"),
        ];
        assert_eq!(unfit(&shop(&more.concat())), [""; 0]);
    }

    #[test]
    fn all_else_is_named_at_once() {
        let more = [
            fault("dead", "shop", ""),
            fault("level-lost", "shop", "share = 0.5"),
            fault("delay", "store", "delay_ms = 20"),
            fault("pause", "shop", "instances = [1]"),
            criterion("mean-wait", "service = \"store\"\nat_most = 40"),
            criterion("wasted", "at_most = 0.1"),
            criterion("amplification", "at_most = 1.1"),
        ];
        let unfit = unfit(&shop(&more.concat()));
        let begins = [
            "fault \"dead\" at 5 s: cannot be done to a service of your own",
            "fault \"level-lost\" at 5 s: cannot be done to a service of your own",
            "fault \"delay\" at 5 s: \"store\" is behind the door",
            "fault \"pause\" at 5 s: names instances",
            "criterion \"mean-wait\": \"mean-wait\" is not to be seen from outside: waiting",
            "criterion \"wasted\": \"wasted\" is not to be seen from outside: work",
            "criterion \"amplification\": \"amplification\" is not to be seen from outside: calls to others",
        ];
        assert_eq!(unfit.len(), begins.len(), "{unfit:#?}");
        for (line, begin) in unfit.iter().zip(begins) {
            assert!(line.starts_with(begin), "{line}");
        }
    }

    #[test]
    fn who_is_called_by_another_service_only_is_not_at_the_door() {
        let more = fault("delay", "store", "from = \"shop\"\ndelay_ms = 20");
        assert_eq!(unfit(&shop(&more)).len(), 1);
        let mut forged = shop("");
        forged.businesses[0].forged = 0.1;
        assert!(unfit(&forged)[0].starts_with("business \"buy\": forged fields"));
    }
}
