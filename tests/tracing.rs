//! What is logged: the edges of an overload, and never a request.
#![cfg(feature = "tracing")]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use dagor::{Admission, Business, Clock, Priority, User, clock::Hand};
use tracing_subscriber::fmt::MakeWriter;

/// Keeps what is logged.
#[derive(Clone, Debug, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

impl Log {
    /// Lines but for advice: a clock moved by hand is a process that stood still, and that is told.
    fn lines(&self) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let lines = text.lines().filter(|line| !line.contains("advice="));
        lines.map(str::to_owned).collect()
    }
}

/// One window of a request from each user, all of which waited for `waited`.
async fn window(admission: &Admission, hand: &Hand, waited: Duration) {
    for level in 0..128 {
        let user = User::new(level, 0).unwrap();
        drop(
            admission
                .admit(Priority::new(Business::new(7), user), waited)
                .await,
        );
    }
    hand.advance(Duration::from_millis(100));
    drop(admission.snapshot());
}

#[tokio::test]
async fn an_overload_is_logged_when_it_begins_and_when_it_ends() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(log.clone())
        .finish();
    let _here = tracing::subscriber::set_default(subscriber);
    let (clock, hand) = Clock::manual();
    let admission = Admission::builder("orders").clock(clock).build().unwrap();

    window(&admission, &hand, Duration::ZERO).await;
    assert_eq!(log.lines(), [""; 0], "nothing happened");
    for _ in 0..5 {
        window(&admission, &hand, Duration::from_millis(30)).await;
    }
    let [begun] = &log.lines()[..] else {
        panic!("{:?}", log.lines())
    };
    assert!(
        begun.contains("WARN") && begun.contains("overloaded"),
        "{begun}"
    );
    assert!(begun.contains("orders"), "{begun}");

    for _ in 0..200 {
        window(&admission, &hand, Duration::ZERO).await;
    }
    assert!(admission.level().is_open());
    let [_, ended] = &log.lines()[..] else {
        panic!("{:?}", log.lines())
    };
    assert!(ended.contains("INFO") && ended.contains("over"), "{ended}");
}
