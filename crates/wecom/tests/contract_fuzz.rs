//! A million replies that went wrong on their way: none makes a panic, and none makes the process grow.
//!
//! Each is a recorded reply with a few changes: bytes turned, put in, taken out, cut off, pieces of it
//! repeated or taken from another reply, values replaced by others of another type, and lists nested
//! deeply. Its own type reads it, and one of the others in turn; then the client does, envelope and all.
//! The seed is `WECOM_FUZZ_SEED` or a fixed one, and shown with the reply when something goes wrong.

use std::{
    convert::Infallible,
    env, fs,
    future::ready,
    marker::PhantomData,
    panic,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use serde::de::DeserializeOwned;
use tokio::runtime::{Builder, Runtime};
use wecom::{
    Api, Call, Client, Credential, Transport, Wire,
    api::{
        Added, BatchPage, CallbackIps, ContactWayPage, ContactWayReply, Departments, Done,
        ExternalContactPage, FollowUsers, Token, User,
    },
    error::{Invalid, Kind},
    limit::{Ask, BoxAcquire, Held, Limiter, Permit, Sign},
};

const MUTANTS: u64 = 1_000_000;
/// How many of them also go through a client; it takes ten times as long.
const THROUGH_CLIENT: u64 = 100_000;
const SEED: u64 = 0x5eed_0005;
/// How much the process may grow while it reads: some thread's arena, but not a million replies.
const GROWTH_KIB: u64 = 64 * 1024;

/// Reads a reply and says whether it was one.
type Reading = fn(&[u8]) -> bool;

/// What is put in the place of a piece: other types, numbers out of range, and what parsers stumble over.
const PIECES: [&[u8]; 24] = [
    b"null",
    b"true",
    b"0",
    b"-1",
    b"1e999",
    b"18446744073709551616",
    b"-9223372036854775809",
    b"0.5",
    b"\"\"",
    b"\"\\u0000\"",
    b"\"\\ud800\"",
    b"[]",
    b"{}",
    b"[null]",
    b"{\"\":{}}",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\xff\xfe",
    b"\xf0\x9f\x8e\x89",
    b"<html><body>502</body></html>",
    b"errcode",
    b"\"user\":null",
];

macro_rules! replies {
    ($($name:literal: $reply:ty,)+) => {
        vec![$((include_bytes!(concat!("replies/", $name, ".json")).to_vec(), read::<$reply>),)+]
    };
}

/// A call that may be answered with any reply.
struct Probe<R>(PhantomData<fn() -> R>);

/// A limiter that lets all through.
struct Open;

/// Numbers that look like chance, the same for the same seed (splitmix64).
struct Dice(u64);

fn read<T: DeserializeOwned>(reply: &[u8]) -> bool {
    serde_json::from_slice::<T>(reply).is_ok()
}

/// The recorded replies in their shortest form, each with what reads it.
fn corpus() -> Vec<(Vec<u8>, Reading)> {
    let mut replies: Vec<(Vec<u8>, Reading)> = replies! {
        "add_contact_way": Added,
        "batch_get_by_user": BatchPage,
        "close_temp_chat": Done,
        "department_list": Departments,
        "externalcontact_get": ExternalContactPage,
        "get_contact_way.nulls": ContactWayReply,
        "get_contact_way.qr_code": ContactWayReply,
        "get_contact_way.temporary": ContactWayReply,
        "get_follow_user_list": FollowUsers,
        "getcallbackip": CallbackIps,
        "gettoken": Token,
        "list_contact_way": ContactWayPage,
        "refused": Done,
        "user_get": User,
    };
    for (reply, _) in &mut replies {
        if let Ok(value) = serde_json::from_slice::<serde_json::Value>(reply) {
            *reply = value.to_string().into_bytes();
        }
    }
    replies
}

// === impl Dice ===

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, or 0 if there is none.
    fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.roll() % end).unwrap_or(0)
    }

    /// Returns a piece of a text of this length, of at most `longest` bytes.
    fn range(&mut self, len: usize, longest: usize) -> std::ops::Range<usize> {
        let start = self.below(len + 1);
        start..(start + self.below(longest + 1)).min(len)
    }

    fn byte(&mut self) -> u8 {
        self.roll().to_le_bytes()[0]
    }
}

