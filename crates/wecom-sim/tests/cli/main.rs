//! That the program serves, ends, checks and says what is wrong, as its manual has it.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test whose parts cannot be made has failed"
)]

use std::{
    fs,
    io::{BufRead as _, BufReader, Read, Write as _},
    net::{SocketAddr, TcpStream},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::mpsc,
    time::Duration,
};

mod outputs;
mod profiles;
mod serving;
mod usage;

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

/// Runs the program with its standard output where nothing can be written.
fn run_into(stdout: impl Into<Stdio>, args: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command
        .args(args)
        .stdin(Stdio::null())
        .stderr(Stdio::piped());
    let child = command.stdout(stdout).spawn().unwrap();
    child.wait_with_output().unwrap()
}

/// Returns the end of a pipe that nobody reads.
fn unread() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// A file that is there while the test runs.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, text: impl AsRef<[u8]>) -> Self {
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

/// Waits until a program ends.
fn status(mut child: Child) -> ExitStatus {
    let id = child.id().to_string();
    let (send, ended) = mpsc::channel();
    std::thread::spawn(move || send.send(child.wait()));
    let ended = ended.recv_timeout(PATIENCE);
    if ended.is_err() {
        let _ = Command::new("kill").args(["-KILL", &id]).status();
    }
    ended.unwrap().unwrap()
}

/// Reads the first line of standard output.
fn address(line: &str) -> Option<String> {
    line.strip_prefix("http://").map(String::from)
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
        Self::of(child, stdout, address)
    }

    /// Waits for the line by which `child` tells where it serves.
    fn of(
        mut child: Child,
        output: impl Read + Send + 'static,
        read: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let (send, first) = mpsc::channel();
        std::thread::spawn(move || {
            let mut lines = BufReader::new(output).lines();
            while let Some(Ok(line)) = lines.next() {
                let _ = send.send(line);
            }
        });
        let line = first.recv_timeout(PATIENCE);
        let addr = line.ok().and_then(|line| read(&line)?.parse().ok());
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
        status(std::mem::replace(
            &mut self.child,
            Command::new("true").spawn().unwrap(),
        ))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
