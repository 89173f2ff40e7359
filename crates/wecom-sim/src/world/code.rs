//! The contact ways ("live codes") of one enterprise: 88 bytes each and their lists.

use serde_json::Value;

use super::hold;

/// All of them, by index; the index never changes and is in the `config_id`.
#[derive(Debug, Default)]
pub(crate) struct Codes {
    list: Vec<Code>,
    /// How many are neither deleted nor temporary.
    counted: u64,
    /// How many are not deleted.
    there: usize,
    /// Those with an update under way.
    writing: Vec<u32>,
    /// The day of UTC+8 that `temp_made` counts for.
    temp_day: u64,
    temp_made: u64,
}

/// One code.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) users: Box<[u32]>,
    pub(crate) parties: Box<[u32]>,
    pub(crate) state: Box<str>,
    pub(crate) remark: Box<str>,
    /// Absent but for temporary ones.
    pub(crate) temp: Option<Box<Temp>>,
    /// Seconds since the Unix epoch; enough until 2106.
    pub(crate) created_s: u32,
    /// 1 single, 2 multi.
    pub(crate) kind: u8,
    /// 1 button, 2 QR code.
    pub(crate) scene: u8,
    /// 0: none.
    pub(crate) style: u8,
    pub(crate) skip_verify: bool,
    pub(crate) is_exclusive: bool,
    pub(crate) mark_source: bool,
    /// Set by [`Codes::delete`] alone.
    pub(crate) deleted: bool,
}

/// What only temporary codes have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Temp {
    pub(crate) expires_in: u32,
    pub(crate) chat_expires_in: u32,
    pub(crate) unionid: Box<str>,
    /// As replies hold them; null: none.
    pub(crate) conclusions: Value,
}

// === impl Code ===

impl Code {
    /// A QR code for many that was made then, without members.
    pub(crate) fn new(created_s: u64) -> Self {
        Self {
            users: Box::default(),
            parties: Box::default(),
            state: Box::default(),
            remark: Box::default(),
            temp: None,
            created_s: u32::try_from(created_s).unwrap_or(u32::MAX),
            kind: 2,
            scene: 2,
            style: 0,
            skip_verify: true,
            is_exclusive: false,
            mark_source: true,
            deleted: false,
        }
    }

    /// When a temporary one ends, in seconds since the Unix epoch.
    pub(crate) fn ends_s(&self) -> Option<u64> {
        let temp = self.temp.as_ref()?;
        Some(u64::from(self.created_s) + u64::from(temp.expires_in))
    }

    /// Whether it is a temporary one that ended.
    pub(crate) fn has_ended(&self, now_s: u64) -> bool {
        self.ends_s().is_some_and(|end| end <= now_s)
    }
}

// === impl Codes ===

impl Codes {
    /// Returns the code of this index, unless it was deleted.
    pub(crate) fn get(&self, index: u32) -> Option<&Code> {
        let code = self.list.get(usize::try_from(index).ok()?)?;
        (!code.deleted).then_some(code)
    }

    /// Whether the code of this index is or was there.
    pub(crate) fn had(&self, index: u32) -> bool {
        usize::try_from(index).is_ok_and(|index| index < self.list.len())
    }

    pub(crate) fn get_mut(&mut self, index: u32) -> Option<&mut Code> {
        let code = self.list.get_mut(usize::try_from(index).ok()?)?;
        (!code.deleted).then_some(code)
    }

    /// How many are neither deleted nor temporary.
    pub(crate) fn counted(&self) -> u64 {
        self.counted
    }

    /// How many are there, temporary ones too.
    pub(crate) fn count(&self) -> usize {
        self.there
    }

    /// Adds one; `None` when the indexes have run out.
    pub(crate) fn add(&mut self, code: Code) -> Option<u32> {
        let index = u32::try_from(self.list.len()).ok()?;
        if code.temp.is_none() {
            self.counted += 1;
        }
        self.there += 1;
        self.list.push(code);
        Some(index)
    }

    /// Adds codes that are not temporary, in memory for just them; returns their indexes.
    pub(crate) fn add_all(&mut self, codes: Vec<Code>) -> Option<std::ops::Range<u32>> {
        let first = u32::try_from(self.list.len()).ok()?;
        let after = first.checked_add(u32::try_from(codes.len()).ok()?)?;
        self.counted += u64::from(after - first);
        self.there += codes.len();
        if self.list.is_empty() {
            self.list.reserve_exact(codes.len());
        }
        self.list.extend(codes);
        Some(first..after)
    }

    /// Deletes one, for good; its index stays taken. Returns whether it was there.
    pub(crate) fn delete(&mut self, index: u32) -> bool {
        let Some(code) = self.get_mut(index) else {
            return false;
        };
        let counted = code.temp.is_none();
        *code = Code {
            deleted: true,
            ..Code::new(u64::from(code.created_s))
        };
        if counted {
            self.counted -= 1;
        }
        self.there -= 1;
        true
    }

    /// All from this index on, oldest first, also deleted ones.
    pub(crate) fn from(&self, index: u32) -> impl Iterator<Item = (u32, &Code)> {
        let skipped = usize::try_from(index).unwrap_or(usize::MAX);
        let rest = self.list.get(skipped..).unwrap_or_default();
        (index..).zip(rest).inspect(|_| hold::touch())
    }

    /// Counts a temporary code made at `now_s`; `false` if the day's share is used up.
    pub(crate) fn count_temp(&mut self, now_s: u64, per_day: u64) -> bool {
        let day = (now_s + 8 * 3600) / 86_400;
        if day != self.temp_day {
            (self.temp_day, self.temp_made) = (day, 0);
        }
        let within = self.temp_made < per_day;
        self.temp_made += u64::from(within);
        within
    }

    /// Notes that an update of it is under way; `false` if one is already.
    pub(crate) fn begin_writing(&mut self, index: u32) -> bool {
        let free = !self.is_written(index);
        if free {
            self.writing.push(index);
        }
        free
    }

    pub(crate) fn is_written(&self, index: u32) -> bool {
        self.writing.contains(&index)
    }

    pub(crate) fn end_writing(&mut self, index: u32) {
        self.writing.retain(|there| *there != index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_takes_88_bytes_and_its_lists() {
        // Six million of them: each byte more is six megabytes.
        assert!(size_of::<Code>() <= 88, "{} bytes", size_of::<Code>());
    }

    #[test]
    fn a_deleted_code_keeps_its_index_and_nothing_else() {
        let mut codes = Codes::default();
        let named = |state: &str| Code {
            state: state.into(),
            ..Code::new(5)
        };
        assert_eq!(codes.add_all(vec![named("a"), named("b")]), Some(0..2));
        assert!(codes.delete(0));
        assert!(!codes.delete(0));
        assert!(codes.get(0).is_none());
        assert_eq!((codes.counted(), codes.add(named("c"))), (1, Some(2)));
        let left: Vec<_> = codes
            .from(0)
            .filter(|(_, code)| !code.deleted)
            .map(|(index, code)| (index, &*code.state))
            .collect();
        assert_eq!((left, codes.count()), (vec![(1, "b"), (2, "c")], 2));
    }

    #[test]
    fn the_day_of_temporary_codes_begins_at_midnight_in_utc_8() {
        let mut codes = Codes::default();
        let midnight = 1_760_025_600;
        assert!(codes.count_temp(midnight - 1, 1));
        assert!(!codes.count_temp(midnight - 1, 1));
        assert!(codes.count_temp(midnight, 1));
    }
}
