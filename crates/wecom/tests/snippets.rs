//! The lines that `docs/wecom.md` shows, word for word, compiled and run.
//!
//! Each stands in a function here, and the first test compares: whoever changes a line there must change it here. A
//! WeCom of a few lines answers; it is on a real socket, for most snippets bring the default transport.
#![cfg(all(
    feature = "axum",
    feature = "dagor",
    feature = "https",
    feature = "redis"
))]

mod support;

use std::{
    future::IntoFuture as _,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{extract::State as Shared, http::Uri, routing::any};
use support::redis::RedisServer;
use tokio::net::TcpListener;
use wecom::{
    BoxError, Client, Clock, Credential, Transport,
    api::{ConfigId, UserId, Users},
};

type Tested = Result<(), BoxError>;

const GUIDE: &str = include_str!("../../../docs/wecom.md");
const SOURCE: &str = include_str!("snippets.rs");

// === What the guide shows ===

async fn begins(base: &str) -> Tested {
    use wecom::{
        BoxError, Client, Credential,
        api::{AddContactWay, Members, Scene, State, UpdateContactWay, UserId, Users},
    };

    async fn first_call(corp_id: &str, secret: &str, base: &str) -> Result<(), BoxError> {
        let client = Client::builder(Credential::app(corp_id, secret)?)
            .base_url(base) // the simulator's; without this line it is the real WeCom
            .build()?;

        let staff = Members::users(Users::new([UserId::new("m1")?, UserId::new("m2")?])?);
        let code = AddContactWay::multi(Scene::QrCode, staff).state(State::new("door 7")?);
        let added = client.add_contact_way(&code).await?;
        save(&added.config_id); // first of all: WeCom shows it to nobody again

        let one = Users::one(UserId::new("m2")?);
        let update = UpdateContactWay::multi(added.config_id).user(one);
        client.update_contact_way(&update).await?;
        Ok(())
    }

    first_call("ww1", "secret1", base).await
}

async fn trusts_roots_of_its_own(credential: Credential, base: &str, ca: &Path) -> Tested {
    use wecom::Https;

    let https = Https::with_roots(&std::fs::read(ca)?)?; // in PEM
    let client = Client::builder(credential)
        .base_url(base)
        .build_with(https)?;
    client.get_follow_user_list().await?;
    Ok(())
}

#[expect(
    clippy::clone_on_ref_ptr,
    reason = "`Arc::clone` would need a type to become an `Arc<dyn Limiter>`"
)]
async fn one_of_each_for_many_enterprises(credentials: Vec<Credential>, base: &str) -> Tested {
    use std::sync::Arc;
    use wecom::{
        Clock, Https,
        limit::{Limits, LocalLimiter},
        token::Egress,
    };

    let https = Https::new()?; // connections
    let limiter = Arc::new(LocalLimiter::new(Limits::default(), Clock::system())?);
    let egress = Egress::default(); // the secrets that were refused to this address
    for credential in credentials {
        let client = Client::builder(credential)
            .base_url(base)
            .limiter(limiter.clone())
            .egress(egress.clone())
            .build_with(https.clone())?;
        client.get_follow_user_list().await?;
    }
    Ok(())
}

async fn reads<S: Transport>(client: Client<S>, left: &str) -> Tested {
    use wecom::api::{ListContactWay, Patch, UpdateContactWay};

    let mut codes = client.contact_ways(ListContactWay::new());
    while let Some(code) = codes.next().await {
        let code = client.get_contact_way(&code?).await?;
        if code.user.iter().any(|user| user.as_str() == left) {
            let forget = UpdateContactWay::multi(code.config_id).remark(Patch::Clear);
            client.update_contact_way(&forget).await?;
        }
    }
    Ok(())
}

fn third_party(corp_id: &str, permanent_code: &str) -> Result<Credential, BoxError> {
    use wecom::{BoxError, Credential, Secret, SuiteTokens, token::BoxFuture};

    struct Provider; // keeps the token that WeCom's tickets give

    impl SuiteTokens for Provider {
        fn suite_access_token(&self) -> BoxFuture<'_, Result<Secret, BoxError>> {
            Box::pin(async { Ok(Secret::from(suite_token().await?)) })
        }
    }

    let credential = Credential::suite(corp_id, permanent_code, Provider)?;
    Ok(credential)
}

