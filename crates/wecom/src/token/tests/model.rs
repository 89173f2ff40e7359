//! Random histories of two processes, and what holds in each of them.

use std::{collections::HashSet, future::Future, pin::pin, rc::Rc, task::Poll};

use proptest::{collection::vec, prelude::*, test_runner::RngSeed};
use rand::{SeedableRng as _, rngs::SmallRng};
use tokio::runtime;

use super::{
    shaky::{Faults, Shaky},
    *,
};

/// What happens next.
#[derive(Clone, Debug)]
enum Step {
    /// Nothing for so many milliseconds.
    Pass(u64),
    /// Calls of one process, all at once.
    Calls {
        process: usize,
        calls: usize,
    },
    /// Calls of both processes, all at once.
    Rush {
        calls: usize,
    },
    /// A caller that gives up after so many milliseconds.
    GivesUp {
        process: usize,
        after: u64,
    },
    /// WeCom refuses every token from now on.
    Kill,
    Answer(Answer),
    Store(Trouble),
}

#[derive(Clone, Copy, Debug)]
enum Trouble {
    None,
    Slow,
    Down,
    Hangs,
    TakesNothing,
    Forgets,
}

/// Two processes, and what is known of them.
struct World {
    office: Office,
    store: Shaky,
    keepers: [Keeper; 2],
    /// The number of the last token that each process used.
    last: [Rc<Mutex<u64>>; 2],
}

fn any_answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        4 => Just(Answer::Token),
        1 => Just(Answer::Errcode(-1)),
        1 => Just(Answer::Lost),
        1 => Just(Answer::Never),
        1 => Just(Answer::Panic),
    ]
}

fn any_step(trouble: impl Strategy<Value = Trouble> + 'static) -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1..5_000_u64).prop_map(Step::Pass),
        2 => (5_000..900_000_u64).prop_map(Step::Pass),
        4 => (0..2_usize, 1..9_usize).prop_map(|(process, calls)| Step::Calls { process, calls }),
        4 => (1..9_usize).prop_map(|calls| Step::Rush { calls }),
        2 => (0..2_usize, 0..200_u64)
            .prop_map(|(process, after)| Step::GivesUp { process, after }),
        2 => Just(Step::Kill),
        2 => any_answer().prop_map(Step::Answer),
        1 => trouble.prop_map(Step::Store),
    ]
}

/// Runs a history; with a seed, so that it can be run again.
fn run(steps: &[Step], seed: u64, whole: bool) {
    let runtime = runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.unwrap().block_on(async {
        let world = World::new(seed);
        for step in steps {
            world.take(step).await;
        }
        world.check(whole).await;
    });
}

// === impl World ===

impl World {
    fn new(seed: u64) -> Self {
        let office = Office::new(Mode::OldDies);
        office.set(|desk| desk.life = secs(600));
        let store = Shaky::new();
        let keepers = [0, 1].map(|number| {
            let keeper = keeper(&office, &store);
            keeper.0.lock().dice = SmallRng::seed_from_u64(seed ^ number);
            keeper
        });
        let watched = store.clone();
        office.set(|desk| desk.lease = Some(Box::new(move || watched.granted().last().copied())));
        Self {
            office,
            store,
            keepers,
            last: [Rc::default(), Rc::default()],
        }
    }

    async fn take(&self, step: &Step) {
        match *step {
            Step::Pass(time) => tokio::time::sleep(millis(time)).await,
            Step::Calls { process, calls } => {
                all((0..calls).map(|_| self.call(process))).await;
            }
            Step::Rush { calls } => {
                all((0..calls * 2).map(|call| self.call(call % 2))).await;
            }
            Step::GivesUp { process, after } => {
                let _ = tokio::time::timeout(millis(after), self.token(process)).await;
            }
            Step::Kill => self.office.kill(),
            Step::Answer(answer) => self.office.set(|desk| desk.answer = answer),
            Step::Store(Trouble::Forgets) => self.store.forget(),
            Step::Store(trouble) => self.store.set(trouble.faults()),
        }
    }

