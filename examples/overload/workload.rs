//! Who asks: eight businesses, the less important the more numerous, and users spread evenly.

use std::time::Duration;

use dagor::{Business, Priority, User};

use super::rng::Rng;

/// How long the caller of a task waits for all of its calls together.
pub(crate) const DEADLINE: Duration = Duration::from_millis(500);

pub(crate) const BUSINESSES: usize = 8;

/// Share of the demand per business, of a total of 46: the first five together are 35 %.
pub(crate) const WEIGHTS: [u64; BUSINESSES] = [1, 2, 3, 4, 6, 8, 10, 12];

/// Draws the priority of the next task.
pub(crate) fn priority(rng: &mut Rng) -> Priority {
    let mut left = rng.next() % WEIGHTS.iter().sum::<u64>();
    let mut number = 0;
    for weight in WEIGHTS {
        if left < weight {
            break;
        }
        left -= weight;
        number += 1;
    }
    Priority::new(Business::new(number), User::from_hash(rng.next()))
}
