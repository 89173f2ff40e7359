//! The metrics of a run that goes on.
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
    time::Duration,
};

use chaos::{Scenario, live::watch, policy::Name, scenario::Folder};

const SCENARIO: &str = r#"
purpose = "something to watch"
engines = ["live"]
duration_s = 1
deadline_ms = 200

[[service]]
name = "A"
workers = "unlimited"
service_ms = 0

[[service]]
name = "M"
workers = 4
service_ms = 20

[[call]]
from = "A"
to = "M"

[[business]]
name = "task"
entry = "A"

[[load]]
times_capacity = 2.0
"#;

fn scenario() -> Scenario {
    Scenario::parse("watch.toml", SCENARIO, Folder::BuiltIn).unwrap()
}

/// Returns the page at `/metrics`, once somebody listens there.
fn page(address: SocketAddr) -> Option<String> {
    let mut tcp = TcpStream::connect(address).ok()?;
    tcp.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    let request = "GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    tcp.write_all(request.as_bytes()).ok()?;
    let mut text = String::new();
    tcp.read_to_string(&mut text).ok()?;
    Some(text)
}

#[test]
fn an_address_in_use_is_told() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let error = watch(&scenario(), Name::Dagor, 1, address, Some(1)).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&address.to_string()), "{text}");
    assert!(text.contains("in use"), "{text}");
}

#[test]
fn the_page_has_the_services_and_goes_on_after_the_scenario() {
    // Somebody else could take it meanwhile; that would be told, and fails the test.
    let address = {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap()
    };
    let watching = thread::spawn(move || watch(&scenario(), Name::Dagor, 1, address, Some(3)));
    let mut last = String::new();
    while !watching.is_finished() {
        if let Some(text) = page(address) {
            last = text;
        }
        thread::yield_now();
    }
    watching.join().unwrap().unwrap();

    assert!(last.starts_with("HTTP/1.1 200"), "{last}");
    let value = |metric: &str| -> f64 {
        let lines = last.lines().filter(|line| line.starts_with(metric));
        lines
            .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
            .sum()
    };
    // A run is over after 1.3 s; more than 200 calls arrive in one.
    let arrived = value("dagor_arrived_total{service=\"M\"");
    assert!(arrived > 400.0, "{arrived} arrived\n{last}");
    assert!(value("dagor_shed_total{service=\"M\"") > 0.0, "{last}");
    assert!(last.contains("dagor_level_ratio{service=\"M\"}"), "{last}");
    assert!(last.contains("dagor_queuing_seconds_bucket"), "{last}");
}
