//! A WeCom (企业微信) that can misbehave on purpose: to test clients against, and whole systems that live off it.
//!
//! ```
//! use bytes::Bytes;
//! use http::Request;
//! use http_body_util::{BodyExt, Full};
//! use tower_service::Service;
//! use wecom_sim::{Profile, Sim};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let profile = Profile::parse(
//!     r#"
//!     [windows]
//!     corp_per_minute = 1
//!
//!     [[corp]]
//!     id = "ww1"
//!     secret = "secret"
//!     more_members = 20
//!     "#,
//! )?;
//! let sim = Sim::new(&profile)?;
//!
//! let mut service = sim.service();
//! let mut call = async || {
//!     let request = Request::get("https://qyapi.weixin.qq.com/cgi-bin/gettoken?corpid=ww1&corpsecret=secret");
//!     let answer = service.call(request.body(Full::new(Bytes::new()))?).await?;
//!     let body = answer.into_body().collect().await?.to_bytes();
//!     Ok::<_, Box<dyn std::error::Error>>(String::from_utf8_lossy(&body).into_owned())
//! };
//! assert!(call().await?.contains("access_token"));
//! assert!(call().await?.contains("45009"), "one too many for the minute");
//!
//! let corp = sim.world().corp("ww1").expect("it is in the profile");
//! assert_eq!(corp.traffic()[0].over_window, 1);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A call's way
//!
//! ```text
//!  caller --> token --> windows of (IP, API) --> windows of (corp, API) --> concurrency --> faults drawn
//!                            | 45009                   | 45009                 | 45033          |
//!             answer <-- checked and done, in one step, at the end <-- latency <----------------+
//! ```
//!
//! A call is checked and done at the end of its time. So of two updates under way at once the one that ends last
//! stays (unless they conflict, [`ConflictMode`](profile::ConflictMode)), and a caller that hangs up does not undo its
//! call: the answer is lost, the change is made.
//!
//! # What is documented and what is assumed
//!
//! Strict where the documents are: codes, limits, penalties and fields of path/92228, 90312 and 90313, each with a
//! test of its name in `tests/conformance`. Where they are silent it is a switch of the [`profile`], or this:
//!
//! | rule | assumed |
//! |---|---|
//! | calls answered with 45009 | use up nothing of a window; those answered with 45033 do, and those with a dead token only of their IP's |
//! | windows for tokens | `gettoken` is counted for the enterprise that is named, before its secret is checked |
//! | calls with `debug=1` | 5 a minute (documented) for each enterprise, whatever the API; one more blocks those for 60 s |
//! | several members of a list may not be on it | the first in the list decides the code |
//! | a member that left | stays on its codes until they are updated; one of the same `userid` who comes later is another |
//! | a member whose real name is not verified (40098) | no read tells: it is active for `user/get`, and on the follow-user list unless `unverified_may_follow` is false |
//! | a member that has all the customers it may have (40099) | no read tells: it is on the follow-user list |
//! | a department on a code | counts all its members and those below (41041), reaches those who could be on a code, the full and the disabled |
//! | an update of a temporary code that ended | 41044 |
//! | the day's temporary codes are used up | 41045; the day is that of UTC+8 |
//! | 41044 before a parameter that does not fit the code (a party for a type 1) | yes |
//! | GET for a POST is 40058 (documented) | the reverse too; an unknown path is HTTP 404 |
//! | a body that is too large (40206) | above 1 MiB |
//! | 45024, 46004, 60021, 60136, 92000, 301021 | no rule is known by which these calls are answered so; a fault with that `errcode` is. A member out of scope is 50002 or 60011, one who is not there 60111 or 40003 |
//! | 48006, 301002, 301007 | befall an app as 48002, 50003 and 60020 do: `refused_with` of its enterprise |
//! | `get_corp_token` | 41021, 41025, 40082 and 40084 for what is missing or wrong; it counts as a wrong secret |
//!
//! # What is where
//!
//! | module | decides |
//! |---|---|
//! | [`profile`] | what the simulated WeCom is like: every switch with its range and default, read from TOML |
//! | [`world`] | what it knows: enterprises, members, codes, customers, tokens, windows |
//! | [`fault`] | what goes wrong by itself, and for which call |
//! | [`scan`] | customers who scan, and whether the member they met was right |
//! | [`callback`] | events, encrypted and sent: late, twice, out of order, or never |
//! | [`admin`] | a JSON interface to set, break and inspect all of it while it runs |
//! | [`truth`] | what really happened: mis-routed scans, calls for each API, blocks served |
//!
//! A [`Sim`] is all of them. It is a tower service ([`Sim::service`]) or has a listener ([`Sim::listen`]), and lives in
//! real time ([`Sim::new`]) or in any other ([`Sim::with_clock`]). The program `wecom-sim serve` is a `Sim` on a
//! listener; `wecom-sim profile` prints a profile with every key.
//!
//! # What it does not do
//!
//! TLS; other calls than those of [`Api`]; the windows of a day and a month; customers' messages. It is a device for
//! tests: it trusts the header `x-caller-ip`, and its admin interface asks for no password. Listen on 127.0.0.1.
//!
//! # Memory and time
//!
//! About 230 bytes for a code with a dozen members: six million fit in 1.3 GiB (`--example six_million`). Each admitted
//! call is remembered for an hour with 8 bytes for its (corp, API) and 8 for its (IP, API), so that windows slide
//! exactly. A deleted code keeps its place, 88 bytes. Figures of calls a second: `--example throughput`.
//!
//! Each enterprise has a lock of its own, and long lists are read a thousand rows at a time: a read of a million members
//! lets calls in between. All waiting is tokio's: in a runtime with paused time hours pass at once.

pub mod admin;
mod api;
mod body;
pub mod callback;
pub mod fault;
mod given;
mod outer;
pub mod profile;
pub mod scan;
mod serve;
mod service;
pub mod truth;
pub mod world;

pub use self::{
    api::Api,
    body::ReplyBody,
    given::Faulty,
    outer::Parts,
    profile::Profile,
    serve::Running,
    service::{CallerIp, Reset, Sim, SimService},
};