fn mutate(reply: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    for _ in 0..=dice.below(3) {
        let len = reply.len();
        match dice.below(9) {
            0 => {
                let byte = dice.byte();
                if let Some(place) = reply.get_mut(dice.below(len)) {
                    *place ^= byte;
                }
            }
            1 => reply.insert(dice.below(len + 1), dice.byte()),
            2 => drop(reply.drain(dice.range(len, 8))),
            3 => reply.truncate(dice.below(len + 1)),
            4 => {
                let piece = reply[dice.range(len, 64)].to_vec();
                let at = dice.below(len + 1);
                drop(reply.splice(at..at, piece));
            }
            5 => {
                let piece = &other[dice.range(other.len(), 64)];
                drop(reply.splice(dice.range(len, 64), piece.iter().copied()));
            }
            6 => {
                let nested = [b'[', b'{'][dice.below(2)];
                let deep = dice.below(300);
                let at = dice.below(len + 1);
                drop(reply.splice(at..at, std::iter::repeat_n(nested, deep)));
            }
            _ => {
                let piece = PIECES[dice.below(PIECES.len())];
                drop(reply.splice(value(reply, dice), piece.iter().copied()));
            }
        }
    }
}

/// Returns where some value of the reply is: what stands between a colon and the next comma or bracket.
fn value(reply: &[u8], dice: &mut Dice) -> std::ops::Range<usize> {
    let from = dice.below(reply.len() + 1);
    let after = |start: usize, wanted: &[u8]| {
        let rest = reply.get(start..).unwrap_or_default();
        rest.iter()
            .position(|byte| wanted.contains(byte))
            .map_or(reply.len(), |at| start + at)
    };
    let start = (after(from, b":") + 1).min(reply.len());
    start..after(start, b",}]")
}

/// Reads mutants of one seed and returns how many of them could still be read.
fn fuzz(seed: u64, mutants: u64) -> u64 {
    let corpus = corpus();
    let mut dice = Dice(seed);
    let mut readable = 0;
    for round in 0..mutants {
        let (reply, own) = &corpus[dice.below(corpus.len())];
        let (other, foreign) = &corpus[dice.below(corpus.len())];
        let mut mutant = reply.clone();
        mutate(&mut mutant, other, &mut dice);
        let both = || (own(&mutant), round % 4 == 0 && foreign(&mutant));
        match panic::catch_unwind(both) {
            Ok((own, _)) => readable += u64::from(own),
            Err(_) => panic!(
                "seed {seed:#x}, mutant {round}: {}",
                String::from_utf8_lossy(&mutant)
            ),
        }
    }
    readable
}

// === Through a client ===

impl<R: DeserializeOwned + Send> Call for Probe<R> {
    const API: Api = Api::new("probe");
    type Reply = R;

    fn encode(&self) -> Result<Wire, Invalid> {
        Ok(Wire::get("/cgi-bin/probe", Vec::new()))
    }
}

impl Limiter for Open {
    fn acquire<'a>(&'a self, _: Ask<'a>) -> BoxAcquire<'a> {
        Box::pin(ready(Ok(Permit::new(Self))))
    }
}

impl Held for Open {
    fn settle(self: Box<Self>, _: Sign) {}
}

