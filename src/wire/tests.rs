use std::{collections::BTreeMap, time::Duration};

use proptest::prelude::*;
use sfv::{BareItem, KeyRef, List, ListEntry, ListSerializer, Parser};

use super::*;
use crate::priority::{Business, Level, Priority, Progress, User};

const MALFORMED: FieldFault = FieldFault::Malformed;

fn priority(business: u8, level: u8, sub_level: u8) -> Priority {
    Priority::new(
        Business::new(business),
        User::new(level, sub_level).unwrap(),
    )
}

// === one by one ===

#[test]
fn priority_texts() {
    let plain = PriorityField::new(priority(3, 17, 0));
    let full = PriorityField {
        priority: priority(255, 127, 255),
        progress: Progress::InProgress,
        budget: Some(Duration::from_millis(u32::MAX.into())),
    };
    assert_eq!(plain.to_string(), "3, 17");
    assert_eq!(full.to_string(), "255, 127;s=255;p;t=4294967295");

    for (text, expected) in [
        ("3, 17", Ok(plain)),
        (" 3,17 ", Ok(plain)),
        ("3\t,\t17\t", Ok(plain)),
        ("003, 017;s=0;p=?0", Ok(plain)),
        ("255, 127;t=4294967295;p;s=255", Ok(full)),
        ("3, 17;p=1;s=9;s=0;p=?0", Ok(plain)),
        // What later versions may add.
        (r#"3;x="a,\";", 17;new;y=1.5;z=(tok), 4"#, Err(MALFORMED)),
        (r#"3;x="a,\";", 17;new;y=1.5;z=tok/a:b, 4"#, Ok(plain)),
        (
            r#"3, 17, (a "b" 1;c);d=:aGk=:, ?1, @17, %"f%c3%bc""#,
            Ok(plain),
        ),
        ("3, 17;x=123456789012.125;y=-1.5", Ok(plain)),
        // Numbers out of range.
        ("256, 17", Err(MALFORMED)),
        ("-1, 17", Err(MALFORMED)),
        ("3, 128", Err(MALFORMED)),
        ("3, 17;s=256", Err(MALFORMED)),
        ("3, 17;t=4294967296", Err(MALFORMED)),
        ("3, 17;t=-1", Err(MALFORMED)),
        ("3, 1700000000000000", Err(MALFORMED)),
        // Other types, other shapes.
        ("", Err(MALFORMED)),
        ("3", Err(MALFORMED)),
        ("3 17", Err(MALFORMED)),
        ("3, 17,", Err(MALFORMED)),
        ("3, 17, ", Err(MALFORMED)),
        ("3, 17;x=1234567890123.5", Err(MALFORMED)),
        ("3.0, 17", Err(MALFORMED)),
        ("3, 17;p=1", Err(MALFORMED)),
        ("3, 17;s", Err(MALFORMED)),
        ("3, 17;=1", Err(MALFORMED)),
        ("3, 17;S=1", Err(MALFORMED)),
        ("(3), 17", Err(MALFORMED)),
        ("3, 17, (", Err(MALFORMED)),
        ("3, 17, \"", Err(MALFORMED)),
        ("3, 17\n", Err(MALFORMED)),
        ("3, 17\0", Err(MALFORMED)),
    ] {
        assert_eq!(PriorityField::parse(text.as_bytes()), expected, "{text:?}");
    }
}

#[test]
fn level_texts() {
    let plain = LevelField::new(Level::new(131_072).unwrap());
    let full = LevelField {
        level: Level::OPEN,
        waiting: u32::MAX,
        running: u32::MAX,
        outcome: Outcome::Shed,
    };
    assert_eq!(plain.to_string(), "131072;w=0;r=0");
    assert_eq!(full.to_string(), "8388608;w=4294967295;r=4294967295;shed");
    assert!(full.text().as_bytes().len() <= TextBuf::CAPACITY);

    for (text, expected) in [
        ("131072", Ok(plain)),
        ("131072;new=1;shed=?0;r=0, 5", Ok(plain)),
        ("8388608;shed;r=4294967295;w=4294967295", Ok(full)),
        ("255", Err(MALFORMED)),
        ("8388609", Err(MALFORMED)),
        ("0", Err(MALFORMED)),
        ("-131072", Err(MALFORMED)),
        ("131072;w=4294967296", Err(MALFORMED)),
        ("131072;shed=yes", Err(MALFORMED)),
        ("", Err(MALFORMED)),
        ("open", Err(MALFORMED)),
    ] {
        assert_eq!(LevelField::parse(text.as_bytes()), expected, "{text:?}");
    }
}

#[test]
fn demand_texts() {
    let demand = |counts: &[(u8, u32)]| -> DemandField {
        let counts = counts.iter().map(|&(b, n)| (Business::new(b), n));
        counts.collect()
    };
    let two = demand(&[(5, 40), (3, 120)]);
    assert_eq!(two.to_string(), "3;n=120, 5;n=40");
    assert_eq!((two.len(), two.get(Business::new(5))), (2, 40));
    assert_eq!(demand(&[(0, 70_000), (9, 0)]).to_string(), "0;n=65535");
    assert_eq!(demand(&[(1, 65_000), (1, 65_000)]), demand(&[(1, 65_535)]));
    assert!(demand(&[(9, 0)]).is_empty());

    let all: DemandField = (0..=255).map(|b| (Business::new(b), u32::MAX)).collect();
    assert_eq!(all.len(), 256);
    assert!(all.to_string().len() <= DemandField::LONGEST);
    assert_eq!(DemandField::parse(all.to_string().as_bytes()), Ok(all));

    for (text, expected) in [
        ("3;n=120, 5;n=40", Ok(two.clone())),
        ("5;n=40,3;n=60;m=(a);n=60,3;n=60", Err(MALFORMED)),
        ("5;n=40,3;n=60;m=a,3;n=60", Ok(two)),
        ("", Ok(DemandField::new())),
        ("7;n=0", Ok(DemandField::new())),
        ("3", Err(MALFORMED)),
        ("3;n=65536", Err(MALFORMED)),
        ("256;n=1", Err(MALFORMED)),
        ("3;n=1,", Err(MALFORMED)),
        ("3;n=1, x", Err(MALFORMED)),
    ] {
        assert_eq!(DemandField::parse(text.as_bytes()), expected, "{text:?}");
    }
}

#[test]
fn what_is_too_long_is_not_read() {
    // Valid but for its length.
    let mut text = b"3, 17".to_vec();
    text.resize(PriorityField::LONGEST, b' ');
    assert!(PriorityField::parse(&text).is_ok());
    text.resize(8192, b' ');
    assert_eq!(PriorityField::parse(&text), Err(FieldFault::TooLong));
    assert_eq!(LevelField::parse(&text), Err(FieldFault::TooLong));
    assert_eq!(DemandField::parse(&text), Err(FieldFault::TooLong));
}

// === carriers ===

fn carries(mut carrier: impl Carrier) {
    let names = Names::default();
    let field = PriorityField::new(priority(3, 17, 200));
    assert_eq!(read_priority(&carrier, &names), Reading::Absent);
    write_priority(&mut carrier, &names, &PriorityField::new(priority(9, 9, 9)));
    write_priority(&mut carrier, &names, &field);
    assert_eq!(carrier.get(&names.priority), Field::One(b"3, 17;s=200"));
    assert_eq!(read_priority(&carrier, &names), Reading::Valid(field));

    let level = LevelField::new(Level::FLOOR);
    write_level(&mut carrier, &names, &level);
    assert_eq!(read_level(&carrier, &names).valid(), Some(level));
    carrier.set(&names.level, "255");
    assert_eq!(read_level(&carrier, &names).fault(), Some(MALFORMED));

    let demand: DemandField = [(Business::new(3), 120)].into_iter().collect();
    write_demand(&mut carrier, &names, &demand);
    assert_eq!(read_demand(&carrier, &names), Reading::Valid(demand));
    write_demand(&mut carrier, &names, &DemandField::new());
    assert_eq!(read_demand(&carrier, &names), Reading::Absent);

    carrier.remove(&names.priority);
    assert_eq!(carrier.get(&names.priority), Field::Absent);
    assert_eq!(read_priority(&carrier, &names).fault(), None);
}

#[test]
fn maps_and_lists_carry() {
    carries(BTreeMap::new());
    carries(Vec::new());

    let names = Names::default();
    let line = ("dagor-priority".to_owned(), b"3, 17".to_vec());
    let mut list = vec![line.clone(), line];
    let twice = Reading::Ignored(FieldFault::Repeated);
    assert_eq!(read_priority(&list, &names), twice);
    Carrier::set(&mut list, &names.priority, "3, 17");
    assert_eq!(list.len(), 1);
}

#[cfg(feature = "http")]
#[test]
fn headers_carry_the_same_text_in_http_and_grpc() {
    use ::http::{HeaderMap, HeaderValue};

    carries(HeaderMap::new());

    let names = Names::default();
    let field = PriorityField::new(priority(3, 17, 200));
    let (mut http, mut record) = (HeaderMap::new(), BTreeMap::new());
    write_priority(&mut http, &names, &field);
    write_priority(&mut record, &names, &field);
    assert_eq!(http["dagor-priority"].as_bytes(), record["dagor-priority"]);

    http.append("dagor-priority", HeaderValue::from_static("3, 17"));
    let twice = Reading::Ignored(FieldFault::Repeated);
    assert_eq!(read_priority(&http, &names), twice);

    let opaque = HeaderValue::from_bytes(b"3, 17;\xff").unwrap();
    http.insert("dagor-priority", opaque);
    assert_eq!(read_priority(&http, &names).fault(), Some(MALFORMED));

    Carrier::set(&mut http, &names.priority, "3,\n17");
    assert_eq!(read_priority(&http, &names), Reading::Absent);
}

#[cfg(feature = "tonic")]
#[test]
fn grpc_metadata_are_headers() {
    let names = Names::default();
    let field = PriorityField::new(priority(3, 17, 200));
    let mut metadata = tonic::metadata::MetadataMap::new();
    write_priority(metadata.as_mut(), &names, &field);
    assert_eq!(metadata.get("dagor-priority").unwrap(), "3, 17;s=200");
    let headers = metadata.into_headers();
    assert_eq!(read_priority(&headers, &names), Reading::Valid(field));
}

#[test]
fn names_are_checked() {
    assert_eq!(Name::new("x-prio.1_a").unwrap().as_str(), "x-prio.1_a");
    let long = "x".repeat(65);
    for name in ["", "X-Prio", "a b", "a:b", "ü", "grpc-x", "x-bin", &long] {
        assert!(Name::new(name).is_err(), "{name:?}");
    }
    let error = Name::new("x-bin").unwrap_err();
    let expected = r#"invalid field name "x-bin": names grpc-* and *-bin are gRPC's own"#;
    assert_eq!(error.to_string(), expected);
}

#[cfg(feature = "grpc")]
#[test]
fn grpc_is_known_by_its_content_type() {
    use ::http::{HeaderMap, HeaderValue};

    for (content, expected) in [
        (Some("application/grpc"), true),
        (Some("application/grpc+proto"), true),
        (Some("application/grpc;charset=utf-8"), true),
        (Some("Application/gRPC"), true),
        (Some("application/grpc-web"), false),
        (Some("application/grpcx"), false),
        (Some("application/json"), false),
        (Some("app"), false),
        (None, false),
    ] {
        let mut headers = HeaderMap::new();
        if let Some(content) = content {
            headers.insert("content-type", HeaderValue::from_static(content));
        }
        assert_eq!(grpc::is_grpc(&headers), expected, "{content:?}");
    }
}

#[cfg(feature = "grpc")]
#[test]
fn grpc_refusals_are_trailers_only() {
    let message = grpc::message("überlast: 100 %\r\n");
    let refusal = grpc::refusal(&message, None);
    let headers = refusal.headers();
    assert_eq!(refusal.status(), 200);
    assert_eq!(headers["content-type"], "application/grpc");
    assert_eq!(headers["grpc-status"], "8");
    assert_eq!(headers["grpc-message"], "%C3%BCberlast: 100 %25%0D%0A");
    assert!(!headers.contains_key("grpc-retry-pushback-ms"));

    let refusal = grpc::refusal(&message, Some(Duration::MAX));
    assert_eq!(refusal.headers()["grpc-retry-pushback-ms"], "2147483647");
}

// === the same as the `sfv` crate ===

type Parameters = sfv::Parameters;

fn integer<T: TryFrom<i64>>(item: &BareItem) -> Option<T> {
    T::try_from(i64::from(item.as_integer()?)).ok()
}

fn parameter<'a>(parameters: &'a Parameters, key: &str) -> Option<&'a BareItem> {
    parameters.get(KeyRef::from_str(key).unwrap())
}

