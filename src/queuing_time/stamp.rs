//! When somebody else says that a request began to wait: a header of the proxy in front, or the time a
//! job was put into a queue.
//!
//! Both are calendar times of another machine. They are compared with [`Clock::calendar`], so they are as
//! good as the clocks agree, and a header is worth only as much as whoever sent it: use it behind a proxy
//! that sets it, never from the open network.

use std::time::Duration;

use super::LONGEST;
use crate::{clock::Clock, observe::FieldFault};

/// A stamp that lies this little in the future means that no time has passed: 1 s, what clocks that are
/// kept in step may differ by.
pub const SKEW: Duration = Duration::from_secs(1);

/// The longest text that is looked at, in bytes; the longest that means something has 29.
const LONGEST_TEXT: usize = 40;

/// The least numbers that are taken for milliseconds and for microseconds: as seconds the first lies in
/// the year 33658, as milliseconds the second does; as what they are taken for, both are in 2001.
const MILLISECONDS: u64 = 1_000_000_000_000;
const MICROSECONDS: u64 = 1_000_000_000_000_000;

/// Returns how long ago the proxy in front says that the request arrived, from `X-Request-Start` or, where
/// that is absent, `X-Queue-Start`; `None` where both are.
///
/// # Errors
///
/// What is wrong with the field, to be told to the observer; the request is then as one without it.
#[cfg(feature = "http")]
pub fn request_start(
    headers: &http::HeaderMap,
    clock: &Clock,
) -> Result<Option<Duration>, FieldFault> {
    static NAMES: [http::HeaderName; 2] = [
        http::HeaderName::from_static("x-request-start"),
        http::HeaderName::from_static("x-queue-start"),
    ];
    for name in &NAMES {
        let mut values = headers.get_all(name).iter();
        let Some(value) = values.next() else { continue };
        if values.next().is_some() {
            return Err(FieldFault::Repeated);
        }
        return since(parse(value.as_bytes())?, clock).map(Some);
    }
    Ok(None)
}

/// Returns the time since the Unix epoch that `text` stands for.
///
/// A decimal number with an optional fraction and an optional `t=` in front: seconds
/// (`t=1512379167.574`, nginx), milliseconds (`1512379167574`, Heroku) or microseconds
/// (`t=1512379167574321`, Apache), told apart by their size.
///
/// ```
/// use std::time::Duration;
/// use dagor::queuing_time::stamp;
///
/// let moment = Duration::from_millis(1_512_379_167_574);
/// assert_eq!(stamp::parse(b"t=1512379167.574"), Ok(moment));
/// assert_eq!(stamp::parse(b"1512379167574"), Ok(moment));
/// assert_eq!(stamp::parse(b"t=1512379167574000"), Ok(moment));
/// assert!(stamp::parse(b"yesterday").is_err());
/// ```
///
/// # Errors
///
/// [`FieldFault::TooLong`] beyond 40 bytes, [`FieldFault::Malformed`] for anything else.
pub fn parse(text: &[u8]) -> Result<Duration, FieldFault> {
    if text.len() > LONGEST_TEXT {
        return Err(FieldFault::TooLong);
    }
    let text = text.trim_ascii();
    let text = text.strip_prefix(b"t=").unwrap_or(text);
    let (whole, fraction) = match text.iter().position(|&byte| byte == b'.') {
        Some(dot) => (&text[..dot], &text[dot + 1..]),
        None => (text, &b"0"[..]),
    };
    let whole = digits(whole)?;
    // Nine digits are all that a nanosecond can need; further ones must be digits, no more.
    let (kept, rest) = fraction.split_at(fraction.len().min(9));
    if !rest.is_empty() {
        digits(rest)?;
    }
    let missing = u32::try_from(9 - kept.len()).map_err(|_| FieldFault::Malformed)?;
    let billionths = digits(kept)? * 10_u64.pow(missing);

    Ok(if whole >= MICROSECONDS {
        Duration::from_micros(whole) + Duration::from_nanos(billionths / 1_000_000)
    } else if whole >= MILLISECONDS {
        Duration::from_millis(whole) + Duration::from_nanos(billionths / 1000)
    } else {
        Duration::from_secs(whole) + Duration::from_nanos(billionths)
    })
}

/// Returns how long ago `stamp`, a time since the Unix epoch, was; zero for up to [`SKEW`] in the future.
///
/// # Errors
///
/// [`FieldFault::Malformed`] where it lies further in the future, or longer than [`LONGEST`] ago: that
/// is a wrong clock or a replayed request, not a wait.
pub fn since(stamp: Duration, clock: &Clock) -> Result<Duration, FieldFault> {
    let now = clock.calendar();
    let wait = now.saturating_sub(stamp);
    if stamp.saturating_sub(now) > SKEW || wait > LONGEST {
        return Err(FieldFault::Malformed);
    }
    Ok(wait)
}

