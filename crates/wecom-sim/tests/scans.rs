//! That scans go to the list of the moment, that the truth about them is kept, and that loads keep their rate.
#![expect(
    clippy::unwrap_used,
    reason = "a test whose parts cannot be made has failed"
)]

mod common;

use std::{
    collections::{BTreeMap, HashSet},
    time::Duration,
};

use tower::service_fn;
use wecom_sim::{
    Profile, Sim,
    profile::{AddEvents, Callbacks, ContactWays, Corp, Department, EmptyUser, Member, MemberFlag},
    scan::{Load, Outcome, Scan},
    world::CodeSeed,
};

use self::common::{Receiver, SEED, clock, corp};

/// Ten members in the root, of whom `d1` and `d2` are in department 2.
fn profile(change: impl FnOnce(&mut Corp)) -> Profile {
    let mut there = corp("ww1");
    there.more_members = 8;
    there.departments = vec![Department {
        id: 2,
        name: String::from("sales"),
        parent: 1,
    }];
    there.members = ["d1", "d2"]
        .map(|userid| Member {
            userid: String::from(userid),
            departments: vec![2],
            ..Member::default()
        })
        .into();
    change(&mut there);
    Profile {
        seed: SEED,
        corps: vec![there],
        ..Profile::default()
    }
}

fn simulation(profile: &Profile) -> (Sim, Receiver) {
    let sim = Sim::with_clock(profile, clock()).unwrap();
    let receiver = Receiver::default();
    let inbox = receiver.clone();
    let service = service_fn(move |request| inbox.clone().receive(request));
    sim.parts().sender().to_service(service);
    (sim, receiver)
}

fn code(sim: &Sim, users: &[&str], parties: &[u32]) -> String {
    let corp = sim.world().corp("ww1").unwrap();
    let seed = CodeSeed {
        state: "s1",
        users,
        parties,
        created_s: None,
    };
    corp.add_codes(&[seed]).unwrap().remove(0)
}

fn there(userids: &[&str]) -> Option<HashSet<String>> {
    Some(userids.iter().map(|userid| String::from(*userid)).collect())
}

