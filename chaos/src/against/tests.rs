//! Small services under small scenarios, in virtual time.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering::Relaxed},
};

use http::{HeaderMap, StatusCode};
use http_body_util::{BodyExt as _, StreamBody, combinators::BoxBody};
use tokio::time::sleep;
use tower::{BoxError, service_fn};

use super::*;
use crate::{
    judge::Figure,
    scenario::Folder,
    wire::{Body, Call, Response, respond},
};

/// Two businesses of one service at a hundred tasks a second for four seconds; these keys and sections more.
fn scenario(keys: &str, more: &str) -> Scenario {
    let text = format!(
        r#"
        purpose = "Somebody's service"
        seed = 5
        duration_s = 4
        warm_up_s = 1
        deadline_ms = 100
        network_ms = 1
        {keys}
        [[service]]
        name = "own"
        workers = 10
        service_ms = 10
        [[business]]
        name = "urgent"
        number = 1
        share = 0.5
        users = 10
        entry = "own"
        [[business]]
        name = "usual"
        number = 4
        share = 0.5
        users = 10
        entry = "own"
        [[load]]
        tasks_per_s = 100
        {more}
        "#
    );
    Scenario::parse("own.toml", &text, Folder::BuiltIn).unwrap()
}

const ALL_PASS: &str = "[[criterion]]\nname = \"all\"\nmeasure = \"goodput\"\nat_least = 0.999\n";

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Returns the share of tasks that succeeded after the warm-up under a service that answers after `span`.
fn success(scenario: Scenario, span: Duration) -> f64 {
    let service = service_fn(move |_: Request| async move {
        sleep(span).await;
        Ok::<_, BoxError>(Response::default())
    });
    let report = scenario.against(service).run().unwrap();
    let success = &report.summary().success;
    let success = success.iter().map(|of| of.value.number().unwrap());
    success.sum::<f64>() / 2.0
}

#[test]
fn requests_say_whose_they_are() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let service = {
        let seen = Arc::clone(&seen);
        service_fn(move |request: Request| {
            let call = *request.extensions().get::<Call>().unwrap();
            let field = |name| request.headers()[name].to_str().unwrap().to_owned();
            let path = request.uri().path().to_owned();
            seen.lock()
                .unwrap()
                .push((path, field(BUSINESS), field(USER), call));
            async { Ok::<_, BoxError>(Response::default()) }
        })
    };
    scenario("", ALL_PASS)
        .against(service)
        .run()
        .unwrap()
        .assert_passed();

    let seen = seen.lock().unwrap();
    assert!((300..500).contains(&seen.len()), "{}", seen.len());
    for (path, business, user, call) in &*seen {
        let expected = match call.business {
            0 => ("/b/1", "urgent", 1),
            _ => ("/b/4", "usual", 4),
        };
        assert_eq!((path.as_str(), business.as_str(), call.number), expected);
        assert_eq!(user, &call.user.to_string());
        assert!(call.user < 10);
    }
    for business in [0, 1] {
        assert!(seen.iter().any(|(.., call)| call.business == business));
    }
}

#[test]
fn the_deadline_is_the_clients() {
    // The network takes a millisecond each way; timers tick in milliseconds.
    assert!(success(scenario("", ""), ms(90)) > 0.999);
    assert!(success(scenario("", ""), ms(99)) < 0.001);
}

#[test]
fn a_service_hears_of_a_client_that_left_unless_it_is_told_not_to() {
    for (keys, all_end) in [("hang_up = true", false), ("hang_up = false", true)] {
        let (begun, ended) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let service = {
            let counts = (Arc::clone(&begun), Arc::clone(&ended));
            service_fn(move |_: Request| {
                let (begun, ended) = counts.clone();
                async move {
                    begun.fetch_add(1, Relaxed);
                    sleep(ms(150)).await;
                    ended.fetch_add(1, Relaxed);
                    Ok::<_, BoxError>(Response::default())
                }
            })
        };
        let report = scenario(keys, ALL_PASS).against(service).run().unwrap();
        assert!(!report.passed(), "{report}");
        let (begun, ended) = (begun.load(Relaxed), ended.load(Relaxed));
        // Those that are under way when the last client has gone are not waited for.
        let most = if all_end { begun - 20..begun + 1 } else { 0..1 };
        assert!(
            begun > 300 && most.contains(&ended),
            "{keys}: {ended} of {begun}"
        );
    }
}

#[test]
fn a_partition_a_pause_and_a_delay_are_felt() {
    let felt = |fault: &str| {
        let fault = format!("[[fault]]\nat_s = 1\nlasts_s = 1\nservice = \"own\"\n{fault}");
        success(scenario("", &fault), ms(20))
    };
    // One of the three seconds that count is lost, or its first nine tenths, or nothing.
    let partition = felt("kind = \"partition\"");
    assert!((partition - 2.0 / 3.0).abs() < 0.07, "{partition}");
    let pause = felt("kind = \"pause\"");
    assert!(
        (pause - 2.08 / 3.0).abs() < 0.07 && pause > partition,
        "{pause}"
    );
    let small = felt("kind = \"delay\"\ndelay_ms = 30");
    assert!(small > 0.999, "{small}");
    let large = felt("kind = \"delay\"\ndelay_ms = 60");
    assert!((large - 2.0 / 3.0).abs() < 0.07, "{large}");
}

