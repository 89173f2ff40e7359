//! Who asks: eight businesses, the less important the more numerous, and users spread evenly.

use std::time::Duration;

use dagor::{Business, Priority, User};

use super::rng::Rng;

/// How long the caller of a task waits for all of its calls together.
pub(crate) const DEADLINE: Duration = Duration::from_millis(500);

pub(crate) const BUSINESSES: usize = 8;

/// Share of the demand per business, of a total of 46: the first five together are 35 %.
const WEIGHTS: [u64; BUSINESSES] = [1, 2, 3, 4, 6, 8, 10, 12];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_tasks_by_weight() {
        let draw = || {
            let mut rng = Rng::new(7);
            [(); 46_000].map(|()| priority(&mut rng))
        };
        assert_eq!(draw(), draw());
        for (number, weight) in (0..).zip(WEIGHTS) {
            let drawn = draw();
            let of = drawn
                .iter()
                .filter(|p| p.business() == Business::new(number));
            let expected = weight as f64 * 1_000.0;
            let seen = of.count() as f64;
            assert!((seen / expected - 1.0).abs() < 0.15, "{number}: {seen}");
        }
    }
}
