//! Puts given values into settings, whatever place they came from.

use std::{num::NonZeroUsize, time::Duration};

use super::{
    Adaptive, Concurrency, Mode, PermitEnds, RequestStart, Settings,
    check::{PATH_ALLOWED, RETRY_AFTER_KEY, findings, retry_after_allowed},
    fault::{Fault, Faults},
    given::{Given, Value},
    nearest::nearest,
    numbers::NUMBERS,
};
use crate::control::Constants;

/// What keys are called in one kind of place.
#[derive(Clone, Copy)]
pub(super) struct Names {
    /// The name of a key.
    pub(super) of: fn(&str) -> String,
    /// What else somebody may have meant by a name.
    pub(super) sections: &'static [&'static str],
}

/// A key whose value is one of a few words.
struct Word {
    key: &'static str,
    words: &'static [(&'static str, fn(&mut Settings))],
}

/// Laws come first: the numbers given besides change what they set.
const WORDS: &[Word] = &[
    Word {
        key: "law",
        words: &[
            ("dagor", |all| all.constants = Constants::dagor()),
            ("swift", |all| all.constants = Constants::swift()),
            ("paper", |all| all.constants = Constants::paper()),
            ("no-gate", |all| all.constants = Constants::no_gate()),
        ],
    },
    Word {
        key: "mode",
        words: &[
            (Mode::Enforce.as_str(), |all| all.mode = Mode::Enforce),
            (Mode::Observe.as_str(), |all| all.mode = Mode::Observe),
            (Mode::Off.as_str(), |all| all.mode = Mode::Off),
        ],
    },
    Word {
        key: KIND,
        words: &[
            ("adaptive", |all| {
                // Numbers already there are kept: the kind may come from another place than they.
                if !matches!(all.concurrency, Concurrency::Adaptive(_)) {
                    all.concurrency = Concurrency::Adaptive(Adaptive::default());
                }
            }),
            ("fixed", |all| {
                if !matches!(all.concurrency, Concurrency::Fixed(_)) {
                    all.concurrency = Concurrency::Fixed(NonZeroUsize::MIN);
                }
            }),
            ("unlimited", |all| all.concurrency = Concurrency::Unlimited),
        ],
    },
    Word {
        key: "permit_ends",
        words: &[
            (PermitEnds::Head.as_str(), |all| {
                all.permit_ends = PermitEnds::Head
            }),
            (PermitEnds::Body.as_str(), |all| {
                all.permit_ends = PermitEnds::Body
            }),
        ],
    },
    Word {
        key: "request_start",
        words: &[
            (RequestStart::Ignored.as_str(), |all| {
                all.request_start = RequestStart::Ignored
            }),
            (RequestStart::Trusted.as_str(), |all| {
                all.request_start = RequestStart::Trusted
            }),
        ],
    },
];

/// Puts `given` into `settings` and puts down everything that is wrong with it or then with them.
pub(super) fn read(given: &[Given], names: Names, settings: &mut Settings, faults: &mut Faults) {
    unknown(given, names, faults);
    let was_fixed = matches!(settings.concurrency, Concurrency::Fixed(_));
    words(given, settings, faults);
    if !was_fixed && matches!(settings.concurrency, Concurrency::Fixed(_)) {
        permits_given(given, names, faults);
    }
    numbers(given, names, settings, faults);
    texts(given, settings, faults);
    for finding in findings(settings) {
        let fault = finding.fault(names.of);
        let from = find(given, finding.key).or_else(|| find(given, finding.other()?));
        faults.push(match from {
            Some(from) => fault.at(&from.place, from.order),
            None => fault,
        });
    }
}

/// Returns every key there is, in the order they are read.
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    let words = WORDS.iter().map(|word| word.key);
    let numbers = NUMBERS.iter().map(|number| number.key);
    words
        .chain(numbers)
        .chain([BODY, CONTENT_TYPE, RETRY_AFTER_KEY, EXEMPT])
}

