//! How does a consumer of a queue put its jobs under control?
//!
//! The mailer does 400 jobs a second (four at a time, 10 ms each) and gets 1,000, of which 200 are receipts. It
//! takes every job at once and lets it wait at the gate, where jobs are in order of importance: receipts
//! are mailed, newsletters as far as they fit; the others go back into the queue, for the night.
#![expect(clippy::print_stdout, reason = "an example says what happened")]

use std::time::Duration;

use dagor::{Admission, Business, Concurrency, Priority, User};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{interval, sleep},
};
use tower::BoxError;

const RECEIPT: Business = Business::new(1);
const NEWSLETTER: Business = Business::new(6);

struct Job {
    priority: Priority,
    /// From another process it would be a time stamp: see `dagor::queuing_time::stamp`.
    enqueued: Duration,
}

/// What became of a job: its business, and how long it waited if it was mailed.
type Done = (Business, Option<Duration>);

async fn mail(admission: Admission, job: Job) -> Done {
    let waited = admission.clock().now() - job.enqueued;
    let Ok(admitted) = admission.admit(job.priority, waited).await else {
        return (job.priority.business(), None);
    };
    sleep(Duration::from_millis(10)).await;
    // The job is in work until `admitted` is dropped.
    (job.priority.business(), Some(admitted.waited()))
}

async fn consume(admission: Admission, mut queue: mpsc::Receiver<Job>) -> Vec<Done> {
    let mut jobs = JoinSet::new();
    // The gate is the bound: what it has no room for is refused at once.
    while let Some(job) = queue.recv().await {
        jobs.spawn(mail(admission.clone(), job));
    }
    jobs.join_all().await
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let admission = Admission::builder("mailer")
        .concurrency(Concurrency::fixed(4))
        .build()?;
    let (jobs, queue) = mpsc::channel(100);
    let consumer = tokio::spawn(consume(admission.clone(), queue));

    let mut every = interval(Duration::from_millis(10));
    for number in 0..2000_u32 {
        if number % 10 == 0 {
            every.tick().await;
        }
        let business = if number % 5 == 0 { RECEIPT } else { NEWSLETTER };
        // Users in no order: 37 and 128 have no common factor.
        let user = User::new(u8::try_from(number * 37 % 128)?, 0)?;
        let priority = Priority::new(business, user);
        let enqueued = admission.clock().now();
        jobs.send(Job { priority, enqueued }).await?;
    }
    drop(jobs);
    let done = consumer.await?;

    let mailed = |business| {
        let of_it = done.iter().filter(|(b, _)| *b == business);
        let waits: Vec<Duration> = of_it.clone().filter_map(|(_, waited)| *waited).collect();
        let (mailed, all) = (waits.len(), of_it.count());
        let mean = waits.iter().sum::<Duration>() / u32::try_from(mailed.max(1))?;
        let put_back = all - mailed;
        println!("business {business}: {mailed} mailed after {mean:.1?}, {put_back} put back");
        Ok::<_, BoxError>((mailed, mean))
    };
    let (receipts, wait) = mailed(RECEIPT)?;
    let (newsletters, _) = mailed(NEWSLETTER)?;
    println!("{}", admission.snapshot());

    assert!(
        receipts >= 396,
        "ninety-nine in a hundred receipts are mailed"
    );
    assert!(
        wait < Duration::from_millis(40),
        "and do not wait for newsletters"
    );
    assert!(
        (100..800).contains(&newsletters),
        "newsletters as far as they fit"
    );
    Ok(())
}
