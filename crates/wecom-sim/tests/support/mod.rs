//! A simulated WeCom with clients on it, in the paused time of one runtime.
#![allow(
    dead_code,
    unused_imports,
    reason = "each test program uses a part of it"
)]

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;
use tower::ServiceExt as _;

use wecom::{
    Builder, Client, Clock, Credential, Error,
    api::{ConfigId, Members, UpdateContactWay, UserId, Users},
    limit::{Limiter, Limits, LocalLimiter},
};
use wecom_sim::{
    Profile, Sim, SimService,
    profile::{self, Fault, FaultKind},
    world::{ApiTraffic, CodeSeed, Corp},
};

mod demand;
mod platform;
mod random;

pub(crate) use self::demand::{Demand, Tallies, Tally, Told};
pub(crate) use self::platform::{Does, KEY, Kept, Platform, TOKEN, address};
pub(crate) use self::random::Random;

/// From it comes all that is random in the simulation.
pub(crate) const SEED: u64 = 5;

/// The enterprise that most tests are about.
pub(crate) const CORP: &str = "ww1";

/// The calendar at the start: 2023-11-14, late in the evening in China.
pub(crate) const START: Duration = Duration::from_secs(1_700_000_000);

pub(crate) const ADD: &str = "add_contact_way";
pub(crate) const GET: &str = "get_contact_way";
pub(crate) const UPDATE: &str = "update_contact_way";
pub(crate) const GET_TOKEN: &str = "gettoken";

/// A client in the same process as the simulation.
pub(crate) type Near = Client<SimService>;

/// A simulated WeCom, and the time that it and its clients share.
pub(crate) struct Vendor {
    pub(crate) sim: Sim,
    pub(crate) clock: Clock,
}

// === impl Vendor ===

impl Vendor {
    /// Returns one with the enterprise [`CORP`], its ten members `m1` to `m10`, and nothing unpleasant.
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// Returns one whose profile is changed before it begins.
    pub(crate) fn with(change: impl FnOnce(&mut Profile)) -> Self {
        let mut profile = Profile {
            seed: SEED,
            corps: vec![enterprise(CORP)],
            ..Profile::default()
        };
        change(&mut profile);
        let clock = Clock::set_to(START);
        let sim = Sim::with_clock(&profile, clock).expect("the profile is right");
        Self { sim, clock }
    }

    pub(crate) fn corp(&self, id: &str) -> Arc<Corp> {
        self.sim.world().corp(id).expect("the enterprise is there")
    }

    /// Returns the settings of a client of this enterprise.
    pub(crate) fn builder(&self, corp: &str) -> Builder {
        let credential = Credential::app(corp, secret(corp)).expect("a credential");
        Client::builder(credential).clock(self.clock)
    }

    /// Returns a client with the default settings.
    pub(crate) fn client(&self, corp: &str) -> Near {
        self.on(self.builder(corp))
    }

    /// Returns a client with these settings.
    pub(crate) fn on(&self, builder: Builder) -> Near {
        let client = builder.build_with(self.sim.service());
        client.expect("the settings are in their ranges")
    }

    /// Makes these go wrong from now on, and nothing else.
    pub(crate) fn faults(&self, faults: impl IntoIterator<Item = Fault>) {
        self.set(|settings| settings.faults = faults.into_iter().collect());
    }

    /// Changes the settings of the simulation while it runs.
    pub(crate) fn set(&self, change: impl FnOnce(&mut wecom_sim::world::Settings)) {
        let world = self.sim.world();
        let mut settings = (*world.settings()).clone();
        change(&mut settings);
        world
            .set_settings(settings)
            .expect("the settings are right");
    }

    /// Does something at WeCom's own desk, as its console would.
    pub(crate) async fn admin(&self, method: Method, path: &str, body: &serde_json::Value) {
        let mut request = Request::new(Full::new(Bytes::from(body.to_string())));
        *request.method_mut() = method;
        *request.uri_mut() = path.parse().expect("a path");
        let answer = self.sim.service().oneshot(request).await;
        let status = answer.expect("the desk is there").status();
        assert!(status.is_success(), "{path}: {status}");
    }

