//! The encryption: AES-256-CBC, and the layout within.
//!
//! The initial vector is the first half of the key, so it never changes; what makes two ciphertexts of one
//! message differ are the 16 random bytes before it:
//!
//! ```text
//! random (16) | length of the message (u32, big-endian) | message | receiver's id | padding (1 to 32)
//! ```
//!
//! The padding is PKCS#7 for a block of **32** bytes, although AES's is 16; cipher libraries refuse half of
//! these, so it is done by hand. CBC proves nothing: whoever can have ciphertexts of their own decrypted, and
//! learns whether the padding was right, reads any message. So nothing is decrypted before its signature has
//! been verified, and no fault found in here is told apart to the peer.

use aes::{Aes256Dec, Aes256Enc};
use cbc::cipher::{BlockModeDecrypt, BlockModeEncrypt, InnerIvInit, KeyInit, array::Array};

/// The key, expanded once for both directions.
pub(super) struct Cipher {
    encrypt: Aes256Enc,
    decrypt: Aes256Dec,
    iv: [u8; 16],
}

/// What is wrong with a ciphertext. For counting alone: the peer is told the same of all.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Broken {
    /// No multiple of 32 bytes, or none at all.
    Length,
    Padding,
    /// The length within does not fit.
    Layout,
    /// Meant for somebody else.
    ReceiveId,
}

/// The random bytes and the length.
const HEAD: usize = 20;
/// What the padding fills up to a multiple of, in bytes.
const BLOCK: usize = 32;

// === impl Cipher ===

impl Cipher {
    pub(super) fn new(key: [u8; 32]) -> Self {
        let mut iv = [0; 16];
        iv.copy_from_slice(&key[..16]);
        let key = key.into();
        Self {
            encrypt: Aes256Enc::new(&key),
            decrypt: Aes256Dec::new(&key),
            iv,
        }
    }

    /// Lays out and encrypts a message. `None` if it is 4 GiB or longer, which the layout cannot tell.
    pub(super) fn encrypt(&self, random: [u8; 16], plain: &[u8], id: &str) -> Option<Vec<u8>> {
        let length = u32::try_from(plain.len()).ok()?;
        let used = HEAD + plain.len() + id.len();
        let pad = BLOCK - used % BLOCK;
        let mut buf = Vec::with_capacity(used + pad);
        buf.extend_from_slice(&random);
        buf.extend_from_slice(&length.to_be_bytes());
        buf.extend_from_slice(plain);
        buf.extend_from_slice(id.as_bytes());
        buf.resize(used + pad, u8::try_from(pad).ok()?);

        let (blocks, _) = Array::slice_as_chunks_mut(&mut buf);
        cbc::Encryptor::inner_iv_init(&self.encrypt, &self.iv.into()).encrypt_blocks(blocks);
        Some(buf)
    }

    /// Decrypts what was encrypted for `id`, and returns the message.
    pub(super) fn decrypt(&self, mut buf: Vec<u8>, id: &str) -> Result<Vec<u8>, Broken> {
        if buf.is_empty() || !buf.len().is_multiple_of(BLOCK) {
            return Err(Broken::Length);
        }
        let (blocks, _) = Array::slice_as_chunks_mut(&mut buf);
        cbc::Decryptor::inner_iv_init(&self.decrypt, &self.iv.into()).decrypt_blocks(blocks);

        let used = unpadded(&buf).ok_or(Broken::Padding)?;
        let end = message_end(&buf[..used]).ok_or(Broken::Layout)?;
        if &buf[end..used] != id.as_bytes() {
            return Err(Broken::ReceiveId);
        }
        buf.truncate(end);
        buf.drain(..HEAD);
        Ok(buf)
    }
}

/// Returns how many bytes come before the padding, if every byte of that is right.
fn unpadded(buf: &[u8]) -> Option<usize> {
    let last = *buf.last()?;
    let pad = usize::from(last);
    let used = buf.len().checked_sub(pad)?;
    let right = (1..=BLOCK).contains(&pad) && buf[used..].iter().all(|byte| *byte == last);
    right.then_some(used)
}

