//! How callbacks are sent.

use serde::Serialize;

use crate::given::{Section, Word};

/// How callbacks are sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Callbacks {
    /// How long the receiver may take, in ms, 1 to 60,000. Default 5,000, as documented.
    pub timeout_ms: u64,
    /// How often a failed one is sent again, 0 to 100. Default 3, as documented.
    pub retries: u32,
    /// How long to wait before it is sent again, in ms, 0 to 3,600,000. Default 1,000 (not documented).
    pub retry_after_ms: u64,
    /// How many are sent twice, 0 to 1. Default 0.
    pub duplicates: f64,
    /// How many are sent after their successor, 0 to 1. Default 0.
    pub reordered: f64,
    /// How many are never sent, 0 to 1. Default 0.
    pub lost: f64,
    /// How many are on their way to one enterprise at once, 1 to 10,000. Default 64 (not documented). With 1 they
    /// arrive in order.
    pub in_flight: u32,
    /// How many wait for one enterprise at most, 1 to 10,000,000; what is more is dropped and counted. Default
    /// 100,000.
    pub queue: u32,
    /// Whether directory events are those of addresses set up after 2022-08-15: no `Status`, and `update_user` for a
    /// change of departments or of the userid alone. Default true.
    pub directory_after_2022: bool,
    /// What a scan that adds a customer sends. Default both.
    pub adds: AddEvents,
}

/// What a scan that adds a customer sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AddEvents {
    /// `add_external_contact` alone.
    Full,
    /// `add_half_external_contact` alone.
    Half,
    /// First half, then full.
    #[default]
    Both,
}

// === impl Callbacks ===

impl Callbacks {
    /// Takes what a table says over what is.
    pub(crate) fn update(&mut self, mut table: Section<'_>) {
        table.whole("timeout_ms", 1..=60_000, &mut self.timeout_ms);
        table.whole("retries", 0..=100, &mut self.retries);
        table.whole("retry_after_ms", 0..=3_600_000, &mut self.retry_after_ms);
        table.share("duplicates", &mut self.duplicates);
        table.share("reordered", &mut self.reordered);
        table.share("lost", &mut self.lost);
        table.whole("in_flight", 1..=10_000, &mut self.in_flight);
        table.whole("queue", 1..=10_000_000, &mut self.queue);
        table.flag("directory_after_2022", &mut self.directory_after_2022);
        table.word("adds", &mut self.adds);
        table.end();
    }
}

impl Default for Callbacks {
    fn default() -> Self {
        Self {
            timeout_ms: 5000,
            retries: 3,
            retry_after_ms: 1000,
            duplicates: 0.0,
            reordered: 0.0,
            lost: 0.0,
            in_flight: 64,
            queue: 100_000,
            directory_after_2022: true,
            adds: AddEvents::Both,
        }
    }
}

// === impl AddEvents ===

impl Word for AddEvents {
    const ALL: &'static [(&'static str, Self)] = &[
        ("full", Self::Full),
        ("half", Self::Half),
        ("both", Self::Both),
    ];
}
