//! What callbacks tell of members and departments (path/90970), before and after 2022-08-15.
//!
//! Since then `update_user` tells of departments and of the userid alone and has no `Status`: that a member was
//! disabled is told to nobody.

use super::event::Event;
use crate::{
    profile::{Department, MemberFlag},
    world::MemberView,
};

/// A member came.
pub(crate) fn created(member: &MemberView, after_2022: bool, at: u64) -> Event {
    let event = Event::directory("create_user", at)
        .with("UserID", &member.userid)
        .with("Department", departments(member));
    match after_2022 {
        true => event,
        false => event.with("Status", status(member)),
    }
}

/// A member went.
pub(crate) fn deleted(userid: &str, at: u64) -> Event {
    Event::directory("delete_user", at).with("UserID", userid)
}

/// A member was changed; `None` if nobody is told.
pub(crate) fn updated(
    before: &MemberView,
    after: &MemberView,
    after_2022: bool,
    at: u64,
) -> Option<Event> {
    let mut event = Event::directory("update_user", at).with("UserID", &before.userid);
    let mut is_told = false;
    if before.userid != after.userid {
        event = event.with("NewUserID", &after.userid);
        is_told = true;
    }
    if before.departments != after.departments {
        event = event.with("Department", departments(after));
        is_told = true;
    }
    if !after_2022 && status(before) != status(after) {
        event = event.with("Status", status(after));
        is_told = true;
    }
    is_told.then_some(event)
}

/// A department came.
pub(crate) fn party_created(department: &Department, at: u64) -> Event {
    Event::directory("create_party", at)
        .with("Id", department.id.to_string())
        .with("Name", &department.name)
        .with("ParentId", department.parent.to_string())
}

/// A department went.
pub(crate) fn party_deleted(id: u32, at: u64) -> Event {
    Event::directory("delete_party", at).with("Id", id.to_string())
}

fn departments(member: &MemberView) -> String {
    let ids: Vec<String> = member.departments.iter().map(u32::to_string).collect();
    ids.join(",")
}

/// 1 active, 2 disabled, 4 not activated, 5 left.
fn status(member: &MemberView) -> &'static str {
    let has = |flag| member.flags.contains(&flag);
    match () {
        () if has(MemberFlag::Left) => "5",
        () if has(MemberFlag::NotActivated) => "4",
        () if has(MemberFlag::Disabled) => "2",
        () => "1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(userid: &str, departments: &[u32], flags: &[MemberFlag]) -> MemberView {
        MemberView {
            userid: String::from(userid),
            departments: departments.to_vec(),
            flags: flags.to_vec(),
        }
    }

    fn fields(event: &Event) -> Vec<(&str, &str)> {
        let fields = event.fields.iter();
        fields
            .map(|(name, text)| (name.as_ref(), text.as_str()))
            .collect()
    }

    #[test]
    fn disabling_is_told_to_addresses_of_before_2022_alone() {
        let before = member("a", &[1], &[]);
        let after = member("a", &[1], &[MemberFlag::Disabled]);
        assert_eq!(updated(&before, &after, true, 1), None);
        let told = updated(&before, &after, false, 1).unwrap();
        assert_eq!(fields(&told), [("UserID", "a"), ("Status", "2")]);
        let came = fields(&created(&after, true, 1)).len();
        assert_eq!(came, 2, "no Status");
        assert_eq!(fields(&created(&after, false, 1))[2], ("Status", "2"));
    }

    #[test]
    fn a_new_userid_and_departments_are_told_in_one_event() {
        let before = member("a", &[1], &[]);
        let after = member("b", &[2, 3], &[]);
        let told = updated(&before, &after, true, 1).unwrap();
        let expected = [("UserID", "a"), ("NewUserID", "b"), ("Department", "2,3")];
        assert_eq!(fields(&told), expected);
        assert_eq!(updated(&before, &before, false, 1), None);
    }
}
