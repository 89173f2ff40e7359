//! What an error says of itself in words and in flags, for everything that can happen.

use super::*;

const UPDATE: Api = Api::new("update_contact_way");

/// Returns one of each kind, but for what another crate alone can make, and of each reason why there is no token.
fn kinds() -> Vec<Kind> {
    let wait = Duration::from_secs(7);
    let refused = |errcode| {
        Kind::Refused(Refused {
            errcode: Errcode(errcode),
            hint: None,
        })
    };
    let plain = || BoxError::from(Plain("the disk is full"));
    let unreadable = Unreadable {
        status: 502,
        why: "the status is not 200",
    };
    let mut kinds = vec![
        Kind::Invalid(Invalid::new("user", 0, "1 to 100")),
        Kind::PartlyApplied { hint: None },
        Kind::NotConnected(std::io::Error::from(std::io::ErrorKind::ConnectionRefused).into()),
        Kind::Lost(TimedOut(wait).into()),
        Kind::Unreadable(unreadable),
        Kind::Limited { retry_after: wait },
        Kind::Shared(plain()),
        Kind::NoToken(NoToken::Breaker {
            retry_after: wait,
            errcode: Errcode::BAD_SECRET,
        }),
        Kind::NoToken(NoToken::Late { patience: wait }),
        Kind::NoToken(NoToken::Suite(plain())),
        Kind::NoToken(NoToken::TooMany { retry_after: wait }),
    ];
    kinds.extend([-1, 40001, 40014, 40098, 41044, 45009, 45035, 99_999].map(refused));
    kinds
}

/// Has an arm for each kind, so that none is added that the list above lacks.
fn number(kind: &Kind) -> usize {
    match kind {
        Kind::Invalid(_) => 0,
        Kind::Refused(_) => 1,
        Kind::PartlyApplied { .. } => 2,
        Kind::Lost(_) => 3,
        Kind::Unreadable(_) => 4,
        Kind::Limited { .. } => 5,
        Kind::Shared(_) => 6,
        Kind::NoToken(NoToken::Fetch(_)) => 7,
        Kind::NoToken(NoToken::Breaker { .. }) => 8,
        Kind::NoToken(NoToken::Late { .. }) => 9,
        Kind::NoToken(NoToken::Suite(_)) => 10,
        Kind::NoToken(NoToken::TooMany { .. }) => 11,
        Kind::NotConnected(_) => 12,
        // Said in one fixed text; dagor alone can make one.
        #[cfg(feature = "dagor")]
        Kind::Withheld(_) => 13,
    }
}

/// Returns the error of each kind to an ordinary call and to both fetches, and of a call for which a fetch failed so.
fn errors() -> Vec<Error> {
    let mut errors = Vec::new();
    for api in [UPDATE, Api::GET_TOKEN, Api::GET_CORP_TOKEN] {
        errors.extend(kinds().into_iter().map(|kind| Error::new(api, kind)));
    }
    for fetch in [Api::GET_TOKEN, Api::GET_CORP_TOKEN] {
        for kind in kinds() {
            let failed = NoToken::Fetch(Error::new(fetch, kind));
            // As the keeper hands it out, to the call that waited.
            errors.push(Error::new(fetch, Kind::NoToken(failed)).of(UPDATE));
        }
    }
    errors
}

/// Returns the texts of an error and of all that caused it.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        text.push_str(": ");
        text.push_str(&error.to_string());
        next = error.source();
    }
    text
}

#[test]
fn every_kind_is_looked_at() {
    let mut numbers: Vec<usize> = errors().iter().map(|error| number(error.kind())).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers, (0..13).collect::<Vec<_>>());
}

#[test]
fn the_text_says_what_may_have_been_applied_as_the_flag_does() {
    for error in errors() {
        let text = chain(&error);
        let flag = error.may_have_been_applied();
        assert_eq!(text.contains("applied"), flag, "{text}");
        assert!(!(text.contains("not sent") && flag), "{text}");
    }
}

#[test]
fn the_text_names_the_class_and_the_wait_that_are_told() {
    for error in errors() {
        let text = error.to_string();
        if let Kind::Refused(_) = error.kind() {
            assert!(text.contains(error.class().name()), "{text}");
        }
        // A number's own wait is in the documentation; one that was computed is in the text.
        if let Kind::Limited { retry_after }
        | Kind::NoToken(
            NoToken::Breaker { retry_after, .. } | NoToken::TooMany { retry_after },
        ) = error.kind()
        {
            assert_eq!(error.retry_after(), Some(*retry_after), "{text}");
            assert!(text.contains(&format!("{retry_after:?}")), "{text}");
        }
        let wait = Duration::from_secs(61);
        let told = error.with_retry_after(wait);
        assert_eq!(told.retry_after(), Some(wait), "{text}");
    }
}

#[test]
fn no_token_for_a_call_is_nothing_that_was_applied() {
    let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
    let lost = Error::new(Api::GET_TOKEN, Kind::Lost(refused.into()));
    let error = Error::new(UPDATE, Kind::NoToken(NoToken::Fetch(lost)));
    assert_eq!(
        chain(&error),
        "update_contact_way: no token: gettoken: no answer: connection refused"
    );
}
