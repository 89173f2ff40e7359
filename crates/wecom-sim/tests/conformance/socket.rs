//! The same over a socket.

use std::net::SocketAddr;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use wecom_sim::{
    Sim,
    profile::{Fault, FaultKind},
};

use crate::vendor::{fault, profile};

async fn listening(faults: Vec<Fault>) -> (Sim, wecom_sim::Running) {
    let mut profile = profile();
    profile.faults = faults;
    let sim = Sim::new(&profile).expect("the profile is right");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let running = sim.listen(listener).expect("an address");
    (sim, running)
}

const RIGHT: &str =
    "GET /cgi-bin/gettoken?corpid=corp&corpsecret=right HTTP/1.1\r\nhost: x\r\n\r\n";

async fn connect(addr: SocketAddr) -> TcpStream {
    TcpStream::connect(addr).await.expect("it listens")
}

/// Reads until the text has come.
async fn read_to(stream: &mut TcpStream, end: &str) -> String {
    let mut read = Vec::new();
    let mut some = [0; 4096];
    while !String::from_utf8_lossy(&read).contains(end) {
        let count = stream.read(&mut some).await.expect("it answers");
        assert_ne!(count, 0, "closed after {}", String::from_utf8_lossy(&read));
        read.extend_from_slice(&some[..count]);
    }
    String::from_utf8(read).expect("text")
}

#[tokio::test]
async fn a_connection_is_kept_and_pipelined() {
    let (_sim, running) = listening(vec![]).await;
    let mut stream = connect(running.addr()).await;
    for _ in 0..2 {
        stream.write_all(RIGHT.as_bytes()).await.unwrap();
        let answer = read_to(&mut stream, "expires_in").await;
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    }
    stream.write_all(RIGHT.repeat(3).as_bytes()).await.unwrap();
    let mut read = String::new();
    while read.matches("expires_in").count() < 3 {
        read += &read_to(&mut stream, "expires_in").await;
    }
}

#[tokio::test]
async fn a_reset_is_a_reset() {
    let (_sim, running) = listening(vec![fault(Some("gettoken"), FaultKind::Reset)]).await;
    let mut stream = connect(running.addr()).await;
    stream.write_all(RIGHT.as_bytes()).await.unwrap();
    let failed = stream.read(&mut [0; 16]).await.unwrap_err();
    assert_eq!(failed.kind(), std::io::ErrorKind::ConnectionReset);
}

#[tokio::test]
async fn the_peer_or_the_header_is_the_caller() {
    let (_sim, running) = listening(vec![]).await;
    let mut stream = connect(running.addr()).await;
    let wrong = RIGHT.replace("right", "wrong");
    stream.write_all(wrong.as_bytes()).await.unwrap();
    assert!(
        read_to(&mut stream, "e=40001")
            .await
            .contains("from ip: 127.0.0.1,")
    );
    let played = wrong.replace("host: x", "host: x\r\nx-caller-ip: 203.0.113.5");
    stream.write_all(played.as_bytes()).await.unwrap();
    assert!(
        read_to(&mut stream, "e=40001")
            .await
            .contains("from ip: 203.0.113.5,")
    );
}

#[tokio::test]
async fn a_body_above_a_megabyte_is_40206() {
    let (_sim, running) = listening(vec![]).await;
    let mut stream = connect(running.addr()).await;
    let length = 2 << 20;
    let head = format!(
        "POST /cgi-bin/externalcontact/get_contact_way HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    // The answer may come before all of it went out.
    let (mut reader, mut writer) = stream.split();
    let write = async {
        let some = vec![b' '; 64 << 10];
        for _ in 0..length / some.len() {
            if writer.write_all(&some).await.is_err() {
                break;
            }
        }
    };
    let read = async {
        let mut read = vec![0; 4096];
        let count = reader.read(&mut read).await.unwrap();
        String::from_utf8_lossy(&read[..count]).into_owned()
    };
    let (_, answer) = tokio::join!(write, read);
    assert!(answer.contains("\"errcode\":40206"), "{answer}");
}

#[tokio::test]
async fn stopping_closes_what_is_open() {
    let (_sim, running) = listening(vec![]).await;
    let addr = running.addr();
    let mut stream = connect(addr).await;
    stream.write_all(RIGHT.as_bytes()).await.unwrap();
    read_to(&mut stream, "expires_in").await;
    running.stop().await;
    assert!(matches!(stream.read(&mut [0; 16]).await, Ok(0) | Err(_)));
    assert!(TcpStream::connect(addr).await.is_err());
}
