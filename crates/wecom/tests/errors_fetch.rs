//! Which API is named, in errors and in numbers, when the token of a call could not be fetched.

mod client_fakes;

use std::{future::pending, sync::Arc, time::Duration};

use client_fakes::{Answer, Fake, Gate, SECRET, UPDATE, Update, secs};
use tokio::task::JoinSet;
use wecom::{
    Api, Client, Clock, Credential, Error, Secret, SuiteTokens,
    error::{Kind, NoToken},
    token::{BoxFuture, Egress},
};

/// A third party whose own token is there, or never comes.
#[derive(Clone, Copy)]
enum Suite {
    There,
    Hangs,
}

impl SuiteTokens for Suite {
    fn suite_access_token(&self) -> BoxFuture<'_, Result<Secret, wecom::BoxError>> {
        Box::pin(async {
            match self {
                Self::There => Ok(Secret::from("suite-token")),
                Self::Hangs => pending().await,
            }
        })
    }
}

fn app() -> Credential {
    Credential::app("ww1", SECRET).expect("a good credential")
}

fn suite(suite: Suite) -> Credential {
    Credential::suite("ww1", "permanent", suite).expect("a good credential")
}

/// Makes a call whose token is answered so, and returns its error and the limiter that it had.
async fn failed(credential: Credential, answer: Answer) -> (Error, Gate) {
    let gate = Gate::default();
    let fake = Fake::all(move |_| Some(answer.clone()));
    let builder = Client::builder(credential).limiter(Arc::new(gate.clone()));
    let client = builder.patience(secs(60)).build_with(fake);
    let client = client.expect("good settings");
    let error = client.send(&Update::of("zhangsan")).await;
    (error.expect_err("there is no token"), gate)
}

fn fetch_of(error: &Error) -> &Error {
    match error.kind() {
        Kind::NoToken(NoToken::Fetch(fetch)) => fetch,
        other => panic!("not a failed fetch: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn the_fetch_that_failed_is_named_whoever_made_the_error() {
    let refused = || Answer::errcode(40001);
    let reset = || Answer::fails(|| "reset".into());
    // The last is given up by the keeper, which knows no more than what the credential tells of itself.
    let cases = [
        (app(), refused(), Api::GET_TOKEN),
        (app(), reset(), Api::GET_TOKEN),
        (app(), Answer::Never, Api::GET_TOKEN),
        (suite(Suite::There), refused(), Api::GET_CORP_TOKEN),
        (suite(Suite::There), reset(), Api::GET_CORP_TOKEN),
        (suite(Suite::There), Answer::Never, Api::GET_CORP_TOKEN),
        (suite(Suite::Hangs), refused(), Api::GET_CORP_TOKEN),
    ];
    for (credential, answer, api) in cases {
        let (error, gate) = failed(credential, answer).await;
        assert_eq!(error.api(), UPDATE, "the call is the caller's: {error}");
        assert_eq!(fetch_of(&error).api(), api, "{error}");
        assert!(error.to_string().contains(api.name()), "{error}");
        // Nor is room asked for in another's name.
        assert_eq!(gate.asked().len(), 0, "{error}");
    }
}

#[cfg(feature = "metrics")]
#[test]
fn the_fetch_is_counted_as_the_api_it_is() {
    use metrics_exporter_prometheus::PrometheusBuilder;

    for (credential, api, other) in [
        (app(), "gettoken", "get_corp_token"),
        (suite(Suite::There), "get_corp_token", "gettoken"),
    ] {
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        metrics::with_local_recorder(&recorder, || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .start_paused(true)
                .build();
            let run = failed(credential, Answer::errcode(40001));
            runtime.expect("a runtime").block_on(run)
        });
        let told = handle.render();
        let counted = format!("wecom_calls_total{{api=\"{api}\",class=\"tenant\"}} 1");
        assert!(told.contains(&counted), "{told}");
        assert!(!told.contains(other), "{told}");
    }
}

/// Each has its own provider, and all call from one address: what was not sent is nothing that WeCom can refuse.
#[tokio::test(start_paused = true)]
async fn providers_that_hang_keep_nobody_else_from_fetching() {
    let clock = Clock::system();
    let egress = Egress::default();
    let fake = Fake::calls(|_| Answer::ok());
    let client = |credential: Credential| {
        let builder = Client::builder(credential).limiter(Arc::new(Gate::default()));
        let builder = builder.egress(egress.clone()).patience(secs(60));
        builder.build_with(fake.clone()).expect("good settings")
    };
    let mut waiting = JoinSet::new();
    for number in 0..1000 {
        let corp = format!("ww{number}");
        let credential = Credential::suite(&corp, "permanent", Suite::Hangs);
        let client = client(credential.expect("a good credential"));
        waiting.spawn(async move { client.send(&Update::of("zhangsan")).await });
    }
    tokio::task::yield_now().await;
    let call = client(app()).send(&Update::of("zhangsan")).await;
    assert!(call.is_ok(), "{call:?}");
    assert_eq!(clock.now(), Duration::ZERO, "at once");
    while let Some(done) = waiting.join_next().await {
        let error = done.expect("no panic").expect_err("there is no provider");
        let inner = fetch_of(&error).kind();
        assert!(
            matches!(inner, Kind::NoToken(NoToken::Suite(_))),
            "{inner:?}"
        );
    }
    assert_eq!(fake.tokens(), 1);
}
