//! The field that a request has when others were withheld before it.

use std::fmt;

use super::{scan::Scan, text::TextBuf};
use crate::{observe::FieldFault, priority::Business};

/// What a caller withheld from an instance since its last request to it: `3;n=120, 5;n=40`.
///
/// A count for each business, at most 65535 of each: larger ones saturate. Businesses of which nothing
/// was withheld are left out.
#[derive(Clone, Eq, PartialEq)]
pub struct DemandField {
    counts: [u16; 256],
    /// Which counts are above zero: bit `b % 64` of word `b / 64`.
    present: [u64; 4],
}

impl DemandField {
    /// Bytes from which on a text is not even read. All 256 businesses need less than 3.3 KiB; the usual
    /// text has none or one.
    pub const LONGEST: usize = 4096;

    /// Returns the field of a caller that withheld nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            counts: [0; 256],
            present: [0; 4],
        }
    }

    /// Adds `count` withheld requests of `business`.
    #[inline]
    pub fn add(&mut self, business: Business, count: u32) {
        if count == 0 {
            return;
        }
        let index = usize::from(business.get());
        let count = u16::try_from(count).unwrap_or(u16::MAX);
        self.counts[index] = self.counts[index].saturating_add(count);
        self.present[index / 64] |= 1 << (index % 64);
    }

    /// Returns how many requests of `business` were withheld.
    #[must_use]
    pub fn get(&self, business: Business) -> u16 {
        self.counts[usize::from(business.get())]
    }

    /// Returns whether nothing was withheld: there is nothing to send.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.present == [0; 4]
    }

    /// Returns of how many businesses something was withheld, 0 to 256.
    #[must_use]
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Returns the businesses of which something was withheld, the most important first, and how much.
    pub fn iter(&self) -> impl Iterator<Item = (Business, u16)> + '_ {
        let mut left = self.present;
        let mut word = 0;
        std::iter::from_fn(move || {
            while *left.get(word)? == 0 {
                word += 1;
            }
            let bits = &mut left[word];
            let bit = bits.trailing_zeros();
            *bits &= *bits - 1;
            let number = u8::try_from(word * 64).ok()? + u8::try_from(bit).ok()?;
            Some((Business::new(number), self.counts[usize::from(number)]))
        })
    }

    /// Reads the field; parameters it does not know are stepped over, a business named twice is added up.
    ///
    /// # Errors
    ///
    /// [`FieldFault::TooLong`] above [`LONGEST`](Self::LONGEST) bytes; [`FieldFault::Malformed`] if it is no
    /// structured list, a member has no count, or one of its numbers is out of range.
    #[inline]
    pub fn parse(text: &[u8]) -> Result<Self, FieldFault> {
        let mut scan = Scan::list(text, Self::LONGEST)?;
        let mut demand = Self::new();
        let mut more = !scan.is_empty();
        while more {
            let mut count = None;
            let business = scan.member(|key, value| {
                if key == b"n" {
                    count = Some(value);
                }
            })?;
            let count: u16 = count.ok_or(FieldFault::Malformed)?.number()?;
            demand.add(Business::new(business.number()?), count.into());
            more = scan.next()?;
        }
        Ok(demand)
    }

    /// Appends the text to `text`, without allocating but for what `text` does.
    ///
    /// # Errors
    ///
    /// Those of `text`.
    pub fn write(&self, text: &mut impl fmt::Write) -> fmt::Result {
        for (index, (business, count)) in self.iter().enumerate() {
            let mut member = TextBuf::new();
            if index > 0 {
                member.push(b", ");
            }
            member.push_number(business.get().into());
            member.push(b";n=");
            member.push_number(count.into());
            text.write_str(member.as_str())?;
        }
        Ok(())
    }
}

impl Default for DemandField {
    fn default() -> Self {
        Self::new()
    }
}

impl FromIterator<(Business, u32)> for DemandField {
    fn from_iter<I: IntoIterator<Item = (Business, u32)>>(counts: I) -> Self {
        let mut demand = Self::new();
        for (business, count) in counts {
            demand.add(business, count);
        }
        demand
    }
}

impl fmt::Display for DemandField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

impl fmt::Debug for DemandField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DemandField({self})")
    }
}