    /// Returns what was called of one API of an enterprise.
    pub(crate) fn traffic(&self, corp: &str, api: &str) -> ApiTraffic {
        let all = self.corp(corp).traffic();
        let found = all.into_iter().find(|traffic| traffic.api == api);
        found.unwrap_or_default()
    }

    /// Returns how many calls of an API were answered with this.
    pub(crate) fn answered(&self, corp: &str, api: &str, errcode: i64) -> u64 {
        let traffic = self.traffic(corp, api);
        let found = traffic.by_errcode.iter().find(|(code, _)| *code == errcode);
        found.map_or(0, |(_, count)| *count)
    }

    /// Returns how many tokens were asked for.
    pub(crate) fn fetches(&self, corp: &str) -> u64 {
        self.traffic(corp, GET_TOKEN).calls + self.traffic(corp, "get_corp_token").calls
    }

    /// Returns so many new codes, all of which lead to `m1`.
    pub(crate) fn codes(&self, corp: &str, count: usize) -> Vec<ConfigId> {
        let seed = CodeSeed {
            users: &["m1"],
            ..CodeSeed::default()
        };
        let ids = self.corp(corp).add_codes(&vec![seed; count]);
        let ids = ids.expect("m1 is there").into_iter();
        ids.map(|id| ConfigId::new(id).expect("an id")).collect()
    }

    pub(crate) fn code(&self, corp: &str) -> ConfigId {
        self.codes(corp, 1).remove(0)
    }

    /// Returns to whom a code leads now, as WeCom has it.
    pub(crate) fn users(&self, corp: &str, code: &ConfigId) -> Vec<String> {
        let view = self.corp(corp).code(code.as_str());
        view.expect("the code is there").users
    }
}

/// Returns an enterprise with ten members.
pub(crate) fn enterprise(id: &str) -> profile::Corp {
    profile::Corp {
        id: String::from(id),
        secret: secret(id),
        more_members: 10,
        ..profile::Corp::default()
    }
}

fn secret(corp: &str) -> String {
    format!("secret-of-{corp}")
}

/// Returns a limiter of this process.
pub(crate) fn local(limits: Limits) -> Arc<dyn Limiter> {
    Arc::new(LocalLimiter::new(limits, Clock::system()).expect("limits in their ranges"))
}

/// Returns the member of this number.
pub(crate) fn member(number: usize) -> UserId {
    UserId::new(format!("m{number}")).expect("an id")
}

/// Returns the list of the members of these numbers.
pub(crate) fn members(numbers: impl IntoIterator<Item = usize>) -> Members {
    Members::users(Users::new(numbers.into_iter().map(member)).expect("1 to 100 members"))
}

/// Makes a code lead to these members alone.
pub(crate) async fn lead_to<S: wecom::Transport>(
    client: &Client<S>,
    code: &ConfigId,
    numbers: impl IntoIterator<Item = usize>,
) -> Result<(), Error> {
    let update = UpdateContactWay::multi(code.clone()).members(&members(numbers));
    client
        .update_contact_way(&update.expect("there is a member"))
        .await
}

/// Returns a fault that befalls so many calls of one API.
pub(crate) fn fault(api: &str, times: u64, what: FaultKind) -> Fault {
    Fault {
        api: Some(String::from(api)),
        times: Some(times),
        ..Fault::always(what)
    }
}

/// Returns that every call takes this long.
pub(crate) fn latency(ms: f64) -> Fault {
    latencies(ms, ms)
}

/// Returns that calls take this long in the middle, and one of a hundred this long or longer.
pub(crate) fn latencies(median_ms: f64, p99_ms: f64) -> Fault {
    Fault::always(FaultKind::Latency { median_ms, p99_ms })
}

pub(crate) const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Returns part / whole.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    let small = |number: u64| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    small(part) / small(whole.max(1))
}

/// Lets all other tasks go as far as they can without time passing.
pub(crate) async fn settle_down() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

/// Says how errors are spread, for the message of an assertion.
pub(crate) fn summary<'a>(errors: impl IntoIterator<Item = &'a Error>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for error in errors {
        *counts.entry(error.to_string()).or_default() += 1;
    }
    counts
}

/// Shows a figure to whoever asks for it with `--nocapture`.
#[expect(clippy::print_stdout, reason = "the figures of a passing test")]
pub(crate) fn show(text: impl std::fmt::Display) {
    println!("{text}");
}
