//! A million mutated callbacks: none panics, none makes the receiver hold much more than what was sent.
//!
//! Mutating a callback as it travels would test little but the signature. So there are four kinds: the request
//! itself, a ciphertext that is signed again, a message that is sealed again, and the query that verifies an
//! address. `CALLBACK_FUZZ_SEED` and `CALLBACK_FUZZ_COUNT` set others than the fixed seed and the million.
#![expect(clippy::print_stdout, reason = "the seed, shown if the test fails")]

mod callback_support;

use std::{alloc::System, collections::BTreeMap, env, fmt::Write};

use callback_support::{CORP, NOW, TOKEN, added, contact, event, keys, keys_for, receiver};
use rand::{RngExt, SeedableRng, rngs::SmallRng, seq::IndexedRandom};
use sha1::{Digest, Sha1};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use wecom::callback::{Keys, Receiver, Rejected, Sealed};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// What a parser may stumble over.
const PIECES: [&[u8]; 22] = [
    b"<![CDATA[",
    b"]]>",
    b"]]]]><![CDATA[>",
    b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
    b"<!--",
    b"-->",
    b"<?xml version='1.0' encoding='gbk'?>",
    b"&amp;",
    b"&b;",
    b"&#x10ffff;",
    b"&#",
    b"<a>",
    b"</a>",
    b"<a/>",
    b"</xml>",
    b"<Encrypt>",
    b"<UserID>",
    b"%",
    b"%2B",
    b"&timestamp=18446744073709551615",
    b"\0",
    b"\xff\xfe",
];

/// Changes a text in one way, half of them in a second, and so on.
fn mutate(text: &mut Vec<u8>, rng: &mut SmallRng) {
    loop {
        let at = rng.random_range(0..=text.len());
        let to = rng.random_range(at..=text.len().min(at + 40));
        match rng.random_range(0..8) {
            0 => text.truncate(at),
            1 => drop(text.drain(at..to)),
            2 => {
                let part = text[at..to].to_vec();
                text.splice(at..at, part);
            }
            3 => {
                let piece = PIECES.choose(rng).copied().unwrap_or_default();
                text.splice(at..to, piece.iter().copied());
            }
            4 => {
                let piece = PIECES.choose(rng).copied().unwrap_or_default();
                let times = if rng.random_ratio(1, 64) { 4000 } else { 3 };
                text.splice(at..at, piece.repeat(times));
            }
            _ => {
                if let Some(byte) = text.get_mut(at) {
                    *byte = if rng.random() {
                        rng.random()
                    } else {
                        *byte ^ 1
                    };
                }
            }
        }
        if rng.random() {
            return;
        }
    }
}

/// Returns the query and body of any ciphertext, signed as only who knows the token can.
fn signed(encrypt: &str) -> (String, Vec<u8>) {
    let timestamp = NOW.to_string();
    let mut parts = [TOKEN, &timestamp, "n", encrypt];
    parts.sort_unstable();
    let mut query = format!("timestamp={timestamp}&nonce=n&msg_signature=");
    for byte in Sha1::digest(parts.concat()) {
        // Writing to a string does not fail.
        let _ = write!(query, "{byte:02x}");
    }
    (
        query,
        format!("<xml><Encrypt>{encrypt}</Encrypt></xml>").into(),
    )
}

/// Both sides of one address, and what is sent between them.
struct Bench {
    receiver: Receiver,
    keys: Keys,
    others: Keys,
    messages: [String; 4],
    /// The messages, sealed.
    sealed: [Sealed; 4],
    /// What verifies the address, sealed.
    echo: Sealed,
}

const NONCE: &str = "1372623149";

// === impl Bench ===

impl Bench {
    fn new() -> Self {
        let update = "<ChangeType>update_user</ChangeType><UserID>a</UserID>\
            <Department>1,2</Department><ExtAttr><Item><Name>n</Name></Item></ExtAttr>";
        let messages = [
            added("zhangsan", "wmA"),
            contact("del_follow_user", "zhangsan", "wmA", ""),
            event("change_contact", update),
            event("new_in_2027", "<L><I>&lt;1</I><I>2</I></L>"),
        ];
        let seal = |plain: &[u8]| keys().seal_with(plain, NOW, NONCE, *b"1234567890123456");
        Self {
            receiver: receiver(),
            keys: keys(),
            others: keys_for("wwOther"),
            sealed: [0, 1, 2, 3].map(|index: usize| seal(messages[index].as_bytes())),
            messages,
            echo: seal(b"1616140317555161061"),
        }
    }