fn number<T: TryFrom<i64> + Default>(parameters: &Parameters, key: &str) -> Option<T> {
    parameter(parameters, key).map_or(Some(T::default()), integer)
}

fn flag(parameters: &Parameters, key: &str) -> Option<bool> {
    parameter(parameters, key).map_or(Some(false), BareItem::as_boolean)
}

fn items(text: &[u8]) -> Option<Vec<Option<sfv::Item>>> {
    let list = Parser::new(text).parse::<List>().ok()?;
    let item = |entry| match entry {
        ListEntry::Item(item) => Some(item),
        ListEntry::InnerList(_) => None,
    };
    Some(list.into_iter().map(item).collect())
}

/// Reads the field as the definition says, with a complete parser of structured fields.
fn reference_priority(text: &[u8]) -> Option<PriorityField> {
    let items = items(text)?;
    let (business, user) = (items.first()?.as_ref()?, items.get(1)?.as_ref()?);
    let sub_level = number(&user.params, "s")?;
    let user_level = User::new(integer(&user.bare_item)?, sub_level).ok()?;
    let business = Business::new(integer(&business.bare_item)?);
    Some(PriorityField {
        priority: Priority::new(business, user_level),
        progress: match flag(&user.params, "p")? {
            true => Progress::InProgress,
            false => Progress::New,
        },
        budget: match parameter(&user.params, "t") {
            Some(value) => Some(Duration::from_millis(integer::<u32>(value)?.into())),
            None => None,
        },
    })
}

