//! What a drawn graph looks like.

use super::*;
use crate::{
    scenario::{Folder, Scenario, capacity, tasks_capacity, visits},
    world::Chance,
};

/// A scenario with a drawn graph and nothing else of interest; checked as every file is.
fn scenario(services: u32, instances: u32) -> Scenario {
    let text = format!(
        "purpose = \"a drawn graph\"\nseed = 5\n\
         [generated]\nkind = \"wechat\"\nservices = {services}\ninstances = {instances}\n\
         [[load]]\ntimes_capacity = 1.0\n"
    );
    Scenario::parse("drawn.toml", &text, Folder::BuiltIn).unwrap()
}

fn ways(graph: &Graph) -> u64 {
    let instances = |place: usize| u64::from(graph.services[place].instances);
    let edges = graph.edges.iter();
    edges
        .map(|edge| instances(edge.from) * instances(edge.to))
        .sum()
}

/// The requests that the task of this draw makes, its own included.
fn requests(graph: &Graph, entry: usize, draw: u64) -> u32 {
    let mut made = vec![0; graph.services.len()];
    made[entry] = 1;
    for (place, edge) in graph.edges.iter().enumerate() {
        made[edge.to] += made[edge.from] * edge.makes(place, draw);
    }
    made.iter().sum()
}

#[test]
fn graphs_of_all_sizes_are_as_large_as_asked_and_can_be_run() {
    for (services, instances) in [
        (10, 10),
        (10, 1_000),
        (37, 41),
        (100, 1_000),
        (999, 1_000),
        (3_000, 20_000),
        (10_000, 30_000),
    ] {
        // No cycle, every service reached, not too large: the file's own checks.
        let scenario = scenario(services, instances);
        let all: u32 = scenario
            .services
            .iter()
            .map(|service| service.instances)
            .sum();
        assert_eq!(scenario.services.len(), usize::try_from(services).unwrap());
        assert_eq!(all, instances, "{services} services");
        assert!(
            scenario
                .services
                .iter()
                .all(|service| service.instances > 0)
        );
        assert!((8..=30).contains(&scenario.businesses.len()));
    }
}

#[test]
fn the_same_arguments_give_the_same_graph() {
    let one = wechat(1, 300, 2_000);
    assert_eq!(one, wechat(1, 300, 2_000));
    let other = wechat(2, 300, 2_000);
    assert_ne!(one.edges, other.edges);
    assert_ne!(one.services, other.services);
}

#[test]
fn names_and_numbers_are_unique() {
    let graph = wechat(1, 3_000, 20_000);
    let mut names: Vec<_> = graph.services.iter().map(|it| it.name.as_str()).collect();
    names.extend(graph.businesses.iter().map(|it| it.name.as_str()));
    let mut numbers: Vec<_> = graph.businesses.iter().map(|it| it.number).collect();
    let (all, businesses) = (names.len(), numbers.len());
    names.sort_unstable();
    names.dedup();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!((names.len(), numbers.len()), (all, businesses));
}

#[test]
fn calls_go_down_to_basic_services_which_call_nobody() {
    let graph = wechat(1, 3_000, 20_000);
    let kind = |place: usize| &graph.services[place].name[..5];
    let mut callees = vec![0_u32; graph.services.len()];
    for edge in &graph.edges {
        callees[edge.from] += 1;
        assert!(0.0 < edge.probability && edge.probability <= 1.0);
        let step = (kind(edge.from), kind(edge.to));
        let may = [
            ("entry", "upper"),
            ("entry", "basic"),
            ("upper", "lower"),
            ("upper", "basic"),
            ("lower", "basic"),
        ];
        assert!(may.contains(&step), "{step:?}");
    }
    for (place, callees) in callees.iter().enumerate() {
        assert_eq!(
            *callees == 0,
            kind(place) == "basic",
            "{}",
            graph.services[place].name
        );
        assert!(*callees <= 12, "{}: {callees}", graph.services[place].name);
    }
    let shared = (0..graph.services.len()).filter(|place| {
        let callers = graph.edges.iter().filter(|edge| edge.to == *place);
        callers.count() > 1
    });
    assert!(shared.count() > 300, "many services are called by several");
}

