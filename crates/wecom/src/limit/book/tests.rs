use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::limit::{Limits, Window};

const FIRST: Rank = Rank::MOST_IMPORTANT;
const SECOND: Micros = 1_000_000;

fn plan(limits: Limits) -> Plan {
    limits.check().expect("the limits are in their ranges")
}

fn usual() -> Plan {
    plan(Limits::default())
}

/// Asks for one call and, if it is granted, ends it at once.
fn send(book: &mut Book, plan: &Plan, now: Micros, rank: Rank) -> Verdict {
    let verdict = book.ask(plan, now, rank);
    if let Verdict::Granted { at } = verdict {
        book.settle(plan, now, at, End::Sent(Sign::Served));
    }
    verdict
}

/// Sends as fast as it goes from `start` until `end`, and returns when.
fn send_all(book: &mut Book, plan: &Plan, start: Micros, end: Micros, rank: Rank) -> Vec<Micros> {
    let (mut now, mut sent) = (start, Vec::new());
    while now < end {
        match send(book, plan, now, rank) {
            Verdict::Granted { at } => sent.push(at),
            Verdict::After(time) => now += time,
            Verdict::Full => panic!("every call has ended"),
        }
    }
    sent
}

/// Returns the greatest number of moments within any interval of a length, both ends included.
fn most_within(moments: &[Micros], length: Micros) -> usize {
    let mut first = 0;
    let within = moments.iter().enumerate().map(|(last, end)| {
        while moments[first] + length < *end {
            first += 1;
        }
        last - first + 1
    });
    within.max().unwrap_or(0)
}

#[test]
fn uses_nearly_all_of_the_minute_and_never_more() {
    let plan = usual();
    let sent = send_all(&mut Book::default(), &plan, 0, 600 * SECOND, FIRST);
    assert!(most_within(&sent, 60 * SECOND) <= 9_995);
    assert!(sent.len() > 99_400, "of 100,000: {}", sent.len());
}

#[test]
fn calls_that_arrive_late_and_all_at_once_are_within_the_minute() {
    // Nothing but those in flight is allowed for.
    let plan = plan(Limits::default().skew(Duration::ZERO));
    let mut book = Book::default();
    let late: Vec<_> = (0..5).map(|_| book.ask(&plan, 0, FIRST)).collect();
    let start = 1000 * SECOND;
    let mut arrived = Vec::new();
    for verdict in late {
        let Verdict::Granted { at } = verdict else {
            panic!("{verdict:?}");
        };
        book.settle(&plan, start, at, End::Sent(Sign::Served));
        arrived.push(start);
    }
    let end = start + 61 * SECOND;
    arrived.extend(send_all(&mut book, &plan, start, end, FIRST));
    let most = most_within(&arrived, 60 * SECOND);
    assert!((9_980..=10_000).contains(&most), "{most}");
}

#[test]
fn sends_evenly_and_not_a_minutes_worth_at_once() {
    let plan = usual();
    let sent = send_all(&mut Book::default(), &plan, 0, 60 * SECOND, FIRST);
    let in_a_second = most_within(&sent, SECOND);
    assert!(
        in_a_second <= 25 + 167,
        "the burst and the pace: {in_a_second}"
    );
}

#[test]
fn the_hour_is_used_up_in_a_quarter_of_it_and_opens_again() {
    let plan = usual();
    let mut book = Book::default();
    let sent = send_all(&mut book, &plan, 0, 7300 * SECOND, FIRST);
    let before = |moment| sent.iter().filter(|at| **at < moment * SECOND).count();
    assert_eq!(before(920), 149_995, "all of the hour");
    assert_eq!(before(3595), 149_995, "and nothing more");
    assert!(before(7200) >= 2 * 149_995 - 40_000, "{}", before(7200));
    assert!(most_within(&sent, 3600 * SECOND) <= 149_995);
    assert!(most_within(&sent, 60 * SECOND) <= 9_995);
}

