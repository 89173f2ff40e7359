//! The load: a thread of its own with a runtime of its own, on the other core.

use std::{
    future::Future,
    net::SocketAddr,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use dagor::{Clock, Priority, Task};
use tokio::{runtime::Builder, task::JoinSet, time::sleep};

use super::{
    BoxError,
    caller::{Call, Caller, Outcome},
    cores::Cores,
    profile::Profile,
    rng::Rng,
    tally::{Finished, Recorder, Tally},
    workload::{self, DEADLINE},
};

/// What is offered to the service at `address`.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub(crate) address: SocketAddr,
    pub(crate) profile: Profile,
    /// Calls a second that are a load of 1.
    pub(crate) capacity: f64,
    pub(crate) calls_per_task: u32,
    pub(crate) seed: u64,
}

/// Runs `load` on the generator's thread; meanwhile calls `tick` a few times a second.
pub(crate) fn run<T, F>(
    cores: Cores,
    mut tick: impl FnMut(),
    load: impl FnOnce() -> F + Send + 'static,
) -> Result<T, BoxError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, BoxError>>,
{
    let (sender, receiver) = mpsc::sync_channel(1);
    let generator = thread::Builder::new().name("generator".to_owned());
    generator.spawn(move || {
        cores.pin_generator();
        let runtime = Builder::new_current_thread().enable_all().build();
        let result = runtime
            .map_err(BoxError::from)
            .and_then(|runtime| runtime.block_on(load()));
        // Whoever waited for it may have gone.
        drop(sender.send(result));
    })?;
    loop {
        match receiver.recv_timeout(Duration::from_millis(200)) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) => tick(),
            Err(RecvTimeoutError::Disconnected) => return Err("the load generator stopped".into()),
        }
    }
}

/// Offers tasks whether or not earlier ones have ended (an open loop), at random moments.
pub(crate) async fn open_loop(offer: Offer, callers: Vec<Caller>) -> Tally {
    let clock = Clock::system();
    let began = clock.now();
    let recorder = Recorder::new(began);
    let mut rng = Rng::new(offer.seed);
    let mut tasks = JoinSet::new();
    let mut due = Duration::ZERO;
    for caller in callers.iter().cycle() {
        let Some(load) = offer.profile.load_at(due) else {
            break;
        };
        let early = (began + due).saturating_sub(clock.now());
        if !early.is_zero() {
            // The timer ticks in milliseconds: what falls due in the meantime goes out together.
            sleep(early).await;
        }
        while tasks.try_join_next().is_some() {}
        if due >= offer.profile.counted().end && recorder.is_complete() {
            break;
        }
        let counted = offer.profile.counted().contains(&due);
        let priority = workload::priority(&mut rng);
        recorder.begin(priority, clock.now().saturating_sub(began + due), counted);
        let (caller, recorder) = (caller.clone(), recorder.clone());
        let (address, calls) = (offer.address, offer.calls_per_task);
        tasks.spawn(async move {
            let in_time = task(&caller, address, priority, calls, |call| {
                recorder.call(call, counted);
            });
            let in_time = in_time.await;
            if counted {
                recorder.end(Finished { priority, in_time });
            }
        });
        let rate = load * offer.capacity / f64::from(calls);
        due += Duration::from_secs_f64(rng.gap(rate));
    }
    // Tasks that are not over by now are too late, so nobody waits for them.
    recorder.take()
}

/// Makes the calls of a task one after the other; returns whether all were served in time.
async fn task(
    caller: &Caller,
    address: SocketAddr,
    priority: Priority,
    calls: u32,
    record: impl Fn(&Call),
) -> bool {
    let clock = Clock::system();
    let deadline = clock.now() + DEADLINE;
    let task = Task::new(priority).with_deadline(Some(deadline));
    for _ in 0..calls {
        let call = caller.call(address, &task).await;
        record(&call);
        let served = matches!(call.outcome, Outcome::Served { .. });
        // Nobody would wait for the rest of a task that is too late.
        if !served || call.ended > deadline {
            return false;
        }
    }
    true
}

/// Keeps `outstanding` calls under way for `start` and then for [`WINDOWS`] windows that last `counted`
/// together; returns the calls served a second in the best of them.
///
/// Whatever else the machine does can only make a window worse, and all that follows is measured in
/// this figure.
pub(crate) async fn closed_loop(
    address: SocketAddr,
    caller: Caller,
    outstanding: u32,
    (start, counted): (Duration, Duration),
) -> f64 {
    let begins = Clock::system().now() + start;
    let window = counted / WINDOWS;
    let mut loops = JoinSet::new();
    for _ in 0..outstanding {
        let caller = caller.clone();
        loops.spawn(async move { one_after_the_other(address, &caller, begins, window).await });
    }
    let mut served = [0_u32; WINDOWS as usize];
    for one in loops.join_all().await {
        for (all, one) in served.iter_mut().zip(one) {
            *all += one;
        }
    }
    let best = served.into_iter().max().unwrap_or(0);
    f64::from(best) / window.as_secs_f64()
}

/// Windows of the search for the capacity.
const WINDOWS: u32 = 4;

/// Calls without a pause until the last window is over; returns the calls served in each.
async fn one_after_the_other(
    address: SocketAddr,
    caller: &Caller,
    begins: Duration,
    window: Duration,
) -> [u32; WINDOWS as usize] {
    let clock = Clock::system();
    let task = Task::new(Priority::MOST_IMPORTANT);
    let mut served = [0; WINDOWS as usize];
    while clock.now() < begins + window * WINDOWS {
        let call = caller.call(address, &task).await;
        if !matches!(call.outcome, Outcome::Served { .. }) {
            // Never spin on a service that is gone.
            sleep(Duration::from_millis(1)).await;
            continue;
        }
        if let Some(since) = call.ended.checked_sub(begins) {
            let number = usize::try_from(since.as_nanos() / window.as_nanos().max(1));
            if let Some(count) = number.ok().and_then(|number| served.get_mut(number)) {
                *count += 1;
            }
        }
    }
    served
}
