//! An error that is a fixed text.

use std::{error::Error, fmt};

/// A text that was written into the program, so that it holds nothing of a request.
///
/// Of all other texts of foreign errors [`Error`](super::Error) keeps nothing; what a
/// [`TokenStore`](crate::token::TokenStore) or a [`Limiter`](crate::limit::Limiter) wants to be told
/// of its failures is one of these.
///
/// ```
/// use std::error::Error as _;
/// use wecom::{Api, Error, error::{Kind, Plain}};
///
/// let api = Api::new("update_contact_way");
/// let error = Error::new(api, Kind::Shared(Plain("the table of tokens is locked").into()));
/// assert_eq!(error.source().unwrap().to_string(), "the table of tokens is locked");
/// let error = Error::new(api, Kind::Shared("no table for tenant 7".into()));
/// assert!(!error.source().unwrap().to_string().contains("tenant 7"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Plain(pub &'static str);

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Error for Plain {}
