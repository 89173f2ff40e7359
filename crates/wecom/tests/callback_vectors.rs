//! The published vectors: six projects' and Tencent's own, in both directions.

use serde::Deserialize;
use wecom::callback::{Keys, Rejected, Signed};

#[derive(Deserialize)]
struct Vector {
    name: String,
    encoding_aes_key: String,
    token: Option<String>,
    timestamp: Option<String>,
    nonce: Option<String>,
    msg_signature: Option<String>,
    encrypt_b64: String,
    random16_hex: String,
    plaintext: String,
    receive_id: String,
    pad_len: usize,
}

// === impl Vector ===

impl Vector {
    /// Those that were published without a token get one, for nothing is decrypted unsigned.
    fn keys(&self, encoding_aes_key: &str) -> Keys {
        let token = self.token.as_deref().unwrap_or("none");
        Keys::new(token, encoding_aes_key, &self.receive_id).expect("valid keys")
    }

    fn random(&self) -> [u8; 16] {
        let number = u128::from_str_radix(&self.random16_hex, 16).expect("32 hexadecimal digits");
        number.to_be_bytes()
    }
}

fn vectors() -> Vec<Vector> {
    let vectors = serde_json::from_str(include_str!("vectors/callback.json"));
    let vectors: Vec<Vector> = vectors.expect("the file of vectors");
    assert_eq!(vectors.len(), 15);
    vectors
}

#[test]
fn published_signatures_verify_and_what_they_sign_decrypts() {
    let mut signed = 0;
    for vector in vectors() {
        let Some(msg_signature) = &vector.msg_signature else {
            continue;
        };
        signed += 1;
        let of = Signed {
            msg_signature,
            timestamp: vector.timestamp.as_deref().unwrap(),
            nonce: vector.nonce.as_deref().unwrap(),
        };
        let keys = vector.keys(&vector.encoding_aes_key);
        let plain = keys.open(&of, &vector.encrypt_b64);
        assert_eq!(
            plain.unwrap(),
            vector.plaintext.as_bytes(),
            "{}",
            vector.name
        );
    }
    assert_eq!(signed, 11);
}

#[test]
fn every_vector_encrypts_to_what_was_published_and_decrypts_again() {
    for vector in vectors() {
        let keys = vector.keys(&vector.encoding_aes_key);
        let timestamp = vector.timestamp.as_deref().unwrap_or("1409659813");
        let nonce = vector.nonce.as_deref().unwrap_or("1372623149");
        let plain = vector.plaintext.as_bytes();
        let sealed = keys.seal_with(plain, timestamp.parse().unwrap(), nonce, vector.random());
        assert_eq!(sealed.encrypt, vector.encrypt_b64, "{}", vector.name);
        if let Some(msg_signature) = &vector.msg_signature {
            assert_eq!(&sealed.msg_signature, msg_signature, "{}", vector.name);
        }
        let padding = 32 - (20 + plain.len() + vector.receive_id.len()) % 32;
        assert_eq!(padding, vector.pad_len, "{}", vector.name);

        let of = Signed {
            msg_signature: &sealed.msg_signature,
            timestamp,
            nonce,
        };
        assert_eq!(keys.open(&of, &vector.encrypt_b64).unwrap(), plain);
    }
}

#[test]
fn c7_a_key_may_end_in_any_letter_or_digit() {
    let letters = ('A'..='Z').chain('a'..='z').chain('0'..='9');
    let vector = &vectors()[3];
    let (but_last, last) = vector.encoding_aes_key.split_at(42);
    assert_eq!(
        last, "C",
        "the official key, which a strict decoder refuses"
    );
    let mut same = 0;
    for letter in letters.clone() {
        let keys = vector.keys(&format!("{but_last}{letter}"));
        let of = Signed {
            msg_signature: vector.msg_signature.as_deref().unwrap(),
            timestamp: vector.timestamp.as_deref().unwrap(),
            nonce: vector.nonce.as_deref().unwrap(),
        };
        match keys.open(&of, &vector.encrypt_b64) {
            Ok(plain) => {
                assert_eq!(plain, vector.plaintext.as_bytes());
                same += 1;
            }
            Err(error) => assert_eq!(error, Rejected::Cipher, "another key: {letter}"),
        }
    }
    assert_eq!(letters.count(), 62);
    assert_eq!(
        same, 4,
        "the last two bits are lost: A, B, C and D are one key"
    );
}
