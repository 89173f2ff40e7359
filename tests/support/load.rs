//! Load over real connections, from a thread of its own: requests come when they come (Poisson), whatever
//! became of those before.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::cast_precision_loss,
    reason = "every test binary uses its own part; small numbers"
)]

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use axum::body::Body;
use dagor::{Business, Clock, Priority, User, wire::PriorityField};
use http::Request;
use http_body_util::BodyExt as _;

use super::sockets::{Connection, Version};

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub version: Version,
    pub connections: usize,
    pub per_second: f64,
    /// Begins before this is over are not counted.
    pub warm: Duration,
    pub time: Duration,
    /// An answer after this is worth nothing.
    pub deadline: Duration,
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub offered: u64,
    /// Served in time.
    pub good: u64,
    pub refused: u64,
    /// Of each business: offered, and served in time.
    pub businesses: [(u64, u64); 8],
    /// Sum of the times from sending to the answer of those served in time.
    pub latency: Duration,
}

/// How often each business is drawn, of 46.
const WEIGHTS: [u64; 8] = [1, 2, 3, 4, 6, 8, 10, 12];

impl Outcome {
    /// Served in time, a second.
    pub fn goodput(&self, load: &Load) -> f64 {
        self.good as f64 / load.time.as_secs_f64()
    }

    /// The share of the first `businesses` that was served in time.
    pub fn important(&self, businesses: usize) -> f64 {
        let (offered, good) = self.businesses[..businesses]
            .iter()
            .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        good as f64 / offered.max(1) as f64
    }

    pub fn mean_latency(&self) -> Duration {
        self.latency / u32::try_from(self.good.max(1)).unwrap()
    }
}

impl Load {
    /// Runs it against `address` on a thread of its own and returns when it is over; `watch` is called
    /// all the while from here.
    pub fn run(self, address: SocketAddr, mut watch: impl FnMut()) -> Outcome {
        let over = Arc::new(AtomicBool::new(false));
        let done = Arc::clone(&over);
        let generator = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            let outcome = runtime.block_on(self.generate(address));
            done.store(true, Relaxed);
            outcome
        });
        let pulse = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        while !over.load(Relaxed) {
            watch();
            pulse.block_on(async { tokio::time::sleep(Duration::from_millis(5)).await });
        }
        generator.join().unwrap()
    }

    async fn generate(self, address: SocketAddr) -> Outcome {
        let mut pool = Vec::new();
        for _ in 0..self.connections {
            pool.push(Connection::open(self.version, address).await);
        }
        let pool = Arc::new(Mutex::new(pool));
        let outcome = Arc::new(Mutex::new(Outcome::default()));
        let clock = Clock::system();
        let (begin, mut at) = (clock.now(), Duration::ZERO);
        let mut random = Seeded(self.seed);
        while at < self.warm + self.time {
            at += Duration::from_secs_f64(-random.unit().ln() / self.per_second);
            let due = begin + at;
            while clock.now() < due {
                tokio::time::sleep(due.saturating_sub(clock.now())).await;
            }
            let priority = random.priority();
            let counted = at >= self.warm;
            let call = One {
                load: self,
                pool: Arc::clone(&pool),
                outcome: Arc::clone(&outcome),
                counted,
                priority,
            };
            tokio::spawn(call.call(clock.clone()));
        }
        tokio::time::sleep(self.deadline).await;
        let outcome = outcome.lock().unwrap();
        outcome.clone()
    }
}

/// One request of a load.
struct One {
    load: Load,
    pool: Arc<Mutex<Vec<Connection>>>,
    outcome: Arc<Mutex<Outcome>>,
    counted: bool,
    priority: Priority,
}

impl One {
    async fn call(self, clock: Clock) {
        let business = usize::from(self.priority.business().get());
        self.note(|outcome| {
            outcome.offered += 1;
            outcome.businesses[business].0 += 1;
        });
        let start = clock.now();
        // A client whose connections are all busy fails the request at once.
        let Some(status) = self.send().await else {
            return;
        };
        let latency = clock.now() - start;
        self.note(|outcome| match status {
            200 if latency <= self.load.deadline => {
                outcome.good += 1;
                outcome.businesses[business].1 += 1;
                outcome.latency += latency;
            }
            200 => {}
            _ => outcome.refused += 1,
        });
    }

    async fn send(&self) -> Option<u16> {
        let mut connection = self.take()?;
        if !connection.is_shared() {
            connection.ready().await.ok()?;
        }
        let field = PriorityField {
            budget: Some(self.load.deadline),
            ..PriorityField::new(self.priority)
        };
        let request = Request::get("http://host/")
            .header("dagor-priority", field.to_string())
            .body(Body::empty())
            .unwrap();
        let sent = connection.send(request);
        let shared = connection.is_shared();
        let kept = if shared {
            self.put(connection);
            None
        } else {
            Some(connection)
        };
        let response = sent.await.ok()?;
        let status = response.status().as_u16();
        response.into_body().collect().await.ok()?;
        if let Some(connection) = kept {
            self.put(connection);
        }
        Some(status)
    }

    /// Takes a connection that is free; on HTTP/2 they take turns.
    fn take(&self) -> Option<Connection> {
        let mut pool = self.pool.lock().unwrap();
        (!pool.is_empty()).then(|| pool.remove(0))
    }

    fn put(&self, connection: Connection) {
        self.pool.lock().unwrap().push(connection);
    }

    fn note(&self, note: impl FnOnce(&mut Outcome)) {
        if self.counted {
            note(&mut self.outcome.lock().unwrap());
        }
    }
}

struct Seeded(u64);

impl Seeded {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Above zero, at most one.
    fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    fn priority(&mut self) -> Priority {
        let mut left = self.next() % WEIGHTS.iter().sum::<u64>();
        let mut business = 0;
        for (number, weight) in (0..).zip(WEIGHTS) {
            business = number;
            if left < weight {
                break;
            }
            left -= weight;
        }
        let user = User::from_hash(self.next().wrapping_mul(0x9E37_79B9_7F4A_7C15));
        Priority::new(Business::new(business), user)
    }
}
