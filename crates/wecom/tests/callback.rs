//! A receiver without a server: what it believes, what it refuses, and what it takes for the same event.

mod callback_support;

use std::{collections::HashSet, time::Duration};

use callback_support::{
    CORP, KEY, NOW, TOKEN, added, builder, contact, event, keys, keys_for, post_of, posted,
    receiver,
};
use wecom::{
    Clock, CorpId,
    callback::{Contact, ContactChange, Event, Identity, Keys, QueryFault, Receiver, Rejected},
};

/// A good message but for its last block, whose padding is no longer one.
fn sealed_with_bad_padding() -> (String, String) {
    let message = added("a", "b");
    let mut encrypt = keys()
        .seal_with(message.as_bytes(), NOW, "n", [1; 16])
        .encrypt;
    let at = encrypt.len() - 8;
    let other = if encrypt.as_bytes()[at] == b'A' {
        "B"
    } else {
        "A"
    };
    encrypt.replace_range(at..=at, other);
    resigned(&encrypt)
}

/// Signs any text, as only who knows the token can.
fn resigned(encrypt: &str) -> (String, String) {
    use sha1::{Digest, Sha1};
    let timestamp = NOW.to_string();
    let mut parts = [TOKEN, &timestamp, "1372623149", encrypt];
    parts.sort_unstable();
    let hash = Sha1::digest(parts.concat());
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let query = format!("msg_signature={hex}&timestamp={timestamp}&nonce=1372623149");
    (query, format!("<xml><Encrypt>{encrypt}</Encrypt></xml>"))
}

fn refusal(receiver: &Receiver, (query, body): &(String, String)) -> Rejected {
    let refused = receiver.receive(query, body.as_bytes());
    refused.expect_err("it is to be refused")
}

fn identity(message: &str) -> Identity {
    let (query, body) = posted(message);
    let delivery = receiver().receive(&query, body.as_bytes());
    delivery.expect("a good callback").identity
}

#[test]
fn a_callback_tells_what_happened_to_whom_and_when() {
    let (query, body) = posted(&added("zhangsan", "wmA"));
    let delivery = receiver().receive(&query, body.as_bytes()).unwrap();
    let Event::Contact(Contact { user, change, .. }) = &delivery.event else {
        panic!("{delivery:?}");
    };
    assert_eq!(user.as_str(), "zhangsan");
    assert!(
        matches!(change, ContactChange::Added { state: Some(state), .. } if &**state == "code-17")
    );
    assert_eq!(delivery.corp, Some(CorpId::new(CORP).unwrap()));
    assert_eq!(delivery.agent, Some(1_000_002));
    assert_eq!(delivery.created, Some(Duration::from_secs(NOW)));
    assert_eq!(delivery.sent, Duration::from_secs(NOW));
    assert!(!delivery.seen_before);
    assert_eq!(delivery.fields.get("FromUserName"), Some("sys"));
    let shown = format!("{delivery:?}");
    for id in ["zhangsan", "wmA", "WELCOMECODE"] {
        assert!(!shown.contains(id), "{shown}");
    }
}

#[test]
fn a_suite_gets_the_callbacks_of_its_enterprises() {
    let keys = keys_for("tj4asffe99e54c0f4c");
    let message = "<xml><SuiteId>tj4asffe99e54c0f4c</SuiteId><AuthCorpId>wwA</AuthCorpId>\
        <InfoType>change_contact</InfoType><TimeStamp>1403610513</TimeStamp>\
        <ChangeType>delete_user</ChangeType><UserID>a</UserID></xml>";
    let sealed = keys.seal(message.as_bytes(), NOW);
    let body = sealed.callback_body("tj4asffe99e54c0f4c", "");
    let receiver = Receiver::builder(keys).clock(Clock::set_to(Duration::from_secs(NOW)));
    let receiver = receiver.build().unwrap();
    let delivery = receiver.receive(&sealed.query(), body.as_bytes()).unwrap();
    assert_eq!(delivery.corp, Some(CorpId::new("wwA").unwrap()));
    assert_eq!(delivery.suite.as_deref(), Some("tj4asffe99e54c0f4c"));
    assert_eq!(delivery.agent, None);
    assert!(matches!(delivery.event, Event::Directory(_)));
}

