//! What a client makes of everything that can go wrong between it and WeCom: the class, what may have been applied,
//! and what WeCom really has.

mod support;

use support::*;
use tokio::{task::JoinSet, time::sleep};
use wecom::{
    Action, Class, Errcode, Error,
    api::{AddContactWay, ConfigId, GetContactWay, Remark, Scene, State, UpdateContactWay},
    error::{Kind, Unreadable},
    limit::{Limits, Window},
};
use wecom_sim::profile::{ConflictMode, Fault, FaultKind};

/// One thing that goes wrong, and what is to be made of it.
struct Case {
    what: FaultKind,
    class: Class,
    /// What the client must reckon with.
    may_have_been_applied: bool,
    /// What WeCom really did.
    applied: bool,
    /// After how long the client knows.
    after_ms: u64,
}

fn cases() -> Vec<Case> {
    let case = |what, class, may_have_been_applied, applied, after_ms| Case {
        what,
        class,
        may_have_been_applied,
        applied,
        after_ms,
    };
    let errcode = |errcode| FaultKind::Errcode { errcode };
    let late = FaultKind::Latency {
        median_ms: 6000.0,
        p99_ms: 6000.0,
    };
    let slow = FaultKind::SlowBody { bytes_per_s: 2 };
    vec![
        case(late, Class::Transient, true, true, 5000),
        case(
            FaultKind::TimeoutBefore,
            Class::Transient,
            true,
            false,
            5000,
        ),
        case(FaultKind::TimeoutAfter, Class::Transient, true, true, 5000),
        case(FaultKind::Reset, Class::Transient, true, false, 0),
        case(FaultKind::Html502, Class::Transient, true, false, 0),
        case(slow, Class::Transient, true, true, 5000),
        case(FaultKind::Busy, Class::Transient, false, false, 0),
        case(errcode(6000), Class::Conflict, false, false, 0),
        case(errcode(45035), Class::Conflict, false, false, 0),
        case(errcode(45009), Class::Throttled, false, false, 0),
        case(errcode(45033), Class::Throttled, false, false, 0),
        case(errcode(45036), Class::Throttled, false, false, 0),
        case(errcode(48002), Class::Tenant, false, false, 0),
        case(errcode(40098), Class::Member, false, false, 0),
        case(errcode(41044), Class::CodeGone, false, false, 0),
        case(errcode(40058), Class::Request, false, false, 0),
        case(errcode(99999), Class::Unknown, false, false, 0),
    ]
}