async fn ranks<S: Transport>(client: Client<S>) -> Tested {
    use std::time::Duration;
    use wecom::Rank;

    let campaign = client.with_rank(Rank::MOST_IMPORTANT);
    let sweep = client
        .with_rank(Rank::LEAST_IMPORTANT)
        .with_patience(Duration::from_secs(600)); // 30 s unless told
    campaign.get_follow_user_list().await?;
    sweep.get_follow_user_list().await?;
    Ok(())
}

async fn priorities(credential: Credential, base: &str, user_id: &str) -> Tested {
    use dagor::{Business, Priority, User};

    let callee = wecom::callee().build()?; // one for all clients
    let client = Client::builder(credential)
        .base_url(base)
        .callee(callee.clone())
        .build()?;
    let user = User::from_hash(hash(user_id)); // whose calls go or stay together
    let push = client.with_priority(Priority::new(Business::new(0), user));
    push.get_follow_user_list().await?;
    Ok(())
}

async fn many_processes(credential: Credential, base: &str, url: &str) -> Tested {
    use redis::aio::ConnectionManagerConfig;
    use std::sync::Arc;
    use wecom::{
        limit::{Limits, RedisLimiter},
        token::RedisStore,
    };

    let redis = redis::Client::open(url)?;
    let config = ConnectionManagerConfig::new().set_response_timeout(None); // 500 ms by itself
    let redis = redis.get_connection_manager_with_config(config).await?;
    let limiter = RedisLimiter::connect(redis.clone(), Limits::default()).await?;
    let client = Client::builder(credential)
        .base_url(base)
        .limiter(Arc::new(limiter))
        .token_store(Arc::new(RedisStore::new(redis)))
        .build()?;
    client.get_follow_user_list().await?;
    Ok(())
}

async fn pushes(base: &str, staff: &Users) -> Result<(), BoxError> {
    use wecom::{
        Action, Client, Error, Transport,
        api::{ConfigId, UpdateContactWay, Users},
    };

    async fn push<S: Transport>(
        client: &Client<S>,
        code: &ConfigId,
        staff: &Users,
    ) -> Result<(), Error> {
        let update = |users: &Users| UpdateContactWay::multi(code.clone()).user(users.clone());
        let Err(error) = client.update_contact_way(&update(staff)).await else {
            return Ok(());
        };
        if error.action() != Action::CheckMembers {
            return Err(error); // for the caller: repeat, wait, pause, forget, fix
        }
        let unfit = client.find_unfit(staff.as_slice()).await?;
        let rest = staff.without(|user| unfit.iter().any(|one| one.userid == *user));
        match rest {
            Some(rest) if !unfit.is_empty() => client.update_contact_way(&update(&rest)).await,
            _ => Err(error), // nobody was found, or nobody is left: there is no empty list
        }
    }

    let client = Client::builder(credential()?).base_url(base).build()?;
    push(&client, &ConfigId::new("42b3")?, staff).await?;
    Ok(())
}

async fn callbacks(
    listener: TcpListener,
    token: &str,
    encoding_aes_key: &str,
    corp_id: &str,
) -> Tested {
    use wecom::callback::{self, Delivery, Keys, Receiver};

    let keys = Keys::new(token, encoding_aes_key, corp_id)?;
    let router = callback::router(Receiver::new(keys), |delivery: Delivery| async move {
        append_and_sync(delivery.identity, &delivery.event).await // durable when this returns
    });
    let app = axum::Router::new().nest("/wecom/callback", router);
    axum::serve(listener, app).await?;
    Ok(())
}

// === What the reader brings ===

static SAVED: Mutex<Vec<ConfigId>> = Mutex::new(Vec::new());
static APPENDED: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn save(code: &ConfigId) {
    let mut saved = SAVED.lock().unwrap_or_else(PoisonError::into_inner);
    saved.push(code.clone());
}

fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(7, |hash, byte| hash * 31 + u64::from(byte))
}

async fn suite_token() -> Result<String, BoxError> {
    Ok("suite".to_owned())
}

