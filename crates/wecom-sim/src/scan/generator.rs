//! Scans by themselves: at a rate, at random moments, over a set of codes.
//!
//! Gaps are exponential and codes drawn evenly, both from the seed of the load, so a load is the same scans of the
//! same codes each time; only whom they meet depends on the lists. A load that falls behind catches up, so that the
//! rate holds; in virtual time nothing falls behind.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde::Serialize;
use tokio::{runtime::Handle, task::AbortHandle};

use super::{Inner, Scan, Scanner};
use crate::{fault::Draw, world::Mistake};

/// Scans that are to come by themselves.
#[derive(Clone, Debug)]
pub struct Load {
    /// The enterprise.
    pub corp: String,
    /// The codes that are scanned, each as likely; not empty.
    pub config_ids: Vec<String>,
    /// How many scans a second, 0.001 to 100,000.
    pub per_second: f64,
    /// How many in all; absent: until it is stopped.
    pub scans: Option<u64>,
    /// What decides when and which.
    pub seed: u64,
}

/// A load as it is now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadView {
    /// Its number.
    pub id: u64,
    /// The enterprise.
    pub corp: String,
    /// How many codes.
    pub codes: usize,
    /// Scans a second.
    pub per_second: f64,
    /// How many scans there were.
    pub scanned: u64,
    /// How many there will be.
    pub scans: Option<u64>,
    /// Whether more are to come.
    pub running: bool,
}

#[derive(Debug, Default)]
pub(super) struct Generators(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    last: u64,
    loads: BTreeMap<u64, Running>,
}

#[derive(Debug)]
struct Running {
    load: Arc<Load>,
    scanned: Arc<AtomicU64>,
    task: AbortHandle,
}

// === impl Scanner ===

impl Scanner {
    /// Begins a load, in a task of the current runtime, and returns its number.
    ///
    /// # Errors
    ///
    /// If the enterprise is not known, there is no code, one that never was, or no runtime, the rate is out of its range, or 1,000 loads
    /// are there.
    pub fn start(&self, load: Load) -> Result<u64, Mistake> {
        let (corp, _) = self.0.known(&load.corp)?;
        if load.config_ids.is_empty() {
            return Err(Mistake(String::from("there is no code to scan")));
        }
        if !(LEAST_RATE..=MOST_RATE).contains(&load.per_second) {
            let given = load.per_second;
            let told = format!("per_second = {given}, expected {LEAST_RATE} to {MOST_RATE}");
            return Err(Mistake(told));
        }
        corp.check_codes("config_ids", load.config_ids.iter().map(String::as_str))?;
        let runtime = Handle::try_current().map_err(|error| Mistake(error.to_string()))?;
        let mut table = self.0.generators.lock();
        if table.loads.len() >= MOST_LOADS {
            return Err(Mistake(format!("there are {MOST_LOADS} loads already")));
        }
        table.last += 1;
        let id = table.last;
        let (load, scanned) = (Arc::new(load), Arc::default());
        let scanning = scan_on(
            Arc::downgrade(&self.0),
            Arc::clone(&load),
            Arc::clone(&scanned),
        );
        let running = Running {
            load,
            scanned,
            task: runtime.spawn(scanning).abort_handle(),
        };
        table.loads.insert(id, running);
        Ok(id)
    }

    /// Ends a load; returns whether it was there.
    #[must_use = "a load that was not there did not end"]
    pub fn stop(&self, id: u64) -> bool {
        let stopped = self.0.generators.lock().loads.remove(&id);
        if let Some(running) = &stopped {
            running.task.abort();
        }
        stopped.is_some()
    }

    /// Returns all loads that were begun and not stopped.
    #[must_use]
    pub fn loads(&self) -> Vec<LoadView> {
        let table = self.0.generators.lock();
        let loads = table.loads.iter().map(|(id, running)| LoadView {
            id: *id,
            corp: running.load.corp.clone(),
            codes: running.load.config_ids.len(),
            per_second: running.load.per_second,
            scanned: running.scanned.load(Ordering::Relaxed),
            scans: running.load.scans,
            running: !running.task.is_finished(),
        });
        loads.collect()
    }
}

// === impl Generators ===

impl Generators {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Scans until the load ends, or nobody has the scanner any more.
async fn scan_on(scanner: Weak<Inner>, load: Arc<Load>, scanned: Arc<AtomicU64>) {
    let mut due = match scanner.upgrade() {
        Some(inner) => inner.world.clock().now(),
        None => return,
    };
    for number in 0..load.scans.unwrap_or(u64::MAX) {
        let mut draw = Draw::new(load.seed, number, 0);
        let gap = draw.exponential() / load.per_second;
        due = due.saturating_add(Duration::try_from_secs_f64(gap).unwrap_or_default());
        let Some(inner) = scanner.upgrade() else {
            return;
        };
        let wait = due.saturating_sub(inner.world.clock().now());
        // Nobody keeps the scanner only to wait for the next scan.
        drop(inner);
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        let Some(inner) = scanner.upgrade() else {
            return;
        };
        let place = draw.below(load.config_ids.len());
        let scan = Scan {
            corp: &load.corp,
            config_id: &load.config_ids[place],
            external_userid: None,
            at_s: None,
        };
        // Behind by many scans: others still get their turn.
        if Scanner(inner).scan_in_turn(scan).await.is_err() {
            return;
        }
        scanned.fetch_add(1, Ordering::Relaxed);
    }
}

const LEAST_RATE: f64 = 0.001;
const MOST_RATE: f64 = 100_000.0;
const MOST_LOADS: usize = 1000;
