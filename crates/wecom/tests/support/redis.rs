//! A Redis of a test's own: a child process on an unused port, stopped when the value is dropped.
//!
//! A test that starts one fails where there is no `redis-server`; it is never skipped, because what is skipped
//! is soon believed to pass.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::{
    env, fs,
    io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio, id},
    sync::{
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

/// How long a server may take until it answers.
const DEADLINE: Duration = Duration::from_secs(10);

/// A running `redis-server` that keeps nothing on disk.
#[derive(Debug)]
pub(crate) struct RedisServer {
    child: Child,
    port: u16,
    folder: PathBuf,
}

/// Why one attempt did not give a server.
enum Failed {
    /// Somebody else took the port between its choice and its use.
    PortTaken,
    Otherwise(String),
}

// === impl RedisServer ===

impl RedisServer {
    /// Starts one, and returns it when it answers.
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts one with more arguments, such as `["--rename-command", "TIME", ""]`.
    pub(crate) fn start_with(arguments: &[&str]) -> Self {
        for _ in 0..10 {
            match Self::attempt(unused_port(), arguments) {
                Ok(server) => return server,
                Err(Failed::PortTaken) => {}
                Err(Failed::Otherwise(why)) => panic!("redis-server did not start: {why}"),
            }
        }
        panic!("redis-server did not start: 10 ports were taken, one after the other");
    }

    /// Returns where it listens, as `redis::Client::open` takes it.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// Returns the port on 127.0.0.1.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Stops its process with everything it keeps; [`restart`](Self::restart) brings an empty one.
    pub(crate) fn stop(&mut self) {
        // Both fail only for a child that has been waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts an empty one on the same port, after [`stop`](Self::stop).
    pub(crate) fn restart(&mut self) {
        self.stop();
        match Self::attempt(self.port, &[]) {
            Ok(mut new) => std::mem::swap(self, &mut new),
            Err(Failed::PortTaken) => panic!("port {} was taken meanwhile", self.port),
            Err(Failed::Otherwise(why)) => panic!("redis-server did not start again: {why}"),
        }
    }

    /// Makes it hang without closing a connection, until [`resume`](Self::resume).
    pub(crate) fn pause(&self) {
        self.signal("-STOP");
    }

    /// Lets it go on after [`pause`](Self::pause).
    pub(crate) fn resume(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        let status = Command::new("kill").args([signal, &pid]).status();
        assert!(
            status.as_ref().is_ok_and(|s| s.success()),
            "kill {signal}: {status:?}"
        );
    }

    fn attempt(port: u16, arguments: &[&str]) -> Result<Self, Failed> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("wecom-redis-{}-{number}", id()));
        fs::create_dir_all(&folder).map_err(|error| Failed::Otherwise(error.to_string()))?;
        let port_text = port.to_string();
        let child = Command::new("redis-server")
            .args(["--port", &port_text, "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no", "--dir"])
            .arg(&folder)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn();
        let child = child.map_err(|error| match error.kind() {
            ErrorKind::NotFound => Failed::Otherwise(
                "redis-server is not installed: run scripts/setup check, or apt-get install redis-server"
                    .to_owned(),
            ),
            _ => Failed::Otherwise(error.to_string()),
        })?;
        let mut server = Self {
            child,
            port,
            folder,
        };
        server.wait_until_ready()?;
        server.ping().map_err(Failed::Otherwise)?;
        Ok(server)
    }

    /// Reads its log until it says that it takes connections, and goes on reading so that it never waits for us.
    fn wait_until_ready(&mut self) -> Result<(), Failed> {
        let Some(log) = self.child.stdout.take() else {
            return Err(Failed::Otherwise("its log is not piped".to_owned()));
        };
        let (said, heard) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(log).lines().map_while(Result::ok) {
                // Nobody listens any more once it is ready.
                let _ = said.send(line);
            }
        });
        let mut log = String::new();
        loop {
            match heard.recv_timeout(DEADLINE) {
                Ok(line) if line.contains("Ready to accept connections") => return Ok(()),
                Ok(line) if line.contains("Address already in use") => {
                    return Err(Failed::PortTaken);
                }
                Ok(line) => {
                    log.push('\n');
                    log.push_str(&line);
                }
                Err(why) => return Err(Failed::Otherwise(format!("{why}; it said:{log}"))),
            }
        }
    }

    fn ping(&self) -> Result<(), String> {
        let to_text = |error: std::io::Error| format!("PING: {error}");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let mut stream = TcpStream::connect_timeout(&address, DEADLINE).map_err(to_text)?;
        stream.set_read_timeout(Some(DEADLINE)).map_err(to_text)?;
        stream.write_all(b"PING\r\n").map_err(to_text)?;
        let mut answer = [0; 7];
        stream.read_exact(&mut answer).map_err(to_text)?;
        if &answer == b"+PONG\r\n" {
            Ok(())
        } else {
            Err(format!("PING was answered with {answer:?}"))
        }
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.stop();
        // What is left of it is in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns a port that nobody listened on a moment ago.
pub(crate) fn unused_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .expect("127.0.0.1 has an unused port")
        .port()
}