fn reference_level(text: &[u8]) -> Option<LevelField> {
    let items = items(text)?;
    let level = items.first()?.as_ref()?;
    Some(LevelField {
        level: Level::new(integer(&level.bare_item)?).ok()?,
        waiting: number(&level.params, "w")?,
        running: number(&level.params, "r")?,
        outcome: match flag(&level.params, "shed")? {
            true => Outcome::Shed,
            false => Outcome::Processed,
        },
    })
}

fn reference_demand(text: &[u8]) -> Option<DemandField> {
    let mut demand = DemandField::new();
    for item in items(text)? {
        let item = item?;
        let count: u16 = integer(parameter(&item.params, "n")?)?;
        demand.add(Business::new(integer(&item.bare_item)?), count.into());
    }
    Some(demand)
}

/// Compares a parser with its reference on one text.
#[track_caller]
fn agrees<T: PartialEq + std::fmt::Debug + ToString>(
    text: &[u8],
    parse: fn(&[u8]) -> Result<T, FieldFault>,
    reference: fn(&[u8]) -> Option<T>,
    longest: usize,
) -> bool {
    let parsed = parse(text);
    let shown = String::from_utf8_lossy(text);
    if text.len() > longest {
        assert_eq!(parsed, Err(FieldFault::TooLong));
        return false;
    }
    match (parsed, reference(text)) {
        (Ok(field), Some(expected)) => {
            assert_eq!(field, expected, "{shown:?}");
            let again = parse(field.to_string().as_bytes());
            assert_eq!(again, Ok(field), "{shown:?}");
            true
        }
        // Byte sequences are not decoded and display strings not checked for UTF-8.
        (Ok(_), None) if text.contains(&b':') || text.contains(&b'%') => false,
        (parsed, expected) => {
            assert_eq!(parsed.ok(), expected, "{shown:?}");
            false
        }
    }
}

