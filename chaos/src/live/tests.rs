//! Channels and servers without a graph between them.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::serve::Listener as _;
use dagor::Admission;
use http::{HeaderName, HeaderValue, StatusCode};
use tokio::sync::mpsc;
use tower::Layer as _;

use super::{
    channel::{Address, channel},
    server::Server,
    socket::Incoming,
};
use crate::{
    scenario::Protocol,
    wire::{
        self, Answer, Answering, Body, Call, Ending, Exchange, Link, LinkService, Request,
        Unreachable, tower_link,
    },
};

const PROTOCOLS: [Protocol; 2] = [Protocol::Http, Protocol::Grpc];
const MARK: HeaderName = HeaderName::from_static("x-mark");
const CALL: Call = Call {
    task: 7,
    business: 1,
    number: 3,
    user: 11,
    place: 512,
    deadline: Duration::from_millis(1_500),
    draw: 99,
};

/// A callee made of a closure.
struct Callee<F>(F);

impl<F> Exchange for Callee<F>
where
    F: Fn(Request) -> Answering + Send + Sync,
{
    fn send(&self, request: Request) -> Answering {
        (self.0)(request)
    }
}

fn link(answer: impl Fn(Request) -> Answering + Send + Sync + 'static) -> Link {
    Arc::new(Callee(answer))
}

fn ready(answer: Answer) -> Answering {
    Box::pin(std::future::ready(answer))
}

/// Starts a server at any free port.
fn start(protocol: Protocol, link: Link) -> (Server, Link, SocketAddr) {
    start_watched(protocol, link, None)
}

/// The same, with somebody who wants to see the waits in the sockets.
fn start_watched(
    protocol: Protocol,
    link: Link,
    watcher: Option<&Admission>,
) -> (Server, Link, SocketAddr) {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let incoming = Incoming::bind(any).unwrap();
    let address = incoming.local_addr().unwrap();
    let runtime = tokio::runtime::Handle::current();
    let server = Server::start(&runtime, incoming, (protocol, link), watcher);
    let to = Address::default();
    to.set(address);
    (server, channel(protocol, to), address)
}

fn request() -> Request {
    let mut request = Request::new(Body::empty());
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = "http://M-0/b/3".parse().unwrap();
    request
        .headers_mut()
        .insert(MARK, HeaderValue::from_static("there"));
    request.extensions_mut().insert(CALL);
    request
}

#[tokio::test]
async fn fields_path_and_call_arrive_and_fields_come_back() {
    for protocol in PROTOCOLS {
        let seen: Arc<Mutex<Vec<(String, Option<Call>, Option<HeaderValue>)>>> = Arc::default();
        let (_server, to, _) = start(protocol, {
            let seen = Arc::clone(&seen);
            link(move |request| {
                seen.lock().unwrap().push((
                    request.uri().path().to_owned(),
                    request.extensions().get().copied(),
                    request.headers().get(MARK).cloned(),
                ));
                let mut response = wire::respond(StatusCode::OK);
                let headers = response.headers_mut();
                headers.insert(wire::TOLD, HeaderValue::from_static("0.25"));
                ready(Ok(response))
            })
        });
        for _ in 0..2 {
            let answer = to.send(request()).await;
            assert_eq!(
                Ending::of(&answer),
                Ending::Served,
                "{protocol:?} {answer:?}"
            );
            assert_eq!(
                answer.unwrap().headers()[wire::TOLD],
                "0.25",
                "{protocol:?}"
            );
        }
        let there = Some(HeaderValue::from_static("there"));
        let one = ("/b/3".to_owned(), Some(CALL), there);
        assert_eq!(*seen.lock().unwrap(), vec![one; 2], "{protocol:?}");
    }
}

