//! XML, no more of it than WeCom sends: elements, text, CDATA.
//!
//! The body around a message can be written by anybody, so nothing in it may cost more than reading it once.
//! There are no entities but the standard's five and characters by number, each longer than what it stands for;
//! a document type is refused, and with it whatever it could declare. Nesting, names and the number of fields
//! are bounded. Attributes, comments and processing instructions are passed over. So what is kept is the
//! text itself and at most half a mebibyte of names.

use quick_xml::{
    Reader,
    escape::resolve_xml_entity,
    events::{BytesRef, Event},
};

use super::fields::Collected;

/// Not XML, or more than is allowed of it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Malformed;

/// Reads the fields of one document while its elements open and close.
struct Parser {
    collected: Collected,
    open: Vec<Open>,
    /// The names of the open elements but the outermost, joined by `/`.
    path: String,
    /// The texts of the open elements, one after the other: a child's is cut off at its end.
    texts: String,
    had_root: bool,
}

/// An element whose end has not come yet.
struct Open {
    /// How long the path was before its name.
    path: usize,
    /// Where its text begins.
    text: usize,
    has_children: bool,
}

/// Elements within each other, the outermost counted. WeCom's go to 5.
const DEEPEST: usize = 8;
/// Elements that hold a text. The longest list that WeCom is known to send has 100.
const MOST: usize = 1024;
/// Bytes of a name. WeCom's have up to 20.
const LONGEST: usize = 64;

/// Reads one document and returns its fields, in the order in which they end.
pub(super) fn parse(text: &str) -> Result<Collected, Malformed> {
    let mut reader = Reader::from_str(text);
    let mut parser = Parser::new(text.len());
    loop {
        match reader.read_event().map_err(|_| Malformed)? {
            Event::Start(start) => parser.start(start.name().into_inner())?,
            Event::Empty(empty) => {
                parser.start(empty.name().into_inner())?;
                parser.end()?;
            }
            Event::End(_) => parser.end()?,
            Event::Text(text) => parser.text(&text)?,
            Event::CData(data) => parser.text(&data)?,
            Event::GeneralRef(entity) => parser.entity(&entity)?,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            Event::DocType(_) => return Err(Malformed),
            Event::Eof => return parser.finish(),
        }
    }
}

// === impl Parser ===

impl Parser {
    fn new(length: usize) -> Self {
        Self {
            collected: Collected::with_capacity(length),
            open: Vec::with_capacity(DEEPEST),
            path: String::with_capacity(LONGEST),
            texts: String::with_capacity(length),
            had_root: false,
        }
    }

    fn start(&mut self, name: &str) -> Result<(), Malformed> {
        let depth = self.open.len();
        if depth >= DEEPEST || name.len() > LONGEST || (depth == 0 && self.had_root) {
            return Err(Malformed);
        }
        self.had_root = true;
        self.open.push(Open {
            path: self.path.len(),
            text: self.texts.len(),
            has_children: false,
        });
        if depth > 0 {
            self.open[depth - 1].has_children = true;
            if !self.path.is_empty() {
                self.path.push('/');
            }
            self.path.push_str(name);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Malformed> {
        let Open {
            path,
            text,
            has_children,
        } = self.open.pop().ok_or(Malformed)?;
        let value = &self.texts[text..];
        // Between children there is white space; what else there may be is kept.
        let is_field = !has_children || !is_blank(value);
        if is_field && !self.open.is_empty() {
            if self.collected.len() >= MOST {
                return Err(Malformed);
            }
            self.collected.push(&self.path, value);
        }
        self.path.truncate(path);
        self.texts.truncate(text);
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), Malformed> {
        if self.open.is_empty() {
            return if is_blank(text) {
                Ok(())
            } else {
                Err(Malformed)
            };
        }
        self.texts.push_str(text);
        Ok(())
    }

    fn entity(&mut self, entity: &BytesRef<'_>) -> Result<(), Malformed> {
        match entity.resolve_char_ref().map_err(|_| Malformed)? {
            Some(character) => self.text(character.encode_utf8(&mut [0; 4])),
            None => self.text(resolve_xml_entity(entity).ok_or(Malformed)?),
        }
    }

    fn finish(self) -> Result<Collected, Malformed> {
        if self.open.is_empty() && self.had_root {
            Ok(self.collected)
        } else {
            Err(Malformed)
        }
    }
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::{super::fields::Fields, *};

    fn fields(text: &str) -> Result<Vec<(String, String)>, Malformed> {
        let fields = Fields::from(parse(text)?);
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Ok(fields.iter().map(owned).collect())
    }

    #[test]
    fn reads_text_cdata_entities_and_nested_elements_in_order() {
        let text = "<?xml version='1.0'?>\n<xml><!-- c --><A><![CDATA[1<2]]>&amp;x</A>\n<B a='b'/>\
            <C><D>&#23494;&#x6587;</D><D></D></C><E> 5 </E></xml>\n";
        let expected = [
            ("A", "1<2&x"),
            ("B", ""),
            ("C/D", "密文"),
            ("C/D", ""),
            ("E", " 5 "),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(fields(text).unwrap(), expected);
    }

    #[test]
    fn keeps_the_text_beside_children() {
        let expected = [("A/B", "1"), ("A", "x\ny")].map(|(n, v)| (n.to_owned(), v.to_owned()));
        assert_eq!(fields("<xml><A>x<B>1</B>\ny</A></xml>").unwrap(), expected);
    }

    #[test]
    fn refuses_what_wecom_never_sends() {
        let deep = |depth| format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
        let many = |count| format!("<xml>{}</xml>", "<a/>".repeat(count));
        let named = |length| format!("<xml><{0}></{0}></xml>", "n".repeat(length));
        assert!(parse(&deep(DEEPEST)).is_ok());
        assert!(parse(&many(MOST)).is_ok());
        assert!(parse(&named(LONGEST)).is_ok());
        for text in [
            &*deep(DEEPEST + 1),
            &*deep(60_000),
            &*many(MOST + 1),
            &*named(LONGEST + 1),
            "",
            "text",
            "<xml>",
            "<xml><A></xml>",
            "<xml></A></xml>",
            "</xml>",
            "<xml/><xml/>",
            "<xml/>text",
            "text<xml/>",
            "&amp;<xml/>",
            "<xml><![CDATA[x</xml>",
            "<xml>&nbsp;</xml>",
            "<xml>&lt</xml>",
            "<xml>&#0;</xml>",
            "<xml>&#xd800;</xml>",
            "<xml>&#99999999999;</xml>",
            "<!DOCTYPE xml><xml/>",
            "<!DOCTYPE a [<!ENTITY b 'c'>]><xml>&b;</xml>",
            "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><xml>&b;</xml>",
        ] {
            assert_eq!(parse(text).err(), Some(Malformed), "{text:.80}");
        }
    }
}
