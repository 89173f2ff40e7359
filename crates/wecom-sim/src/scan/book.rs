//! What became of all scans.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;

use super::scanned::{Outcome, Scanned};

/// What became of the scans of an enterprise, or of several.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct ScanCounts {
    /// All.
    pub total: u64,
    /// Those that went to a member who was eligible.
    pub routed: u64,
    /// Those that went to one who was not.
    pub mis_routed: u64,
    /// Those that went to nobody.
    pub nowhere: u64,
    /// Those by which a member got a customer.
    pub added: u64,
}

/// What became of all scans.
#[derive(Debug, Default)]
pub(super) struct Book(Mutex<Pages>);

#[derive(Debug, Default)]
struct Pages {
    all: ScanCounts,
    counts: BTreeMap<String, ScanCounts>,
    /// Shared, so that whoever asks for them holds the lock for moments only: each names up to a hundred members.
    mis_routed: VecDeque<Arc<Scanned>>,
}

// === impl ScanCounts ===

impl ScanCounts {
    fn add(&mut self, other: Self) {
        self.total += other.total;
        self.routed += other.routed;
        self.mis_routed += other.mis_routed;
        self.nowhere += other.nowhere;
        self.added += other.added;
    }
}

// === impl Book ===

impl Book {
    pub(super) fn note(&self, scanned: &Scanned) {
        let mut pages = self.lock();
        pages.all.add(scanned.into());
        if !pages.counts.contains_key(&scanned.corp) {
            let corp = scanned.corp.clone();
            pages.counts.insert(corp, ScanCounts::default());
        }
        if let Some(counts) = pages.counts.get_mut(&scanned.corp) {
            counts.add(scanned.into());
        }
        if scanned.outcome == Outcome::MisRouted {
            if pages.mis_routed.len() == MOST_EXAMPLES {
                pages.mis_routed.pop_front();
            }
            pages.mis_routed.push_back(Arc::new(scanned.clone()));
        }
    }

    pub(super) fn counts(&self, corp: Option<&str>) -> ScanCounts {
        let pages = self.lock();
        match corp {
            Some(corp) => pages.counts.get(corp).copied().unwrap_or_default(),
            None => pages.all,
        }
    }

    pub(super) fn mis_routed(&self, corp: Option<&str>) -> Vec<Scanned> {
        let all: Vec<Arc<Scanned>> = self.lock().mis_routed.iter().map(Arc::clone).collect();
        let is_wanted = |scanned: &&Arc<Scanned>| corp.is_none_or(|corp| corp == scanned.corp);
        let those = all.iter().rev().filter(is_wanted);
        those.map(|scanned| scanned.as_ref().clone()).collect()
    }

    pub(super) fn reset(&self) {
        let forgotten = std::mem::take(&mut *self.lock());
        drop(forgotten);
    }

    fn lock(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<&Scanned> for ScanCounts {
    fn from(scanned: &Scanned) -> Self {
        let is = |outcome| u64::from(scanned.outcome == outcome);
        Self {
            total: 1,
            routed: is(Outcome::Routed),
            mis_routed: is(Outcome::MisRouted),
            nowhere: is(Outcome::Nowhere),
            added: u64::from(scanned.is_added),
        }
    }
}

/// Enough to find out what went wrong.
const MOST_EXAMPLES: usize = 1000;
