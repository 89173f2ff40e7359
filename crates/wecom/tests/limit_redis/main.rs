//! The limiter of many processes over a real Redis.
#![cfg(feature = "redis")]

use std::{
    collections::HashMap,
    mem::ManuallyDrop,
    sync::{Arc, Mutex},
    time::Duration,
};

use redis::{Client, aio::MultiplexedConnection};
use tokio::{task::JoinSet, time::sleep};
use wecom::{
    Api, Clock, CorpId, Rank,
    limit::{Ask, Limiter, Limits, Permit, RedisConnection, RedisLimiter, Refusal, Sign, Window},
};

mod faults;
#[path = "../support/mod.rs"]
mod support;

use self::support::redis::{RedisServer, unused_port};

type Shared = RedisLimiter<MultiplexedConnection>;

const API: Api = Api::new("update_contact_way");
const SECOND: Duration = Duration::from_secs(1);
const MOMENT: Duration = Duration::from_millis(1);

async fn connection(url: &str) -> MultiplexedConnection {
    let client = Client::open(url).expect("a URL");
    let connection = client.get_multiplexed_async_connection().await;
    connection.expect("Redis listens")
}

/// Returns a limiter with a connection of its own, as another process would have.
async fn limiter(url: &str, limits: Limits) -> Shared {
    let limiter = RedisLimiter::connect(connection(url).await, limits).await;
    limiter.expect("Redis answers").with_timeout(10 * SECOND)
}

async fn acquire<C: RedisConnection>(
    limiter: &RedisLimiter<C>,
    rank: u16,
    patience: Duration,
) -> Result<Permit, Refusal> {
    let corp = CorpId::new("ww1").expect("a corp id");
    let ask = Ask {
        corp: &corp,
        api: API,
        rank: Rank::new(rank),
        patience,
    };
    limiter.acquire(ask).await
}

/// Lets all tasks of this thread run until they wait for something.
async fn all_have_asked() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

fn is_no_room(result: &Result<Permit, Refusal>) -> bool {
    matches!(result, Err(Refusal::NoRoom { .. }))
}

async fn query<T: redis::FromRedisValue>(url: &str, command: &[&str]) -> T {
    let mut asked = redis::cmd(command[0]);
    asked.arg(&command[1..]);
    let answer = asked.query_async(&mut connection(url).await).await;
    answer.expect("Redis answers")
}

/// Returns all that Redis holds, each key by name.
async fn everything(url: &str) -> HashMap<String, String> {
    let mut all = HashMap::new();
    for key in query::<Vec<String>>(url, &["KEYS", "*"]).await {
        let dumped: Vec<u8> = query(url, &["DUMP", &key]).await;
        all.insert(key, format!("{dumped:?}"));
    }
    all
}

