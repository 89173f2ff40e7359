//! What stands in for the wait before the layer where a request brings no stamp of its own.

use std::{
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use arc_swap::ArcSwapOption;
use tokio::runtime::Handle;

use crate::{
    clock::Clock,
    queuing_time::{Probe, Source},
};

/// The source for the whole process: the one that was set, or a probe of the runtime where there is no
/// gate whose wait would be the signal.
pub(super) struct Outside {
    set: Option<Arc<dyn Source>>,
    clock: Clock,
    /// Whether requests are admitted by the level alone. Written when settings are applied.
    level_only: AtomicBool,
    /// Where the requests run; known from the first one on.
    runtime: OnceLock<Handle>,
    /// Started when it is first asked for, ended when there is a gate again.
    probe: ArcSwapOption<Probe>,
}

impl Outside {
    pub(super) const fn new(set: Option<Arc<dyn Source>>, clock: Clock, level_only: bool) -> Self {
        Self {
            set,
            clock,
            level_only: AtomicBool::new(level_only),
            runtime: OnceLock::new(),
            probe: ArcSwapOption::const_empty(),
        }
    }

    pub(super) fn set_level_only(&self, level_only: bool) {
        self.level_only.store(level_only, Relaxed);
        if !level_only {
            self.probe.store(None);
        }
    }

    pub(super) fn set_runtime(&self, runtime: Handle) {
        // The first one stays; a service has one.
        drop(self.runtime.set(runtime));
    }

    /// Returns the estimate, if there is anything to make one.
    pub(super) fn wait(&self) -> Option<Duration> {
        if let Some(source) = &self.set {
            return source.wait();
        }
        if !self.level_only.load(Relaxed) {
            return None;
        }
        if let Some(probe) = &*self.probe.load() {
            return probe.wait();
        }
        let runtime = self.runtime.get()?.clone();
        // Without a thread there is no estimate, and the next request tries again.
        let probe = Probe::start(runtime, self.clock.clone(), Probe::INTERVAL).ok()?;
        let probe = Arc::new(probe);
        // Of two that come first, one drops its own.
        self.probe
            .rcu(|there| there.clone().or_else(|| Some(Arc::clone(&probe))));
        None
    }
}

impl fmt::Debug for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outside")
            .field("set", &self.set.is_some())
            .field("level_only", &self.level_only)
            .finish_non_exhaustive()
    }
}
