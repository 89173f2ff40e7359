//! A choice among a few words.

use std::fmt;

/// A type whose values are words, the same in files, requests and answers.
pub(crate) trait Word: Copy + 'static {
    /// All of them.
    const ALL: &'static [(&'static str, Self)];
}

/// Says which words there are, as a message does.
pub(super) struct Words<W>(pub(super) std::marker::PhantomData<W>);

impl<W: Word> fmt::Display for Words<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (word, _)) in W::ALL.iter().enumerate() {
            let before = if index == 0 { "" } else { ", " };
            write!(f, "{before}{word:?}")?;
        }
        Ok(())
    }
}
