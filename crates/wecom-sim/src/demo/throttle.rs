//! More is wanted than WeCom allows: the important calls go out, and WeCom never has to refuse.

use std::time::Duration;

use http::Method;
use serde_json::json;
use tokio::task::JoinSet;
use wecom::{
    BoxError, Client, Https, Rank,
    api::ListContactWay,
    limit::{Limits, Window},
};

use super::{
    report::Report,
    stage::{CORP, SECRET, Stage},
};

/// WeCom's numbers over 100 and its times over 60: 100 calls in a second, 1,500 in a minute.
const SMALLER: u32 = 100;
const FASTER: u32 = 60;

/// For so long, so many of each kind a second.
const SECONDS: u32 = 4;
const EACH: u32 = 80;

/// How long a call can wait.
const PATIENCE: Duration = Duration::from_secs(1);

const KINDS: [(&str, Rank); 3] = [
    ("pushes of a campaign", Rank::MOST_IMPORTANT),
    ("ordinary pushes", Rank::new(20_000)),
    ("a sweep in the background", Rank::LEAST_IMPORTANT),
];

/// Plays the act.
pub(super) async fn play(stage: &Stage, report: &mut Report) -> Result<(), BoxError> {
    let smaller = json!({ "windows": { "divide_counts": SMALLER, "divide_time": FASTER } });
    stage.admin(Method::PUT, "settings", smaller).await?;
    stage.reset().await?;
    let minute = Window::new(10_000 / SMALLER, Duration::from_secs(60));
    let hour = Window::new(150_000 / SMALLER, Duration::from_secs(3600));
    let limits = Limits::default().minute(minute).hour(hour).faster(FASTER);
    let client = stage.limited(CORP, SECRET, limits)?.with_patience(PATIENCE);
    let went_out = offer(&client).await;
    for ((kind, rank), count) in KINDS.into_iter().zip(went_out) {
        let wanted = EACH * SECONDS;
        let text = format!("{kind}: {count} of {wanted} went out");
        match rank {
            Rank::MOST_IMPORTANT => report.check(count * 100 >= wanted * 99, &text),
            Rank::LEAST_IMPORTANT => report.check(count * 2 < wanted, &text),
            _ => report.line(&format!("        {text}")),
        }
    }
    let truth = stage.truth(CORP).await?;
    let calls = &truth["calls"];
    let refused = ["over_window", "blocked", "over_concurrency"].map(|key| &calls[key]);
    let text = format!(
        "WeCom refused nothing: {} blocks, {} calls within one, {} too many at once",
        refused[0], refused[1], refused[2]
    );
    report.check(refused.iter().all(|count| **count == 0), &text);
    let usual = json!({ "windows": { "divide_counts": 1, "divide_time": 1 } });
    stage.admin(Method::PUT, "settings", usual).await?;
    Ok(())
}

/// Makes the calls, evenly spread; returns how many of each kind went out.
async fn offer(client: &Client<Https>) -> [u32; 3] {
    let mut calls = JoinSet::new();
    let mut tick = tokio::time::interval(Duration::from_secs(1) / EACH);
    for _ in 0..EACH * SECONDS {
        tick.tick().await;
        for (index, (_, rank)) in KINDS.into_iter().enumerate() {
            let client = client.with_rank(rank);
            calls.spawn(async move {
                let done = client.list_contact_way(&ListContactWay::new()).await;
                (index, done.is_ok())
            });
        }
    }
    let mut went_out = [0; 3];
    while let Some(call) = calls.join_next().await {
        if let Ok((index, true)) = call {
            went_out[index] += 1;
        }
    }
    went_out
}
