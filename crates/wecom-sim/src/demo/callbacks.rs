//! Customers scan, and the app is told: nothing is answered before it is on disk, and nothing counts twice.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::Router;
use http::Method;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use wecom::{
    BoxError,
    api::{AddContactWay, Members, MultiStyle, Scene, UserId, Users},
    callback::{self, Contact, ContactChange, Delivery, Event, Keys, Receiver},
};

use super::{
    report::Report,
    stage::{CORP, SECRET, Stage},
};

const TOKEN: &str = "QDG6eK";
const KEY: &str = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";
const SCANS: usize = 20;

/// A log on disk, and who is in it.
#[derive(Debug)]
struct Log {
    path: PathBuf,
    file: Mutex<File>,
    customers: Mutex<HashSet<String>>,
    events: Mutex<HashSet<callback::Identity>>,
}

/// Plays the act.
pub(super) async fn play(stage: &Stage, report: &mut Report) -> Result<(), BoxError> {
    let client = stage.client(CORP, SECRET)?;
    let users = Users::new([UserId::new("m9")?, UserId::new("m10")?])?;
    let scene: Scene<MultiStyle> = Scene::QrCode;
    let code = AddContactWay::multi(scene, Members::users(users));
    let id = client.add_contact_way(&code).await?.config_id;
    stage.reset().await?;
    let twice = json!({ "callbacks": { "duplicates": 1.0 } });
    stage.admin(Method::PUT, "settings", twice).await?;

    let log = Arc::new(Log::new()?);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/wecom", listener.local_addr()?);
    let serving = tokio::spawn(serve(listener, Arc::clone(&log)));
    let path = format!("corps/{CORP}/callback");
    let to = json!({ "url": url, "token": TOKEN, "encoding_aes_key": KEY });
    let set = stage.admin(Method::PUT, &path, to).await;
    report.check(set.is_ok(), "the address was verified by its echo, and set");
    set?;
    let burst = json!({ "config_id": id.as_str(), "count": SCANS });
    let path = format!("corps/{CORP}/burst");
    stage.admin(Method::POST, &path, burst).await?;

    // Half and full, each twice.
    let expected = SCANS * 4;
    let counts = answered(stage, expected).await?;
    let lines = log.lines()?;
    let text = format!("{SCANS} scans in one second: {counts} callbacks answered, {lines} on disk");
    report.check(counts == expected && lines == expected, &text);
    let (events, customers) = (log.events(), log.customers());
    report.check(
        events == SCANS * 2,
        &format!("told apart by their identity: {events} events, half and full adds"),
    );
    report.check(customers == SCANS, &format!("customers: {customers}"));
    serving.abort();
    let _ = serving.await;
    let usual = json!({ "callbacks": { "duplicates": 0.0 } });
    stage.admin(Method::PUT, "settings", usual).await?;
    Ok(())
}

async fn serve(listener: TcpListener, log: Arc<Log>) -> Result<(), BoxError> {
    let receiver = Receiver::new(Keys::new(TOKEN, KEY, CORP)?);
    let handler = move |delivery: Delivery| {
        let log = Arc::clone(&log);
        // The disk must not keep a worker of the runtime.
        async move {
            let kept = tokio::task::spawn_blocking(move || log.append(&delivery)).await;
            kept.map_err(io::Error::other)?
        }
    };
    let app = Router::new().nest("/wecom", callback::router(receiver, handler));
    Ok(axum::serve(listener, app).await?)
}

/// Waits until so many callbacks were answered, or no more come; returns how many were.
async fn answered(stage: &Stage, expected: usize) -> Result<usize, BoxError> {
    let path = format!("corps/{CORP}/callback");
    let mut answered = 0;
    for _ in 0..200 {
        let now = stage.admin(Method::GET, &path, Value::Null).await?;
        let count = now["counts"]["answered"].as_u64().unwrap_or_default();
        answered = usize::try_from(count)?;
        if answered >= expected {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(answered)
}

// === impl Log ===

impl Log {
    fn new() -> io::Result<Self> {
        let name = format!("wecom-sim-demo-{}.log", std::process::id());
        let path = std::env::temp_dir().join(name);
        Ok(Self {
            file: Mutex::new(File::create(&path)?),
            path,
            customers: Mutex::default(),
            events: Mutex::default(),
        })
    }

    /// Makes an event durable; only then it counts.
    fn append(&self, delivery: &Delivery) -> io::Result<()> {
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            writeln!(file, "{:?}", delivery.identity)?;
            file.sync_data()?;
        }
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.insert(delivery.identity);
        if let Event::Contact(Contact {
            external_user,
            change: ContactChange::Added { .. } | ContactChange::HalfAdded { .. },
            ..
        }) = &delivery.event
        {
            let mut customers = self
                .customers
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            customers.insert(String::from(external_user.as_str()));
        }
        Ok(())
    }

    fn lines(&self) -> io::Result<usize> {
        Ok(std::fs::read_to_string(Path::new(&self.path))?
            .lines()
            .count())
    }

    fn events(&self) -> usize {
        self.events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    fn customers(&self) -> usize {
        self.customers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // What a demonstration leaves behind is of no use to anybody.
        let _ = std::fs::remove_file(&self.path);
    }
}
