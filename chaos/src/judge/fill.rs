//! Sharing what services can do among the businesses that need them: evenly, and nothing left over.
//!
//! All businesses' shares rise together until a service is full; those that need it stay there, the others rise
//! on. With one bottleneck everybody gets capacity / demand. With several, what is refused at one is room at the
//! next: no policy that treats businesses alike can do better.

use std::{cmp::Reverse, collections::BinaryHeap};

/// How much the tasks of one business ask of one service.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    /// The business.
    pub(super) business: usize,
    /// Requests, if all of its tasks were served.
    pub(super) requests: f64,
    /// The share of its tasks that ask at all, over 0 and at most 1. The others are served first.
    pub(super) reach: f64,
}

/// A service in demand.
#[derive(Clone, Debug, Default)]
pub(super) struct Stand {
    /// What it can do, in requests.
    pub(super) supply: f64,
    /// Who asks.
    pub(super) demands: Vec<Demand>,
}

// === impl Demand ===

impl Demand {
    /// Returns how much is asked when this share of the tasks is served.
    fn at(&self, share: f64) -> f64 {
        self.requests * (self.beyond(share) / self.reach).clamp(0.0, 1.0)
    }

    fn beyond(&self, share: f64) -> f64 {
        share - (1.0 - self.reach)
    }
}

// === impl Stand ===

impl Stand {
    /// Returns how much is asked at `share`, less where businesses stay below it.
    fn asked(&self, share: f64, shares: &[f64]) -> f64 {
        let asked = self
            .demands
            .iter()
            .map(|demand| demand.at(share.min(shares[demand.business])));
        asked.sum()
    }

    /// Returns the share at which it is full, if it ever is.
    fn full_at(&self, shares: &[f64]) -> Option<f64> {
        if self.asked(1.0, shares) <= self.supply {
            return None;
        }
        let bends = self.demands.iter().flat_map(|demand| {
            let begins = 1.0 - demand.reach;
            [begins, shares[demand.business]]
        });
        let mut bends: Vec<f64> = bends.chain([0.0, 1.0]).collect();
        bends.sort_by(f64::total_cmp);
        // What is asked rises evenly between two bends, and is more than there is at the last.
        let over = bends.partition_point(|&bend| self.asked(bend, shares) <= self.supply);
        let over = over.min(bends.len() - 1);
        let (low, high) = (bends[over.saturating_sub(1)], bends[over]);
        let (asked, most) = (self.asked(low, shares), self.asked(high, shares));
        if most <= asked {
            return Some(low);
        }
        Some(low + (high - low) * ((self.supply - asked) / (most - asked)))
    }
}