fn check_all(text: &[u8]) -> [bool; 3] {
    [
        agrees(
            text,
            PriorityField::parse,
            reference_priority,
            PriorityField::LONGEST,
        ),
        agrees(
            text,
            LevelField::parse,
            reference_level,
            LevelField::LONGEST,
        ),
        agrees(
            text,
            DemandField::parse,
            reference_demand,
            DemandField::LONGEST,
        ),
    ]
}

fn any_priority() -> impl Strategy<Value = PriorityField> {
    let user = (0..128_u8, any::<u8>());
    (any::<u8>(), user, any::<bool>(), any::<Option<u32>>()).prop_map(
        |(business, (level, sub_level), progress, budget)| PriorityField {
            priority: priority(business, level, sub_level),
            progress: match progress {
                true => Progress::InProgress,
                false => Progress::New,
            },
            budget: budget.map(|budget| Duration::from_millis(budget.into())),
        },
    )
}

fn any_level() -> impl Strategy<Value = LevelField> {
    (
        256..=8_388_608_u32,
        any::<u32>(),
        any::<u32>(),
        any::<bool>(),
    )
        .prop_map(|(level, waiting, running, shed)| LevelField {
            level: Level::new(level).unwrap(),
            waiting,
            running,
            outcome: match shed {
                true => Outcome::Shed,
                false => Outcome::Processed,
            },
        })
}

