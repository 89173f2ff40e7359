use std::time::Duration;

use super::*;
use crate::config::FileWatch;

#[test]
fn says_so_when_the_content_changes_and_only_then() {
    let folder = Folder::new("watch");
    let path = folder.file("dagor.toml", "threshold_ms = 30");
    let mut watch = FileWatch::new(&path);

    let first = watch.poll().unwrap().unwrap();
    assert_eq!(
        first.settings.constants.threshold,
        Duration::from_millis(30)
    );
    assert!(watch.poll().is_none());

    folder.file("dagor.toml", "threshold_ms = 30");
    assert!(watch.poll().is_none(), "written again, but the same");

    // As long as before and perhaps within the same tick of the file system's clock.
    folder.file("dagor.toml", "threshold_ms = 31");
    let second = watch.poll().unwrap().unwrap();
    assert_eq!(
        second.settings.constants.threshold,
        Duration::from_millis(31)
    );
}

#[test]
fn says_an_error_once() {
    let folder = Folder::new("watch-errors");
    let path = folder.0.join("dagor.toml");
    let mut watch = FileWatch::new(&path);
    assert!(watch.poll().unwrap().is_err(), "not there yet");
    assert!(watch.poll().is_none());

    folder.file("dagor.toml", "slots = -1");
    assert!(watch.poll().unwrap().is_err());
    assert!(watch.poll().is_none());

    folder.file("dagor.toml", "slots = 1");
    assert!(watch.poll().unwrap().is_ok());
    fs::remove_file(&path).unwrap();
    assert!(watch.poll().unwrap().is_err(), "gone");
    folder.file("dagor.toml", "slots = 1");
    assert!(watch.poll().unwrap().is_ok(), "back again");
}
