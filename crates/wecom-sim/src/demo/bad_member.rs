//! One member of a list is not fit, and no read tells: it is found without touching the code, and the rest is pushed.

use http::Method;
use serde_json::json;
use wecom::{
    BoxError, Class,
    api::{AddContactWay, Members, MultiStyle, Scene, Scratch, UpdateContactWay, UserId, Users},
};

use super::{
    report::Report,
    stage::{CORP, SECRET, Stage},
};

/// Plays the act.
pub(super) async fn play(stage: &Stage, report: &mut Report) -> Result<(), BoxError> {
    let client = stage.client(CORP, SECRET)?;
    let first = Users::one(UserId::new("m4")?);
    let scene: Scene<MultiStyle> = Scene::QrCode;
    let code = AddContactWay::multi(scene, Members::users(first));
    let id = client.add_contact_way(&code).await?.config_id;
    let path = format!("corps/{CORP}/members/m7");
    let flags = json!({ "flags": ["not-verified"] });
    stage.admin(Method::PATCH, &path, flags).await?;
    let wanted: Result<Vec<UserId>, _> = ["m5", "m6", "m7", "m8"]
        .map(UserId::new)
        .into_iter()
        .collect();
    let wanted = Users::new(wanted?)?;
    let change = |users: Users| UpdateContactWay::multi(id.clone()).user(users);
    match client.update_contact_way(&change(wanted.clone())).await {
        Ok(_) => report.check(false, "the list with a member who is not fit was taken"),
        Err(error) => {
            let text = format!("refused: {error}; to do: {:?}", error.action());
            report.check(error.class() == Class::Member, &text);
        }
    }
    let before = client.get_contact_way(&id).await?;
    let is_kept = before.user.iter().map(UserId::as_str).eq(["m4"]);
    report.check(is_kept, "the code still leads to whom it led before");
    let read = client.find_unfit(wanted.as_slice()).await?;
    report.check(
        read.is_empty(),
        "by reading their status nobody is found: no read tells who is not verified",
    );
    let scratch = client.add_contact_way(&code).await?.config_id;
    let scratch = Scratch::shown_nowhere(scratch);
    let unfit = client.find_unfit_by_trial(&scratch, &wanted).await?;
    let names: Vec<&str> = unfit.iter().map(|member| member.userid.as_str()).collect();
    report.check(
        names == ["m7"],
        &format!("found by trying parts of the list on a code that is shown nowhere: {names:?}"),
    );
    let now = client.get_contact_way(&id).await?;
    let is_kept = now.user == before.user;
    report.check(is_kept, "meanwhile the code led to whom it led before");
    let fit = wanted.without(|userid| unfit.iter().any(|member| member.userid == *userid));
    let Some(fit) = fit else {
        report.check(false, "nobody is left to push");
        return Ok(());
    };
    client.update_contact_way(&change(fit)).await?;
    let after = client.get_contact_way(&id).await?;
    let users: Vec<&str> = after.user.iter().map(UserId::as_str).collect();
    report.check(
        users == ["m5", "m6", "m8"],
        &format!("the rest was pushed: {users:?}"),
    );
    Ok(())
}
