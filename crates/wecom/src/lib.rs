//! A client of WeCom (企业微信) that lives within the vendor's limits: contact ways, callbacks, tokens, rate control.
//!
//! ```
//! use wecom::{
//!     Client, Credential,
//!     api::{AddContactWay, Members, Scene, State, UserId, Users},
//! };
//! # use bytes::Bytes;
//! # use http::{Request, Response};
//! # use http_body_util::Full;
//! # fn transport() -> impl wecom::Transport {
//! #     tower::service_fn(|request: Request<Full<Bytes>>| async move {
//! #         let reply: &[u8] = if request.uri().path().ends_with("gettoken") {
//! #             br#"{"errcode":0,"errmsg":"ok","access_token":"t","expires_in":7200}"#
//! #         } else {
//! #             br#"{"errcode":0,"errmsg":"ok","config_id":"42b3","qr_code":"http://p.qpic.cn/42b3"}"#
//! #         };
//! #         Ok::<_, std::io::Error>(Response::new(Full::new(Bytes::from_static(reply))))
//! #     })
//! # }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let credential = Credential::app("ww6a112864f8022910", "the app's secret")?;
//! let client = Client::builder(credential).build_with(transport())?;
//!
//! let staff = Users::new([UserId::new("zhangsan")?, UserId::new("lisi")?])?;
//! let code = AddContactWay::multi(Scene::QrCode, Members::users(staff)).state(State::new("door 7")?);
//! let added = client.add_contact_way(&code).await?;
//! assert_eq!(added.config_id.as_str(), "42b3");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `build()` takes the transport that most want (feature `https`); `build_with` any tower service of HTTP requests,
//! with any layers around it.
//!
//! # A call's way
//!
//! ```text
//!  call --> values checked --> [level] --> token --> room in both windows --> request --> class of the answer
//!            (never sent)    (feature         ^                                              |
//!                              dagor)         +-------- once, if the token was refused ------+
//! ```
//!
//! # What it does
//!
//! * **[Calls](api)** whose wrong values do not compile or fail before the wire, with the field named.
//! * **[Tokens](token)**: one fetch however many callers and processes; refreshed ahead; a wrong secret stops its tenant
//!   alone.
//! * **[Limits](limit)**: both windows and the calls in flight of each (corp, API), for one process or for many over
//!   one Redis; the important go first.
//! * **[Errors](error)** as nine classes, each with what to do; nothing secret is ever shown.
//! * **[Callbacks](callback)** verified, decrypted, typed and told apart, answered when they are durable.
//!
//! # What it does not do
//!
//! It repeats nothing but the one call whose token was refused: whoever recomputes what to push knows better. It fetches
//! no `suite_access_token` ([`SuiteTokens`]), keeps no list of tenants, and has no call beyond those in [`api`]; add what
//! is missing by implementing [`Call`].
//!
//! # Crate features
//!
//! | feature | brings |
//! |---|---|
//! | `https` (default) | [`Https`], the transport of hyper-util over rustls with Mozilla's roots, and `Builder::build` |
//! | `redis` | [`limit::RedisLimiter`] and [`token::RedisStore`], for many processes |
//! | `dagor` | [`callee`]: a level for each (corp, API), and priorities that come with the call |
//! | `axum` | [`callback::router`] |
//! | `metrics` | counts and times through the `metrics` facade: [`observe`] has the table |
//! | `tracing` | a span for each call, and events for what needs an operator |
//! | `full` | all of them |
//!
//! Rust 1.88 or later. No call was ever made to the real service from here: `docs/wecom.md` tells what is documented
//! from what is assumed, and `wecom-sim` is a WeCom to test against.

pub mod api;
mod call;
pub mod callback;
mod client;
mod clock;
pub mod error;
#[cfg(feature = "dagor")]
mod feedback;
#[cfg(feature = "redis")]
mod keyspace;
pub mod limit;
mod name;
pub mod observe;
mod rank;
#[cfg(all(test, feature = "redis"))]
#[path = "../tests/support/redis.rs"]
mod redis_server;
mod secret;
pub mod token;

#[cfg(feature = "https")]
pub use self::client::Https;
#[cfg(feature = "dagor")]
pub use self::feedback::{WecomFeedback, callee};
pub use self::{
    call::{Call, Wire},
    client::{Builder, Client, Credential, SuiteTokens, Transport},
    clock::Clock,
    error::{Action, BoxError, Class, Errcode, Error},
    name::{Api, CorpId},
    rank::Rank,
    secret::Secret,
};
