//! Tokens: fetched late, and slowly.

use tokio::time::sleep;
use wecom::Class;
use wecom_sim::profile::{FaultKind, TokenMode};

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn t2_a_fetch_that_was_given_up_and_kills_the_next_token_later_is_got_over() {
    let vendor = Vendor::with(|profile| profile.tokens.mode = TokenMode::RotatingOldDead);
    // WeCom gives a token out 9 s after it was asked, when the client has long asked again.
    let late = FaultKind::Latency {
        median_ms: 9000.0,
        p99_ms: 9000.0,
    };
    vendor.faults([fault(GET_TOKEN, 1, late)]);
    let client = vendor.client(CORP);
    let code = vendor.code(CORP);
    let error = client.get_contact_way(&code).await.unwrap_err();
    assert_eq!(error.class(), Class::Transient, "{error}");
    sleep(secs(1)).await;
    while vendor.clock.now() < secs(30) {
        client.get_contact_way(&code).await.unwrap();
        sleep(millis(100)).await;
    }
    assert_eq!(
        vendor.fetches(CORP),
        3,
        "given up, fetched, and replaced once"
    );
    assert_eq!(vendor.answered(CORP, GET, 40014), 1);
}

#[tokio::test(start_paused = true)]
async fn t7_a_slow_refresh_slows_no_call() {
    let slow = FaultKind::Latency {
        median_ms: 4000.0,
        p99_ms: 4500.0,
    };
    let vendor = Vendor::with(|profile| {
        profile.tokens.mode = TokenMode::RotatingOldValid;
        profile.faults = vec![fault(GET_TOKEN, u64::MAX, slow)];
    });
    let client = vendor.client(CORP);
    let code = vendor.code(CORP);
    client.get_contact_way(&code).await.unwrap();
    while vendor.clock.now() < secs(3 * 7200) {
        let begun = vendor.clock.now();
        client.get_contact_way(&code).await.unwrap();
        assert_eq!(
            vendor.clock.now(),
            begun,
            "no call waits for the next token"
        );
        sleep(secs(3)).await;
    }
    assert_eq!(vendor.fetches(CORP), 4);
}