fn any_demand() -> impl Strategy<Value = DemandField> {
    proptest::collection::vec((any::<u8>(), 0..70_000_u32), 0..300).prop_map(|counts| {
        counts
            .into_iter()
            .map(|(b, n)| (Business::new(b), n))
            .collect()
    })
}

proptest! {
    #[test]
    fn priorities_survive_the_way(field in any_priority()) {
        let text = field.to_string();
        prop_assert_eq!(PriorityField::parse(text.as_bytes()), Ok(field));
        prop_assert_eq!(reference_priority(text.as_bytes()), Some(field));
    }

    #[test]
    fn levels_survive_the_way(field in any_level()) {
        let text = field.to_string();
        prop_assert_eq!(LevelField::parse(text.as_bytes()), Ok(field));
        prop_assert_eq!(reference_level(text.as_bytes()), Some(field));
    }

    #[test]
    fn demands_survive_the_way(field in any_demand()) {
        let text = field.to_string();
        prop_assert_eq!(DemandField::parse(text.as_bytes()), Ok(field.clone()));
        prop_assert_eq!(reference_demand(text.as_bytes()), Some(field));
    }

    #[test]
    fn what_sfv_writes_is_read(field in any_priority(), level in any_level(), extra in "[ -~]{0,20}") {
        let key = |key| KeyRef::from_str(key).unwrap();
        let string = sfv::StringRef::from_str(&extra).unwrap();
        let user = field.priority.user();

        let mut list = ListSerializer::new();
        let _ = list.bare_item(field.priority.business().get()).parameter(key("a"), string);
        let mut item = list.bare_item(user.level())
            .parameter(key("s"), user.sub_level())
            .parameter(key("x"), string)
            .parameter(key("p"), field.progress == Progress::InProgress);
        if let Some(budget) = field.budget {
            item = item.parameter(key("t"), u32::try_from(budget.as_millis()).unwrap());
        }
        let _ = item.parameter(key("later"), string);
        let _ = list.bare_item(string);
        let text = list.finish().unwrap();
        prop_assert_eq!(PriorityField::parse(text.as_bytes()), Ok(field), "{}", text);

        let text = sfv::ItemSerializer::new()
            .bare_item(level.level.get())
            .parameter(key("x"), string)
            .parameter(key("shed"), level.outcome == Outcome::Shed)
            .parameter(key("r"), level.running)
            .parameter(key("w"), level.waiting)
            .finish();
        prop_assert_eq!(LevelField::parse(text.as_bytes()), Ok(level), "{}", text);
    }

    #[test]
    fn any_bytes_are_valid_or_ignored(text in proptest::collection::vec(any::<u8>(), 0..600)) {
        check_all(&text);
    }
}

