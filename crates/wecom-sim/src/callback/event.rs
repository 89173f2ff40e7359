//! What callbacks tell, in the two forms in which WeCom writes it.
//!
//! An app of an enterprise is told `Event` and `CreateTime`, a third party's suite the same as `InfoType` and
//! `TimeStamp` with the ids of the suite and of the enterprise (path/92277). Which one it is, is known when an event
//! is sent, and not by whoever makes it happen.

use std::{borrow::Cow, fmt::Write as _};

/// Something that happened, of which an enterprise's app is told.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Event {
    /// `Event` or `InfoType`: `change_external_contact`, `change_contact`, or anything else.
    pub name: Cow<'static, str>,
    /// `ChangeType`; empty: none.
    pub change: Cow<'static, str>,
    /// `CreateTime` or `TimeStamp`: seconds since the Unix epoch.
    pub created_s: u64,
    /// The rest, in this order. Names must be those of XML elements.
    pub fields: Vec<(Cow<'static, str>, String)>,
}

/// In whose words an event is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form<'a> {
    /// For an app of the enterprise of this id.
    Enterprise(&'a str),
    /// For a third party's suite.
    Suite {
        /// The suite.
        suite: &'a str,
        /// The enterprise that installed it.
        corp: &'a str,
    },
}

// === impl Event ===

impl Event {
    /// Returns what tells of a customer: `change_external_contact`.
    #[must_use]
    pub fn customer(
        change: &'static str,
        userid: &str,
        external_userid: &str,
        created_s: u64,
    ) -> Self {
        Self {
            name: Cow::Borrowed("change_external_contact"),
            change: Cow::Borrowed(change),
            created_s,
            fields: Vec::new(),
        }
        .with("UserID", userid)
        .with("ExternalUserID", external_userid)
    }

    /// Returns what tells of a member or a department: `change_contact`.
    #[must_use]
    pub fn directory(change: &'static str, created_s: u64) -> Self {
        Self {
            name: Cow::Borrowed("change_contact"),
            change: Cow::Borrowed(change),
            created_s,
            fields: Vec::new(),
        }
    }

    /// Returns the event with one more field.
    #[must_use]
    pub fn with(mut self, name: &'static str, text: impl Into<String>) -> Self {
        self.fields.push((Cow::Borrowed(name), text.into()));
        self
    }

    /// Returns the message as it is before it is encrypted.
    #[must_use]
    pub fn xml(&self, form: Form<'_>) -> String {
        let mut xml = String::with_capacity(512);
        xml.push_str("<xml>");
        let (name, time) = match form {
            Form::Enterprise(corp) => {
                quoted("ToUserName", corp, &mut xml);
                quoted("FromUserName", "sys", &mut xml);
                quoted("MsgType", "event", &mut xml);
                ("Event", "CreateTime")
            }
            Form::Suite { suite, corp } => {
                quoted("SuiteId", suite, &mut xml);
                quoted("AuthCorpId", corp, &mut xml);
                ("InfoType", "TimeStamp")
            }
        };
        plain(time, self.created_s, &mut xml);
        quoted(name, &self.name, &mut xml);
        if !self.change.is_empty() {
            quoted("ChangeType", &self.change, &mut xml);
        }
        for (name, text) in &self.fields {
            match text.parse::<u64>() {
                Ok(number) if NUMBERS.contains(&name.as_ref()) => plain(name, number, &mut xml),
                _ => quoted(name, text, &mut xml),
            }
        }
        xml.push_str("</xml>");
        xml
    }
}

fn plain(name: &str, number: u64, xml: &mut String) {
    let _ = write!(xml, "<{name}>{number}</{name}>");
}

/// Appends an element whose text ends nowhere but at its end; what XML has no room for is left out.
fn quoted(name: &str, text: &str, xml: &mut String) {
    let fits = |letter: &char| !letter.is_control() || matches!(letter, '\t' | '\n' | '\r');
    let text: String = text.chars().filter(fits).collect();
    let text = text.replace("]]>", "]]]]><![CDATA[>");
    let _ = write!(xml, "<{name}><![CDATA[{text}]]></{name}>");
}

/// What WeCom does not quote.
const NUMBERS: [&str; 2] = ["Id", "Status"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_forms_tell_the_same() {
        let event = Event::customer("add_external_contact", "zhangsan", "wm1", 1_700_000_000)
            .with("State", "a]]>b\u{1}");
        let corp = event.xml(Form::Enterprise("ww1"));
        assert_eq!(
            corp,
            "<xml><ToUserName><![CDATA[ww1]]></ToUserName><FromUserName><![CDATA[sys]]></FromUserName>\
             <MsgType><![CDATA[event]]></MsgType><CreateTime>1700000000</CreateTime>\
             <Event><![CDATA[change_external_contact]]></Event>\
             <ChangeType><![CDATA[add_external_contact]]></ChangeType>\
             <UserID><![CDATA[zhangsan]]></UserID><ExternalUserID><![CDATA[wm1]]></ExternalUserID>\
             <State><![CDATA[a]]]]><![CDATA[>b]]></State></xml>"
        );
        let suite = event.xml(Form::Suite {
            suite: "s1",
            corp: "ww1",
        });
        assert!(suite.starts_with(
            "<xml><SuiteId><![CDATA[s1]]></SuiteId><AuthCorpId><![CDATA[ww1]]></AuthCorpId>\
             <TimeStamp>1700000000</TimeStamp><InfoType><![CDATA[change_external_contact]]></InfoType>"
        ));
    }
}
