//! That the program serves, ends, checks and says what is wrong, as its manual has it.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test whose parts cannot be made has failed"
)]

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::mpsc,
    time::Duration,
};

use wecom_sim::{Profile, profile::TEMPLATE};

const PROGRAM: &str = env!("CARGO_BIN_EXE_wecom-sim");

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn run(args: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(args).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A file that is there while the test runs.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("wecom-sim-{}-{name}", std::process::id()));
        fs::write(&path, text).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The program while it serves; killed if the test fails.
struct Serving {
    child: Child,
    addr: SocketAddr,
}

impl Serving {
    fn new(args: &[&str]) -> Self {
        let mut child = Command::new(PROGRAM)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        let (send, first) = mpsc::channel();
        std::thread::spawn(move || {
            let mut lines = BufReader::new(stdout).lines();
            while let Some(Ok(line)) = lines.next() {
                let _ = send.send(line);
            }
        });
        let line = first.recv_timeout(PATIENCE);
        let addr = line
            .ok()
            .and_then(|line| line.strip_prefix("http://")?.parse().ok());
        if addr.is_none() {
            let _ = child.kill();
        }
        Self {
            addr: addr.unwrap(),
            child,
        }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(self.addr).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let length = body.len();
        let host = self.addr;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\
             content-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn end(mut self, signal: &str) -> ExitStatus {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
        let (send, ended) = mpsc::channel();
        let mut child = std::mem::replace(&mut self.child, Command::new("true").spawn().unwrap());
        std::thread::spawn(move || send.send(child.wait()));
        ended.recv_timeout(PATIENCE).unwrap().unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_prints_a_template_that_is_right() {
    let printed = run(&["profile"]);
    assert!(printed.status.success());
    assert_eq!(text(&printed.stdout), TEMPLATE);
    let file = TempFile::new("template.toml", &text(&printed.stdout));
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
fn it_serves_and_ends_when_told_to() {
    let file = TempFile::new(
        "serve.toml",
        "[[corp]]\nid = \"ww1\"\nsecret = \"secret1\"\nmore_members = 3\n",
    );
    for signal in ["-INT", "-TERM"] {
        let serving = Serving::new(&["--profile", file.path(), "--seed", "9"]);
        let token = serving.ask("GET", "/cgi-bin/gettoken?corpid=ww1&corpsecret=secret1", "");
        assert!(
            token.starts_with("HTTP/1.1 200") && token.contains("access_token"),
            "{token}"
        );
        let corp = serving.ask("GET", "/admin/corps/ww1", "");
        assert!(corp.contains("\"members\":3"), "{corp}");
        let added = serving.ask("POST", "/admin/corps", "{\"id\":\"ww2\",\"secret\":\"s\"}");
        assert!(added.starts_with("HTTP/1.1 200"), "{added}");
        let wrong = serving.ask("POST", "/admin/corps", "{");
        assert!(wrong.starts_with("HTTP/1.1 400"), "{wrong}");
        assert_eq!(serving.end(signal).code(), Some(0), "{signal}");
    }
}

#[test]
fn it_ends_although_a_caller_waits_for_an_answer_that_never_comes() {
    let file = TempFile::new(
        "hang.toml",
        "[[fault]]\nkind = \"timeout-before\"\n[[corp]]\nid = \"ww1\"\nsecret = \"secret1\"\n",
    );
    let serving = Serving::new(&["--profile", file.path()]);
    let mut stream = TcpStream::connect(serving.addr).unwrap();
    let request = "GET /cgi-bin/gettoken?corpid=ww1&corpsecret=secret1 HTTP/1.1\r\nhost: x\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    assert_eq!(serving.end("-TERM").code(), Some(0));
}

#[test]
fn a_port_that_is_taken_is_told() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    let served = run(&["serve", "--listen", &addr]);
    assert_eq!(served.status.code(), Some(2));
    let told = text(&served.stderr);
    assert!(told.starts_with(&format!("--listen {addr}: ")), "{told}");
    assert!(served.stdout.is_empty());
}

#[test]
fn other_machines_are_let_in_only_if_that_is_meant() {
    for listen in ["0.0.0.0:0", "[::]:0", "10.1.2.3:0"] {
        let served = run(&["serve", "--listen", listen]);
        assert_eq!(served.status.code(), Some(2), "{listen}");
        assert!(text(&served.stderr).contains("--expose"), "{served:?}");
    }
}

#[test]
fn a_pipe_that_is_closed_is_told_where_somebody_has_to_hear() {
    // The shell's other end is closed before the program begins.
    let script = format!("( sleep 1; exec '{PROGRAM}' serve --listen 127.0.0.1:0 ) | true");
    let served = Command::new("bash")
        .args(["-c", &format!("set -o pipefail; {script}")])
        .output()
        .unwrap();
    assert_eq!(served.status.code(), Some(2), "{served:?}");
    let told = text(&served.stderr);
    assert!(told.starts_with("standard output: "), "{told}");
    let script = format!("( sleep 1; exec '{PROGRAM}' profile ) | true");
    let printed = Command::new("bash")
        .args(["-c", &format!("set -o pipefail; {script}")])
        .output()
        .unwrap();
    assert!(printed.status.success(), "{printed:?}");
}

#[test]
fn usage_that_is_wrong_is_2_and_help_is_0() {
    for args in [
        vec![],
        vec!["srve"],
        vec!["serve", "--listen", "nowhere"],
        vec!["serve", "--seed", "-1"],
        vec!["serve", "--seed", "9223372036854775808"],
        vec!["check"],
    ] {
        assert_eq!(run(&args).status.code(), Some(2), "{args:?}");
    }
    for args in [vec!["--help"], vec!["serve", "--help"], vec!["--version"]] {
        assert!(run(&args).status.success(), "{args:?}");
    }
}
