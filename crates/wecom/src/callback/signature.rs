//! The signature: who knows the token, and that nothing was changed on the way.
//!
//! `lower_hex(sha1(concat(sort([token, timestamp, nonce, encrypt]))))`, sorted as bytes. SHA-1 is WeCom's
//! choice. That collisions of it can be made does not help a forger, who does not know the token and so
//! cannot compute even one digest; but the concatenation has no separators, so a digit could be moved from
//! the end of one part to the beginning of its neighbour. The parts have fixed alphabets and the order is
//! by content, so such a move changes a timestamp into one outside the window, or the ciphertext into one
//! that does not decrypt.
//!
//! Compared in constant time: how long a refusal takes must not tell how many digits were right.

use sha1::{Digest, Sha1};
use subtle::ConstantTimeEq;

/// A signature in lower-case hexadecimal.
pub(super) type Hex = [u8; 40];

/// Returns the signature of the parts.
pub(super) fn sign(token: &str, timestamp: &str, nonce: &str, encrypt: &str) -> Hex {
    let mut parts = [token, timestamp, nonce, encrypt].map(str::as_bytes);
    parts.sort_unstable();
    let mut hash = Sha1::new();
    for part in parts {
        hash.update(part);
    }
    let mut hex = [0; 40];
    for (pair, byte) in hex.chunks_exact_mut(2).zip(hash.finalize()) {
        pair[0] = digit(byte >> 4);
        pair[1] = digit(byte & 0xf);
    }
    hex
}

/// Returns whether a peer's signature is this one; takes the same time wherever they differ.
pub(super) fn same(ours: &Hex, theirs: &str) -> bool {
    ours.ct_eq(theirs.as_bytes()).into()
}

const fn digit(nibble: u8) -> u8 {
    if nibble < 10 {
        b'0' + nibble
    } else {
        b'a' + nibble - 10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_one_of_the_official_example_and_of_no_other() {
        let hex = sign(
            "QDG6eK",
            "1409659589",
            "263014780",
            "P9nAzCzyDtyTWESHep1vC5X9xho/qYX3Zpb4yKa9SKld1DsH3Iyt3tP3zNdtp+4RPcs8TgAE7OaBO+FZXvnaqQ==",
        );
        let good = "5c45ff5e21c57e6ad56bac8758b79b1d9ac89fd3";
        assert!(same(&hex, good));
        for at in 0..good.len() {
            let mut bad = good.as_bytes().to_vec();
            bad[at] ^= 1;
            assert!(
                !same(&hex, std::str::from_utf8(&bad).unwrap()),
                "digit {at}"
            );
        }
        for bad in ["", &good[1..], &format!("{good}0"), &good.to_uppercase()] {
            assert!(!same(&hex, bad), "{bad:?}");
        }
    }
}
