//! What is known of a callee's instances, to look at.

use std::sync::Arc;

use super::{levels::Instance, table::Table};
use crate::priority::Level;

/// What a caller knows of a callee at one moment; made by
/// [`Callee::snapshot`](super::Callee::snapshot).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Snapshot {
    /// The known instances, in the order of their names.
    pub instances: Vec<InstanceSnapshot>,
    /// Instances that were forgotten because the table was full, since the start.
    pub forgotten: u64,
}

/// What a caller knows of one instance at one moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InstanceSnapshot {
    /// The name it is known by.
    pub instance: Arc<str>,
    /// Its level as last heard, or as inferred from its refusals.
    pub level: Level,
    /// Requests waiting there, by the last response that said so.
    pub waiting: u32,
    /// Requests running there, by the last response that said so.
    pub running: u32,
    /// Calls of this process to it that have no response yet.
    pub outstanding: u32,
    /// Calls withheld from it since it is known.
    pub withheld: u64,
}

// === impl Snapshot ===

impl Snapshot {
    pub(super) fn of(table: &Table) -> Self {
        let all = table.all();
        let mut instances: Vec<_> = all.iter().map(|i| InstanceSnapshot::of(i)).collect();
        instances.sort_unstable_by(|a, b| a.instance.cmp(&b.instance));
        Self {
            instances,
            forgotten: table.forgotten(),
        }
    }
}

// === impl InstanceSnapshot ===

impl InstanceSnapshot {
    fn of(instance: &Instance) -> Self {
        Self {
            instance: Arc::clone(instance.name()),
            level: instance.level(),
            waiting: instance.waiting(),
            running: instance.running(),
            outstanding: instance.outstanding(),
            withheld: instance.withheld_total(),
        }
    }
}
