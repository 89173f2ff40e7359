//! Rajomon against its paper's claims, on the plant.

use std::time::Duration;

use super::{
    Buyer, MEAN_TOKENS, Seller, Tuning,
    market::{Ledger, Market},
    tokens,
};
use crate::{
    policy::{
        Gatekeeper, Sender, Verdict,
        peer::{
            Reply, Send,
            plant::{Plant, Setup, Sight, mean},
            testing::{Bench, scenario, service},
        },
        ranks::Ranks,
        trial::{MS, SECOND, arrival, assert_close, call, levels, steps, within},
    },
    wire::{Call, Ending},
};

fn ranks() -> Ranks {
    Ranks::new([0, 3])
}

fn run(setup: &Setup) -> Sight {
    let ranks = Ranks::new(setup.numbers.iter().copied());
    Plant::run(
        setup,
        |_| {
            Seller::new(
                Tuning::default(),
                setup.workers,
                ranks.clone(),
                Ledger::default(),
            )
        },
        |_| Buyer::new(ranks.clone(), Ledger::default(), 0),
    )
}

#[test]
fn goodput_holds_at_twice_the_capacity_and_the_price_clears() {
    for load in [2.0, 5.0] {
        let sight = run(&steps(&[(0, load)], 24));
        assert!(sight.goodput() > 0.95, "{} at {load}", sight.goodput());
        let (from, until) = (8 * SECOND, 24 * SECOND);
        // Those who can pay are as many as can be served, give or take what the price swings.
        let (can_pay, _) = levels(&sight, from, until);
        let admitted = can_pay * load;
        assert!((0.9..1.15).contains(&admitted), "{admitted} at {load}");
        let waits = sight.waits_in(from, until);
        assert!(mean(&waits) < 40 * MS, "{:?} at {load}", mean(&waits));
        let (withheld, refused) = (
            within(&sight.withheld, from, until),
            sight.refused_in(from, until),
        );
        assert!(withheld > 9 * refused, "{withheld} and {refused}");
    }
}

#[test]
fn the_price_goes_when_the_demand_does() {
    let sight = run(&steps(&[(0, 5.0), (8, 0.5)], 16));
    let late = 10 * SECOND;
    assert!(sight.goodput_of(late, 15 * SECOND) > 0.99);
    let (can_pay, _) = levels(&sight, late, 15 * SECOND);
    assert!(can_pay > 0.99, "{can_pay}");
}

#[test]
fn tasks_of_several_calls_are_served_or_turned_away_as_one() {
    let setup = Setup {
        calls: vec![4],
        ..steps(&[(0, 2.0)], 24)
    };
    let sight = run(&setup);
    // By chance it would be a sixteenth of the tasks.
    assert!(sight.goodput() > 0.75, "{}", sight.goodput());
}

#[test]
fn the_important_pay_first() {
    let setup = Setup {
        numbers: vec![0, 3, 3, 3],
        ..steps(&[(0, 2.0)], 24)
    };
    let sight = run(&setup);
    let share = |number| sight.success_of_number(number);
    assert!(share(0) > 0.98, "{}", share(0));
    assert!((0.25..0.4).contains(&share(3)), "{}", share(3));
}

/// A call of a task with so many tokens, at least.
fn rich(business: usize, least: f64) -> Call {
    let draws = (0..10_000).map(|draw| Call {
        business,
        draw,
        ..call(3, 0)
    });
    let mut rich = draws.filter(|call| tokens(&ranks(), call) >= least);
    rich.next().unwrap()
}

#[test]
fn the_price_downstream_is_charged_and_told_upstream() {
    let ledger = Ledger::default();
    let mut buyer = Buyer::new(ranks(), ledger.clone(), 4);
    let mut seller = Seller::new(Tuning::default(), 10, ranks(), ledger);
    let call = rich(1, 2100.0);
    let mut poor = call;
    poor.draw = (0..)
        .find(|&draw| tokens(&ranks(), &Call { draw, ..call }) < 1900.0)
        .unwrap();
    let heard = |buyer: &mut Buyer, instance, price: &str| {
        let reply = Reply {
            ending: Ending::Refused,
            told: Some(price.into()),
            took: MS,
        };
        buyer.heard(MS, &call, instance, &reply);
    };
    heard(&mut buyer, 0, "1500");
    heard(&mut buyer, 2, "2500");
    let request = |call| arrival(call, MS, None);
    // The mean of the two that are known.
    assert_eq!(seller.tell(MS, &request(call)).as_deref(), Some("2000.0"));
    assert_eq!(seller.arrive(MS, &request(call), 0, 0), Verdict::Queue(0));
    assert_eq!(seller.arrive(MS, &request(poor), 0, 0), Verdict::Refuse);
    // Another business does not call there.
    let other = Call {
        business: 0,
        ..poor
    };
    assert_eq!(seller.arrive(MS, &request(other), 0, 0), Verdict::Queue(0));
    // To each instance by its own price; nothing is known of the second.
    assert!(matches!(buyer.send(MS, &poor, 1), Send::Go(Some(_))));
    assert_eq!(buyer.send(MS, &poor, 2), Send::Withhold);
    // What is not heard of for long is taken to have fallen.
    let later = MS + 2 * SECOND;
    assert_ne!(buyer.send(later, &poor, 2), Send::Withhold);
    assert_eq!(seller.tell(later, &request(call)).as_deref(), Some("0.0"));
}

#[test]
fn the_price_follows_the_longest_wait() {
    let mut seller = Seller::new(Tuning::default(), 1, ranks(), Ledger::default());
    let call = rich(0, 3000.0);
    let mut wait = |waited: Duration| {
        let request = arrival(call, Duration::ZERO, None);
        assert_eq!(
            seller.arrive(Duration::ZERO, &request, 0, 0),
            Verdict::Queue(0)
        );
        assert!(seller.start(waited, &request, 0));
        seller.tick(waited, 0, 1);
        seller.price
    };
    // Half the threshold: nothing yet.
    assert_close(wait(10 * MS), 0.0);
    // Half above it: half a step, and the proportional part of a whole.
    assert_close(wait(30 * MS), 2.5 + 200.0);
    // Two steps at most.
    assert_close(wait(200 * MS), 2.5 + 10.0 + 200.0 * 9.5);
    // Down by three steps at once.
    assert_close(wait(Duration::ZERO), 0.0);
}

#[test]
fn tokens_are_exponential_above_those_of_the_importance() {
    let (ranks, mut sum, mut above) = (ranks(), 0.0, 0);
    for task in 0..10_000 {
        let call = Call { task, ..call(3, 0) };
        let own = tokens(&ranks, &call);
        sum += own;
        above += u32::from(own > MEAN_TOKENS);
        let important = tokens(&ranks, &Call { number: 0, ..call });
        assert_close(important, own + 5000.0);
    }
    assert!((sum / 1e4 / MEAN_TOKENS - 1.0).abs() < 0.03, "{sum}");
    assert!((3530..3830).contains(&above), "{above}");
}

#[test]
fn an_instance_and_its_callers_share_a_ledger_until_it_restarts() {
    let bench = Bench::still(scenario(vec![service(Some(1), 10)]));
    let (market, mut place) = (Market::default(), bench.place(0));
    market.ledger(&place).hear(MS, 0, (1, 0), 700.0);
    assert_close(market.ledger(&place).downstream(MS, 0), 700.0);
    place.instance = 1;
    assert_close(market.ledger(&place).downstream(MS, 0), 0.0);
    (place.instance, place.start) = (0, 1);
    assert_close(market.ledger(&place).downstream(MS, 0), 0.0);
}