#[tokio::test(start_paused = true)]
async fn scans_are_spread_evenly_over_users_and_departments() {
    let (sim, _) = simulation(&profile(|_| {}));
    let code = code(&sim, &["m1", "m2"], &[2]);
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for _ in 0..4000 {
        let scanned = sim.parts().scanner().scan("ww1", &code).unwrap();
        assert_eq!(scanned.outcome, Outcome::Routed);
        assert_eq!(scanned.eligible[..4], ["m1", "m2", "d1", "d2"]);
        *counts.entry(scanned.userid.unwrap()).or_default() += 1;
    }
    let members: Vec<&str> = counts.keys().map(String::as_str).collect();
    assert_eq!(members, ["d1", "d2", "m1", "m2"]);
    // 27 is the standard deviation.
    assert!(
        counts.values().all(|count| count.abs_diff(1000) < 130),
        "seed {SEED}: {counts:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_scan_goes_to_the_list_of_its_moment_and_nowhere_once_the_code_is_gone() {
    let (sim, _) = simulation(&profile(|_| {}));
    let scanner = sim.parts().scanner();
    let code = code(&sim, &["m1"], &[]);
    assert_eq!(
        scanner.scan("ww1", &code).unwrap().userid.as_deref(),
        Some("m1")
    );
    let corp = sim.world().corp("ww1").unwrap();
    corp.edit_code(&code, &["m2"], None).unwrap();
    assert_eq!(
        scanner.scan("ww1", &code).unwrap().userid.as_deref(),
        Some("m2")
    );
    corp.delete_code(&code);
    let gone = scanner.scan("ww1", &code).unwrap();
    assert_eq!(
        (gone.outcome, gone.userid, gone.is_added),
        (Outcome::Nowhere, None, false)
    );
    assert!(scanner.scan("ww9", &code).is_err());
    let counts = scanner.counts(None);
    assert_eq!(
        (counts.total, counts.routed, counts.nowhere, counts.added),
        (3, 2, 1, 2)
    );
}

#[tokio::test(start_paused = true)]
async fn an_empty_list_sends_scans_nowhere() {
    let mut profile = profile(|_| {});
    profile.contact_ways = ContactWays {
        empty_user: EmptyUser::Clear,
        ..ContactWays::default()
    };
    let (sim, receiver) = simulation(&profile);
    let code = code(&sim, &["m1"], &[]);
    let corp = sim.world().corp("ww1").unwrap();
    corp.edit_code(&code, &[], None).unwrap();
    let scanned = sim.parts().scanner().scan("ww1", &code).unwrap();
    assert_eq!(scanned.outcome, Outcome::Nowhere);
    sim.parts().sender().settled("ww1").await;
    assert!(receiver.messages().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_scan_to_somebody_who_is_not_there_is_mis_routed_and_still_adds() {
    let (sim, receiver) = simulation(&profile(|_| {}));
    let scanner = sim.parts().scanner();
    let code = code(&sim, &["m1"], &[]);
    scanner.set_eligible("ww1", None, there(&["m2"])).unwrap();
    let scanned = scanner.scan("ww1", &code).unwrap();
    assert_eq!(
        (scanned.outcome, scanned.is_added),
        (Outcome::MisRouted, true)
    );
    assert_eq!(scanned.eligible, ["m2"]);
    // A list of the code's own counts instead.
    scanner
        .set_eligible("ww1", Some(&code), there(&["m1"]))
        .unwrap();
    assert_eq!(scanner.scan("ww1", &code).unwrap().outcome, Outcome::Routed);
    scanner.set_eligible("ww1", Some(&code), None).unwrap();
    scanner.set_eligible("ww1", None, None).unwrap();
    assert_eq!(scanner.scan("ww1", &code).unwrap().outcome, Outcome::Routed);
    sim.parts().sender().settled("ww1").await;
    assert_eq!(receiver.messages().len(), 6, "half and full of each");
    assert_eq!(scanner.counts(Some("ww1")).mis_routed, 1);
    let examples = scanner.mis_routed(Some("ww1"));
    assert_eq!(examples.len(), 1);
    assert_eq!(examples[0].userid.as_deref(), Some("m1"));
}

#[tokio::test(start_paused = true)]
async fn c8_a_disabled_member_gets_scans_that_add_nobody_and_tell_nobody() {
    let (sim, receiver) = simulation(&profile(|_| {}));
    let code = code(&sim, &["m1"], &[]);
    let corp = sim.world().corp("ww1").unwrap();
    assert!(corp.set_flag("m1", MemberFlag::Disabled));
    let scanned = sim.parts().scanner().scan("ww1", &code).unwrap();
    assert_eq!(
        (scanned.outcome, scanned.is_added),
        (Outcome::MisRouted, false)
    );
    sim.parts().sender().settled("ww1").await;
    assert!(receiver.raw().is_empty());
    assert!(corp.relations().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_scan_adds_a_customer_and_tells_of_it_once_or_twice() {
    for (adds, expected) in [
        (AddEvents::Full, vec!["add_external_contact"]),
        (AddEvents::Half, vec!["add_half_external_contact"]),
        (
            AddEvents::Both,
            vec!["add_half_external_contact", "add_external_contact"],
        ),
    ] {
        let mut profile = profile(|_| {});
        profile.callbacks = Callbacks {
            adds,
            in_flight: 1,
            ..Callbacks::default()
        };
        let (sim, receiver) = simulation(&profile);
        let code = code(&sim, &["m1"], &[]);
        let scanned = sim.parts().scanner().scan("ww1", &code).unwrap();
        sim.parts().sender().settled("ww1").await;
        assert_eq!(receiver.all("ChangeType"), expected);
        assert!(receiver.all("UserID").iter().all(|userid| userid == "m1"));
        assert!(receiver.all("State").iter().all(|state| state == "s1"));
        let customers = receiver.all("ExternalUserID");
        assert!(customers.iter().all(|it| *it == scanned.external_userid));
        assert_eq!(receiver.all("WelcomeCode").len(), expected.len());
        let relations = sim.world().corp("ww1").unwrap().relations();
        assert_eq!(relations.len(), 1);
        assert_eq!(
            (relations[0].add_way, relations[0].state.as_str()),
            (1, "s1")
        );
        assert_eq!(relations[0].external_userid, scanned.external_userid);
    }
}

#[tokio::test(start_paused = true)]
async fn c2_a_burst_is_of_one_second_and_all_are_told_apart() {
    let (sim, receiver) = simulation(&profile(|_| {}));
    let code = code(&sim, &["m1", "m2"], &[]);
    let scans = sim.parts().scanner().burst("ww1", &code, 1000).unwrap();
    assert_eq!(scans.len(), 1000);
    sim.parts().sender().settled("ww1").await;
    let seconds: HashSet<String> = receiver.all("CreateTime").into_iter().collect();
    assert_eq!(seconds.len(), 1, "{seconds:?}");
    let customers: HashSet<String> = receiver.all("ExternalUserID").into_iter().collect();
    assert_eq!(customers.len(), 1000);
    assert_eq!(receiver.messages().len(), 2000);
}

#[tokio::test(start_paused = true)]
async fn a_member_is_full_after_so_many_customers_until_the_next_day() {
    let (sim, _) = simulation(&profile(|corp| {
        corp.customers_per_day = Some(3);
        corp.members[0].customers_per_day = Some(1);
    }));
    let scanner = sim.parts().scanner();
    let (many, one) = (code(&sim, &["m1"], &[]), code(&sim, &["d1"], &[]));
    let added = |code: &str| -> usize {
        let scans = (0..5).map(|_| scanner.scan("ww1", code).unwrap());
        scans.filter(|scanned| scanned.is_added).count()
    };
    assert_eq!((added(&many), added(&one)), (3, 1));
    let corp = sim.world().corp("ww1").unwrap();
    assert_eq!(corp.member("m1").unwrap().flags, [MemberFlag::Full]);
    // Who is full for another reason stays so.
    assert!(corp.set_flag("m5", MemberFlag::Full));
    assert_eq!(scanner.new_day("ww1").unwrap(), 2);
    assert_eq!(corp.member("m1").unwrap().flags, []);
    assert_eq!(corp.member("m5").unwrap().flags, [MemberFlag::Full]);
    assert_eq!(added(&many), 3);
    assert_eq!(scanner.counts(None).mis_routed, 2 + 4 + 2);
}

#[tokio::test(start_paused = true)]
async fn a_known_customer_can_scan_again() {
    let (sim, _) = simulation(&profile(|_| {}));
    let code = code(&sim, &["m1"], &[]);
    for _ in 0..2 {
        let scan = Scan {
            corp: "ww1",
            config_id: &code,
            external_userid: Some("wm_known"),
            at_s: None,
        };
        let scanned = sim.parts().scanner().scan_as(scan).unwrap();
        assert_eq!(scanned.external_userid, "wm_known");
    }
    assert_eq!(sim.world().corp("ww1").unwrap().relations().len(), 1);
}

/// Scans for 100 seconds; returns who was scanned to.
async fn loaded(seed: u64) -> (u64, Vec<String>) {
    let (sim, receiver) = simulation(&profile(|_| {}));
    let codes = [
        code(&sim, &["m1", "m2", "m3"], &[]),
        code(&sim, &["m4"], &[]),
    ];
    let load = Load {
        corp: String::from("ww1"),
        config_ids: codes.into(),
        per_second: 20.0,
        scans: None,
        seed,
    };
    let scanner = sim.parts().scanner();
    let id = scanner.start(load).unwrap();
    tokio::time::sleep(Duration::from_secs(100)).await;
    let loads = scanner.loads();
    assert!(loads[0].running && loads[0].id == id);
    assert!(scanner.stop(id) && !scanner.stop(id));
    let total = scanner.counts(None).total;
    assert_eq!(loads[0].scanned, total);
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(scanner.counts(None).total, total, "stopped");
    sim.parts().sender().settled("ww1").await;
    let mut customers = receiver.all("ExternalUserID");
    customers.sort();
    (total, customers)
}

#[tokio::test(start_paused = true)]
async fn a_load_keeps_its_rate_and_is_the_same_for_the_same_seed() {
    let (total, customers) = loaded(SEED).await;
    // 45 is the standard deviation of 2,000.
    assert!(total.abs_diff(2000) < 220, "seed {SEED}: {total}");
    assert_eq!((total, customers), loaded(SEED).await);
    assert_ne!(total, loaded(SEED + 1).await.0);
}

#[tokio::test(start_paused = true)]
async fn a_load_ends_by_itself_and_wrong_ones_do_not_begin() {
    let (sim, _) = simulation(&profile(|_| {}));
    let scanner = sim.parts().scanner();
    let load = Load {
        corp: String::from("ww1"),
        config_ids: vec![code(&sim, &["m1"], &[])],
        per_second: 100.0,
        scans: Some(30),
        seed: SEED,
    };
    scanner.start(load.clone()).unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(scanner.counts(None).total, 30);
    assert!(!scanner.loads()[0].running);
    let wrong = [
        Load {
            per_second: 0.0,
            ..load.clone()
        },
        Load {
            per_second: f64::NAN,
            ..load.clone()
        },
        Load {
            config_ids: Vec::new(),
            ..load.clone()
        },
        Load {
            corp: String::from("ww9"),
            ..load
        },
    ];
    for load in wrong {
        assert!(scanner.start(load.clone()).is_err(), "{load:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn examples_are_bounded_and_counts_begin_anew() {
    let (sim, _) = simulation(&profile(|_| {}));
    let scanner = sim.parts().scanner();
    let code = code(&sim, &["m1"], &[]);
    scanner.set_eligible("ww1", None, there(&[])).unwrap();
    for _ in 0..1500 {
        scanner.scan("ww1", &code).unwrap();
    }
    assert_eq!(scanner.counts(None).mis_routed, 1500);
    assert_eq!(scanner.mis_routed(None).len(), 1000);
    assert!(scanner.mis_routed(Some("ww2")).is_empty());
    scanner.reset();
    assert_eq!(scanner.counts(None), wecom_sim::scan::ScanCounts::default());
    assert!(scanner.mis_routed(None).is_empty());
}

#[tokio::test(start_paused = true)]
async fn who_is_eligible_is_told_of_a_hundred_and_that_there_are_more() {
    let (sim, _) = simulation(&profile(|corp| corp.more_members = 3000));
    let scanner = sim.parts().scanner();
    let code = code(&sim, &["m2999"], &[]);
    let scan = || scanner.scan("ww1", &code).unwrap();
    let scanned = scan();
    assert_eq!(
        (scanned.eligible.len(), scanned.is_eligible_cut),
        (100, true)
    );
    assert_eq!(scanned.eligible[0], "m2999");
    let ids = |numbers: std::ops::RangeInclusive<u32>| {
        let ids: HashSet<String> = numbers.map(|number| format!("m{number}")).collect();
        Some(ids)
    };
    for (numbers, count, is_cut) in [(1..=100, 100, false), (1..=101, 100, true)] {
        scanner.set_eligible("ww1", None, ids(numbers)).unwrap();
        let scanned = scan();
        assert_eq!(scanned.outcome, Outcome::MisRouted);
        assert_eq!(
            (scanned.eligible.len(), scanned.is_eligible_cut),
            (count, is_cut)
        );
    }
    // Nobody among the first thousand: there may be others behind.
    let corp = sim.world().corp("ww1").unwrap();
    for number in 1..=3000 {
        assert!(corp.set_flag(&format!("m{number}"), MemberFlag::Disabled));
    }
    for (numbers, is_cut) in [(1..=1000, false), (1..=1001, true)] {
        scanner.set_eligible("ww1", None, ids(numbers)).unwrap();
        let scanned = scan();
        assert_eq!(
            (scanned.eligible.len(), scanned.is_eligible_cut),
            (0, is_cut)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_scan_that_leads_nowhere_tells_who_was_there_too() {
    let (sim, _) = simulation(&profile(|_| {}));
    let scanner = sim.parts().scanner();
    let code = code(&sim, &["m1"], &[]);
    scanner.set_eligible("ww1", None, there(&["m2"])).unwrap();
    let corp = sim.world().corp("ww1").unwrap();
    corp.edit_code(&code, &[], None).unwrap();
    let scanned = scanner.scan("ww1", &code).unwrap();
    assert_eq!(scanned.outcome, Outcome::Nowhere);
    assert_eq!(scanned.eligible, ["m2"]);
}
