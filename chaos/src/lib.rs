//! Cascades over call graphs: write down a graph, a load and a fault, and see who collapses under which policy.
//!
//! A [`Scenario`] is a file of some twenty lines. Two engines run it: in virtual time, deterministic to the
//! byte ([`Engine::Sim`]), and on real sockets ([`Engine::Live`]). Both build the same services out of the same
//! parts, with the real layers of `dagor` or of one of its peers ([`policy`]) around them; what differs is
//! where time passes ([`world`]) and how a request travels.
//!
//! | module | what it is |
//! |---|---|
//! | [`scenario`] | the file: its model, reading, checking |
//! | [`world`] | the clock, timers, tasks and chance of a run, virtual or real |
//! | [`graph`] | services, their workers, their calls |
//! | [`load`] | who comes when |
//! | [`policy`] | what a policy puts around an instance and its callers; one module each |
//! | [`sim`], [`live`] | the two engines |
//! | [`measure`] | what a run saw |
//! | [`judge`] | the optimum, the criteria, the verdicts |
//! | [`report`] | the page, the data, the table |
//! | [`table`] | the cells of policy by load by calls of a task |
//! | [`against`] | a service of your own under a scenario |
//! | [`spread`] | many runs on several threads |

pub mod against;
pub mod graph;
pub mod judge;
pub mod live;
pub mod load;
pub mod measure;
pub mod policy;
pub mod report;
pub mod run;
pub mod scenario;
pub mod sim;
pub mod spread;
pub mod table;
pub mod wire;
pub mod world;

pub use self::{run::Engine, scenario::Scenario};
