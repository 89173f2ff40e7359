//! What every store of tokens must do, asked of each of them.

#![expect(clippy::unwrap_used, reason = "a store that fails fails the test")]

use std::{future::Future, time::Duration};

use wecom::{
    CorpId, Secret,
    token::{Lease, MemoryStore, Stored, TokenKey, TokenStore},
};

#[cfg(feature = "redis")]
mod support;

const LONG: Duration = Duration::from_secs(100);

fn key(corp: &str, app: &str) -> TokenKey {
    TokenKey {
        corp: CorpId::new(corp).expect("a corp id"),
        app: app.into(),
    }
}

fn stored(token: &str, generation: u64, lasts: Duration) -> Stored {
    Stored {
        token: Secret::from(token),
        lasts,
        whole: Duration::from_secs(7200),
        generation,
    }
}

async fn leased(store: &dyn TokenStore, key: &TokenKey) -> Lease {
    let lease = store.lease(key, LONG).await.expect("the store answers");
    lease.expect("nobody holds the lease")
}

async fn text(store: &dyn TokenStore, key: &TokenKey) -> Option<String> {
    let found = store.load(key).await.expect("the store answers");
    found.map(|stored| stored.token.reveal().to_owned())
}

/// Asks again and again, for what real time brings; at most for five seconds.
async fn in_time<F: Future<Output = bool>>(what: &str, ask: impl Fn() -> F) {
    for _ in 0..500 {
        if ask().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("five seconds and not: {what}");
}

async fn conforms(store: &dyn TokenStore) {
    a_lease_has_one_holder(store).await;
    a_lease_ends_by_itself(store).await;
    generations_grow(store).await;
    a_token_is_found_until_it_expires(store).await;
    an_older_token_is_not_stored(store).await;
    a_token_is_removed_by_its_value(store).await;
    keys_are_apart(store).await;
    a_generation_beyond_all_leases_is_refused(store).await;
}

async fn a_lease_has_one_holder(store: &dyn TokenStore) {
    let key = key("ww1", "holder");
    let first = leased(store, &key).await;
    assert_eq!(store.lease(&key, LONG).await.unwrap(), None);
    // L5: nobody gives back what another holds.
    let stranger = Lease {
        generation: first.generation + 7,
        owner: "a stranger".into(),
    };
    store.release(&key, &stranger).await.unwrap();
    assert_eq!(store.lease(&key, LONG).await.unwrap(), None);
    store.release(&key, &first).await.unwrap();
    let second = leased(store, &key).await;
    assert_ne!(second.owner, first.owner);
    store.release(&key, &first).await.unwrap();
    assert_eq!(
        store.lease(&key, LONG).await.unwrap(),
        None,
        "it is the second's now"
    );
}

async fn a_lease_ends_by_itself(store: &dyn TokenStore) {
    let key = key("ww1", "ends");
    let first = store.lease(&key, Duration::from_millis(150)).await.unwrap();
    assert!(first.is_some());
    in_time("the lease ends", || async {
        store.lease(&key, LONG).await.unwrap().is_some()
    })
    .await;
}

async fn generations_grow(store: &dyn TokenStore) {
    let key = key("ww1", "grow");
    let mut last = 0;
    for _ in 0..200 {
        let lease = leased(store, &key).await;
        assert!(lease.generation > last, "{} after {last}", lease.generation);
        last = lease.generation;
        store.release(&key, &lease).await.unwrap();
    }
    // Also above what came from elsewhere, or what is fetched with the next lease would be refused as too old.
    let far = last + (1 << 40);
    store.store(&key, stored("t", far, LONG)).await.unwrap();
    assert!(leased(store, &key).await.generation > far);
}

async fn a_token_is_found_until_it_expires(store: &dyn TokenStore) {
    let key = key("ww1", "expires");
    assert_eq!(store.load(&key).await.unwrap(), None);
    let new = stored("令牌 \"1\"\r\n", 5, LONG);
    let there = store.store(&key, new.clone()).await.unwrap().unwrap();
    let found = store.load(&key).await.unwrap().unwrap();
    for got in [&there, &found] {
        assert_eq!(got.token, new.token);
        assert_eq!((got.generation, got.whole), (5, new.whole));
        assert!(got.lasts <= LONG && got.lasts > LONG / 2, "{:?}", got.lasts);
    }
    let brief = stored("2", 6, Duration::from_millis(150));
    store.store(&key, brief).await.unwrap();
    in_time("the token expires", || async {
        text(store, &key).await.is_none()
    })
    .await;
}

async fn an_older_token_is_not_stored(store: &dyn TokenStore) {
    let key = key("ww1", "older");
    store.store(&key, stored("new", 10, LONG)).await.unwrap();
    let there = store.store(&key, stored("old", 9, LONG)).await.unwrap();
    assert_eq!(there.unwrap().token, Secret::from("new"));
    assert_eq!(text(store, &key).await.as_deref(), Some("new"));

    assert!(store.remove(&key, &Secret::from("new")).await.unwrap());
    let there = store.store(&key, stored("old", 9, LONG)).await.unwrap();
    assert_eq!(there, None, "nor when the new one is gone");
    assert_eq!(text(store, &key).await, None);

    let there = store.store(&key, stored("newer", 11, LONG)).await.unwrap();
    assert_eq!(there.unwrap().token, Secret::from("newer"));
}

async fn a_token_is_removed_by_its_value(store: &dyn TokenStore) {
    let key = key("ww1", "value");
    assert!(!store.remove(&key, &Secret::from("a")).await.unwrap());
    store.store(&key, stored("b", 1, LONG)).await.unwrap();
    assert!(!store.remove(&key, &Secret::from("a")).await.unwrap());
    assert_eq!(text(store, &key).await.as_deref(), Some("b"));
    assert!(store.remove(&key, &Secret::from("b")).await.unwrap());
    assert_eq!(text(store, &key).await, None);
}

async fn keys_are_apart(store: &dyn TokenStore) {
    let keys = [key("ww1", "a"), key("ww1", "b"), key("ww2", "a")];
    for (generation, key) in (1..).zip(&keys) {
        leased(store, key).await;
        let name = format!("of {}", key.app);
        store
            .store(key, stored(&name, generation, LONG))
            .await
            .unwrap();
    }
    assert!(store.remove(&keys[2], &Secret::from("of a")).await.unwrap());
    assert_eq!(text(store, &keys[0]).await.as_deref(), Some("of a"));
    assert_eq!(text(store, &keys[1]).await.as_deref(), Some("of b"));
    assert_eq!(text(store, &keys[2]).await, None);
}

async fn a_generation_beyond_all_leases_is_refused(store: &dyn TokenStore) {
    let key = key("ww1", "beyond");
    for generation in [9_000_000_000_000_000, 1 << 53, u64::MAX] {
        let error = store.store(&key, stored("t", generation, LONG)).await;
        let error = error.unwrap_err().to_string();
        assert!(error.contains("generation"), "{error}");
    }
    assert_eq!(text(store, &key).await, None);
    // Nor does it stand in the way of others.
    let lease = leased(store, &key).await;
    let new = stored("t", lease.generation, LONG);
    store.store(&key, new).await.unwrap();
    assert_eq!(text(store, &key).await.as_deref(), Some("t"));
}

#[tokio::test(start_paused = true)]
async fn memory_does_what_a_store_must() {
    conforms(&MemoryStore::new()).await;
}

#[tokio::test(start_paused = true)]
async fn clones_of_a_memory_are_one_store() {
    let store = MemoryStore::new();
    let key = key("ww1", "a");
    store.store(&key, stored("t", 1, LONG)).await.unwrap();
    assert_eq!(text(&store.clone(), &key).await.as_deref(), Some("t"));
}

#[cfg(feature = "redis")]
mod redis_store {
    use redis::aio::{ConnectionManager, MultiplexedConnection};
    use wecom::token::RedisStore;

    use super::{support::redis::RedisServer, *};

    type Store = RedisStore<MultiplexedConnection>;

    async fn connect(url: &str) -> MultiplexedConnection {
        let client = redis::Client::open(url).expect("a URL");
        let connection = client.get_multiplexed_async_connection().await;
        connection.expect("a connection")
    }

    async fn start() -> (RedisServer, MultiplexedConnection, Store) {
        let server = RedisServer::start();
        let connection = connect(&server.url()).await;
        let store = RedisStore::new(connection.clone());
        (server, connection, store)
    }

    async fn run<T: redis::FromRedisValue>(connection: &MultiplexedConnection, command: &str) -> T {
        let mut words = command.split(' ');
        let mut cmd = redis::cmd(words.next().expect("a command"));
        for word in words {
            cmd.arg(word);
        }
        let answer = cmd.query_async(&mut connection.clone()).await;
        answer.unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    #[tokio::test]
    async fn redis_does_what_a_store_must() {
        let (_server, _, store) = start().await;
        conforms(&store).await;
    }

    #[tokio::test]
    async fn a_node_of_a_cluster_has_all_keys_of_a_corp() {
        let server = RedisServer::start_with(&["--cluster-enabled", "yes"]);
        let connection = connect(&server.url()).await;
        let () = run(&connection, "CLUSTER ADDSLOTSRANGE 0 16383").await;
        in_time("the cluster is ready", || async {
            let info: String = run(&connection, "CLUSTER INFO").await;
            info.contains("cluster_state:ok")
        })
        .await;
        // A script whose keys were of different slots would be refused.
        conforms(&RedisStore::new(connection)).await;
    }

    #[tokio::test]
    async fn a_redis_that_keeps_the_time_to_itself_will_do() {
        let (server, admin, _) = start().await;
        let () = run(&admin, "ACL SETUSER timeless on >pass ~* &* +@all -time").await;
        let url = format!("redis://timeless:pass@127.0.0.1:{}/", server.port());
        conforms(&RedisStore::new(connect(&url).await)).await;
    }

    #[tokio::test]
    async fn the_rights_that_are_recommended_are_enough() {
        let (server, admin, _) = start().await;
        let rights = "ACL SETUSER wecom on >pass resetkeys ~wecom:* resetchannels -@all +eval \
            +evalsha +script|load +time +get +set +del +hget +hmget +hset +pttl +pexpire +ping";
        let words: Vec<&str> = rights.split_whitespace().collect();
        let () = run(&admin, &words.join(" ")).await;
        let url = format!("redis://wecom:pass@127.0.0.1:{}/", server.port());
        conforms(&RedisStore::new(connect(&url).await)).await;
    }

    #[tokio::test]
    async fn a_lease_that_was_granted_unheard_is_given_back() {
        let (server, connection, store) = start().await;
        let key = key("ww1", "a");
        // So that the script is known.
        leased(&store, &super::key("ww1", "b")).await;
        server.pause();
        let asked = store.lease(&key, Duration::from_secs(60));
        let heard = tokio::time::timeout(Duration::from_millis(100), asked).await;
        assert!(heard.is_err(), "{heard:?}");
        server.resume();
        in_time("the lease is free", || async {
            let fence: i64 = run(&connection, "EXISTS wecom:{ww1}:a:fence").await;
            let lease: i64 = run(&connection, "EXISTS wecom:{ww1}:a:lease").await;
            (fence, lease) == (1, 0)
        })
        .await;
        leased(&store, &key).await;
    }

    #[tokio::test]
    async fn no_key_lives_for_ever() {
        let (_server, connection, store) = start().await;
        let key = key("ww1", "a");
        let lease = leased(&store, &key).await;
        let fence = "PTTL wecom:{ww1}:a:fence";
        let left: i64 = run(&connection, fence).await;
        assert!(left > 4 * 3_600_000 - 60_000, "{left} ms");

        let mut new = stored("t", lease.generation, LONG);
        new.whole = Duration::from_secs(24 * 3600);
        store.store(&key, new).await.unwrap();
        let left: i64 = run(&connection, fence).await;
        assert!(
            left > 48 * 3_600_000 - 60_000,
            "twice the longest life: {left} ms"
        );
        leased(&store, &super::key("ww1", "b")).await;
        store.release(&key, &lease).await.unwrap();
        leased(&store, &key).await;
        let again: i64 = run(&connection, fence).await;
        assert!(again > left - 60_000, "not cut short: {again} ms");

        let names: Vec<String> = run(&connection, "KEYS *").await;
        assert_eq!(names.len(), 5, "{names:?}");
        for name in names {
            let left: i64 = run(&connection, &format!("PTTL {name}")).await;
            assert!(left > 0, "{name}: {left}");
        }
    }

    #[tokio::test]
    async fn a_lost_fence_neither_stops_nor_turns_back_the_generations() {
        let (_server, connection, store) = start().await;
        let key = key("ww1", "a");
        let before = leased(&store, &key).await;
        let new = stored("before", before.generation, LONG);
        store.store(&key, new).await.unwrap();
        let () = run(&connection, "DEL wecom:{ww1}:a:fence wecom:{ww1}:a:lease").await;

        let after = leased(&store, &key).await;
        assert!(after.generation > before.generation);
        let new = stored("after", after.generation, LONG);
        store.store(&key, new).await.unwrap();
        assert_eq!(text(&store, &key).await.as_deref(), Some("after"));

        let () = run(&connection, "FLUSHALL").await;
        let anew = leased(&store, &key).await;
        assert!(anew.generation > after.generation);
    }

    #[tokio::test]
    async fn a_clock_that_was_set_back_does_not_turn_back_the_generations() {
        let (_server, connection, store) = start().await;
        // As if the last lease had been given out by a server whose clock is 100 years ahead.
        let ahead = 4_900_000_000_000_000_u64;
        let key = key("ww1", "a");
        let fence = format!("HSET wecom:{{ww1}}:a:fence leased {ahead}");
        let _: i64 = run(&connection, &fence).await;
        let lease = leased(&store, &key).await;
        assert_eq!(lease.generation, ahead + 1, "exact, in Lua too");
        store.release(&key, &lease).await.unwrap();

        // The fence lost, and the token there.
        let token = stored("t", ahead + 5, LONG);
        store.store(&key, token).await.unwrap();
        let _: i64 = run(&connection, "DEL wecom:{ww1}:a:fence").await;
        let lease = leased(&store, &key).await;
        assert_eq!(lease.generation, ahead + 6);
        let new = stored("new", lease.generation, LONG);
        store.store(&key, new).await.unwrap();
        assert_eq!(text(&store, &key).await.as_deref(), Some("new"));
    }

    #[tokio::test]
    async fn scripts_that_the_server_has_lost_are_sent_again() {
        let (mut server, connection, store) = start().await;
        let key = key("ww1", "a");
        leased(&store, &key).await;
        let () = run(&connection, "SCRIPT FLUSH").await;
        assert_eq!(text(&store, &key).await, None);
        server.restart();
        let store = RedisStore::new(connect(&server.url()).await);
        leased(&store, &key).await;
    }

    #[tokio::test]
    async fn a_connection_that_comes_back_by_itself_brings_the_store_back() {
        let mut server = RedisServer::start();
        let client = redis::Client::open(server.url()).expect("a URL");
        let connection = ConnectionManager::new(client).await.expect("it is there");
        let store = RedisStore::new(connection);
        let key = key("ww1", "a");
        let before = leased(&store, &key).await;
        let new = stored("before", before.generation, LONG);
        store.store(&key, new).await.unwrap();

        for round in 0..2 {
            server.stop();
            in_time("it is missed", || async { store.load(&key).await.is_err() }).await;
            server.restart();
            in_time("it is found again", || async {
                store.load(&key).await.is_ok_and(|found| found.is_none())
            })
            .await;
            // All of it, on a server that has lost the scripts too.
            let after = leased(&store, &key).await;
            assert!(after.generation > before.generation, "round {round}");
            let new = stored("after", after.generation, LONG);
            store.store(&key, new).await.unwrap();
            store.release(&key, &after).await.unwrap();
            assert_eq!(text(&store, &key).await.as_deref(), Some("after"));
            assert!(store.remove(&key, &Secret::from("after")).await.unwrap());
        }
    }

    #[tokio::test]
    async fn a_prefix_keeps_two_systems_apart() {
        let (_server, connection, store) = start().await;
        let other = store.clone().with_prefix("staging:1").unwrap();
        let key = key("ww1", "a");
        store.store(&key, stored("t", 1, LONG)).await.unwrap();
        assert_eq!(text(&other, &key).await, None);
        other.store(&key, stored("u", 1, LONG)).await.unwrap();
        let there: i64 = run(&connection, "EXISTS staging:1:{ww1}:a:token").await;
        assert_eq!(there, 1);
        for wrong in ["", "a{b", "a}b", "a b", "é", &"x".repeat(65)] {
            let error = store.clone().with_prefix(wrong).unwrap_err();
            assert_eq!(error.field(), "prefix");
        }
    }

    #[tokio::test]
    async fn an_error_shows_no_token() {
        // Redis repeats the arguments of a command that it does not know.
        let arguments = ["--rename-command", "EVALSHA", ""];
        let server = RedisServer::start_with(&arguments);
        let store = RedisStore::new(connect(&server.url()).await);
        let key = key("ww1", "a");
        let errors = [
            store
                .store(&key, stored("sesame", 1, LONG))
                .await
                .unwrap_err(),
            store
                .remove(&key, &Secret::from("sesame"))
                .await
                .unwrap_err(),
            store.load(&key).await.unwrap_err(),
        ];
        for error in errors {
            let shown = format!("{error} {error:?}");
            assert!(shown.contains("redis"), "{shown}");
            assert!(
                !shown.contains("sesame") && !shown.contains("ww1"),
                "{shown}"
            );
        }
        assert!(!format!("{store:?}").contains("127.0.0.1"));
    }

    #[tokio::test]
    async fn what_another_program_has_put_there_is_nothing() {
        let (_server, connection, store) = start().await;
        let key = key("ww1", "a");
        for part in ["token", "lease", "fence"] {
            let name = format!("wecom:{{ww1}}:a:{part}");
            let () = run(&connection, &format!("SET {name} text")).await;
        }
        assert_eq!(store.load(&key).await.unwrap(), None);
        let any = Secret::from("any");
        assert!(!store.remove(&key, &any).await.unwrap());
        let () = run(&connection, "DEL wecom:{ww1}:a:lease").await;
        let _: i64 = run(&connection, "RPUSH wecom:{ww1}:a:lease text").await;
        let stranger = Lease {
            generation: 1,
            owner: "text".into(),
        };
        store.release(&key, &stranger).await.unwrap();

        let lease = leased(&store, &key).await;
        let new = stored("t", lease.generation, LONG);
        store.store(&key, new).await.unwrap();
        assert_eq!(text(&store, &key).await.as_deref(), Some("t"));
        assert_eq!(store.lease(&key, LONG).await.unwrap(), None);
    }

    #[tokio::test]
    async fn other_errors_than_of_the_type_are_told() {
        let (server, admin, _) = start().await;
        let () = run(&admin, "ACL SETUSER blind on >pass ~* &* +@all -hmget -get").await;
        let url = format!("redis://blind:pass@127.0.0.1:{}/", server.port());
        let store = RedisStore::new(connect(&url).await);
        let key = key("ww1", "a");
        store.load(&key).await.unwrap_err();
        store.lease(&key, LONG).await.unwrap_err();
        store.store(&key, stored("t", 1, LONG)).await.unwrap_err();
        let names: Vec<String> = run(&admin, "KEYS *").await;
        assert!(names.is_empty(), "nothing was thrown away: {names:?}");
    }

    #[tokio::test]
    async fn no_life_and_no_lease_is_longer_than_what_is_believed() {
        let (_server, connection, store) = start().await;
        let key = key("ww1", "a");
        let mut new = stored("t", 1, Duration::MAX);
        new.whole = Duration::MAX;
        let there = store.store(&key, new).await.unwrap().unwrap();
        assert_eq!(there.whole, Duration::from_secs(30 * 24 * 3600));
        assert!(there.lasts <= there.whole, "{:?}", there.lasts);
        assert!(store.lease(&key, Duration::MAX).await.unwrap().is_some());
        let left: i64 = run(&connection, "PTTL wecom:{ww1}:a:lease").await;
        assert!((1..=300_000).contains(&left), "{left}");
        assert_eq!(store.lease(&key, LONG).await.unwrap(), None);
    }

    #[tokio::test]
    async fn one_of_many_connections_gets_the_lease() {
        let server = RedisServer::start();
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..32 {
            let store = RedisStore::new(connect(&server.url()).await);
            tasks.spawn(async move { store.lease(&key("ww1", "a"), LONG).await.unwrap() });
        }
        let leases = tasks.join_all().await;
        assert_eq!(leases.iter().flatten().count(), 1);
    }
}
