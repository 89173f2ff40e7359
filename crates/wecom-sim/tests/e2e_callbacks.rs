//! Callbacks end to end, over sockets of this machine: what the simulated WeCom sends against the router that takes it.

mod support;

use std::{collections::HashSet, net::SocketAddr, num::NonZeroU32, time::Duration};

use support::*;
use tokio::{net::TcpListener, task::JoinHandle};
use wecom::{
    Clock,
    callback::{Endpoint, Event},
};
use wecom_sim::{
    Profile, Sim,
    callback::{Counts, Unverified},
    profile::{AddEvents, CallbackTo, Callbacks},
    world::CodeSeed,
};

/// A platform on a socket, and a vendor whose callbacks go there.
struct Setup {
    sim: Sim,
    platform: Platform,
    address: SocketAddr,
    serving: JoinHandle<()>,
}

// === impl Setup ===

impl Setup {
    async fn new(callbacks: Callbacks) -> Self {
        Self::with(callbacks, |endpoint| endpoint).await
    }

    async fn with(
        callbacks: Callbacks,
        change: impl FnOnce(Endpoint<Platform>) -> Endpoint<Platform>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let platform = Platform::default();
        let router = platform.endpoint(Clock::system(), |endpoint| change(endpoint).into_router());
        let serving = tokio::spawn(async move {
            // It ends with the test.
            let _ = axum::serve(listener, router).await;
        });
        let mut corp = enterprise(CORP);
        corp.callback = Some(support::address(&format!("http://{address}/callback")));
        let profile = Profile {
            seed: SEED,
            callbacks,
            corps: vec![corp],
            ..Profile::default()
        };
        Self {
            sim: Sim::new(&profile).expect("the profile is right"),
            platform,
            address,
            serving,
        }
    }

    /// Scans one code so often within a second, and waits until nothing is on its way.
    async fn burst(&self, count: u32) -> Vec<String> {
        let corp = self.sim.world().corp(CORP).expect("it is there");
        let seed = CodeSeed {
            state: "door",
            users: &["m1", "m2", "m3"],
            ..CodeSeed::default()
        };
        let code = corp.add_codes(&[seed]).expect("they are members").remove(0);
        let scanner = self.sim.parts().scanner();
        let scans = scanner.burst(CORP, &code, count).expect("it is known");
        self.sim.parts().sender().settled(CORP).await;
        scans.into_iter().map(|scan| scan.external_userid).collect()
    }

