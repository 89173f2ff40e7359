//! The windows of (corp, API), of IPs and of providers, and the blocks that they begin.

use std::time::Duration;

use serde_json::json;
use tokio::time::advance;
use wecom_sim::profile::{Corp, WindowKind, Windows};

use crate::vendor::{Vendor, errcode};

/// Without limits but these.
async fn with(windows: Windows) -> Vendor {
    Vendor::with(|profile| profile.windows = windows).await
}

fn none() -> Windows {
    Windows {
        corp_per_minute: 0,
        corp_per_hour: 0,
        ip_per_minute: 0,
        ip_per_hour: 0,
        provider_per_minute: 0,
        provider_per_hour: 0,
        ..Windows::default()
    }
}

async fn call(vendor: &Vendor) -> i64 {
    vendor
        .code("get_contact_way", &json!({"config_id": "none"}))
        .await
}

/// Answers to so many calls: how many were let in, how many not.
async fn calls(vendor: &Vendor, count: usize) -> (usize, usize) {
    let mut answers = (0, 0);
    for _ in 0..count {
        match call(vendor).await {
            41044 => answers.0 += 1,
            45009 => answers.1 += 1,
            other => panic!("{other}"),
        }
    }
    answers
}

#[tokio::test(start_paused = true)]
async fn by_default_10_000_calls_a_minute_and_150_000_an_hour() {
    let vendor = Vendor::new().await;
    assert_eq!(calls(&vendor, 10_001).await, (10_000, 1));
    let vendor = Vendor::new().await;
    for _ in 0..15 {
        assert_eq!(calls(&vendor, 10_000).await, (10_000, 0));
        advance(Duration::from_secs(60)).await;
    }
    assert_eq!(call(&vendor).await, 45009, "the hour's 150,000 are used up");
    advance(Duration::from_secs(3599)).await;
    assert_eq!(call(&vendor).await, 45009);
    advance(Duration::from_secs(1)).await;
    assert_eq!(call(&vendor).await, 41044);
}

#[tokio::test(start_paused = true)]
async fn the_minute_s_limit_blocks_for_60_seconds() {
    let vendor = with(Windows {
        corp_per_minute: 3,
        ..none()
    })
    .await;
    assert_eq!(calls(&vendor, 4).await, (3, 1));
    advance(Duration::from_millis(59_999)).await;
    assert_eq!(call(&vendor).await, 45009);
    advance(Duration::from_millis(1)).await;
    assert_eq!(calls(&vendor, 3).await, (3, 0));
}

#[tokio::test(start_paused = true)]
async fn the_hour_s_limit_blocks_for_60_minutes() {
    let vendor = with(Windows {
        corp_per_hour: 3,
        ..none()
    })
    .await;
    assert_eq!(calls(&vendor, 4).await, (3, 1));
    advance(Duration::from_secs(3599)).await;
    assert_eq!(call(&vendor).await, 45009);
    advance(Duration::from_secs(1)).await;
    assert_eq!(calls(&vendor, 3).await, (3, 0));
}

#[tokio::test(start_paused = true)]
async fn sliding_windows_count_the_last_minute_at_every_moment() {
    let vendor = with(Windows {
        corp_per_minute: 2,
        ..none()
    })
    .await;
    assert_eq!(call(&vendor).await, 41044);
    advance(Duration::from_secs(30)).await;
    assert_eq!(call(&vendor).await, 41044);
    advance(Duration::from_secs(30)).await;
    assert_eq!(call(&vendor).await, 41044, "the first is a minute old");
    assert_eq!(call(&vendor).await, 45009);
}