#[test]
fn a_few_services_are_large() {
    let graph = wechat(1, 3_000, 20_000);
    let mut instances: Vec<_> = graph.services.iter().map(|it| it.instances).collect();
    instances.sort_unstable_by(|one, other| other.cmp(one));
    assert!((100..500).contains(&instances[0]), "{}", instances[0]);
    assert!(
        (1..=5).contains(&instances[1_500]),
        "median {}",
        instances[1_500]
    );
    let top: u32 = instances[..150].iter().sum();
    assert!(
        (6_000..14_000).contains(&top),
        "the largest twentieth have {top}"
    );
    assert!(ways(&graph) < 1_500_000, "{} channels", ways(&graph));
}

#[test]
fn tasks_are_of_five_to_fifteen_requests_as_a_rule() {
    let graph = wechat(1, 3_000, 20_000);
    let mut chance = Chance::new(1, "draws", 0);
    let (mut sum, mut usual) = (0, 0);
    for number in 0..3_000 {
        let entry = graph.businesses[number % graph.businesses.len()].entry;
        let requests = requests(&graph, entry, chance.bits());
        sum += requests;
        usual += u32::from((5..=15).contains(&requests));
    }
    assert!((29_000..=31_000).contains(&sum), "10 on the average: {sum}");
    assert!(usual > 2_600, "{usual} of 3,000");
}

#[test]
fn ten_requests_a_second_come_to_an_instance_and_basic_services_are_two_thirds_busy() {
    let scenario = scenario(3_000, 20_000);
    let rate = wechat(5, 3_000, 20_000).tasks_per_s;
    let shares: f64 = scenario.businesses.iter().map(|it| it.share).sum();
    let mut rates = vec![0.0; scenario.services.len()];
    for (place, business) in scenario.businesses.iter().enumerate() {
        for (all, one) in rates.iter_mut().zip(visits(&scenario, place)) {
            *all += one * rate * business.share / shares;
        }
    }
    assert!((rates.iter().sum::<f64>() / 20_000.0 - 10.0).abs() < 1e-6);
    let (mut busy, mut idle) = (0, 0);
    for (place, service) in scenario.services.iter().enumerate() {
        let of_one = rates[place] / f64::from(service.instances);
        // As drawn, more or less by rounding to whole instances.
        assert!(of_one < 25.0, "{}: {of_one}", service.name);
        let share = rates[place] / capacity(&scenario, place);
        assert!(share < 0.751, "{}: {share}", service.name);
        if service.name.starts_with("basic") {
            if share > 0.649 {
                busy += service.instances
            } else {
                idle += service.instances
            }
        }
    }
    assert!(
        busy > 8 * idle,
        "{busy} instances are busy as drawn, {idle} are of services hardly called"
    );
    // The first that is at its capacity is one that is 75 % busy.
    let most = tasks_capacity(&scenario) / rate;
    assert!((1.0 / 0.75..1.0 / 0.73).contains(&most), "{most}");
}

#[test]
fn workers_of_callers_are_enough_for_the_calls_they_wait_for() {
    let graph = wechat(1, 3_000, 20_000);
    let of = |tier: &str| {
        let of_tier = graph.services.iter().filter(|it| it.name.starts_with(tier));
        let workers: Vec<u32> = of_tier.filter_map(|it| it.workers).collect();
        f64::from(workers.iter().sum::<u32>()) / f64::from(u32::try_from(workers.len()).unwrap())
    };
    // 10 requests a second of 0.4 s, 0.6 s and 1.2 s, 35 % busy.
    for (tier, range) in [
        ("basic", 2.0..2.1),
        ("lower", 8.0..16.0),
        ("upper", 12.0..24.0),
        ("entry", 26.0..48.0),
    ] {
        let workers = of(tier);
        assert!(
            range.contains(&workers),
            "{tier}: {workers} workers on the average"
        );
    }
}