/// Returns what to say of a key that nobody knows.
pub(super) fn known_key(key: &str, names: Names) -> String {
    let sections = names.sections.iter().copied();
    nearest(key, keys().chain(sections)).map_or_else(
        || String::from("a known key"),
        |near| format!("a known key, perhaps {}", (names.of)(near)),
    )
}

fn find<'a>(given: &'a [Given], key: &str) -> Option<&'a Given> {
    given.iter().find(|given| given.key == key)
}

fn unknown(given: &[Given], names: Names, faults: &mut Faults) {
    for given in given {
        if !keys().any(|key| key == given.key) {
            faults.push_with(|| given.fault(known_key(&given.key, names)));
        }
    }
}

fn words(given: &[Given], settings: &mut Settings, faults: &mut Faults) {
    for Word { key, words } in WORDS {
        let Some(given) = find(given, key) else {
            continue;
        };
        let word = given.value.text().map(str::trim);
        let known = words.iter().find(|(known, _)| Some(*known) == word);
        if let Some((_, set)) = given.read(faults, |_| known, || one_of(words)) {
            set(settings);
        }
    }
}

fn one_of(words: &[(&str, fn(&mut Settings))]) -> String {
    let words: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
    format!("one of {}", words.join(", "))
}

/// A fixed number of permits has no default: the right one is known to whoever chose it.
fn permits_given(given: &[Given], names: Names, faults: &mut Faults) {
    let permits = NUMBERS.iter().find(|number| number.key == PERMITS);
    if let (Some(kind), None, Some(permits)) = (find(given, KIND), find(given, PERMITS), permits) {
        let (range, because) = (permits.range, &kind.name);
        let allowed = format!("a whole number, {range}, because {because} is \"fixed\"");
        let fault = Fault::new(allowed).key_is(&(names.of)(PERMITS));
        faults.push(fault.at(&kind.place, kind.order));
    }
}

fn numbers(given: &[Given], names: Names, settings: &mut Settings, faults: &mut Faults) {
    // A kind that could not be read says nothing about which numbers go with it.
    let unsure = find(given, KIND).is_some_and(|kind| faults.mention(&kind.name));
    for number in NUMBERS {
        let Some(given) = find(given, number.key) else {
            continue;
        };
        let range = number.range;
        match number.slot(settings) {
            Some(mut slot) if slot.is_whole() => {
                let set = |value: &Value| slot.set(value.whole()?);
                given.read(faults, set, || format!("a whole number, {range}"));
            }
            Some(mut slot) => {
                let set = |value: &Value| slot.set(value.number()?);
                given.read(faults, set, || format!("a number, {range}"));
            }
            None if unsure => {}
            None => {
                let (kind, only) = ((names.of)(KIND), number.only_with());
                faults.push(given.fault(format!("only where {kind} is {only:?}")));
            }
        }
    }
}

fn texts(given: &[Given], settings: &mut Settings, faults: &mut Faults) {
    let text = |value: &Value| value.text().map(String::from);
    let a_text = || String::from("a text");
    if let Some(body) = find(given, BODY).and_then(|it| it.read(faults, text, a_text)) {
        settings.refusal.body = body;
    }
    if let Some(kind) = find(given, CONTENT_TYPE).and_then(|it| it.read(faults, text, a_text)) {
        settings.refusal.content_type = kind;
    }
    if let Some(given) = find(given, RETRY_AFTER_KEY) {
        let seconds = |number| Duration::try_from_secs_f64(number).ok();
        let read = |value: &Value| {
            let (low, high) = value.two_numbers()?;
            Some((seconds(low)?, seconds(high)?))
        };
        if let Some(bounds) = given.read(faults, read, retry_after_allowed) {
            settings.refusal.retry_after = bounds;
        }
    }
    if let Some(given) = find(given, EXEMPT) {
        let allowed = || format!("a list, each {PATH_ALLOWED}");
        if let Some(paths) = given.read(faults, Value::texts, allowed) {
            settings.exempt = paths;
        }
    }
}

const KIND: &str = "concurrency.kind";
const PERMITS: &str = "concurrency.permits";
const BODY: &str = "refusal.body";
const CONTENT_TYPE: &str = "refusal.content_type";
const EXEMPT: &str = "exempt";
