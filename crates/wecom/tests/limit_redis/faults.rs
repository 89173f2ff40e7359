//! A Redis that hangs, dies, comes back, or is not what it should be; and processes that die or differ.

use std::{
    convert::Infallible,
    env,
    error::Error as _,
    process::{Child, Command, Stdio},
};

use http::Response;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use tower::service_fn;
use wecom::{Client as WeCom, Credential, error::Class};

use super::*;

/// Tells this program that it is a child, and where Redis is.
const URL: &str = "WECOM_TEST_LIMIT_REDIS";

#[tokio::test]
async fn a_redis_that_hangs_is_given_up_and_leaves_no_lease_behind() {
    let redis = RedisServer::start();
    let limiter = limiter(&redis.url(), Limits::default().concurrency(2)).await;
    let limiter = limiter.with_timeout(100 * MOMENT);
    acquire(&limiter, 0, SECOND)
        .await
        .unwrap()
        .settle(Sign::Served);
    redis.pause();
    for _ in 0..4 {
        let result = acquire(&limiter, 0, 60 * SECOND).await;
        assert!(matches!(result, Err(Refusal::Unreachable(_))), "{result:?}");
    }
    redis.resume();
    // What was asked meanwhile has been granted unheard: more than there is, were it not given back.
    let limiter = limiter.with_timeout(10 * SECOND);
    let mut held = Vec::new();
    for _ in 0..2 {
        held.push(acquire(&limiter, 0, 10 * SECOND).await.unwrap());
    }
}

#[tokio::test]
async fn a_redis_that_is_gone_refuses_all_who_wait_at_once() {
    let mut redis = RedisServer::start();
    let limiter = limiter(&redis.url(), Limits::default().concurrency(1)).await;
    let _held = acquire(&limiter, 0, SECOND).await.unwrap();
    let mut tasks = JoinSet::new();
    for _ in 0..100 {
        let limiter = limiter.clone();
        tasks.spawn(async move { acquire(&limiter, 0, 600 * SECOND).await });
    }
    all_have_asked().await;
    redis.stop();
    while let Some(result) = tasks.join_next().await {
        let result = result.unwrap();
        assert!(matches!(result, Err(Refusal::Unreachable(_))), "{result:?}");
    }
}

#[tokio::test]
async fn a_connection_that_finds_its_way_back_counts_on_after_a_restart() {
    let mut redis = RedisServer::start();
    let client = Client::open(redis.url()).expect("a URL");
    let config = ConnectionManagerConfig::new()
        .set_min_delay(MOMENT)
        .set_max_delay(20 * MOMENT);
    let manager = ConnectionManager::new_with_config(client, config).await;
    let limits = Limits::default().concurrency(2);
    let limiter = RedisLimiter::connect(manager.expect("Redis listens"), limits).await;
    let limiter = limiter.expect("Redis answers").with_timeout(100 * MOMENT);
    let held = acquire(&limiter, 0, SECOND).await.unwrap();

    redis.stop();
    let result = acquire(&limiter, 0, SECOND).await;
    assert!(matches!(result, Err(Refusal::Unreachable(_))), "{result:?}");
    // Given back into nothing.
    held.settle(Sign::Served);

    redis.restart();
    let waiting = Clock::system();
    let first = loop {
        match acquire(&limiter, 0, SECOND).await {
            Ok(permit) => break permit,
            Err(refusal) => assert!(waiting.now() < 20 * SECOND, "still {refusal:?}"),
        }
        sleep(5 * MOMENT).await;
    };
    let second = acquire(&limiter, 0, SECOND).await.unwrap();
    assert!(is_no_room(&acquire(&limiter, 0, 50 * MOMENT).await));
    for permit in [first, second] {
        permit.settle(Sign::Served);
    }
}

#[tokio::test]
async fn whoever_counts_another_hour_is_told_both_lengths() {
    let redis = RedisServer::start();
    let client = async |seconds| {
        let hour = Window::new(150_000, seconds * SECOND);
        let limiter = limiter(&redis.url(), Limits::default().hour(hour)).await;
        let credential = Credential::app("ww1", "secret").expect("a credential");
        let wecom = service_fn(async |_| {
            let answer = r#"{"errcode":0,"access_token":"t","expires_in":7200,"ip_list":[]}"#;
            Ok::<_, Infallible>(Response::new(answer.to_owned()))
        });
        let client = WeCom::builder(credential).limiter(Arc::new(limiter));
        client.build_with(wecom).expect("right settings")
    };
    client(3600).await.get_callback_ips().await.unwrap();
    let error = client(1800).await.get_callback_ips().await.unwrap_err();
    assert_eq!(error.class(), Class::Transient);
    let told = error.source().expect("why").to_string();
    assert!(
        told.contains("hour.length is 1800s; allowed: 3600s"),
        "{told}"
    );
}