async fn append_and_sync(
    identity: wecom::callback::Identity,
    event: &wecom::callback::Event,
) -> std::io::Result<()> {
    let mut appended = APPENDED.lock().unwrap_or_else(PoisonError::into_inner);
    appended.push(format!("{identity} {}", event.kind()));
    Ok(())
}

// === A WeCom of a few lines ===

/// What arrived: path and body.
type Seen = Arc<Mutex<Vec<(String, String)>>>;

async fn answer(Shared(seen): Shared<Seen>, uri: Uri, body: String) -> &'static str {
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    seen.push((uri.path().to_owned(), body.clone()));
    let name = uri.path().rsplit('/').next().unwrap_or_default();
    let gone = uri
        .query()
        .is_some_and(|query| query.contains("userid=gone"));
    match name {
        "gettoken" => r#"{"errcode":0,"access_token":"t","expires_in":7200}"#,
        "add_contact_way" => {
            r#"{"errcode":0,"config_id":"42b3","qr_code":"http://p.qpic.cn/42b3"}"#
        }
        "get_corp_token" => r#"{"access_token":"c","expires_in":7200}"#,
        "list_contact_way" => r#"{"errcode":0,"contact_way":[{"config_id":"42b3"}]}"#,
        "get_contact_way" => {
            r#"{"errcode":0,"contact_way":{"config_id":"42b3","type":2,"scene":2,"user":["m1"]}}"#
        }
        "get_follow_user_list" => r#"{"errcode":0,"follow_user":["m1","m2"]}"#,
        "get" if gone => r#"{"errcode":60111,"errmsg":"userid not found"}"#,
        "get" => r#"{"errcode":0,"userid":"m1","status":1}"#,
        _ if body.contains("gone") => r#"{"errcode":40003,"errmsg":"invalid userid"}"#,
        _ => r#"{"errcode":0,"errmsg":"ok"}"#,
    }
}

/// Starts one, and returns its address and what arrives.
async fn start() -> Result<(String, Seen), BoxError> {
    let seen = Seen::default();
    let app = axum::Router::new()
        .fallback(any(answer))
        .with_state(Arc::clone(&seen));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let base = format!("http://{}", listener.local_addr()?);
    tokio::spawn(axum::serve(listener, app).into_future());
    Ok((base, seen))
}

fn credential() -> Result<Credential, BoxError> {
    Ok(Credential::app("ww1", "secret1")?)
}

// === Tests ===

/// The Rust blocks of a page.
fn blocks(page: &str) -> Vec<Vec<&str>> {
    let parts = page.split("\n```rust\n").skip(1);
    parts
        .filter_map(|part| Some(part.split_once("\n```")?.0.lines().collect()))
        .collect()
}

/// Whether these lines stand in the source, one after the other and all equally far to the right.
fn stands(block: &[&str], source: &[&str]) -> bool {
    source.windows(block.len()).any(|lines| {
        let indent = lines[0].len() - lines[0].trim_start().len();
        lines.iter().zip(block).all(|(line, shown)| match *shown {
            "" => line.is_empty(),
            shown => line.get(indent..) == Some(shown) && line[..indent].trim().is_empty(),
        })
    })
}

#[test]
fn every_snippet_of_the_guide_is_compiled_word_for_word() {
    let source: Vec<_> = SOURCE.lines().collect();
    let blocks = blocks(GUIDE);
    assert_eq!(blocks.len(), 10, "so many are below, each in a function");
    for block in blocks {
        assert!(
            stands(&block, &source),
            "not in tests/snippets.rs:\n{}",
            block.join("\n")
        );
    }
    assert!(!stands(&["let a = 1;"], &["    let a = 2;"]));
    assert!(!stands(&["a", "    b"], &["    a", "    b"]));
}