#[tokio::test]
async fn refusals_and_failures_are_told_apart_over_either_protocol() {
    let throttled = || Ok(wire::respond(StatusCode::TOO_MANY_REQUESTS));
    let exhausted = || {
        let mut response = wire::respond(StatusCode::OK);
        let headers = response.headers_mut();
        headers.insert("grpc-status", HeaderValue::from_static("8"));
        headers.insert("dagor-level", HeaderValue::from_static("12"));
        Ok(response)
    };
    let broken = || Ok(wire::respond(StatusCode::BAD_GATEWAY));
    let failed = || Err("out of order".into());
    type Make = fn() -> Answer;
    let cases: [(Make, Ending, StatusCode); 5] = [
        (
            || Ok(wire::refuse()),
            Ending::Refused,
            StatusCode::SERVICE_UNAVAILABLE,
        ),
        (throttled, Ending::Refused, StatusCode::TOO_MANY_REQUESTS),
        (exhausted, Ending::Refused, StatusCode::OK),
        (broken, Ending::Failed, StatusCode::BAD_GATEWAY),
        (failed, Ending::Failed, StatusCode::INTERNAL_SERVER_ERROR),
    ];
    for protocol in PROTOCOLS {
        for (number, (make, ending, status)) in cases.into_iter().enumerate() {
            let (_server, to, _) = start(protocol, link(move |_| ready(make())));
            let answer = to.send(request()).await;
            assert_eq!(
                Ending::of(&answer),
                ending,
                "{protocol:?} {number} {answer:?}"
            );
            let response = answer.unwrap();
            assert_eq!(response.status(), status, "{protocol:?} {number}");
            let level = response.headers().contains_key("dagor-level");
            assert_eq!(level, number == 2, "{protocol:?} {number}");
        }
    }
}

#[tokio::test]
async fn the_dead_break_what_is_under_way_refuse_and_come_back() {
    for protocol in PROTOCOLS {
        let (asked, mut hears) = mpsc::unbounded_channel();
        let silent = link(move |_| {
            asked.send(()).unwrap();
            Box::pin(std::future::pending())
        });
        let (server, to, address) = start(protocol, silent);
        let waiting = tokio::spawn(to.send(request()));
        hears.recv().await.unwrap();

        drop(server);
        let broken = waiting.await.unwrap();
        assert_eq!(Ending::of(&broken), Ending::Failed, "{protocol:?}");
        assert!(
            hears.recv().await.is_none(),
            "{protocol:?}: the instance is gone altogether"
        );
        let refused = to.send(request()).await.unwrap_err();
        assert!(refused.is::<Unreachable>(), "{protocol:?}: {refused:?}");

        let well = link(|_| ready(Ok(wire::respond(StatusCode::OK))));
        let incoming = Incoming::bind(address).unwrap();
        let runtime = tokio::runtime::Handle::current();
        let _server = Server::start(&runtime, incoming, (protocol, well), None);
        let answer = to.send(request()).await;
        assert_eq!(
            Ending::of(&answer),
            Ending::Served,
            "{protocol:?} {answer:?}"
        );
    }
}

#[tokio::test]
async fn a_caller_that_gives_up_is_noticed() {
    /// Tells when it is dropped.
    struct Gone(mpsc::UnboundedSender<&'static str>);
    impl Drop for Gone {
        fn drop(&mut self) {
            let _ = self.0.send("gone");
        }
    }
    for protocol in PROTOCOLS {
        let (tells, mut hears) = mpsc::unbounded_channel();
        let (_server, to, _) = start(
            protocol,
            link(move |_| {
                tells.send("asked").unwrap();
                let gone = Gone(tells.clone());
                Box::pin(async move {
                    let _gone = gone;
                    std::future::pending().await
                })
            }),
        );
        let waiting = tokio::spawn(to.send(request()));
        assert_eq!(hears.recv().await, Some("asked"), "{protocol:?}");
        waiting.abort();
        assert_eq!(hears.recv().await, Some("gone"), "{protocol:?}");
    }
}

#[tokio::test]
async fn who_wants_to_sees_the_waits_in_sockets() {
    let waited = async |watched: bool| {
        let admission = Admission::builder("M").build().unwrap();
        let work = link(|_| ready(Ok(wire::respond(StatusCode::OK))));
        let protected = tower_link(admission.layer().layer(LinkService(work)));
        let watcher = watched.then_some(&admission);
        let (_server, to, _) = start_watched(Protocol::Http, protected, watcher);
        let answer = to.send(request()).await;
        assert_eq!(Ending::of(&answer), Ending::Served, "{answer:?}");
        admission.snapshot().queuing
    };
    // From accepting the connection to reading the request some microseconds pass; without a look it is none, of
    // which the histogram makes its least.
    let (seen, unseen) = (waited(true).await, waited(false).await);
    assert_eq!((seen.count, unseen.count), (1, 1));
    assert!(unseen.max <= Duration::from_micros(1), "{unseen:?}");
    assert!(seen.max > unseen.max, "{seen:?}");
}
