//! Real processes and real connections over a real Redis.
//!
//! A process of its own is this test program again, told to run one test that is ignored otherwise. The office is in
//! the Redis too: it takes one token at a time, and writes down who fetched when.

use std::{
    env,
    process::{Child, Command, Stdio},
};

use redis::{
    Script,
    aio::{ConnectionManager, MultiplexedConnection},
};
use tokio::task::JoinSet;

use super::*;
use crate::{redis_server::RedisServer, token::RedisStore};

/// Where a child finds the Redis, and what it is to do.
const URL: &str = "WECOM_TEST_REDIS";
const TASK: &str = "WECOM_TEST_TASK";
const LIFE_MS: u64 = 3000;

/// The office, as one of many processes sees it.
#[derive(Clone)]
struct Branch {
    connection: MultiplexedConnection,
    latency: Duration,
}

/// A child process, killed at the end if it still runs.
struct Process(Child);

// === impl Branch ===

impl Branch {
    async fn open(url: &str) -> Self {
        let client = redis::Client::open(url).expect("a URL");
        let connection = client.get_multiplexed_async_connection().await;
        Self {
            connection: connection.expect("a connection"),
            latency: millis(30),
        }
    }

    async fn run<T: redis::FromRedisValue>(&self, script: &str, argument: &str) -> T {
        let script = Script::new(script);
        let invocation = script.arg(argument);
        let answer = invocation.invoke_async(&mut self.connection.clone()).await;
        answer.expect("the office answers")
    }

    fn keeper(&self, settings: Settings) -> Keeper {
        let store = Arc::new(RedisStore::new(self.connection.clone()));
        let key = key("ww1");
        let watch = Watch::new(key.corp.clone());
        let fetch = Arc::new(self.clone());
        let observed = (watch, Clock::system());
        Keeper::new(key, settings, store, Egress::default(), fetch, observed)
    }

    async fn takes(&self, token: &Secret) -> bool {
        let valid: Option<String> = self.run("return redis.call('GET', 'valid')", "").await;
        valid.as_deref() == Some(token.reveal())
    }

    /// Makes a call as a client does.
    async fn call(&self, keeper: &Keeper) -> Result<(), Error> {
        let token = keeper.token().await?;
        if self.takes(&token).await {
            return Ok(());
        }
        keeper.reject(&token).await;
        if self.takes(&keeper.token().await?).await {
            return Ok(());
        }
        Err(refused(40014))
    }

    /// Returns when each fetch began, in microseconds of the server's time.
    async fn fetches(&self) -> Vec<u64> {
        self.run("return redis.call('LRANGE', 'fetches', 0, -1)", "")
            .await
    }
}

impl Fetch for Branch {
    fn fetch(&self, _: Option<Secret>) -> BoxFuture<'_, Result<Fetched, Error>> {
        Box::pin(async {
            let begin = "
                local time = redis.call('TIME')
                local now = string.format('%.0f', time[1] * 1000000 + time[2])
                redis.call('RPUSH', 'fetches', now)
                if redis.call('INCR', 'under_way') > 1 then redis.call('INCR', 'overlaps') end";
            let () = self.run(begin, "").await;
            tokio::time::sleep(self.latency).await;
            let end = "
                redis.call('DECR', 'under_way')
                local token = 'token-' .. redis.call('INCR', 'issued')
                redis.call('SET', 'valid', token, 'PX', ARGV[1])
                return token";
            let token: String = self.run(end, &LIFE_MS.to_string()).await;
            Ok(Fetched {
                token: Secret::from(token),
                lasts: millis(LIFE_MS),
            })
        })
    }

    fn api(&self) -> Api {
        Api::GET_TOKEN
    }
}

// === impl Process ===

impl Process {
    fn start(url: &str, task: &str) -> Self {
        let program = env::current_exe().expect("this program has a path");
        let child = Command::new(program)
            .args([
                "--exact",
                "token::tests::real_redis::a_process_of_its_own",
                "--ignored",
            ])
            .env(URL, url)
            .env(TASK, task)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn();
        Self(child.expect("this program starts"))
    }

