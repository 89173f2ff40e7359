//! Several mistakes in one file.

use super::{GOOD, Scenario, parse, spoilt};
use crate::scenario::Folder;

#[test]
fn all_are_told_at_once_in_the_order_of_the_file() {
    let text = spoilt(&[
        ("\"a test\"", "7"),
        ("duration_s = 60", "duration_s = 0"),
        ("workers = \"unlimited\"", "workers = 0"),
        ("service_ms = 40", "service_ms = 40\nquue = 3"),
        (
            "from = \"A\"\nto = \"M\"\ncalls = [1, 2]",
            "from = \"M\"\nto = \"M\"\ncalls = 0",
        ),
        ("times_capacity = 2", "shape = \"ramp\""),
        ("speed = 0.5", "speed = nan\ninstances = [9]"),
        ("at_least = 0.9", "at_least = 2"),
    ]);
    let said = parse(&text).unwrap_err();
    let places: Vec<&str> = said
        .lines()
        .filter_map(|line| line.split(", expected").next())
        .collect();
    assert_eq!(
        places,
        [
            "it.toml:1: purpose = 7",
            "it.toml:2: duration_s = 0",
            "it.toml:8: workers = 0",
            "it.toml:12: name = \"M\"",
            "it.toml:15: quue = 3",
            "it.toml:19: to = \"M\"",
            "it.toml:20: calls = 0",
            "it.toml:26: [[load]] without factor",
            "it.toml:26: [[load]] without tasks_per_s",
            "it.toml:33: speed = nan",
            "it.toml:34: instances = [9]",
            "it.toml:39: at_least = 2",
        ]
    );
}

#[test]
fn what_follows_from_another_mistake_is_not_told() {
    // Without its name nobody knows whether the others mean this service.
    let text = spoilt(&[("name = \"M\"", "nam = \"M\"")]);
    let said = parse(&text).unwrap_err();
    assert_eq!(said.lines().count(), 2, "{said}");
    // A misspelt section may hold what all others refer to.
    let text = spoilt(&[("[[business]]", "[[busines]]")]);
    let said = parse(&text).unwrap_err();
    assert_eq!(
        said,
        "it.toml:21: [[busines]], expected a known section, perhaps [[business]]"
    );
    // Nothing is outside of a run of which nobody knows how long it is.
    let text = spoilt(&[("duration_s = 60", "duration_s = \"60\"")]);
    assert_eq!(parse(&text).unwrap_err().lines().count(), 1);
}

#[test]
fn no_more_than_a_hundred_are_listed() {
    let odd: String = (0..150).map(|it| format!("odd{it} = 1\n")).collect();
    let text = spoilt(&[("purpose", &format!("{odd}purpose"))]);
    let said = parse(&text).unwrap_err();
    assert_eq!(said.lines().count(), 101);
    assert_eq!(said.lines().last(), Some("and 50 more"));
}

#[test]
fn what_came_from_outside_is_said_on_one_short_line() {
    let long = "x".repeat(100_000);
    let said = parse(&spoilt(&[("\"M\"", &format!("{long:?}"))])).unwrap_err();
    assert!(said.lines().count() == 1 && said.len() < 400, "{said}");
    let said = parse(&spoilt(&[("measured", "\"a\\u001b[31m\\nb\"")])).unwrap_err();
    assert!(
        said.starts_with("it.toml:4: a\\u{1b}[31m\\nb = \"M\", expected"),
        "{said}"
    );
}

#[test]
fn the_file_gives_the_name_and_bounds_the_size() {
    let parse = |file: &str, text: &str| {
        let read = Scenario::parse(file, text, Folder::BuiltIn);
        read.map(|it| it.name).map_err(|error| error.to_string())
    };
    assert_eq!(
        parse("some/where/shop-2.toml", GOOD).as_deref(),
        Ok("shop-2")
    );
    let said = parse("a shop.toml", GOOD).unwrap_err();
    assert!(
        said.starts_with("a shop.toml: expected as the file's name 1 to 40 letters"),
        "{said}"
    );
    let said = parse("shop.toml", &" ".repeat(2 << 20)).unwrap_err();
    assert_eq!(said, "shop.toml: expected at most 1048576 bytes");
}