#[test]
fn echoes_the_plaintext_and_nothing_around_it() {
    let sealed = keys().seal(b"1616140317555161061", NOW);
    let query = sealed.echo_query();
    assert!(
        query.contains("%3D") || !sealed.encrypt.contains('='),
        "{query}"
    );
    assert_eq!(receiver().echo(&query).unwrap(), b"1616140317555161061");
    let bare = format!("{}&echostr={}", sealed.query(), sealed.encrypt);
    assert_eq!(receiver().echo(&bare).unwrap(), b"1616140317555161061");

    let missing = receiver().echo(&sealed.query()).unwrap_err();
    let expected = Rejected::Query {
        parameter: "echostr",
        fault: QueryFault::Missing,
    };
    assert_eq!(missing, expected);
    assert_eq!(missing.status(), 400);
    assert_eq!(missing.to_string(), "echostr is missing");
}

#[test]
fn whatever_depends_on_a_secret_is_refused_alike() {
    let good = posted(&added("a", "b"));
    let other_key = Keys::new(TOKEN, &KEY.replace('j', "k"), CORP).unwrap();
    let to_other = keys_for("wwOther");
    let misnamed = event("x", "").replace(CORP, "wwOther");
    let outside = (good.0.clone(), good.1.replace(CORP, "wwOther"));
    let refused = [
        (
            Rejected::Signature,
            (good.0.replace("msg_signature=", "msg_signature=0"), good.1),
        ),
        (
            Rejected::Signature,
            post_of(&Keys::new("x", KEY, CORP).unwrap().seal(b"x", NOW)),
        ),
        (
            Rejected::Stale,
            post_of(&keys().seal(added("a", "b").as_bytes(), NOW - 601)),
        ),
        (
            Rejected::Stale,
            post_of(&keys().seal(added("a", "b").as_bytes(), NOW + 62)),
        ),
        (
            Rejected::Cipher,
            post_of(&other_key.seal(added("a", "b").as_bytes(), NOW)),
        ),
        (Rejected::Cipher, sealed_with_bad_padding()),
        (Rejected::Cipher, resigned("not base64!")),
        (Rejected::Cipher, resigned("")),
        (Rejected::Cipher, resigned("AAAAAAAAAAAAAAAAAAAAAA==")),
        (
            Rejected::ReceiveId,
            post_of(&to_other.seal(added("a", "b").as_bytes(), NOW)),
        ),
        (
            Rejected::Corp,
            post_of(&keys().seal(misnamed.as_bytes(), NOW)),
        ),
        (Rejected::Corp, outside),
        (Rejected::Message, posted("<xml>")),
        (Rejected::Message, posted("not xml")),
        (
            Rejected::Message,
            post_of(&keys().seal(b"<xml>\xff</xml>", NOW)),
        ),
    ];
    for (expected, post) in &refused {
        let rejected = refusal(&receiver(), post);
        assert_eq!(rejected, *expected);
        assert_eq!(rejected.status(), 403, "{expected:?}");
        assert_eq!(rejected.to_string(), "the callback is refused");
    }
    let reasons: HashSet<_> = refused
        .iter()
        .map(|(rejected, _)| rejected.reason())
        .collect();
    assert_eq!(reasons.len(), 6, "our own log tells them apart");
}

#[test]
fn what_depends_on_no_secret_is_told_apart() {
    let (query, body) = posted(&added("a", "b"));
    let limit = 64 << 10;
    let long = (query.clone(), " ".repeat(limit + 1));
    assert_eq!(refusal(&receiver(), &long), Rejected::TooLong { limit });
    assert_eq!(Rejected::TooLong { limit }.status(), 413);
    let entity = format!("<!DOCTYPE a [<!ENTITY b 'c'>]>{body}");
    for bad in [entity.as_str(), "", "{}", "<xml></xml>"] {
        let rejected = refusal(&receiver(), &(query.clone(), bad.to_owned()));
        assert_eq!(rejected, Rejected::Envelope, "{bad}");
        assert_eq!(rejected.status(), 400);
    }
    assert_eq!(receiver().check_query(&query), Ok(()));
    for bad in [String::new(), format!("{query}&nonce=x")] {
        let rejected = refusal(&receiver(), &(bad.clone(), body.clone()));
        assert_eq!(rejected.status(), 400);
        assert_eq!(receiver().check_query(&bad), Err(rejected));
    }
    let old = keys()
        .seal(b"x", NOW - 601)
        .query()
        .replace("msg_signature=", "msg_signature=0");
    let strangers = refusal(&receiver(), &(old, body));
    assert_eq!(strangers, Rejected::Signature, "no alarm for our clock");
}

