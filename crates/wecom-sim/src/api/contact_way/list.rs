//! `list_contact_way`: ids alone, of codes that are not temporary and were created after 2021-07-10.

use serde::{Deserialize, Serialize};

use crate::{
    api::{
        checks::{ParamsAlone, check},
        context::{Answer, Context},
        parse::Text,
    },
    world::{Code, State},
};

#[derive(Deserialize)]
struct Body<'a> {
    start_time: Option<i64>,
    end_time: Option<i64>,
    #[serde(borrow)]
    cursor: Option<Text<'a>>,
    limit: Option<i64>,
}

/// What is asked for.
struct Page {
    /// Both included, in seconds since the Unix epoch.
    created: std::ops::RangeInclusive<i64>,
    from: u32,
    limit: usize,
}

#[derive(Serialize)]
struct Listed {
    contact_way: Vec<Id>,
    next_cursor: String,
}

#[derive(Serialize)]
struct Id {
    config_id: String,
}

/// 2021-07-10 00:00 in UTC+8, in seconds since the Unix epoch: older codes are not listed.
const OLDEST_S: i64 = 1_625_846_400;

/// The default range: 90 days.
const RANGE_S: i64 = 90 * 86_400;

/// Tells which codes there are, oldest first.
pub(crate) fn list(context: &Context<'_>) -> Answer {
    let page = page(context);
    let wrong = page
        .as_ref()
        .map_or_else(|errcode| Err(*errcode), |_| Ok(()));
    check(context, &context.corp.state(), &mut ParamsAlone(wrong))?;
    let page = page?;
    let listed = |code: &Code| {
        let created_s = i64::from(code.created_s);
        let is_old = created_s <= OLDEST_S;
        !code.deleted && code.temp.is_none() && !is_old && page.created.contains(&created_s)
    };
    let id = |_: &State, index, code: &Code| {
        listed(code).then(|| Id {
            config_id: context.corp.config_id(index),
        })
    };
    let found = context
        .corp
        .page(page.from, page.limit, State::code_rows, id);
    // Empty means the end, so it is empty only there.
    let cursors = &context.shared().names.cursors;
    let cursor = |index| cursors.text(context.corp.number(), index);
    context.answer(&Listed {
        contact_way: found.items,
        next_cursor: found.next.map_or_else(String::new, cursor),
    })
}

fn page(context: &Context<'_>) -> Result<Page, i64> {
    let body: Body<'_> = context.body()?;
    let now_s = i64::try_from(context.shared().now_s()).unwrap_or(i64::MAX);
    let end = body.end_time.unwrap_or(now_s);
    let start = body.start_time.unwrap_or(now_s - RANGE_S);
    let limit = body.limit.unwrap_or(100);
    if start < 0 || start > end || !(1..=1000).contains(&limit) {
        return Err(40058);
    }
    let cursor = body.cursor.as_ref().map_or("", Text::as_str);
    Ok(Page {
        created: start..=end,
        from: if cursor.is_empty() {
            0
        } else {
            place(context, cursor)?
        },
        limit: usize::try_from(limit).map_err(|_| 40058)?,
    })
}

fn place(context: &Context<'_>, cursor: &str) -> Result<u32, i64> {
    let numbers = context.shared().names.cursors.numbers(cursor);
    let place = numbers.filter(|(number, _)| *number == context.corp.number());
    place.map(|(_, place)| place).ok_or(40058)
}
