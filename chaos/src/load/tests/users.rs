//! Whose tasks they are, and where the users stand.

use std::collections::BTreeMap;

use dagor::entry::UserHash;

use super::*;
use crate::scenario::{Fault, FaultKind};

/// The number of tasks of each business.
fn by_business(all: &[(Duration, Call)], businesses: usize) -> Vec<f64> {
    let mut counts = vec![0.0; businesses];
    for (_, call) in all {
        counts[call.business] += 1.0;
    }
    counts
}

fn hot(at: u64, lasts: Option<u64>, service: usize, share: f64) -> Fault {
    Fault {
        at: secs(at),
        lasts: lasts.map(secs),
        service,
        instances: Vec::new(),
        from: None,
        kind: FaultKind::HotKey(share),
    }
}

#[test]
fn businesses_come_by_their_shares() {
    let mut scenario = of(vec![load(20, 1_000.0, Shape::Steady)]);
    let shares = [0.0, 3.0, 0.0, 1.0, 4.0, 0.0];
    scenario.businesses = shares.map(|share| business("one", share)).into();
    scenario.businesses[3].number = 77;
    let all = tasks(&scenario, 4);
    for (share, came) in shares.into_iter().zip(by_business(&all, 6)) {
        let expected = 20_000.0 * share / 8.0;
        assert!(
            (came - expected).abs() <= 4.0 * f64::sqrt(expected),
            "{came}, not {expected}"
        );
    }
    assert!(
        all.iter()
            .all(|(_, call)| (call.number == 77) == (call.business == 3))
    );
}

#[test]
fn a_load_of_one_business_is_its_own() {
    let mut scenario = of(vec![load(5, 1_000.0, Shape::Steady)]);
    scenario.businesses = vec![business("drawn", 1.0), business("given", 0.0)];
    scenario.loads[0].business = Some(1);
    assert!(
        tasks(&scenario, 4)
            .iter()
            .all(|(_, call)| call.business == 1)
    );
}

#[test]
fn users_are_drawn_evenly() {
    let mut scenario = of(vec![load(100, 1_000.0, Shape::Steady)]);
    scenario.businesses[0].users = 50;
    let mut counts = [0_u32; 50];
    for (_, call) in tasks(&scenario, 6) {
        counts[usize::try_from(call.user).unwrap()] += 1;
    }
    // 2,000 each; 45 is the standard deviation.
    assert!(
        counts.iter().all(|count| (1_820..=2_180).contains(count)),
        "{counts:?}"
    );
}

#[test]
fn places_change_with_the_hour_and_only_then() {
    let mut scenario = of(vec![load(60, 200.0, Shape::Steady)]);
    scenario.businesses[0].users = 40;
    // The hour strikes after 25 s.
    scenario.calendar = Duration::from_secs(3_600 * 472_222 - 25);
    let mut places: BTreeMap<(u32, bool), Vec<u16>> = BTreeMap::new();
    for (at, call) in tasks(&scenario, 2) {
        assert!(call.place < 32_768);
        let of_user = places.entry((call.user, at >= secs(25))).or_default();
        of_user.push(call.place);
    }
    assert_eq!(places.len(), 80, "every user came in both hours");
    for of_user in places.values_mut() {
        of_user.dedup();
        assert_eq!(of_user.len(), 1, "the same place all through the hour");
    }
    let changed = (0..40).filter(|user| places[&(*user, false)] != places[&(*user, true)]);
    // Two places of 32,768 are the same once in so many draws.
    assert!(changed.count() >= 39);
}

#[test]
fn places_are_those_of_dagors_entry() {
    let scenario = of(vec![load(1, 100.0, Shape::Steady)]);
    for (at, call) in tasks(&scenario, 2) {
        let now = scenario.calendar + at;
        let user = UserHash::default().user(now, &call.user.to_le_bytes());
        let place = u16::from(user.level()) * 256 + u16::from(user.sub_level());
        assert_eq!(call.place, place);
    }
}

#[test]
fn the_same_user_stands_at_the_same_place_in_every_business() {
    let mut scenario = of(vec![load(20, 500.0, Shape::Steady)]);
    scenario.businesses = vec![business("a", 1.0), business("b", 1.0)];
    for business in &mut scenario.businesses {
        business.users = 20;
    }
    let mut places: BTreeMap<u32, Vec<u16>> = BTreeMap::new();
    for (_, call) in tasks(&scenario, 2) {
        places.entry(call.user).or_default().push(call.place);
    }
    for places in places.values_mut() {
        places.dedup();
        assert_eq!(places.len(), 1);
    }
}

#[test]
fn a_hot_key_is_one_users_while_it_lasts() {
    let mut scenario = of(vec![load(30, 1_000.0, Shape::Steady)]);
    scenario.businesses = vec![business("here", 1.0), business("elsewhere", 1.0)];
    scenario.businesses[1].entry = 1;
    let without = tasks(&scenario, 8);
    scenario.faults = vec![hot(10, Some(10), 0, 0.25), hot(25, None, 0, 0.5)];
    let with = tasks(&scenario, 8);
    assert_eq!(with.len(), without.len());
    let mut counts: BTreeMap<(usize, u64), (f64, f64)> = BTreeMap::new();
    for ((at, call), (_, before)) in with.iter().zip(&without) {
        let (first, all) = counts.entry((call.business, at.as_secs() / 5)).or_default();
        *first += f64::from(u8::from(call.user == 0));
        *all += 1.0;
        // Who is not hit is as before.
        assert!(call.user == 0 || call.user == before.user);
        assert_eq!((call.business, call.draw), (before.business, before.draw));
    }
    for ((business, time), (first, all)) in counts {
        let share = match (business, time) {
            (0, 2 | 3) => 0.25,
            (0, 5) => 0.5,
            _ => 0.001,
        };
        let expected = all * share;
        let off = f64::abs(first - expected);
        assert!(
            off <= 4.0 * expected.sqrt() + 1.0,
            "{business} {time}: {first} of {all}"
        );
    }
}
