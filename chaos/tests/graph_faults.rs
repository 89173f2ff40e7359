//! What each kind of fault does, and that it ends.
mod graph_support;

use std::time::Duration;

use chaos::scenario::{Balance, Calls, Fault, FaultKind, ServiceTime};

use self::graph_support::{
    edge, fault, lasts, ms, pair, run, run_at, service,
    spy::{Seen, run_spied},
    sum, took, total, wrong,
};

#[test]
fn slow_instances_work_slowly_until_it_ends() {
    let scenario = wrong(FaultKind::Speed(0.25));
    let outcome = run_at(&scenario, &[0, 100, 300]);
    assert_eq!(took(&outcome), [(0, 40.0), (100, 160.0), (300, 40.0)]);
}

#[test]
fn only_the_instances_named_are_hit() {
    let mut scenario = wrong(FaultKind::Speed(0.5));
    scenario.services[1].instances = 2;
    scenario.edges[0].balance = Balance::RoundRobin;
    scenario.faults[0].instances = vec![1];
    let outcome = run_at(&scenario, &[100, 101]);
    assert_eq!(took(&outcome), [(100, 40.0), (100, 80.0)]);
}

#[test]
fn the_dead_lose_what_was_under_way_and_refuse_connections() {
    let mut scenario = wrong(FaultKind::Dead);
    scenario.network = ms(2);
    let seen = Seen::default();
    // Under way at 100; waiting then; during; after.
    let outcome = run_spied(&scenario, &[80, 90, 200, 310], &seen);
    assert_eq!(took(&outcome), [(300, 44.0)]);
    let tasks = &outcome.businesses[0];
    assert_eq!((sum(&tasks.offered), sum(&tasks.good)), (4, 1));
    let callee = &outcome.services[1];
    assert_eq!(
        (
            sum(&callee.arrived),
            sum(&callee.started),
            sum(&callee.served)
        ),
        (3, 2, 2)
    );
    assert_eq!(
        total(&callee.worked_us),
        ms(18 + 40),
        "from 82 to 100, when it died"
    );
    assert_eq!(
        seen.starts(1),
        [(0, 0), (0, 1)],
        "it came back with nothing that it knew"
    );
}

#[test]
fn callers_of_the_dead_hear_of_it_after_one_way() {
    let mut scenario = wrong(FaultKind::Dead);
    scenario.network = ms(2);
    scenario.edges[0].required = false;
    let outcome = run_at(&scenario, &[80, 200]);
    assert_eq!(
        took(&outcome),
        [(0, 22.0), (200, 4.0)],
        "a refused connection takes both ways"
    );
}

#[test]
fn death_reaches_callees_that_notice_no_hang_up() {
    let mut scenario = wrong(FaultKind::Dead);
    scenario.hang_up = false;
    let outcome = run_at(&scenario, &[80, 90, 310]);
    assert_eq!(took(&outcome), [(300, 40.0)]);
    assert_eq!(
        sum(&outcome.services[1].started),
        2,
        "who waited was lost with it"
    );
}

#[test]
fn a_pause_puts_everything_off_until_it_ends() {
    // The first is under way with 20 ms to go; the second arrives meanwhile; the third after it.
    let outcome = run_at(&wrong(FaultKind::Pause), &[80, 150, 400]);
    assert_eq!(took(&outcome), [(0, 240.0), (100, 210.0), (400, 40.0)]);
    assert_eq!(
        total(&outcome.services[1].worked_us),
        ms(120),
        "no work is done in it"
    );
}

#[test]
fn a_paused_caller_hears_nothing() {
    let mut scenario = wrong(FaultKind::Pause);
    scenario.faults[0].service = 0;
    let outcome = run_at(&scenario, &[80]);
    assert_eq!(took(&outcome), [(0, 220.0)], "its callee was done at 120");
}

#[test]
fn delay_adds_to_both_ways_for_those_concerned() {
    let mut scenario = wrong(FaultKind::Delay(ms(5)));
    scenario.network = ms(1);
    assert_eq!(
        took(&run_at(&scenario, &[0, 100, 300])),
        [(0, 42.0), (100, 52.0), (300, 42.0)]
    );
    scenario.faults[0].from = Some(1);
    assert_eq!(
        took(&run_at(&scenario, &[100])),
        [(100, 42.0)],
        "others' calls"
    );
    scenario.faults[0].from = Some(0);
    assert_eq!(took(&run_at(&scenario, &[100])), [(100, 52.0)]);
}

#[test]
fn clients_feel_what_is_wrong_on_the_way_to_the_entry() {
    let mut scenario = wrong(FaultKind::Delay(ms(5)));
    scenario.faults[0].service = 0;
    assert_eq!(
        took(&run_at(&scenario, &[0, 100])),
        [(0, 40.0), (100, 50.0)]
    );
}

