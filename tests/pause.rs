//! O5: a process that stands still (SIGSTOP, a suspended machine, a stolen processor) is not overloaded.
//!
//! The test starts itself once more as a small loaded service, stops that process for 300 ms, and reads what
//! it tells of its windows.
#![cfg(all(unix, feature = "http"))]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up must stop where it is"
)]

mod support;

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use dagor::{
    Admission, Concurrency, Observer,
    control::Verdict,
    observe::{Advice, WindowClosed},
};
use support::{Random, call, ms, secs, sleeper, within};
use tokio::task::JoinSet;

const STOPPED: Duration = ms(300);

// === The process that is stopped ===

/// Writes a line for every window and every piece of advice.
struct Teller;

fn tell(line: &str) {
    // The reader is gone when the test is over.
    let _ = writeln!(std::io::stdout(), "\npause: {line}");
}

impl Observer for Teller {
    fn window_closed(&self, _: &str, window: &WindowClosed) {
        let level = window.level.get();
        let overloaded = u8::from(window.verdict == Verdict::Overloaded);
        tell(&format!("window {level} {overloaded}"));
    }

    fn advice(&self, _: &str, advice: &Advice) {
        tell(&format!("advice {}", advice.as_str()));
    }
}

/// Bursts of 40 requests, three rounds of its permits, every 50 ms: some always wait when it is stopped.
#[test]
#[ignore = "the process that o5 stops; does nothing useful by itself"]
fn loaded_service() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    runtime
        .block_on(runtime.spawn(async {
            let admission = Admission::builder("paused")
                .concurrency(Concurrency::Fixed(16.try_into().unwrap()))
                .observer(Teller)
                .build()
                .unwrap();
            let service = sleeper(&admission, ms(5));
            let mut random = Random::new(5);
            let mut bursts = tokio::time::interval(ms(50));
            // Ten seconds: it ends by itself if the test cannot end it.
            for _ in 0..200 {
                bursts.tick().await;
                let mut calls = JoinSet::new();
                for _ in 0..40 {
                    let (service, priority) = (service.clone(), random.user(4));
                    calls.spawn(async move { call(&service, support::asked(priority)).await });
                }
                calls.detach_all();
            }
        }))
        .unwrap();
}

// === The test ===

/// The service in its process; killed when dropped.
struct Service {
    child: Child,
    lines: mpsc::Receiver<String>,
    /// Level and whether it was judged overloaded, of every window so far.
    windows: Vec<(u32, bool)>,
    advice: Vec<String>,
}

impl Service {
    fn start() -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "loaded_service", "--ignored", "--nocapture"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (give, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = give.send(line);
            }
        });
        Self {
            child,
            lines,
            windows: Vec::new(),
            advice: Vec::new(),
        }
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        let status = Command::new("kill").args([signal, &pid]).status();
        assert!(status.unwrap().success());
    }

    /// Takes in what the service told meanwhile.
    fn listen(&mut self) -> &mut Self {
        for line in self.lines.try_iter() {
            let words: Vec<_> = line.split(' ').collect();
            match words[..] {
                ["pause:", "window", level, overloaded] => {
                    let level = level.parse().unwrap();
                    self.windows.push((level, overloaded == "1"));
                }
                ["pause:", "advice", advice] => self.advice.push(advice.to_owned()),
                _ => {}
            }
        }
        self
    }

    fn is_open(&self) -> bool {
        let open = dagor::Level::OPEN.get();
        self.windows.last().is_some_and(|(level, _)| *level == open)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.signal("-KILL");
        let _ = self.child.wait();
    }
}

/// Stops the service and returns how many windows were judged overloaded after it, or what else went wrong.
async fn stop_once() -> Result<usize, String> {
    let mut service = Service::start();
    within(secs(20), "the service is in its stride", || {
        service.listen().windows.len() >= 10
    })
    .await;
    if !service.is_open() {
        return Err("the machine is too busy: overloaded before the stop".into());
    }
    service.signal("-STOP");
    tokio::time::sleep(STOPPED).await;
    service.listen();
    let before = service.windows.len();
    service.signal("-CONT");
    let two_seconds_of_windows = before + 15;
    within(secs(20), "it goes on", || {
        service.listen().windows.len() >= two_seconds_of_windows
    })
    .await;
    if !service.is_open() {
        return Err(format!("not back: {:?}", &service.windows[before..]));
    }
    if service.advice != ["paused"] {
        return Err(format!("told {:?}", service.advice));
    }
    let overloaded = service.windows[before..].iter();
    Ok(overloaded.filter(|(_, overloaded)| *overloaded).count())
}

#[tokio::test]
async fn o5_a_stopped_process_is_not_overloaded() {
    let mut faults = Vec::new();
    // A machine that is busy with something else stops processes by itself.
    for _ in 0..3 {
        match stop_once().await {
            Ok(0 | 1) => return,
            Ok(steps) => faults.push(format!("{steps} steps down")),
            Err(fault) => faults.push(fault),
        }
    }
    panic!("{faults:#?}");
}