#[tokio::test]
async fn the_first_call_saves_a_code_and_changes_it() -> Tested {
    let (base, seen) = start().await?;
    begins(&base).await?;
    let saved = SAVED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    assert_eq!(saved, [ConfigId::new("42b3")?]);
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let names: Vec<_> = seen
        .iter()
        .filter_map(|(path, _)| path.rsplit('/').next())
        .collect();
    assert_eq!(names, ["gettoken", "add_contact_way", "update_contact_way"]);
    assert!(seen[1].1.contains(r#""user":["m1","m2"]"#), "{}", seen[1].1);
    assert!(seen[2].1.contains(r#""user":["m2"]"#), "{}", seen[2].1);
    Ok(())
}

#[tokio::test]
async fn clients_of_each_kind_make_a_call() -> Tested {
    let (base, seen) = start().await?;
    one_of_each_for_many_enterprises(vec![credential()?, credential()?], &base).await?;
    ranks(Client::builder(credential()?).base_url(&base).build()?).await?;
    priorities(credential()?, &base, "zhangsan").await?;
    let redis = RedisServer::start();
    many_processes(credential()?, &base, &redis.url()).await?;
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let reads = seen
        .iter()
        .filter(|(path, _)| path.ends_with("get_follow_user_list"));
    assert_eq!(reads.count(), 6);
    Ok(())
}

#[tokio::test]
async fn every_code_of_somebody_is_found_by_a_third_party() -> Tested {
    let (base, seen) = start().await?;
    let credential = third_party("ww1", "permanent")?;
    let client = Client::builder(credential).base_url(&base).build()?;
    reads(client.clone(), "m2").await?;
    reads(client, "m1").await?;
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let last = seen.last().map(|(path, body)| (&**path, &**body));
    let cleared = r#"{"config_id":"42b3","remark":""}"#;
    let update = "/cgi-bin/externalcontact/update_contact_way";
    assert_eq!(last, Some((update, cleared)));
    let updates = seen.iter().filter(|(path, _)| path == update);
    assert_eq!(updates.count(), 1);
    assert!(seen[0].0.ends_with("get_corp_token"), "{}", seen[0].0);
    Ok(())
}

#[tokio::test]
async fn roots_of_ones_own_come_from_a_file() -> Tested {
    let (base, _) = start().await?;
    let mut params = rcgen::CertificateParams::new(Vec::new())?;
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let der = params.self_signed(&rcgen::KeyPair::generate()?)?;
    let base64 = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, der.der());
    let path = std::env::temp_dir().join(format!("wecom-snippet-{}.pem", std::process::id()));
    let pem = format!("-----BEGIN CERTIFICATE-----\n{base64}\n-----END CERTIFICATE-----\n");
    std::fs::write(&path, pem)?;
    let done = trusts_roots_of_its_own(credential()?, &base, &path).await;
    std::fs::remove_file(&path)?;
    done
}

#[tokio::test]
async fn a_push_leaves_out_who_is_not_fit() -> Tested {
    let (base, seen) = start().await?;
    let staff = Users::new([UserId::new("m1")?, UserId::new("gone")?])?;
    pushes(&base, &staff).await?;
    let last = seen.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let (path, body) = last.unwrap_or_default();
    assert!(
        path.ends_with("update_contact_way") && body.contains(r#""user":["m1"]"#),
        "{body}"
    );

    let nobody = Users::one(UserId::new("gone")?);
    let error = pushes(&base, &nobody).await.unwrap_err();
    let error: &wecom::Error = error.downcast_ref().ok_or("an error of the client's")?;
    assert_eq!(error.class(), wecom::Class::Member);
    Ok(())
}

#[tokio::test]
async fn a_callback_is_appended_before_it_is_answered() -> Tested {
    let key = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(callbacks(listener, "QDG6eK", key, "ww1"));
    let now = Clock::system().calendar().as_secs();
    let message = format!(
        "<xml><ToUserName>ww1</ToUserName><FromUserName>sys</FromUserName><CreateTime>{now}</CreateTime>\
         <MsgType>event</MsgType><Event>change_external_contact</Event>\
         <ChangeType>add_external_contact</ChangeType><UserID>m1</UserID></xml>"
    );
    let sealed = wecom::callback::Keys::new("QDG6eK", key, "ww1")?.seal(message.as_bytes(), now);
    let body = sealed.callback_body("ww1", "218");
    let url = format!("http://{address}/wecom/callback?{}", sealed.query());
    let request = http::Request::post(url).body(http_body_util::Full::from(body))?;
    let answer = tower::ServiceExt::oneshot(wecom::Https::new()?, request).await?;
    assert_eq!(answer.status(), http::StatusCode::OK);
    let appended = APPENDED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    assert_eq!(appended.len(), 1, "{appended:?}");
    Ok(())
}