/// Returns whether there is a sorted set: nothing else is kept in one but what is in flight.
async fn are_calls_in_flight(url: &str) -> bool {
    for key in query::<Vec<String>>(url, &["KEYS", "*"]).await {
        if query::<String>(url, &["TYPE", &key]).await == "zset" {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn r3_a_redis_that_does_not_tell_the_time_still_limits() {
    let redis = RedisServer::start_with(&["--rename-command", "TIME", ""]);
    let limiter = limiter(&redis.url(), Limits::default().concurrency(3)).await;
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(acquire(&limiter, 0, SECOND).await.unwrap());
    }
    assert!(is_no_room(&acquire(&limiter, 0, 50 * MOMENT).await));
    for permit in held {
        permit.settle(Sign::Served);
    }
    acquire(&limiter, 0, SECOND)
        .await
        .unwrap()
        .settle(Sign::Frequency);
    assert!(is_no_room(&acquire(&limiter, 0, SECOND).await));
}

#[tokio::test]
async fn r4_many_who_ask_at_once_take_no_more_than_there_is() {
    let redis = RedisServer::start();
    // One a minute after the first ten, so that no time passes as far as the window goes.
    let minute = Window::new(100, 3600 * SECOND);
    let limits = Limits::default().concurrency(50).minute(minute);
    let limits = limits.hour(Window::new(100, 3600 * SECOND)).burst(10);
    let mut tasks = JoinSet::new();
    for _ in 0..8 {
        let limiter = limiter(&redis.url(), limits.clone()).await;
        for _ in 0..10 {
            let limiter = limiter.clone();
            tasks.spawn(async move { acquire(&limiter, 0, SECOND).await });
        }
    }
    let mut granted = Vec::new();
    while let Some(result) = tasks.join_next().await {
        granted.extend(result.unwrap());
    }
    assert_eq!(granted.len(), 10);
}

#[tokio::test]
async fn r5_the_calls_in_flight_are_those_of_all_processes() {
    let redis = RedisServer::start();
    let url = redis.url();
    let (flying, most) = (Arc::new(Mutex::new(0_u32)), Arc::new(Mutex::new(0_u32)));
    let mut tasks = JoinSet::new();
    for _ in 0..6 {
        let limiter = limiter(&url, Limits::default().concurrency(4)).await;
        for _ in 0..20 {
            let (limiter, flying, most) = (limiter.clone(), Arc::clone(&flying), Arc::clone(&most));
            tasks.spawn(async move {
                let permit = acquire(&limiter, 0, 60 * SECOND).await.unwrap();
                let now = {
                    let mut flying = flying.lock().unwrap();
                    *flying += 1;
                    *flying
                };
                let so_far = *most.lock().unwrap();
                *most.lock().unwrap() = so_far.max(now);
                sleep(5 * MOMENT).await;
                *flying.lock().unwrap() -= 1;
                permit.settle(Sign::Served);
            });
        }
    }
    while let Some(result) = tasks.join_next().await {
        result.unwrap();
    }
    assert_eq!(*most.lock().unwrap(), 4);
}

#[tokio::test]
async fn r6_who_is_refused_by_one_window_takes_nothing_from_another() {
    let redis = RedisServer::start();
    let url = redis.url();
    let hour = Window::new(12, 3600 * SECOND);
    let limiter = limiter(&url, Limits::default().hour(hour)).await;
    for _ in 0..7 {
        acquire(&limiter, 0, SECOND)
            .await
            .unwrap()
            .settle(Sign::Served);
    }
    let used_up = acquire(&limiter, 0, SECOND).await;
    assert!(is_no_room(&used_up), "12 less 5 in flight: {used_up:?}");
    // The last one's end is on its way.
    let deadline = Clock::system();
    while are_calls_in_flight(&url).await {
        assert!(deadline.now() < 10 * SECOND, "a lease was not given back");
        sleep(MOMENT).await;
    }
    let before = everything(&url).await;
    for _ in 0..100 {
        assert!(is_no_room(&acquire(&limiter, 0, SECOND).await));
    }
    assert_eq!(everything(&url).await, before);
}

#[tokio::test]
async fn r7_all_keys_of_a_corp_are_on_one_node_of_a_cluster_and_none_lives_for_ever() {
    let bus = unused_port().to_string();
    let cluster = ["--cluster-enabled", "yes", "--cluster-port", &bus];
    let redis = RedisServer::start_with(&cluster);
    let url = redis.url();
    let _: String = query(&url, &["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]).await;
    let healthy = Clock::system();
    while !query::<String>(&url, &["CLUSTER", "INFO"])
        .await
        .contains("cluster_state:ok")
    {
        assert!(healthy.now() < 20 * SECOND, "the cluster does not come up");
        sleep(10 * MOMENT).await;
    }
    let limiter = limiter(&url, Limits::default().concurrency(2)).await;
    let signs = [Sign::Served, Sign::Lost, Sign::Concurrency, Sign::Abnormal];
    for sign in signs {
        acquire(&limiter, 0, SECOND).await.unwrap().settle(sign);
        check_keys(&url).await;
    }
    // Whoever waits in vain for calls in flight leaves a mark too.
    let other = limiter.clone().with_prefix("other").unwrap();
    let _held = [
        acquire(&other, 0, SECOND).await.unwrap(),
        acquire(&other, 0, SECOND).await.unwrap(),
    ];
    assert!(is_no_room(&acquire(&other, 0, 50 * MOMENT).await));
    check_keys(&url).await;
}

async fn check_keys(url: &str) {
    let keys: Vec<String> = query(url, &["KEYS", "*"]).await;
    assert!(keys.len() >= 2, "{keys:?}");
    let wanted: u32 = query(url, &["CLUSTER", "KEYSLOT", "{ww1}"]).await;
    for key in keys {
        let slot: u32 = query(url, &["CLUSTER", "KEYSLOT", &key]).await;
        assert_eq!(slot, wanted, "{key}");
        let left: i64 = query(url, &["PTTL", &key]).await;
        assert_ne!(left, -1, "{key} lives for ever");
        assert!(left < 86_400_000, "{key} lives for {left} ms");
    }
}

#[tokio::test]
async fn a_refusal_that_one_process_gets_holds_for_all() {
    let redis = RedisServer::start();
    let one = limiter(&redis.url(), Limits::default()).await;
    let other = limiter(&redis.url(), Limits::default()).await;
    acquire(&one, 0, SECOND)
        .await
        .unwrap()
        .settle(Sign::Frequency);
    let waiting = Clock::system();
    while acquire(&other, 0, Duration::ZERO).await.is_ok() {
        assert!(waiting.now() < 10 * SECOND, "it was not told");
        sleep(MOMENT).await;
    }
    match acquire(&other, 0, 30 * SECOND).await {
        Err(Refusal::NoRoom { retry_after }) => {
            assert!(retry_after > 50 * SECOND && retry_after <= 61 * SECOND);
        }
        result => panic!("{result:?}"),
    }
}

#[tokio::test]
async fn who_goes_away_leaves_no_lease() {
    let redis = RedisServer::start();
    let limiter = limiter(&redis.url(), Limits::default().concurrency(1)).await;
    for _ in 0..50 {
        let one = limiter.clone();
        let task =
            tokio::spawn(async move { acquire(&one, 0, 10 * SECOND).await.map(ManuallyDrop::new) });
        for _ in 0..rand::random_range(0..20) {
            tokio::task::yield_now().await;
        }
        task.abort();
        if let Ok(Ok(permit)) = task.await {
            ManuallyDrop::into_inner(permit).settle(Sign::Served);
        }
    }
    let permit = acquire(&limiter, 0, 5 * SECOND).await;
    assert!(permit.is_ok(), "{permit:?}");
}

#[tokio::test]
async fn who_gives_back_and_takes_again_does_not_starve_another_process() {
    let redis = RedisServer::start();
    let limits = Limits::default().concurrency(1);
    let (greedy, other) = (
        limiter(&redis.url(), limits.clone()).await,
        limiter(&redis.url(), limits).await,
    );
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut tasks = JoinSet::new();
    let mut call = |limiter: &Shared, name, rank| {
        let (limiter, order) = (limiter.clone(), Arc::clone(&order));
        tasks.spawn(async move {
            let permit = acquire(&limiter, rank, 60 * SECOND).await.unwrap();
            order.lock().unwrap().push(name);
            sleep(60 * MOMENT).await;
            permit.settle(Sign::Served);
        });
    };
    for _ in 0..25 {
        call(&greedy, 'g', 9);
    }
    all_have_asked().await;
    call(&other, 'i', 0);
    let waiting = Clock::system();
    while order.lock().unwrap().len() < 4 {
        assert!(waiting.now() < 20 * SECOND, "nobody is served");
        sleep(MOMENT).await;
    }
    for _ in 0..5 {
        call(&greedy, 'l', 9);
    }
    while let Some(result) = tasks.join_next().await {
        result.unwrap();
    }
    let order: String = order.lock().unwrap().iter().collect();
    let important = order.find('i').unwrap();
    assert!(
        important <= 4,
        "the important one, of another process: {order}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_of_them_offered_five_times_the_window_use_it_and_never_more() {
    let redis = RedisServer::start();
    // A tenth of the documented windows, ten times as fast.
    let limits = Limits::default()
        .minute(Window::new(1000, 6 * SECOND))
        .hour(Window::new(15_000, 360 * SECOND))
        .skew(20 * MOMENT)
        .burst(10);
    let clock = Clock::system();
    let sent = Arc::new(Mutex::new(Vec::new()));
    let mut tasks = JoinSet::new();
    for _ in 0..8 {
        let limiter = limiter(&redis.url(), limits.clone()).await;
        // Each of them offers 104 calls a second; all together 5 x 167.
        for _ in 0..13 {
            let (limiter, sent) = (limiter.clone(), Arc::clone(&sent));
            tasks.spawn(async move {
                loop {
                    if let Ok(permit) = acquire(&limiter, 0, SECOND).await {
                        sent.lock().unwrap().push(clock.now());
                        sleep(2 * MOMENT).await;
                        permit.settle(Sign::Served);
                    }
                    sleep(125 * MOMENT).await;
                }
            });
        }
    }
    sleep(20 * SECOND).await;
    tasks.shutdown().await;
    let mut sent = sent.lock().unwrap().clone();
    sent.sort_unstable();
    let mut first = 0;
    for (last, end) in sent.iter().enumerate() {
        while sent[first] + 6 * SECOND < *end {
            first += 1;
        }
        assert!(last - first < 1000, "{} within 6 s", last - first + 1);
    }
    // Of the first two seconds, the start of it all is left out.
    let counted = sent
        .iter()
        .filter(|at| (2 * SECOND..20 * SECOND).contains(*at));
    let used = counted.count();
    assert!(used >= 2910, "of 3000 in 18 s: {used}");
}
