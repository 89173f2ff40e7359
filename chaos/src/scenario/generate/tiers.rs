//! The kinds of services, and where they are.

use std::ops::Range;

/// Places of services: entries first, then the shared ones, then the basic ones. Calls go to later tiers only.
#[derive(Clone, Debug)]
pub(super) struct Tiers {
    /// Where tasks enter.
    pub(super) entries: Range<usize>,
    /// Called by entries.
    pub(super) upper: Range<usize>,
    /// Called by the upper tier.
    pub(super) lower: Range<usize>,
    /// Called by both shared tiers; they call nobody.
    pub(super) basic: Range<usize>,
}

impl Tiers {
    /// So many services in all; at least 10.
    pub(super) fn new(services: u32) -> Self {
        // Lossless: usize has at least 32 bits wherever this runs.
        let services = services.max(10) as usize;
        let entries = (services / 100).clamp(1, 30);
        let upper = entries + (services / 20).max(1);
        let lower = upper + services / 4;
        Self {
            entries: 0..entries,
            upper: entries..upper,
            lower: upper..lower,
            basic: lower..services,
        }
    }

    /// Returns how many services there are.
    pub(super) const fn all(&self) -> usize {
        self.basic.end
    }

    /// Returns how many kinds of tasks there are: a hundred services are for one, but some enter together.
    pub(super) fn businesses(&self) -> usize {
        (self.all() / 100).clamp(8, 30)
    }

    /// Returns the name of a service, which says its tier.
    pub(super) fn name(&self, place: usize) -> String {
        let tiers = [
            ("entry", &self.entries),
            ("upper", &self.upper),
            ("lower", &self.lower),
            ("basic", &self.basic),
        ];
        let found = tiers.into_iter().find(|(_, tier)| tier.contains(&place));
        let (name, first) = found.map_or(("basic", self.basic.start), |it| (it.0, it.1.start));
        format!("{name}-{}", place - first + 1)
    }
}
