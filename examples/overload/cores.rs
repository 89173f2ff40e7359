//! One core for the server, another for the load, so that neither takes the other's time.

use core_affinity::CoreId;

/// The cores to use; without two of them nothing is pinned and the figures are rougher.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cores {
    server: Option<CoreId>,
    generator: Option<CoreId>,
}

impl Cores {
    /// Returns the first two cores this process may use, and what to tell the user if there are none.
    pub(crate) fn find() -> (Self, Option<String>) {
        let allowed = core_affinity::get_core_ids().unwrap_or_default();
        if let [server, generator, ..] = allowed[..] {
            let cores = Self {
                server: Some(server),
                generator: Some(generator),
            };
            return (cores, None);
        }
        let cores = Self {
            server: None,
            generator: None,
        };
        let note = format!(
            "{} core(s) to run on, two are wanted: server and load share them, figures are rough",
            allowed.len()
        );
        (cores, Some(note))
    }

    /// Keeps the calling thread on the server's core.
    pub(crate) fn pin_server(self) {
        pin(self.server);
    }

    /// Keeps the calling thread on the load generator's core.
    pub(crate) fn pin_generator(self) {
        pin(self.generator);
    }
}

fn pin(core: Option<CoreId>) {
    if let Some(core) = core {
        // Where the system refuses, the thread runs anywhere: rougher figures, not wrong ones.
        core_affinity::set_for_current(core);
    }
}
