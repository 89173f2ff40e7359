//! Bodies that the router reads before it knows whose they are: endless, empty, slow, too many.
#![cfg(feature = "axum")]

mod callback_support;

use std::{
    collections::HashMap,
    convert::Infallible,
    num::NonZeroU32,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, Method, StatusCode},
};
use callback_support::{
    added, posted, receiver,
    requests::{Log, Pieces, post, request, status, timed},
};
use http_body::Frame;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use wecom::callback::{Delivery, Endpoint, Handler};

/// A body of frames that are all there: these, over and over, until somebody is to blame.
struct Ready {
    read: Arc<AtomicUsize>,
    most: usize,
    frame: fn() -> Frame<Bytes>,
}

// === impl Ready ===

impl Ready {
    fn body(read: &Arc<AtomicUsize>, most: usize, frame: fn() -> Frame<Bytes>) -> Body {
        let read = Arc::clone(read);
        Body::new(Self { read, most, frame })
    }
}

impl http_body::Body for Ready {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let read = self.read.fetch_add(1, Ordering::Relaxed);
        assert!(read < self.most, "read for ever");
        Poll::Ready(Some(Ok((self.frame)())))
    }
}

fn endpoint(log: &Log) -> Endpoint<impl Handler> {
    let log = log.clone();
    Endpoint::new(receiver(), move |delivery: Delivery| {
        log.append(&delivery);
        async { Ok::<_, Infallible>(()) }
    })
}

/// A well-formed query, with a body that never comes.
fn hanging() -> http::Request<Body> {
    let never = Pieces::new(&Arc::default(), 1).slowly(Duration::from_secs(3600));
    request(Method::POST, &posted(&added("a", "b")).0, Body::new(never))
}

async fn post_body(router: &Router, body: Body) -> StatusCode {
    let (query, _) = posted(&added("a", "b"));
    status(router, request(Method::POST, &query, body)).await
}

