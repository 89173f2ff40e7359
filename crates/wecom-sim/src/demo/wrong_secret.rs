//! A tenant's secret is wrong: it is tried once, and other tenants go on.

use wecom::{BoxError, Class, api::ListContactWay};

use super::{
    report::Report,
    stage::{CORP, SECRET, Stage},
};

const CALLS: usize = 20;

/// Plays the act.
pub(super) async fn play(stage: &Stage, report: &mut Report) -> Result<(), BoxError> {
    stage.reset().await?;
    let wrong = stage.client("ww2", "not the secret")?;
    let right = stage.client(CORP, SECRET)?;
    let mut last = None;
    let mut paused = 0;
    for _ in 0..CALLS {
        let failed = wrong.list_contact_way(&ListContactWay::new()).await.err();
        if let Some(error) = failed {
            paused += usize::from(error.class() == Class::Tenant);
            last = Some(error);
        }
    }
    let told = last.map_or_else(String::new, |error| error.to_string());
    let text = format!("calls that say to pause the tenant: {paused} of {CALLS}; {told}");
    report.check(paused == CALLS, &text);
    let truth = stage.truth("ww2").await?;
    let fetches = &truth["calls"]["token_fetches"];
    let text = format!("the secret was tried {fetches} time; 2,000 an hour would ban the address");
    report.check(*fetches == 1, &text);
    let other = right.list_contact_way(&ListContactWay::new()).await;
    report.check(
        other.is_ok(),
        "another tenant's calls from the same address go on",
    );
    Ok(())
}