#[test]
fn takes_all_or_nothing() {
    let plan = usual();
    let mut book = Book::default();
    for _ in 0..5 {
        assert!(matches!(book.ask(&plan, 0, FIRST), Verdict::Granted { .. }));
    }
    let untouched = format!("{book:?}");
    for _ in 0..100 {
        assert_eq!(book.ask(&plan, 0, FIRST), Verdict::Full);
    }
    assert_eq!(format!("{book:?}"), untouched, "no window was used");

    book.brake.pause(SECOND);
    let untouched = format!("{book:?}");
    assert_eq!(book.ask(&plan, 0, FIRST), Verdict::After(SECOND));
    assert_eq!(format!("{book:?}"), untouched);
}

#[test]
fn what_was_not_used_is_as_if_it_had_not_been() {
    let plan = usual();
    let mut book = Book::default();
    for round in 0..100_000 {
        let verdict = book.ask(&plan, round, FIRST);
        let Verdict::Granted { at } = verdict else {
            panic!("round {round}: {verdict:?}");
        };
        book.settle(&plan, round, at, End::Unused);
    }
    assert!(book.is_blank(&plan, 100_000));
}

#[test]
fn the_less_important_leave_half_the_credit_and_a_tenth_of_the_hour() {
    let plan = usual();
    let mut book = Book::default();
    while matches!(
        send(&mut book, &plan, 0, Rank::LEAST_IMPORTANT),
        Verdict::Granted { .. }
    ) {}
    let mut left = 0;
    while matches!(send(&mut book, &plan, 0, FIRST), Verdict::Granted { .. }) {
        left += 1;
    }
    assert_eq!(left, 12, "of 25 at once");

    let mut book = Book::default();
    let hour = 3600 * SECOND;
    let sent = send_all(&mut book, &plan, 0, hour, Rank::LEAST_IMPORTANT);
    assert_eq!(sent.len(), 149_995 - 14_999);
    let more = send_all(&mut book, &plan, hour - 100 * SECOND, hour, FIRST);
    assert_eq!(more.len(), 14_999, "still there for the important");
}

#[test]
fn time_that_goes_back_grants_nothing_again() {
    let plan = usual();
    let mut book = Book::default();
    let mut granted = 0;
    for now in [100, 90, 100, 80, 100].map(|seconds| seconds * SECOND) {
        while matches!(send(&mut book, &plan, now, FIRST), Verdict::Granted { .. }) {
            granted += 1;
        }
    }
    assert_eq!(granted, 25);
}

#[test]
fn late_answers_to_one_excess_count_once() {
    let plan = usual();
    let mut book = Book::default();
    let burst: Vec<_> = (0..5).map(|_| book.ask(&plan, SECOND, FIRST)).collect();
    for (number, verdict) in (0..).zip(burst) {
        let Verdict::Granted { at } = verdict else {
            panic!("{verdict:?}");
        };
        let end = End::Sent(Sign::Frequency);
        book.settle(&plan, SECOND + number * 1000, at, end);
    }
    let next = book.ask(&plan, 2 * SECOND, FIRST);
    assert_eq!(next, Verdict::After(59 * SECOND), "from the first of them");
}

/// Sends one call at `now` and lets it end with `sign`; returns for how long nothing is sent then.
fn refused(book: &mut Book, plan: &Plan, now: Micros, sign: Sign) -> Micros {
    let Verdict::Granted { at } = book.ask(plan, now, FIRST) else {
        panic!("nothing is granted at {now}");
    };
    book.settle(plan, now, at, End::Sent(sign));
    match book.ask(plan, now, FIRST) {
        Verdict::After(time) => time,
        Verdict::Granted { .. } | Verdict::Full => 0,
    }
}

#[test]
fn a_repetition_after_the_short_block_means_the_long_one() {
    let plan = usual();
    let mut book = Book::default();
    let block = |book: &mut Book, at| refused(book, &plan, at * SECOND, Sign::Frequency) / SECOND;
    assert_eq!(block(&mut book, 1), 60);
    assert_eq!(block(&mut book, 61), 3600, "at once after it");
    assert_eq!(block(&mut book, 3661 + 121), 60, "later it is another");
}

#[test]
fn abnormal_traffic_blocks_for_longer_each_time() {
    let plan = usual();
    let mut book = Book::default();
    let mut now = SECOND;
    let blocks = [(); 5].map(|()| {
        let block = refused(&mut book, &plan, now, Sign::Abnormal);
        now += block + SECOND;
        block / (60 * SECOND)
    });
    assert_eq!(blocks, [10, 20, 40, 60, 60]);
    now += 3600 * SECOND;
    let block = refused(&mut book, &plan, now, Sign::Abnormal);
    assert_eq!(block / (60 * SECOND), 10, "after a quiet hour");
}