#[tokio::test(start_paused = true)]
async fn an_oversized_body_is_refused_without_reading_it_all() {
    let router = endpoint(&Log::default()).into_router();
    let read = Arc::new(AtomicUsize::new(0));
    let body = Body::new(Pieces::new(&read, 1 << 20));
    assert_eq!(post_body(&router, body).await, 413);
    assert_eq!(
        read.load(Ordering::Relaxed),
        65,
        "one piece more than the limit"
    );

    let told = Body::from(vec![b' '; (64 << 10) + 1]);
    assert_eq!(post_body(&router, told).await, 413);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_trickles_is_given_up() {
    let router = endpoint(&Log::default()).into_router();
    let read = Arc::new(AtomicUsize::new(0));
    let pieces = Pieces::new(&read, 60).slowly(Duration::ZERO);
    let (answer, took) = timed(post_body(&router, Body::new(pieces))).await;
    assert_eq!((answer.as_u16(), took), (408, Duration::from_secs(2)));
    assert!(read.load(Ordering::Relaxed) < 10);

    let router = endpoint(&Log::default())
        .body_time(Duration::MAX)
        .into_router();
    let (answer, took) = timed(status(&router, hanging())).await;
    assert_eq!(
        (answer.as_u16(), took),
        (408, Duration::from_millis(4500)),
        "the deadline holds for all of it"
    );

    let router = endpoint(&Log::default())
        .body_time(Duration::ZERO)
        .into_router();
    assert_eq!(status(&router, post(&posted(&added("a", "b")))).await, 200);
    assert_eq!(status(&router, hanging()).await, 408);
}

#[tokio::test(start_paused = true)]
async fn frames_without_data_come_to_an_end() {
    let router = endpoint(&Log::default()).into_router();
    let empty: [fn() -> Frame<Bytes>; 2] = [
        || Frame::data(Bytes::new()),
        || Frame::trailers(HeaderMap::new()),
    ];
    for frame in empty {
        let read = Arc::new(AtomicUsize::new(0));
        let body = Ready::body(&read, 1 << 20, frame);
        assert_eq!(post_body(&router, body).await, 408);
        assert!(read.load(Ordering::Relaxed) < 1000);
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_all_there_leaves_room_for_others() {
    let router = endpoint(&Log::default()).into_router();
    let read = Arc::new(AtomicUsize::new(0));
    let (seen, counter) = (Arc::new(AtomicUsize::new(0)), Arc::clone(&read));
    let record = Arc::clone(&seen);
    let other = tokio::spawn(async move {
        record.store(counter.load(Ordering::Relaxed), Ordering::Relaxed);
    });
    let body = Ready::body(&read, 1 << 20, || Frame::data(Bytes::from_static(b" ")));
    assert_eq!(post_body(&router, body).await, 413);
    assert_eq!(read.load(Ordering::Relaxed), (64 << 10) + 1);
    assert!(other.is_finished(), "nobody else had a turn");
    assert!(seen.load(Ordering::Relaxed) < 1000);
}

#[tokio::test(start_paused = true)]
async fn a_few_empty_frames_and_trailers_do_no_harm() {
    struct Odd(Vec<Frame<Bytes>>);

    impl http_body::Body for Odd {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Ready(self.0.pop().map(Ok))
        }
    }

    let log = Log::default();
    let (query, body) = posted(&added("a", "b"));
    let (front, back) = body.split_at(20);
    let piece = |text: &str| Frame::data(Bytes::copy_from_slice(text.as_bytes()));
    let mut frames = vec![piece(front), piece(""), piece(back), piece("")];
    frames.push(Frame::trailers(HeaderMap::new()));
    frames.reverse();
    let request = request(Method::POST, &query, Body::new(Odd(frames)));
    assert_eq!(status(&endpoint(&log).into_router(), request).await, 200);
    assert_eq!(log.entries().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_query_that_is_none_is_refused_with_the_body_unread() {
    let router = endpoint(&Log::default()).into_router();
    let (good, _) = posted(&added("a", "b"));
    let parts: HashMap<_, _> = good.split('&').filter_map(|p| p.split_once('=')).collect();
    let without = |name: &str| {
        let rest = parts.iter().filter(|(found, _)| **found != name);
        rest.map(|(name, value)| format!("{name}={value}&"))
            .collect::<String>()
    };
    let mut bad = vec![
        String::new(),
        format!("{good}&nonce=x"),
        format!("{good}&echostr=%zz"),
        format!("{}timestamp=1e9", without("timestamp")),
        format!("{}timestamp=-1", without("timestamp")),
        format!("{}nonce=%ff", without("nonce")),
        format!("{}%6eonce=x", without("nonce")),
        format!("{good}&x={}", "y".repeat(8192)),
    ];
    bad.extend(["msg_signature", "timestamp", "nonce"].map(without));
    for query in bad {
        let read = Arc::new(AtomicUsize::new(0));
        let body = Body::new(Pieces::new(&read, 9).slowly(Duration::from_secs(1)));
        let (answer, took) = timed(status(&router, request(Method::POST, &query, body))).await;
        assert_eq!((answer.as_u16(), took), (400, Duration::ZERO), "{query}");
        assert_eq!(read.load(Ordering::Relaxed), 0, "{query}");
    }
}

#[tokio::test(start_paused = true)]
async fn bodies_that_never_come_take_no_place_of_a_handler() {
    let log = Log::default();
    let router = endpoint(&log).in_flight(NonZeroU32::MIN).into_router();
    for _ in 0..500 {
        let router = router.clone();
        tokio::spawn(async move { status(&router, hanging()).await });
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(status(&router, post(&posted(&added("a", "c")))).await, 200);
    assert_eq!(log.entries().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn when_too_many_are_read_the_oldest_gives_way() {
    let log = Log::default();
    let two = NonZeroU32::new(2).unwrap();
    let router = endpoint(&log).reading(two).into_router();
    let mut hung = Vec::new();
    for _ in 0..3 {
        let router = router.clone();
        hung.push(tokio::spawn(async move {
            timed(status(&router, hanging())).await
        }));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(status(&router, post(&posted(&added("a", "c")))).await, 200);
    let mut answers = Vec::new();
    for hung in hung {
        let (answer, took) = hung.await.unwrap();
        answers.push((answer.as_u16(), took.as_millis()));
    }
    assert_eq!(answers, [(503, 200), (503, 200), (408, 2000)]);

    // Those that came to their end are not in the way.
    let last = router.clone();
    let last = tokio::spawn(async move { timed(status(&last, hanging())).await });
    for customer in ["d", "e", "f"] {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let callback = posted(&added("a", customer));
        assert_eq!(status(&router, post(&callback)).await, 200);
    }
    let given_up = (StatusCode::REQUEST_TIMEOUT, Duration::from_secs(2));
    assert_eq!(last.await.unwrap(), given_up);
}

/// Sends bytes to a router on a socket and returns all that comes back.
async fn exchange(address: std::net::SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("it reads");
    stream.shutdown().await.expect("nothing more comes");
    let mut answer = Vec::new();
    // It may hang up on what is no request.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn a_length_that_lies_makes_nothing_durable() {
    let log = Log::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = endpoint(&log).into_router();
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    let (query, body) = posted(&added("a", "b"));
    let told = |length: usize| {
        format!("POST /?{query} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n{body}")
    };
    for length in [body.len() - 1, body.len() + 1, 0, 1 << 40] {
        let answer = exchange(address, &told(length)).await;
        assert!(!answer.contains("HTTP/1.1 200"), "{length}: {answer}");
        assert_eq!(log.entries().len(), 0, "{length}");
    }
    let answer = exchange(address, &told(body.len())).await;
    assert!(answer.contains("HTTP/1.1 200"), "{answer}");
    server.abort();
}
