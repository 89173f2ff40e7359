//! Files of scenarios: those that come with the binary, and those on disk.

use std::{
    fs,
    path::{Path, PathBuf},
};

use chaos::{
    Scenario,
    scenario::{ServiceTime, Shape, Weigher, builtin, capacity, tasks_capacity, visits},
};

/// A scenario with a trace of service times and a load that was counted.
const TRACED: &str = r#"purpose = "as it was on Monday"

[[service]]
name = "shop"
distribution = "trace"
trace = "times.csv"

[[business]]
name = "order"
entry = "shop"

[[load]]
shape = "replay"
file = "traces/counts.csv"
bin_s = 10
"#;

/// Returns an empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("it is ours");
    }
    fs::create_dir_all(folder.join("traces")).expect("room on the disk");
    folder
}

fn said(path: &Path) -> String {
    let error = Scenario::load(path).expect_err("a mistake");
    error.to_string()
}

#[test]
fn every_built_in_scenario_is_without_mistakes() {
    let names: Vec<&str> = builtin().map(|(name, _)| name).collect();
    assert!(
        names.is_sorted() && names.contains(&"paper-m2-1500"),
        "{names:?}"
    );
    let mistakes = names.iter().filter_map(|name| Scenario::find(name).err());
    let mistakes: Vec<String> = mistakes.map(|error| error.to_string()).collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    for name in names {
        let scenario = Scenario::find(name).unwrap();
        assert_eq!(scenario.name, name);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenarios/{name}.toml"));
        let loaded = Scenario::load(path).unwrap();
        assert_eq!(loaded, scenario, "the file is what is built in");
    }
}

#[test]
fn m2_is_the_papers_experiment() {
    let scenario = Scenario::find("paper-m2-1500").unwrap();
    assert!((capacity(&scenario, 1) - 750.0).abs() < 1e-6);
    assert!((tasks_capacity(&scenario) - 375.0).abs() < 1e-6);
    assert!((scenario.loads[0].rate - 750.0).abs() < 1e-6);
    assert_eq!(scenario.measured, Some(1));
    let weigher = Weigher::new(&scenario, 0, 1);
    assert!((0..100).all(|draw| weigher.of(draw) == 2));
}

#[test]
fn five_tiers_end_in_a_slow_shard() {
    let scenario = Scenario::find("five-tiers").unwrap();
    assert_eq!(visits(&scenario, 0), [1.0, 1.0, 1.0, 1.0, 2.0]);
    let last = scenario.services.len() - 1;
    assert_eq!(scenario.faults[0].service, last);
    let first = tasks_capacity(&scenario) * visits(&scenario, 0)[last];
    assert!(
        (first - capacity(&scenario, last)).abs() < 1e-6,
        "the last is the bottleneck"
    );
}

#[test]
fn a_name_that_nothing_has_is_told_with_those_like_it() {
    let said = |name: &str| Scenario::find(name).unwrap_err().to_string();
    let allowed = "five-tires: expected a built-in scenario, perhaps \"five-tiers\", or a file";
    assert_eq!(said("five-tires"), allowed);
    let nothing = "something-else: expected the name of a built-in scenario, or a file";
    assert_eq!(said("something-else"), nothing);
    assert!(said("m2.toml").starts_with("m2.toml: expected a readable file: "));
}

#[test]
fn a_path_is_found_too_and_its_files_lie_beside_it() {
    let folder = folder("beside");
    let path = folder.join("monday.toml");
    fs::write(&path, TRACED).unwrap();
    fs::write(folder.join("times.csv"), "# ms\n5\n\n7.5\r\n  0.25\n").unwrap();
    fs::write(folder.join("traces/counts.csv"), "100\n250\n").unwrap();
    let scenario = Scenario::find(path.to_str().unwrap()).unwrap();
    assert_eq!(scenario.name, "monday");
    let micros = std::time::Duration::from_micros;
    let times = vec![micros(5_000), micros(7_500), micros(250)];
    assert_eq!(scenario.services[0].service_time, ServiceTime::Trace(times));
    let shape = Shape::Replay {
        bin: micros(10_000_000),
        counts: vec![100.0, 250.0],
    };
    assert_eq!(scenario.loads[0].shape, shape);
    assert!((scenario.loads[0].rate - 1.0).abs() < 1e-12);
    let doubled = TRACED.replace("bin_s", "factor = 2\nbin_s");
    fs::write(&path, doubled).unwrap();
    assert!((Scenario::load(&path).unwrap().loads[0].rate - 2.0).abs() < 1e-12);
}

#[test]
fn every_bad_row_is_told_with_its_number() {
    let folder = folder("rows");
    let path = folder.join("monday.toml");
    fs::write(&path, TRACED).unwrap();
    fs::write(
        folder.join("times.csv"),
        "5\nfast\n7,5\n# fine\n-1\nNaN\n1e9\n6\n",
    )
    .unwrap();
    fs::write(folder.join("traces/counts.csv"), "count\n3\n").unwrap();
    let row = |row: &str| format!("times.csv:{row}, expected a number, 0 to 600000");
    let mut lines: Vec<String> = ["2: fast", "3: 7,5", "5: -1", "6: NaN", "7: 1e9"]
        .map(row)
        .into();
    lines.push(String::from(
        "traces/counts.csv:1: count, expected a number, 0 to 1000000000",
    ));
    assert_eq!(said(&path), lines.join("\n"));
}

#[test]
fn files_of_numbers_that_cannot_be_read_are_told() {
    let folder = folder("unread");
    let path = folder.join("monday.toml");
    fs::write(&path, TRACED).unwrap();
    fs::write(folder.join("times.csv"), "# nothing\n\n").unwrap();
    fs::create_dir(folder.join("traces/counts.csv")).unwrap();
    let at = path.display();
    let lines = [
        format!("{at}:6: trace = \"times.csv\", expected a file of 1 to 1000000 rows"),
        format!("{at}:14: file = \"traces/counts.csv\", expected a regular file"),
    ];
    assert_eq!(said(&path), lines.join("\n"));
    fs::write(folder.join("times.csv"), [b'1', b'\n', 0xff]).unwrap();
    assert!(said(&path).contains("expected UTF-8, which byte 2 is not"));
    fs::remove_file(folder.join("times.csv")).unwrap();
    assert!(said(&path).contains("trace = \"times.csv\", expected a readable file: "));
}

#[test]
fn a_scenario_that_cannot_be_read_is_told() {
    let folder = folder("scenario");
    assert!(said(&folder.join("none.toml")).contains("none.toml: expected a readable file: "));
    assert!(said(&folder).ends_with(": expected a regular file"));
    let path = folder.join("large.toml");
    fs::write(&path, vec![b'#'; (1 << 20) + 1]).unwrap();
    assert!(said(&path).ends_with(": expected at most 1048576 bytes"));
    fs::write(&path, [0xc3]).unwrap();
    assert!(said(&path).ends_with(": expected UTF-8, which byte 0 is not"));
    fs::write(&path, "").unwrap();
    assert!(said(&path).contains("a file without [[service]], expected at least one"));
}
