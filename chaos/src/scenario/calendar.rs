//! Where the calendar stands at the start of a run.

use std::time::Duration;

use toml::value::{Datetime, Offset};

/// 2026-11-30T08:00:00Z: an hour of its own, so that nothing changes with the hour unless somebody wants it.
pub(super) const PRESET: Duration = Duration::from_secs(1_796_025_600);

/// Returns the time since the Unix epoch, for moments from 1971 to 2099.
pub(super) fn since_epoch(moment: &Datetime) -> Option<Duration> {
    let (date, time, offset) = (moment.date?, moment.time?, moment.offset?);
    let minutes_ahead = match offset {
        Offset::Z => 0,
        Offset::Custom { minutes } => i64::from(minutes),
    };
    let days = days(
        i64::from(date.year),
        i64::from(date.month),
        i64::from(date.day),
    );
    let minutes = (days * 24 + i64::from(time.hour)) * 60 + i64::from(time.minute) - minutes_ahead;
    let seconds = minutes * 60 + i64::from(time.second.unwrap_or(0));
    let nanos = time.nanosecond.unwrap_or(0);
    let moment = Duration::new(u64::try_from(seconds).ok()?, nanos);
    (1_971..=2_099).contains(&date.year).then_some(moment)
}

/// Returns the days since the epoch, of the Gregorian calendar from March 1970 on: years that begin in March have
/// their leap day at the end.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = match month {
        1 | 2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    let leap_days = year / 4 - year / 100 + year / 400;
    let before_month = (153 * month + 2) / 5;
    // 719468 days lie between 0000-03-01 and 1970-01-01.
    year * 365 + leap_days + before_month + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(moment: &str) -> Option<u64> {
        since_epoch(&moment.parse().unwrap()).map(|it| it.as_secs())
    }

    #[test]
    fn counts_from_the_epoch() {
        // Each as `date -u -d MOMENT +%s` has it.
        for (moment, since) in [
            ("1971-01-01T00:00:00Z", 31_536_000),
            ("2000-02-29T12:34:56Z", 951_827_696),
            ("2000-03-01T00:00:00Z", 951_868_800),
            ("2024-12-31T23:59:59Z", 1_735_689_599),
            ("2026-11-30T08:00:00Z", PRESET.as_secs()),
            ("2026-11-30T08:00:00+08:00", PRESET.as_secs() - 8 * 3_600),
            ("2099-12-31T00:00:00Z", 4_102_358_400),
        ] {
            assert_eq!(seconds(moment), Some(since), "{moment}");
        }
    }

    #[test]
    fn takes_only_moments_of_our_time() {
        for moment in [
            "2026-11-30",
            "08:00:00",
            "2026-11-30T08:00:00",
            "1970-06-01T00:00:00Z",
            "2100-01-01T00:00:00Z",
        ] {
            assert_eq!(seconds(moment), None, "{moment}");
        }
    }
}
