//! What each call sends, to the letter, and which values it refuses to send.

use std::time::Duration;

use wecom::{
    Api, Call, CorpId, Secret, Wire,
    api::{
        AddContactWay, BatchGetByUser, CloseTempChat, Conclusions, ConfigId, DelContactWay,
        ExternalUserId, GetCallbackIps, GetContactWay, GetCorpToken, GetExternalContact,
        GetFollowUserList, GetToken, GetUser, Image, Link, ListContactWay, ListDepartments,
        Members, MiniProgram, Multi, MultiStyle, Parties, PartyId, Patch, Remark, Scene, Single,
        SingleStyle, State, Temporary, UnionId, UpdateContactWay, UserId, Users,
    },
    error::Invalid,
};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Returns the body that a call sends.
fn body(call: &impl Call) -> Result<String, Invalid> {
    let body = call.encode()?.body;
    Ok(String::from_utf8(body).unwrap_or_else(|error| error.to_string()))
}

fn users(names: &[&str]) -> Result<Users, Invalid> {
    let ids: Result<Vec<_>, _> = names.iter().map(|name| UserId::new(*name)).collect();
    Users::new(ids?)
}

fn parties(ids: &[u32]) -> Result<Parties, Invalid> {
    let ids: Result<Vec<_>, _> = ids.iter().map(|id| PartyId::new(*id)).collect();
    Parties::new(ids?)
}

fn code() -> Result<ConfigId, Invalid> {
    ConfigId::new("42b34949e138eb6e027c123cba77fad7")
}

fn field<T>(result: Result<T, Invalid>) -> &'static str {
    match result {
        Ok(_) => "nothing was wrong",
        Err(invalid) => invalid.field(),
    }
}

// === add_contact_way ===

#[test]
fn a_code_for_one_sends_its_booleans_with_their_defaults() {
    let call = AddContactWay::single(Scene::QrCode, UserId::new("zhangsan").unwrap());
    assert_eq!(
        body(&call).unwrap(),
        r#"{"type":1,"scene":2,"skip_verify":true,"user":["zhangsan"],"is_temp":false,"is_exclusive":false}"#
    );
}

#[test]
fn a_code_for_many_sends_every_field_in_plain_utf8() {
    let members = Members::users(users(&["zhangsan", "lisi"]).unwrap())
        .and_parties(parties(&[2, 3]).unwrap());
    let scene = Scene::MiniProgram {
        style: Some(MultiStyle::Two),
    };
    let call = AddContactWay::multi(scene, members)
        .remark(Remark::new("渠道客户🎉").unwrap())
        .state(State::new("门店\\u\"3").unwrap())
        .skip_verify(false)
        .is_exclusive(true)
        .mark_source(false);
    assert_eq!(
        body(&call).unwrap(),
        r#"{"type":2,"scene":1,"style":2,"remark":"渠道客户🎉","skip_verify":false,"#.to_owned()
            + r#""state":"门店\\u\"3","user":["zhangsan","lisi"],"party":[2,3],"is_temp":false,"#
            + r#""is_exclusive":true,"mark_source":false}"#
    );
}

#[test]
fn a_list_that_there_is_not_is_not_sent_empty() {
    let call = AddContactWay::multi(Scene::QrCode, Members::parties(parties(&[2]).unwrap()));
    assert!(!body(&call).unwrap().contains("user"));
    let call = AddContactWay::multi(Scene::QrCode, Members::users(users(&["a"]).unwrap()));
    assert!(!body(&call).unwrap().contains("party"));
}

