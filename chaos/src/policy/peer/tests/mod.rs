//! Peers in a run, in tokio's paused time: the callee's side here.

mod caller;
mod policies;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::{FutureExt as _, future::join_all};
use http::{HeaderValue, StatusCode};

use super::{
    Arrival, Gatekeeper, PeerServer, Verdict,
    testing::{Bench, Work, call, link, request, scenario, service},
};
use crate::wire::{self, Ending, Exchange, Response};

const MS: Duration = Duration::from_millis(1);
const LATE: Duration = Duration::from_secs(60);

/// What happened to a gatekeeper or a sender, in words.
type Diary = Arc<Mutex<Vec<String>>>;

/// Sorts by importance, refuses those who ask for it, and keeps a diary.
#[derive(Default)]
struct Keeper {
    slots: usize,
    bound: usize,
    period: Option<Duration>,
    diary: Diary,
}

impl Keeper {
    fn note(&self, now: Duration, what: &str) {
        self.diary
            .lock()
            .unwrap()
            .push(format!("{} {what}", now.as_millis()));
    }
}

impl Gatekeeper for Keeper {
    fn arrive(
        &mut self,
        _: Duration,
        request: &Arrival,
        waiting: usize,
        running: usize,
    ) -> Verdict {
        match request.ask.as_deref() {
            Some("refuse") => Verdict::Refuse,
            Some("count") => {
                self.note(request.at, &format!("{waiting} waiting {running} running"));
                Verdict::Refuse
            }
            ask => {
                self.slots += usize::from(ask == Some("open"));
                Verdict::Queue(u64::from(request.call.number))
            }
        }
    }

    fn slots(&self) -> usize {
        self.slots
    }

    fn queue_bound(&self) -> usize {
        self.bound
    }

    fn start(&mut self, now: Duration, request: &Arrival, waiting: usize) -> bool {
        self.note(now, &format!("start {} of {waiting}", request.call.number));
        request.ask.as_deref() != Some("drop")
    }

    fn finish(&mut self, now: Duration, request: &Arrival, began: Duration, served: bool) {
        let (number, took) = (request.call.number, (now - began).as_millis());
        self.note(now, &format!("finish {number} after {took} {served}"));
    }

    fn period(&self) -> Option<Duration> {
        self.period
    }

    fn tick(&mut self, now: Duration, waiting: usize, running: usize) {
        self.note(now, &format!("tick {waiting} {running}"));
        self.slots += 1;
    }

    fn tell(&mut self, now: Duration, request: &Arrival) -> Option<String> {
        Some(format!("{} at {}", request.call.number, now.as_millis()))
    }

    fn level(&self) -> f64 {
        0.25
    }
}

struct Stand {
    bench: Bench,
    work: Arc<Work>,
    server: PeerServer<Keeper>,
    diary: Diary,
}

impl Stand {
    async fn new(slots: usize, bound: usize, status: StatusCode) -> Self {
        Self::ticking(slots, bound, status, None).await
    }

    async fn ticking(
        slots: usize,
        bound: usize,
        status: StatusCode,
        period: Option<Duration>,
    ) -> Self {
        let bench = Bench::new(scenario(vec![service(None, 10)])).await;
        let work = bench.work(10, status);
        let diary = Diary::default();
        let keeper = Keeper {
            slots,
            bound,
            period,
            diary: Arc::clone(&diary),
        };
        let server = PeerServer::new(&bench.place(0), keeper, link(&work));
        Self {
            bench,
            work,
            server,
            diary,
        }
    }

    /// Sends requests of these importances at once; returns how they ended and what was told.
    async fn send(&self, numbers: &[u8]) -> Vec<(Ending, String)> {
        let sent = numbers
            .iter()
            .map(|&number| self.server.send(request(call(number, LATE))));
        let answers = join_all(sent).await.into_iter();
        answers
            .map(|answer| (Ending::of(&answer), told(&answer.unwrap())))
            .collect()
    }

    async fn ask(&self, ask: &'static str) -> Response {
        let mut request = request(call(9, LATE));
        request
            .headers_mut()
            .insert(wire::ASK, HeaderValue::from_static(ask));
        self.server.send(request).await.unwrap()
    }

    fn diary(&self) -> Vec<String> {
        std::mem::take(&mut self.diary.lock().unwrap())
    }
}

