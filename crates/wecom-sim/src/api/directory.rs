//! The calls for the directory: `get_follow_user_list`, `user/get`, `department/list`; and `getcallbackip`.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::{
    checks::{ParamsAlone, Steps, check},
    context::{Answer, Context},
    query,
};
use crate::{
    profile,
    world::{Page, State},
};

#[derive(Serialize)]
struct Followers {
    follow_user: Vec<String>,
}

#[derive(Serialize)]
struct User {
    userid: String,
    name: String,
    department: Vec<u32>,
    main_department: u32,
    /// 1 active, 2 disabled, 4 not activated, 5 left.
    status: u8,
    /// 0 when disabled.
    enable: u8,
}

#[derive(Serialize)]
struct Departments {
    department: Vec<Department>,
}

#[derive(Serialize)]
struct Department {
    id: u32,
    name: String,
    parentid: u32,
    order: u32,
}

#[derive(Serialize)]
struct Ips {
    ip_list: [&'static str; 1],
}

struct Reading {
    userid: Result<String, i64>,
}

/// Tells who may have customers: those with permission, activated, in scope and not disabled; whether those who are not
/// verified are among them is a switch.
pub(crate) fn follow_users(context: &Context<'_>) -> Answer {
    let mut steps = ParamsAlone(context.call.method_fits());
    check(context, &context.corp.state(), &mut steps)?;
    // The vendor has no pages here: all of them, however many.
    let all = Page::<String>::ALL;
    let unverified_may = context.ways().unverified_may_follow;
    let all = context.corp.page(0, all, State::member_rows, |_, _, row| {
        let may = !row.gone && row.flags.may_follow(unverified_may);
        may.then(|| row.userid.to_string())
    });
    let follow_user = all.items;
    context.answer(&Followers { follow_user })
}

/// Tells of a member.
pub(crate) fn user(context: &Context<'_>) -> Answer {
    let mut reading = Reading {
        userid: context.query("userid", 40063),
    };
    let state = context.corp.state();
    check(context, &state, &mut reading)?;
    let userid = reading.userid?;
    let number = state.members.number(&userid).ok_or(60111)?;
    let row = state.members.get(number).ok_or(60111)?;
    let status = row.flags.status();
    let user = User {
        name: userid.clone(),
        userid,
        department: row.departments().to_vec(),
        main_department: row.departments().first().copied().unwrap_or(1),
        status,
        enable: u8::from(status != 2),
    };
    drop(state);
    context.answer(&user)
}

/// Tells of the departments below one, and of itself; of all without an id.
pub(crate) fn departments(context: &Context<'_>) -> Answer {
    let id = match query::value(context.call.query(), "id").as_deref() {
        None | Some("") => Ok(None),
        Some(id) => id.parse::<u32>().map(Some).map_err(|_| 40058),
    };
    let state = context.corp.state();
    let wrong = context.call.method_fits().and_then(|()| id.map(|_| ()));
    check(context, &state, &mut ParamsAlone(wrong))?;
    let id = id?;
    if id.is_some_and(|id| !state.departments.has(id)) {
        return Err(60003);
    }
    drop(state);
    let all = context.corp.departments();
    let within = id.map(|id| within(id, &all));
    let is_wanted = |there: &u32| within.as_ref().is_none_or(|ids| ids.contains(there));
    let department = all.into_iter().filter(|there| is_wanted(&there.id));
    let department = department.map(|there| Department {
        id: there.id,
        name: there.name,
        parentid: there.parent,
        order: 0,
    });
    context.answer(&Departments {
        department: department.collect(),
    })
}

/// Returns the ids of a department and of all below it.
fn within(id: u32, all: &[profile::Department]) -> HashSet<u32> {
    let mut below: HashMap<u32, Vec<u32>> = HashMap::new();
    for department in all {
        below
            .entry(department.parent)
            .or_default()
            .push(department.id);
    }
    let (mut found, mut open) = (HashSet::new(), vec![id]);
    while let Some(id) = open.pop() {
        if found.insert(id) {
            open.extend(below.remove(&id).unwrap_or_default());
        }
    }
    found
}

/// Tells where callbacks come from.
pub(crate) fn callback_ip(context: &Context<'_>) -> Answer {
    let state = context.corp.state();
    check(
        context,
        &state,
        &mut ParamsAlone(context.call.method_fits()),
    )?;
    drop(state);
    context.answer(&Ips {
        ip_list: ["127.0.0.1"],
    })
}

// === impl Reading ===

impl Steps for Reading {
    fn params(&self) -> Result<(), i64> {
        self.userid
            .as_ref()
            .map_or_else(|errcode| Err(*errcode), |_| Ok(()))
    }

    fn members(&mut self, state: &State) -> Result<(), i64> {
        let Ok(userid) = &self.userid else {
            return Ok(());
        };
        let number = state.members.number(userid).ok_or(60111)?;
        let row = state.members.get(number).ok_or(60111)?;
        row.flags.errcode_on_read().map_or(Ok(()), Err)
    }
}