/// Returns how long a job waited that was put into its queue at `enqueued`, a time since the Unix epoch.
///
/// A backlog can be hours old and is no less a wait, so what is longer counts as [`LONGEST`]; what lies in
/// the future counts as zero. Where a job has no time of its own (a broker's -1), do not ask.
#[must_use]
pub fn enqueued(enqueued: Duration, clock: &Clock) -> Duration {
    clock.calendar().saturating_sub(enqueued).min(LONGEST)
}

/// Returns the number that consists of these digits, and of nothing else.
fn digits(text: &[u8]) -> Result<u64, FieldFault> {
    if text.is_empty() {
        return Err(FieldFault::Malformed);
    }
    text.iter()
        .try_fold(0_u64, |number, byte| {
            let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
            number.checked_mul(10)?.checked_add(u64::from(digit))
        })
        .ok_or(FieldFault::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_millis(1_700_000_000_000);

    fn clock() -> Clock {
        let (clock, hand) = Clock::manual();
        hand.set_calendar(NOW);
        clock
    }

    #[test]
    fn reads_every_unit_in_use() {
        let moment = Duration::from_micros(1_512_379_167_574_321);
        for text in [
            "t=1512379167574321",
            "1512379167574321",
            "1512379167574.321",
            "t=1512379167.574321",
            " t=1512379167.574321000999 ",
        ] {
            assert_eq!(parse(text.as_bytes()), Ok(moment), "{text}");
        }
        assert_eq!(parse(b"1512379167"), Ok(Duration::from_secs(1_512_379_167)));
        assert_eq!(parse(b"t=0"), Ok(Duration::ZERO));
        assert_eq!(
            parse(b"1512379167574321.5"),
            Ok(moment + Duration::from_nanos(500))
        );
    }

    #[test]
    fn what_does_not_parse_is_a_fault() {
        for text in [
            "",
            "t=",
            "t",
            ".5",
            "5.",
            "1.2.3",
            "-1",
            "+1",
            "1e9",
            "0x10",
            "t= 1",
            "T=1",
            "1,2",
            "1 2",
            "\u{0661}",
            "99999999999999999999",
            "1.0000000000x",
        ] {
            assert_eq!(
                parse(text.as_bytes()),
                Err(FieldFault::Malformed),
                "{text:?}"
            );
        }
        assert_eq!(parse(&[b'1'; 41]), Err(FieldFault::TooLong));
        // The largest number there is must not overflow anything.
        assert!(parse(u64::MAX.to_string().as_bytes()).is_ok());
    }

    #[test]
    fn the_future_and_the_distant_past_are_faults() {
        let clock = clock();
        let ms = Duration::from_millis;
        assert_eq!(since(NOW - ms(250), &clock), Ok(ms(250)));
        assert_eq!(since(NOW + SKEW, &clock), Ok(Duration::ZERO));
        assert_eq!(since(NOW - LONGEST, &clock), Ok(LONGEST));
        let fault = Err(FieldFault::Malformed);
        assert_eq!(since(NOW + SKEW + ms(1), &clock), fault);
        assert_eq!(since(NOW - LONGEST - ms(1), &clock), fault);
        assert_eq!(since(Duration::MAX, &clock), fault);
        assert_eq!(since(Duration::ZERO, &clock), fault);
    }

    #[test]
    fn an_old_job_counts_as_the_longest_wait() {
        let clock = clock();
        let hour = Duration::from_secs(3600);
        assert_eq!(enqueued(NOW - Duration::from_secs(3), &clock).as_secs(), 3);
        assert_eq!(enqueued(NOW - hour, &clock), LONGEST);
        assert_eq!(enqueued(NOW + hour, &clock), Duration::ZERO);
    }

    #[cfg(feature = "http")]
    #[test]
    fn the_header_is_read_once_and_only_once() {
        let clock = clock();
        let ms = Duration::from_millis;
        let mut headers = http::HeaderMap::new();
        assert_eq!(request_start(&headers, &clock), Ok(None));

        headers.insert("x-queue-start", "1699999999990".parse().unwrap());
        assert_eq!(request_start(&headers, &clock), Ok(Some(ms(10))));
        headers.insert("x-request-start", "t=1699999999.970".parse().unwrap());
        assert_eq!(request_start(&headers, &clock), Ok(Some(ms(30))));

        headers.append("x-request-start", "t=1699999999.970".parse().unwrap());
        assert_eq!(request_start(&headers, &clock), Err(FieldFault::Repeated));
        headers.insert("x-request-start", "soon".parse().unwrap());
        assert_eq!(request_start(&headers, &clock), Err(FieldFault::Malformed));
    }
}
