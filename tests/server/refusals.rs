//! How a refusal is said, and that the level is on every response, refusal or not.

use dagor::{
    Admission, Clock, Settings, Shed,
    config::Refusal,
    wire::{LevelField, Outcome},
};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;

use crate::{
    health::grpc,
    support::{
        Asked, Pressure, asked, call, eventually, get, level_of, ms, priority, protect, secs,
        sleeper,
    },
};

fn paused() -> Admission {
    Admission::builder("refusals")
        .clock(Clock::tokio())
        .build()
        .unwrap()
}

fn as_grpc(mut request: Asked) -> Asked {
    let content = HeaderValue::from_static("application/grpc+proto");
    request.headers_mut().insert("content-type", content);
    request
}

#[tokio::test(start_paused = true)]
async fn o12_every_response_carries_the_level() {
    let admission = paused();
    let service = protect(&admission, async |request: Asked| {
        let mut response = Response::new(Full::from("body"));
        match request.uri().path() {
            "/failed" => *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR,
            "/missing" => *response.status_mut() = StatusCode::NOT_FOUND,
            // A gRPC error before any message: the head is the trailers too.
            "/trailers-only" => {
                *response.body_mut() = Full::default();
                let status = HeaderValue::from_static("13");
                response.headers_mut().insert("grpc-status", status);
            }
            "/own" => {
                let own = HeaderValue::from_static("1;w=9");
                response.headers_mut().insert("dagor-level", own);
            }
            _ => {}
        }
        response
    });
    for path in [
        "/",
        "/failed",
        "/missing",
        "/trailers-only",
        "/own",
        "/healthz",
    ] {
        for request in [get(path), as_grpc(get(path))] {
            let response = call(&service, request).await;
            let field = level_of(response.headers());
            assert_eq!(field, LevelField::new(admission.level()), "{path}");
        }
    }

    let _pressure = Pressure::on(&admission).await;
    for request in [get("/"), as_grpc(get("/"))] {
        let response = call(&service, request).await;
        let field = level_of(response.headers());
        assert_eq!(
            (field.level, field.outcome),
            (admission.level(), Outcome::Shed)
        );
        let shed = response.extensions().get::<Shed>().unwrap();
        assert_eq!(shed.level(), field.level, "and in process as a value");
    }
}

#[tokio::test(start_paused = true)]
async fn o12_the_load_on_a_response_is_everybody_else() {
    let admission = paused();
    let settings = Settings {
        concurrency: dagor::Concurrency::Fixed(2.try_into().unwrap()),
        ..Settings::default()
    };
    admission.reload(settings).unwrap();
    let service = sleeper(&admission, ms(10));
    let calls = (0..5).map(|_| call(&service, get("/")));
    let answers = futures_util::future::join_all(calls).await;
    let mut loads: Vec<_> = answers
        .iter()
        .map(|answer| level_of(answer.headers()))
        .map(|field| (field.waiting, field.running))
        .collect();
    loads.sort_unstable();
    // Two end at the same moment twice, and the last one leaves nobody behind.
    assert_eq!(loads.first(), Some(&(0, 0)));
    assert_eq!(loads.last(), Some(&(3, 1)));
}

/// The whole seconds of `Retry-After` of many refusals.
async fn retry_after(service: &crate::support::Service) -> Vec<u64> {
    let mut seconds = Vec::new();
    for _ in 0..200 {
        let response = call(service, get("/")).await;
        let value = response.headers()["retry-after"].to_str().unwrap();
        seconds.push(value.parse().unwrap());
    }
    seconds
}

#[tokio::test(start_paused = true)]
async fn o19_an_http_refusal_says_when_to_come_back() {
    let admission = paused();
    let service = sleeper(&admission, ms(1));
    let _pressure = Pressure::on(&admission).await;

    let response = call(&service, get("/")).await;
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(
        response.headers()["content-type"],
        "text/plain; charset=utf-8"
    );
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "overloaded, try again later\n");
    let seconds = retry_after(&service).await;
    for second in 1..=3 {
        assert!(seconds.contains(&second), "spread from 1 to 3");
    }
    assert!(seconds.iter().all(|seconds| (1..=3).contains(seconds)));

    let refusal = Refusal {
        status: 429,
        body: r#"{"error":"busy"}"#.into(),
        content_type: "application/json".into(),
        retry_after: (secs(7), secs(7)),
    };
    let settings = Settings {
        refusal,
        ..Settings::default()
    };
    admission.reload(settings).unwrap();
    let response = call(&service, get("/")).await;
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(response.headers()["content-type"], "application/json");
    assert_eq!(response.headers()["retry-after"], "7");
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, r#"{"error":"busy"}"#);
}

#[tokio::test(start_paused = true)]
async fn o19_one_level_for_both_protocols() {
    let admission = paused();
    let (http, grpc) = (sleeper(&admission, ms(1)), sleeper(&admission, ms(1)));
    let _pressure = Pressure::on(&admission).await;
    let plain = call(&http, asked(priority(2, 9))).await;
    let rpc = call(&grpc, as_grpc(asked(priority(2, 9)))).await;
    assert_eq!(plain.status(), 503);
    assert_eq!(
        (rpc.status(), &rpc.headers()["grpc-status"]),
        (StatusCode::OK, &"8".parse().unwrap())
    );
    assert_eq!(
        level_of(plain.headers()).level,
        level_of(rpc.headers()).level
    );
    let counts = admission.snapshot().businesses[2];
    assert_eq!((counts.arrived, counts.shed_total()), (2, 2));
    // And the most important are served by both.
    for service in [&http, &grpc] {
        let response = call(service, as_grpc(asked(priority(0, 0)))).await;
        assert!(!response.headers().contains_key("grpc-status"));
    }
}

/// The health service stands for any gRPC service: one unary and one streaming method. Nothing is exempt.
#[tokio::test]
async fn o19_tonic_clients_understand_a_refusal() {
    let settings = Settings {
        exempt: Vec::new(),
        ..Settings::default()
    };
    let admission = Admission::builder("o19")
        .settings(settings)
        .build()
        .unwrap();
    let mut client = grpc(&admission).await;
    client.check(HealthCheckRequest::default()).await.unwrap();

    let _pressure = Pressure::on(&admission).await;
    let unary = client.check(HealthCheckRequest::default()).await;
    let streaming = client.watch(HealthCheckRequest::default()).await;
    for status in [unary.err(), streaming.err()] {
        let status = status.expect("refused");
        assert_eq!(status.code(), Code::ResourceExhausted);
        let metadata = status.metadata();
        let pushback = metadata.get("grpc-retry-pushback-ms").unwrap();
        let pushback: u64 = pushback.to_str().unwrap().parse().unwrap();
        assert!((1000..=3000).contains(&pushback), "{pushback}");
        let field = LevelField::parse(metadata.get("dagor-level").unwrap().as_bytes()).unwrap();
        assert_eq!(field.outcome, Outcome::Shed);
    }
    eventually("nothing of a refusal is left in flight", || {
        admission.snapshot().in_flight == 0
    })
    .await;
}
