//! The vendor's limits, and how tests make them small.

use serde::Serialize;

use crate::{
    given::{Section, Word},
    world::LARGEST_LIMIT,
};

/// The windows of path/90312, and how tests make them small. Each limit: 0 (none) to 2,000,000.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Windows {
    /// Calls a minute for each (corp, API). Default 10,000.
    pub corp_per_minute: u64,
    /// Calls an hour for each (corp, API). Default 150,000.
    pub corp_per_hour: u64,
    /// Calls a minute for each (IP, API). Default 20,000.
    pub ip_per_minute: u64,
    /// Calls an hour for each (IP, API). Default 600,000.
    pub ip_per_hour: u64,
    /// Calls a minute for each (IP, API) of a third-party provider. Default 40,000.
    pub provider_per_minute: u64,
    /// Calls an hour for each (IP, API) of a third-party provider. Default 1,200,000.
    pub provider_per_hour: u64,
    /// Whether the windows slide or begin with each full minute and hour. Default sliding: the stricter.
    pub kind: WindowKind,
    /// Calls in flight at once for each (corp, API); one more is answered with 45033. Default 5, what staff of the
    /// vendor named for several interfaces; 0: no limit.
    pub concurrency: u32,
    /// All counts above but `concurrency` are divided by this, 1 to 1,000,000; never below 1 call. Default 1.
    pub divide_counts: u64,
    /// Minutes and hours of windows and blocks are divided by this, 1 to 60,000 (a minute is then 1 ms). Default 1.
    pub divide_time: u64,
}

/// How windows lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WindowKind {
    /// The last minute and hour, at every moment.
    #[default]
    Sliding,
    /// From one full minute and hour to the next.
    Fixed,
}

// === impl Windows ===

impl Windows {
    /// Takes what a table says over what is.
    pub(crate) fn update(&mut self, mut table: Section<'_>) {
        let calls = 0..=LARGEST_LIMIT;
        for (key, into) in [
            ("corp_per_minute", &mut self.corp_per_minute),
            ("corp_per_hour", &mut self.corp_per_hour),
            ("ip_per_minute", &mut self.ip_per_minute),
            ("ip_per_hour", &mut self.ip_per_hour),
            ("provider_per_minute", &mut self.provider_per_minute),
            ("provider_per_hour", &mut self.provider_per_hour),
        ] {
            table.whole(key, calls.clone(), into);
        }
        table.word("kind", &mut self.kind);
        table.whole("concurrency", 0..=1_000_000, &mut self.concurrency);
        table.whole("divide_counts", 1..=1_000_000, &mut self.divide_counts);
        table.whole("divide_time", 1..=60_000, &mut self.divide_time);
        table.end();
    }
}

impl Default for Windows {
    fn default() -> Self {
        Self {
            corp_per_minute: 10_000,
            corp_per_hour: 150_000,
            ip_per_minute: 20_000,
            ip_per_hour: 600_000,
            provider_per_minute: 40_000,
            provider_per_hour: 1_200_000,
            kind: WindowKind::Sliding,
            concurrency: 5,
            divide_counts: 1,
            divide_time: 1,
        }
    }
}

// === impl WindowKind ===

impl Word for WindowKind {
    const ALL: &'static [(&'static str, Self)] =
        &[("sliding", Self::Sliding), ("fixed", Self::Fixed)];
}
