//! What is told of an error that comes from elsewhere: a transport's, a shared store's.
//!
//! The text of such an error may hold anything. `reqwest`'s holds the address it called, and with it the token; a
//! layer's may quote a body with people's ids in it; Redis quotes the arguments of a command it does not know. Cutting
//! the secrets out afterwards works only for those that one thinks of. So no text is kept but that of types, and a
//! few fixed texts, that are known to hold nothing of a request; of all other errors only what caused them is
//! looked at. What operators need mostly lies there: `connection refused`, `connection closed before message
//! completed`, `invalid peer certificate`.
//!
//! To see more, log the error in a layer of your own, where you know what it holds.

use std::{
    error::Error as StdError,
    fmt::{self, Write as _},
    io,
    time::Duration,
};

use http_body_util::LengthLimitError;
use tokio::time::error::Elapsed;

use super::Plain;

/// A foreign error as far as it may be told.
#[derive(Clone, Debug)]
pub(super) struct Cause(Box<str>);

/// No answer within the time that one may take.
#[derive(Debug)]
pub(crate) struct TimedOut(pub(crate) Duration);

/// Texts that hold nothing, of types that cannot be named: hyper-util's and tower's.
const FIXED: [&str; 8] = [
    "dns error",
    "tcp bind local error",
    "tcp connect error",
    "tcp open error",
    "tcp set_nonblocking error",
    "invalid URL, scheme is missing",
    "request timed out",
    "service overloaded",
];

// === impl Cause ===

impl Cause {
    /// Longest text in bytes.
    const LONGEST: usize = 512;
    /// Most errors of a chain that are looked at.
    const DEEPEST: usize = 16;

