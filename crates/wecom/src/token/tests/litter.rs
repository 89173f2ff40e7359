//! A Redis in which something is left that no process of ours puts there.

use redis::{Cmd, aio::MultiplexedConnection, cmd};

use super::*;
use crate::{redis_server::RedisServer, token::RedisStore};

const TOKEN: &str = "wecom:{ww1}:00112233aabbccdd:token";
const LEASE: &str = "wecom:{ww1}:00112233aabbccdd:lease";
const FENCE: &str = "wecom:{ww1}:00112233aabbccdd:fence";

/// In milliseconds.
const HOUR: u64 = 3_600_000;
const TEN_YEARS: u64 = 10 * 365 * 24 * HOUR;

/// What no number of ours looks like.
const NO_NUMBERS: [&str; 14] = [
    "x",
    "",
    " 7",
    "7.5",
    "-7",
    "+7",
    "0x10",
    "inf",
    "-inf",
    "nan",
    "1e300",
    "9000000000000000",
    "9007199254740993",
    "99999999999999999999999999",
];

struct Place {
    _server: RedisServer,
    connection: MultiplexedConnection,
}

// === impl Place ===

impl Place {
    async fn open() -> Self {
        let server = RedisServer::start();
        let client = redis::Client::open(server.url()).expect("a URL");
        let connection = client.get_multiplexed_async_connection().await;
        Self {
            connection: connection.expect("a connection"),
            _server: server,
        }
    }

    async fn run(&self, command: &Cmd) {
        let answer = command.query_async(&mut self.connection.clone()).await;
        let () = answer.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Leaves the litter, and fails unless processes are at one again after a single fetch.
    async fn heals(&self, what: &str, litter: &[Cmd]) {
        self.run(&cmd("FLUSHALL")).await;
        for command in litter {
            self.run(command).await;
        }
        let office = Office::new(Mode::OldDies);
        office.set(|desk| desk.latency = millis(1));
        let store = RedisStore::new(self.connection.clone());
        let (one, other) = (keeper(&office, &store), keeper(&office, &store));
        let before = office.clock.now();
        let token = one.token().await;
        let token = token.unwrap_or_else(|error| panic!("{what}: {error}"));
        let waited = office.clock.now() - before;
        assert!(waited < secs(5), "{what}: {waited:?}");
        assert_eq!(token.reveal(), "token-1", "{what}");
        assert_eq!(other.token().await.unwrap(), token, "{what}");
        assert_eq!(office.fetches(), 1, "{what}: it was not stored");

        // And the next token is later than all that was there.
        office.kill();
        let token = call(&one, &office).await.unwrap();
        assert_eq!(token.reveal(), "token-2", "{what}");
        assert_eq!(call(&other, &office).await.unwrap(), token, "{what}");
        assert_eq!(office.fetches(), 2, "{what}");
    }
}

fn hash(key: &str, fields: &[(&str, &str)]) -> Cmd {
    let mut command = cmd("HSET");
    command.arg(key).arg(fields);
    command
}

fn text(key: &str) -> Cmd {
    let mut command = cmd("SET");
    command.arg(key).arg("left here");
    command
}

fn list(key: &str) -> Cmd {
    let mut command = cmd("RPUSH");
    command.arg(key).arg("left here");
    command
}

fn ends(key: &str, ms: u64) -> Cmd {
    let mut command = cmd("PEXPIRE");
    command.arg(key).arg(ms);
    command
}

fn token<'a>(text: &'a str, generation: &'a str, whole_ms: &'a str) -> Cmd {
    let fields = [
        ("token", text),
        ("generation", generation),
        ("whole_ms", whole_ms),
    ];
    hash(TOKEN, &fields)
}

/// Returns a moment in microseconds since 1970, as a generation is.
fn micros_from_now(more: Duration) -> String {
    let now = Clock::system().calendar() + more;
    now.as_micros().to_string()
}