#[tokio::test(start_paused = true)]
async fn fixed_windows_begin_with_the_full_minute() {
    let windows = Windows {
        corp_per_minute: 2,
        kind: WindowKind::Fixed,
        ..none()
    };
    let vendor = with(windows).await;
    // The tests begin at second 20.
    advance(Duration::from_secs(39)).await;
    assert_eq!(calls(&vendor, 2).await, (2, 0));
    advance(Duration::from_secs(1)).await;
    assert_eq!(calls(&vendor, 3).await, (2, 1), "a new minute");
    assert_eq!(
        vendor.traffic("get_contact_way").peak_minute,
        4,
        "what a sliding one would have seen"
    );
}

#[tokio::test(start_paused = true)]
async fn each_api_has_windows_of_its_own() {
    let vendor = with(Windows {
        corp_per_minute: 1,
        ..none()
    })
    .await;
    assert_eq!(calls(&vendor, 2).await, (1, 1));
    assert_eq!(errcode(&vendor.read("user/get?userid=m1").await), 0);
    assert_eq!(
        vendor
            .code("del_contact_way", &json!({"config_id": "none"}))
            .await,
        41044
    );
}

#[tokio::test(start_paused = true)]
async fn each_enterprise_has_windows_of_its_own() {
    let vendor = Vendor::with(|profile| {
        profile.windows = Windows {
            corp_per_minute: 1,
            ..none()
        };
        profile.corps.push(Corp {
            id: "other".into(),
            secret: "right".into(),
            ..Corp::default()
        });
    })
    .await;
    assert_eq!(calls(&vendor, 2).await, (1, 1));
    let given = vendor.get("gettoken?corpid=other&corpsecret=right").await;
    let token = given["access_token"].as_str().unwrap().into();
    let other = Vendor { token, ..vendor };
    assert_eq!(calls(&other, 2).await, (1, 1));
}

#[tokio::test(start_paused = true)]
async fn each_ip_has_windows_for_each_api_across_enterprises() {
    let vendor = with(Windows {
        ip_per_minute: 2,
        ..none()
    })
    .await;
    assert_eq!(calls(&vendor, 3).await, (2, 1));
    assert_eq!(
        errcode(&vendor.read("user/get?userid=m1").await),
        0,
        "another API"
    );
    assert_eq!(
        calls(&vendor.from([203, 0, 113, 1]), 2).await,
        (2, 0),
        "another IP"
    );
    advance(Duration::from_secs(60)).await;
    assert_eq!(call(&vendor).await, 41044);
    let seen = vendor.sim.world().ip_traffic();
    let here = seen
        .iter()
        .find(|seen| seen.ip.is_loopback() && seen.api == "get_contact_way");
    let here = here.unwrap();
    assert_eq!(
        (here.peak_minute, here.over_window, here.provider),
        (2, 1, false)
    );
}

#[tokio::test(start_paused = true)]
async fn the_ip_s_hour_blocks_for_an_hour() {
    let vendor = with(Windows {
        ip_per_hour: 1,
        ..none()
    })
    .await;
    assert_eq!(calls(&vendor, 2).await, (1, 1));
    advance(Duration::from_secs(3600)).await;
    assert_eq!(call(&vendor).await, 41044);
}

#[tokio::test(start_paused = true)]
async fn a_provider_s_calls_have_the_provider_s_windows() {
    let vendor = Vendor::with(|profile| {
        profile.windows = Windows {
            ip_per_minute: 1,
            provider_per_minute: 3,
            ..none()
        };
        profile.corps[0].permanent_code = Some("permanent".into());
    })
    .await;
    assert_eq!(calls(&vendor, 4).await, (3, 1));
    assert_eq!(
        calls(&vendor.from([203, 0, 113, 1]), 3).await,
        (3, 0),
        "for each IP"
    );
}

#[tokio::test(start_paused = true)]
async fn counts_and_times_are_scaled() {
    let windows = Windows {
        divide_counts: 1000,
        divide_time: 60,
        ..Windows::default()
    };
    let vendor = with(windows).await;
    assert_eq!(calls(&vendor, 11).await, (10, 1));
    advance(Duration::from_millis(999)).await;
    assert_eq!(call(&vendor).await, 45009);
    advance(Duration::from_millis(1)).await;
    assert_eq!(calls(&vendor, 10).await, (10, 0));
}

