//! What the tests of the keeper share: a stand-in for the office that gives tokens out, and a caller.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use super::{
    BoxFuture, Egress, Fetch, Fetched, Keeper, MemoryStore, Settings, TokenKey, TokenStore, lock,
};
use crate::{
    clock::Clock,
    error::{Errcode, Error, Kind, Refused},
    name::{Api, CorpId},
    observe::Watch,
    secret::Secret,
};

mod flights;
#[cfg(feature = "redis")]
mod litter;
mod model;
mod processes;
#[cfg(feature = "redis")]
mod real_redis;
mod secrets;
mod shaky;
mod stores;

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Gives tokens out and knows which of them it takes.
#[derive(Clone)]
struct Office {
    clock: Clock,
    desk: Arc<Mutex<Desk>>,
}

struct Desk {
    mode: Mode,
    answer: Answer,
    life: Duration,
    latency: Duration,
    issued: u64,
    /// The tokens that are taken, and until when.
    valid: HashMap<String, Duration>,
    /// When each fetch began.
    fetches: Vec<Duration>,
    under_way: usize,
    most_under_way: usize,
    /// Until when each token that was given out lives if nobody kills it.
    expires: HashMap<u64, Duration>,
    /// Tells under which lease a fetch is made, and what it told each time.
    lease: Option<Box<dyn Fn() -> Option<u64> + Send>>,
    leases: Vec<Option<u64>>,
}

/// What becomes of the old token when a new one is given out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Mode {
    /// There is no new one while the old one is valid.
    Stable,
    OldLives,
    OldDies,
}

/// What a fetch is answered with.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Answer {
    Token,
    Errcode(i64),
    Lost,
    Never,
    Panic,
}

/// Ends the fetch in the books, however it ends.
struct UnderWay(Office);

// === impl Office ===

impl Office {
    fn new(mode: Mode) -> Self {
        Self {
            clock: Clock::system(),
            desk: Arc::new(Mutex::new(Desk {
                mode,
                answer: Answer::Token,
                life: secs(7200),
                latency: millis(100),
                issued: 0,
                valid: HashMap::new(),
                fetches: Vec::new(),
                under_way: 0,
                most_under_way: 0,
                expires: HashMap::new(),
                lease: None,
                leases: Vec::new(),
            })),
        }
    }

    fn set(&self, change: impl FnOnce(&mut Desk)) {
        change(&mut lock(&self.desk));
    }

    fn fetches(&self) -> usize {
        lock(&self.desk).fetches.len()
    }

    fn most_under_way(&self) -> usize {
        lock(&self.desk).most_under_way
    }

    /// Returns whether a call with this token is served now.
    fn takes(&self, token: &Secret) -> bool {
        let desk = lock(&self.desk);
        let until = desk.valid.get(token.reveal());
        until.is_some_and(|until| self.clock.now() < *until)
    }

    /// Refuses all tokens given out so far.
    fn kill(&self) {
        lock(&self.desk).valid.clear();
    }

    fn give(&self) -> Fetched {
        let now = self.clock.now();
        let mut desk = lock(&self.desk);
        let still_valid = desk.valid.iter().find(|(_, until)| now < **until);
        if let (Mode::Stable, Some((token, until))) = (desk.mode, still_valid) {
            return Fetched {
                token: Secret::from(token.as_str()),
                lasts: *until - now,
            };
        }
        if desk.mode == Mode::OldDies {
            desk.valid.clear();
        }
        desk.issued += 1;
        let token = format!("token-{}", desk.issued);
        let lasts = desk.life;
        desk.valid.insert(token.clone(), now + lasts);
        let number = desk.issued;
        desk.expires.insert(number, now + lasts);
        Fetched {
            token: Secret::from(token),
            lasts,
        }
    }
}

impl Fetch for Office {
    fn fetch(&self, _: Option<Secret>) -> BoxFuture<'_, Result<Fetched, Error>> {
        let latency = {
            let mut desk = lock(&self.desk);
            let now = self.clock.now();
            desk.fetches.push(now);
            let lease = desk.lease.as_ref().and_then(|lease| lease());
            desk.leases.push(lease);
            desk.under_way += 1;
            desk.most_under_way = desk.most_under_way.max(desk.under_way);
            desk.latency
        };
        let under_way = UnderWay(self.clone());
        Box::pin(async move {
            let _under_way = under_way;
            tokio::time::sleep(latency).await;
            let answer = lock(&self.desk).answer;
            match answer {
                Answer::Token => Ok(self.give()),
                Answer::Errcode(errcode) => Err(refused(errcode)),
                Answer::Lost => Err(Error::new(Api::new("gettoken"), Kind::Lost("reset".into()))),
                Answer::Never => std::future::pending().await,
                Answer::Panic => panic!("a transport that panics"),
            }
        })
    }

    fn api(&self) -> Api {
        Api::GET_TOKEN
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        lock(&self.0.desk).under_way -= 1;
    }
}

fn refused(errcode: i64) -> Error {
    let refused = Refused {
        errcode: Errcode(errcode),
        hint: None,
    };
    Error::new(Api::new("gettoken"), Kind::Refused(refused))
}

fn key(corp: &str) -> TokenKey {
    TokenKey {
        corp: CorpId::new(corp).expect("a corp id"),
        app: "00112233aabbccdd".into(),
    }
}

/// Returns the keeper of one process.
fn keeper(office: &Office, store: &(impl TokenStore + Clone)) -> Keeper {
    keeper_with(office, store, Settings::default())
}

fn keeper_with(office: &Office, store: &(impl TokenStore + Clone), settings: Settings) -> Keeper {
    keeper_of("ww1", office, store, settings, Egress::default())
}

fn keeper_of(
    corp: &str,
    office: &Office,
    store: &(impl TokenStore + Clone),
    settings: Settings,
    egress: Egress,
) -> Keeper {
    let key = key(corp);
    let watch = Watch::new(key.corp.clone());
    let fetch = Arc::new(office.clone());
    Keeper::new(
        key,
        settings,
        Arc::new(store.clone()),
        egress,
        fetch,
        (watch, Clock::system()),
    )
}

fn memory() -> MemoryStore {
    MemoryStore::new()
}

/// Makes a call as a client does: with the token, and once more if it was refused.
async fn call(keeper: &Keeper, office: &Office) -> Result<Secret, Error> {
    let token = keeper.token().await?;
    if office.takes(&token) {
        return Ok(token);
    }
    keeper.reject(&token).await;
    let token = keeper.token().await?;
    if office.takes(&token) {
        return Ok(token);
    }
    Err(refused(40014))
}

/// Lets time pass in steps, so that timers fire in their order, and those who wait get on.
async fn pass(time: Duration, step: Duration) {
    let mut left = time;
    while !left.is_zero() {
        let now = left.min(step);
        tokio::time::sleep(now).await;
        left -= now;
    }
}
