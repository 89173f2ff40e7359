//! A chain of many services: the calls of a task are polled one inside the other.

use std::{fmt::Write as _, num::NonZeroUsize};

use chaos::{Scenario, policy::Name, scenario::Folder, sim, spread::spread};

const SERVICES: usize = 400;

#[test]
fn four_hundred_services_in_a_row_fit_on_the_stack() {
    let mut text = String::from("purpose = \"a long way\"\nduration_s = 2\ndeadline_ms = 1000\n");
    for service in 0..SERVICES {
        write!(
            text,
            "[[service]]\nname = \"s{service}\"\nservice_ms = 0.1\n"
        )
        .unwrap();
    }
    for (from, to) in (0..SERVICES).zip(1..SERVICES) {
        write!(text, "[[call]]\nfrom = \"s{from}\"\nto = \"s{to}\"\n").unwrap();
    }
    text += "[[business]]\nname = \"tasks\"\nentry = \"s0\"\n[[load]]\ntasks_per_s = 5\n";
    let scenario = Scenario::parse("long.toml", &text, Folder::BuiltIn).unwrap();
    let run = |&policy: &Name| sim::run(&scenario, policy, 1).unwrap();
    let outcomes = spread(&[Name::Dagor, Name::None], NonZeroUsize::MIN, |_| 1, run);
    for outcome in outcomes {
        let good: u32 = outcome.businesses[0].good.iter().sum();
        assert!(good > 0, "it gets to the end and back");
    }
}
