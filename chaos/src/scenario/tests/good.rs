//! What files without mistakes become.

use std::time::Duration;

use super::{GOOD, good, millis, parse, seconds};
use crate::{
    Engine,
    policy::Name,
    scenario::{
        Balance, Bound, Business, Calls, Criterion, CriterionKind, Edge, Load, Protocol, Quick,
        Retries, Service, ServiceTime, Shape,
    },
};

#[test]
fn what_is_left_out_has_its_default() {
    let scenario = good(&[]);
    assert_eq!(scenario.name, "it");
    assert_eq!(scenario.seed, 1);
    assert_eq!(scenario.engines, [Engine::Sim]);
    let simulated: Vec<Name> = Name::ALL
        .into_iter()
        .filter(|it| it.is_simulated())
        .collect();
    assert_eq!(scenario.policies, simulated);
    assert_eq!(scenario.deadline, millis(500));
    assert_eq!(scenario.network, Duration::from_micros(500));
    assert!((scenario.refusal_cost - 0.05).abs() < 1e-12 && scenario.hang_up);
    assert_eq!(scenario.threshold, millis(20));
    assert_eq!(scenario.measured, Some(1));
    assert_eq!(scenario.calendar, seconds(1_796_025_600));
    assert_eq!(scenario.quick, Quick::default());
    assert_eq!((scenario.published, scenario.source), (Vec::new(), None));
}

#[test]
fn what_is_left_out_of_a_service_has_its_default() {
    let scenario = good(&[]);
    let a = Service {
        name: String::from("A"),
        instances: 1,
        workers: None,
        service_time: ServiceTime::Exponential(Duration::ZERO),
        queue: None,
        protected: true,
        speeds: Vec::new(),
        cpu_share: 0.01,
        protocol: Protocol::Http,
        quota: None,
    };
    let m = Service {
        name: String::from("M"),
        instances: 3,
        workers: Some(10),
        service_time: ServiceTime::Exponential(millis(40)),
        ..a.clone()
    };
    assert_eq!(scenario.services, [a, m]);
}

#[test]
fn what_is_left_out_of_the_others_has_its_default() {
    let scenario = good(&[]);
    let edge = Edge {
        from: 0,
        to: 1,
        calls: Calls::OneOf(vec![1, 2]),
        parallel: false,
        cancel: true,
        required: true,
        probability: 1.0,
        timeout: None,
        retries: Retries {
            backoff: millis(10),
            ..Retries::default()
        },
        balance: Balance::Random,
        businesses: Vec::new(),
    };
    assert_eq!(scenario.edges, [edge]);
    let business = Business {
        name: String::from("task"),
        number: 0,
        share: 1.0,
        entry: 0,
        users: 1_000_000,
        forged: 0.0,
    };
    assert_eq!(scenario.businesses, [business]);
    let criterion = Criterion {
        name: String::from("works"),
        from: seconds(20),
        until: seconds(60),
        policies: vec![Name::Dagor],
        kind: CriterionKind::Goodput(Bound::AtLeast(0.9)),
    };
    assert_eq!(scenario.criteria, [criterion]);
}

#[test]
fn a_load_relative_to_the_capacity_is_in_tasks() {
    // 3 x 10 workers of 40 ms take 750 requests a second, of which a task makes 1.5.
    let load = Load {
        business: None,
        from: Duration::ZERO,
        until: seconds(60),
        rate: 1_000.0,
        shape: Shape::Steady,
    };
    let [read] = good(&[]).loads.try_into().unwrap();
    assert!((read.rate - load.rate).abs() < 1e-6, "{}", read.rate);
    assert_eq!(
        Load {
            rate: 1_000.0,
            ..read
        },
        load
    );
    let with_business = "business = \"task\"\ntimes_capacity = 0.5";
    let [read] = good(&[("times_capacity = 2", with_business)])
        .loads
        .try_into()
        .unwrap();
    assert!((read.rate - 250.0).abs() < 1e-6, "{}", read.rate);
    assert_eq!(read.business, Some(0));
}

