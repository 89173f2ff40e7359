//! What the handler does: a fixed amount of arithmetic, about a millisecond of it.

use std::{hint::black_box, thread, time::Duration};

use dagor::Clock;

use super::{BoxError, cores::Cores};

/// The time a request should take of an undisturbed core.
const TARGET: Duration = Duration::from_millis(1);

/// A fixed amount of work, not of time: a core that is taken away costs capacity instead of hiding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    rounds: u32,
}

impl Work {
    /// Finds out how many rounds take [`TARGET`] on the server's core.
    pub(crate) fn calibrate(cores: Cores) -> Result<Self, BoxError> {
        thread::spawn(move || {
            cores.pin_server();
            let clock = Clock::system();
            // The best of many: whatever else runs on the core can only make a try slower.
            let best = (0..100)
                .map(|_| {
                    let began = clock.now();
                    burn(TRIAL);
                    clock.now().saturating_sub(began)
                })
                .min()
                .unwrap_or(TARGET);
            Self::lasting(TARGET, best)
        })
        .join()
        .map_err(|_| BoxError::from("the calibration stopped"))
    }

    /// Does it, without ever giving the thread back: the hard case for a runtime.
    pub(crate) fn burn(self) {
        self.burn_share(1);
    }

    /// Does one of `parts` equal parts of it.
    pub(crate) fn burn_share(self, parts: u32) {
        burn(self.rounds / parts);
    }

    fn lasting(target: Duration, trial: Duration) -> Self {
        let rounds = target.as_secs_f64() / trial.as_secs_f64().max(1e-9) * f64::from(TRIAL);
        // The cast saturates; a millisecond is some 100,000 to 1,000,000 rounds.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates"
        )]
        let rounds = rounds as u32;
        Self {
            rounds: rounds.max(1),
        }
    }
}

/// Rounds of one try of the calibration.
const TRIAL: u32 = 200_000;

#[inline(never)]
fn burn(rounds: u32) {
    let mut x = 88_172_645_463_325_252_u64;
    for _ in 0..rounds {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    black_box(x);
}
