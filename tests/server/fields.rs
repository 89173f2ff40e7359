//! What requests say of themselves: nothing, nonsense, or more than this version knows.

use dagor::{Admission, Clock, Concurrency, Reason, Settings, observe::FieldFault};
use http::{HeaderValue, StatusCode};

use crate::support::{
    Asked, Ear, Pressure, Random, asked, call, eventually, get, ms, offer, priority, secs, sleeper,
};

fn paused() -> (Admission, Ear) {
    let ear = Ear::default();
    let admission = Admission::builder("fields")
        .clock(Clock::tokio())
        .observer(ear.clone())
        .build()
        .unwrap();
    (admission, ear)
}

fn saying(name: &'static str, values: &[&str]) -> Asked {
    let mut request = get("/");
    for value in values {
        let value = HeaderValue::from_str(value).unwrap();
        request.headers_mut().append(name, value);
    }
    request
}

#[tokio::test(start_paused = true)]
async fn o15_what_cannot_be_read_is_least_important_and_counted() {
    let long = "0, 0;x=1".repeat(1024);
    let cases: [(&[&str], Option<FieldFault>); 8] = [
        (&[], None),
        (&[""], Some(FieldFault::Malformed)),
        (&["now, please"], Some(FieldFault::Malformed)),
        (&["0"], Some(FieldFault::Malformed)),
        (&["0, 128"], Some(FieldFault::Malformed)),
        (&["0, \u{e9}"], Some(FieldFault::Malformed)),
        (&["0, 0", "0, 0"], Some(FieldFault::Repeated)),
        (&[&long], Some(FieldFault::TooLong)),
    ];
    for (values, fault) in cases {
        let (admission, ear) = paused();
        let service = sleeper(&admission, ms(0));
        let response = call(&service, saying("dagor-priority", values)).await;
        assert_eq!(response.status(), StatusCode::OK, "{values:?}");
        let snapshot = admission.snapshot();
        assert_eq!(snapshot.businesses[7].arrived, 1, "{values:?}");
        assert_eq!(ear.heard().faults, Vec::from_iter(fault), "{values:?}");
        assert_eq!(
            snapshot.faults.iter().sum::<u64>(),
            u64::from(fault.is_some())
        );

        // The same of the demand: ignored, counted, and no reason to refuse.
        if fault.is_some_and(|fault| fault != FieldFault::Malformed) {
            let response = call(&service, saying("dagor-demand", values)).await;
            assert_eq!(response.status(), StatusCode::OK);
            assert_eq!(admission.snapshot().faults[fault.unwrap().index()], 2);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn o15_the_unknown_are_shed_first_and_never_with_a_client_error() {
    let (admission, ear) = paused();
    let service = sleeper(&admission, ms(0));
    let _pressure = Pressure::on(&admission).await;
    for values in [&[][..], &["nonsense"], &["0, 0", "0, 0"]] {
        let response = call(&service, saying("dagor-priority", values)).await;
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    }
    let shed = ear.heard().shed;
    assert_eq!(shed.len(), 3);
    for (priority, reason) in shed {
        assert_eq!((priority.business().get(), reason), (7, Reason::Level));
    }
    let known = call(&service, asked(priority(0, 0))).await;
    assert_eq!(known.status(), StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn o18_demand_is_exported_though_it_was_not_served() {
    let (admission, ear) = paused();
    let service = sleeper(&admission, ms(0));
    let pressure = Pressure::on(&admission).await;
    let (before, jobs) = (admission.snapshot(), admission.snapshot().businesses[0]);
    assert_eq!(
        before.demand(),
        jobs.demand(),
        "nothing but the jobs so far"
    );
    ear.clear();

    for _ in 0..50 {
        call(&service, asked(priority(5, 3))).await;
    }
    let mut reporting = asked(priority(5, 3));
    let withheld = HeaderValue::from_static("5;n=120, 6;n=7");
    reporting.headers_mut().insert("dagor-demand", withheld);
    call(&service, reporting).await;
    drop(pressure);

    let snapshot = admission.snapshot();
    let [five, six] = [snapshot.businesses[5], snapshot.businesses[6]];
    assert_eq!((five.arrived, five.withheld, five.admitted()), (51, 120, 0));
    assert_eq!((six.arrived, six.withheld), (0, 7));
    assert_eq!(
        snapshot.demand(),
        snapshot.businesses[0].demand() + 51 + 127
    );
    // Window by window too, which is where a rate comes from.
    let windows = || ear.heard().windows;
    let of_five = || {
        windows()
            .iter()
            .map(|window| {
                let demand = window.businesses[5];
                demand.arrived + demand.withheld
            })
            .sum::<u64>()
    };
    eventually("the window closes", || of_five() == 51 + 120).await;
    let all: u64 = windows().iter().map(|window| window.demand).sum();
    assert!(all >= 51 + 127, "{all}");
}

#[tokio::test(start_paused = true)]
async fn o23_callers_of_other_versions_are_understood() {
    let (admission, ear) = paused();
    let service = sleeper(&admission, ms(0));
    // An older caller sends no demand; a newer one sends more than is known here.
    let mut newer = saying("dagor-priority", &["3, 17;s=200;colour=\"red\";q, 4;z=?1"]);
    for (name, value) in [("dagor-future", "9"), ("dagor-demand", "4;n=2;by=17")] {
        let value = HeaderValue::from_static(value);
        newer.headers_mut().insert(name, value);
    }
    for request in [saying("dagor-priority", &["3, 17"]), newer] {
        assert_eq!(call(&service, request).await.status(), StatusCode::OK);
    }
    let snapshot = admission.snapshot();
    assert_eq!(snapshot.businesses[3].arrived, 2);
    assert_eq!(snapshot.businesses[4].withheld, 2);
    assert!(ear.heard().faults.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_task_in_progress_is_judged_by_its_business() {
    let (admission, _) = paused();
    let service = sleeper(&admission, ms(0));
    let _pressure = Pressure::on(&admission).await;
    for (says, status) in [
        ("0, 127", StatusCode::SERVICE_UNAVAILABLE),
        ("0, 127;p", StatusCode::OK),
        ("1, 0;p", StatusCode::SERVICE_UNAVAILABLE),
    ] {
        let response = call(&service, saying("dagor-priority", &[says])).await;
        assert_eq!(response.status(), status, "{says}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_is_answered_when_its_caller_stops_waiting() {
    let (admission, ear) = paused();
    let settings = Settings {
        concurrency: Concurrency::Fixed(1.try_into().unwrap()),
        ..Settings::default()
    };
    admission.reload(settings).unwrap();
    let service = sleeper(&admission, ms(0));
    let _held = admission.admit(priority(0, 0), ms(0)).await.unwrap();
    let start = admission.clock().now();
    let response = call(&service, saying("dagor-priority", &["0, 0;t=30"])).await;
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    let waited = admission.clock().now() - start;
    assert!((ms(30)..ms(75)).contains(&waited), "{waited:?}");
    assert_eq!(ear.heard().shed, [(priority(0, 0), Reason::Expired)]);
}

/// Fifty requests a second report more than anybody can have withheld, of what is admitted whole. As
/// demand that is admitted it would press the level down on everybody, to a third of what can be served.
#[tokio::test(start_paused = true)]
async fn a_caller_that_lies_about_its_demand_closes_the_level_for_nobody() {
    for lie in ["0;n=65535", "0;n=65535, 3;n=65535, 7;n=65535, 255;n=65535"] {
        let admission = Admission::builder("fields")
            .clock(Clock::tokio())
            .concurrency(Concurrency::Fixed(10.try_into().unwrap()))
            .build()
            .unwrap();
        // 1,000 a second.
        let service = sleeper(&admission, ms(10));
        let liar = service.clone();
        let liar = tokio::spawn(async move {
            loop {
                tokio::time::sleep(ms(20)).await;
                drop(call(&liar, saying("dagor-demand", &[lie])).await);
            }
        });
        let mut random = Random::new(9);
        let load = offer(&service, 1500, secs(10), || {
            let business = u8::try_from(random.below(8)).unwrap();
            random.user(business)
        });
        let load = load.await;
        liar.abort();
        assert!(load.share_of(10_000.0) > 0.95, "{lie}: {load:?}");
        let told = &admission.snapshot().businesses;
        assert!(told[0].withheld > 65_535, "told as it came: {told:?}");
    }
}
