//! Names that look random and are not stored: a keyed permutation of 128 bits.
//!
//! A `config_id` is the enterprise's number and the code's index, permuted: six million of them cost nothing,
//! are found without a table, and tell nobody which comes next. It keeps names apart; it is no cipher.

/// Makes and reads names of one kind.
#[derive(Clone, Copy)]
pub(crate) struct Scramble {
    keys: [u64; ROUNDS],
    /// What the second half of every name holds before it is permuted: a name with another is none.
    check: u64,
}

/// The length of a name: 32 hexadecimal digits, as real `config_id`s have.
pub(crate) const NAME_LEN: usize = 32;

/// Four rounds make a Feistel network a permutation that mixes both halves; two more are for safety.
const ROUNDS: usize = 6;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

// === impl Scramble ===

impl Scramble {
    /// Returns the names of this seed and kind; those of two kinds have nothing in common.
    pub(crate) fn new(seed: u64, kind: &str) -> Self {
        let mut hash = blake3::Hasher::new();
        hash.update(&seed.to_le_bytes());
        hash.update(kind.as_bytes());
        let mut stream = hash.finalize_xof();
        let mut word = || {
            let mut bytes = [0; 8];
            stream.fill(&mut bytes);
            u64::from_le_bytes(bytes)
        };
        Self {
            keys: std::array::from_fn(|_| word()),
            check: word(),
        }
    }

    /// Returns the name of these two numbers.
    pub(crate) fn name(&self, high: u32, low: u32) -> [u8; NAME_LEN] {
        let mut left = (u64::from(high) << 32) | u64::from(low);
        let mut right = self.check;
        for key in self.keys {
            (left, right) = (right, left ^ mix(right, key));
        }
        let bits = (u128::from(left) << 64) | u128::from(right);
        let mut name = [0; NAME_LEN];
        for (pair, byte) in name.chunks_exact_mut(2).zip(bits.to_be_bytes()) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        name
    }

    /// Returns the name of these two numbers as text.
    pub(crate) fn text(&self, high: u32, low: u32) -> String {
        self.name(high, low)
            .iter()
            .copied()
            .map(char::from)
            .collect()
    }

    /// Returns the numbers that this is the name of.
    pub(crate) fn numbers(&self, name: &str) -> Option<(u32, u32)> {
        if name.len() != NAME_LEN {
            return None;
        }
        let mut bits = 0_u128;
        for digit in name.bytes() {
            let value = match digit {
                b'0'..=b'9' => digit - b'0',
                b'a'..=b'f' => digit - b'a' + 10,
                _ => return None,
            };
            bits = (bits << 4) | u128::from(value);
        }
        let [mut left, mut right] = halves(bits);
        for key in self.keys.iter().rev() {
            (left, right) = (right ^ mix(left, *key), left);
        }
        if right != self.check {
            return None;
        }
        let low = u32::try_from(left & u64::from(u32::MAX)).ok()?;
        Some((u32::try_from(left >> 32).ok()?, low))
    }
}

fn halves(bits: u128) -> [u64; 2] {
    let bytes = bits.to_be_bytes();
    let half = |from: usize| {
        let mut half = [0; 8];
        half.copy_from_slice(&bytes[from..from + 8]);
        u64::from_be_bytes(half)
    };
    [half(0), half(8)]
}

/// The finalizer of SplitMix64, keyed.
fn mix(value: u64, key: u64) -> u64 {
    let mut mixed = (value ^ key).wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)).wrapping_add(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_back() {
        let names = Scramble::new(1, "code");
        for (high, low) in [(0, 0), (1, 0), (0, 1), (30_000, 199), (u32::MAX, u32::MAX)] {
            assert_eq!(names.numbers(&names.text(high, low)), Some((high, low)));
        }
    }

    #[test]
    fn a_changed_name_and_one_of_another_kind_are_none() {
        let names = Scramble::new(1, "code");
        let name = names.text(7, 8);
        let other = if name.starts_with('0') { '1' } else { '0' };
        assert_eq!(names.numbers(&format!("{other}{}", &name[1..])), None);
        assert_eq!(names.numbers(&name[1..]), None);
        assert_eq!(
            names.numbers(&name.to_uppercase().replace(char::is_numeric, "Z")),
            None
        );
        assert_eq!(Scramble::new(1, "token").numbers(&name), None);
        assert_eq!(Scramble::new(2, "code").numbers(&name), None);
    }

    #[test]
    fn neighbours_have_nothing_in_common() {
        let names = Scramble::new(1, "code");
        let (one, two) = (names.name(5, 1), names.name(5, 2));
        let same = one.iter().zip(two).filter(|(a, b)| **a == *b).count();
        assert!(same < 10, "{same} of 32 digits are the same");
    }
}
