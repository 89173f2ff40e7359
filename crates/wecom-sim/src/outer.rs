//! What surrounds the simulated interface: whoever scans codes, whoever sends callbacks, and what is known of both.

use crate::{
    callback::Sender,
    profile::{Corp, Profile},
    scan::Scanner,
    world::{Mistake, World},
};

/// The customers and the callbacks of a simulation. Cheap to clone; clones are the same ones.
#[derive(Clone, Debug)]
pub struct Parts {
    sender: Sender,
    scanner: Scanner,
}

// === impl Parts ===

impl Parts {
    /// Returns those of a world that was made of `profile`. Nothing runs before there is something to send.
    ///
    /// # Errors
    ///
    /// If an enterprise's callback address, token or key is none.
    pub fn new(world: &World, profile: &Profile) -> Result<Self, Mistake> {
        let sender = Sender::new(world);
        let scanner = Scanner::new(world, &sender);
        let parts = Self { sender, scanner };
        for corp in &profile.corps {
            parts.add_corp(corp)?;
        }
        Ok(parts)
    }

    /// Takes an enterprise that came while the simulation runs.
    ///
    /// # Errors
    ///
    /// If its callback address, token or key is none.
    pub fn add_corp(&self, corp: &Corp) -> Result<(), Mistake> {
        self.sender.add_corp(corp)?;
        self.scanner.add_corp(corp);
        Ok(())
    }

    /// Returns what sends callbacks.
    #[must_use]
    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    /// Returns what scans codes.
    #[must_use]
    pub fn scanner(&self) -> &Scanner {
        &self.scanner
    }
}
