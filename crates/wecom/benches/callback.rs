//! How many callbacks does one core decode and verify?
//!
//! `receive` is all of it, from the query and the body of a typical `add_external_contact` to a delivery that a
//! handler can take: query, envelope, signature, base64, AES-256-CBC, the message's fields, the typed event, the
//! identity, and a look into a memory of 16,384 events. Not included: HTTP, and whatever makes it durable.
//!
//! The parts are parts of it: `envelope` (as XML; the message within is one field), `verify`, `open` (which
//! includes `verify`), `fields`, `event`, `identity`. `refuse` is what a forger's callback costs. `seal` is the
//! sender's side.

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wecom::{
    Clock,
    callback::{Event, Fields, Identity, Keys, Receiver, Signed},
};

const CORP: &str = "ww6a112864f8022910";
const NOW: u64 = 1_750_000_000;
const MESSAGE: &str = "<xml><ToUserName><![CDATA[ww6a112864f8022910]]></ToUserName>\
    <FromUserName><![CDATA[sys]]></FromUserName><CreateTime>1750000000</CreateTime>\
    <MsgType><![CDATA[event]]></MsgType><Event><![CDATA[change_external_contact]]></Event>\
    <ChangeType><![CDATA[add_external_contact]]></ChangeType><UserID><![CDATA[zhangsan]]></UserID>\
    <ExternalUserID><![CDATA[woAJ2GCAAAXtWyujaWJHDDGi0mACH71w]]></ExternalUserID>\
    <State><![CDATA[lc_6650f2e1a3b4c5d6e7f80912]]></State>\
    <WelcomeCode><![CDATA[xYq1v0m8GQdQmW7bTtFzYf9cJ1rV6uLk3pZs5nEo2hA]]></WelcomeCode></xml>";

fn callback(criterion: &mut Criterion) {
    let key = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";
    let keys = Keys::new("QDG6eK", key, CORP).expect("valid keys");
    let clock = Clock::set_to(Duration::from_secs(NOW));
    let receiver = Receiver::builder(keys.clone()).clock(clock).memory(16_384);
    let receiver = receiver.build().expect("valid settings");

    let sealed = keys.seal_with(MESSAGE.as_bytes(), NOW, "1372623149", [7; 16]);
    let (query, body) = (sealed.query(), sealed.callback_body(CORP, "1000002"));
    let forged = query.replace("msg_signature=", "msg_signature=0");
    let signed = Signed {
        msg_signature: &sealed.msg_signature,
        timestamp: &sealed.timestamp,
        nonce: &sealed.nonce,
    };
    let fields = Fields::parse(MESSAGE).expect("a good message");

    let mut group = criterion.benchmark_group("callback");
    group.throughput(Throughput::Elements(1));
    group.bench_function("receive", |bencher| {
        bencher.iter(|| {
            let delivery = receiver.receive(black_box(&query), black_box(body.as_bytes()));
            delivery.expect("a good callback")
        });
    });
    group.bench_function("refuse", |bencher| {
        bencher.iter(|| {
            let refused = receiver.receive(black_box(&forged), black_box(body.as_bytes()));
            refused.expect_err("a forged callback")
        });
    });
    group.bench_function("envelope", |bencher| {
        bencher.iter(|| Fields::parse(black_box(&body)));
    });
    group.bench_function("verify", |bencher| {
        bencher.iter(|| keys.verify(black_box(&signed), black_box(&sealed.encrypt)));
    });
    group.bench_function("open", |bencher| {
        bencher.iter(|| keys.open(black_box(&signed), black_box(&sealed.encrypt)));
    });
    group.bench_function("fields", |bencher| {
        bencher.iter(|| Fields::parse(black_box(MESSAGE)));
    });
    group.bench_function("event", |bencher| {
        bencher.iter(|| Event::of(black_box(&fields)));
    });
    group.bench_function("identity", |bencher| {
        bencher.iter(|| Identity::of(black_box(&fields)));
    });
    group.bench_function("seal", |bencher| {
        bencher.iter(|| keys.seal_with(black_box(MESSAGE.as_bytes()), NOW, "1", [7; 16]));
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .without_plots();
    targets = callback
}
criterion_main!(benches);