    /// Takes a token, which must not be older than the last, nor past its time.
    async fn token(&self, process: usize) -> Result<Secret, Error> {
        let begun = self.office.clock.now();
        let result = self.keepers[process].token().await;
        let now = self.office.clock.now();
        assert!(
            now - begun <= secs(60),
            "a caller waited for {:?}",
            now - begun
        );
        let token = result?;
        let number = token.reveal().trim_start_matches("token-").parse().unwrap();
        let expires = lock(&self.office.desk).expires[&number];
        assert!(now < expires, "token {number} is past its time");
        let mut last = lock(&self.last[process]);
        assert!(
            number >= *last,
            "token {number} after {last} in process {process}"
        );
        *last = number;
        Ok(token)
    }

    /// Makes a call as a client does; an error is one of the step's.
    async fn call(&self, process: usize) {
        let Ok(token) = self.token(process).await else {
            return;
        };
        if !self.office.takes(&token) {
            self.keepers[process].reject(&token).await;
            let _ = self.token(process).await;
        }
    }

    /// Checks what must hold at the end; of a `whole` store, more.
    async fn check(&self, whole: bool) {
        let per_minute = 10 * self.keepers.len();
        let fetches = lock(&self.office.desk).fetches.clone();
        for more in fetches.windows(per_minute + 1) {
            assert!(more[per_minute] - more[0] >= secs(60), "{fetches:?}");
        }
        if whole {
            let desk = lock(&self.office.desk);
            assert!(desk.most_under_way <= 1, "two fetches at once");
            let leases: HashSet<Option<u64>> = desk.leases.iter().copied().collect();
            assert_eq!(
                leases.len(),
                desk.leases.len(),
                "two fetches of one generation"
            );
        }
        // Whatever has happened, it gets well.
        self.store.set(Faults::default());
        self.office.set(|desk| desk.answer = Answer::Token);
        tokio::time::sleep(secs(120)).await;
        for keeper in &self.keepers {
            // May meet two dead tokens: its own, and the one that the other process stored and has not used since.
            let _ = call(keeper, &self.office).await;
            call(keeper, &self.office).await.unwrap();
        }
        for keeper in &self.keepers {
            call(keeper, &self.office).await.unwrap();
        }
        let before = self.office.fetches();
        for keeper in &self.keepers {
            call(keeper, &self.office).await.unwrap();
        }
        assert_eq!(self.office.fetches(), before, "they agree on one token");
    }
}

impl Trouble {
    fn faults(self) -> Faults {
        let well = Faults::default();
        match self {
            Self::None | Self::Forgets => well,
            Self::Slow => Faults {
                slow: millis(300),
                ..well
            },
            Self::Down => Faults { down: true, ..well },
            Self::Hangs => Faults {
                hangs: true,
                ..well
            },
            Self::TakesNothing => Faults {
                takes_nothing: true,
                ..well
            },
        }
    }
}

/// Waits for all of them at once, in one task.
async fn all<F: Future<Output = ()>>(futures: impl Iterator<Item = F>) {
    let mut futures: Vec<_> = futures.map(Box::pin).collect();
    let mut together = pin!(std::future::poll_fn(|context| {
        futures.retain_mut(|future| future.as_mut().poll(context).is_pending());
        if futures.is_empty() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }));
    together.as_mut().await;
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        rng_seed: RngSeed::Fixed(11),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn over_a_store_that_answers_there_is_one_fetch_a_lease_and_order(
        steps in vec(any_step(prop_oneof![Just(Trouble::None), Just(Trouble::Slow)]), 1..60),
        seed: u64,
    ) {
        run(&steps, seed, true);
    }

    #[test]
    fn over_any_store_no_token_is_past_its_time_or_older_than_the_last(
        steps in vec(
            any_step(prop_oneof![
                Just(Trouble::None),
                Just(Trouble::Slow),
                Just(Trouble::Down),
                Just(Trouble::Hangs),
                Just(Trouble::TakesNothing),
                Just(Trouble::Forgets),
            ]),
            1..60,
        ),
        seed: u64,
    ) {
        run(&steps, seed, false);
    }
}
