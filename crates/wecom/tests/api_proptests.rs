//! Whatever request can be made, what it sends says the same as what it was made of.

use std::{collections::BTreeSet, time::Duration};

use proptest::{collection::vec, option, prelude::*};
use serde_json::{Map, Value, json};
use wecom::{
    Call,
    api::{
        AddContactWay, Conclusions, ConfigId, ContactWay, Link, ListContactWay, Members,
        MultiStyle, Parties, PartyId, Patch, Remark, Scene, SingleStyle, State, Temporary, UnionId,
        UpdateContactWay, UserId, Users,
    },
    error::Invalid,
};

/// What a code for many is made of.
#[derive(Clone, Debug)]
struct Many {
    style: Option<Option<bool>>,
    remark: Option<String>,
    state: Option<String>,
    skip_verify: bool,
    is_exclusive: bool,
    mark_source: Option<bool>,
    user: Vec<String>,
    party: Vec<u32>,
}

/// What a temporary code for one is made of.
#[derive(Clone, Debug)]
struct One {
    user: String,
    expires_in: Option<u64>,
    chat_expires_in: Option<u64>,
    unionid: Option<String>,
    text: Option<String>,
    link: Option<(String, String, Option<String>)>,
}

/// 1 to 30 characters of any script, none of them a control character.
fn line() -> impl Strategy<Value = String> {
    vec(
        any::<char>().prop_filter("control", |c| !c.is_control()),
        1..=30,
    )
    .prop_map(|characters| characters.into_iter().collect())
}

/// A text of at most `max` bytes.
fn text(max: usize) -> impl Strategy<Value = String> {
    let character = any::<char>().prop_filter("control", |c| !c.is_control() || *c == '\n');
    vec(character, 1..=max / 4).prop_map(|characters| characters.into_iter().collect())
}

fn id() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9][a-zA-Z0-9_.@\\-]{0,63}"
}

fn many() -> impl Strategy<Value = Many> {
    let lists = (vec(id(), 0..=100), vec(1..=u32::MAX, 0..20))
        .prop_filter("nobody", |(user, party)| {
            !user.is_empty() || !party.is_empty()
        });
    let flags = (any::<bool>(), any::<bool>(), any::<Option<bool>>());
    (
        any::<Option<Option<bool>>>(),
        option::of(line()),
        option::of(line()),
        flags,
        lists,
    )
        .prop_map(
            |(style, remark, state, (skip_verify, is_exclusive, mark_source), (user, party))| {
                Many {
                    style,
                    remark,
                    state,
                    skip_verify,
                    is_exclusive,
                    mark_source,
                    user,
                    party,
                }
            },
        )
}

fn one() -> impl Strategy<Value = One> {
    let seconds = || option::of(1..=14 * 24 * 3600_u64);
    let link = (
        text(128),
        "https://[a-z]{1,20}/[a-z]{0,20}",
        option::of(text(512)),
    );
    (
        id(),
        seconds(),
        seconds(),
        option::of(id()),
        option::of(text(4000)),
        option::of(link),
    )
        .prop_map(
            |(user, expires_in, chat_expires_in, unionid, text, link)| One {
                user,
                expires_in,
                chat_expires_in,
                unionid,
                text,
                link,
            },
        )
}

/// Returns the values without repetitions, each where it was first.
fn distinct<T: Clone + Ord>(values: &[T]) -> Vec<T> {
    let mut seen = BTreeSet::new();
    values
        .iter()
        .filter(|value| seen.insert((*value).clone()))
        .cloned()
        .collect()
}

fn users(names: &[String]) -> Result<Users, Invalid> {
    let ids: Result<Vec<_>, _> = names.iter().map(UserId::new).collect();
    Users::new(ids?)
}

fn parties(ids: &[u32]) -> Result<Parties, Invalid> {
    let ids: Result<Vec<_>, _> = ids.iter().map(|id| PartyId::new(*id)).collect();
    Parties::new(ids?)
}

fn members(many: &Many) -> Result<Members, Invalid> {
    Ok(match (many.user.is_empty(), many.party.is_empty()) {
        (false, false) => Members::users(users(&many.user)?).and_parties(parties(&many.party)?),
        (false, true) => Members::users(users(&many.user)?),
        (true, _) => Members::parties(parties(&many.party)?),
    })
}