    /// Waits for its end, and fails if it failed.
    fn end(mut self) {
        let status = self.0.wait().expect("it is a child");
        assert!(status.success(), "{status}");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only for a child that has been waited for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Patient with a busy machine: nothing here is about how fast it is.
fn patient() -> Settings {
    Settings::default()
        .timeouts(secs(20), secs(10), secs(60))
        .and_then(|settings| settings.refresh_percent(60..=70))
        .expect("in range")
}

#[tokio::test]
#[ignore = "run by other tests, as a process of its own"]
async fn a_process_of_its_own() {
    let (Ok(url), Ok(task)) = (env::var(URL), env::var(TASK)) else {
        panic!("{URL} and {TASK} say what to do");
    };
    let mut branch = Branch::open(&url).await;
    match task.as_str() {
        "call" => {
            let keeper = branch.keeper(patient());
            let clock = Clock::system();
            while clock.now() < secs(8) {
                branch.call(&keeper).await.expect("no call fails");
                tokio::time::sleep(millis(5)).await;
            }
        }
        "fetch for ever" => {
            branch.latency = secs(3600);
            let settings = Settings::default().timeouts(secs(4), millis(500), secs(5));
            let _ = branch.keeper(settings.expect("in range")).token().await;
        }
        other => panic!("{TASK} is {other:?}"),
    }
}

#[tokio::test]
async fn t3_eight_processes_fetch_once_a_life_and_no_call_fails() {
    let server = RedisServer::start();
    let branch = Branch::open(&server.url()).await;
    let processes: Vec<Process> = (0..8)
        .map(|_| Process::start(&server.url(), "call"))
        .collect();
    let ended = tokio::task::spawn_blocking(|| processes.into_iter().for_each(Process::end));
    ended.await.expect("none failed");

    let fetches = branch.fetches().await;
    let overlaps: Option<u64> = branch.run("return redis.call('GET', 'overlaps')", "").await;
    assert_eq!(overlaps, None, "two fetches at once: {fetches:?}");
    assert!(fetches.len() >= 2, "the token was refreshed: {fetches:?}");
    for two in fetches.windows(2) {
        // 60 % of a life, which began when the fetch was answered.
        assert!(two[1] - two[0] >= LIFE_MS * 600, "{fetches:?}");
    }
}

#[tokio::test]
async fn eight_connections_that_find_the_token_dead_fetch_once() {
    let server = RedisServer::start();
    let office = Office::new(Mode::OldDies);
    let mut keepers = Vec::new();
    for _ in 0..8 {
        let connection = Branch::open(&server.url()).await.connection;
        let store = RedisStore::new(connection);
        keepers.push(keeper_with(&office, &store, patient()));
    }
    for round in 1..=5 {
        office.kill();
        let mut tasks = JoinSet::new();
        for keeper in &keepers {
            for _ in 0..25 {
                let (keeper, office) = (keeper.clone(), office.clone());
                tasks.spawn(async move { call(&keeper, &office).await });
            }
        }
        for result in tasks.join_all().await {
            result.unwrap_or_else(|error| panic!("round {round}: {error}"));
        }
        assert_eq!(office.fetches(), round);
    }
    assert_eq!(office.most_under_way(), 1);
}

#[tokio::test]
async fn a_process_killed_with_the_lease_delays_others_until_it_ends() {
    let server = RedisServer::start();
    let branch = Branch::open(&server.url()).await;
    let process = Process::start(&server.url(), "fetch for ever");
    let clock = Clock::system();
    while branch.fetches().await.is_empty() {
        assert!(clock.now() < secs(20), "it never began to fetch");
        tokio::time::sleep(millis(5)).await;
    }
    drop(process);
    let lease = "return redis.call('PTTL', 'wecom:{ww1}:00112233aabbccdd:lease')";
    let left: i64 = branch.run(lease, "").await;
    assert!(left > 0, "killed while it had the lease");
    let left = millis(u64::try_from(left).unwrap());

    let before = clock.now();
    branch.keeper(patient()).token().await.unwrap();
    let waited = clock.now() - before;
    // Without the lease there would be no wait at all; the second is for the last poll, the fetch and the machine.
    assert!(waited >= left - millis(50), "{waited:?} of {left:?}");
    assert!(waited <= left + secs(2), "{waited:?} of {left:?}");
    assert_eq!(branch.fetches().await.len(), 2);
}

#[tokio::test]
async fn a_redis_that_hangs_or_is_gone_stops_no_call() {
    let mut server = RedisServer::start();
    let connection = Branch::open(&server.url()).await.connection;
    let office = Office::new(Mode::OldDies);
    let settings = Settings::default().timeouts(secs(6), millis(200), secs(10));
    let store = RedisStore::new(connection);
    let keeper = keeper_with(&office, &store, settings.unwrap());
    call(&keeper, &office).await.unwrap();

    server.pause();
    call(&keeper, &office).await.unwrap();
    office.kill();
    call(&keeper, &office).await.unwrap();
    assert_eq!(office.fetches(), 2);
    server.resume();

    server.stop();
    office.kill();
    call(&keeper, &office).await.unwrap();
    assert_eq!(office.fetches(), 3);
}

#[tokio::test]
async fn a_redis_that_is_started_again_is_used_again_without_a_restart_of_ours() {
    let mut server = RedisServer::start();
    let client = redis::Client::open(server.url()).unwrap();
    let connection = ConnectionManager::new(client).await.unwrap();
    let office = Office::new(Mode::OldDies);
    let store = RedisStore::new(connection);
    let settings = Settings::default().timeouts(secs(6), millis(200), secs(10));
    let keeper = keeper_with(&office, &store, settings.unwrap());
    let first = call(&keeper, &office).await.unwrap();

    server.stop();
    for _ in 0..100 {
        assert_eq!(call(&keeper, &office).await.unwrap(), first);
    }
    assert_eq!(office.fetches(), 1, "the one in memory was used");

    server.restart();
    let clock = Clock::system();
    while store.load(&key("ww1")).await.is_err() {
        assert!(clock.now() < secs(10), "it is not found again");
        tokio::time::sleep(millis(10)).await;
    }
    assert_eq!(call(&keeper, &office).await.unwrap(), first);
    office.kill();
    let second = call(&keeper, &office).await.unwrap();
    assert_eq!(office.fetches(), 2);
    let there = store.load(&key("ww1")).await.unwrap().unwrap();
    assert_eq!(there.token, second, "it is shared again");
}