#[test]
fn keys_above_all_sections_are_taken_over() {
    let keys = "source = \"paper\"\nseed = 7\nengines = [\"live\", \"sim\"]\n\
                policies = [\"dagor\", \"acc\"]\ndeadline_ms = 250.5\nnetwork_ms = 0\n\
                refusal_cost = 0\nhang_up = false\nthreshold_ms = 30\n\
                calendar = 1971-01-01T00:00:00Z\nmeasured";
    let end = "at_least = 0.9\n[quick]\nskip = true\npolicies = [\"dagor\"]";
    let scenario = good(&[("measured", keys), ("at_least = 0.9", end)]);
    assert_eq!(scenario.source.as_deref(), Some("paper"));
    assert_eq!(scenario.seed, 7);
    assert_eq!(scenario.engines, [Engine::Live, Engine::Sim]);
    assert_eq!(scenario.policies, [Name::Dagor, Name::Acc]);
    assert_eq!(scenario.deadline, Duration::from_micros(250_500));
    assert_eq!(
        (scenario.network, scenario.threshold),
        (Duration::ZERO, millis(30))
    );
    assert!(scenario.refusal_cost.abs() < 1e-12 && !scenario.hang_up);
    assert_eq!(scenario.calendar, seconds(31_536_000));
    let quoted = good(&[("measured", "calendar = \"1971-01-01T00:00:00Z\"\nmeasured")]);
    assert_eq!(quoted.calendar, scenario.calendar);
    let quick = Quick {
        policies: Some(vec![Name::Dagor]),
        skip: true,
    };
    assert_eq!(scenario.quick, quick);
}

#[test]
fn service_times_have_their_distributions() {
    for (written, read) in [
        ("\"constant\"", ServiceTime::Constant(millis(40))),
        (
            "\"bimodal\"",
            ServiceTime::Bimodal {
                short: millis(20),
                long: millis(220),
            },
        ),
        (
            "\"lognormal\"\nsigma = 0.5",
            ServiceTime::Lognormal {
                median: millis(40),
                sigma: 0.5,
            },
        ),
    ] {
        let keys = format!("service_ms = 40\ndistribution = {written}");
        let scenario = good(&[("service_ms = 40", &keys)]);
        assert_eq!(scenario.services[1].service_time, read);
    }
}

#[test]
fn services_and_calls_are_taken_over() {
    let service = "service_ms = 40\nworkers = 5\nqueue = 0\nprotected = false\nspeeds = [2, 0.5]\n\
                   cpu_share = 1\nprotocol = \"grpc\"\nquota_per_s = 12.5";
    let call = "calls = 3\nparallel = true\ncancel = false\nrequired = false\nprobability = 0.5\n\
                timeout_ms = 100\nretries = 3\nretry_budget = 0.1\nbackoff_ms = 0\n\
                retry_refused = true\nbalance = \"two-choices\"\nbusinesses = [\"task\"]";
    let scenario = good(&[("service_ms = 40", service), ("calls = [1, 2]", call)]);
    let read = &scenario.services[1];
    assert_eq!(
        (read.workers, read.queue, read.protected),
        (Some(5), Some(0), false)
    );
    assert_eq!(
        (read.speeds.as_slice(), read.protocol),
        ([2.0, 0.5].as_slice(), Protocol::Grpc)
    );
    assert_eq!(
        (read.cpu_share.to_bits(), read.quota),
        (1.0_f64.to_bits(), Some(12.5))
    );
    let edge = Edge {
        from: 0,
        to: 1,
        calls: Calls::Fixed(3),
        parallel: true,
        cancel: false,
        required: false,
        probability: 0.5,
        timeout: Some(millis(100)),
        retries: Retries {
            most: 3,
            budget: Some(0.1),
            backoff: Duration::ZERO,
            refused: true,
        },
        balance: Balance::TwoChoices,
        businesses: vec![0],
    };
    assert_eq!(scenario.edges, [edge]);
    for (word, balance) in [
        ("random", Balance::Random),
        ("round-robin", Balance::RoundRobin),
        ("by-user", Balance::ByUser),
    ] {
        let scenario = good(&[("calls = [1, 2]", &format!("balance = {word:?}"))]);
        assert_eq!(scenario.edges[0].balance, balance);
        assert_eq!(scenario.edges[0].calls, Calls::Fixed(1));
    }
}

#[test]
fn the_order_of_sections_does_not_matter() {
    let (top, sections) = GOOD.split_once("\n\n").unwrap();
    let reversed: Vec<&str> = sections.trim().split("\n\n").collect();
    let reversed: Vec<&str> = reversed.into_iter().rev().collect();
    let read = parse(&format!("{top}\n\n{}", reversed.join("\n\n"))).unwrap();
    let mut names = read.services.iter().map(|it| it.name.as_str());
    assert_eq!((names.next(), names.next()), (Some("M"), Some("A")));
    assert_eq!(
        (read.edges[0].from, read.edges[0].to, read.measured),
        (1, 0, Some(0))
    );
    assert_eq!(read.loads, good(&[]).loads);
}
