use super::*;

const DOCUMENTED: &str = include_str!("../../../../docs/dagor.toml");

fn load_fault(path: &std::path::Path) -> String {
    let error = Settings::load(path).unwrap_err();
    let fault = error.to_string();
    assert!(fault.starts_with(&path.display().to_string()), "{fault}");
    fault
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = Folder::new("unreadable");
    let missing = load_fault(&folder.0.join("missing.toml"));
    assert!(missing.contains("expected a readable file: "), "{missing}");
    assert!(load_fault(&folder.0).ends_with("expected a regular file"));

    let odd = folder.file("odd.toml", b"slots = 1\n# \xff\n");
    assert!(load_fault(&odd).ends_with("expected UTF-8, which byte 12 is not"));
    for empty in ["", " \n\n"] {
        let empty = folder.file("empty.toml", empty);
        assert!(load_fault(&empty).ends_with("expected settings, but it is empty"));
    }
    let large = folder.file("large.toml", "#\n".repeat(4 * 1_024 * 1_024));
    assert!(load_fault(&large).ends_with("expected at most 256 KiB"));
    assert!(parse(&"#\n".repeat(200_000)).is_err());

    let good = folder.file("good.toml", DOCUMENTED);
    assert_eq!(Settings::load(good).unwrap(), File::default());
}

#[cfg(unix)]
#[test]
fn a_device_is_not_waited_for() {
    assert!(load_fault("/dev/zero".as_ref()).ends_with("expected a regular file"));
}

#[test]
fn a_flood_of_faults_is_cut_short() {
    let text: String = (0..20_000).map(|key| format!("k{key} = 1\n")).collect();
    let found = faults(&text);
    assert_eq!(found.len(), 101);
    assert_eq!(found[100], "and 19900 more");
    assert_eq!(found[0], "dagor.toml:1: k0 = 1, expected a known key");
}

#[test]
fn what_is_said_of_a_fault_fits_a_line() {
    let long = "x".repeat(10_000);
    let found = faults(&format!("\"a\\nb\\u001b[31m\" = \"{long}\"\n"));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("dagor.toml:1: a\\nb\\u{1b}[31m = \"xxx"),
        "{found:?}"
    );
    assert!(found[0].len() < 300);
}

#[test]
fn deep_nesting_is_a_fault() {
    for text in [
        format!("slots = {}", "[".repeat(100_000)),
        format!("slots = {}", "{a=".repeat(50_000)),
        format!("{}slots = 1", "a.".repeat(100_000)),
        format!("[{}a]", "a.".repeat(100_000)),
    ] {
        assert!(parse(&text).is_err());
    }
}

#[test]
fn mutated_files_never_panic() {
    const SEED: u64 = 0x5eed_0fda_9020_1800;
    #[expect(
        clippy::print_stderr,
        reason = "shown when the test fails, to repeat it"
    )]
    {
        eprintln!("seed {SEED:#x}");
    }
    let mut random = Random(SEED);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..4_000 {
        let text = random.mutated(DOCUMENTED);
        match parse(&text) {
            Ok(file) => {
                accepted += 1;
                file.settings.check().unwrap();
            }
            Err(error) => {
                refused += 1;
                let faults = error.faults().count();
                assert_eq!(
                    lines(&error).len(),
                    faults.max(lines(&error).len().min(101)),
                    "{text}"
                );
                for fault in error.faults() {
                    assert!(!fault.to_string().contains('\n'), "{fault}");
                }
            }
        }
    }
    assert!(
        accepted > 100 && refused > 1_000,
        "{accepted} accepted, {refused} refused"
    );
}

/// A small generator of its own, so that a seed means the same for ever.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bound = u64::try_from(bound.max(1)).unwrap();
        usize::try_from((mixed ^ (mixed >> 31)) % bound).unwrap()
    }

    /// Changes one to eight things: bytes, lines, values, or where the text ends.
    fn mutated(&mut self, text: &str) -> String {
        let mut lines: Vec<Vec<u8>> = text.lines().map(|line| line.as_bytes().to_vec()).collect();
        for _ in 0..=self.below(8) {
            if lines.is_empty() {
                lines.push(Vec::new());
            }
            let at = self.below(lines.len());
            let other = self.below(lines.len());
            match self.below(7) {
                0 => lines.swap(at, other),
                1 => drop(lines.remove(at)),
                2 => lines.insert(at, lines[other].clone()),
                3 => lines[at] = lines[at].strip_prefix(b"#").unwrap_or(b"").to_vec(),
                4 => {
                    let position = self.below(lines[at].len() + 1);
                    let odd = b"\"'[]{}=.,#\\\n\r\0 \t\xc3\xff0-_naie+";
                    lines[at].insert(position, odd[self.below(odd.len())]);
                }
                5 => {
                    let value = VALUES[self.below(VALUES.len())];
                    let line = String::from_utf8_lossy(&lines[at]).into_owned();
                    let key = line.split('=').next().unwrap_or_default();
                    lines[at] = format!("{key}= {value}").into_bytes();
                }
                _ => lines.truncate(at + 1),
            }
        }
        String::from_utf8_lossy(&lines.join(&b'\n')).into_owned()
    }
}

const VALUES: [&str; 16] = [
    "nan",
    "inf",
    "-0.0",
    "-1",
    "0",
    "1e308",
    "9223372036854775808",
    "0xffffffffffffffffffff",
    "true",
    "1979-05-27",
    "[[], {}]",
    "{ a = { b = 1 } }",
    "\"\"\"",
    "\"\\u0000\\u001b\"",
    "'fixed'",
    "[1, 1e300]",
];
