//! Made, read, changed in part, listed, scanned, deleted.

use serde_json::json;
use wecom::{
    BoxError, Class,
    api::{
        AddContactWay, ListContactWay, Members, MultiStyle, Patch, Remark, Scene, State,
        UpdateContactWay, UserId, Users,
    },
};

use super::{
    report::Report,
    stage::{CORP, SECRET, Stage},
};

/// Plays the act.
pub(super) async fn play(stage: &Stage, report: &mut Report) -> Result<(), BoxError> {
    let client = stage.client(CORP, SECRET)?;
    let users = Users::new([UserId::new("m1")?, UserId::new("m2")?])?;
    let scene: Scene<MultiStyle> = Scene::QrCode;
    let code = AddContactWay::multi(scene, Members::users(users))
        .state(State::new("demo")?)
        .remark(Remark::new("门店 3")?)
        .skip_verify(true);
    let added = client.add_contact_way(&code).await?;
    let id = &added.config_id;
    let has_picture = added.qr_code.is_some();
    report.check(
        has_picture,
        &format!("made for m1 and m2, with a picture: {id}"),
    );

    let change = UpdateContactWay::multi(id.clone())
        .user(Users::one(UserId::new("m3")?))
        .remark(Patch::Clear);
    client.update_contact_way(&change).await?;
    let read = client.get_contact_way(id).await?;
    let users: Vec<&str> = read.user.iter().map(UserId::as_str).collect();
    report.check(
        users == ["m3"] && read.remark.is_empty() && read.state == "demo",
        &format!(
            "changed: users set to {users:?}, remark cleared to {:?}, state left at {:?}",
            read.remark, read.state
        ),
    );

    let mut listed = Vec::new();
    let mut pages = client.contact_ways(ListContactWay::new());
    while let Some(listed_id) = pages.next().await {
        listed.push(listed_id?);
    }
    let is_listed = listed.contains(id);
    report.check(is_listed, &format!("listed: {} code in all", listed.len()));

    let scan = stage.scan(id.as_str()).await?;
    report.check(
        scan["userid"] == "m3" && scan["outcome"] == "routed",
        &format!("scanned: the customer is led to {}", scan["userid"]),
    );

    client.del_contact_way(id).await?;
    match client.get_contact_way(id).await {
        Ok(_) => report.check(false, "deleted, and it can still be read"),
        Err(error) => {
            let is_gone = error.class() == Class::CodeGone;
            report.check(
                is_gone,
                &format!("deleted: {error}; to do: {:?}", error.action()),
            );
        }
    }
    let scan = stage.scan(id.as_str()).await?;
    let is_nowhere = scan["outcome"] == json!("nowhere");
    report.check(is_nowhere, "scanned once more: the customer is led nowhere");
    Ok(())
}
