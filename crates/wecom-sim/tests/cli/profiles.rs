//! Profiles: the template, those that come with it, and what is said of wrong ones.

use std::{fs, path::PathBuf};

use wecom_sim::{Profile, profile::TEMPLATE};

use super::{TempFile, run, text};

#[test]
fn it_prints_a_template_that_is_right() {
    let printed = run(&["profile"]);
    assert!(printed.status.success());
    assert_eq!(text(&printed.stdout), TEMPLATE);
    let file = TempFile::new("template.toml", text(&printed.stdout));
    let checked = run(&["check", file.path()]);
    assert!(checked.status.success(), "{checked:?}");
    let told = text(&checked.stdout);
    assert!(
        told.ends_with(": right: 0 enterprises, 0 members, 0 faults, seed 1\n"),
        "{told}"
    );
}

#[test]
fn the_profiles_that_come_with_it_are_right() {
    let profiles = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("profiles");
    let mut count = 0;
    for entry in fs::read_dir(profiles).unwrap() {
        let path = entry.unwrap().path();
        let profile = Profile::read(&path).unwrap();
        assert!(!profile.corps.is_empty(), "{path:?}");
        let checked = run(&["check", path.to_str().unwrap()]);
        assert!(checked.status.success(), "{checked:?}");
        count += 1;
    }
    assert_eq!(count, 2);
}

#[test]
fn it_names_every_mistake_of_every_file() {
    let right = TempFile::new("right.toml", "seed = 7\n");
    let wrong = TempFile::new("wrong.toml", "sed = 7\n[windows]\ndivide_time = 0\n");
    let checked = run(&["check", right.path(), wrong.path(), "/nowhere/at/all.toml"]);
    assert_eq!(checked.status.code(), Some(2));
    assert_eq!(text(&checked.stdout).lines().count(), 1);
    let told = text(&checked.stderr);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 3, "{told}");
    assert!(
        lines[0].ends_with(":1: sed: expected a known key, did you mean \"seed\"?"),
        "{told}"
    );
    assert!(lines[1].contains(":3: windows.divide_time = 0"), "{told}");
    assert!(
        lines[2].contains("/nowhere/at/all.toml: cannot be read: "),
        "{told}"
    );
    let served = run(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--profile",
        wrong.path(),
    ]);
    assert_eq!(served.status.code(), Some(2));
    assert_eq!(text(&served.stderr).lines().count(), 2);
}

#[test]
fn a_profile_that_is_none_is_told_with_its_path() {
    let folder = std::env::temp_dir();
    let folder = folder.to_str().unwrap();
    let binary = TempFile::new("binary.toml", b"seed = 1\n\xff\xfe");
    let long = TempFile::new("long.toml", "a".repeat(5_000_000));
    // What is longer than is read need not be read: a file with a hole takes no place.
    let huge = TempFile::new("huge.toml", "");
    fs::File::options()
        .write(true)
        .open(&huge.0)
        .unwrap()
        .set_len(300 * 1024 * 1024)
        .unwrap();
    let dead = TempFile::new("dead.toml", "");
    fs::remove_file(&dead.0).unwrap();
    std::os::unix::fs::symlink(&dead.0, &dead.0).unwrap();
    for (path, part) in [
        (folder, ": cannot be read: "),
        (dead.path(), ": cannot be read: "),
        (binary.path(), ": not UTF-8 at byte 9"),
        (long.path(), ":1: not TOML: "),
        (huge.path(), ": too long, expected at most 268435456 bytes"),
    ] {
        for args in [
            &["check", path][..],
            &["serve", "--listen", "127.0.0.1:0", "--profile", path],
        ] {
            let printed = run(args);
            assert_eq!(printed.status.code(), Some(2), "{args:?}: {printed:?}");
            let told = text(&printed.stderr);
            assert!(told.starts_with(path) && told.contains(part), "{told:.300}");
            assert!(told.len() < 1000, "{args:?}: {} bytes", told.len());
            assert!(printed.stdout.is_empty(), "{args:?}");
        }
    }
    let empty = TempFile::new("empty.toml", "");
    let checked = run(&["check", empty.path()]);
    assert!(checked.status.success(), "an empty one has the defaults");
}
