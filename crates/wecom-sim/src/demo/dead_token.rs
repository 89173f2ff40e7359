//! A token dies early: one new one is fetched, and nobody notices.

use http::Method;
use serde_json::Value;
use tokio::task::JoinSet;
use wecom::{BoxError, api::ListContactWay};

use super::{
    report::Report,
    stage::{CORP, SECRET, Stage},
};

const TASKS: usize = 50;

/// Plays the act.
pub(super) async fn play(stage: &Stage, report: &mut Report) -> Result<(), BoxError> {
    let client = stage.client(CORP, SECRET)?;
    client.list_contact_way(&ListContactWay::new()).await?;
    stage.reset().await?;
    let path = format!("corps/{CORP}/tokens/kill");
    let killed = stage.admin(Method::POST, &path, Value::Null).await?;
    report.line(&format!("        killed: {} token", killed["tokens"]));
    let mut tasks = JoinSet::new();
    for _ in 0..TASKS {
        let client = client.clone();
        tasks.spawn(async move { client.list_contact_way(&ListContactWay::new()).await });
    }
    let mut errors = Vec::new();
    while let Some(task) = tasks.join_next().await {
        errors.extend(task?.err());
    }
    let first = errors.first();
    let first = first.map_or_else(String::new, |error| format!(", such as: {error}"));
    let text = format!("errors among {TASKS} tasks: {}{first}", errors.len());
    report.check(errors.is_empty(), &text);
    let truth = stage.truth(CORP).await?;
    let fetches = &truth["calls"]["token_fetches"];
    report.check(*fetches == 1, &format!("tokens fetched: {fetches}"));
    Ok(())
}
