//! What the tests of the server side share: services in this process, load in paused time, an observer
//! that remembers, and a hand that presses the level down.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "every test binary uses its own part"
)]

use std::{
    convert::Infallible,
    future::Future,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use dagor::{
    Admission, Business, Clock, Level, Observer, Priority, Reason, User,
    observe::{Advice, FieldFault, WindowClosed},
    server::body::Body,
    wire::{LevelField, PriorityField},
};
use http::{HeaderMap, Request, Response};
use http_body_util::Full;
use tokio::task::{AbortHandle, JoinSet};
use tower::{Service as _, ServiceBuilder, service_fn, util::BoxCloneSyncService};

/// What goes in.
pub type Asked = Request<Full<Bytes>>;
/// What comes out of the layer.
pub type Answer = Response<Body<Full<Bytes>>>;
/// A service behind its admission, in this process.
pub type Service = BoxCloneSyncService<Asked, Answer, Infallible>;

pub const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

pub const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// A priority of the first sub-level.
pub fn priority(business: u8, user: u8) -> Priority {
    Priority::new(Business::new(business), User::new(user, 0).unwrap())
}

/// A request that names no priority.
pub fn get(path: &str) -> Asked {
    Request::get(path).body(Full::default()).unwrap()
}

/// A request of this priority.
pub fn asked(priority: Priority) -> Asked {
    let mut request = get("/");
    let text = PriorityField::new(priority).to_string();
    request
        .headers_mut()
        .insert("dagor-priority", text.parse().unwrap());
    request
}

/// The level a response carries.
pub fn level_of(headers: &HeaderMap) -> LevelField {
    let mut all = headers.get_all("dagor-level").iter();
    let level = all.next().expect("every response carries the level");
    assert!(all.next().is_none(), "one level");
    LevelField::parse(level.as_bytes()).unwrap()
}

/// Puts `handler` behind `admission`.
pub fn protect<F, R>(admission: &Admission, handler: F) -> Service
where
    F: Fn(Asked) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Response<Full<Bytes>>> + Send + 'static,
{
    let handler = service_fn(move |request| {
        let response = handler(request);
        async move { Ok::<_, Infallible>(response.await) }
    });
    let layered = ServiceBuilder::new().layer(admission.layer());
    BoxCloneSyncService::new(layered.service(handler))
}

/// Puts a handler that takes `time` without using the processor behind `admission`.
pub fn sleeper(admission: &Admission, time: Duration) -> Service {
    protect(admission, move |_| async move {
        tokio::time::sleep(time).await;
        Response::new(Full::default())
    })
}

/// Calls the service once, as hyper does: on a clone.
pub async fn call(service: &Service, request: Asked) -> Answer {
    let Ok(response) = service.clone().call(request).await;
    response
}

/// What became of a load.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub sent: u64,
    pub served: u64,
    pub refused: u64,
}

impl Tally {
    /// Served requests as a share of `most`.
    pub fn share_of(self, most: f64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        let served = self.served as f64;
        served / most
    }
}

/// Sends `per_second` requests for `time`, whatever becomes of them, and waits for all the answers.
pub async fn offer(
    service: &Service,
    per_second: u64,
    time: Duration,
    mut next: impl FnMut() -> Priority,
) -> Tally {
    let mut calls = JoinSet::new();
    let mut tally = Tally::default();
    let milliseconds = u64::try_from(time.as_millis()).unwrap();
    for millisecond in 1..=milliseconds {
        while tally.sent < millisecond * per_second / 1000 {
            tally.sent += 1;
            let (service, request) = (service.clone(), asked(next()));
            calls.spawn(async move { call(&service, request).await.status() });
        }
        tokio::time::sleep(ms(1)).await;
    }
    while let Some(status) = calls.join_next().await {
        match status.unwrap().as_u16() {
            200 => tally.served += 1,
            503 => tally.refused += 1,
            other => panic!("status {other}"),
        }
    }
    tally
}

/// Sends `count` requests whenever they come (Poisson), of all businesses, and waits for all the answers;
/// returns the mean time to an answer too.
///
/// Timers have ticks of a millisecond, so requests come in groups, and a sleep of whole milliseconds takes
/// exactly that.
pub async fn offer_poisson(
    service: &Service,
    per_second: u32,
    count: u64,
    random: &mut Random,
) -> (Tally, Duration) {
    let clock = Clock::tokio();
    let mut calls = JoinSet::new();
    let (begin, mut at) = (clock.now(), Duration::ZERO);
    let (mut tally, mut sum) = (Tally::default(), Duration::ZERO);
    while tally.sent < count {
        at += Duration::from_secs_f64(-random.unit().ln() / f64::from(per_second));
        if begin + at > clock.now() {
            tokio::time::sleep(begin + at - clock.now()).await;
        }
        tally.sent += 1;
        let (service, request, clock) = (service.clone(), asked(random.anyone()), clock.clone());
        calls.spawn(async move {
            let asked = clock.now();
            (call(&service, request).await.status(), clock.now() - asked)
        });
    }
    while let Some(answer) = calls.join_next().await {
        let (status, time) = answer.unwrap();
        match status.as_u16() {
            200 => tally.served += 1,
            503 => tally.refused += 1,
            other => panic!("status {other}"),
        }
        sum += time;
    }
    (tally, sum / u32::try_from(tally.sent).unwrap())
}