#[test]
fn while_keys_are_changed_old_and_new_ones_are_valid() {
    let new = Keys::new(TOKEN, &KEY.replace('j', "k"), CORP).unwrap();
    let newer = Keys::new("newtoken", KEY, CORP).unwrap();
    let receiver = builder()
        .also(new.clone())
        .also(newer.clone())
        .build()
        .unwrap();
    for keys in [keys(), new, newer] {
        let (query, body) = post_of(&keys.seal(added("a", "b").as_bytes(), NOW));
        receiver.receive(&query, body.as_bytes()).unwrap();
    }
    let strange = Keys::new("strange", KEY, CORP).unwrap();
    let post = post_of(&strange.seal(b"x", NOW));
    assert_eq!(refusal(&receiver, &post), Rejected::Signature);
}

#[test]
fn a_setting_out_of_its_range_is_named() {
    let field = |builder: wecom::callback::Builder| builder.build().unwrap_err().to_string();
    assert!(field(builder().body_limit(1023)).contains("body_limit"));
    assert!(field(builder().body_limit(usize::MAX)).contains("1,024 to 16,777,216"));
    assert!(field(builder().memory(usize::MAX)).contains("memory"));
    let many = (0..8).fold(builder(), |builder, _| builder.also(keys()));
    assert!(field(many).contains("keys"));
}

#[tokio::test(start_paused = true)]
async fn the_window_moves_with_the_calendar() {
    let receiver = receiver();
    let (query, body) = posted(&added("a", "b"));
    tokio::time::advance(Duration::from_secs(600)).await;
    receiver.receive(&query, body.as_bytes()).unwrap();
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(
        refusal(&receiver, &(query.clone(), body.clone())),
        Rejected::Stale
    );

    let always = builder().without_window().build().unwrap();
    always.receive(&query, body.as_bytes()).unwrap();
    let sealed = keys().seal(b"1", NOW - 601);
    assert_eq!(receiver.echo(&sealed.echo_query()), Err(Rejected::Stale));
}

#[test]
fn a_repetition_is_marked_once_the_first_is_durable() {
    let receiver = receiver();
    let message = added("a", "b");
    let receive = || {
        // WeCom encrypts and signs each repetition anew.
        let (query, body) = posted(&message);
        receiver.receive(&query, body.as_bytes()).unwrap()
    };
    assert!(!receive().seen_before);
    assert!(!receive().seen_before, "the first may have failed");
    receiver.remember(receive().identity);
    assert!(receive().seen_before);

    let (query, body) = posted(&added("a", "c"));
    assert!(
        !receiver
            .receive(&query, body.as_bytes())
            .unwrap()
            .seen_before
    );
}

#[test]
fn c1_events_that_differ_in_anything_have_identities_of_their_own() {
    let directory = |change: &str, rest: &str| {
        event(
            "change_contact",
            &format!("<ChangeType>{change}</ChangeType>{rest}"),
        )
    };
    let base = added("a", "b");
    let messages = [
        base.clone(),
        added("a", "c"),
        added("b", "a"),
        contact("add_half_external_contact", "a", "b", ""),
        contact("del_follow_user", "a", "b", ""),
        contact("del_external_contact", "a", "b", ""),
        contact(
            "del_external_contact",
            "a",
            "b",
            "<Source>DELETE_BY_TRANSFER</Source>",
        ),
        directory("create_user", "<UserID>a</UserID>"),
        directory("update_user", "<UserID>a</UserID>"),
        directory("update_user", "<UserID>a</UserID><NewUserID>b</NewUserID>"),
        directory("update_user", "<UserID>aNewUserIDb</UserID>"),
        directory("create_party", "<Id>1</Id>"),
        directory("create_party", "<Id>2</Id>"),
        base.replace(&format!("<CreateTime>{NOW}"), "<CreateTime>1750000001"),
        base.replace("code-17", "code-18"),
        event("new_in_2027", "<L><I>1</I><I>2</I></L>"),
        event("new_in_2027", "<L><I>2</I><I>1</I></L>"),
    ];
    let identities: HashSet<_> = messages.iter().map(|message| identity(message)).collect();
    assert_eq!(identities.len(), messages.len());
}