#[tokio::test(start_paused = true)]
async fn blocked_calls_use_up_nothing_and_are_counted() {
    let vendor = with(Windows {
        corp_per_minute: 2,
        ..none()
    })
    .await;
    assert_eq!(calls(&vendor, 7).await, (2, 5));
    let seen = vendor.traffic("get_contact_way");
    assert_eq!((seen.calls, seen.over_window, seen.blocked), (7, 1, 4));
    assert_eq!(seen.by_errcode, [(41044, 2), (45009, 5)]);
    assert_eq!((seen.peak_minute, seen.peak_hour), (2, 2));
    advance(Duration::from_secs(60)).await;
    assert_eq!(calls(&vendor, 2).await, (2, 0));
    assert_eq!(vendor.traffic("get_contact_way").peak_hour, 4);
}

#[tokio::test(start_paused = true)]
async fn calls_with_a_dead_token_use_up_nothing_of_the_enterprise_s() {
    let vendor = with(Windows {
        corp_per_minute: 1,
        ..none()
    })
    .await;
    let dead = Vendor {
        token: vendor.token.clone(),
        ..vendor.clone()
    };
    vendor.corp().kill_tokens();
    for _ in 0..5 {
        assert_eq!(call(&dead).await, 40014);
    }
    vendor.set(|settings| settings.windows.corp_per_minute = 2);
    let given = vendor.get("gettoken?corpid=corp&corpsecret=right").await;
    let token = given["access_token"].as_str().unwrap().into();
    assert_eq!(calls(&Vendor { token, ..vendor }, 3).await, (2, 1));
}

#[tokio::test(start_paused = true)]
async fn gettoken_has_windows_too() {
    let vendor = with(Windows {
        corp_per_minute: 2,
        ..none()
    })
    .await;
    let right = "gettoken?corpid=corp&corpsecret=right";
    assert_eq!(
        errcode(&vendor.get(right).await),
        0,
        "the second, after the one of the test's begin"
    );
    assert_eq!(errcode(&vendor.get(right).await), 45009);
}

#[tokio::test(start_paused = true)]
async fn limits_can_be_changed_while_it_runs() {
    let vendor = with(none()).await;
    assert_eq!(calls(&vendor, 50).await, (50, 0));
    vendor.set(|settings| settings.windows.corp_per_minute = 51);
    assert_eq!(calls(&vendor, 2).await, (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_limit_above_what_is_remembered_is_a_mistake() {
    let vendor = Vendor::new().await;
    let mut settings = (*vendor.sim.world().settings()).clone();
    settings.windows.ip_per_hour = 2_000_001;
    let wrong = vendor.sim.world().set_settings(settings).unwrap_err();
    assert!(wrong.0.contains("windows.ip_per_hour: 2000001"), "{wrong}");
}

#[tokio::test(start_paused = true)]
async fn calls_with_debug_are_5_a_minute_whatever_their_api() {
    let vendor = Vendor::with(|profile| profile.windows.concurrency = 0).await;
    let (members, parties) = ("user/get?userid=m1&", "department/list?");
    for debug in ["debug=1&", "debug=0&", ""] {
        for call in 0..12 {
            let path = if call % 2 == 0 { members } else { parties };
            let answer = vendor.read(&format!("{path}{debug}")).await;
            let expected = if debug == "debug=1&" && call >= 5 {
                45009
            } else {
                0
            };
            assert_eq!(errcode(&answer), expected, "{debug} {call}");
        }
    }
    advance(Duration::from_secs(59)).await;
    let path = format!("{members}debug=1&");
    assert_eq!(errcode(&vendor.read(&path).await), 45009);
    advance(Duration::from_secs(1)).await;
    assert_eq!(errcode(&vendor.read(&path).await), 0);
}