#[tokio::test(start_paused = true)]
async fn each_fault_has_its_class_and_says_rightly_what_may_have_been_applied() {
    for case in cases() {
        let what = &case.what;
        let vendor = Vendor::new();
        let client = vendor.client(CORP);
        let code = vendor.code(CORP);
        client.get_contact_way(&code).await.unwrap();
        vendor.faults([fault(UPDATE, 1, what.clone())]);

        let begun = vendor.clock.now();
        let error = lead_to(&client, &code, [2, 3]).await.unwrap_err();
        let took = vendor.clock.now() - begun;
        assert_eq!(error.class(), case.class, "{what:?}: {error}");
        assert_eq!(
            error.may_have_been_applied(),
            case.may_have_been_applied,
            "{what:?}"
        );
        assert_eq!(took, millis(case.after_ms), "{what:?}");
        // What was on its way has arrived by now.
        sleep(secs(2)).await;
        let applied = vendor.users(CORP, &code) == ["m2", "m3"];
        assert_eq!(applied, case.applied, "{what:?}");
        assert!(
            case.may_have_been_applied || !applied,
            "{what:?}: it hides an effect"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_waiting_helps_goes_well_after_the_time_that_was_told() {
    for what in [
        FaultKind::Busy,
        FaultKind::Errcode { errcode: 45009 },
        FaultKind::Errcode { errcode: 45033 },
        FaultKind::Errcode { errcode: 45036 },
    ] {
        let vendor = Vendor::new();
        let client = vendor.client(CORP).with_patience(secs(1));
        let code = vendor.code(CORP);
        vendor.faults([fault(UPDATE, 1, what.clone())]);
        let error = lead_to(&client, &code, [2]).await.unwrap_err();
        let wait = error.retry_after().unwrap();
        sleep(wait).await;
        let again = lead_to(&client, &code, [2]).await;
        assert!(again.is_ok(), "{what:?} after {wait:?}: {again:?}");
        assert_eq!(vendor.traffic(CORP, UPDATE).calls, 2, "{what:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_slow_but_comes_in_time_is_no_error() {
    for what in [
        FaultKind::Latency {
            median_ms: 4900.0,
            p99_ms: 4900.0,
        },
        FaultKind::SlowBody { bytes_per_s: 100 },
    ] {
        let vendor = Vendor::new();
        let client = vendor.client(CORP);
        let code = vendor.code(CORP);
        vendor.faults([fault(UPDATE, 1, what.clone()), fault(GET, 1, what)]);
        lead_to(&client, &code, [2, 3]).await.unwrap();
        let read = client.get_contact_way(&code).await.unwrap();
        assert_eq!(read.user, [member(2), member(3)]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_of_html_and_an_answer_too_long_are_unreadable_and_say_why() {
    let vendor = Vendor::with(|profile| profile.corps[0].more_members = 1000);
    let client = vendor.on(vendor.builder(CORP).longest_answer(1024));
    let code = vendor.code(CORP);
    vendor.faults([fault(UPDATE, 1, FaultKind::Html502)]);
    let page = lead_to(&client, &code, [2]).await.unwrap_err();
    let list = client.get_follow_user_list().await.unwrap_err();
    for (error, status, why) in [
        (page, 502, "the status is not 200"),
        (list, 200, "the body is longer than an answer may be"),
    ] {
        let Kind::Unreadable(unreadable) = error.kind() else {
            panic!("{error:?}");
        };
        assert_eq!(*unreadable, Unreadable { status, why });
        assert_eq!(error.class(), Class::Transient);
    }
    // The list was not empty, and a client that takes longer answers has it.
    let all = vendor.client(CORP).get_follow_user_list().await.unwrap();
    assert_eq!(all.len(), 1000);
}

#[tokio::test(start_paused = true)]
async fn a_body_of_which_wecom_took_a_part_is_no_success() {
    let vendor = Vendor::new();
    let client = vendor.client(CORP);
    let code = vendor.code(CORP);
    vendor.faults([fault(UPDATE, 1, FaultKind::WrongJson)]);
    let update = UpdateContactWay::multi(code.clone())
        .remark(Remark::new("new").unwrap())
        .members(&members([2, 3]))
        .unwrap();
    let error = client.update_contact_way(&update).await.unwrap_err();
    assert!(
        matches!(error.kind(), Kind::PartlyApplied { .. }),
        "{error:?}"
    );
    assert_eq!(
        (error.class(), error.action()),
        (Class::Request, Action::Fix)
    );
    assert!(error.may_have_been_applied());
    let view = vendor.corp(CORP).code(code.as_str()).unwrap();
    assert_eq!(
        (view.remark.as_str(), view.users),
        ("new", vec![String::from("m1")])
    );
}

#[tokio::test(start_paused = true)]
async fn an_update_may_be_repeated_until_an_answer_comes() {
    let vendor = Vendor::new();
    let client = vendor.client(CORP);
    let code = vendor.code(CORP);
    // Ever and again: applied and not answered, not applied, cut off.
    let kinds = [
        FaultKind::TimeoutAfter,
        FaultKind::TimeoutBefore,
        FaultKind::Reset,
        FaultKind::Html502,
        FaultKind::Busy,
    ];
    let faults = kinds.map(|what| Fault {
        share: 0.3,
        ..fault(UPDATE, u64::MAX, what)
    });
    vendor.faults(faults);
    let mut repeats = 0;
    for round in 0..50 {
        let list = [1 + round % 9, 10];
        while let Err(error) = lead_to(&client, &code, list).await {
            assert_eq!(error.action(), Action::Repeat, "seed {SEED}: {error}");
            repeats += 1;
            sleep(secs(1)).await;
        }
        let expected = list.map(|number| format!("m{number}"));
        assert_eq!(
            vendor.users(CORP, &code),
            expected,
            "seed {SEED}, round {round}"
        );
    }
    // 1 - 0.7^5 of all calls fail: five repeats for each that goes well.
    assert!((150..400).contains(&repeats), "seed {SEED}: {repeats}");
    assert_eq!(vendor.corp(CORP).code_count(), 1, "nothing else came of it");
}

#[tokio::test(start_paused = true)]
async fn w7_an_added_code_whose_answer_was_lost_is_found_by_its_state() {
    let vendor = Vendor::new();
    let client = vendor.client(CORP);
    vendor.codes(CORP, 30);
    vendor.faults([fault(ADD, 2, FaultKind::TimeoutAfter)]);
    let state = State::new("门店-3").unwrap();
    let add = AddContactWay::multi(Scene::QrCode, members([2, 3])).state(state.clone());
    let begun = vendor.clock.calendar();
    let error = client.add_contact_way(&add).await.unwrap_err();
    assert_eq!(error.class(), Class::Transient);
    assert!(error.may_have_been_applied());

    let minute = secs(60);
    let times = begun - minute..vendor.clock.calendar() + minute;
    let found = client
        .find_contact_ways(times.clone(), |code| code.state == state.as_str())
        .await
        .unwrap();
    let [orphan] = &found[..] else {
        panic!("{} were found", found.len());
    };
    assert_eq!(orphan.user, [member(2), member(3)]);
    // It is as good as any other: it can be changed, and no second one is made.
    lead_to(&client, &orphan.config_id, [4]).await.unwrap();
    assert_eq!(vendor.users(CORP, &orphan.config_id), ["m4"]);

    // A search that cannot read everything finds nothing out, rather than "there is none".
    vendor.faults([fault(GET, 1, FaultKind::Reset)]);
    let error = client.find_contact_ways(times, |_| true).await.unwrap_err();
    assert_eq!(error.class(), Class::Transient);
}

#[tokio::test(start_paused = true)]
async fn w7_an_add_that_never_arrived_leaves_nothing_to_be_found_and_may_be_repeated() {
    let vendor = Vendor::new();
    let client = vendor.client(CORP);
    vendor.faults([fault(ADD, 1, FaultKind::TimeoutBefore)]);
    let add = AddContactWay::single(Scene::QrCode, member(2)).state(State::new("s").unwrap());
    let begun = vendor.clock.calendar();
    let error = client.add_contact_way(&add).await.unwrap_err();
    assert!(error.may_have_been_applied(), "nobody can know");
    let times = begun - secs(60)..vendor.clock.calendar() + secs(60);
    let found = client
        .find_contact_ways(times, |code| code.state == "s")
        .await;
    assert!(found.unwrap().is_empty());
    client.add_contact_way(&add).await.unwrap();
    assert_eq!(vendor.corp(CORP).code_count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_code_that_was_deleted_on_the_other_side_is_gone() {
    let vendor = Vendor::new();
    let client = vendor.client(CORP);
    let code = vendor.code(CORP);
    assert!(vendor.corp(CORP).delete_code(code.as_str()));
    let update = lead_to(&client, &code, [2]).await.unwrap_err();
    let get = client.get_contact_way(&code).await.unwrap_err();
    let del = client.del_contact_way(&code).await.unwrap_err();
    for error in [update, get, del] {
        assert_eq!(
            (error.class(), error.action()),
            (Class::CodeGone, Action::ForgetCode)
        );
        assert_eq!(error.errcode(), Some(Errcode::NO_SUCH_CODE));
        assert!(!error.may_have_been_applied());
    }
}

#[tokio::test(start_paused = true)]
async fn w1_a_thousand_tasks_at_once_meet_no_concurrency_limit() {
    let vendor = Vendor::with(|profile| profile.faults = vec![latencies(100.0, 900.0)]);
    let client = vendor.client(CORP).with_patience(secs(600));
    let codes = vendor.codes(CORP, 1000);
    let mut calls = JoinSet::new();
    for code in &codes {
        let (client, code) = (client.clone(), code.clone());
        calls.spawn(async move { lead_to(&client, &code, [2]).await });
    }
    let results = calls.join_all().await;
    let errors: Vec<Error> = results.into_iter().filter_map(Result::err).collect();
    assert_eq!(summary(&errors), [].into());
    let traffic = vendor.traffic(CORP, UPDATE);
    assert_eq!((traffic.calls, traffic.over_concurrency), (1000, 0));
    assert_eq!(traffic.peak_in_flight, 5, "and what is allowed is used");
    assert!(codes.iter().all(|code| vendor.users(CORP, code) == ["m2"]));
}

#[tokio::test(start_paused = true)]
async fn w2_a_concurrency_limit_lower_than_believed_is_learnt_and_all_gets_done() {
    let vendor = Vendor::with(|profile| {
        profile.windows.concurrency = 2;
        profile.faults = vec![latency(100.0)];
    });
    let client = vendor.client(CORP).with_patience(secs(600));
    let codes = vendor.codes(CORP, 1000);
    let mut calls = JoinSet::new();
    for code in codes.clone() {
        let client = client.clone();
        calls.spawn(async move {
            while let Err(error) = lead_to(&client, &code, [2]).await {
                assert_eq!(error.errcode(), Some(Errcode::CONCURRENCY), "{error}");
                sleep(error.retry_after().unwrap()).await;
            }
        });
    }
    calls.join_all().await;
    let traffic = vendor.traffic(CORP, UPDATE);
    assert!(codes.iter().all(|code| vendor.users(CORP, code) == ["m2"]));
    let refused = traffic.over_concurrency;
    assert!((1..=60).contains(&refused), "{refused} of 1000");
    show(format_args!(
        "{refused} calls of {} met a limit of 2",
        traffic.calls
    ));
}

#[tokio::test(start_paused = true)]
async fn two_writers_of_one_code_are_a_conflict_and_recomputing_ends_it() {
    for (conflict, errcode) in [
        (ConflictMode::Conflict45035, 45035),
        (ConflictMode::Conflict6000, 6000),
    ] {
        let vendor = Vendor::with(|profile| {
            profile.contact_ways.conflict = conflict;
            profile.faults = vec![latency(100.0)];
        });
        let (first, second) = (vendor.client(CORP), vendor.client(CORP));
        let code = vendor.code(CORP);
        first.get_contact_way(&code).await.unwrap();
        second.get_contact_way(&code).await.unwrap();
        let (one, two) = tokio::join!(lead_to(&first, &code, [2]), lead_to(&second, &code, [3]));
        let error = one.and(two).unwrap_err();
        assert_eq!(error.errcode(), Some(Errcode(errcode)));
        assert_eq!(
            (error.class(), error.action()),
            (Class::Conflict, Action::Recompute)
        );
        assert_eq!(
            vendor.users(CORP, &code),
            ["m2"],
            "the second changed nothing"
        );
        assert_eq!(vendor.traffic(CORP, UPDATE).conflicts, 1);

        sleep(error.retry_after().unwrap()).await;
        let read = second.get_contact_way(&code).await.unwrap();
        assert_eq!(read.user, [member(2)]);
        lead_to(&second, &code, [2, 3]).await.unwrap();
        assert_eq!(vendor.users(CORP, &code), ["m2", "m3"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_gives_its_place_back() {
    let vendor = Vendor::with(|profile| profile.faults = vec![latency(60_000.0)]);
    let client = vendor.client(CORP);
    let codes: Vec<ConfigId> = vendor.codes(CORP, 8);
    vendor.faults([]);
    client.get_contact_way(&codes[0]).await.unwrap();
    vendor.faults([latency(60_000.0)]);
    for code in &codes {
        let mut calls = JoinSet::new();
        for _ in 0..5 {
            let (client, call) = (client.clone(), GetContactWay::new(code.clone()));
            calls.spawn(async move { client.send(&call).await.map(drop) });
        }
        settle_down().await;
        // All five places are taken; their owners go away.
        calls.shutdown().await;
    }
    vendor.set(|settings| settings.windows.concurrency = 0);
    vendor.faults([]);
    let patience = millis(500);
    client
        .with_patience(patience)
        .get_contact_way(&codes[0])
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn limits_that_leave_no_room_send_nothing() {
    let vendor = Vendor::new();
    let limits = Limits::default()
        .minute(Window::new(10, secs(60)))
        .burst(1)
        .hour(Window::new(100, secs(3600)));
    let client = vendor.on(vendor.builder(CORP).limiter(local(limits)));
    let client = client.with_patience(secs(1));
    let code = vendor.code(CORP);
    client.get_contact_way(&code).await.unwrap();
    let error = client.get_contact_way(&code).await.unwrap_err();
    let Kind::Limited { retry_after } = error.kind() else {
        panic!("{error:?}");
    };
    assert_eq!(
        (error.class(), error.action()),
        (Class::Throttled, Action::Wait)
    );
    assert_eq!(vendor.traffic(CORP, GET).calls, 1);
    sleep(*retry_after).await;
    client.get_contact_way(&code).await.unwrap();
}
