//! Call graphs that are drawn instead of written down.

use super::{Business, Edge, Service};

/// A call graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The services.
    pub services: Vec<Service>,
    /// The calls between them.
    pub edges: Vec<Edge>,
    /// The kinds of tasks.
    pub businesses: Vec<Business>,
}

/// Draws a graph of so many services and instances. (to be written; the signature stands)
#[must_use]
pub fn wechat(seed: u64, services: u32, instances: u32) -> Graph {
    let _ = (seed, services, instances);
    Graph::default()
}
