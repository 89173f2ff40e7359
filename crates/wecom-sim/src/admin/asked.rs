//! A request, taken apart.

use bytes::Bytes;
use http::{Method, Request};

use super::answer::Fault;
use crate::given::{Mistakes, Node, Section, Value};

/// A request, taken apart.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) method: Method,
    /// What follows `/admin`, decoded, without empty parts.
    pub(super) path: Vec<String>,
    query: Vec<(String, String)>,
    body: Bytes,
}

/// Which part of a list: at most so many from a place on, which is a number or an id.
#[derive(Clone, Debug)]
pub(super) struct Part<C> {
    pub(super) from: C,
    pub(super) limit: usize,
}

// === impl Asked ===

impl Asked {
    /// Takes a request apart.
    pub(super) fn new(request: Request<Bytes>) -> Result<Self, Fault> {
        let (head, body) = request.into_parts();
        let parts = head.uri.path().split('/').filter(|part| !part.is_empty());
        let path: Result<Vec<String>, Fault> = parts.skip(1).map(decoded).collect();
        let pairs = head.uri.query().unwrap_or_default().split('&');
        let pairs = pairs.filter(|pair| !pair.is_empty()).map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decoded(key)?, decoded(value)?))
        });
        Ok(Self {
            method: head.method,
            path: path?,
            query: pairs.collect::<Result<_, Fault>>()?,
            body,
        })
    }

    /// Reads the body, a table of keys; none is an empty one.
    pub(super) fn body<T>(&self, read: impl FnOnce(Section<'_>) -> T) -> Result<T, Fault> {
        let node = match self.body.is_empty() {
            true => empty(),
            false => Node::json(&self.body)?,
        };
        reading(node, read)
    }

    /// Says that there is no body but an empty one.
    pub(super) fn no_body(&self) -> Result<(), Fault> {
        self.body(|table| table.end())
    }

    /// Reads the query; each value is a text, or a whole number or flag where one is.
    pub(super) fn query<T>(&self, read: impl FnOnce(Section<'_>) -> T) -> Result<T, Fault> {
        let mut fields: Vec<(String, Node)> = Vec::new();
        for (key, text) in &self.query {
            if fields.iter().any(|(other, _)| other == key) {
                return Err(Fault::Mistake(format!("{key}: expected once")));
            }
            let value = match text.as_str() {
                "true" => Value::Flag(true),
                "false" => Value::Flag(false),
                text => text
                    .parse()
                    .map_or_else(|_| Value::Text(String::from(text)), Value::Whole),
            };
            let node = Node {
                value,
                line: None,
                written: text.clone(),
            };
            fields.push((key.clone(), node));
        }
        let node = Node {
            value: Value::Table(fields),
            ..empty()
        };
        reading(node, read)
    }

    /// Says that there is no query.
    pub(super) fn no_query(&self) -> Result<(), Fault> {
        self.query(|table| table.end())
    }

    /// Reads which part is wanted of a list whose places are numbers.
    pub(super) fn part(&self) -> Result<Part<u32>, Fault> {
        self.query(|mut table| {
            let mut from = 0;
            match self.query_text("cursor") {
                Some("") => drop(table.take("cursor")),
                _ => table.whole("cursor", 0..=u32::MAX, &mut from),
            }
            let limit = limit(&mut table);
            table.end();
            Part { from, limit }
        })
    }

    /// Reads which part is wanted of a list whose places are ids: after this one. `others` are the query's other keys.
    pub(super) fn part_by_id(&self, others: &[&'static str]) -> Result<Part<Option<&str>>, Fault> {
        let from = self
            .query_text("cursor")
            .filter(|cursor| !cursor.is_empty());
        self.query(|mut table| {
            // Ids may look like numbers, so they are taken as they were written.
            for other in others {
                table.take(other);
            }
            table.take("cursor");
            if from.is_some_and(|from| from.len() > LONGEST_CURSOR) {
                table.wrong("cursor", None, "the next_cursor of another answer");
            }
            let limit = limit(&mut table);
            table.end();
            Part { from, limit }
        })
    }

    /// Reads one value of the query, as it was written.
    pub(super) fn query_text(&self, key: &str) -> Option<&str> {
        let found = self.query.iter().find(|(name, _)| name == key);
        found.map(|(_, text)| text.as_str())
    }

    /// Reads whether nobody is to be told.
    pub(super) fn is_silent(&self) -> Result<bool, Fault> {
        self.query(|mut table| {
            let mut is_silent = false;
            table.flag("silent", &mut is_silent);
            table.end();
            is_silent
        })
    }
}

/// Reads how many are wanted.
fn limit(table: &mut Section<'_>) -> usize {
    let mut limit = 100;
    table.whole("limit", 1..=MOST_LISTED, &mut limit);
    limit
}

/// Returns where the next part of a list begins, as answers tell it: empty behind the last one.
pub(super) fn next_cursor(next: Option<impl ToString>) -> String {
    next.map_or_else(String::new, |next| next.to_string())
}

fn reading<T>(node: Node, read: impl FnOnce(Section<'_>) -> T) -> Result<T, Fault> {
    let mistakes = Mistakes::new(None);
    let value = Section::new(node, "", &mistakes).map(read);
    let value = mistakes.none_or(value)?;
    value.ok_or_else(|| Fault::Mistake(String::from("expected a table of keys")))
}

fn empty() -> Node {
    Node {
        value: Value::Table(Vec::new()),
        line: None,
        written: String::new(),
    }
}

/// Decodes percent-encoding, exactly once.
fn decoded(text: &str) -> Result<String, Fault> {
    let wrong = || Fault::Mistake(format!("{text:?}: expected percent-encoded UTF-8"));
    let mut parts = text.split('%');
    let mut bytes = Vec::from(parts.next().unwrap_or_default());
    for part in parts {
        let (pair, rest) = part.split_at_checked(2).ok_or_else(wrong)?;
        let is_hex = pair.bytes().all(|byte| byte.is_ascii_hexdigit());
        let byte = u8::from_str_radix(pair, 16).ok().filter(|_| is_hex);
        bytes.push(byte.ok_or_else(wrong)?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

/// The most elements of a list in an answer.
pub(super) const MOST_LISTED: usize = 1000;

/// In bytes; ids are shorter.
const LONGEST_CURSOR: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_queries_are_decoded_once() {
        let request = Request::get("/admin/corps/a%2540b//x?cursor=3&limit=%37").body(Bytes::new());
        let asked = Asked::new(request.unwrap()).unwrap();
        assert_eq!(asked.path, ["corps", "a%40b", "x"]);
        let part = asked.part().unwrap();
        assert_eq!((part.from, part.limit), (3, 7));
        let part = asked.part_by_id(&[]).unwrap();
        assert_eq!((part.from, part.limit), (Some("3"), 7));
        for wrong in [
            "/admin/%",
            "/admin/%2",
            "/admin/%+1",
            "/admin/%ff",
            "/admin?a=%zz",
        ] {
            let request = Request::get(wrong).body(Bytes::new()).unwrap();
            assert!(Asked::new(request).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_query_that_is_not_known_or_there_twice_is_wrong() {
        for wrong in [
            "?cursor=1&cursor=2",
            "?limit=0",
            "?limit=1001",
            "?limit=",
            "?limt=3",
            "?cursor=x",
            "?cursor=-1",
            "?cursor=4294967296",
        ] {
            let request = Request::get(format!("/admin/corps{wrong}")).body(Bytes::new());
            let asked = Asked::new(request.unwrap()).unwrap();
            assert!(asked.part().is_err(), "{wrong}");
        }
    }
}