/// Returns a client whose calls are all answered with what is in `answer`.
fn client(answer: &Arc<Mutex<Bytes>>) -> Client<impl Transport> {
    let answer = Arc::clone(answer);
    let transport = tower::service_fn(move |request: Request<Full<Bytes>>| {
        let body = if request.uri().path().ends_with("gettoken") {
            Bytes::from_static(br#"{"access_token":"t","expires_in":7200}"#)
        } else {
            answer
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone()
        };
        ready(Ok::<_, Infallible>(Response::new(Full::new(body))))
    });
    let credential = Credential::app("ww1", "secret").expect("a good credential");
    let builder = Client::builder(credential).limiter(Arc::new(Open));
    builder.build_with(transport).expect("good settings")
}

/// Makes a call and checks that what came is a reply, a refusal, or said to be none.
fn called<R: DeserializeOwned + Send>(runtime: &Runtime, client: &Client<impl Transport>) -> bool {
    match runtime.block_on(client.send(&Probe::<R>(PhantomData))) {
        Ok(_) => true,
        Err(error) => {
            let kind = error.kind();
            let told = matches!(
                kind,
                Kind::Refused(_)
                    | Kind::Unreadable(_)
                    | Kind::PartlyApplied { .. }
                    | Kind::NoToken(_)
            );
            assert!(told, "{kind:?}");
            false
        }
    }
}

/// Reads mutants through a client and returns how many of them were replies.
fn fuzz_client(seed: u64, mutants: u64) -> u64 {
    let runtime = Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime");
    let answer = Arc::new(Mutex::new(Bytes::new()));
    let client = client(&answer);
    let corpus = corpus();
    let mut dice = Dice(seed);
    let mut replies = 0;
    for round in 0..mutants {
        let (reply, _) = &corpus[dice.below(corpus.len())];
        let (other, _) = &corpus[dice.below(corpus.len())];
        let mut mutant = reply.clone();
        mutate(&mut mutant, other, &mut dice);
        *answer.lock().unwrap_or_else(PoisonError::into_inner) = Bytes::from(mutant.clone());
        let call = || match round % 3 {
            0 => called::<ContactWayReply>(&runtime, &client),
            1 => called::<Done>(&runtime, &client),
            _ => called::<ContactWayPage>(&runtime, &client),
        };
        let Ok(taken) = panic::catch_unwind(panic::AssertUnwindSafe(call)) else {
            panic!(
                "seed {seed:#x}, mutant {round}: {}",
                String::from_utf8_lossy(&mutant)
            );
        };
        replies += u64::from(taken);
    }
    replies
}

/// Returns how large the process has been at most, if the system tells.
fn peak_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

fn seed() -> u64 {
    let given = env::var("WECOM_FUZZ_SEED").ok();
    given.and_then(|seed| seed.parse().ok()).unwrap_or(SEED)
}

#[test]
fn a_million_mutated_replies_make_no_panic_and_no_growth() {
    let before = peak_kib();
    let seed = seed();
    let halves: Vec<_> = (0..2)
        .map(|half| thread::spawn(move || fuzz(seed.wrapping_add(half), MUTANTS / 2)))
        .collect();
    let readable: u64 = halves.into_iter().map(|half| half.join().unwrap()).sum();

    // Mutants that are all refused at once, or all read, would try nothing.
    let share = readable * 100 / MUTANTS;
    assert!(
        (5..80).contains(&share),
        "seed {seed}: {share} % could be read"
    );
    if let (Some(before), Some(after)) = (before, peak_kib()) {
        assert!(
            after - before < GROWTH_KIB,
            "seed {seed}: grew from {before} to {after} KiB"
        );
    }
}

#[test]
fn mutated_replies_through_a_client_are_replies_or_errors() {
    let replies = fuzz_client(seed(), THROUGH_CLIENT);
    assert!(replies > 0 && replies < THROUGH_CLIENT, "{replies} replies");
}

#[test]
#[ignore = "takes a minute in a debug build: cargo test --release -p wecom --test contract_fuzz -- --ignored"]
fn a_million_mutated_replies_through_a_client_are_replies_or_errors() {
    let replies = fuzz_client(seed(), MUTANTS);
    assert!(replies > 0 && replies < MUTANTS, "{replies} replies");
}

#[test]
fn what_is_nested_without_end_is_refused() {
    for (_, reading) in corpus() {
        for open in ["[", "{\"a\":", "{\"contact_way\":["] {
            assert!(!reading(open.repeat(100_000).as_bytes()));
        }
    }
}
