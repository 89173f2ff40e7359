//! Members: they come, change and go, and the app is told as far as WeCom tells it.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};

use super::{
    answer::{Answer, Fault, not_there},
    asked::{Asked, next_cursor},
};
use crate::{
    Sim,
    callback::{Event, directory},
    profile::{MOST_CUSTOMERS, Member, MemberFlag, names::USERID},
    world::{Corp, MemberView},
};

/// What is to be changed about a member.
#[derive(Debug, Default)]
struct Change {
    userid: Option<String>,
    departments: Option<Vec<u32>>,
    flags: Option<Vec<MemberFlag>>,
    flag: Vec<MemberFlag>,
    unflag: Vec<MemberFlag>,
    /// Absent: as it is; absent within: as the enterprise.
    cap: Option<Option<u32>>,
    is_silent: bool,
}

/// `/admin/corps/{id}/members`
pub(super) fn all(sim: &Sim, corp: &Corp, asked: &Asked) -> Answer {
    match asked.method {
        Method::GET => {
            let part = asked.part()?;
            let page = corp.members_from(part.from, part.limit);
            let members: Vec<Value> = page.items.iter().map(shown).collect();
            Ok(json!({
                "total": corp.member_count(),
                "members": members,
                "next_cursor": next_cursor(page.next),
            }))
        }
        Method::POST => {
            asked.no_query()?;
            let (member, is_silent) = asked.body(|mut table| {
                let mut is_silent = false;
                table.flag("silent", &mut is_silent);
                (Member::read(table), is_silent)
            })?;
            corp.add_member(&member)?;
            let scanner = sim.parts().scanner();
            scanner.set_cap(corp.id(), &member.userid, member.customers_per_day)?;
            let Some(added) = corp.member(&member.userid) else {
                return not_there("member", &member.userid);
            };
            let event = directory::created(&added, is_after_2022(sim), now_s(sim));
            tell(sim, corp, is_silent, Some(event))?;
            Ok(shown(&added))
        }
        _ => Err(Fault::Method("GET, POST")),
    }
}

/// `/admin/corps/{id}/members/{userid}`
pub(super) fn one(sim: &Sim, corp: &Corp, userid: &str, asked: &Asked) -> Answer {
    let Some(before) = corp.member(userid) else {
        return not_there("member", userid);
    };
    match asked.method {
        Method::GET => {
            asked.no_query()?;
            Ok(shown(&before))
        }
        Method::PATCH => {
            asked.no_query()?;
            let change = Change::read(asked)?;
            let after = change.apply(sim, corp, &before)?;
            let event = directory::updated(&before, &after, is_after_2022(sim), now_s(sim));
            tell(sim, corp, change.is_silent, event)?;
            Ok(shown(&after))
        }
        Method::DELETE => {
            let is_silent = asked.is_silent()?;
            asked.no_body()?;
            corp.remove_member(userid);
            let event = directory::deleted(userid, now_s(sim));
            tell(sim, corp, is_silent, Some(event))?;
            Ok(json!({ "removed": userid }))
        }
        _ => Err(Fault::Method("GET, PATCH, DELETE")),
    }
}

/// Tells the app of a change, unless it is to be silent.
pub(super) fn tell(
    sim: &Sim,
    corp: &Corp,
    is_silent: bool,
    event: Option<Event>,
) -> Result<(), Fault> {
    match event.filter(|_| !is_silent) {
        Some(event) => Ok(sim.parts().sender().tell(corp.id(), event)?),
        None => Ok(()),
    }
}

pub(super) fn now_s(sim: &Sim) -> u64 {
    sim.world().calendar().as_secs()
}

fn is_after_2022(sim: &Sim) -> bool {
    sim.world().settings().callbacks.directory_after_2022
}

fn shown(member: &MemberView) -> Value {
    json!({
        "userid": member.userid,
        "departments": member.departments,
        "flags": member.flags,
    })
}

// === impl Change ===

impl Change {
    fn read(asked: &Asked) -> Result<Self, Fault> {
        asked.body(|mut table| {
            let mut change = Self::default();
            table.maybe_text("userid", USERID, &mut change.userid);
            if table.has("departments") {
                let mut departments = Vec::new();
                table.wholes("departments", 1..=u32::MAX, &mut departments);
                if departments.is_empty() {
                    table.wrong("departments", None, "at least one department");
                }
                change.departments = Some(departments);
            }
            if table.has("flags") {
                let mut flags = Vec::new();
                table.words("flags", &mut flags);
                change.flags = Some(flags);
            }
            table.words("flag", &mut change.flag);
            table.words("unflag", &mut change.unflag);
            if table.has("customers_per_day") {
                let mut cap = None;
                table.maybe_whole("customers_per_day", MOST_CUSTOMERS, &mut cap);
                change.cap = Some(cap);
            }
            table.flag("silent", &mut change.is_silent);
            table.end();
            change
        })
    }

    /// Changes the member; what cannot be is found before anything is changed.
    fn apply(&self, sim: &Sim, corp: &Corp, before: &MemberView) -> Result<MemberView, Fault> {
        let scanner = sim.parts().scanner();
        let new = self.userid.as_ref().filter(|new| **new != before.userid);
        if let Some(new) = new
            && corp.member(new).is_some()
        {
            let told = format!("userid = {new:?}, expected one that no other member has");
            return Err(Fault::Mistake(told));
        }
        if let Some(departments) = &self.departments {
            corp.move_member(&before.userid, departments)?;
        }
        if let Some(new) = new {
            corp.rename_member(&before.userid, new)?;
            scanner.renamed(corp.id(), &before.userid, new)?;
        }
        let userid = new.unwrap_or(&before.userid);
        let kept = self.flags.as_ref().unwrap_or(&before.flags);
        let mut wanted: BTreeSet<MemberFlag> = kept.iter().chain(&self.flag).copied().collect();
        wanted.retain(|flag| !self.unflag.contains(flag));
        for flag in before.flags.iter().filter(|flag| !wanted.contains(flag)) {
            corp.clear_flag(userid, *flag);
        }
        for flag in wanted.iter().filter(|flag| !before.flags.contains(flag)) {
            corp.set_flag(userid, *flag);
        }
        if let Some(cap) = self.cap {
            scanner.set_cap(corp.id(), userid, cap)?;
        }
        match corp.member(userid) {
            Some(after) => Ok(after),
            None => not_there("member", userid),
        }
    }
}