#[test]
fn what_would_take_all_memory_is_refused() {
    let tasks = ("times_capacity = 2", "tasks_per_s = 2000");
    let more = "instances = 100000\n[[service]]\nname = \"N\"\nservice_ms = 1";
    let cases: [(&[(&str, &str)], &str); 3] = [
        (
            &[("instances = 3", more), tasks],
            "at most 100000 instances of all services together, not 100002",
        ),
        (
            &[
                ("workers = \"unlimited\"", "instances = 80000"),
                ("instances = 3", "instances = 300"),
            ],
            "at most 20000000 from instance to instance over all calls, not 24000000",
        ),
        (
            &[("duration_s = 60", "duration_s = 86400"), tasks],
            "at most 100000000 tasks in a run, not 172800000",
        ),
    ];
    for (changes, allowed) in cases {
        let said = parse(&spoilt(changes)).unwrap_err();
        assert!(said.contains(&format!("expected {allowed}")), "{said}");
    }
    let many: String = (0..30)
        .map(|it| format!("[[business]]\nname = \"b{it}\"\nentry = \"A\"\n"))
        .collect();
    let many = format!("{many}[[business]]");
    let text = spoilt(&[
        ("[[business]]", &many),
        ("duration_s = 60", "duration_s = 86400"),
    ]);
    let allowed = "at most 2000000 seconds times services and businesses, not 2851200";
    assert!(parse(&text).unwrap_err().contains(allowed));
}

#[test]
fn a_task_that_makes_too_many_calls_is_refused() {
    let (head, rest) = GOOD.split_once("[[call]]").unwrap();
    let mut row = String::from(head);
    for tier in 0..4 {
        row += &format!("[[service]]\nname = \"T{tier}\"\nservice_ms = 1\n");
        let from = if tier == 0 {
            String::from("A")
        } else {
            format!("T{}", tier - 1)
        };
        row += &format!("[[call]]\nfrom = \"{from}\"\nto = \"T{tier}\"\ncalls = 100\n");
    }
    let said = parse(&format!("{row}[[call]]{rest}")).unwrap_err();
    let calls = 1 + 2 + 100 + 10_000 + 1_000_000 + 100_000_000;
    let allowed = format!("expected at most 100000 calls a task at all services, not {calls}");
    assert!(said.ends_with(&allowed), "{said}");
}

#[test]
fn a_long_row_of_services_is_read_at_once() {
    let (head, rest) = GOOD.split_once("[[call]]").unwrap();
    let mut row = String::from(head);
    for tier in 0..5_000 {
        row += &format!("[[service]]\nname = \"T{tier}\"\nservice_ms = 0\n");
        let from = if tier == 0 {
            String::from("A")
        } else {
            format!("T{}", tier - 1)
        };
        row += &format!("[[call]]\nfrom = \"{from}\"\nto = \"T{tier}\"\n");
    }
    let read = parse(&format!("{row}[[call]]{rest}")).unwrap();
    assert_eq!(read.services.len(), 5_002);
    let closed = format!("{row}[[call]]\nfrom = \"T4999\"\nto = \"T0\"\n[[call]]{rest}");
    assert!(
        parse(&closed)
            .unwrap_err()
            .contains("expected no cycle: T0 -> T1 -> T2 -> ")
    );
}

#[test]
fn fairness_needs_tasks_that_differ() {
    let fairness = (
        "\"goodput\"\nat_least = 0.9",
        "\"fairness\"\nat_most = 1.15",
    );
    let allowed = "it.toml:36: measure = \"fairness\", expected another unless measured is a service at \
                   which tasks make different numbers of calls";
    let nothing_differs = ("calls = [1, 2]", "calls = 2");
    assert_eq!(
        parse(&spoilt(&[fairness, nothing_differs])).unwrap_err(),
        allowed
    );
    let text = spoilt(&[fairness, ("measured = \"M\"", "hang_up = true")]);
    assert_eq!(parse(&text).unwrap_err(), allowed);
    for differs in ["calls = [1, 2]", "calls = 2\nprobability = 0.5"] {
        assert!(
            parse(&spoilt(&[fairness, ("calls = [1, 2]", differs)])).is_ok(),
            "{differs}"
        );
    }
}

#[test]
fn a_graph_is_drawn_or_written_down() {
    let (top, _) = GOOD.split_once("measured").unwrap();
    let generated = "[generated]\nkind = \"wechat\"\nservices = 9\ninstances = 2e5\n";
    let said = parse(&format!("{top}{generated}[[load]]\ntasks_per_s = 1\n")).unwrap_err();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines,
        [
            "it.toml:6: services = 9, expected a whole number, 10 to 10000",
            "it.toml:7: instances = 2e5, expected a whole number, 10 to 100000",
        ]
    );
}
