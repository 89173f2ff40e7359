//! The services: instances, their workers, the calls they make, what goes wrong with them, and the tasks that come.
//!
//! Nothing here knows which engine it runs in: time, chance and tasks are the [`World`]'s, and how a request
//! gets from one instance to another is the [`Network`]'s. So both engines run the same services.
//!
//! ```text
//!  tasks --> Slot --> Instance --> policy --> Work: worker, service time --> calls, then the response
//!            the process            its side                                   |
//!            at an address          as callee                Caller: choice, timeout, retries
//!                                                                             |
//!                                                            policy: its side as caller
//!                                                                             |
//!                                                            Channel: what goes wrong on the way
//!                                                                             |
//!                                                            Network --> the callee's Slot
//! ```
//!
//! | part | what it is |
//! |---|---|
//! | [`Fabric`] | all of it, built for a scenario and a policy |
//! | [`Slot`] | the place of an instance, which stays when the instance is restarted |
//! | [`Network`] | how a request travels |
//! | [`generate`] | the tasks |
//! | [`sample_levels`] | how open everybody is, for the charts |
//! | [`break_things`] | the faults |

mod balance;
mod budget;
mod caller;
mod channel;
mod clocks;
mod detach;
mod fabric;
mod faults;
mod fields;
mod instance;
mod quota;
mod receiving;
mod sampler;
#[cfg(test)]
mod samples;
mod service_time;
mod slot;
mod tasks;
mod timeline;
mod toil;
mod trouble;
mod ways;
mod within;
mod work;
mod workers;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

pub use self::{
    clocks::Clocks,
    fabric::{Fabric, Network},
    faults::break_things,
    receiving::Receiving,
    sampler::sample_levels,
    slot::Slot,
    tasks::{generate, generate_in},
};
use crate::{measure::Recorder, scenario::Scenario, world::World};

/// What everything in a run goes by. Cheap to clone; clones are one.
#[derive(Clone)]
pub struct Run {
    /// Where it takes place.
    pub world: World,
    /// What is run.
    pub scenario: Arc<Scenario>,
    /// What all chance comes from.
    pub seed: u64,
    /// Who counts.
    pub recorder: Recorder,
}

/// Which instance of which service.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct At {
    /// The service's place in the scenario.
    pub service: usize,
    /// Which of its instances, from 0.
    pub instance: u32,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Run");
        debug
            .field("scenario", &self.scenario.name)
            .field("seed", &self.seed);
        debug.finish_non_exhaustive()
    }
}

/// Locks, whatever happened to an earlier holder: nothing that runs under a lock of this module can panic half-way.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Spreads a number over all 64 bits (the finaliser of SplitMix64): neighbours end far from each other.
const fn spread(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

/// Returns a number for [`Chance`](crate::world::Chance) that no other instance, start or use of this name has.
fn stream(instance: u32, start: u32, other: usize) -> u64 {
    // 24 bits for instances, 16 for starts, 24 for edges or services: a scenario has far fewer of each.
    // The seed and the name are mixed in by a hash, so a wrap would only repeat a stream.
    let other = u64::try_from(other).unwrap_or(u64::MAX);
    u64::from(instance) ^ u64::from(start) << 24 ^ other << 40
}
