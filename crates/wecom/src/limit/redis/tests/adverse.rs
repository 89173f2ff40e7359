//! What processes with other limits, clocks and strangers do to what is kept.

use super::*;

/// Room for 100 calls in an hour of this length, as fast as they come.
fn hour_of(seconds: u64) -> Limits {
    let length = Duration::from_secs(seconds);
    Limits::default()
        .minute(Window::new(100_000, Duration::from_secs(60)))
        .hour(Window::new(105, length))
}

#[test]
fn whoever_counts_another_hour_is_told_so_and_takes_over_when_the_others_are_gone() {
    let redis = Timeless::start();
    let short = redis.bench(hour_of(3600));
    let long = short.seen_by(&redis.bench(hour_of(7200)));
    let start = 1_700_000_000 * SECOND;
    assert_eq!(short.calls(60, start), 60);
    for _ in 0..3 {
        let (kind, theirs, _) = long.ask("other", FIRST, start + 29 * SECOND);
        assert_eq!((kind, theirs), (3, 3600 * SECOND));
    }
    // A lease later nobody of the others is in the middle of anything.
    assert_eq!(long.calls(100, start + 31 * SECOND), 40, "60 are counted");
    assert_eq!(short.ask("other", FIRST, start + 32 * SECOND).0, 3);
    assert_eq!(long.calls(1, start + 7100 * SECOND), 0, "the longer hour");
    assert_eq!(long.calls(100, start + 7400 * SECOND), 100);
}

#[test]
fn processes_that_take_turns_in_hours_of_different_lengths_never_have_more_than_one_of_them_allows()
{
    let redis = Timeless::start();
    let one = redis.bench(hour_of(3600));
    let other = one.seen_by(&redis.bench(hour_of(4500)));
    let start = 1_700_000_000 * SECOND;
    let mut granted = Vec::new();
    for round in 0..200 {
        // Far enough apart that each takes over from the other.
        let now = start + round * 60 * SECOND;
        let bench = [&one, &other][usize::from(round % 2 == 1)];
        let calls = bench.calls(20, now);
        granted.extend((0..calls).map(|_| now));
    }
    let mut first = 0;
    for (last, end) in granted.iter().enumerate() {
        while granted[first] + 3600 * SECOND < *end {
            first += 1;
        }
        assert!(last - first < 100, "{} in an hour", last - first + 1);
    }
    assert!(granted.len() > 200, "{} in 200 minutes", granted.len());
}

#[test]
fn processes_of_different_skew_and_calls_share_one_hour() {
    let redis = Timeless::start();
    let one = redis.bench(hour_of(3600));
    let seconds = Duration::from_secs;
    let more = Limits::default()
        .minute(Window::new(100_000, seconds(60)))
        .hour(Window::new(155, seconds(3600)))
        .skew(seconds(60));
    let other = one.seen_by(&redis.bench(more));
    let start = 1_700_000_000 * SECOND;
    let mut granted = 0;
    for round in 0..100 {
        let now = start + round * 30 * SECOND;
        granted += one.calls(3, now) + other.calls(3, now);
    }
    assert_eq!(granted, 150, "the larger of both");
    assert_eq!(one.calls(1, start + 3500 * SECOND), 0);
}

#[test]
fn time_goes_on_when_the_clock_of_the_server_is_set_back() {
    let day = 86_400 * SECOND;
    let ahead = Timeless::start();
    let right = Timeless::of(RedisServer::start());
    let (was, is) = (
        ahead.bench(Limits::default()),
        right.bench(Limits::default()),
    );
    // What a server leaves whose clock was a day ahead, with all of the credit used.
    let tomorrow = micros(Clock::system().calendar()) + day;
    assert_eq!(was.calls(100, tomorrow), 25);
    for (from, to) in was.keys.iter().zip(&is.keys) {
        if was.command("EXISTS", &[from.as_str()]) {
            let dump: Vec<u8> = was.command("DUMP", &[from.as_str()]);
            let mut restore = redis::cmd("RESTORE");
            restore.arg(to).arg(86_400_000).arg(dump);
            let mut connection = is.office.connection.clone();
            let restored = is
                .runtime
                .block_on(restore.query_async::<()>(&mut connection));
            restored.expect("Redis takes it");
        }
    }
    let clock = Clock::system();
    let (kind, wait, cost) = is.ask("first", FIRST, 0);
    assert!(kind == 0 && wait <= cost, "nothing is refilled: {wait}");
    let mut granted = 0;
    while granted < 30 {
        assert!(clock.now() < duration(20 * SECOND), "time stands still");
        granted += u64::from(is.calls(1, 0));
        // The first is there when its cost has passed.
        assert!(granted <= micros(clock.now()) / cost, "{granted} too early");
    }
    // A refusal is reckoned with the same time.
    let (_, at, _) = is.ask("refused", FIRST, 0);
    is.give_back(("refused", at), End::Sent(Sign::Frequency), 0);
    let (kind, wait, _) = is.ask("after", FIRST, 0);
    assert!(
        kind == 0 && wait > 55 * SECOND && wait <= 60 * SECOND,
        "{wait}"
    );
}

#[test]
fn whoever_is_behind_the_others_clocks_is_told_how_long_it_really_takes() {
    let redis = Timeless::start();
    let bench = redis.bench(Limits::default());
    assert_eq!(bench.calls(100, 1000 * SECOND), 25);
    let (kind, wait, _) = bench.ask("behind", FIRST, 900 * SECOND);
    assert!(kind == 0 && wait > 100 * SECOND, "{wait}");
    assert_eq!(bench.calls(1, 900 * SECOND + wait), 1);
}

#[test]
fn whatever_a_stranger_writes_into_the_state_is_over_within_the_hour() {
    let redis = Timeless::start();
    let fields = "last ahead hour grid slot sum paid_at blocked_until tripped ended base from relapses \
                  abnormal_block abnormal_ended cap cut streak cap_relapses keep turn_who turn_rank \
                  turn_since turn_until";
    let texts = [
        "nan", "inf", "-inf", "-7", "0", "1", "1e300", "9e15", "0x7f", "a", "",
    ];
    let limits = Limits::default().concurrency(2);
    let start = 1_700_000_000 * SECOND;
    for field in fields.split_whitespace() {
        for text in texts {
            for refusal in [Sign::Frequency, Sign::Concurrency, Sign::Abnormal] {
                let case = format!("{field} = {text}, {refusal:?}");
                let bench = redis.bench(limits.clone());
                let (_, at, _) = bench.ask("first", FIRST, start);
                bench.command::<i64>("HSET", &[&bench.keys[0], field, text]);
                bench.command::<i64>("HSET", &[&bench.keys[1], "nan", "inf"]);
                let now = start + SECOND;
                let (kind, wait, _) = bench.ask("second", FIRST, now);
                assert!(kind == 3 || wait <= now, "{case}: {kind} {wait}");
                bench.give_back(("first", at), End::Sent(refusal), now);
                bench.give_back(("second", at), End::Unused, now);
                let later = now + 7300 * SECOND;
                bench.ask("third", FIRST, later);
                bench.give_back(("third", later), End::Sent(Sign::Served), later);
                assert_eq!(bench.calls(1, later + 60 * SECOND), 1, "{case}");
            }
        }
    }
}
