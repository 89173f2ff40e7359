use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::priority::{Business, User};

const TTL: Duration = Duration::from_secs(1);

fn priority(business: u8) -> Priority {
    Priority::new(Business::new(business), User::MOST_IMPORTANT)
}

fn instance() -> Arc<Instance> {
    Arc::new(Instance::new("a".into(), 8))
}

fn decide(instance: &Instance, business: u8, now: Duration) -> Decision {
    instance.decide(priority(business), Progress::New, now, TTL)
}

fn taken(instance: &Instance) -> Vec<(u8, u16)> {
    let mut taken = Vec::new();
    instance.take_withheld(|business, count| taken.push((business, count)));
    taken
}

#[test]
fn an_instance_never_heard_of_is_open() {
    assert_eq!(decide(&instance(), 7, Duration::ZERO), Decision::Send);
}

#[test]
fn one_probe_passes_per_silence() {
    let instance = instance();
    instance.hear(Level::FLOOR, 0, 0, TTL);
    assert_eq!(
        decide(&instance, 3, TTL * 2 - Duration::from_nanos(1)),
        Decision::Withhold
    );
    assert_eq!(decide(&instance, 3, TTL * 2), Decision::Probe);
    assert_eq!(decide(&instance, 3, TTL * 2), Decision::Withhold);
    assert_eq!(taken(&instance), [(3, 2)]);
    assert_eq!(taken(&instance), []);
}

#[test]
fn of_many_threads_one_sends_the_probe() {
    let instance = instance();
    instance.hear(Level::FLOOR, 0, 0, Duration::ZERO);
    for second in 1..200 {
        let now = TTL * second;
        let decide = || usize::from(decide(&instance, 3, now) == Decision::Probe);
        let probes: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(decide)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .sum()
        });
        assert_eq!(probes, 1);
    }
    assert_eq!(taken(&instance), [(3, 199 * 3)]);
}

#[test]
fn counts_above_the_field_are_told_later() {
    let instance = instance();
    instance.give_back(2, u16::MAX);
    instance.give_back(2, 5);
    assert_eq!(taken(&instance), [(2, u16::MAX)]);
    assert_eq!(taken(&instance), [(2, 5)]);
}

#[test]
fn a_counter_stays_at_its_maximum() {
    let count = AtomicU32::new(u32::MAX - 1);
    add(&count, 7);
    add(&count, 7);
    assert_eq!(count.load(Relaxed), u32::MAX);
}

#[test]
fn a_level_is_forgotten_only_after_ten_times_to_live_of_answers_without() {
    let instance = instance();
    instance.hear(Level::FLOOR, 0, 0, Duration::ZERO);
    assert!(!instance.answered_without_level(TTL * 10 - Duration::from_nanos(1), TTL));
    assert_eq!(instance.level(), Level::FLOOR);
    assert!(instance.answered_without_level(TTL * 10, TTL));
    assert!(instance.level().is_open());
}

#[derive(Clone, Debug)]
enum Event {
    Call { business: u8, arrives: bool },
    Hear(Level),
    Pass(Duration),
}

fn event() -> impl Strategy<Value = Event> {
    let level = (Level::FLOOR.get()..=8 * Priority::PER_BUSINESS)
        .prop_map(|number| Level::new(number).unwrap());
    prop_oneof![
        6 => (0..8_u8, any::<bool>()).prop_map(|(business, arrives)| Event::Call { business, arrives }),
        1 => level.prop_map(Event::Hear),
        2 => (0..700_u64).prop_map(|ms| Event::Pass(Duration::from_millis(ms))),
    ]
}

proptest! {
    /// Invariants 9 and 10 of the control law.
    #[test]
    fn withheld_calls_are_reported_once_and_probes_are_rare(events in prop::collection::vec(event(), 1..400)) {
        let instance = instance();
        let mut now = Duration::ZERO;
        let (mut withheld, mut reported) = ([0_u64; 8], [0_u64; 8]);
        let (mut probes, mut last) = (0_u32, Duration::ZERO);
        for event in events {
            match event {
                Event::Pass(step) => now += step,
                Event::Hear(level) => {
                    instance.hear(level, 0, 0, now);
                    last = now;
                }
                Event::Call { business, arrives } => {
                    let decision = decide(&instance, business, now);
                    if decision == Decision::Withhold {
                        prop_assert!(now - last < TTL, "withheld in silence");
                        withheld[usize::from(business)] += 1;
                        continue;
                    }
                    if decision == Decision::Probe {
                        probes += 1;
                        last = now;
                    }
                    for (business, count) in taken(&instance) {
                        if arrives {
                            reported[usize::from(business)] += u64::from(count);
                        } else {
                            instance.give_back(business, count);
                        }
                    }
                }
            }
        }
        prop_assert!(u128::from(probes) <= now.as_nanos() / TTL.as_nanos());
        prop_assert_eq!(instance.withheld_total(), withheld.iter().sum::<u64>());
        for (business, count) in taken(&instance) {
            reported[usize::from(business)] += u64::from(count);
        }
        prop_assert_eq!(reported, withheld);
    }
}
