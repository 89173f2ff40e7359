//! Whose call a request is, as a field: extensions do not travel.

use std::{fmt::Write as _, time::Duration};

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::wire::Call;

/// The field that carries the [`Call`].
const CALL: HeaderName = HeaderName::from_static("chaos-call");

/// Puts the call into the fields of a request.
pub(super) fn write(headers: &mut HeaderMap, call: &Call) {
    let mut text = String::with_capacity(64);
    let deadline = u64::try_from(call.deadline.as_nanos()).unwrap_or(u64::MAX);
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "{} {} {} {} {} {deadline} {}",
        call.task, call.business, call.number, call.user, call.place, call.draw
    );
    if let Ok(value) = HeaderValue::try_from(text) {
        headers.insert(CALL, value);
    }
}

/// Takes the call out of the fields of a request; `None` if there is none that makes sense.
pub(super) fn take(headers: &mut HeaderMap) -> Option<Call> {
    let value = headers.remove(CALL)?;
    let mut words = value.to_str().ok()?.split(' ');
    let mut word = || words.next();
    let call = Call {
        task: word()?.parse().ok()?,
        business: word()?.parse().ok()?,
        number: word()?.parse().ok()?,
        user: word()?.parse().ok()?,
        place: word()?.parse().ok()?,
        deadline: Duration::from_nanos(word()?.parse().ok()?),
        draw: word()?.parse().ok()?,
    };
    word().is_none().then_some(call)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLS: [Call; 2] = [
        Call {
            task: 0,
            business: 0,
            number: 0,
            user: 0,
            place: 0,
            deadline: Duration::ZERO,
            draw: 0,
        },
        Call {
            task: u64::MAX,
            business: 255,
            number: 255,
            user: u32::MAX,
            place: 32_767,
            deadline: Duration::from_nanos(600_000_000_001),
            draw: u64::MAX,
        },
    ];

    #[test]
    fn what_is_written_is_read() {
        for call in CALLS {
            let mut headers = HeaderMap::new();
            write(&mut headers, &call);
            assert_eq!(take(&mut headers), Some(call));
            assert!(headers.is_empty(), "it is taken");
        }
    }

    #[test]
    fn nonsense_is_no_call() {
        for text in [
            "",
            "1 2 3",
            "0 0 0 0 0 0 0 0",
            "0 0 256 0 0 0 0",
            "a b c d e f g",
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CALL, HeaderValue::from_static(text));
            assert_eq!(take(&mut headers), None, "{text:?}");
        }
    }
}
