//! What the charts say besides the policies: faults in words, and which services are drawn.

mod report_support;

use chaos::{
    Engine, Scenario,
    measure::Outcome,
    policy::Name,
    report::{Collect, Mark, ScenarioReport},
    scenario::{Bound, CriterionKind, Fault, FaultKind},
};
use report_support::{criterion, edge, nothing, scenario, seconds, service};

fn report(scenario: &Scenario) -> ScenarioReport {
    let mut collect = Collect::new(scenario, Engine::Sim, false);
    let outcome: Outcome = nothing(scenario, 100);
    collect.add(Name::Dagor, &[(1, outcome)]);
    collect.finish()
}

fn fault(kind: FaultKind, instances: &[u32]) -> Fault {
    Fault {
        at: seconds(2.0),
        lasts: Some(seconds(3.0)),
        service: 1,
        instances: instances.to_vec(),
        from: None,
        kind,
    }
}

fn mark(fault: Fault) -> Mark {
    let mut scenario = scenario();
    scenario.faults = vec![fault];
    report(&scenario).faults.remove(0)
}

#[test]
fn faults_say_what_happens_where() {
    let told = [
        (fault(FaultKind::Speed(0.5), &[]), "M: speed 0.5"),
        (fault(FaultKind::Dead, &[1]), "M 1: dead"),
        (fault(FaultKind::Pause, &[0, 1, 2]), "M 0, 1, 2: paused"),
        (
            fault(FaultKind::Pause, &[0, 1, 2, 3, 4]),
            "M 0, 1, 2 and 2 more: paused",
        ),
        (
            fault(FaultKind::Delay(seconds(0.01)), &[]),
            "M: 10 ms of delay",
        ),
        (
            fault(FaultKind::LevelLost(0.2), &[]),
            "M: level lost in 0.2 of the responses",
        ),
        (
            fault(FaultKind::HotKey(0.1), &[]),
            "0.1 of the tasks from one user",
        ),
        (
            Fault {
                from: Some(0),
                ..fault(FaultKind::Partition, &[])
            },
            "M: cut off, for calls from entry",
        ),
    ];
    for (fault, words) in told {
        assert_eq!(mark(fault).what, words);
    }
}

#[test]
fn faults_end_when_all_is_as_before() {
    let until = |fault: Fault| mark(fault).until_s;
    assert_eq!(until(fault(FaultKind::Dead, &[])), Some(5.0));
    let forever = Fault {
        lasts: None,
        ..fault(FaultKind::Dead, &[])
    };
    assert_eq!(until(forever), None);
    let longer = Fault {
        lasts: Some(seconds(60.0)),
        ..fault(FaultKind::Dead, &[])
    };
    assert_eq!(until(longer), None, "to the end of the run");
    let cold = FaultKind::ColdRestart {
        cold: 0.5,
        warm: seconds(1.5),
    };
    assert_eq!(until(fault(cold, &[])), Some(6.5));
    let wave = FaultKind::DeployWave {
        down: seconds(0.5),
        every: seconds(2.0),
    };
    assert_eq!(
        until(fault(wave.clone(), &[])),
        Some(6.5),
        "three instances"
    );
    assert_eq!(until(fault(wave, &[0, 2])), Some(4.5));
    assert_eq!(until(fault(FaultKind::ClockJump(60.0), &[])), Some(2.0));
}

#[test]
fn of_a_large_graph_the_services_are_drawn_that_matter() {
    let mut scenario = scenario();
    scenario.measured = None;
    for place in 2..20 {
        // The later, the less they can do; none is asked for more than the others.
        scenario
            .services
            .push(service(&format!("s{place}"), Some(100 - place)));
        scenario
            .edges
            .push(edge(1, usize::try_from(place).unwrap()));
    }
    scenario.services[1].workers = None;
    let drawn = |scenario: &Scenario| -> Vec<String> {
        let report = report(scenario);
        let lines = &report.policies[0].series.wait_ms;
        lines.iter().map(|line| line.service.clone()).collect()
    };
    assert_eq!(drawn(&scenario), ["s14", "s15", "s16", "s17", "s18", "s19"]);
    scenario.measured = Some(2);
    scenario.faults = vec![Fault {
        service: 3,
        ..fault(FaultKind::Dead, &[])
    }];
    let wait = CriterionKind::MeanWait {
        service: 4,
        ms: Bound::AtMost(20.0),
    };
    scenario.criteria = vec![criterion(wait, 0.0, 10.0)];
    assert_eq!(drawn(&scenario), ["s2", "s3", "s4", "s17", "s18", "s19"]);
}
