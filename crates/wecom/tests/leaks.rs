//! No token, secret or id of a person in a log, an error or a `Debug`, whatever goes wrong.
#![cfg(feature = "tracing")]

mod client_fakes;

#[path = "support/listening.rs"]
mod listening;

use std::{error::Error as StdError, io, sync::Arc};

use client_fakes::{Answer, Fake, Gate, SECRET, Seen, Update, builder};
use wecom::{
    BoxError, Client, Credential, Error, Secret, SuiteTokens, Wire,
    limit::{Ask, BoxAcquire, Limiter, Refusal},
    token::{BoxFuture, Lease, Stored, TokenKey, TokenStore},
};

/// An id of a member, of a customer, a permanent code and a third party's token; and tokens as they are given out.
const MEMBER: &str = "zhangsan-wQ3";
const CUSTOMER: &str = "wmExternal-8Kd";
const PERMANENT: &str = "permanent-5Xc";
const SUITE: &str = "suite-token-2Lp";
const TOKEN: &str = "access-token-9Vb";

const HIDDEN: [&str; 6] = [SECRET, MEMBER, CUSTOMER, PERMANENT, SUITE, TOKEN];

/// Everything that an error shows of itself.
fn shown(error: &Error) -> String {
    let mut text = format!("{error} {error:?} {error:#?}");
    let mut next: Option<&dyn StdError> = Some(error);
    while let Some(error) = next {
        text.push_str(&format!("\n{error} {error:?}"));
        next = error.source();
    }
    text
}

#[track_caller]
fn assert_hides(text: &str) {
    for hidden in HIDDEN {
        assert!(!text.contains(hidden), "{hidden} in:\n{text}");
    }
}

/// A call that fails in every way there is, each with as much of the request as it can quote.
fn rules() -> Vec<fn(&Seen) -> Answer> {
    // As `reqwest` does.
    fn quotes_address(seen: &Seen) -> Answer {
        let text = format!("error sending request for url ({})", seen.uri);
        Answer::fails(move || io::Error::other(text.clone()).into())
    }
    fn quotes_body(seen: &Seen) -> Answer {
        let text = format!("cannot write {} to the proxy", seen.body);
        Answer::fails(move || text.clone().into())
    }
    vec![
        quotes_address,
        quotes_body,
        |_| Answer::ok(),
        |_| Answer::Never,
        |_| Answer::errcode(42001),
        |_| Answer::errcode(40001),
        |_| Answer::errcode(45009),
        |_| Answer::errcode(60111),
        |_| Answer::errcode(99999),
        |seen| Answer::Status(502, if seen.is_token() { SECRET } else { MEMBER }),
        |_| Answer::Json(MEMBER.to_owned()),
        |_| Answer::Json(format!(r#"{{"errcode":"{MEMBER}"}}"#)),
        |_| Answer::Json(format!(r#"{{"errcode":0,"config_id":"{CUSTOMER}"#)),
        |_| Answer::Json(format!(r#"{{"errcode":0,"access_token":{{"{TOKEN}":1}}}}"#)),
        |_| {
            Answer::Json(format!(
                r#"{{"errcode":0,"access_token":"{TOKEN}","expires_in":"{TOKEN}"}}"#
            ))
        },
        |_| {
            Answer::Json(format!(
                r#"{{"errcode":40058,"errmsg":"bad user {MEMBER}, hint: [1_2]"}}"#
            ))
        },
        |_| {
            let text = format!("{CUSTOMER} Warning: wrong json format. hint: [1_2]");
            Answer::Json(format!(r#"{{"errcode":0,"errmsg":"{text}"}}"#))
        },
    ]
}

/// Gives out [`TOKEN`] with a number, or answers by the rule.
fn fake(rule: fn(&Seen) -> Answer, tokens_too: bool) -> Fake {
    let n = std::sync::atomic::AtomicUsize::new(0);
    Fake::all(move |seen| {
        if !seen.is_token() && !seen.uri.path().ends_with("get_corp_token") || tokens_too {
            return Some(rule(seen));
        }
        let n = n.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let token = format!(r#"{{"access_token":"{TOKEN}{n}","expires_in":7200}}"#);
        Some(Answer::Json(token))
    })
}

struct Suite(bool);

impl SuiteTokens for Suite {
    fn suite_access_token(&self) -> BoxFuture<'_, Result<Secret, BoxError>> {
        let given = self.0;
        Box::pin(async move {
            if given {
                return Ok(SUITE.into());
            }
            Err(format!("{SUITE} has expired").into())
        })
    }
}

/// A limiter and a store whose failures quote what they were given.
#[derive(Debug)]
struct Broken;

impl Limiter for Broken {
    fn acquire<'a>(&'a self, _: Ask<'a>) -> BoxAcquire<'a> {
        Box::pin(async {
            Err(Refusal::Unreachable(
                format!("EVAL {TOKEN} {MEMBER}").into(),
            ))
        })
    }
}

fn broken<T>() -> BoxFuture<'static, Result<T, BoxError>> {
    Box::pin(async {
        Err(format!("unknown command SET, with args beginning with: {TOKEN}").into())
    })
}

impl TokenStore for Broken {
    fn load<'a>(&'a self, _: &'a TokenKey) -> BoxFuture<'a, Result<Option<Stored>, BoxError>> {
        broken()
    }

    fn lease<'a>(
        &'a self,
        _: &'a TokenKey,
        _: std::time::Duration,
    ) -> BoxFuture<'a, Result<Option<Lease>, BoxError>> {
        broken()
    }

    fn store<'a>(
        &'a self,
        _: &'a TokenKey,
        _: Stored,
    ) -> BoxFuture<'a, Result<Option<Stored>, BoxError>> {
        broken()
    }

    fn release<'a>(&'a self, _: &'a TokenKey, _: &'a Lease) -> BoxFuture<'a, Result<(), BoxError>> {
        broken()
    }

    fn remove<'a>(
        &'a self,
        _: &'a TokenKey,
        _: &'a Secret,
    ) -> BoxFuture<'a, Result<bool, BoxError>> {
        broken()
    }
}

