//! That the demonstration finds everything as it should be.

use std::process::{Command, Stdio};

#[test]
fn everything_is_as_it_should_be() {
    let played = Command::new(env!("CARGO_BIN_EXE_wecom-sim"))
        .arg("demo")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&played.stdout);
    assert_eq!(played.status.code(), Some(0), "{told}\n{played:?}");
    assert!(told.contains("findings are as they should be."), "{told}");
    assert!(!told.contains("FAIL"), "{told}");
}
