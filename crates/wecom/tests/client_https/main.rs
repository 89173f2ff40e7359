//! The default transport over real sockets: what it sends, what it keeps, and how it fails.
#![cfg(feature = "https")]

#[path = "../client_fakes/mod.rs"]
mod client_fakes;
mod tls;

use std::{
    error::Error as _,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use client_fakes::{Gate, Update, builder};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpListener,
};
use wecom::{
    Class, Client, Error, Https,
    error::{Kind, Unreadable},
};

const CALL: Update = Update::of("zhangsan");
const TOKEN: &str = r#"{"errcode":0,"access_token":"t","expires_in":7200}"#;
const OK: &str = r#"{"errcode":0,"errmsg":"ok"}"#;

/// What a peer does with a connection on which a call arrives.
#[derive(Clone, Copy)]
enum Peer {
    Answers(&'static str),
    /// Says that so much follows, and sends a part of it.
    Breaks,
    /// Closes without a word.
    Closes,
    /// Sends a body without an end.
    Floods,
    /// Sends a head and no body.
    Stops,
}

/// Reads a request with its body and returns its first line; none if the connection is over.
async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut bytes = Vec::new();
    let head = loop {
        let mut part = [0; 4096];
        let n = stream.read(&mut part).await.ok().filter(|n| *n > 0)?;
        bytes.extend_from_slice(&part[..n]);
        if let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break end + 4;
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).to_lowercase();
    let length = text.split("content-length: ").nth(1);
    let length = length.and_then(|l| l.split("\r\n").next()?.parse().ok());
    let missing = (head + length.unwrap_or(0)).saturating_sub(bytes.len());
    stream.read_exact(&mut vec![0; missing]).await.ok()?;
    text.lines().next().map(str::to_owned)
}

async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, peer: Peer) {
    while let Some(line) = read_request(&mut stream).await {
        let peer = if line.contains("/gettoken?") {
            Peer::Answers(TOKEN)
        } else {
            peer
        };
        let head = |length: usize| {
            format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
            )
        };
        let answer = match peer {
            Peer::Answers(body) => head(body.len()) + body,
            Peer::Breaks => head(100) + "{\"errcode\"",
            Peer::Stops => head(100),
            Peer::Closes => return,
            Peer::Floods => "HTTP/1.1 200 OK\r\n\r\n".to_owned(),
        };
        if stream.write_all(answer.as_bytes()).await.is_err() || matches!(peer, Peer::Breaks) {
            return;
        }
        // Ends when the client closes.
        if matches!(peer, Peer::Floods) {
            while stream.write_all(&[b' '; 8192]).await.is_ok() {}
            return;
        }
    }
}

/// Starts a peer and returns its address and how many connections it has accepted.
async fn start(peer: Peer) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&accepted);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            count.fetch_add(1, SeqCst);
            tokio::spawn(serve(stream, peer));
        }
    });
    (address, accepted)
}

fn client(base: &str, timeout: Duration) -> Client<Https> {
    let settings = builder(&Gate::default()).base_url(base).timeout(timeout);
    settings.longest_answer(100_000).build().expect("a client")
}

/// Makes a call to such a peer and returns how it fails.
async fn failure(peer: Peer) -> Error {
    let (address, _) = start(peer).await;
    // Long enough for a busy machine where it must not end, short where it must.
    let timeout = match peer {
        Peer::Stops => Duration::from_millis(200),
        _ => Duration::from_secs(60),
    };
    client(&format!("http://{address}"), timeout)
        .send(&CALL)
        .await
        .expect_err("it fails")
}

fn source(error: &Error) -> String {
    assert!(matches!(error.kind(), Kind::Lost(_)), "{error:?}");
    error.source().expect("a cause").to_string()
}

#[tokio::test]
async fn calls_share_a_connection_and_so_do_clients() {
    let (address, accepted) = start(Peer::Answers(OK)).await;
    let https = Https::new().unwrap();
    for _ in 0..3 {
        let settings = builder(&Gate::default()).base_url(format!("http://{address}"));
        let client = settings.build_with(https.clone()).unwrap();
        for _ in 0..3 {
            client.send(&CALL).await.unwrap();
        }
    }
    assert_eq!(accepted.load(SeqCst), 1);
}

#[tokio::test]
async fn an_answer_that_breaks_off_or_never_comes_is_lost() {
    let text = source(&failure(Peer::Closes).await);
    assert!(
        text.contains("connection closed before message completed"),
        "{text}"
    );
    let text = source(&failure(Peer::Breaks).await);
    assert!(text.contains("unexpected end of file"), "{text}");
    assert_eq!(
        source(&failure(Peer::Stops).await),
        "no answer within 200ms"
    );
}

#[tokio::test]
async fn an_answer_without_an_end_is_left_at_the_bound() {
    let error = failure(Peer::Floods).await;
    let Kind::Unreadable(Unreadable { status: 200, why }) = error.kind() else {
        panic!("{error:?}");
    };
    assert_eq!(*why, "the body is longer than an answer may be");
}

#[tokio::test]
async fn a_peer_that_is_not_there_is_named_by_what_the_system_says() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let client = client(&format!("http://{address}"), Duration::from_secs(60));
    let error = client.send(&CALL).await.unwrap_err();
    assert_eq!(error.class(), Class::Transient);
    let text = format!("{error:?}");
    assert!(
        text.contains("client error (Connect)") && text.contains("refused"),
        "{text}"
    );
}

#[tokio::test]
async fn without_a_connection_nothing_was_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let nobody = listener.local_addr().expect("an address");
    drop(listener);
    let settings = builder(&Gate::default()).base_url(format!("http://{nobody}"));
    let error = settings.build().expect("a client").send(&CALL).await;
    let error = error.expect_err("nobody listens");
    assert!(!error.may_have_been_applied(), "{error}");
    let text = error.to_string();
    assert!(text.contains("not sent, no connection"), "{text}");
}
