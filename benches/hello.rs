//! What does the layer take from the throughput of a real server that does nothing?
//!
//! axum over loopback, HTTP/1, a handler that answers `hello`, on a runtime with one worker. A second thread
//! keeps 16 connections busy, each with one request at a time (closed loop), and so has the other core of two.
//! Two servers stand side by side for the whole run, `without` and `with` the layer and its listener; turns
//! of a quarter of a second alternate between them, and each pair gives one ratio `with` / `without`. What disturbs the
//! machine for longer than a pair disturbs both halves; the median of the ratios is the figure. Included: everything that
//! a request costs, so the layer's share is what it would be in the leanest real service. The client
//! sends no priority, and does not obey one.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a bench that times and prints"
)]

use std::{
    net::SocketAddr,
    thread,
    time::{Duration, Instant},
};

use axum::{Router, routing::get};
use dagor::Admission;
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, sync::oneshot, task::JoinSet};

type Sender = http1::SendRequest<Empty<bytes::Bytes>>;
type Failure = Box<dyn std::error::Error + Send + Sync>;

const CONNECTIONS: usize = 16;
const TURN: Duration = Duration::from_millis(250);

/// Serves `hello` on one worker, behind `admission` if there is one; returns where.
fn serve(admission: Option<Admission>) -> Result<SocketAddr, Failure> {
    let (tell, told) = oneshot::channel();
    thread::spawn(move || -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        runtime.block_on(async {
            // The accept loop is a task like the connections: the thread that blocks here is no worker.
            tokio::spawn(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await?;
                // Whoever asked waits for it.
                let _ = tell.send(listener.local_addr()?);
                let app = Router::new().route("/", get(|| async { "hello" }));
                match admission {
                    None => axum::serve(listener, app).await,
                    Some(admission) => {
                        let app = app.layer(admission.layer());
                        axum::serve(admission.listener(listener), app).await
                    }
                }
            })
            .await
        })??;
        Ok(())
    });
    Ok(told.blocking_recv()?)
}

async fn connect(address: SocketAddr) -> Result<Vec<Sender>, Failure> {
    let mut senders = Vec::new();
    for _ in 0..CONNECTIONS {
        let stream = tokio::net::TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        senders.push(sender);
    }
    Ok(senders)
}

/// Keeps every connection busy for one turn; returns the answers a second.
async fn turn(senders: &mut Vec<Sender>) -> Result<f64, Failure> {
    let begun = Instant::now();
    let end = begun + TURN;
    let mut loops = JoinSet::new();
    for mut sender in senders.drain(..) {
        loops.spawn(async move {
            let mut answers = 0_u32;
            while Instant::now() < end {
                let request = hyper::Request::get("/")
                    .header("host", "localhost")
                    .body(Empty::new())?;
                let response = sender.send_request(request).await?;
                if !response.status().is_success() {
                    return Err("a request was refused".into());
                }
                response.into_body().collect().await?;
                answers += 1;
            }
            Ok::<_, Failure>((sender, answers))
        });
    }
    let mut answers = 0;
    while let Some(ended) = loops.join_next().await {
        let (sender, counted) = ended??;
        senders.push(sender);
        answers += counted;
    }
    Ok(f64::from(answers) / begun.elapsed().as_secs_f64())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<(), Failure> {
    let pairs = if std::env::args().any(|arg| arg == "--quick") {
        4
    } else {
        40
    };
    let without = serve(None)?;
    let with = serve(Some(Admission::builder("hello").build()?))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let (mut without, mut with) = (connect(without).await?, connect(with).await?);
        turn(&mut without).await?;
        turn(&mut with).await?;
        let (mut ratios, mut bare, mut behind) = (Vec::new(), Vec::new(), Vec::new());
        for pair in 0..pairs {
            // Whoever goes second in one pair goes first in the next.
            let (a, b) = if pair % 2 == 0 {
                let a = turn(&mut without).await?;
                (a, turn(&mut with).await?)
            } else {
                let b = turn(&mut with).await?;
                (turn(&mut without).await?, b)
            };
            bare.push(a);
            behind.push(b);
            ratios.push(b / a);
        }
        let ratio = median(&mut ratios);
        let (low, high) = (ratios[ratios.len() / 4], ratios[ratios.len() * 3 / 4]);
        println!(
            "hello/without          {:.0} requests a second\n\
             hello/with             {:.0} requests a second\n\
             hello/ratio            {ratio:.3} (quartiles {low:.3} and {high:.3}, {pairs} pairs)",
            median(&mut bare),
            median(&mut behind),
        );
        Ok(())
    })
}