fn told(response: &Response) -> String {
    let told = response.headers().get(wire::TOLD);
    told.map(|told| told.to_str().unwrap().to_owned())
        .unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn the_line_is_by_number_and_then_by_arrival_and_the_last_gives_way() {
    let stand = Stand::new(1, 2, StatusCode::OK).await;
    let answers = stand.send(&[5, 7, 3, 3, 8]).await;
    let endings: Vec<_> = answers.iter().map(|(ending, _)| *ending).collect();
    let (served, refused) = (Ending::Served, Ending::Refused);
    assert_eq!(endings, [served, refused, served, served, refused]);
    // Whoever is refused hears at once, whoever is served when it is done.
    let told: Vec<_> = answers.iter().map(|(_, told)| told.as_str()).collect();
    assert_eq!(told, ["5 at 10", "7 at 0", "3 at 20", "3 at 30", "8 at 0"]);
    assert_eq!(stand.work.most(), 1);
    let begun = stand
        .diary()
        .into_iter()
        .filter(|line| line.contains("start"));
    let begun: Vec<_> = begun.collect();
    assert_eq!(
        begun,
        ["0 start 5 of 0", "10 start 3 of 1", "20 start 3 of 0"]
    );
}

#[tokio::test(start_paused = true)]
async fn refusals_and_failures_are_told_too() {
    let stand = Stand::new(2, 9, StatusCode::INTERNAL_SERVER_ERROR).await;
    let answer = stand.ask("refuse").await;
    assert!(wire::is_refusal(&answer));
    assert_eq!(told(&answer), "9 at 0");
    // Dropped from the head: refused, and never finished.
    assert!(wire::is_refusal(&stand.ask("drop").await));
    let failed = stand.ask("hello").await;
    assert_eq!(failed.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(told(&failed), "9 at 10");
    assert_eq!(
        stand.diary(),
        [
            "0 start 9 of 0",
            "0 start 9 of 0",
            "10 finish 9 after 10 false"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn whoever_hangs_up_leaves_the_line_or_frees_the_slot() {
    let stand = Stand::new(1, 9, StatusCode::OK).await;
    let (mut works, mut waits) = (
        stand.server.send(request(call(1, LATE))),
        stand.server.send(request(call(2, LATE))),
    );
    assert!((&mut works).now_or_never().is_none());
    assert!((&mut waits).now_or_never().is_none());
    let mut last = stand.server.send(request(call(3, LATE)));
    assert!((&mut last).now_or_never().is_none());
    stand.ask("count").await;
    drop(waits);
    stand.ask("count").await;
    stand.bench.world.sleep(4 * MS).await;
    drop(works);
    // The last has the slot since then, though it was not polled yet.
    stand.ask("count").await;
    assert_eq!(
        stand.diary(),
        [
            "0 start 1 of 0",
            "0 2 waiting 1 running",
            "0 1 waiting 1 running",
            "4 finish 1 after 4 false",
            "4 start 3 of 0",
            "4 0 waiting 1 running",
        ]
    );
    // Given up between its call and its first step: the slot comes back.
    drop(last);
    assert_eq!(stand.send(&[4]).await[0].0, Ending::Served);
    assert_eq!(
        stand.diary(),
        [
            "4 finish 3 after 0 false",
            "4 start 4 of 0",
            "14 finish 4 after 10 true"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn nobody_passes_the_line_into_a_slot_that_opens() {
    let stand = Stand::new(1, 9, StatusCode::OK).await;
    let sent = [(1, "hello"), (2, "hello"), (3, "open")];
    let sent = sent.map(|(number, ask)| {
        let mut request = request(call(number, LATE));
        request
            .headers_mut()
            .insert(wire::ASK, HeaderValue::from_static(ask));
        stand.server.send(request)
    });
    join_all(sent).await;
    let begun = stand
        .diary()
        .into_iter()
        .filter(|line| line.contains("start"));
    let begun: Vec<_> = begun.collect();
    assert_eq!(
        begun,
        ["0 start 1 of 0", "0 start 2 of 1", "10 start 3 of 0"]
    );
}

#[tokio::test(start_paused = true)]
async fn nobody_works_for_clients_that_gave_up() {
    let stand = Stand::new(1, 9, StatusCode::OK).await;
    let sent = [(1, LATE), (2, 10 * MS), (3, 21 * MS)];
    let sent = sent.map(|(number, deadline)| stand.server.send(request(call(number, deadline))));
    let answers: Vec<_> = join_all(sent).await.iter().map(Ending::of).collect();
    assert_eq!(answers, [Ending::Served, Ending::Refused, Ending::Served]);
    let begun = stand
        .diary()
        .into_iter()
        .filter(|line| line.contains("start"));
    assert_eq!(
        begun.collect::<Vec<_>>(),
        ["0 start 1 of 0", "10 start 3 of 0"]
    );
}

#[tokio::test(start_paused = true)]
async fn ticks_open_slots_and_end_with_the_instance() {
    let stand = Stand::ticking(1, 9, StatusCode::OK, Some(4 * MS)).await;
    let answers = stand.send(&[1, 2, 3]).await;
    assert!(answers.iter().all(|(ending, _)| *ending == Ending::Served));
    // One more slot every 4 ms: all three at once before the first is done.
    assert_eq!(stand.work.most(), 3);
    let level = stand.server.level();
    assert!((level() - 0.25).abs() < 1e-9);
    let Stand {
        bench,
        server,
        diary,
        ..
    } = stand;
    drop(server);
    assert!((level() - 1.0).abs() < 1e-9, "gone");
    diary.lock().unwrap().clear();
    bench.world.sleep(LATE).await;
    assert!(diary.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_probe_passes_by() {
    let stand = Stand::new(0, 0, StatusCode::OK).await;
    let answer = stand.server.send(wire::Request::default()).await.unwrap();
    assert!(answer.status().is_success() && told(&answer).is_empty());
    assert!(stand.diary().is_empty());
}