#[test]
fn the_ceiling_falls_below_what_was_used_and_comes_back_slowly() {
    let plan = usual();
    let mut book = Book::default();
    send_all(&mut book, &plan, 0, 20 * SECOND, FIRST);
    let used = book.ring.used(&plan, 20 * SECOND);
    assert!(
        (3330..3350).contains(&used),
        "a third of the minute: {used}"
    );
    let moment = 20 * SECOND + 10_000;
    let block = refused(&mut book, &plan, moment, Sign::Frequency);
    let start = moment + block;
    assert_eq!(block, 60 * SECOND);

    let sent = send_all(&mut book, &plan, start, start + 600 * SECOND, FIRST);
    let most = most_within(&sent, 60 * SECOND);
    assert!((2300..=2350).contains(&most), "70 % of it: {most}");

    let ceiling = |minutes: u64| book.brake.ceiling(&plan, start + minutes * 60 * SECOND);
    assert_eq!(ceiling(10), ceiling(0), "held");
    assert_eq!(ceiling(12), ceiling(0) + 2 * 499, "5 % a minute");
    assert_eq!(ceiling(60), 9_995);
}

#[test]
fn a_ceiling_that_proves_right_is_tried_less_and_less() {
    let plan = usual();
    let mut book = Book::default();
    let mut now = SECOND;
    let mut holds = Vec::new();
    for _ in 0..4 {
        now += refused(&mut book, &plan, now, Sign::Frequency);
        let held = book.brake.ceiling(&plan, now);
        let mut minutes = 0;
        while book.brake.ceiling(&plan, now) == held {
            now += 60 * SECOND;
            minutes += 1;
        }
        holds.push(minutes);
    }
    assert_eq!(holds, [11, 21, 41, 81]);
}

#[test]
fn concurrency_halves_once_an_excess_and_comes_back_one_by_one() {
    let plan = usual();
    let mut book = Book::default();
    for number in 0..5 {
        let Verdict::Granted { at } = book.ask(&plan, SECOND, FIRST) else {
            panic!("call {number}");
        };
        assert_eq!(at, SECOND);
    }
    for _ in 0..5 {
        book.settle(&plan, SECOND, SECOND, End::Sent(Sign::Concurrency));
    }
    assert_eq!(book.cap.get(&plan), 2, "5 answers, one excess");
    assert_eq!(book.ask(&plan, SECOND, FIRST), Verdict::After(200_000));

    let mut now = 2 * SECOND;
    for expected in [3, 4, 5] {
        for _ in 0..100 {
            now += 10_000;
            assert!(matches!(
                send(&mut book, &plan, now, FIRST),
                Verdict::Granted { .. }
            ));
        }
        assert_eq!(book.cap.get(&plan), expected);
    }
    for (at, expected) in [(20, 2), (22, 1), (24, 1)] {
        refused(&mut book, &plan, at * SECOND, Sign::Concurrency);
        assert_eq!(book.cap.get(&plan), expected, "at {at} s, never 0");
    }
}

#[test]
fn a_book_is_blank_when_all_is_past() {
    let plan = usual();
    let mut book = Book::default();
    assert!(book.is_blank(&plan, 0));
    send(&mut book, &plan, 0, FIRST);
    assert!(
        !book.is_blank(&plan, 3600 * SECOND),
        "it counts in the hour"
    );
    assert!(book.is_blank(&plan, 3700 * SECOND));

    refused(&mut book, &plan, 4000 * SECOND, Sign::Frequency);
    let limits = Limits::default().hold(Duration::from_secs(20_000), Duration::from_secs(20_000));
    let held = self::plan(limits);
    let mut learnt = Book::default();
    refused(&mut learnt, &held, SECOND, Sign::Frequency);
    assert!(
        !learnt.is_blank(&held, 10_000 * SECOND),
        "the ceiling is lower"
    );
    assert!(learnt.is_blank(&held, 22_000 * SECOND));
}

