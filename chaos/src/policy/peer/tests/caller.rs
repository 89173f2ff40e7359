//! The caller's side, and both together.

use std::{sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use http::StatusCode;

use super::{Diary, Keeper, LATE, Stand, told};
use crate::{
    policy::{
        Callee, Place, Policy, Reply, Send as Say, Sender,
        peer::{
            Peer, PeerCaller,
            testing::{call, link, request},
        },
    },
    wire::{self, Call, Ending, Link},
};

/// Withholds what is less important than 5, and keeps a diary.
struct Teller(Diary);

impl Sender for Teller {
    fn send(&mut self, now: Duration, call: &Call, instance: usize) -> Say {
        let sends = format!("{} send {} to {instance}", now.as_millis(), call.number);
        self.0.lock().unwrap().push(sends);
        if call.number > 5 {
            Say::Withhold
        } else {
            Say::Go(Some("count".into()))
        }
    }

    fn heard(&mut self, now: Duration, _: &Call, instance: usize, reply: &Reply) {
        let Reply { ending, told, took } = reply;
        let heard = format!(
            "{} {instance} {ending:?} {told:?} {took:?}",
            now.as_millis()
        );
        self.0.lock().unwrap().push(heard);
    }

    fn gave_up(&mut self, now: Duration, call: &Call, instance: usize) {
        let gave_up = format!("{} gave up {} to {instance}", now.as_millis(), call.number);
        self.0.lock().unwrap().push(gave_up);
    }
}

#[tokio::test(start_paused = true)]
async fn a_sender_sees_every_call_of_every_channel() {
    let stand = Stand::new(1, 9, StatusCode::OK).await;
    let diary = Diary::default();
    let channels: Vec<Link> = vec![link(&stand.work), Arc::new(stand.server.clone())];
    let links = PeerCaller::links(&stand.bench.world, Teller(Arc::clone(&diary)), channels);
    let withheld = links[0].send(request(call(6, LATE))).await;
    assert_eq!(Ending::of(&withheld), Ending::Withheld);
    assert_eq!(stand.work.most(), 0, "never sent");
    assert_eq!(
        Ending::of(&links[0].send(request(call(1, LATE))).await),
        Ending::Served
    );
    // What the sender asks gets there, and what is told comes back.
    assert_eq!(
        Ending::of(&links[1].send(request(call(2, LATE))).await),
        Ending::Refused
    );
    let mut left = links[0].send(request(call(3, LATE)));
    assert!((&mut left).now_or_never().is_none());
    drop(left);
    // Not even asked for.
    drop(links[0].send(request(call(4, LATE))));
    assert_eq!(
        *diary.lock().unwrap(),
        [
            "0 send 6 to 0",
            "0 send 1 to 0",
            "10 0 Served None 10ms",
            "10 send 2 to 1",
            "10 1 Refused Some(\"2 at 10\") 0ns",
            "10 send 3 to 0",
            "10 gave up 3 to 0",
        ]
    );
    assert_eq!(stand.diary(), ["10 0 waiting 0 running"]);
}

#[tokio::test(start_paused = true)]
async fn a_peer_has_a_callee_a_caller_or_both() {
    let stand = Stand::new(1, 9, StatusCode::OK).await;
    let (place, names) = (stand.bench.place(0), ["only".to_owned()]);
    let callee = Callee {
        service: 0,
        instances: &names,
    };
    let keep = |_: &Place<'_>| Keeper {
        slots: 1,
        ..Keeper::default()
    };
    let diary = Diary::default();
    let tell = {
        let diary = Arc::clone(&diary);
        move |_: &Place<'_>, _: &Callee<'_>| Teller(Arc::clone(&diary))
    };

    let both = Peer::both(keep, tell.clone());
    let served = both.serve(&place, link(&stand.work));
    assert!((served.level.unwrap()() - 0.25).abs() < 1e-9);
    let links = both.call(&place, &callee, vec![served.link]);
    let answer = links[0].send(request(call(1, LATE))).await.unwrap();
    assert!(wire::is_refusal(&answer), "asked to count");
    assert_eq!(diary.lock().unwrap().len(), 2);

    let callee_only = Peer::callee(keep);
    let served = callee_only.serve(&place, link(&stand.work));
    assert!(served.level.is_some());
    let links = callee_only.call(&place, &callee, vec![served.link]);
    assert_eq!(
        told(&links[0].send(request(call(1, LATE))).await.unwrap()),
        "1 at 10"
    );

    let caller_only = Peer::caller(tell);
    let served = caller_only.serve(&place, link(&stand.work));
    assert!(served.level.is_none());
    assert!(told(&served.link.send(request(call(1, LATE))).await.unwrap()).is_empty());
    let links = caller_only.call(&place, &callee, vec![served.link]);
    assert!(links[0].send(request(call(7, LATE))).await.is_err());

    let nowhere = Peer::callee_where(|_| None::<Keeper>);
    assert!(nowhere.serve(&place, link(&stand.work)).level.is_none());
}