// === fuzz ===

/// SplitMix64: all that a test of parsers needs of randomness, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound).unwrap()).unwrap()
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const SEEDS: &[&str] = &[
    "3, 17",
    "3, 17;s=200;p;t=350",
    "255, 127;s=255;p;t=4294967295",
    "131072;w=3;r=8",
    "8388608;w=4294967295;r=4294967295;shed",
    "3;n=120, 5;n=40",
    "0;n=65535",
    r#"3;x="a,\";", 17;new;y=1.5, (a "b" 1;c);d=:aGk=:, ?1, @17, %"f%c3%bc""#,
    "",
];

const PIECES: &[&str] = &[
    ",",
    ", ",
    ";",
    "; ",
    "=",
    " ",
    "\t",
    "-",
    ".",
    "0",
    "1",
    "127",
    "128",
    "255",
    "256",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "8388608",
    "8388609",
    "999999999999999",
    "1000000000000000",
    "1.5",
    "1.2345",
    "123456789012.5",
    "1234567890123.5",
    ";s=",
    ";p",
    ";p=?0",
    ";t=",
    ";w=",
    ";r=",
    ";shed",
    ";n=",
    "?1",
    "?0",
    "\"a\"",
    "\"",
    "\\",
    "(1 2)",
    "(",
    ")",
    ":aGk=:",
    ":",
    "@1",
    "%\"a\"",
    "%",
    "tok",
    "*",
    "a",
    "Z",
    "\0",
    "\n",
    "\u{7f}",
    "é",
];

fn mutate(text: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(text.len() + 1);
    match random.below(7) {
        0 | 1 => {
            let piece = random.pick(PIECES).bytes();
            text.splice(at..at, piece);
        }
        2 if at < text.len() => drop(text.remove(at)),
        3 if at < text.len() => text[at] = random.next().to_le_bytes()[0],
        4 if at < text.len() => text[at] = random.pick(b"0123456789;=, spt?-."),
        5 => {
            let seed = random.pick(SEEDS).as_bytes();
            let from = random.below(seed.len() + 1);
            text.truncate(at);
            text.extend_from_slice(&seed[from..]);
        }
        6 if random.below(50) == 0 => {
            let copy = text.clone();
            for _ in 0..random.below(100) {
                text.extend_from_slice(&copy);
            }
        }
        _ => text.truncate(at),
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "a failure must be repeatable")]
fn no_text_surprises_a_parser() {
    const SEED: u64 = 0x0da6_0a11;
    println!("seed {SEED:#x}");
    let mut random = Random(SEED);
    let mut valid = [0_u32; 3];
    for _ in 0..300_000 {
        let mut text = random.pick(SEEDS).as_bytes().to_vec();
        for _ in 0..=random.below(6) {
            mutate(&mut text, &mut random);
        }
        for (count, ok) in valid.iter_mut().zip(check_all(&text)) {
            *count += u32::from(ok);
        }
    }
    println!("valid: {valid:?}");
    // Otherwise the mutations only tested how garbage is refused.
    assert!(valid.iter().all(|&count| count > 5_000), "{valid:?}");
}