/// Limits small enough that a random sequence meets all of them.
fn small() -> impl Strategy<Value = Limits> {
    let window = (8_u32..60, 1_u64..20, 1_u32..8);
    (window, 1_u32..6, 0_u64..50, 1_u64..20).prop_map(
        |((calls, seconds, share), cap, skew, ratio)| {
            let length = Duration::from_millis(seconds * 1000);
            let ratio = ratio * 3;
            let hour = calls * u32::try_from(ratio).unwrap() / share;
            Limits::default()
                .minute(Window::new(calls, length))
                .hour(Window::new(
                    hour.max(8),
                    length * u32::try_from(ratio).unwrap(),
                ))
                .concurrency(cap)
                .lease(Duration::from_millis(100))
                .skew(Duration::from_millis(skew))
        },
    )
}

/// One step: how much time passes, of which rank a call is asked for, and how an old one ends.
fn step() -> impl Strategy<Value = (Micros, u16, u8)> {
    let pause = prop_oneof![Just(0), 0..2_000_u64, 0..300_000_u64, 0..20_000_000_u64];
    (pause, any::<u16>(), any::<u8>())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is asked for and however long each call is on its way: in no interval do more arrive than allowed.
    #[test]
    fn never_more_arrive_than_allowed(limits in small(), steps in prop::collection::vec(step(), 1..400)) {
        let (cap, minute, hour) = (limits.concurrency, limits.minute, limits.hour);
        let plan = plan(limits);
        let (mut book, mut now) = (Book::default(), SECOND);
        let (mut flying, mut arrived) = (Vec::new(), Vec::new());
        for (pause, rank, end) in steps {
            now += pause;
            // One that was granted long ago arrives only now: the least convenient moment.
            if end % 3 > 0 && !flying.is_empty() {
                let granted = flying.remove(usize::from(end) % flying.len());
                arrived.push(now);
                let sign = if end == 255 { Sign::Frequency } else { Sign::Served };
                book.settle(&plan, now, granted, End::Sent(sign));
            }
            if let Verdict::Granted { at } = book.ask(&plan, now, Rank::new(rank)) {
                prop_assert_eq!(at, now);
                flying.push(at);
            }
            prop_assert!(flying.len() <= usize::try_from(cap).unwrap());
        }
        arrived.extend(flying.iter().map(|_| now));
        for window in [minute, hour] {
            let most = most_within(&arrived, crate::limit::plan::micros(window.length()));
            prop_assert!(most <= usize::try_from(window.calls()).unwrap(), "{most} of {window:?}");
        }
    }

    /// What is told to somebody who is refused is when there is room, to the microsecond.
    #[test]
    fn the_wait_that_is_told_is_right(limits in small(), steps in prop::collection::vec(step(), 1..200)) {
        let plan = plan(limits);
        let (mut book, mut now) = (Book::default(), SECOND);
        for (pause, rank, _) in steps {
            now += pause;
            let rank = Rank::new(rank);
            if let Verdict::After(time) = send(&mut book, &plan, now, rank) {
                let mut early = book.clone();
                let is_early = matches!(early.ask(&plan, now + time - 1, rank), Verdict::After(1));
                prop_assert!(is_early);
                let granted = matches!(book.clone().ask(&plan, now + time, rank), Verdict::Granted { .. });
                prop_assert!(granted);
            }
        }
    }

    /// Offered far too much, ten windows are used to all but what the settings cost.
    #[test]
    fn what_is_allowed_is_used(calls in 200_u32..20_000, seconds in 5_u64..100) {
        let length = Duration::from_secs(seconds);
        let limits = Limits::default()
            .minute(Window::new(calls, length))
            .hour(Window::new(10_000_000, length))
            .lease(length.min(Duration::from_secs(1)))
            .concurrency(2)
            .skew(length / 600);
        let sent = send_all(&mut Book::default(), &plan(limits), 0, 10 * seconds * SECOND, FIRST);
        let used = 1000 * sent.len() / (10 * usize::try_from(calls).unwrap());
        prop_assert!((965..=1000).contains(&used), "{used} in 1000");
        prop_assert!(calls < 1000 || used >= 985, "{used} in 1000");
    }
}
