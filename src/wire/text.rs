//! A short text on the stack.

use std::fmt;

/// The text of a field, built on the stack so that encoding allocates nothing.
///
/// Holds up to [`CAPACITY`](Self::CAPACITY) bytes, which is more than any [`PriorityField`] or
/// [`LevelField`] needs.
///
/// [`PriorityField`]: super::PriorityField
/// [`LevelField`]: super::LevelField
#[derive(Clone)]
pub struct TextBuf {
    /// ASCII only; what lies behind `len` is left over.
    bytes: [u8; Self::CAPACITY],
    len: usize,
}

impl TextBuf {
    /// Bytes it has room for; the longest field, a level with all its parameters, has 38.
    pub const CAPACITY: usize = 48;

    /// Returns an empty text.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            bytes: [0; Self::CAPACITY],
            len: 0,
        }
    }

    /// Returns the text.
    ///
    /// # Panics
    ///
    /// Never: only ASCII is ever written.
    #[must_use]
    #[inline]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).expect("only ASCII is written")
    }

    /// Returns the text as bytes.
    #[must_use]
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Makes it empty.
    pub const fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends ASCII text.
    #[inline]
    pub(super) fn push(&mut self, ascii: &[u8]) {
        debug_assert!(ascii.is_ascii());
        self.bytes[self.len..self.len + ascii.len()].copy_from_slice(ascii);
        self.len += ascii.len();
    }

    /// Appends a number in decimal digits.
    #[inline]
    pub(super) fn push_number(&mut self, number: u32) {
        let mut digits = [0; 10];
        let mut first = digits.len();
        let mut left = number;
        loop {
            first -= 1;
            // Less than 10, so it fits; `to_le_bytes` says so without a cast.
            digits[first] = b'0' + (left % 10).to_le_bytes()[0];
            left /= 10;
            if left == 0 {
                break;
            }
        }
        self.push(&digits[first..]);
    }
}

impl Default for TextBuf {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for TextBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for TextBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
