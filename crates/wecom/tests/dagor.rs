//! A throttled (corp, API) becomes a level: the least important calls are withheld, the important ones served.
#![cfg(feature = "dagor")]

mod client_fakes;

use std::{sync::Arc, time::Duration};

use client_fakes::{Answer, Fake, UPDATE, Update, builder, secs};
use dagor::{Business, Priority, User};
use tokio::{task::JoinSet, time::sleep};
use wecom::{
    Class, Client, Clock,
    error::Kind,
    limit::{Limits, LocalLimiter, Window},
};

const CALL: Update = Update::of("zhangsan");
/// Of the short window.
const CALLS_A_MINUTE: u32 = 1000;

/// What became of the calls of one importance.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    wanted: u32,
    served: u32,
    withheld: u32,
    limited: u32,
}

fn client(fake: Fake, callee: &dagor::Callee) -> Client<Fake> {
    let limits = Limits::default()
        .minute(Window::new(CALLS_A_MINUTE, secs(60)))
        .hour(Window::new(100_000, secs(3600)));
    let limiter = LocalLimiter::new(limits, Clock::system()).expect("limits in their ranges");
    builder(&client_fakes::Gate::default())
        .limiter(Arc::new(limiter))
        .callee(callee.clone())
        .build_with(fake)
        .expect("settings in their ranges")
}

fn callee() -> dagor::Callee {
    let callee = wecom::callee().clock(dagor::Clock::tokio()).build();
    callee.expect("settings in their ranges")
}

/// How long calls are wanted.
const LASTS: Duration = secs(900);

/// Who wants a call, by its number.
type Wants = fn(u64) -> User;

/// A user for each call, in no order.
const MANY: Wants = |number| User::from_hash(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
/// One for all, so that there are three priorities.
const ONE: Wants = |_| User::MOST_IMPORTANT;

/// Wants `times` what the window allows, a third each of three businesses, and waits so long for each call.
async fn want(client: &Client<Fake>, times: f64, patience: Duration, wants: Wants) -> [Tally; 3] {
    let gap = Duration::from_secs(60).div_f64(times * f64::from(CALLS_A_MINUTE));
    let clock = Clock::system();
    let mut calls = JoinSet::new();
    let mut number = 0_u64;
    while clock.now() < LASTS {
        let third = u8::try_from(number % 3).unwrap_or(0);
        let priority = Priority::new(Business::new(2 * third), wants(number));
        let client = client.with_priority(priority).with_patience(patience);
        calls.spawn(async move { (usize::from(third), client.send(&CALL).await) });
        number += 1;
        sleep(gap).await;
    }
    let mut tallies = [Tally::default(); 3];
    for (third, result) in calls.join_all().await {
        let tally = &mut tallies[third];
        tally.wanted += 1;
        match result.as_ref().map_err(wecom::Error::kind) {
            Ok(_) => tally.served += 1,
            Err(Kind::Withheld(_)) => tally.withheld += 1,
            Err(Kind::Limited { .. }) => tally.limited += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    tallies
}

#[tokio::test(start_paused = true)]
async fn of_twice_and_a_quarter_the_demand_the_important_third_is_served() {
    let fake = Fake::calls(|_| Answer::ok().after(Duration::from_millis(120)));
    let client = client(fake.clone(), &callee());
    let tallies = want(&client, 2.25, secs(5), MANY).await;
    let [first, second, last] = tallies;
    assert_eq!(first.served, first.wanted, "{tallies:?}");
    assert!(second.served > second.wanted / 8, "{tallies:?}");
    // Told at once, instead of after 5 s.
    assert!(last.withheld > last.wanted * 98 / 100, "{tallies:?}");
    let served: u32 = tallies.iter().map(|tally| tally.served).sum();
    assert!(served > CALLS_A_MINUTE * 15 * 85 / 100, "{tallies:?}");
}

/// Wants three times what the window allows: the important third alone is then all that there is room for, but for the
/// hundredth that the limiter keeps back.
async fn want_three_times(wants: Wants) -> [Tally; 3] {
    let fake = Fake::calls(|_| Answer::ok().after(Duration::from_millis(120)));
    let client = client(fake.clone(), &callee());
    let tallies = want(&client, 3.0, secs(30), wants).await;
    let [_, _, last] = tallies;
    assert!(last.served < last.wanted / 10, "{tallies:?}");
    assert!(last.withheld > last.wanted * 95 / 100, "{tallies:?}");
    let served: u32 = tallies.iter().map(|tally| tally.served).sum();
    assert!(served > CALLS_A_MINUTE * 15 * 98 / 100, "{tallies:?}");
    tallies
}

/// Their line grows by that hundredth, which their deadline bears.
#[tokio::test(start_paused = true)]
async fn of_three_times_the_demand_the_important_third_is_served_within_its_deadline() {
    let tallies = want_three_times(ONE).await;
    let [first, ..] = tallies;
    assert!(first.served * 100 >= first.wanted * 99, "{tallies:?}");
}

/// Here the least important of them are always the last in the line, so that they are the hundredth. But nobody is
/// withheld for the refusals of those who were in the line already when the level fell: 3.5 % of the important were.
#[tokio::test(start_paused = true)]
async fn of_the_important_no_more_are_withheld_than_there_is_no_room_for() {
    let tallies = want_three_times(MANY).await;
    let [first, ..] = tallies;
    assert!(first.served * 1000 >= first.wanted * 985, "{tallies:?}");
    assert!(first.withheld * 100 < first.wanted, "{tallies:?}");
}

#[tokio::test(start_paused = true)]
async fn two_corps_never_affect_each_other() {
    let throttled = Fake::calls(|_| Answer::errcode(45009));
    let callee = callee();
    let busy = client(throttled, &callee);
    let other = wecom::Credential::app("wwother", "secret-of-the-other").unwrap();
    let other = Client::builder(other)
        .callee(callee.clone())
        .build_with(Fake::calls(|_| Answer::ok()))
        .unwrap();
    let important = busy.with_priority(Priority::MOST_IMPORTANT);
    let error = important.send(&CALL).await.unwrap_err();
    assert_eq!(error.class(), Class::Throttled);
    // As long as the block is, and with the limiter's refusals on top.
    for _ in 0..400 {
        let least = Priority::new(Business::LEAST_IMPORTANT, User::from_hash(7));
        let result = busy
            .with_priority(least)
            .with_patience(secs(1))
            .send(&CALL)
            .await;
        assert_eq!(result.unwrap_err().class(), Class::Throttled);
        other.with_priority(least).send(&CALL).await.unwrap();
        sleep(Duration::from_millis(100)).await;
    }
    let snapshot = callee.snapshot();
    let of = |corp: &str| {
        let name = format!("{corp} {UPDATE}");
        let mut instances = snapshot.instances.iter();
        let instance = instances.find(|instance| *instance.instance == *name);
        instance.unwrap_or_else(|| panic!("no {name} in {snapshot:?}"))
    };
    let (busy, other) = (of("ww1"), of("wwother"));
    assert!(other.level > busy.level, "{snapshot:?}");
    assert!(busy.withheld > 0 && other.withheld == 0, "{snapshot:?}");
}