#[test]
fn calls_into_a_partition_hang() {
    let mut scenario = wrong(FaultKind::Partition);
    scenario.edges[0].timeout = Some(ms(150));
    scenario.edges[0].required = false;
    // The answer of the first is lost: it hangs until its timeout at 230, the second until 250.
    let outcome = run_at(&scenario, &[80, 100, 300]);
    assert_eq!(took(&outcome), [(0, 150.0), (100, 150.0), (300, 40.0)]);
    assert_eq!(
        sum(&outcome.services[1].arrived),
        2,
        "the second never got there"
    );
}

#[test]
fn nobody_notices_a_hang_up_through_a_partition() {
    for (kind, started) in [
        (FaultKind::Partition, 2),
        (FaultKind::Delay(Duration::ZERO), 1),
    ] {
        let mut scenario = wrong(kind);
        scenario.edges[0].timeout = Some(ms(30));
        scenario.services[1].service_time = ServiceTime::Constant(ms(100));
        // Both arrive before it; the second waits for the first, and both callers give up at 115.
        let outcome = run_at(&scenario, &[85, 86]);
        assert_eq!(sum(&outcome.services[1].started), started);
    }
}

#[test]
fn a_calendar_jumps_for_its_service_alone() {
    let mut scenario = pair();
    scenario.calendar = Duration::from_secs(7_000);
    scenario
        .faults
        .push(fault(1, ms(100), ms(0), FaultKind::ClockJump(-3_600.0)));
    scenario
        .faults
        .push(fault(1, ms(200), ms(0), FaultKind::ClockJump(10.5)));
    let seen = Seen::default();
    run_spied(&scenario, &[0, 150, 250], &seen);
    assert_eq!(seen.calendars(0), [7_000.0, 7_000.15, 7_000.25]);
    assert_eq!(seen.calendars(1), [7_000.0, 3_400.15, 3_410.75]);
}

#[test]
fn a_cold_restart_comes_back_slow_and_gets_warm() {
    let warm = ms(300);
    let scenario = wrong(FaultKind::ColdRestart { cold: 0.25, warm });
    let seen = Seen::default();
    let outcome = run_spied(&scenario, &[0, 150, 310, 700], &seen);
    assert_eq!(took(&outcome), [(0, 40.0), (300, 160.0), (700, 40.0)]);
    assert_eq!(seen.starts(1), [(0, 0), (0, 1)]);
}

#[test]
fn a_deploy_wave_restarts_one_after_the_other() {
    let mut scenario = pair();
    scenario.services[1].instances = 3;
    scenario.edges[0] = chaos::scenario::Edge {
        calls: Calls::Fixed(3),
        parallel: true,
        balance: Balance::RoundRobin,
        ..edge(0, 1)
    };
    let (down, every) = (ms(50), ms(100));
    let wave = Fault {
        lasts: None,
        ..fault(1, ms(100), down, FaultKind::DeployWave { down, every })
    };
    scenario.faults.push(wave);
    let seen = Seen::default();
    // All three are asked at once; each time one is down a task fails.
    let moments = [0, 110, 155, 210, 255, 310, 355];
    let outcome = run_spied(&scenario, &moments, &seen);
    assert_eq!(outcome.took.len(), 4);
    assert_eq!(
        seen.starts(1),
        [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
    );
}

#[test]
fn faults_that_overlap_end_each_on_its_own() {
    let mut scenario = pair();
    scenario.faults = vec![
        fault(1, ms(100), ms(200), FaultKind::Speed(0.5)),
        fault(1, ms(200), ms(200), FaultKind::Speed(0.5)),
        fault(1, ms(500), ms(200), FaultKind::Dead),
        fault(1, ms(600), ms(200), FaultKind::Dead),
    ];
    let outcome = run_at(&scenario, &[100, 200, 390, 750, 800]);
    assert_eq!(
        took(&outcome),
        [(100, 80.0), (200, 160.0), (300, 80.0), (800, 40.0)]
    );
}

#[test]
fn faults_elsewhere_change_nothing() {
    let mut scenario = pair();
    lasts(&mut scenario, 20);
    scenario.loads[0].rate = 15.0;
    let without = run(&scenario);
    scenario
        .services
        .push(service("other", 1, ServiceTime::Constant(ms(1))));
    let calm = run(&scenario);
    scenario
        .faults
        .push(fault(2, ms(100), ms(5_000), FaultKind::Partition));
    let with = run(&scenario);
    assert_eq!(calm.businesses, without.businesses);
    assert_eq!(with.businesses, without.businesses);
    assert_eq!(with.services[1], without.services[1]);
}