#[test]
fn c1_repetitions_have_one_identity_however_they_are_written() {
    let message = added("a", "b");
    let names = ["<CreateTime>", "<Event>", "<UserID>", "</xml>"];
    let spaced = names.iter().fold(message.clone(), |text, name| {
        text.replace(name, &format!("\n  {name}"))
    });
    let plain = message.replace("<![CDATA[sys]]>", "s&#121;s");
    let time = format!("<CreateTime>{NOW}</CreateTime>");
    let moved = message
        .replace(&time, "")
        .replace("</xml>", &format!("{time}</xml>"));
    let first = identity(&message);
    for same in [&message, &spaced, &plain, &moved] {
        assert_eq!(identity(same), first, "{same}");
    }
    // It is stored, so it must be the same in every version.
    let stored = "54ad0e0f510b5f2594747eb785eb47feadd97d40af8d1fbc872daf8b825c4d97";
    assert_eq!(first.to_string(), stored);
}

#[test]
fn c1_what_people_write_goes_by_its_message_id() {
    let text = |content: &str, id: u32| {
        let head = event("", "").replace("event", "text");
        head.replace(
            "</xml>",
            &format!("<Content>{content}</Content><MsgId>{id}</MsgId></xml>"),
        )
    };
    assert_eq!(identity(&text("hi", 1)), identity(&text("hi", 1)));
    assert_ne!(identity(&text("hi", 1)), identity(&text("hi", 2)));
}

#[test]
fn c2_a_thousand_customers_of_one_second_are_all_told_apart() {
    let receiver = receiver();
    let mut identities = HashSet::new();
    for number in 0..1000 {
        let (query, body) = posted(&added("zhangsan", &format!("wm{number}")));
        let delivery = receiver.receive(&query, body.as_bytes()).unwrap();
        assert!(!delivery.seen_before);
        receiver.remember(delivery.identity);
        identities.insert(delivery.identity);
    }
    assert_eq!(identities.len(), 1000);
}

/// What an event of a removal carries is who and how, and nothing of the contact that is left: there is no
/// list of members, no state, nothing that could be written over what a read says. So a handler can but mark
/// the pair as changed and read again, and later again if the read is still behind.
#[test]
fn c4_a_removal_is_a_trigger_and_carries_no_state_to_apply() {
    let late = "<State>code-17</State><WelcomeCode>W</WelcomeCode><Status>1</Status>";
    for (change_type, expected) in [
        (
            "del_external_contact",
            ContactChange::RemovedByMember { source: None },
        ),
        ("del_follow_user", ContactChange::RemovedByCustomer),
    ] {
        for rest in ["", late] {
            let (query, body) = posted(&contact(change_type, "a", "b", rest));
            let delivery = receiver().receive(&query, body.as_bytes()).unwrap();
            let Event::Contact(contact) = delivery.event else {
                panic!("{change_type}");
            };
            assert_eq!(contact.change, expected, "nothing else can be in it");
            let corp = delivery.corp.unwrap();
            assert_eq!(
                contact.daily_key(&corp, "code-17", 1),
                None,
                "it takes nothing back"
            );
        }
    }
}

#[test]
fn c5_half_and_full_additions_count_once_for_member_customer_code_and_day() {
    let corp = CorpId::new(CORP).unwrap();
    let keyed = |change_type, user, external_user, code, day| {
        let (query, body) = posted(&contact(change_type, user, external_user, ""));
        let delivery = receiver().receive(&query, body.as_bytes()).unwrap();
        let Event::Contact(contact) = delivery.event else {
            panic!("{change_type}");
        };
        contact
            .daily_key(&corp, code, day)
            .expect("an addition counts")
    };
    let (half, full) = ("add_half_external_contact", "add_external_contact");
    let orders = [
        vec![half],
        vec![full],
        vec![half, full],
        vec![full, half, full],
    ];
    for order in orders {
        let counted = order
            .iter()
            .map(|change_type| keyed(change_type, "a", "b", "code", 20_000));
        assert_eq!(counted.collect::<HashSet<_>>().len(), 1, "{order:?}");
    }
    let all = [
        keyed(half, "a", "b", "code", 20_000),
        keyed(full, "b", "a", "code", 20_000),
        keyed(full, "a", "c", "code", 20_000),
        keyed(full, "a", "b", "other", 20_000),
        keyed(full, "a", "b", "code", 20_001),
        keyed(full, "a", "bcode", "", 20_000),
    ];
    assert_eq!(HashSet::from(all).len(), all.len());
}