#[test]
fn a_temporary_code_sends_its_times_its_customer_and_its_last_words() {
    let program = MiniProgram::new("消息标题", "MEDIA_ID", "wx8bd8012614784fake", "/path/index");
    let temporary = Temporary::new()
        .expires_in(DAY)
        .and_then(|temporary| temporary.chat_expires_in(14 * DAY))
        .unwrap()
        .unionid(UnionId::new("oxTWIuGaIt6gTKsQRLau2M0AAAA").unwrap())
        .conclusions(
            Conclusions::text("再见\n")
                .unwrap()
                .and(program.unwrap().into()),
        );
    let scene = Scene::MiniProgram {
        style: Some(SingleStyle::Three),
    };
    let call = AddContactWay::single(scene, UserId::new("zhangsan").unwrap()).temporary(temporary);
    assert_eq!(
        body(&call).unwrap(),
        r#"{"type":1,"scene":1,"style":3,"skip_verify":true,"user":["zhangsan"],"is_temp":true,"#
            .to_owned()
            + r#""expires_in":86400,"chat_expires_in":1209600,"unionid":"oxTWIuGaIt6gTKsQRLau2M0AAAA","#
            + r#""is_exclusive":false,"conclusions":{"text":{"content":"再见\n"},"miniprogram":"#
            + r#"{"title":"消息标题","pic_media_id":"MEDIA_ID","appid":"wx8bd8012614784fake","page":"/path/index"}}}"#
    );
}