#[tokio::test]
async fn the_rights_that_are_recommended_are_enough() {
    let redis = RedisServer::start();
    let rights = "ACL SETUSER wecom on >pass resetkeys ~wecom:* resetchannels -@all +eval +evalsha \
        +script|load +time +get +set +del +hget +hmget +hset +pttl +pexpire +ping +hincrby +hdel \
        +hgetall +zadd +zrem +zcard +zscore +zremrangebyscore";
    let rights: Vec<&str> = rights.split_whitespace().collect();
    let _: String = query(&redis.url(), &rights).await;
    let url = format!("redis://wecom:pass@127.0.0.1:{}/", redis.port());
    // So short that the slots of the long window are forgotten meanwhile.
    let limits = Limits::default()
        .minute(Window::new(1000, 100 * MOMENT))
        .hour(Window::new(1000, 100 * MOMENT))
        .skew(Duration::ZERO)
        .lease(100 * MOMENT)
        .block(MOMENT, MOMENT, MOMENT)
        .after_abnormal(MOMENT, MOMENT);
    let one = limiter(&url, limits.clone()).await;
    let clock = Clock::system();
    while clock.now() < 300 * MOMENT {
        for sign in [
            Sign::Served,
            Sign::Conflict,
            Sign::Concurrency,
            Sign::Served,
            Sign::Frequency,
            Sign::Abnormal,
            Sign::Lost,
            Sign::Served,
        ] {
            let permit = acquire(&one, 0, 10 * SECOND).await;
            permit.unwrap().settle(sign);
        }
    }
    let (first, second) = (
        acquire(&one, 0, 10 * SECOND).await,
        acquire(&one, 0, 10 * SECOND).await,
    );
    assert!(first.is_ok() && second.is_ok(), "{first:?} {second:?}");
}

#[tokio::test]
async fn a_key_that_is_something_else_is_told_and_takes_nothing() {
    for part in ["state", "ring", "leases"] {
        let redis = RedisServer::start();
        let url = redis.url();
        let limiter = limiter(&url, Limits::default().concurrency(1)).await;
        let key = format!("wecom:{{ww1}}:limit:{API}:{part}");
        let _: String = query(&url, &["SET", &key, "a text"]).await;
        for _ in 0..3 {
            match acquire(&limiter, 0, SECOND).await {
                Err(Refusal::Unreachable(error)) => {
                    assert!(error.to_string().contains("WRONGTYPE"), "{part}: {error}");
                }
                result => panic!("{part}: {result:?}"),
            }
        }
        let _: u32 = query(&url, &["DEL", &key]).await;
        let permit = acquire(&limiter, 0, SECOND).await;
        assert!(permit.is_ok(), "{part}: {permit:?}");
    }
}

/// A process of its own that takes what there is, says so, and waits for its end.
#[tokio::test]
#[ignore = "run by another test, as a child"]
async fn child_that_holds_all() {
    let url = env::var(URL).expect("the test that starts it says where Redis is");
    let limiter = limiter(&url, holding()).await;
    let _held = [
        acquire(&limiter, 0, SECOND).await.unwrap(),
        acquire(&limiter, 0, SECOND).await.unwrap(),
    ];
    let _: String = query(&url, &["SET", "held", "1"]).await;
    sleep(600 * SECOND).await;
}

fn holding() -> Limits {
    Limits::default().concurrency(2).lease(1500 * MOMENT)
}

/// Killed at the end, whatever the test finds.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn what_a_killed_process_held_ends_with_its_lease() {
    let redis = RedisServer::start();
    let url = redis.url();
    let limiter = limiter(&url, holding()).await;
    let child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "faults::child_that_holds_all", "--ignored"])
        .env(URL, &url)
        .stdout(Stdio::null())
        .spawn();
    let mut child = Process(child.unwrap());
    let started = Clock::system();
    while query::<u32>(&url, &["EXISTS", "held"]).await == 0 {
        assert!(started.now() < 20 * SECOND, "the child does not come up");
        sleep(5 * MOMENT).await;
    }
    // SIGKILL: it gives nothing back.
    child.0.kill().unwrap();
    child.0.wait().unwrap();
    assert!(is_no_room(&acquire(&limiter, 0, Duration::ZERO).await));
    let permit = acquire(&limiter, 0, 5 * SECOND).await;
    assert!(permit.is_ok(), "{permit:?}");
}
