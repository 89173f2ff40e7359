//! Layers around the transport.

use tower::ServiceBuilder;
use wecom::{CorpId, Rank};

use crate::{
    CALL,
    client_fakes::{Answer, Fake, Gate, UPDATE, builder, client, secs},
};

#[tokio::test(start_paused = true)]
async fn layers_can_tell_calls_apart() {
    let fake = Fake::calls(|_| Answer::ok());
    let (client, _) = client(&fake);
    client.with_rank(Rank::new(9)).send(&CALL).await.unwrap();
    let extensions = &fake.calls_seen()[0].extensions;
    assert_eq!(extensions.get(), Some(&UPDATE));
    assert_eq!(extensions.get(), Some(&CorpId::new("ww1").unwrap()));
    assert_eq!(extensions.get(), Some(&Rank::new(9)));
}

#[tokio::test(start_paused = true)]
async fn anybodys_layers_go_around_the_transport() {
    let fake = Fake::calls(|_| Answer::ok().after(secs(2)));
    // This one panics if it is called before it is ready.
    let stack = ServiceBuilder::new()
        .concurrency_limit(1)
        .timeout(secs(3))
        .service(fake.clone());
    let gate = Gate::default();
    let client = builder(&gate).build_with(stack).unwrap();
    let (first, second) = tokio::join!(client.send(&CALL), client.send(&CALL));
    first.unwrap();
    second.unwrap();

    let fake = Fake::calls(|_| Answer::ok().after(secs(4)));
    let stack = ServiceBuilder::new().timeout(secs(3)).service(fake);
    let client = builder(&gate).build_with(stack).unwrap();
    let error = client.send(&CALL).await.unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(source, "request timed out", "a known layer's text is told");
}