#[test]
fn last_words_have_one_attachment_at_most() {
    let json = |conclusions: &Conclusions| serde_json::to_string(conclusions).unwrap();
    let image = Image::new("MEDIA").unwrap();
    let words = Conclusions::attachment(image.into());
    assert_eq!(json(&words), r#"{"image":{"media_id":"MEDIA"}}"#);

    let link = Link::new("标题", "https://example.com/a?b=1").unwrap();
    assert_eq!(
        json(&words.clone().and(link.clone().into())),
        r#"{"link":{"title":"标题","url":"https://example.com/a?b=1"}}"#
    );
    let link = link
        .picurl("https://example.com/p.png")
        .and_then(|link| link.desc("描述"))
        .unwrap();
    assert_eq!(
        json(&words.and(link.into())),
        r#"{"link":{"title":"标题","picurl":"https://example.com/p.png","desc":"描述","url":"https://example.com/a?b=1"}}"#
    );
    assert_eq!(
        json(&Conclusions::text("好").unwrap()),
        r#"{"text":{"content":"好"}}"#
    );
}

#[test]
fn texts_of_last_words_are_limited_in_bytes() {
    // Three bytes each.
    let text = |characters: usize| "码".repeat(characters);
    assert!(Conclusions::text(text(1333)).is_ok());
    assert_eq!(
        field(Conclusions::text(text(1334))),
        "conclusions.text.content"
    );
    assert_eq!(field(Conclusions::text("")), "conclusions.text.content");
    assert_eq!(
        field(Conclusions::text("a\u{7}")),
        "conclusions.text.content"
    );

    assert!(Link::new(text(42), "u").is_ok());
    assert_eq!(field(Link::new(text(43), "u")), "conclusions.link.title");
    assert_eq!(field(Link::new("t", "")), "conclusions.link.url");
    let link = Link::new("t", "u").unwrap();
    assert!(link.clone().desc(text(170)).is_ok());
    assert_eq!(field(link.clone().desc(text(171))), "conclusions.link.desc");
    assert_eq!(field(link.picurl("")), "conclusions.link.picurl");

    let program = |title: &str| MiniProgram::new(title, "m", "a", "p");
    assert!(program(&text(21)).is_ok());
    assert_eq!(field(program(&text(22))), "conclusions.miniprogram.title");
    assert_eq!(
        field(MiniProgram::new("t", "", "a", "p")),
        "conclusions.miniprogram.pic_media_id"
    );
    assert_eq!(
        field(MiniProgram::new("t", "m", "", "p")),
        "conclusions.miniprogram.appid"
    );
    assert_eq!(
        field(MiniProgram::new("t", "m", "a", "")),
        "conclusions.miniprogram.page"
    );
    assert_eq!(field(Image::new("")), "conclusions.image.media_id");
}

#[test]
fn times_are_whole_seconds_up_to_14_days() {
    for wrong in [
        Duration::ZERO,
        14 * DAY + Duration::from_secs(1),
        Duration::from_millis(1500),
    ] {
        assert_eq!(field(Temporary::new().expires_in(wrong)), "expires_in");
        assert_eq!(
            field(Temporary::new().chat_expires_in(wrong)),
            "chat_expires_in"
        );
        let update = || UpdateContactWay::single(code().unwrap());
        assert_eq!(field(update().expires_in(wrong)), "expires_in");
        assert_eq!(field(update().chat_expires_in(wrong)), "chat_expires_in");
    }
    assert!(Temporary::new().expires_in(14 * DAY).is_ok());
    assert!(Temporary::new().expires_in(Duration::from_secs(1)).is_ok());
}

// === update_contact_way ===

#[test]
fn w5_what_is_left_is_not_sent_what_is_cleared_is_sent_empty() {
    let change = UpdateContactWay::multi(code().unwrap())
        .remark(Patch::Leave)
        .state(Patch::Clear)
        .party(Patch::Clear);
    assert_eq!(
        body(&change).unwrap(),
        r#"{"config_id":"42b34949e138eb6e027c123cba77fad7","state":"","party":[]}"#
    );
}

#[test]
fn w5_a_boolean_that_is_set_is_sent_even_if_it_is_false() {
    let change = UpdateContactWay::new(code().unwrap())
        .skip_verify(false)
        .mark_source(false);
    assert_eq!(
        body(&change).unwrap(),
        r#"{"config_id":"42b34949e138eb6e027c123cba77fad7","skip_verify":false,"mark_source":false}"#
    );
}

#[test]
fn w5_members_replace_both_lists_and_the_list_of_users_is_never_empty() {
    let update = || UpdateContactWay::<Multi>::multi(code().unwrap());
    let both = Members::users(users(&["a"]).unwrap()).and_parties(parties(&[2]).unwrap());
    let change = update().members(&both).unwrap();
    assert_eq!(
        body(&change).unwrap(),
        r#"{"config_id":"42b34949e138eb6e027c123cba77fad7","user":["a"],"party":[2]}"#
    );
    let change = update()
        .members(&Members::users(users(&["a"]).unwrap()))
        .unwrap();
    assert_eq!(
        body(&change).unwrap(),
        r#"{"config_id":"42b34949e138eb6e027c123cba77fad7","user":["a"],"party":[]}"#
    );
    let parties = Members::parties(parties(&[2]).unwrap());
    assert_eq!(field(update().members(&parties)), "user");
}

#[test]
fn w5_the_list_of_users_alone_leaves_the_departments_alone() {
    let change = UpdateContactWay::multi(code().unwrap()).user(users(&["b", "a", "b"]).unwrap());
    assert_eq!(
        body(&change).unwrap(),
        r#"{"config_id":"42b34949e138eb6e027c123cba77fad7","user":["b","a"]}"#
    );
}

#[test]
fn every_field_of_a_code_for_one_can_be_changed() {
    let change = UpdateContactWay::<Single>::single(code().unwrap())
        .remark(Remark::new("渠道").unwrap())
        .skip_verify(true)
        .style(SingleStyle::One)
        .state(State::new("s").unwrap())
        .user(UserId::new("a").unwrap())
        .unionid(Patch::Clear)
        .mark_source(true)
        .conclusions(Conclusions::text("好").unwrap())
        .expires_in(DAY)
        .and_then(|change| change.chat_expires_in(DAY))
        .unwrap();
    assert_eq!(
        body(&change).unwrap(),
        r#"{"config_id":"42b34949e138eb6e027c123cba77fad7","remark":"渠道","skip_verify":true,"style":1,"#.to_owned()
            + r#""state":"s","user":["a"],"expires_in":86400,"chat_expires_in":86400,"unionid":"","#
            + r#""mark_source":true,"conclusions":{"text":{"content":"好"}}}"#
    );
}

#[test]
fn an_update_that_changes_nothing_is_not_sent() {
    assert_eq!(
        field(UpdateContactWay::new(code().unwrap()).encode()),
        "fields"
    );
    let update = || UpdateContactWay::single(code().unwrap());
    assert!(update().is_nothing());
    let some = [
        update().remark(Patch::Clear),
        update().skip_verify(false),
        update().style(SingleStyle::One),
        update().state(Patch::Clear),
        update().user(UserId::new("a").unwrap()),
        update().expires_in(DAY).unwrap(),
        update().chat_expires_in(DAY).unwrap(),
        update().unionid(Patch::Clear),
        update().mark_source(false),
        update().conclusions(Conclusions::text("a").unwrap()),
    ];
    for change in some {
        assert!(!change.is_nothing(), "{change:?}");
        assert!(change.encode().is_ok());
    }
    let party = UpdateContactWay::multi(code().unwrap()).party(Patch::Clear);
    assert!(!party.is_nothing());
}

// === The other calls ===

#[test]
fn lists_are_asked_for_a_time_and_a_page() {
    assert_eq!(body(&ListContactWay::new()).unwrap(), r#"{"limit":1000}"#);
    let time = Duration::from_millis(1_700_000_000_900)..Duration::from_millis(1_700_000_060_100);
    let call = ListContactWay::new()
        .created(time)
        .and_then(|call| call.from_cursor("CURSOR"))
        .and_then(|call| call.limit(5))
        .unwrap();
    assert_eq!(
        body(&call).unwrap(),
        r#"{"start_time":1700000000,"end_time":1700000061,"cursor":"CURSOR","limit":5}"#
    );
    assert_eq!(field(ListContactWay::new().created(DAY..DAY)), "start_time");
    assert_eq!(field(ListContactWay::new().from_cursor("")), "cursor");
    assert_eq!(field(ListContactWay::new().limit(0)), "limit");
    assert_eq!(field(ListContactWay::new().limit(1001)), "limit");
}

#[test]
fn customers_are_asked_for_a_page() {
    let call = BatchGetByUser::new(users(&["a", "b"]).unwrap());
    assert_eq!(
        body(&call).unwrap(),
        r#"{"userid_list":["a","b"],"limit":100}"#
    );
    let call = call
        .from_cursor("C")
        .and_then(|call| call.limit(1))
        .unwrap();
    assert_eq!(
        body(&call).unwrap(),
        r#"{"userid_list":["a","b"],"cursor":"C","limit":1}"#
    );
    assert_eq!(field(call.clone().limit(0)), "limit");
    assert_eq!(field(call.clone().limit(101)), "limit");
    assert_eq!(field(call.from_cursor("")), "cursor");

    let customer = ExternalUserId::new("wm+/&=").unwrap();
    let call = GetExternalContact::new(customer).from_cursor("C").unwrap();
    let query = call.encode().unwrap().query;
    assert_eq!(
        query,
        [
            ("external_userid", "wm+/&=".to_owned()),
            ("cursor", "C".to_owned())
        ]
    );
}

#[test]
fn small_calls_send_what_they_are_about() {
    let user = || UserId::new("zhangsan").unwrap();
    let id = r#"{"config_id":"42b34949e138eb6e027c123cba77fad7"}"#;
    assert_eq!(body(&GetContactWay::new(code().unwrap())).unwrap(), id);
    assert_eq!(body(&DelContactWay::new(code().unwrap())).unwrap(), id);
    let chat = CloseTempChat::new(user(), ExternalUserId::new("wm1").unwrap());
    assert_eq!(
        body(&chat).unwrap(),
        r#"{"userid":"zhangsan","external_userid":"wm1"}"#
    );
    assert_eq!(
        GetUser::new(user()).encode().unwrap().query,
        [("userid", "zhangsan".to_owned())]
    );
    assert!(ListDepartments::all().encode().unwrap().query.is_empty());
    let below = ListDepartments::below(PartyId::new(7).unwrap());
    assert_eq!(below.encode().unwrap().query, [("id", "7".to_owned())]);
}

#[test]
fn tokens_are_asked_for_with_secrets_that_do_not_show() {
    let corp = || CorpId::new("wx5823bf96d3bd56c7").unwrap();
    let get = GetToken::new(corp(), Secret::from("hunter2"));
    let wire = get.encode().unwrap();
    assert_eq!(wire.path, "/cgi-bin/gettoken");
    let query = [
        ("corpid", "wx5823bf96d3bd56c7".to_owned()),
        ("corpsecret", "hunter2".to_owned()),
    ];
    assert_eq!(wire.query, query);

    let suite = GetCorpToken::new(Secret::from("hunter3"), corp(), Secret::from("hunter4"));
    let sent = suite.encode().unwrap();
    assert_eq!(sent.query, [("suite_access_token", "hunter3".to_owned())]);
    assert_eq!(
        body(&suite).unwrap(),
        r#"{"auth_corpid":"wx5823bf96d3bd56c7","permanent_code":"hunter4"}"#
    );
    let shown = format!("{get:?} {suite:?} {wire:?} {sent:?}");
    assert!(!shown.contains("hunter"), "{shown}");
}

#[test]
fn requests_show_no_ids_of_people() {
    let temporary = Temporary::new().unionid(UnionId::new("hidden1").unwrap());
    let user = || UserId::new("hidden2").unwrap();
    let customer = || ExternalUserId::new("hidden3").unwrap();
    let shown = format!(
        "{:?} {:?} {:?} {:?} {:?} {:?}",
        AddContactWay::single(Scene::QrCode, user()).temporary(temporary),
        UpdateContactWay::single(code().unwrap()).user(user()),
        CloseTempChat::new(user(), customer()),
        GetExternalContact::new(customer()),
        BatchGetByUser::new(Users::one(user())),
        GetUser::new(user()),
    );
    assert!(!shown.contains("hidden"), "{shown}");
    assert!(
        shown.contains("42b34949e138eb6e027c123cba77fad7"),
        "the code may be shown"
    );
}

/// WeCom counts each API by itself: two under one name would share a limit that they do not share there.
#[test]
fn every_call_is_counted_under_a_name_of_its_own() {
    fn row<C: Call>(call: &C) -> (Api, Wire) {
        (
            C::API,
            call.encode().unwrap_or_else(|invalid| panic!("{invalid}")),
        )
    }
    let user = || UserId::new("a").unwrap();
    let customer = || ExternalUserId::new("b").unwrap();
    let corp = || CorpId::new("c").unwrap();
    let secret = || Secret::from("d");
    let rows = [
        row(&AddContactWay::single(Scene::QrCode, user())),
        row(&GetContactWay::new(code().unwrap())),
        row(&ListContactWay::new()),
        row(&UpdateContactWay::new(code().unwrap()).skip_verify(true)),
        row(&DelContactWay::new(code().unwrap())),
        row(&CloseTempChat::new(user(), customer())),
        row(&GetFollowUserList),
        row(&GetExternalContact::new(customer())),
        row(&BatchGetByUser::new(Users::one(user()))),
        row(&GetUser::new(user())),
        row(&ListDepartments::all()),
        row(&GetCallbackIps),
        row(&GetToken::new(corp(), secret())),
        row(&GetCorpToken::new(secret(), corp(), secret())),
    ];
    let names: std::collections::BTreeSet<_> = rows.iter().map(|(api, _)| *api).collect();
    assert_eq!(names.len(), rows.len());
    for (api, wire) in rows {
        assert!(wire.path.starts_with("/cgi-bin/"), "{}", wire.path);
        assert!(wire.path.ends_with(api.name()), "{api} at {}", wire.path);
        assert_eq!(
            wire.method == http::Method::GET,
            wire.body.is_empty(),
            "{api}"
        );
    }
}