    /// Returns what may be told of `error` and of what caused it.
    pub(super) fn of(error: &(dyn StdError + 'static)) -> Self {
        if let Some(told) = error.downcast_ref::<Self>() {
            return told.clone();
        }
        let mut text = String::new();
        let mut next = Some(error);
        for _ in 0..Self::DEEPEST {
            let Some(error) = next else { break };
            if let Some(told) = text_of(error).filter(|told| !text.ends_with(&**told)) {
                let separator = if text.is_empty() { "" } else { ": " };
                // Writing to a `String` cannot fail.
                let _ = write!(text, "{separator}{told}");
            }
            next = cause_of(error);
        }
        if text.is_empty() {
            text.push_str("an error whose text is not told, as it may hold anything");
        }
        while text.len() > Self::LONGEST {
            text.pop();
        }
        Self(text.into())
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for Cause {}

// === impl TimedOut ===

impl fmt::Display for TimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no answer within {:?}", self.0)
    }
}

impl StdError for TimedOut {}

/// Returns the text of an error, if it is known to hold nothing of a request or an answer.
fn text_of(error: &(dyn StdError + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return Some(match error.get_ref() {
            // The operating system's text, or a fixed one.
            None => error.to_string(),
            // What is inside may be anything, and is looked at next.
            Some(_) => error.kind().to_string(),
        });
    }
    let ours = error.is::<TimedOut>() || error.is::<Plain>();
    let known = ours || error.is::<Elapsed>() || error.is::<LengthLimitError>();
    if known || is_known_to_https(error) || is_known_to_dagor(error) {
        return Some(error.to_string());
    }
    if let Some(text) = text_of_redis(error) {
        return Some(text);
    }
    let text = error.to_string();
    FIXED.contains(&&*text).then_some(text)
}

/// hyper's texts are fixed; rustls' hold names of hosts and of what is wrong with a certificate.
#[cfg(feature = "https")]
fn is_known_to_https(error: &(dyn StdError + 'static)) -> bool {
    error.is::<hyper::Error>()
        || error.is::<hyper_util::client::legacy::Error>()
        || error.is::<rustls::Error>()
}

#[cfg(not(feature = "https"))]
fn is_known_to_https(_: &(dyn StdError + 'static)) -> bool {
    false
}

/// These hold names of services and levels.
#[cfg(feature = "dagor")]
fn is_known_to_dagor(error: &(dyn StdError + 'static)) -> bool {
    error.is::<dagor::Withheld>() || error.is::<dagor::Shed>()
}

#[cfg(not(feature = "dagor"))]
fn is_known_to_dagor(_: &(dyn StdError + 'static)) -> bool {
    false
}

/// The kind alone: the text may quote the arguments of a command.
#[cfg(feature = "redis")]
fn text_of_redis(error: &(dyn StdError + 'static)) -> Option<String> {
    if let Some(failure) = error.downcast_ref::<super::RedisFailure>() {
        return Some(failure.to_string());
    }
    let error: &redis::RedisError = error.downcast_ref()?;
    let code = error.code().unwrap_or_default();
    Some(
        format!("redis: {} {code}", error.category())
            .trim_end()
            .to_owned(),
    )
}

#[cfg(not(feature = "redis"))]
fn text_of_redis(_: &(dyn StdError + 'static)) -> Option<String> {
    None
}

/// Returns what caused an error; of an `io::Error` what is inside, which its `source` would pass over.
pub(crate) fn cause_of<'a>(
    error: &'a (dyn StdError + 'static),
) -> Option<&'a (dyn StdError + 'static)> {
    let inside = error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref);
    inside
        .map(|inside| inside as &(dyn StdError + 'static))
        .or_else(|| error.source())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error of somebody's layer, with anything in it.
    #[derive(Debug)]
    struct Foreign(&'static str, Option<Box<Self>>);

    impl fmt::Display for Foreign {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl StdError for Foreign {
        fn source(&self) -> Option<&(dyn StdError + 'static)> {
            self.1.as_deref().map(|error| error as _)
        }
    }

    fn told(error: &(dyn StdError + 'static)) -> String {
        let cause = Cause::of(error);
        assert!(cause.source().is_none());
        cause.to_string()
    }

    #[test]
    fn a_text_that_may_hold_anything_is_not_told_nor_shown() {
        let url = "error sending request for url (http://host/?access_token=hidden)";
        let untold = "an error whose text is not told, as it may hold anything";
        assert_eq!(told(&Foreign(url, None)), untold);
        let debug = format!("{:?}", Cause::of(&Foreign(url, None)));
        assert!(!debug.contains("hidden"), "{debug}");
        assert_eq!(told(&io::Error::other(url)), "other error");
        let json = serde_json::from_str::<u8>("\"hidden\"").unwrap_err();
        assert_eq!(told(&json), untold);
    }

    #[test]
    fn what_lies_below_it_is_told() {
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        let inside = io::Error::new(io::ErrorKind::BrokenPipe, refused);
        assert_eq!(told(&inside), "broken pipe: connection refused");
        let chain = Foreign("hidden", Some(Box::new(Foreign("tcp connect error", None))));
        assert_eq!(told(&chain), "tcp connect error");
        assert_eq!(
            told(&TimedOut(Duration::from_secs(5))),
            "no answer within 5s"
        );
    }

    #[test]
    fn a_cause_told_again_stays_as_it_is() {
        let once = Cause::of(&TimedOut(Duration::from_secs(5)));
        assert_eq!(told(&once), once.to_string());
    }

    #[test]
    fn an_endless_chain_has_an_end() {
        let mut error = io::Error::from(io::ErrorKind::BrokenPipe);
        for _ in 0..1000 {
            error = io::Error::new(io::ErrorKind::ConnectionReset, error);
            error = io::Error::new(io::ErrorKind::TimedOut, error);
        }
        assert!(told(&error).len() <= 512);
    }

    #[cfg(feature = "redis")]
    #[test]
    fn of_redis_the_kind_alone_is_told() {
        let error = redis::RedisError::from((
            redis::ErrorKind::Io,
            "hidden",
            "unknown command, with args beginning with: hidden".to_owned(),
        ));
        assert_eq!(told(&error), "redis: I/O error");
    }

    #[cfg(feature = "redis")]
    #[test]
    fn of_what_is_shared_it_is_told_why_it_is_not_to_be_had() {
        use super::super::RedisFailure;

        assert_eq!(told(&RedisFailure::Slow), "redis: no answer in time");
        let failure = RedisFailure::Redis {
            kind: redis::ErrorKind::Io,
            code: Some("OOM".into()),
        };
        assert_eq!(told(&failure), "redis: Io (OOM)");
    }
}