#[test]
fn an_answer_is_good_when_all_of_it_says_so() {
    type Answer = http::Response<BoxBody<bytes::Bytes, BoxError>>;
    fn grpc(status: &str) -> Answer {
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", status.parse().unwrap());
        let frames = [
            Ok(http_body::Frame::data(bytes::Bytes::from_static(b"12345"))),
            Ok(http_body::Frame::trailers(trailers)),
        ];
        http::Response::new(StreamBody::new(futures_util::stream::iter(frames)).boxed())
    }
    fn broken() -> Answer {
        let frames = [Err(BoxError::from("the connection broke"))];
        http::Response::new(StreamBody::new(futures_util::stream::iter(frames)).boxed())
    }
    fn plain(status: StatusCode) -> Answer {
        respond(status).map(|body: Body| body.map_err(BoxError::from).boxed())
    }
    let cases: [(fn() -> Result<Answer, BoxError>, bool, bool); 7] = [
        (|| Ok(plain(StatusCode::NO_CONTENT)), true, false),
        (|| Ok(plain(StatusCode::SERVICE_UNAVAILABLE)), false, true),
        (
            || Ok(plain(StatusCode::INTERNAL_SERVER_ERROR)),
            false,
            false,
        ),
        (|| Ok(grpc("0")), true, false),
        (|| Ok(grpc("8")), false, true),
        (|| Ok(broken()), false, false),
        (|| Err("nobody there".into()), false, false),
    ];
    for (place, (answer, good, refused)) in cases.into_iter().enumerate() {
        let service = service_fn(move |_: Request| async move { answer() });
        let report = scenario("", "").against(service).run().unwrap();
        let share = report.summary().success[0].value;
        let expected = if good { 1.0 } else { 0.0 };
        assert_eq!(share, Figure::Is(expected), "case {place}");
        let refusals: u32 = report.outcome().services[0].refused.iter().sum();
        assert_eq!(refusals > 0, refused, "case {place}");
    }
}

#[test]
fn the_same_seed_brings_the_same_tasks() {
    let run = |seed| {
        let service = service_fn(|request: Request| async move {
            let call = *request.extensions().get::<Call>().unwrap();
            sleep(ms(call.draw % 120)).await;
            Ok::<_, BoxError>(Response::default())
        });
        scenario("", "")
            .against(service)
            .seed(seed)
            .policy_name("mine")
            .run()
            .unwrap()
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5).outcome(), run(6).outcome());
    assert_eq!(run(6).seed(), 6);
    assert!(run(6).to_string().starts_with("mine under own, seed 6\n"));
}

#[test]
fn nothing_to_fail_is_not_passed() {
    let service = service_fn(|_: Request| async { Ok::<_, BoxError>(Response::default()) });
    let report = scenario("", "").against(service).run().unwrap();
    assert!(!report.passed());
    let error = report.into_result().unwrap_err();
    assert_eq!(error.faults().count(), 1, "{error}");
}

#[test]
#[should_panic(expected = "FAILS  all: goodput / optimum 0.000, expected at least 0.999")]
fn a_test_says_what_did_not_hold() {
    let service = service_fn(|_: Request| async { Err::<Response, BoxError>("no".into()) });
    scenario("", ALL_PASS)
        .against(service)
        .run()
        .unwrap()
        .assert_passed();
}

#[test]
#[should_panic(expected = "a bug of the user's")]
fn a_panic_of_the_service_is_the_tests() {
    let answer = || -> Result<Response, BoxError> { panic!("a bug of the user's") };
    let service = service_fn(move |_: Request| async move { answer() });
    drop(scenario("", ALL_PASS).against(service).run());
}

#[tokio::test]
async fn it_can_be_called_from_within_a_runtime() {
    let made = || service_fn(|_: Request| async { Ok::<_, BoxError>(Response::default()) });
    scenario("", ALL_PASS)
        .against_made(made)
        .run()
        .unwrap()
        .assert_passed();
}

#[test]
fn real_time_is_real() {
    let clock = Clock::system();
    let begun = clock.now();
    let mut short = scenario("", ALL_PASS);
    (short.duration, short.warm_up) = (ms(300), Duration::ZERO);
    short.loads[0].until = short.duration;
    short.criteria[0].from = Duration::ZERO;
    short.criteria[0].until = short.duration;
    // A busy machine is not the matter here.
    short.deadline = Duration::from_secs(20);
    let service = service_fn(|_: Request| async { Ok::<_, BoxError>(Response::default()) });
    short.against(service).run_live().unwrap().assert_passed();
    assert!(clock.now() - begun >= ms(200));
}