    /// Mutates one of the messages, sends it, and returns what became of it.
    fn once(&self, rng: &mut SmallRng) -> &'static str {
        let index = rng.random_range(0..self.messages.len());
        match rng.random_range(0..4) {
            0 => self.request(&self.sealed[index], rng),
            1 => self.ciphertext(&self.sealed[index], rng),
            2 => self.message(&self.messages[index], rng),
            _ => self.echo(rng),
        }
    }

    fn request(&self, sealed: &Sealed, rng: &mut SmallRng) -> &'static str {
        let mut query = sealed.query().into_bytes();
        let mut body = sealed.callback_body(CORP, "1").into_bytes();
        mutate(if rng.random() { &mut query } else { &mut body }, rng);
        self.receive(&String::from_utf8_lossy(&query), &body)
    }

    fn ciphertext(&self, sealed: &Sealed, rng: &mut SmallRng) -> &'static str {
        let mut encrypt = sealed.encrypt.clone().into_bytes();
        mutate(&mut encrypt, rng);
        // Half of them base64 of whole blocks again, for what comes after that check.
        if rng.random() {
            encrypt.retain(u8::is_ascii_alphanumeric);
            encrypt.truncate(encrypt.len() / 128 * 128);
        }
        let (query, body) = signed(&String::from_utf8_lossy(&encrypt));
        self.receive(&query, &body)
    }

    fn message(&self, message: &str, rng: &mut SmallRng) -> &'static str {
        let mut plain = message.as_bytes().to_vec();
        mutate(&mut plain, rng);
        let keys = if rng.random_ratio(1, 16) {
            &self.others
        } else {
            &self.keys
        };
        let sealed = keys.seal_with(&plain, NOW, NONCE, rng.random());
        self.receive(&sealed.query(), sealed.callback_body(CORP, "1").as_bytes())
    }

    fn echo(&self, rng: &mut SmallRng) -> &'static str {
        let mut query = self.echo.echo_query().into_bytes();
        mutate(&mut query, rng);
        let echoed = self.receiver.echo(&String::from_utf8_lossy(&query));
        echoed.map_or_else(Rejected::reason, |_| "echoed")
    }

    fn receive(&self, query: &str, body: &[u8]) -> &'static str {
        let region = Region::new(ALLOCATOR);
        let outcome = self.receiver.receive(query, body);
        let change = region.change();
        // Also what has been freed since: more than there ever was at once.
        let all = change.bytes_allocated;
        let length = query.len() + body.len();
        assert!(all <= 12 * length + (1 << 20), "{all} bytes for {length}");
        outcome.map_or_else(Rejected::reason, |_| "taken")
    }
}

fn setting(name: &str, default: u64) -> u64 {
    let set = env::var(name).ok().and_then(|text| text.parse().ok());
    set.unwrap_or(default)
}

#[test]
fn a_million_mutated_callbacks_cause_no_panic_and_hold_no_memory() {
    let seed = setting("CALLBACK_FUZZ_SEED", 20_260_101);
    let count = setting("CALLBACK_FUZZ_COUNT", 1_000_000);
    println!("CALLBACK_FUZZ_SEED={seed} CALLBACK_FUZZ_COUNT={count}");
    let bench = Bench::new();
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut outcomes = BTreeMap::new();
    for _ in 0..count {
        *outcomes.entry(bench.once(&mut rng)).or_insert(0_u64) += 1;
    }
    println!("{outcomes:?}");
    for name in [
        "taken",
        "echoed",
        "query",
        "envelope",
        "signature",
        "cipher",
        "receive_id",
        "corp",
        "message",
    ] {
        let found = outcomes.get(name).copied().unwrap_or_default();
        assert!(
            found >= count / 2000,
            "{name} is hardly tested: {outcomes:?}"
        );
    }
}
