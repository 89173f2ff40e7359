use super::*;

const SECOND: u64 = 1_000_000_000;

fn limits(per_minute: u64, per_hour: u64, kind: WindowKind) -> Limits {
    let windows = Windows {
        corp_per_minute: per_minute,
        corp_per_hour: per_hour,
        kind,
        ..Windows::default()
    };
    Limits::of_corp(&windows, Duration::from_secs(30))
}

#[test]
fn a_sliding_minute_is_exact_to_the_nanosecond() {
    let limits = limits(2, 0, WindowKind::Sliding);
    for (third, admitted) in [(60 * SECOND - 1, false), (60 * SECOND, true)] {
        let mut meter = Meter::default();
        assert!(meter.admit(0, &limits).is_ok());
        assert!(meter.admit(1, &limits).is_ok());
        assert_eq!(
            meter.admit(third, &limits).is_ok(),
            admitted,
            "at {third} ns"
        );
        assert_eq!(meter.peak_minute, 2);
    }
}

#[test]
fn a_fixed_minute_begins_with_the_calendar_s() {
    // The calendar stands at second 30: the first fixed minute ends after 30 s.
    let limits = limits(1, 0, WindowKind::Fixed);
    let mut meter = Meter::default();
    assert!(meter.admit(29 * SECOND, &limits).is_ok());
    assert!(meter.admit(30 * SECOND, &limits).is_ok(), "a new minute");
    assert!(
        meter.admit(31 * SECOND, &limits).is_err(),
        "the same minute"
    );
    assert_eq!(meter.peak_minute, 2, "the peak is that of a sliding minute");
}

#[test]
fn one_too_many_blocks_for_the_window_it_hit() {
    let minute = limits(1, 0, WindowKind::Sliding);
    let mut meter = Meter::default();
    assert!(meter.admit(0, &minute).is_ok());
    assert!(meter.admit(SECOND, &minute).is_err());
    assert!(meter.admit(61 * SECOND - 1, &minute).is_err());
    assert!(meter.admit(61 * SECOND, &minute).is_ok());
    assert_eq!((meter.over_window, meter.blocked), (1, 1));

    let hour = limits(0, 1, WindowKind::Sliding);
    let mut meter = Meter::default();
    assert!(meter.admit(0, &hour).is_ok());
    assert!(meter.admit(SECOND, &hour).is_err());
    assert!(meter.admit(3601 * SECOND - 1, &hour).is_err());
    assert!(meter.admit(3601 * SECOND, &hour).is_ok());
}

#[test]
fn counts_and_time_are_divided() {
    let windows = Windows {
        divide_counts: 1000,
        divide_time: 60,
        ..Windows::default()
    };
    let limits = Limits::of_corp(&windows, Duration::ZERO);
    let mut meter = Meter::default();
    for call in 0..10 {
        assert!(meter.admit(0, &limits).is_ok(), "call {call}");
    }
    assert!(meter.admit(0, &limits).is_err());
    assert!(
        meter.admit(SECOND, &limits).is_ok(),
        "a minute lasts a second"
    );
}

#[test]
fn memory_is_given_back_after_an_idle_hour() {
    let limits = limits(0, 0, WindowKind::Sliding);
    let mut meter = Meter::default();
    assert!(meter.admit(0, &limits).is_ok());
    assert!(!meter.rest(3600 * SECOND - 1, 3600 * SECOND));
    assert!(meter.rest(3600 * SECOND, 3600 * SECOND));
    assert_eq!(meter.stamps.capacity(), 0);
    assert_eq!(meter.peak_hour, 1, "what was counted stays");
}