/// Returns the share of each business's tasks that can be served, starting from what else limits them.
pub(super) fn fill(mut shares: Vec<f64>, stands: &[Stand]) -> Vec<f64> {
    // Shares are not negative, so that their bits are in their order.
    let key = |place: usize, share: f64| Reverse((share.to_bits(), place));
    let full = stands.iter().enumerate();
    let full = full.filter_map(|(place, stand)| Some(key(place, stand.full_at(&shares)?)));
    let mut queue: BinaryHeap<_> = full.collect();
    while let Some(Reverse((_, place))) = queue.pop() {
        // Since it was put there, others were held back: it is full later, or not at all.
        let Some(share) = stands[place].full_at(&shares) else {
            continue;
        };
        let now = key(place, share);
        if queue.peek().is_some_and(|next| *next > now) {
            queue.push(now);
            continue;
        }
        for demand in &stands[place].demands {
            let own = &mut shares[demand.business];
            *own = own.min(share.max(1.0 - demand.reach));
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stand(supply: f64, demands: &[(usize, f64, f64)]) -> Stand {
        let demands = demands.iter();
        let demands = demands.map(|&(business, requests, reach)| Demand {
            business,
            requests,
            reach,
        });
        Stand {
            supply,
            demands: demands.collect(),
        }
    }

    fn assert_shares(stands: &[Stand], wanted: &[f64]) {
        let shares = fill(vec![1.0; wanted.len()], stands);
        let close = shares
            .iter()
            .zip(wanted)
            .all(|(one, two)| (one - two).abs() < 1e-12);
        assert!(close, "{shares:?}, wanted {wanted:?}");
    }

    #[test]
    fn one_bottleneck_gives_everybody_capacity_by_demand() {
        assert_shares(&[stand(750.0, &[(0, 1500.0, 1.0)])], &[0.5]);
        assert_shares(&[stand(750.0, &[(0, 500.0, 1.0)])], &[1.0]);
        assert_shares(
            &[stand(750.0, &[(0, 1000.0, 1.0), (1, 500.0, 1.0)])],
            &[0.5, 0.5],
        );
        assert_shares(&[stand(0.0, &[(0, 10.0, 1.0)])], &[0.0]);
        assert_shares(&[stand(f64::INFINITY, &[(0, 10.0, 1.0)])], &[1.0]);
    }

    #[test]
    fn the_narrower_of_two_in_a_row_counts() {
        let stands = [
            stand(600.0, &[(0, 1000.0, 1.0)]),
            stand(900.0, &[(0, 3000.0, 1.0)]),
        ];
        assert_shares(&stands, &[0.3]);
    }

    #[test]
    fn what_is_refused_at_one_is_room_at_the_next() {
        // Business 0 gets 1/10 through its own service, so that 1 has 900 of the 1000 of the shared one.
        let own = stand(100.0, &[(0, 1000.0, 1.0)]);
        let shared = stand(1000.0, &[(0, 1000.0, 1.0), (1, 1800.0, 1.0)]);
        assert_shares(&[own, shared], &[0.1, 0.5]);
    }

    #[test]
    fn tasks_that_need_it_by_chance_lose_no_more_than_that_chance() {
        // Dead: the 70 % that do not go there succeed.
        assert_shares(&[stand(0.0, &[(0, 30.0, 0.3)])], &[0.7]);
        // Half of the 30 %.
        assert_shares(&[stand(15.0, &[(0, 30.0, 0.3)])], &[0.85]);
        // Beside a business that always goes there: it is full at 40 / (100 + 0) before the other begins.
        assert_shares(
            &[stand(40.0, &[(0, 100.0, 1.0), (1, 30.0, 0.3)])],
            &[0.4, 0.7],
        );
    }

    #[test]
    fn nobody_gets_too_much_and_nothing_is_left_over() {
        for seed in 0..200 {
            let mut chance = crate::world::Chance::new(seed, "fill", 0);
            let businesses = 1 + chance.below(6);
            let mut random = || {
                let mut stand = Stand {
                    supply: 1000.0 * chance.unit(),
                    demands: Vec::new(),
                };
                for business in 0..businesses {
                    let reach = if chance.unit() < 0.5 {
                        1.0
                    } else {
                        0.01 + 0.9 * chance.unit()
                    };
                    let requests = 400.0 * chance.unit();
                    if chance.unit() < 0.6 {
                        stand.demands.push(Demand {
                            business,
                            requests,
                            reach,
                        });
                    }
                }
                stand
            };
            let stands: Vec<Stand> = (0..8).map(|_| random()).collect();
            let shares = fill(vec![1.0; businesses], &stands);
            let room = |stand: &Stand| stand.supply - stand.asked(1.0, &shares);
            assert!(
                stands.iter().all(|stand| room(stand) > -1e-6),
                "seed {seed}: too much"
            );
            for (business, &share) in shares.iter().enumerate().filter(|(_, share)| **share < 1.0) {
                let holds = |stand: &Stand| {
                    let demand = stand
                        .demands
                        .iter()
                        .find(|demand| demand.business == business);
                    room(stand) < 1e-6 && demand.is_some_and(|demand| demand.beyond(share) > -1e-9)
                };
                assert!(
                    stands.iter().any(holds),
                    "seed {seed}: business {business} is held by nobody"
                );
            }
        }
    }
}