impl Many {
    fn request(&self) -> Result<Value, Invalid> {
        let style = |two| {
            if two {
                MultiStyle::Two
            } else {
                MultiStyle::One
            }
        };
        let scene = match self.style {
            Some(named) => Scene::MiniProgram {
                style: named.map(style),
            },
            None => Scene::QrCode,
        };
        let mut call = AddContactWay::multi(scene, members(self)?)
            .skip_verify(self.skip_verify)
            .is_exclusive(self.is_exclusive);
        if let Some(remark) = &self.remark {
            call = call.remark(Remark::new(remark)?);
        }
        if let Some(state) = &self.state {
            call = call.state(State::new(state)?);
        }
        if let Some(mark_source) = self.mark_source {
            call = call.mark_source(mark_source);
        }
        sent(&call)
    }

    fn expected(&self) -> Value {
        let mut map = Map::new();
        let mut put = |name: &str, value: Value| map.insert(name.to_owned(), value);
        put("type", json!(2));
        put("scene", json!(if self.style.is_some() { 1 } else { 2 }));
        put("skip_verify", json!(self.skip_verify));
        put("is_temp", json!(false));
        put("is_exclusive", json!(self.is_exclusive));
        if let Some(Some(two)) = self.style {
            put("style", json!(if two { 2 } else { 1 }));
        }
        if let Some(remark) = &self.remark {
            put("remark", json!(remark));
        }
        if let Some(state) = &self.state {
            put("state", json!(state));
        }
        if let Some(mark_source) = self.mark_source {
            put("mark_source", json!(mark_source));
        }
        if !self.user.is_empty() {
            put("user", json!(distinct(&self.user)));
        }
        if !self.party.is_empty() {
            put("party", json!(distinct(&self.party)));
        }
        Value::Object(map)
    }
}

impl One {
    fn conclusions(&self) -> Result<Option<Conclusions>, Invalid> {
        let text = self.text.as_ref().map(Conclusions::text).transpose()?;
        let Some((title, url, desc)) = &self.link else {
            return Ok(text);
        };
        let mut link = Link::new(title, url)?;
        if let Some(desc) = desc {
            link = link.desc(desc)?;
        }
        Ok(Some(match text {
            Some(text) => text.and(link.into()),
            None => Conclusions::attachment(link.into()),
        }))
    }

    fn request(&self) -> Result<Value, Invalid> {
        let mut temporary = Temporary::new();
        if let Some(seconds) = self.expires_in {
            temporary = temporary.expires_in(Duration::from_secs(seconds))?;
        }
        if let Some(seconds) = self.chat_expires_in {
            temporary = temporary.chat_expires_in(Duration::from_secs(seconds))?;
        }
        if let Some(unionid) = &self.unionid {
            temporary = temporary.unionid(UnionId::new(unionid)?);
        }
        if let Some(conclusions) = self.conclusions()? {
            temporary = temporary.conclusions(conclusions);
        }
        let scene = Scene::MiniProgram {
            style: Some(SingleStyle::Two),
        };
        sent(&AddContactWay::single(scene, UserId::new(&self.user)?).temporary(temporary))
    }
}

