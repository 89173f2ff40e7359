//! That callbacks are sent, sent again, lost, doubled and reordered as they should be, and that addresses are verified.
#![expect(
    clippy::unwrap_used,
    reason = "a test whose parts cannot be made has failed"
)]

mod common;

use std::{collections::HashSet, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use tokio::net::TcpListener;
use tower::service_fn;
use wecom::callback::{Keys, Signed};
use wecom_sim::{
    Profile,
    callback::{Event, Sender, Unverified},
    profile::{CallbackTo, Callbacks},
    world::World,
};

use self::common::{Does, KEY, Receiver, SEED, TOKEN, clock, corp, value};

fn sender(callbacks: Callbacks) -> (Sender, Receiver) {
    let profile = Profile {
        seed: SEED,
        callbacks,
        ..Profile::default()
    };
    let world = World::new(&profile, clock()).unwrap();
    let sender = Sender::new(&world);
    sender.add_corp(&corp("ww1")).unwrap();
    let receiver = Receiver::default();
    let inbox = receiver.clone();
    sender.to_service(service_fn(move |request| inbox.clone().receive(request)));
    (sender, receiver)
}

fn add(number: u32) -> Event {
    let external = format!("wm{number}");
    Event::customer("add_external_contact", "zhangsan", &external, 1_700_000_000)
}

#[tokio::test(start_paused = true)]
async fn an_event_arrives_encrypted_and_is_counted() {
    let (sender, receiver) = sender(Callbacks::default());
    sender.tell("ww1", add(1).with("State", "s1")).unwrap();
    sender.settled("ww1").await;
    let messages = receiver.messages();
    assert_eq!(messages.len(), 1);
    assert!(
        messages[0].contains("<ExternalUserID><![CDATA[wm1]]></ExternalUserID>"),
        "{messages:?}"
    );
    assert!(messages[0].contains("<State><![CDATA[s1]]></State>"));
    let raw = receiver.raw().join("");
    assert!(
        raw.starts_with("http://127.0.0.1:9/callback?msg_signature="),
        "{raw}"
    );
    assert!(
        raw.contains("<ToUserName><![CDATA[ww1]]></ToUserName>"),
        "{raw}"
    );
    assert!(!raw.contains("wm1") && !raw.contains(TOKEN));
    let counts = sender.counts("ww1").unwrap();
    assert_eq!((counts.events, counts.sent, counts.answered), (1, 1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_suite_is_told_in_its_own_form() {
    let (sender, receiver) = sender(Callbacks::default());
    let mut third = corp("ww1");
    third.permanent_code = Some(String::from("code1"));
    third.suite_id = Some(String::from("suite1"));
    sender.add_corp(&third).unwrap();
    sender.tell("ww1", add(1)).unwrap();
    sender.settled("ww1").await;
    assert_eq!(receiver.all("SuiteId"), ["suite1"]);
    assert_eq!(receiver.all("AuthCorpId"), ["ww1"]);
    assert_eq!(receiver.all("InfoType"), ["change_external_contact"]);
    assert!(receiver.raw()[0].contains("<ToUserName><![CDATA[suite1]]></ToUserName>"));
}

#[tokio::test(start_paused = true)]
async fn what_is_not_answered_with_200_is_sent_again_with_the_same_bytes() {
    for (does, name) in [
        (Does::Refuse, "refused"),
        (Does::Break, "unreached"),
        (Does::Hang, "timed_out"),
    ] {
        let (sender, receiver) = sender(Callbacks::default());
        receiver.next_ones(&[does, does, does]);
        sender.tell("ww1", add(1)).unwrap();
        sender.settled("ww1").await;
        assert_eq!(receiver.messages().len(), 1, "{name}");
        let raw = receiver.raw();
        assert_eq!(raw.len(), 4, "{name}");
        assert!(raw.iter().all(|one| *one == raw[0]), "{name}");
        let counts = sender.counts("ww1").unwrap();
        assert_eq!(
            (counts.sent, counts.retried, counts.given_up),
            (4, 3, 0),
            "{name}"
        );
        let failed = [counts.refused, counts.unreached, counts.timed_out];
        assert_eq!(failed.iter().sum::<u64>(), 3, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn it_is_given_up_after_three_retries() {
    let (sender, receiver) = sender(Callbacks::default());
    receiver.next_ones(&[Does::Refuse; 4]);
    sender.tell("ww1", add(1)).unwrap();
    sender.settled("ww1").await;
    let counts = sender.counts("ww1").unwrap();
    assert_eq!((counts.sent, counts.answered, counts.given_up), (4, 0, 1));
    assert!(receiver.messages().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_receiver_has_five_seconds() {
    let clock = clock();
    let (sender, receiver) = sender(Callbacks {
        retries: 0,
        ..Callbacks::default()
    });
    receiver.next_ones(&[Does::Hang]);
    sender.tell("ww1", add(1)).unwrap();
    let began = clock.now();
    sender.settled("ww1").await;
    let took = clock.now().saturating_sub(began);
    assert!((5.0..5.1).contains(&took.as_secs_f64()), "{took:?}");
    assert_eq!(sender.counts("ww1").unwrap().timed_out, 1);
}

/// What arrives of 2,000 events, by number.
async fn arrived(callbacks: Callbacks) -> (Vec<String>, wecom_sim::callback::Counts) {
    let (sender, receiver) = sender(callbacks);
    for number in 0..2000 {
        sender.tell("ww1", add(number)).unwrap();
    }
    sender.settled("ww1").await;
    (
        receiver.all("ExternalUserID"),
        sender.counts("ww1").unwrap(),
    )
}

#[tokio::test(start_paused = true)]
async fn shares_are_lost_and_sent_twice_and_the_same_ones_each_time() {
    let unpleasant = Callbacks {
        lost: 0.2,
        duplicates: 0.3,
        ..Callbacks::default()
    };
    let (first, counts) = arrived(unpleasant.clone()).await;
    // 18 and 18 are the standard deviations of 400 and 480.
    assert!(counts.lost.abs_diff(400) < 90, "seed {SEED}: {counts:?}");
    assert!(
        counts.duplicated.abs_diff(480) < 90,
        "seed {SEED}: {counts:?}"
    );
    let distinct: HashSet<&String> = first.iter().collect();
    let lost = usize::try_from(counts.lost).unwrap();
    let twice = usize::try_from(counts.duplicated).unwrap();
    assert_eq!(distinct.len(), 2000 - lost);
    assert_eq!(first.len(), 2000 - lost + twice);
    let (mut first, mut second) = (first, arrived(unpleasant).await.0);
    first.sort();
    second.sort();
    assert_eq!(first, second);
}

#[tokio::test(start_paused = true)]
async fn a_share_comes_after_its_successor_and_none_is_lost() {
    let (arrived, counts) = arrived(Callbacks {
        reordered: 0.25,
        in_flight: 1,
        ..Callbacks::default()
    })
    .await;
    assert_eq!(arrived.len(), 2000);
    let number = |id: &String| id[2..].parse::<u32>().unwrap();
    let late = arrived
        .windows(2)
        .filter(|pair| number(&pair[0]) > number(&pair[1]))
        .count();
    // An event that is itself the late successor of one is not held: a fifth.
    assert!((300..500).contains(&late), "seed {SEED}: {late}");
    assert!(
        counts.reordered.abs_diff(u64::try_from(late).unwrap()) <= 1,
        "{counts:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_late_event_is_sent_although_no_successor_comes() {
    let (sender, receiver) = sender(Callbacks {
        reordered: 1.0,
        ..Callbacks::default()
    });
    sender.tell("ww1", add(1)).unwrap();
    sender.settled("ww1").await;
    assert_eq!(receiver.all("ExternalUserID"), ["wm1"]);
}

#[tokio::test(start_paused = true)]
async fn one_at_a_time_they_come_in_order() {
    let (arrived, _) = arrived(Callbacks {
        in_flight: 1,
        ..Callbacks::default()
    })
    .await;
    let expected: Vec<String> = (0..2000).map(|number| format!("wm{number}")).collect();
    assert_eq!(arrived, expected);
}

#[tokio::test(start_paused = true)]
async fn what_waits_is_bounded() {
    let (sender, receiver) = sender(Callbacks {
        in_flight: 2,
        queue: 10,
        retries: 0,
        ..Callbacks::default()
    });
    receiver.next_ones(&[Does::Hang; 2]);
    for number in 0..100 {
        sender.tell("ww1", add(number)).unwrap();
    }
    sender.settled("ww1").await;
    let counts = sender.counts("ww1").unwrap();
    assert_eq!(
        (counts.dropped, counts.timed_out, counts.answered),
        (88, 2, 10)
    );
    assert_eq!(counts.events, 100);
}

#[tokio::test(start_paused = true)]
async fn without_an_address_events_are_counted_alone() {
    let (sender, receiver) = sender(Callbacks::default());
    sender.set_address("ww1", None).unwrap();
    sender.tell("ww1", add(1)).unwrap();
    sender.settled("ww1").await;
    assert_eq!(sender.counts("ww1").unwrap().unaddressed, 1);
    assert!(receiver.raw().is_empty());
    assert!(sender.tell("ww9", add(1)).is_err());
    let wrong = CallbackTo {
        url: String::from("http://10.1.2.3/"),
        token: String::from(TOKEN),
        encoding_aes_key: String::from(KEY),
    };
    let told = sender.set_address("ww1", Some(&wrong)).unwrap_err();
    assert!(
        told.to_string().contains("an http address of this machine"),
        "{told}"
    );
}

#[tokio::test(start_paused = true)]
async fn counts_can_begin_anew() {
    let (sender, _receiver) = sender(Callbacks::default());
    sender.tell("ww1", add(1)).unwrap();
    sender.settled("ww1").await;
    assert_eq!(sender.take_counts("ww1").unwrap().answered, 1);
    assert_eq!(
        sender.counts("ww1").unwrap(),
        wecom_sim::callback::Counts::default()
    );
}

/// Answers the `GET` with this much more than the plaintext, after this long.
async fn echo(
    request: Request<Full<Bytes>>,
    more: &'static str,
    after: Duration,
) -> Result<Response<Full<Bytes>>, std::io::Error> {
    let query = request.uri().query().unwrap_or_default();
    let echostr = value(query, "echostr")
        .replace("%2B", "+")
        .replace("%2F", "/")
        .replace("%3D", "=");
    let signed = Signed {
        msg_signature: value(query, "msg_signature"),
        timestamp: value(query, "timestamp"),
        nonce: value(query, "nonce"),
    };
    let keys = Keys::new(TOKEN, KEY, "ww1").unwrap();
    let mut plain = keys.open(&signed, &echostr).unwrap();
    plain.extend_from_slice(more.as_bytes());
    tokio::time::sleep(after).await;
    Ok(Response::new(Full::new(Bytes::from(plain))))
}

#[tokio::test(start_paused = true)]
async fn an_address_is_verified_to_the_byte_within_a_second() {
    let at_once = Duration::ZERO;
    for (more, after, expected) in [
        ("", at_once, Ok(())),
        ("", Duration::from_millis(999), Ok(())),
        ("", Duration::from_millis(1001), Err(Unverified::TimedOut)),
        (
            "\n",
            at_once,
            Err(Unverified::Text {
                found: 0,
                expected: 0,
            }),
        ),
    ] {
        let (sender, _receiver) = sender(Callbacks::default());
        sender.to_service(service_fn(move |request| echo(request, more, after)));
        let found = sender.verify("ww1", None).await;
        match (&found, &expected) {
            (Err(Unverified::Text { found, expected }), Err(Unverified::Text { .. })) => {
                assert_eq!(*found, expected + 1);
            }
            _ => assert_eq!(found, expected, "{more:?} {after:?}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_a_broken_connection_and_no_address_do_not_verify() {
    let (sender, receiver) = sender(Callbacks::default());
    receiver.next_ones(&[Does::Refuse, Does::Break, Does::Hang]);
    assert_eq!(
        sender.verify("ww1", None).await,
        Err(Unverified::Status(503))
    );
    assert_eq!(sender.verify("ww1", None).await, Err(Unverified::Unreached));
    assert_eq!(sender.verify("ww1", None).await, Err(Unverified::TimedOut));
    sender.set_address("ww1", None).unwrap();
    assert_eq!(sender.verify("ww1", None).await, Err(Unverified::Nowhere));
    assert_eq!(sender.verify("ww9", None).await, Err(Unverified::Nowhere));
}

#[tokio::test]
async fn callbacks_go_over_sockets_and_a_receiver_that_is_not_there_is_no_panic() {
    let profile = Profile {
        seed: SEED,
        callbacks: Callbacks {
            retries: 1,
            retry_after_ms: 0,
            ..Callbacks::default()
        },
        ..Profile::default()
    };
    let world = World::new(&profile, clock()).unwrap();
    let sender = Sender::new(&world);
    let receiver = Receiver::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut there = corp("ww1");
    there.callback.as_mut().unwrap().url =
        format!("http://{}/callback", listener.local_addr().unwrap());
    sender.add_corp(&there).unwrap();
    let serving = tokio::spawn(common::serve(listener, receiver.clone()));
    sender.tell("ww1", add(1)).unwrap();
    sender.settled("ww1").await;
    assert_eq!(receiver.all("ExternalUserID"), ["wm1"]);
    serving.abort();
    let _ = serving.await;
    sender.tell("ww1", add(2)).unwrap();
    sender.settled("ww1").await;
    let counts = sender.counts("ww1").unwrap();
    assert_eq!(
        (counts.answered, counts.given_up, counts.unreached),
        (1, 1, 2)
    );
}
