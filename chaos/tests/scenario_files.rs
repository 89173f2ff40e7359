//! The files that come with the binary.

use chaos::scenario::{Scenario, builtin};

#[test]
fn every_built_in_scenario_is_without_mistakes() {
    for (name, _) in builtin() {
        let scenario = Scenario::find(name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(scenario.name, name);
    }
}
