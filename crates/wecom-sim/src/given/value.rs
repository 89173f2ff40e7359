//! What one value has to be, and what is said of one that is not.

use std::{fmt, marker::PhantomData, ops::RangeInclusive};

use super::{
    nearest::perhaps,
    node::{Node, Value},
    section::{Section, Wanted},
    word::{Word, Words},
};

impl Section<'_> {
    /// Returns the whole number that it is, if it is within the range.
    pub(super) fn whole_of<N>(&self, key: &str, node: &Node, range: &RangeInclusive<N>) -> Option<N>
    where
        N: Copy + PartialOrd + fmt::Display + TryFrom<i128>,
    {
        if let Value::Whole(whole) = node.value
            && let Ok(number) = N::try_from(whole)
            && range.contains(&number)
        {
            return Some(number);
        }
        let (low, high) = (range.start(), range.end());
        self.unfit(key, node, format!("a whole number, {low} to {high}"));
        None
    }

    /// Returns the number that it is, if it is within the range; whole ones are numbers too.
    pub(super) fn number_of(
        &self,
        key: &str,
        node: &Node,
        range: &RangeInclusive<f64>,
    ) -> Option<f64> {
        let number = match node.value {
            Value::Float(number) => number,
            #[expect(clippy::cast_precision_loss, reason = "beyond 2^53 no range goes")]
            Value::Whole(number) => number as f64,
            _ => f64::NAN,
        };
        if range.contains(&number) {
            return Some(number);
        }
        let (low, high) = (range.start(), range.end());
        self.unfit(key, node, format!("a number, {low} to {high}"));
        None
    }

    /// Returns which of the words it is.
    pub(super) fn word_of<W: Word>(&self, key: &str, node: &Node) -> Option<W> {
        let Value::Text(text) = &node.value else {
            self.unfit(key, node, format!("one of {}", Words::<W>(PhantomData)));
            return None;
        };
        let found = W::ALL.iter().find(|(word, _)| word == text);
        if found.is_none() {
            let near = perhaps(text, W::ALL.iter().map(|(word, _)| *word));
            self.unfit(
                key,
                node,
                format!("one of {}{near}", Words::<W>(PhantomData)),
            );
        }
        found.map(|(_, word)| *word)
    }

    /// Returns the text that it is, if it fits; of a secret a message tells the length alone.
    pub(super) fn text_of(&self, key: &str, node: &Node, wanted: Wanted) -> Option<String> {
        if let Value::Text(text) = &node.value
            && (wanted.fits)(text)
        {
            return Some(text.clone());
        }
        let length;
        let shown = match (&node.value, wanted.is_secret) {
            (_, false) => &node.written,
            (Value::Text(text), true) => {
                length = format!("({} characters)", text.chars().count());
                &length
            }
            (_, true) => {
                length = String::from("(no text)");
                &length
            }
        };
        self.mistakes
            .push(node.line, &self.at(key), Some(shown), wanted.said);
        None
    }
}
