//! How is an event made durable before WeCom is told so?
//!
//! `--listen ADDR` serves at `/callback` until it is interrupted, with the keys in `WECOM_TOKEN`,
//! `WECOM_ENCODING_AES_KEY` and `WECOM_CORP_ID`. Without it the example plays both sides: it verifies its address, sends
//! itself a customer's event, the same once more as WeCom does after a lost answer, and one that is forged; says what came
//! back, what is in the log, and ends.
//!
//! The log has the identity of each event, a line each. A line is written and synced to the disk before the answer goes
//! out; a real service would write the event itself, or hand it to a queue that has been synced.
#![expect(clippy::print_stdout, reason = "an example says what happened")]

use std::{
    env,
    error::Error,
    fs::{File, OpenOptions},
    io::{self, Write},
    net::SocketAddr,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use axum::Router;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    signal,
};
use wecom::{
    Clock,
    callback::{self, Delivery, Identity, Keys, Receiver},
};

/// Where the identities of events are kept.
#[derive(Clone)]
struct Log(Arc<Mutex<File>>);

// === impl Log ===

impl Log {
    fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self(Arc::new(Mutex::new(file))))
    }

    /// Returns when the line is on the disk.
    async fn append(&self, identity: Identity) -> io::Result<()> {
        let log = self.clone();
        let written = tokio::task::spawn_blocking(move || {
            let mut file = log.0.lock().unwrap_or_else(PoisonError::into_inner);
            writeln!(file, "{identity}")?;
            file.sync_data()
        });
        written.await?
    }
}

fn app(keys: Keys, log: Log) -> Router {
    let router = callback::router(Receiver::new(keys), move |delivery: Delivery| {
        let log = log.clone();
        async move {
            let what = delivery.event.kind();
            if delivery.seen_before {
                println!("  handler: {what}, which is in the log already");
                return Ok(());
            }
            log.append(delivery.identity).await?;
            println!("  handler: {what}, now in the log");
            Ok::<_, io::Error>(())
        }
    });
    Router::new().nest("/callback", router)
}

async fn stay(address: &str) -> Result<(), Box<dyn Error>> {
    let set = |name| env::var(name).map_err(|_| format!("{name} is not set"));
    let keys = Keys::new(
        &set("WECOM_TOKEN")?,
        &set("WECOM_ENCODING_AES_KEY")?,
        &set("WECOM_CORP_ID")?,
    )?;
    let listener = TcpListener::bind(address).await?;
    println!("http://{}/callback", listener.local_addr()?);
    let interrupted = async { signal::ctrl_c().await.unwrap_or_default() };
    let path = env::temp_dir().join("wecom-callbacks.log");
    println!("the log is {}", path.display());
    let log = Log::open(&path)?;
    axum::serve(listener, app(keys, log))
        .with_graceful_shutdown(interrupted)
        .await?;
    Ok(())
}

/// Sends a request and returns the status line and the body that come back.
async fn send(
    address: SocketAddr,
    method: &str,
    query: &str,
    body: &str,
) -> io::Result<(String, String)> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!(
        "{method} /callback?{query} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.lines().next().unwrap_or_default();
    Ok((status.to_owned(), body.to_owned()))
}

async fn play() -> Result<(), Box<dyn Error>> {
    let (corp, key) = (
        "wx5823bf96d3bd56c7",
        "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C",
    );
    let keys = Keys::new("QDG6eK", key, corp)?;
    let path = env::temp_dir().join(format!("wecom-callbacks-{}.log", std::process::id()));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let app = app(keys.clone(), Log::open(&path)?);
    let server = tokio::spawn(async move { axum::serve(listener, app).await });

    let now = Clock::system().calendar().as_secs();
    let message = format!(
        "<xml><ToUserName><![CDATA[{corp}]]></ToUserName><FromUserName><![CDATA[sys]]></FromUserName>\
         <CreateTime>{now}</CreateTime><MsgType><![CDATA[event]]></MsgType>\
         <Event><![CDATA[change_external_contact]]></Event>\
         <ChangeType><![CDATA[add_external_contact]]></ChangeType><UserID><![CDATA[zhangsan]]></UserID>\
         <ExternalUserID><![CDATA[wmA]]></ExternalUserID><State><![CDATA[code-17]]></State></xml>"
    );
    let sealed = keys.seal(b"1616140317555161061", now);
    println!("verify the address");
    let (status, body) = send(address, "GET", &sealed.echo_query(), "").await?;
    println!("  {status}, {body:?}");
    for what in [
        "a customer was added",
        "the same again: the answer was lost",
    ] {
        println!("{what}");
        let sealed = keys.seal(message.as_bytes(), now);
        let body = sealed.callback_body(corp, "218");
        let (status, body) = send(address, "POST", &sealed.query(), &body).await?;
        println!("  {status}, {body:?}");
    }
    println!("a forged one");
    let forger = Keys::new("guessed", key, corp)?.seal(message.as_bytes(), now);
    let body = forger.callback_body(corp, "218");
    let (status, body) = send(address, "POST", &forger.query(), &body).await?;
    println!("  {status}, {body:?}");

    server.abort();
    println!("in the log, {}:", path.display());
    print!("{}", std::fs::read_to_string(&path)?);
    std::fs::remove_file(path)?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    match &*arguments.iter().map(String::as_str).collect::<Vec<_>>() {
        [] => play().await,
        ["--listen", address] => stay(address).await,
        _ => Err("usage: callback_server [--listen ADDR]".into()),
    }
}
