//! What really happened: what a client's own figures, and its effect on customers, are held against.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    callback::Counts,
    fault::Befell,
    outer::Parts,
    profile::Fault,
    scan::{ScanCounts, Scanned},
    world::{ApiTraffic, IpTraffic, World},
};

/// What really happened, in one enterprise or in all.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Truth {
    /// Scans, and where they went.
    pub scans: ScanCounts,
    /// The last scans that were mis-routed, the newest first; at most 1,000.
    pub mis_routed: Vec<Scanned>,
    /// Calls of all (corp, API) together.
    pub calls: CallCounts,
    /// The same for each API that was called, of all enterprises together.
    pub per_api: BTreeMap<&'static str, CallCounts>,
    /// The same for each (corp, API) that was called; at most 10,000.
    pub by_api: Vec<ApiCalls>,
    /// How many (corp, API) are left out of `by_api`.
    pub by_api_left_out: usize,
    /// Windows of each IP; for all enterprises only, at most 1,000.
    pub by_ip: Vec<IpCalls>,
    /// How many (IP, API) are left out of `by_ip`.
    pub by_ip_left_out: usize,
    /// How often an IP was banned for an hour, for it came with too many wrong secrets; for all enterprises only.
    pub ip_bans: u64,
    /// Callbacks, and what became of them.
    pub callbacks: Counts,
    /// Faults, and how many calls each befell.
    pub faults: Vec<FaultCounts>,
}

/// Calls of several (corp, API).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct CallCounts {
    /// All that came in.
    pub calls: u64,
    /// Those for tokens: `gettoken` and `get_corp_token`.
    pub token_fetches: u64,
    /// How often a window was exceeded, which began a block.
    pub over_window: u64,
    /// Calls answered with 45009 within a block.
    pub blocked: u64,
    /// Calls answered with 45033.
    pub over_concurrency: u64,
    /// Calls answered with 45035 or 6000.
    pub conflicts: u64,
}

/// Calls of one (corp, API).
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct ApiCalls {
    /// The enterprise.
    pub corp: String,
    /// The API.
    pub api: &'static str,
    /// All that came in.
    pub calls: u64,
    /// How many were answered with each `errcode`.
    pub by_errcode: BTreeMap<i64, u64>,
    /// The most calls admitted in any minute (of `divide_time`).
    pub peak_minute: u64,
    /// The most calls admitted in any hour (of `divide_time`).
    pub peak_hour: u64,
    /// The most calls in flight at once.
    pub peak_in_flight: u32,
    /// How often a window was exceeded.
    pub over_window: u64,
    /// Calls answered with 45009 within a block.
    pub blocked: u64,
    /// Calls answered with 45033.
    pub over_concurrency: u64,
    /// Calls answered with 45035 or 6000.
    pub conflicts: u64,
}

/// Calls of one (IP, API).
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct IpCalls {
    /// The caller.
    pub ip: String,
    /// The API.
    pub api: &'static str,
    /// Whether they were a third-party provider's, which has windows of its own.
    pub provider: bool,
    /// The most calls admitted in any minute (of `divide_time`).
    pub peak_minute: u64,
    /// The most calls admitted in any hour (of `divide_time`).
    pub peak_hour: u64,
    /// How often a window was exceeded.
    pub over_window: u64,
    /// Calls answered with 45009 within a block.
    pub blocked: u64,
}

/// A fault, and how many calls it befell since it was set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FaultCounts {
    /// The fault.
    #[serde(flatten)]
    pub fault: Fault,
    /// How many calls.
    pub befell: u64,
}

/// Returns what really happened, in one enterprise or in all.
#[must_use]
pub fn truth(world: &World, parts: &Parts, corp: Option<&str>) -> Truth {
    let corps = match corp {
        Some(id) => world.corp(id).into_iter().collect(),
        None => world.corps(),
    };
    let mut calls = CallCounts::default();
    let mut callbacks = Counts::default();
    let mut per_api: BTreeMap<&'static str, CallCounts> = BTreeMap::new();
    let mut by_api = Vec::new();
    let mut left_out = 0;
    for corp in &corps {
        let counts = parts.sender().counts(corp.id());
        callbacks = callbacks.plus(counts.unwrap_or_default());
        for traffic in corp.traffic() {
            calls.add(&traffic);
            per_api.entry(traffic.api).or_default().add(&traffic);
            match by_api.len() < MOST_APIS {
                true => by_api.push(ApiCalls::new(corp.id(), traffic)),
                false => left_out += 1,
            }
        }
    }
    let (by_ip, ip_bans) = match corp {
        Some(_) => (Vec::new(), 0),
        None => (world.ip_traffic(), world.ip_bans()),
    };
    let faults = world.faults().befell().into_iter();
    Truth {
        scans: parts.scanner().counts(corp),
        mis_routed: parts.scanner().mis_routed(corp),
        calls,
        per_api,
        by_api,
        by_api_left_out: left_out,
        by_ip_left_out: by_ip.len().saturating_sub(MOST_IPS),
        ip_bans,
        by_ip: by_ip
            .into_iter()
            .take(MOST_IPS)
            .map(IpCalls::from)
            .collect(),
        callbacks,
        faults: faults.map(FaultCounts::from).collect(),
    }
}

// === impl CallCounts ===

impl CallCounts {
    fn add(&mut self, traffic: &ApiTraffic) {
        self.calls += traffic.calls;
        if matches!(traffic.api, "gettoken" | "get_corp_token") {
            self.token_fetches += traffic.calls;
        }
        self.over_window += traffic.over_window;
        self.blocked += traffic.blocked;
        self.over_concurrency += traffic.over_concurrency;
        self.conflicts += traffic.conflicts;
    }
}

// === impl ApiCalls ===

impl ApiCalls {
    fn new(corp: &str, traffic: ApiTraffic) -> Self {
        Self {
            corp: String::from(corp),
            api: traffic.api,
            calls: traffic.calls,
            by_errcode: traffic.by_errcode.into_iter().collect(),
            peak_minute: traffic.peak_minute,
            peak_hour: traffic.peak_hour,
            peak_in_flight: traffic.peak_in_flight,
            over_window: traffic.over_window,
            blocked: traffic.blocked,
            over_concurrency: traffic.over_concurrency,
            conflicts: traffic.conflicts,
        }
    }
}

// === impl IpCalls ===

impl From<IpTraffic> for IpCalls {
    fn from(traffic: IpTraffic) -> Self {
        Self {
            ip: traffic.ip.to_string(),
            api: traffic.api,
            provider: traffic.provider,
            peak_minute: traffic.peak_minute,
            peak_hour: traffic.peak_hour,
            over_window: traffic.over_window,
            blocked: traffic.blocked,
        }
    }
}

// === impl FaultCounts ===

impl From<Befell> for FaultCounts {
    fn from(befell: Befell) -> Self {
        Self {
            fault: befell.fault,
            befell: befell.calls,
        }
    }
}

const MOST_APIS: usize = 10_000;
const MOST_IPS: usize = 1000;