/// Returns what a call sends, read back; it is also made sure that nothing is escaped that need not be.
fn sent(call: &impl Call) -> Result<Value, Invalid> {
    let body = call.encode()?.body;
    let value: Value =
        serde_json::from_slice(&body).map_err(|error| Invalid::new("body", error, "JSON"))?;
    // JSON in its shortest form, which has no escapes of characters that need none.
    let text = String::from_utf8(body).map_err(|error| Invalid::new("body", error, "UTF-8"))?;
    let shortest = value.to_string().len();
    if text.len() != shortest {
        return Err(Invalid::new("body", text.len(), "the shortest form"));
    }
    Ok(value)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_code_for_many_sends_what_it_was_made_of(many in many()) {
        prop_assert_eq!(many.request().unwrap(), many.expected());
    }

    /// The same body with an id is what `get_contact_way` returns.
    #[test]
    fn what_was_sent_can_be_read_as_a_code(many in many()) {
        let mut value = many.request().unwrap();
        value["config_id"] = json!("id");
        let code: ContactWay = serde_json::from_value(value).unwrap();
        prop_assert_eq!(code.remark, many.remark.unwrap_or_default());
        prop_assert_eq!(code.state, many.state.unwrap_or_default());
        prop_assert_eq!(code.skip_verify, Some(many.skip_verify));
        let users: Vec<_> = code.user.iter().map(|user| user.as_str().to_owned()).collect();
        prop_assert_eq!(users, distinct(&many.user));
        let parties: Vec<_> = code.party.iter().map(|party| party.get()).collect();
        prop_assert_eq!(parties, distinct(&many.party));
    }

    #[test]
    fn a_temporary_code_sends_what_it_was_made_of(one in one()) {
        let value = one.request().unwrap();
        prop_assert_eq!(&value["type"], &json!(1));
        prop_assert_eq!(&value["style"], &json!(2));
        prop_assert_eq!(&value["is_temp"], &json!(true));
        prop_assert_eq!(&value["user"], &json!([one.user]));
        let field = |name: &str| value.get(name).cloned().unwrap_or_default();
        prop_assert_eq!(field("expires_in"), json!(one.expires_in));
        prop_assert_eq!(field("chat_expires_in"), json!(one.chat_expires_in));
        prop_assert_eq!(field("unionid"), json!(one.unionid));
        let words = field("conclusions");
        prop_assert_eq!(&words["text"]["content"], &json!(one.text));
        let link = one.link.unwrap_or_default();
        prop_assert_eq!(words["link"]["title"].as_str().unwrap_or_default(), link.0);
        prop_assert_eq!(words["link"]["url"].as_str().unwrap_or_default(), link.1);
        prop_assert_eq!(&words["link"]["desc"], &json!(link.2));
    }

    #[test]
    fn w5_an_update_sends_a_field_if_and_only_if_it_is_not_left(
        remark in option::of(option::of(line())),
        skip_verify in any::<Option<bool>>(),
        user in option::of(vec(id(), 1..=100)),
        party in option::of(option::of(vec(1..=u32::MAX, 1..5))),
    ) {
        let mut change = UpdateContactWay::multi(ConfigId::new("id").unwrap());
        let mut expected = json!({"config_id": "id"});
        match &remark {
            Some(Some(text)) => {
                change = change.remark(Remark::new(text).unwrap());
                expected["remark"] = json!(text);
            }
            Some(None) => {
                change = change.remark(Patch::Clear);
                expected["remark"] = json!("");
            }
            None => {}
        }
        if let Some(skip) = skip_verify {
            change = change.skip_verify(skip);
            expected["skip_verify"] = json!(skip);
        }
        if let Some(user) = &user {
            change = change.user(users(user).unwrap());
            expected["user"] = json!(distinct(user));
        }
        if let Some(party) = &party {
            change = change.party(party.as_ref().map_or(Patch::Clear, |ids| Patch::Set(parties(ids).unwrap())));
            expected["party"] = json!(distinct(party.as_deref().unwrap_or_default()));
        }
        let nothing = expected.as_object().unwrap().len() == 1;
        prop_assert_eq!(change.is_nothing(), nothing);
        match sent(&change) {
            Ok(value) => prop_assert_eq!(value, expected),
            Err(invalid) => prop_assert!(nothing, "{}", invalid),
        }
    }

    #[test]
    fn a_time_is_sent_so_that_it_holds_what_was_asked_for(start: u32, millis in 1..10_000_000_u64) {
        let start = Duration::from_millis(u64::from(start) * 7);
        let end = start + Duration::from_millis(millis);
        let value = sent(&ListContactWay::new().created(start..end).unwrap()).unwrap();
        let seconds = |name: &str| Duration::from_secs(value[name].as_u64().unwrap());
        prop_assert!(seconds("start_time") <= start && seconds("end_time") >= end);
        prop_assert!(seconds("end_time") - seconds("start_time") < end - start + Duration::from_secs(2));
    }

    /// Nothing that a text can hold makes a panic or goes out in a form that WeCom refuses.
    #[test]
    fn a_text_is_sent_as_it_is_or_not_at_all(text in any::<String>()) {
        for made in [Remark::new(&text).map(|r| r.as_str().to_owned()), State::new(&text).map(|s| s.as_str().to_owned())] {
            let fits = (1..=30).contains(&text.chars().count()) && !text.contains(char::is_control);
            prop_assert_eq!(made.is_ok(), fits);
            prop_assert!(made.is_err() || made.as_deref() == Ok(&text));
        }
        let _ = (UserId::new(&text), ConfigId::new(&text), UnionId::new(&text));
    }
}
