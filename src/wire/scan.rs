//! The part of RFC 9651 (structured fields) that the fields need, read in one pass without allocating.
//!
//! Everything the grammar allows in a list is followed, so that members and parameters nobody here
//! knows can be stepped over; only integers and booleans are kept. Two things are left to whoever wants
//! the value, because nothing here does: byte sequences are not decoded, display strings not checked
//! for UTF-8.

use crate::observe::FieldFault;

/// A place in the text of a field.
pub(super) struct Scan<'a> {
    rest: &'a [u8],
}

/// A bare item, as far as it matters.
#[derive(Clone, Copy)]
pub(super) enum Bare {
    Integer(i64),
    Boolean(bool),
    /// A decimal, string, token, byte sequence, date, display string or inner list.
    Other,
}

const MALFORMED: FieldFault = FieldFault::Malformed;

// === impl Bare ===

impl Bare {
    /// Returns the integer, if it is one and `T` has room for it.
    #[inline]
    pub(super) fn number<T: TryFrom<i64>>(self) -> Result<T, FieldFault> {
        match self {
            Self::Integer(number) => T::try_from(number).map_err(|_| MALFORMED),
            Self::Boolean(_) | Self::Other => Err(MALFORMED),
        }
    }

    #[inline]
    pub(super) fn boolean(self) -> Result<bool, FieldFault> {
        match self {
            Self::Boolean(value) => Ok(value),
            Self::Integer(_) | Self::Other => Err(MALFORMED),
        }
    }
}

// === impl Scan ===

impl<'a> Scan<'a> {
    /// Returns a scan at the first member of the list in `text`, which is at most `longest` bytes.
    #[inline]
    pub(super) fn list(text: &'a [u8], longest: usize) -> Result<Self, FieldFault> {
        if text.len() > longest {
            return Err(FieldFault::TooLong);
        }
        let mut scan = Self { rest: text };
        scan.skip(|byte| byte == b' ');
        Ok(scan)
    }

    /// Returns whether nothing is left.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Reads one member and hands its parameters to `parameter` in order; of two of a name, the last counts.
    #[inline]
    pub(super) fn member(
        &mut self,
        parameter: impl FnMut(&'a [u8], Bare),
    ) -> Result<Bare, FieldFault> {
        let bare = if self.peek() == Some(b'(') {
            self.inner_list()?;
            Bare::Other
        } else {
            self.bare()?
        };
        self.parameters(parameter)?;
        Ok(bare)
    }

    /// Steps to the next member; returns whether there must be one, as there must after a comma.
    #[inline]
    pub(super) fn next(&mut self) -> Result<bool, FieldFault> {
        self.skip(is_space);
        if self.is_empty() {
            return Ok(false);
        }
        self.expect(b',')?;
        self.skip(is_space);
        Ok(true)
    }

    /// Steps over all further members.
    #[inline]
    pub(super) fn finish(&mut self) -> Result<(), FieldFault> {
        while self.next()? {
            self.member(|_, _| ())?;
        }
        Ok(())
    }

    #[inline(always)]
    fn parameters(&mut self, mut parameter: impl FnMut(&'a [u8], Bare)) -> Result<(), FieldFault> {
        while self.peek() == Some(b';') {
            self.step();
            self.skip(|byte| byte == b' ');
            let key = self.key()?;
            let value = if self.peek() == Some(b'=') {
                self.step();
                self.bare()?
            } else {
                Bare::Boolean(true)
            };
            parameter(key, value);
        }
        Ok(())
    }

    #[inline(always)]
    fn key(&mut self) -> Result<&'a [u8], FieldFault> {
        let all = self.rest;
        match self.peek() {
            Some(b'a'..=b'z' | b'*') => self.step(),
            _ => return Err(MALFORMED),
        }
        self.skip(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'*'));
        Ok(&all[..all.len() - self.rest.len()])
    }

    #[inline(always)]
    fn bare(&mut self) -> Result<Bare, FieldFault> {
        match self.peek() {
            Some(b'0'..=b'9' | b'-') => self.number(),
            Some(_) => self.other(),
            None => Err(MALFORMED),
        }
    }

