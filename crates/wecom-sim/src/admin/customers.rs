//! Who has whom, and how they part.

use http::Method;
use serde_json::{Value, json};

use super::{
    answer::{Answer, Fault},
    asked::{Asked, next_cursor},
    members::now_s,
};
use crate::{
    Sim,
    callback::Event,
    given::{Wanted, Word},
    profile::names::USERID,
    world::Corp,
};

/// Who parted from whom.
#[derive(Clone, Copy, Debug)]
enum By {
    /// The customer removed the member.
    Customer,
    /// The member removed the customer.
    Member,
    /// The customer was handed over to another member.
    Transfer,
}

/// `/admin/corps/{id}/customers`
pub(super) fn all(corp: &Corp, asked: &Asked) -> Answer {
    asked.only(&Method::GET, "GET")?;
    let part = asked.part()?;
    let page = corp.relations_from(part.from, part.limit);
    let shown = page.items.into_iter().map(|relation| {
        json!({
            "external_userid": relation.external_userid,
            "userid": relation.userid,
            "state": relation.state,
            "add_way": relation.add_way,
            "createtime": relation.createtime,
        })
    });
    let shown: Vec<Value> = shown.collect();
    Ok(json!({
        "total": corp.relation_count(),
        "customers": shown,
        "next_cursor": next_cursor(page.next),
    }))
}

/// `/admin/corps/{id}/customers/remove`
pub(super) fn remove(sim: &Sim, corp: &Corp, asked: &Asked) -> Answer {
    asked.only(&Method::POST, "POST")?;
    asked.no_query()?;
    let (customer, userid, by) = asked.body(|mut table| {
        let (mut customer, mut userid) = (String::new(), String::new());
        let mut by = By::Customer;
        table.needed("external_userid", CUSTOMER, &mut customer);
        table.needed("userid", USERID, &mut userid);
        table.word("by", &mut by);
        table.end();
        (customer, userid, by)
    })?;
    if !corp.remove_relation(&customer, &userid) {
        let told = format!("there is no customer {customer:?} of {userid:?}");
        return Err(Fault::NotThere(told));
    }
    let event = |change| Event::customer(change, &userid, &customer, now_s(sim));
    let event = match by {
        By::Customer => event("del_follow_user"),
        By::Member => event("del_external_contact"),
        By::Transfer => event("del_external_contact").with("Source", "DELETE_BY_TRANSFER"),
    };
    sim.parts().sender().tell(corp.id(), event)?;
    Ok(json!({ "removed": customer }))
}

// === impl By ===

impl Word for By {
    const ALL: &'static [(&'static str, Self)] = &[
        ("customer", Self::Customer),
        ("member", Self::Member),
        ("transfer", Self::Transfer),
    ];
}

/// A customer's `external_userid`.
pub(super) const CUSTOMER: Wanted = Wanted::open("1 to 64 letters, digits, '-' and '_'", |text| {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (1..=64).contains(&text.len()) && text.bytes().all(fits)
});
