//! That faults befall the calls they are meant for, as often as they should, and the same ones each time.

use wecom_sim::{
    Profile, Sim,
    fault::Faults,
    profile::{Fault, FaultKind},
    world::Settings,
};

const SEED: u64 = 7;

fn fault(share: f64, what: FaultKind) -> Fault {
    Fault {
        share,
        ..Fault::always(what)
    }
}

/// How many of `calls` are befallen.
fn befallen(faults: &Faults, calls: u32) -> u32 {
    let drawn = (0..calls).filter(|_| !faults.draw("ww1", "get").is_empty());
    drawn.count().try_into().unwrap_or(u32::MAX)
}

#[test]
fn nothing_goes_wrong_without_rules() {
    assert_eq!(befallen(&Faults::new(&[], SEED), 1000), 0);
    assert_eq!(befallen(&Faults::default(), 1000), 0);
}

#[test]
fn shares_are_kept_from_never_to_always() {
    for (share, least, most) in [
        (0.0, 0, 0),
        // 69 is the standard deviation of the second.
        (0.3, 5_700, 6_300),
        (1.0, 20_000, 20_000),
    ] {
        let faults = Faults::new(&[fault(share, FaultKind::Busy)], SEED);
        let count = befallen(&faults, 20_000);
        assert!(
            (least..=most).contains(&count),
            "seed {SEED}, share {share}: {count}"
        );
    }
}

#[test]
fn rules_befall_their_api_and_enterprise_alone() {
    let rule = Fault {
        api: Some(String::from("update_contact_way")),
        corp: Some(String::from("ww1")),
        ..Fault::always(FaultKind::Reset)
    };
    let faults = Faults::new(&[rule], SEED);
    assert_eq!(faults.draw("ww1", "update_contact_way"), [FaultKind::Reset]);
    assert_eq!(faults.draw("ww2", "update_contact_way"), []);
    assert_eq!(faults.draw("ww1", "get_contact_way"), []);
    assert_eq!(faults.draw("", "gettoken"), []);
    assert_eq!(faults.befell()[0].calls, 1);
}

#[test]
fn a_rule_ends_after_so_many_times_even_if_many_draw_at_once() {
    let rule = Fault {
        times: Some(100),
        ..Fault::always(FaultKind::TimeoutAfter)
    };
    let faults = Faults::new(&[rule], SEED);
    let total: u32 = std::thread::scope(|scope| {
        let drawing: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| befallen(&faults, 1000)))
            .collect();
        drawing.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!(total, 100);
    assert_eq!(faults.befell()[0].calls, 100);
}

#[test]
fn the_same_seed_and_call_meet_the_same_faults_and_other_rules_move_nothing() {
    let busy = fault(0.5, FaultKind::Busy);
    let never = fault(0.0, FaultKind::Reset);
    let draws = |rules: &[Fault], seed| {
        let faults = Faults::new(rules, seed);
        (0..500)
            .map(|_| faults.draw("ww1", "get"))
            .collect::<Vec<_>>()
    };
    let first = draws(std::slice::from_ref(&busy), 1);
    assert_eq!(first, draws(std::slice::from_ref(&busy), 1));
    assert_eq!(first, draws(&[busy.clone(), never], 1));
    assert_ne!(first, draws(std::slice::from_ref(&busy), 2));
}

#[test]
fn several_faults_befall_one_call_in_the_order_of_the_rules() {
    let slow = FaultKind::SlowBody { bytes_per_s: 10 };
    let errcode = FaultKind::Errcode { errcode: 45009 };
    let rules = [slow.clone(), errcode.clone()].map(Fault::always);
    assert_eq!(Faults::new(&rules, SEED).draw("a", "b"), [slow, errcode]);
}

#[test]
fn two_rules_of_one_share_are_drawn_apart() {
    let rules = [fault(0.5, FaultKind::Busy), fault(0.5, FaultKind::Reset)];
    let faults = Faults::new(&rules, SEED);
    let both = (0..10_000).filter(|_| faults.draw("a", "b").len() == 2);
    let both = both.count();
    // A quarter; 43 is the standard deviation.
    assert!((2_300..2_700).contains(&both), "seed {SEED}: {both}");
}

#[test]
fn latencies_have_the_median_and_the_percentile_that_were_asked_for() {
    let what = FaultKind::Latency {
        median_ms: 120.0,
        p99_ms: 800.0,
    };
    let faults = Faults::new(&[Fault::always(what)], SEED);
    let mut delays: Vec<f64> = (0..50_000)
        .map(|_| {
            let drawn = faults.draw("a", "b");
            let delay = drawn[0].delay().unwrap();
            delay.as_secs_f64() * 1e3
        })
        .collect();
    delays.sort_by(f64::total_cmp);
    let (median, p99) = (delays[25_000], delays[49_500]);
    assert!((median - 120.0).abs() < 3.0, "seed {SEED}: {median}");
    assert!((p99 - 800.0).abs() < 40.0, "seed {SEED}: {p99}");
}

#[test]
fn a_latency_without_width_is_constant() {
    let what = FaultKind::Latency {
        median_ms: 50.0,
        p99_ms: 50.0,
    };
    let faults = Faults::new(&[Fault::always(what.clone())], SEED);
    for _ in 0..100 {
        let drawn = faults.draw("a", "b");
        let delay = drawn[0].delay().unwrap();
        assert_eq!(delay.as_micros(), 50_000);
    }
}

#[test]
fn a_simulation_has_no_faults_that_can_befall_nobody() {
    let busy = || Fault::always(FaultKind::Busy);
    for (fault, part) in [
        (
            Fault {
                api: Some(String::from("nope")),
                ..busy()
            },
            "fault[0].api = \"nope\", expected one of gettoken, ",
        ),
        (
            Fault {
                corp: Some(String::from("nope")),
                ..busy()
            },
            "fault[0].corp = \"nope\", expected an enterprise's id",
        ),
    ] {
        let profile = Profile {
            faults: vec![fault],
            ..Profile::default()
        };
        let told = Sim::new(&profile).unwrap_err().to_string();
        assert!(told.contains(part), "{told}");
        let sim = Sim::new(&Profile::default()).unwrap();
        let told = sim.world().set_settings(Settings::of(&profile));
        assert!(told.unwrap_err().to_string().contains(part));
        assert!(sim.world().settings().faults.is_empty());
    }
}