    /// Reads an integer of up to 15 digits, or steps over a decimal.
    #[inline(always)]
    fn number(&mut self) -> Result<Bare, FieldFault> {
        let negative = self.peek() == Some(b'-');
        if negative {
            self.step();
        }
        let (mut number, mut digits) = (0, 0);
        while let [digit @ b'0'..=b'9', rest @ ..] = self.rest {
            number = number * 10 + i64::from(digit - b'0');
            digits += 1;
            self.rest = rest;
            if digits > 15 {
                return Err(MALFORMED);
            }
        }
        if digits == 0 {
            return Err(MALFORMED);
        }
        if self.peek() == Some(b'.') {
            return self.fraction(digits);
        }
        Ok(Bare::Integer(if negative { -number } else { number }))
    }

    /// Steps over the fraction of a decimal: at most 12 digits before the point, 1 to 3 after it.
    fn fraction(&mut self, digits: u32) -> Result<Bare, FieldFault> {
        self.step();
        let before = self.rest.len();
        self.skip(|byte| byte.is_ascii_digit());
        match before - self.rest.len() {
            1..=3 if digits <= 12 => Ok(Bare::Other),
            _ => Err(MALFORMED),
        }
    }

    /// Reads anything but a number.
    #[cold]
    fn other(&mut self) -> Result<Bare, FieldFault> {
        let first = self.peek().ok_or(MALFORMED)?;
        self.step();
        match first {
            b'?' => match self.take()? {
                b'0' => return Ok(Bare::Boolean(false)),
                b'1' => return Ok(Bare::Boolean(true)),
                _ => return Err(MALFORMED),
            },
            b'a'..=b'z' | b'A'..=b'Z' | b'*' => self.skip(is_token),
            b'"' => self.string()?,
            b':' => {
                self.skip(|byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
                });
                self.expect(b':')?;
            }
            b'@' => match self.number()? {
                Bare::Integer(_) => {}
                Bare::Boolean(_) | Bare::Other => return Err(MALFORMED),
            },
            b'%' => self.display_string()?,
            _ => return Err(MALFORMED),
        }
        Ok(Bare::Other)
    }

    fn string(&mut self) -> Result<(), FieldFault> {
        loop {
            match self.take()? {
                b'"' => return Ok(()),
                b'\\' => match self.take()? {
                    b'"' | b'\\' => {}
                    _ => return Err(MALFORMED),
                },
                b' '..=b'~' => {}
                _ => return Err(MALFORMED),
            }
        }
    }

    fn display_string(&mut self) -> Result<(), FieldFault> {
        self.expect(b'"')?;
        loop {
            match self.take()? {
                b'"' => return Ok(()),
                b'%' => {
                    for _ in 0..2 {
                        match self.take()? {
                            b'0'..=b'9' | b'a'..=b'f' => {}
                            _ => return Err(MALFORMED),
                        }
                    }
                }
                b' '..=b'~' => {}
                _ => return Err(MALFORMED),
            }
        }
    }

    #[cold]
    fn inner_list(&mut self) -> Result<(), FieldFault> {
        self.expect(b'(')?;
        loop {
            self.skip(|byte| byte == b' ');
            if self.peek() == Some(b')') {
                self.step();
                return Ok(());
            }
            self.bare()?;
            self.parameters(|_, _| ())?;
            // A space, or the end: items are set apart by spaces.
            match self.peek() {
                Some(b' ' | b')') => {}
                _ => return Err(MALFORMED),
            }
        }
    }

    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn take(&mut self) -> Result<u8, FieldFault> {
        let byte = self.peek().ok_or(MALFORMED)?;
        self.step();
        Ok(byte)
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Result<(), FieldFault> {
        if self.peek() != Some(byte) {
            return Err(MALFORMED);
        }
        self.step();
        Ok(())
    }

    #[inline(always)]
    fn skip(&mut self, which: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&which) {
            self.step();
        }
    }

    #[inline(always)]
    fn step(&mut self) {
        if let [_, rest @ ..] = self.rest {
            self.rest = rest;
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&byte)
}
