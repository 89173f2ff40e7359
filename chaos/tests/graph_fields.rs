//! Fields with which policies speak, lost or forged on their way.

mod graph_support;

use std::time::Duration;

use chaos::{
    policy::Name,
    scenario::{FaultKind, Scenario},
};

use self::graph_support::{
    SEED, fault, good, lasts, pair,
    spy::{Seen, run_spied},
    sum, wrong,
};

#[test]
fn lost_levels_let_everything_come() {
    let mut withheld = Vec::new();
    for share in [0.0, 1.0] {
        let mut scenario = overload(FaultKind::LevelLost(share));
        scenario.loads[0].rate = 100.0;
        let outcome = chaos::sim::run(&scenario, Name::Dagor, SEED).unwrap();
        withheld.push(sum(&outcome.services[1].withheld[20..]));
    }
    assert!(withheld[0] > 500, "{withheld:?}, seed {SEED}");
    assert_eq!(withheld[1], 0, "nobody heard of a level");
}

#[test]
fn forged_levels_close_what_is_open() {
    let mut scenario = overload(FaultKind::LevelForged(0.0));
    scenario.loads[0].rate = 10.0;
    let outcome = chaos::sim::run(&scenario, Name::Dagor, SEED).unwrap();
    assert!(
        good(&outcome, 15..50) < 0.5,
        "withheld but for probes, seed {SEED}"
    );
    assert!(sum(&outcome.services[1].withheld[..50]) > 20);
    assert!(
        good(&outcome, 75..95) > 0.99,
        "back after it ends, seed {SEED}"
    );
}

#[test]
fn what_peers_tell_is_lost_or_forged_on_its_way() {
    for (kind, heard) in [
        (
            FaultKind::LevelLost(1.0),
            vec![Some("40"), None, Some("40")],
        ),
        (
            FaultKind::LevelForged(0.5),
            vec![Some("40"), Some("20"), Some("40")],
        ),
    ] {
        let seen = Seen::default();
        run_spied(&wrong(kind), &[0, 150, 400], &seen);
        assert_eq!(seen.told(), heard);
    }
}

/// M with room for 25 a second, and something wrong from 1 to 6 of 10 seconds.
fn overload(kind: FaultKind) -> Scenario {
    let mut scenario = pair();
    lasts(&mut scenario, 10);
    scenario.faults = vec![fault(
        1,
        Duration::from_secs(1),
        Duration::from_secs(5),
        kind,
    )];
    scenario.services[0].instances = 2;
    if let FaultKind::LevelLost(_) = scenario.faults[0].kind {
        scenario.faults[0].at = Duration::ZERO;
        scenario.faults[0].lasts = None;
    }
    scenario
}