/// How often each business is drawn by [`Random::anyone`], of 46.
const WEIGHTS: [u64; 8] = [1, 2, 3, 4, 6, 8, 10, 12];

/// A small generator of numbers; prints its seed, so that a failure can be repeated.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    #[expect(clippy::print_stdout, reason = "shown when the test fails")]
    pub fn new(seed: u64) -> Self {
        println!("seed {seed:#x}");
        Self(seed)
    }

    /// A number below `below`.
    pub fn below(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % below
    }

    /// A number above zero, at most one.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    pub fn unit(&mut self) -> f64 {
        (self.below(1 << 53) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// A user of one of eight businesses, of which the less important come more often.
    pub fn anyone(&mut self) -> Priority {
        let mut left = self.below(WEIGHTS.iter().sum());
        let mut business = 0;
        while left >= WEIGHTS[usize::from(business)] {
            left -= WEIGHTS[usize::from(business)];
            business += 1;
        }
        self.user(business)
    }

    /// A user of `business`, all equally likely.
    pub fn user(&mut self, business: u8) -> Priority {
        let user = User::from_hash(self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        self.below(2);
        Priority::new(Business::new(business), user)
    }
}

/// Remembers what an admission tells.
#[derive(Clone, Debug, Default)]
pub struct Ear(Arc<Mutex<Heard>>);

/// Everything an [`Ear`] heard.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    pub windows: Vec<WindowClosed>,
    pub edges: Vec<Level>,
    pub shed: Vec<(Priority, Reason)>,
    pub faults: Vec<FieldFault>,
    pub advice: Vec<Advice>,
}

impl Ear {
    pub fn heard(&self) -> Heard {
        self.0.lock().unwrap().clone()
    }

    /// Forgets what was heard so far.
    pub fn clear(&self) {
        *self.0.lock().unwrap() = Heard::default();
    }
}

impl Observer for Ear {
    fn window_closed(&self, _: &str, window: &WindowClosed) {
        self.0.lock().unwrap().windows.push(window.clone());
    }

    fn overload_edge(&self, _: &str, level: Level) {
        self.0.lock().unwrap().edges.push(level);
    }

    fn shed(&self, _: &str, priority: Priority, reason: Reason) {
        self.0.lock().unwrap().shed.push((priority, reason));
    }

    fn field_ignored(&self, _: &str, fault: FieldFault) {
        self.0.lock().unwrap().faults.push(fault);
    }

    fn advice(&self, _: &str, advice: &Advice) {
        self.0.lock().unwrap().advice.push(advice.clone());
    }
}

/// Holds the level inside business 0 while it lives: jobs of the most important priority that say they
/// waited for two seconds. Counts as demand of business 0 and sheds nothing itself.
#[derive(Debug)]
pub struct Pressure(AbortHandle);

impl Pressure {
    pub async fn on(admission: &Admission) -> Self {
        let jobs = admission.clone();
        let task = tokio::spawn(async move {
            loop {
                for _ in 0..5 {
                    drop(jobs.admit(Priority::MOST_IMPORTANT, Duration::ZERO).await);
                    jobs.report_wait(secs(2));
                }
                tokio::time::sleep(ms(5)).await;
            }
        });
        let pressure = Self(task.abort_handle());
        let low = Level::at(priority(1, 0));
        eventually("the level falls", || admission.level() < low).await;
        pressure
    }
}

impl Drop for Pressure {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Waits until `condition` holds, for as long as the slowest machine may need.
pub async fn eventually(what: &str, condition: impl FnMut() -> bool) {
    within(secs(20), what, condition).await;
}

/// Waits until `condition` holds, for at most `limit`.
pub async fn within(limit: Duration, what: &str, mut condition: impl FnMut() -> bool) {
    let clock = Clock::tokio();
    let end = clock.now() + limit;
    while !condition() {
        assert!(clock.now() < end, "not within {limit:?}: {what}");
        tokio::time::sleep(ms(1)).await;
    }
}
