//! Whom a message is for: which names it bears, and whether they are ours.
//!
//! An enterprise's messages say `ToUserName`, a suite's say `SuiteId` and, where one enterprise is concerned,
//! `AuthCorpId`. The id that was encrypted with the message is checked before; this is for keys that were set up
//! for one enterprise and get the messages of another, which would be written down under the wrong tenant.

use std::time::Duration;

use super::{fields::Fields, rejected::Rejected};
use crate::name::CorpId;

/// The names in a message.
pub(super) struct Address<'a> {
    to_user: Option<&'a str>,
    suite: Option<&'a str>,
    auth_corp: Option<&'a str>,
}

// === impl Address ===

impl<'a> Address<'a> {
    pub(super) fn of(fields: &'a Fields) -> Self {
        Self {
            to_user: fields.some("ToUserName"),
            suite: fields.some("SuiteId"),
            auth_corp: fields.some("AuthCorpId"),
        }
    }

    /// Checks the names against the keys' (none if empty), and the name outside against both: it is not signed.
    pub(super) fn check(&self, receive_id: &str, outside: Option<&str>) -> Result<(), Rejected> {
        let names = [self.to_user, self.suite, self.auth_corp];
        let named = |id: &str| names.iter().flatten().any(|name| *name == id);
        let is_nameless = names.iter().all(Option::is_none);
        let ours = receive_id.is_empty() || is_nameless || named(receive_id);
        let outside_fits = outside.is_none_or(|id| {
            id == receive_id || named(id) || (is_nameless && receive_id.is_empty())
        });
        if ours && outside_fits {
            Ok(())
        } else {
            Err(Rejected::Corp)
        }
    }

    /// Returns the enterprise that is concerned, if it is one alone.
    pub(super) fn corp(&self) -> Result<Option<CorpId>, Rejected> {
        // Beside a suite's id, `ToUserName` is that once more.
        let corp = self
            .auth_corp
            .or_else(|| self.to_user.filter(|_| self.suite.is_none()));
        let corp = corp.map(CorpId::new).transpose();
        corp.map_err(|_| Rejected::Corp)
    }

    pub(super) fn suite(&self) -> Option<&'a str> {
        self.suite
    }
}

/// Returns when it happened, since the Unix epoch.
pub(super) fn created(fields: &Fields) -> Option<Duration> {
    let text = fields
        .some("CreateTime")
        .or_else(|| fields.some("TimeStamp"))?;
    text.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        message: &str,
        receive_id: &str,
        outside: Option<&str>,
    ) -> Result<Option<CorpId>, Rejected> {
        let fields = Fields::parse(&format!("<xml>{message}</xml>")).unwrap();
        let address = Address::of(&fields);
        address.check(receive_id, outside)?;
        address.corp()
    }

    #[test]
    fn a_message_must_bear_the_name_that_the_keys_do() {
        let enterprise = "<ToUserName>ww1</ToUserName>";
        let suite = "<SuiteId>tj1</SuiteId><AuthCorpId>ww1</AuthCorpId>";
        let ticket = "<SuiteId>tj1</SuiteId>";
        let nameless = "<A/>";
        for (message, receive_id, outside, corp) in [
            (enterprise, "ww1", Some("ww1"), Some("ww1")),
            (enterprise, "ww1", None, Some("ww1")),
            (enterprise, "", Some("ww1"), Some("ww1")),
            (suite, "tj1", Some("tj1"), Some("ww1")),
            (suite, "tj1", Some("ww1"), Some("ww1")),
            (suite, "ww1", Some("ww1"), Some("ww1")),
            (ticket, "tj1", Some("tj1"), None),
            (nameless, "ww1", Some("ww1"), None),
            (nameless, "", Some("ww1"), None),
        ] {
            let found = check(message, receive_id, outside).unwrap();
            assert_eq!(
                found.as_ref().map(CorpId::as_str),
                corp,
                "{message} {receive_id}"
            );
        }
        for (message, receive_id, outside) in [
            (enterprise, "ww2", None),
            (enterprise, "ww1", Some("ww2")),
            (enterprise, "", Some("ww2")),
            (suite, "tj2", None),
            (suite, "tj1", Some("tj2")),
            (nameless, "ww1", Some("ww2")),
            ("<ToUserName>not a corp</ToUserName>", "", None),
        ] {
            let refused = check(message, receive_id, outside);
            assert_eq!(
                refused,
                Err(Rejected::Corp),
                "{message} {receive_id} {outside:?}"
            );
        }
    }

    #[test]
    fn a_time_that_is_none_is_not_told() {
        let created = |text: &str| created(&Fields::parse(text).unwrap());
        assert_eq!(
            created("<xml><CreateTime>17</CreateTime></xml>"),
            Some(Duration::from_secs(17))
        );
        assert_eq!(
            created("<xml><TimeStamp>17</TimeStamp></xml>"),
            Some(Duration::from_secs(17))
        );
        assert_eq!(created("<xml><TimeStamp>x</TimeStamp></xml>"), None);
        assert_eq!(created("<xml></xml>"), None);
    }
}
