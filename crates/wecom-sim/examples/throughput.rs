//! Tells how many `update_contact_way` calls a second the simulation answers over loopback, on two threads that the
//! load generator shares; beside it the same load on a bare hyper handler that reads the body and parses nothing.
//!
//! Included: sockets, HTTP/1.1 both ways, token, windows of enterprise and IP (on, and too large to be hit), JSON, the
//! checks of ten members, the change, the answer. The load's requests are made beforehand, and it reads answers by
//! their length, so it costs little. Every answer is counted in the simulation's own figures, which must all be 0.
//!
//! `cargo run --release -p wecom-sim --example throughput [-- SECONDS CONNECTIONS]`; default 5 and 32.
#![expect(clippy::print_stdout, reason = "an example tells what it found")]

use std::{convert::Infallible, env, error::Error, net::SocketAddr, time::Duration};

use bytes::Bytes;
use http::{Request, Response, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use wecom::Clock;
use wecom_sim::{
    Profile, Sim,
    profile::{Corp, Windows},
    world::CodeSeed,
};

type Failed = Box<dyn Error + Send + Sync>;

/// The requests of one connection, sent again and again; each is so many calls.
#[derive(Clone)]
struct Load {
    batches: Vec<Vec<u8>>,
    depth: usize,
}

const CODES: usize = 200;
const MEMBERS: usize = 40;
const OK: &str = r#"{"errcode":0,"errmsg":"ok"}"#;

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Failed> {
    let mut sizes = env::args().skip(1).map(|size| size.parse::<u32>());
    let seconds = sizes.next().transpose()?.unwrap_or(5);
    let connections = sizes.next().transpose()?.unwrap_or(32);
    let lasts = Duration::from_secs(seconds.into());
    println!("{connections} connections, each an enterprise of {CODES} codes; {seconds} s each");
    for depth in [1, 16] {
        let (sim, loads) = world(connections, depth)?;
        let running = sim.listen(TcpListener::bind("127.0.0.1:0").await?)?;
        let simulation = rate(running.addr(), loads.clone(), lasts).await?;
        running.stop().await;
        check(&sim)?;
        let bare = rate(bare().await?, loads, lasts).await?;
        let ratio = simulation / bare;
        println!(
            "depth {depth:2}: simulation {simulation:7.0} calls/s, bare hyper {bare:7.0} calls/s, ratio {ratio:.2}"
        );
    }
    Ok(())
}

/// Returns a simulation with an enterprise for each connection, and the load of each.
fn world(connections: u32, depth: usize) -> Result<(Sim, Vec<Load>), Failed> {
    let profile = Profile {
        windows: Windows {
            corp_per_minute: 2_000_000,
            corp_per_hour: 2_000_000,
            ip_per_minute: 2_000_000,
            ip_per_hour: 0,
            concurrency: 0,
            divide_time: 60,
            ..Windows::default()
        },
        ..Profile::default()
    };
    let sim = Sim::new(&profile)?;
    let mut loads = Vec::new();
    for number in 0..connections {
        let corp = sim.world().add_corp(&Corp {
            id: format!("corp{number}"),
            secret: "secret".into(),
            more_members: u32::try_from(MEMBERS)?,
            ..Corp::default()
        })?;
        let seed = CodeSeed {
            users: &["m1"],
            ..CodeSeed::default()
        };
        let ids = corp.add_codes(&vec![seed; CODES])?;
        let (token, _) = corp.token();
        let calls: Vec<String> = ids
            .iter()
            .zip(0..)
            .map(|(id, code)| call(&token, id, code))
            .collect();
        let batches = calls
            .chunks_exact(depth)
            .map(|calls| calls.concat().into_bytes());
        loads.push(Load {
            batches: batches.collect(),
            depth,
        });
    }
    Ok((sim, loads))
}

/// A request that puts ten members on a code.
fn call(token: &str, config_id: &str, code: usize) -> String {
    let users: Vec<String> = (0..10)
        .map(|place| format!("\"m{}\"", (code + place) % MEMBERS + 1))
        .collect();
    let users = users.join(",");
    let body = format!("{{\"config_id\":\"{config_id}\",\"user\":[{users}],\"skip_verify\":true}}");
    let length = body.len();
    format!(
        "POST /cgi-bin/externalcontact/update_contact_way?access_token={token} HTTP/1.1\r\n\
         host: qyapi.weixin.qq.com\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

/// Returns the calls a second, after a second of warming up.
async fn rate(addr: SocketAddr, loads: Vec<Load>, lasts: Duration) -> Result<f64, Failed> {
    let clock = Clock::system();
    let from = clock.now() + Duration::from_secs(1);
    let to = from + lasts;
    let mut running = JoinSet::new();
    for load in loads {
        running.spawn(async move { load.run(addr, clock, from, to).await });
    }
    let mut calls = 0;
    while let Some(done) = running.join_next().await {
        calls += done??;
    }
    Ok(f64::from(calls) / lasts.as_secs_f64())
}

/// Fails unless every call was answered with 0.
fn check(sim: &Sim) -> Result<(), Failed> {
    for corp in sim.world().corps() {
        for api in corp.traffic() {
            if api.by_errcode.iter().any(|(errcode, _)| *errcode != 0) {
                return Err(format!("not all are 0: {:?}", api.by_errcode).into());
            }
        }
    }
    Ok(())
}

/// Starts a server that reads bodies and answers all alike.
async fn bare() -> Result<SocketAddr, Failed> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let addr = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            let answer = service_fn(|request: Request<Incoming>| async {
                let _ = request.into_body().collect().await;
                let mut response = Response::new(Full::new(Bytes::from_static(OK.as_bytes())));
                let json = http::HeaderValue::from_static("application/json; charset=UTF-8");
                response.headers_mut().insert(CONTENT_TYPE, json);
                Ok::<_, Infallible>(response)
            });
            let mut http = http1::Builder::new();
            http.pipeline_flush(true);
            tokio::spawn(http.serve_connection(TokioIo::new(stream), answer));
        }
    });
    Ok(addr)
}

// === impl Load ===

impl Load {
    /// Sends batch after batch; returns how many calls were answered between these moments.
    async fn run(
        self,
        addr: SocketAddr,
        clock: Clock,
        from: Duration,
        to: Duration,
    ) -> Result<u32, Failed> {
        let mut stream = TcpStream::connect(addr).await?;
        stream.set_nodelay(true)?;
        let length = self.length_of_answer(&mut stream).await?;
        let mut answers = vec![0; length * self.depth];
        let mut calls = 0;
        for batch in self.batches.iter().cycle() {
            let now = clock.now();
            if now >= to {
                break;
            }
            stream.write_all(batch).await?;
            stream.read_exact(&mut answers).await?;
            if now >= from {
                calls += u32::try_from(self.depth)?;
            }
        }
        Ok(calls)
    }

    /// Sends one batch; all answers are alike and of one length.
    async fn length_of_answer(&self, stream: &mut TcpStream) -> Result<usize, Failed> {
        stream.write_all(&self.batches[0]).await?;
        let mut read = Vec::new();
        while String::from_utf8_lossy(&read).matches(OK).count() < self.depth {
            if stream.read_buf(&mut read).await? == 0 {
                return Err(format!("closed: {}", String::from_utf8_lossy(&read)).into());
            }
        }
        Ok(read.len() / self.depth)
    }
}
