//! The calls for customers: `externalcontact/get`, `batch/get_by_user`, `close_temp_chat`.

use serde::{Deserialize, Serialize};

use super::{
    checks::{ParamsAlone, Steps, check},
    context::{Answer, Context},
    parse::Text,
    query,
};
use crate::world::{Row, State};

/// The most follow-user rows of one answer (path/92114).
const ROWS: usize = 500;

/// The most members and rows that `batch/get_by_user` takes and gives.
const BATCH: usize = 100;

#[derive(Serialize)]
struct Got<'a> {
    external_contact: Customer<'a>,
    follow_user: Vec<Follow<'a>>,
    next_cursor: String,
}

#[derive(Serialize)]
struct Batch<'a> {
    external_contact_list: Vec<Pair<'a>>,
    next_cursor: String,
}

#[derive(Serialize)]
struct Pair<'a> {
    external_contact: Customer<'a>,
    follow_info: Follow<'a>,
}

#[derive(Serialize)]
struct Customer<'a> {
    external_userid: &'a str,
    name: &'a str,
    /// 1: a WeChat user.
    #[serde(rename = "type")]
    kind: u8,
    gender: u8,
}

#[derive(Serialize)]
struct Follow<'a> {
    userid: &'a str,
    remark: &'static str,
    description: &'static str,
    createtime: u64,
    #[serde(skip_serializing_if = "str::is_empty")]
    state: &'a str,
    add_way: u8,
    oper_userid: &'a str,
}

#[derive(Deserialize)]
struct BatchBody<'a> {
    #[serde(borrow)]
    userid_list: Option<Vec<Text<'a>>>,
    #[serde(borrow)]
    cursor: Option<Text<'a>>,
    limit: Option<i64>,
}

#[derive(Deserialize)]
struct CloseBody<'a> {
    #[serde(borrow)]
    userid: Option<Text<'a>>,
    #[serde(borrow)]
    external_userid: Option<Text<'a>>,
}

struct Batching<'a> {
    body: Result<BatchBody<'a>, i64>,
    members: Vec<u32>,
}

struct Closing<'a> {
    body: Result<CloseBody<'a>, i64>,
}

/// Tells who has a customer.
pub(crate) fn get(context: &Context<'_>) -> Answer {
    let asked = context.query("external_userid", 41035);
    let from = match query::value(context.call.query(), "cursor").as_deref() {
        None | Some("") => Ok(0),
        Some(cursor) => place(context, cursor).map(|(_, serial)| serial),
    };
    let wrong = asked
        .as_ref()
        .map_or_else(|errcode| Err(*errcode), |_| from.map(|_| ()));
    let mut state = context.corp.state();
    state.contacts.settle(context.shared().now_ns());
    check(context, &state, &mut ParamsAlone(wrong))?;
    let (asked, from) = (asked?, from?);
    let mut rows = state.contacts.of_customer(&asked, from).ok_or(84061)?;
    let follow_user = rows
        .by_ref()
        .take(ROWS)
        .filter_map(|(_, row)| follow(&state, row))
        .collect();
    let next_cursor = rows.next().map(|(serial, _)| serial);
    context.answer(&Got {
        external_contact: customer(&asked),
        follow_user,
        next_cursor: next_cursor.map_or_else(String::new, |serial| cursor(0, serial, context)),
    })
}

/// Tells whom these members have.
pub(crate) fn get_by_user(context: &Context<'_>) -> Answer {
    let mut batching = Batching {
        body: context.body(),
        members: Vec::new(),
    };
    let from = match batching
        .body
        .as_ref()
        .ok()
        .and_then(|body| body.cursor.as_ref())
    {
        Some(cursor) if !cursor.as_str().is_empty() => place(context, cursor.as_str()),
        _ => Ok((0, 0)),
    };
    if batching.body.is_ok() && from.is_err() {
        batching.body = Err(40058);
    }
    let mut state = context.corp.state();
    state.contacts.settle(context.shared().now_ns());
    check(context, &state, &mut batching)?;
    let body = batching.body.as_ref().map_err(|errcode| *errcode)?;
    let limit = body.limit()?;
    let (first, from) = from?;
    let members = (0_u32..)
        .zip(&batching.members)
        .skip(usize::try_from(first).map_err(|_| 40058)?);
    let contacts = &state.contacts;
    let mut rows = members.flat_map(|(place, member)| {
        let from = if place == first { from } else { 0 };
        contacts
            .of_member(*member, from)
            .map(move |(serial, row)| (place, serial, row))
    });
    let pair = |(_, _, row): (u32, u32, _)| pair(&state, row);
    let external_contact_list = rows.by_ref().take(limit).filter_map(pair).collect();
    let next_cursor = rows.next();
    context.answer(&Batch {
        external_contact_list,
        next_cursor: next_cursor.map_or_else(String::new, |(place, serial, _)| {
            cursor(place, serial, context)
        }),
    })
}