/// Returns where the message ends, if that is within `buf`.
fn message_end(buf: &[u8]) -> Option<usize> {
    let length = buf.get(16..HEAD)?.try_into().ok()?;
    let length = usize::try_from(u32::from_be_bytes(length)).ok()?;
    let end = HEAD.checked_add(length)?;
    (end <= buf.len()).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "ww6a112864f8022910";

    /// Encrypts what is laid out already, right or wrong.
    fn raw(cipher: &Cipher, laid_out: &[u8]) -> Vec<u8> {
        let mut buf = laid_out.to_vec();
        let (blocks, rest) = Array::slice_as_chunks_mut(&mut buf);
        assert!(rest.is_empty());
        cbc::Encryptor::inner_iv_init(&cipher.encrypt, &cipher.iv.into()).encrypt_blocks(blocks);
        buf
    }

    fn laid_out(length: u32, rest: &[u8], pad: u8) -> Vec<u8> {
        let mut buf = vec![7; 16];
        buf.extend_from_slice(&length.to_be_bytes());
        buf.extend_from_slice(rest);
        buf.resize(buf.len() + usize::from(pad), pad);
        buf
    }

    #[test]
    fn decrypts_what_it_encrypted_at_every_length_of_padding() {
        let cipher = Cipher::new([5; 32]);
        for length in 0..=64 {
            let plain = vec![b'x'; length];
            let sealed = cipher.encrypt([9; 16], &plain, ID).unwrap();
            assert_eq!(sealed.len() % BLOCK, 0);
            assert_eq!(cipher.decrypt(sealed, ID).unwrap(), plain);
        }
    }

    #[test]
    fn refuses_every_malformed_layout() {
        let cipher = Cipher::new([5; 32]);
        let decrypt = |laid_out: &[u8]| cipher.decrypt(raw(&cipher, laid_out), ID);
        let with = |length, pad| laid_out(length, format!("ab{ID}").as_bytes(), pad);

        assert_eq!(decrypt(&with(2, 24)).unwrap(), b"ab");
        assert_eq!(cipher.decrypt(Vec::new(), ID), Err(Broken::Length));
        assert_eq!(decrypt(&with(2, 24)[..48]), Err(Broken::Length));

        for at in 40..64 {
            let mut wrong = with(2, 24);
            wrong[at] ^= 0x80;
            assert_eq!(decrypt(&wrong), Err(Broken::Padding), "byte {at}");
        }
        assert_eq!(
            decrypt(&[33; 64]),
            Err(Broken::Padding),
            "more than a block"
        );
        assert_eq!(decrypt(&[0; 64]), Err(Broken::Padding), "none");
        assert_eq!(
            decrypt(&[16; 32]),
            Err(Broken::Layout),
            "no room for a length"
        );

        for length in [21, 0x7fff_ffff, u32::MAX] {
            assert_eq!(decrypt(&with(length, 24)), Err(Broken::Layout), "{length}");
        }
        for length in [0, 1, 3, 20] {
            assert_eq!(
                decrypt(&with(length, 24)),
                Err(Broken::ReceiveId),
                "{length}"
            );
        }
    }

    #[test]
    fn an_empty_id_matches_no_other_than_an_empty_one() {
        let cipher = Cipher::new([5; 32]);
        let to_none = cipher.encrypt([9; 16], b"ab", "").unwrap();
        assert_eq!(cipher.decrypt(to_none.clone(), "").unwrap(), b"ab");
        assert_eq!(cipher.decrypt(to_none, ID), Err(Broken::ReceiveId));
        let to_one = cipher.encrypt([9; 16], b"ab", ID).unwrap();
        assert_eq!(cipher.decrypt(to_one, ""), Err(Broken::ReceiveId));
    }
}
