//! The load generator of the example, as it is.

#[path = "../../examples/overload/caller.rs"]
pub(crate) mod caller;
#[path = "../../examples/overload/connections.rs"]
pub(crate) mod connections;
#[path = "../../examples/overload/cores.rs"]
pub(crate) mod cores;
#[path = "../../examples/overload/files.rs"]
pub(crate) mod files;
#[path = "../../examples/overload/generator.rs"]
pub(crate) mod generator;
#[path = "../../examples/overload/profile.rs"]
pub(crate) mod profile;
#[path = "../../examples/overload/rng.rs"]
pub(crate) mod rng;
#[path = "../../examples/overload/service.rs"]
pub(crate) mod service;
#[path = "../../examples/overload/tally.rs"]
pub(crate) mod tally;
#[path = "../../examples/overload/work.rs"]
pub(crate) mod work;
#[path = "../../examples/overload/workload.rs"]
pub(crate) mod workload;

pub(crate) use tower::BoxError;
