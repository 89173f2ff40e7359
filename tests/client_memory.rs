//! What the table of instances takes, counted by the allocator. Alone in its process: one allocator
//! counts for all tests.
#![cfg(feature = "http")]

use std::{alloc::System, time::Duration};

use dagor::{Clock, client::Callee};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Bytes allocated since the region began and not freed.
fn kept(region: &Region<'_, System>) -> usize {
    let stats = region.change();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// One test, for others at the same time would be counted with it.
#[test]
fn o20_a_million_names_bounded() {
    let (clock, hand) = Clock::manual();
    let region = Region::new(ALLOCATOR);
    let callee = Callee::builder("payments").clock(clock).build().unwrap();
    // The length of a long IPv4 address with port.
    let name = |number: u32| {
        format!(
            "10.100.{:03}.{:03}:{:05}",
            number % 256,
            number % 251,
            number
        )
    };

    for number in 0..1024 {
        drop(callee.instance(&name(number)));
    }
    let full = kept(&region);
    assert!(full <= 1024 * 256, "{} B per instance", full / 1024);

    for number in 0..1_000_000 {
        hand.advance(Duration::from_micros(1));
        drop(callee.instance(&name(number)));
    }
    let after = kept(&region);
    assert!(after <= 1024 * 256, "{} B per instance", after / 1024);
    let snapshot = callee.snapshot();
    assert_eq!(snapshot.instances.len(), 1024);
    assert_eq!(snapshot.forgotten, 1_000_000 - 1024);
    drop(snapshot);

    let long = "n".repeat(1 << 20);
    drop(callee.instance(&long));
    drop(long);
    assert!(kept(&region) <= after + 1024, "long names are cut");

    let known = name(999_999);
    let region = Region::new(ALLOCATOR);
    drop(callee.instance(&known));
    assert_eq!(
        region.change().allocations,
        0,
        "a known name is found without"
    );
}
