//! Breakwater's DAGOR against what is published of it, on the plant.

use super::*;
use crate::{
    policy::{
        peer::plant::{Plant, Setup, Sight},
        trial::{MS, SECOND, arrival, call, levels, steps},
    },
    wire::Ending,
};

fn run(setup: &Setup) -> Sight {
    let (tuning, ranks) = (Tuning::default(), Ranks::new([0]));
    let chance = |caller: usize| Chance::new(setup.seed, "filter", caller as u64);
    Plant::run(
        setup,
        |_| Watch::new(tuning, setup.workers, ranks.clone()),
        |caller| Filter::new(tuning, ranks.clone(), chance(caller)),
    )
}

#[test]
fn the_level_settles_where_it_admits_the_capacity() {
    for load in [2.0, 4.0] {
        let sight = run(&steps(&[(0, load)], 24));
        let (level, _) = levels(&sight, 8 * SECOND, 24 * SECOND);
        let admitted = level * load;
        assert!((0.85..1.2).contains(&admitted), "{admitted} at {load}");
    }
}

#[test]
fn a_spike_is_over_after_five_hundred_steps() {
    let spike = 8 * SECOND;
    let setup = steps(&[(0, 0.7), (8, 1.4)], 30);
    let sight = run(&setup);
    let back = spike + 500 * Tuning::default().step;
    let during = sight.goodput_of(back, 29 * SECOND);
    assert!(during > 0.8, "{during}");
    // Sooner, too: what is lost in between is little.
    let meanwhile = sight.goodput_of(spike, back);
    assert!(meanwhile > 0.7, "{meanwhile}");
}

#[test]
fn a_drop_tells_the_level_and_its_caller_goes_by_it() {
    let (tuning, ranks) = (Tuning::default(), Ranks::new([0]));
    let mut watch = Watch::new(tuning, 1, ranks.clone());
    let mut filter = Filter::new(tuning, ranks, Chance::new(1, "filter", 0));
    filter.connection(0).level = 127.0;
    let (high, low) = (call(0, 10 << 8), call(0, 100 << 8));
    assert_eq!(filter.send(MS, &low, 0), Send::Go(Some("100".into())));
    let request = arrival(low, MS, Some("100"));
    assert_eq!(watch.arrive(MS, &request, 0, 0), Verdict::Refuse);
    let reply = Reply {
        ending: Ending::Refused,
        told: watch.tell(MS, &request),
        took: MS,
    };
    assert_eq!(reply.told.as_deref(), Some("32"));
    filter.heard(2 * MS, &low, 0, &reply);
    assert_eq!(filter.send(3 * MS, &low, 0), Send::Withhold);
    assert_eq!(filter.send(3 * MS, &high, 0), Send::Go(Some("10".into())));
    // After a second of silence one call finds out how things are, and only one.
    let later = 2 * MS + tuning.silence;
    assert_eq!(filter.send(later, &low, 0), Send::Go(Some("100".into())));
    assert_eq!(filter.send(later, &low, 0), Send::Withhold);
}

#[test]
fn a_connection_has_a_window() {
    let tuning = Tuning::default();
    let mut filter = Filter::new(tuning, Ranks::new([0]), Chance::new(1, "filter", 0));
    let call = call(0, 0);
    let sent = (0..100).filter(|_| filter.send(MS, &call, 0) != Send::Withhold);
    assert_eq!(sent.count(), 64);
    filter.gave_up(MS, &call, 0);
    assert_ne!(filter.send(MS, &call, 0), Send::Withhold);
}
