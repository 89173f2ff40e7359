//! One scan, and what is known of it.

use serde::Serialize;

/// What became of a scan.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It went to a member who was eligible.
    Routed,
    /// It went to a member who was not.
    MisRouted,
    /// The code is gone, or its list is empty.
    Nowhere,
}

/// One scan, and what is known of it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Scanned {
    /// The enterprise.
    pub corp: String,
    /// The code.
    pub config_id: String,
    /// The code's `state`.
    pub state: String,
    /// When it happened, in milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// Who scanned.
    pub external_userid: String,
    /// To whom it went.
    pub userid: Option<String>,
    /// Who was eligible at that moment, on the code's list or not: those on it first, in its order, then others, of
    /// those said to be there by userid, of all in the order in which they came. At most 100, found among the first
    /// 1,000 of the list and the first 1,000 who are there.
    pub eligible: Vec<String>,
    /// Whether there may be more than those in `eligible`.
    #[serde(rename = "eligible_cut")]
    pub is_eligible_cut: bool,
    /// What became of it.
    pub outcome: Outcome,
    /// Whether the customer was added to the member, and the app told.
    #[serde(rename = "added")]
    pub is_added: bool,
}

/// The most who are named as eligible.
pub(super) const LONGEST_LIST: usize = 100;