/// Makes every call and returns how many failed; asserts that none of the errors shows anything.
async fn run_all() -> usize {
    let call = Update::of(MEMBER);
    let mut failed = 0;
    for (rule, tokens_too) in rules()
        .into_iter()
        .flat_map(|rule| [(rule, false), (rule, true)])
    {
        let gate = Gate::default();
        let suite =
            |given| Credential::suite("ww1", PERMANENT, Suite(given)).expect("a credential");
        let builders = [
            builder(&gate),
            builder(&gate).token_store(Arc::new(Broken)),
            builder(&gate).limiter(Arc::new(Broken)),
            Client::builder(suite(true)).limiter(Arc::new(gate.clone())),
            Client::builder(suite(false)).limiter(Arc::new(gate.clone())),
        ];
        for builder in builders {
            assert_hides(&format!("{builder:?} {builder:#?}"));
            let client = builder
                .build_with(fake(rule, tokens_too))
                .expect("a client");
            assert_hides(&format!("{client:?} {client:#?}"));
            for _ in 0..2 {
                if let Err(error) = client.send(&call).await {
                    failed += 1;
                    assert_hides(&shown(&error));
                }
            }
        }
    }
    failed
}

#[test]
fn nothing_that_fails_shows_a_token_a_secret_or_a_person() {
    let log = listening::Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::FULL)
        .with_writer(log.clone())
        .finish();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    listening::listen_everywhere();
    let failed = tracing::subscriber::with_default(subscriber, || runtime.block_on(run_all()));
    // Otherwise the test would pass because nothing happened.
    assert!(failed > 200, "only {failed} calls failed");
    let log = log.text();
    for told in [
        "wecom.call",
        "corp=\"ww1\"",
        "hint=\"1_2\"",
        "errcode=60111",
        "class=\"tenant\"",
    ] {
        assert!(log.contains(told), "no {told} in:\n{log}");
    }
    assert_hides(&log);
}

#[test]
fn what_is_sent_and_what_it_is_sent_with_show_nothing() {
    let credential = Credential::app("ww1", SECRET).unwrap();
    assert_hides(&format!("{credential:?}"));
    assert_hides(&format!("{:?}", Secret::from(TOKEN)));
    let wire = Wire::get("/cgi-bin/user/get", vec![("userid", MEMBER.to_owned())]);
    let body = serde_json::json!({ "external_userid": CUSTOMER });
    let post = Wire::post("/cgi-bin/externalcontact/get", &body).unwrap();
    let text = format!("{wire:?} {post:?} {post:#?}");
    assert_hides(&text);
    assert!(
        text.contains("userid") && text.contains("/cgi-bin/user/get"),
        "{text}"
    );
    let stored = Stored {
        token: TOKEN.into(),
        lasts: client_fakes::secs(1),
        whole: client_fakes::secs(1),
        generation: 1,
    };
    assert_hides(&format!("{stored:?}"));
}
