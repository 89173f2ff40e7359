//! A scenario for tests.

use std::time::Duration;

use crate::{Engine, policy::Name, scenario::Scenario};

/// Nothing but a name.
pub(super) fn scenario() -> Scenario {
    Scenario {
        name: "sample".into(),
        purpose: "tests".into(),
        source: None,
        seed: 1,
        duration: Duration::from_secs(1),
        warm_up: Duration::ZERO,
        engines: vec![Engine::Sim],
        policies: vec![Name::None],
        deadline: Duration::from_millis(500),
        network: Duration::ZERO,
        refusal_cost: 0.0,
        hang_up: true,
        threshold: Duration::from_millis(20),
        measured: None,
        services: Vec::new(),
        edges: Vec::new(),
        businesses: Vec::new(),
        loads: Vec::new(),
        faults: Vec::new(),
        criteria: Vec::new(),
        published: Vec::new(),
        quick: crate::scenario::Quick::default(),
        calendar: Duration::ZERO,
    }
}