#[tokio::test]
async fn a_lease_that_nobody_holds_stops_nobody() {
    let place = Place::open().await;
    place.heals("no end", &[text(LEASE)]).await;
    place.heals("a hash", &[hash(LEASE, &[("a", "b")])]).await;
    place.heals("a list", &[list(LEASE)]).await;
    let with_end = [list(LEASE), ends(LEASE, 200_000)];
    place.heals("a list with an end", &with_end).await;
    for ms in [HOUR, TEN_YEARS] {
        let long = [text(LEASE), ends(LEASE, ms)];
        place.heals("an end too late", &long).await;
    }
}

#[tokio::test]
async fn what_is_no_token_is_replaced() {
    let place = Place::open().await;
    place.heals("a text", &[text(TOKEN)]).await;
    place.heals("a list", &[list(TOKEN)]).await;
    let parts = [
        hash(TOKEN, &[("token", "t")]),
        hash(TOKEN, &[("generation", "7"), ("whole_ms", "7200000")]),
        token("", "7", "7200000"),
        token(&"t".repeat(4097), "7", "7200000"),
        token("t", "7", "0"),
        token("t", "7", "2592000001"),
    ];
    for (n, part) in parts.into_iter().enumerate() {
        let litter = [part, ends(TOKEN, 7_000_000)];
        place.heals(&format!("no. {n}"), &litter).await;
    }
    for number in NO_NUMBERS {
        for part in [token("t", number, "7200000"), token("t", "7", number)] {
            let litter = [part, ends(TOKEN, 7_000_000)];
            place.heals(&format!("{number:?}"), &litter).await;
        }
    }
    let mut bytes = cmd("HSET");
    bytes.arg(TOKEN).arg("token").arg(&b"\xff\xfe"[..]);
    bytes.arg(&[("generation", 7), ("whole_ms", 7_200_000)]);
    let litter = [bytes, ends(TOKEN, 7_000_000)];
    place.heals("no UTF-8", &litter).await;
}

#[tokio::test]
async fn a_token_that_would_live_for_ever_is_replaced() {
    let place = Place::open().await;
    place.heals("no end", &[token("t", "7", "7200000")]).await;
    let ten_years = TEN_YEARS.to_string();
    for whole in ["7200000", &ten_years] {
        let litter = [token("t", "7", whole), ends(TOKEN, TEN_YEARS)];
        place.heals(whole, &litter).await;
    }
}

#[tokio::test]
async fn a_fence_that_says_nothing_holds_nothing_back() {
    let place = Place::open().await;
    place.heals("a text", &[text(FENCE)]).await;
    place.heals("a list", &[list(FENCE)]).await;
    // Still a number, but there is none after it.
    let last = ["8999999999999999"];
    for number in NO_NUMBERS.into_iter().chain(last) {
        for field in ["leased", "stored"] {
            let litter = [hash(FENCE, &[(field, number)])];
            place.heals(&format!("{field} {number:?}"), &litter).await;
        }
    }
    let all = [
        hash(FENCE, &[("leased", "1e300"), ("stored", "inf")]),
        token("t", "nan", "x"),
        text(LEASE),
    ];
    place.heals("all at once", &all).await;
}

/// A server whose clock was an hour ahead while it was written to: generations of the future, and, since it keeps
/// moments and not remainders, an hour more of every life.
#[tokio::test]
async fn a_clock_that_was_an_hour_ahead_costs_one_fetch() {
    let place = Place::open().await;
    let ahead = micros_from_now(secs(3600));
    let litter = [
        token("t", &ahead, "7200000"),
        ends(TOKEN, 7_200_000 + HOUR),
        text(LEASE),
        ends(LEASE, 10_000 + HOUR),
        hash(FENCE, &[("leased", &ahead), ("stored", &ahead)]),
        ends(FENCE, 5 * HOUR),
    ];
    place.heals("an hour ahead, then back", &litter).await;
}

#[tokio::test]
async fn a_clock_that_is_set_back_a_little_costs_nothing() {
    let place = Place::open().await;
    let litter = [token("t", "7", "7200000"), ends(TOKEN, 7_230_000)];
    for command in &litter {
        place.run(command).await;
    }
    let store = RedisStore::new(place.connection.clone());
    let found = store.load(&key("ww1")).await.unwrap().unwrap();
    assert_eq!((found.lasts, found.whole), (secs(7200), secs(7200)));
}