/// Ends a temporary chat.
pub(crate) fn close_temp_chat(context: &Context<'_>) -> Answer {
    let mut closing = Closing {
        body: context.body(),
    };
    let mut state = context.corp.state();
    state.contacts.settle(context.shared().now_ns());
    check(context, &state, &mut closing)?;
    drop(state);
    context.done()
}

// === impl Batching ===

impl Steps for Batching<'_> {
    fn params(&self) -> Result<(), i64> {
        let body = self.body.as_ref().map_err(|errcode| *errcode)?;
        let users = body.userid_list.as_ref().ok_or(40063)?;
        if users.is_empty() || users.len() > BATCH {
            return Err(40032);
        }
        body.limit().map(|_| ())
    }

    fn members(&mut self, state: &State) -> Result<(), i64> {
        let Ok(BatchBody {
            userid_list: Some(users),
            ..
        }) = &self.body
        else {
            return Ok(());
        };
        for user in users {
            let number = state.members.number(user.as_str()).ok_or(40031)?;
            if !self.members.contains(&number) {
                self.members.push(number);
            }
        }
        Ok(())
    }
}

// === impl BatchBody ===

impl BatchBody<'_> {
    fn limit(&self) -> Result<usize, i64> {
        let limit = usize::try_from(self.limit.unwrap_or(50)).map_err(|_| 40058)?;
        if (1..=BATCH).contains(&limit) {
            Ok(limit)
        } else {
            Err(40058)
        }
    }
}

// === impl Closing ===

impl Steps for Closing<'_> {
    fn params(&self) -> Result<(), i64> {
        let body = self.body.as_ref().map_err(|errcode| *errcode)?;
        let is_missing = |text: Option<&Text<'_>>| text.is_none_or(|text| text.as_str().is_empty());
        if is_missing(body.userid.as_ref()) {
            return Err(40063);
        }
        if is_missing(body.external_userid.as_ref()) {
            return Err(41035);
        }
        Ok(())
    }

    fn members(&mut self, state: &State) -> Result<(), i64> {
        let Ok(CloseBody {
            userid: Some(userid),
            external_userid: Some(customer),
        }) = &self.body
        else {
            return Ok(());
        };
        let member = state.members.number(userid.as_str()).ok_or(60111)?;
        if state.contacts.has(customer.as_str(), member) {
            Ok(())
        } else {
            Err(84061)
        }
    }
}

fn customer(external_userid: &str) -> Customer<'_> {
    Customer {
        external_userid,
        name: external_userid,
        kind: 1,
        gender: 0,
    }
}

fn follow<'a>(state: &'a State, row: &'a Row) -> Option<Follow<'a>> {
    let userid = &*state.members.get(row.member)?.userid;
    Some(Follow {
        userid,
        remark: "",
        description: "",
        createtime: row.createtime,
        state: &row.state,
        add_way: row.add_way,
        oper_userid: userid,
    })
}

fn pair<'a>(state: &'a State, row: &'a Row) -> Option<Pair<'a>> {
    Some(Pair {
        external_contact: customer(&row.customer),
        follow_info: follow(state, row)?,
    })
}

/// Where a page goes on: the place in the list of members, and the serial there.
fn cursor(place: u32, serial: u32, context: &Context<'_>) -> String {
    context.shared().names.cursors.text(place, serial)
}

fn place(context: &Context<'_>, cursor: &str) -> Result<(u32, u32), i64> {
    context.shared().names.cursors.numbers(cursor).ok_or(40058)
}