    fn counts(&self) -> Counts {
        let counts = self.sim.parts().sender().counts(CORP);
        counts.expect("it is known")
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// As documented but with shorter waits between the tries.
fn quick() -> Callbacks {
    Callbacks {
        retry_after_ms: 20,
        ..Callbacks::default()
    }
}

/// Returns the customers that the log tells of, each once.
fn customers(kept: &Kept) -> HashSet<String> {
    let ids = kept.log.iter().filter_map(|event| match event {
        Event::Contact(contact) => Some(String::from(contact.external_user.as_str())),
        _ => None,
    });
    ids.collect()
}

#[tokio::test]
async fn an_address_is_verified_with_the_right_keys_alone() {
    let setup = Setup::new(quick()).await;
    let sender = setup.sim.parts().sender();
    assert_eq!(sender.verify(CORP, None).await, Ok(()));

    let right = address(&format!("http://{}/callback", setup.address));
    let wrong_token = CallbackTo {
        token: String::from("another"),
        ..right.clone()
    };
    let wrong_key = CallbackTo {
        encoding_aes_key: KEY.replace('j', "k"),
        ..right.clone()
    };
    for wrong in [wrong_token, wrong_key] {
        let told = sender.verify(CORP, Some(&wrong)).await;
        assert_eq!(told, Err(Unverified::Status(403)));
    }
    let elsewhere = address(&format!("http://{}/elsewhere", setup.address));
    let told = sender.verify(CORP, Some(&elsewhere)).await;
    assert_eq!(told, Err(Unverified::Status(404)));
}

#[tokio::test]
async fn c2_a_thousand_additions_of_one_second_are_all_counted_once() {
    let setup = Setup::new(quick()).await;
    let scanned = setup.burst(1000).await;
    let kept = setup.platform.kept();
    let counts = setup.counts();
    // Half and full for each.
    assert_eq!(
        (counts.events, counts.answered, counts.given_up),
        (2000, 2000, 0)
    );
    assert_eq!(kept.log.len(), 2000);
    assert_eq!(kept.customers, [(String::from("door"), 1000)].into());
    assert_eq!(customers(&kept), scanned.into_iter().collect());
}

#[tokio::test]
async fn c1_what_comes_twice_late_or_never_is_counted_once_or_not_at_all() {
    let setup = Setup::new(Callbacks {
        adds: AddEvents::Full,
        duplicates: 0.3,
        reordered: 0.3,
        lost: 0.1,
        ..quick()
    })
    .await;
    let scanned: HashSet<String> = setup.burst(500).await.into_iter().collect();
    let (kept, counts) = (setup.platform.kept(), setup.counts());
    assert!(
        counts.duplicated > 50 && counts.lost > 20,
        "seed {SEED}: {counts:?}"
    );
    assert!(counts.reordered > 50, "seed {SEED}: {counts:?}");
    let arrived = usize::try_from(counts.events - counts.lost).unwrap();
    assert_eq!(kept.log.len(), arrived);
    assert_eq!(
        kept.customers.values().sum::<u64>(),
        counts.events - counts.lost
    );
    assert_eq!(u64::try_from(kept.delivered).unwrap(), counts.answered);
    assert!(customers(&kept).is_subset(&scanned));
}

#[tokio::test]
async fn a_handler_that_fails_and_panics_at_first_has_the_event_in_the_end_and_once() {
    for first in [Does::Fail, Does::Panic] {
        let setup = Setup::new(Callbacks {
            adds: AddEvents::Full,
            ..quick()
        })
        .await;
        setup.platform.next_ones(&[first, first]);
        setup.burst(1).await;
        let (kept, counts) = (setup.platform.kept(), setup.counts());
        assert_eq!((kept.delivered, kept.log.len()), (3, 1), "{first:?}");
        assert_eq!(kept.marked, 0, "{first:?}: what failed is not remembered");
        let sums = (
            counts.refused,
            counts.retried,
            counts.answered,
            counts.given_up,
        );
        assert_eq!(sums, (2, 2, 1, 0), "{first:?}");
    }
}

#[tokio::test]
async fn a_handler_that_fails_for_too_long_loses_the_event_and_nothing_else() {
    let setup = Setup::new(Callbacks {
        adds: AddEvents::Full,
        in_flight: 1,
        ..quick()
    })
    .await;
    setup.platform.next_ones(&[Does::Fail; 4]);
    setup.burst(10).await;
    let (kept, counts) = (setup.platform.kept(), setup.counts());
    assert_eq!((counts.given_up, counts.answered), (1, 9));
    assert_eq!(kept.log.len(), 9);
}

#[tokio::test]
async fn c3_a_slow_handler_is_told_again_and_has_the_event_once() {
    let setup = Setup::with(
        Callbacks {
            adds: AddEvents::Full,
            timeout_ms: 5000,
            ..quick()
        },
        |endpoint| endpoint.deadline(Duration::from_millis(100)),
    )
    .await;
    let slow = Does::After(Duration::from_millis(200));
    setup.platform.next_ones(&[slow, slow]);
    setup.burst(1).await;
    let deadline = Clock::system().now() + secs(10);
    let clock = Clock::system();
    while setup.platform.kept().log.is_empty() && clock.now() < deadline {
        tokio::time::sleep(millis(10)).await;
    }
    let (kept, counts) = (setup.platform.kept(), setup.counts());
    assert_eq!(kept.log.len(), 1);
    assert_eq!(
        kept.delivered, 1,
        "copies wait for the handler that runs: {kept:?}"
    );
    assert!(counts.retried >= 1, "{counts:?}");
    assert_eq!((counts.answered, counts.timed_out), (1, 0), "{counts:?}");
    assert_eq!(counts.refused, counts.retried, "{counts:?}");
}

#[tokio::test]
async fn a_router_that_is_full_refuses_what_comes_later_and_gets_all_of_it_in_the_end() {
    let setup = Setup::with(
        Callbacks {
            adds: AddEvents::Full,
            retries: 50,
            ..quick()
        },
        |endpoint| endpoint.in_flight(const { NonZeroU32::new(2).unwrap() }),
    )
    .await;
    setup.platform.next_ones(&[Does::After(millis(100)); 4]);
    setup.burst(100).await;
    let (kept, counts) = (setup.platform.kept(), setup.counts());
    assert!(counts.refused > 0, "{counts:?}");
    assert_eq!((counts.answered, counts.given_up), (100, 0), "{counts:?}");
    assert_eq!(kept.log.len(), 100);
}

#[tokio::test]
async fn callbacks_of_a_stranger_reach_no_handler_and_learn_nothing() {
    let setup = Setup::new(Callbacks {
        retries: 0,
        adds: AddEvents::Full,
        ..Callbacks::default()
    })
    .await;
    let sender = setup.sim.parts().sender();
    let right = address(&format!("http://{}/callback", setup.address));
    let forged = [
        CallbackTo {
            token: String::from("guessed"),
            ..right.clone()
        },
        CallbackTo {
            encoding_aes_key: KEY.replace('j', "k"),
            ..right
        },
    ];
    for to in &forged {
        sender.set_address(CORP, Some(to)).unwrap();
        setup.burst(5).await;
    }
    let (kept, counts) = (setup.platform.kept(), setup.counts());
    assert_eq!((counts.refused, counts.answered), (10, 0));
    assert_eq!((kept.delivered, kept.log.len()), (0, 0));
}
