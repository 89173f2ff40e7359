use super::*;

fn event(inner: &str) -> Event {
    let message = format!("<xml>{inner}</xml>");
    Event::of(&Fields::parse(&message).unwrap())
}

/// An event in both forms: an enterprise's and a suite's.
fn both(name: &str, inner: &str) -> [Event; 2] {
    let enterprise = format!(
        "<ToUserName><![CDATA[ww1]]></ToUserName><FromUserName><![CDATA[sys]]></FromUserName>\
         <CreateTime>1403610513</CreateTime><MsgType><![CDATA[event]]></MsgType>\
         <Event><![CDATA[{name}]]></Event>{inner}"
    );
    let suite = format!(
        "<SuiteId><![CDATA[tj1]]></SuiteId><AuthCorpId><![CDATA[ww1]]></AuthCorpId>\
         <InfoType><![CDATA[{name}]]></InfoType><TimeStamp>1403610513</TimeStamp>{inner}"
    );
    [event(&enterprise), event(&suite)]
}

const PAIR: &str = "<UserID><![CDATA[zhangsan]]></UserID>\
    <ExternalUserID><![CDATA[wmA]]></ExternalUserID>";

fn contact(change_type: &str, rest: &str) -> ContactChange {
    let inner = format!("<ChangeType><![CDATA[{change_type}]]></ChangeType>{PAIR}{rest}");
    let [enterprise, suite] = both("change_external_contact", &inner);
    assert_eq!(enterprise, suite);
    let Event::Contact(contact) = enterprise else {
        panic!("{change_type}: {enterprise:?}");
    };
    assert_eq!(contact.user.as_str(), "zhangsan");
    assert_eq!(contact.external_user.as_str(), "wmA");
    contact.change
}

fn directory(change_type: &str, rest: &str) -> Directory {
    let inner = format!("<ChangeType><![CDATA[{change_type}]]></ChangeType>{rest}");
    let [enterprise, suite] = both("change_contact", &inner);
    assert_eq!(enterprise, suite);
    match enterprise {
        Event::Directory(directory) => directory,
        other => panic!("{change_type}: {other:?}"),
    }
}

#[test]
fn reads_every_change_of_a_contact_in_both_forms() {
    let welcome = "<State><![CDATA[teststate]]></State><WelcomeCode>WC</WelcomeCode>";
    let state = || Some("teststate".into());
    let welcome_code = || Some(Secret::from("WC"));
    let source = "<Source><![CDATA[DELETE_BY_TRANSFER]]></Source>";
    let reason = "<FailReason>customer_refused</FailReason>";
    for (change_type, rest, expected) in [
        (
            "add_external_contact",
            welcome,
            ContactChange::Added {
                state: state(),
                welcome_code: welcome_code(),
            },
        ),
        (
            "add_half_external_contact",
            welcome,
            ContactChange::HalfAdded {
                state: state(),
                welcome_code: welcome_code(),
            },
        ),
        (
            "edit_external_contact",
            "",
            ContactChange::Edited { state: None },
        ),
        (
            "del_external_contact",
            source,
            ContactChange::RemovedByMember {
                source: Some("DELETE_BY_TRANSFER".into()),
            },
        ),
        (
            "del_external_contact",
            "",
            ContactChange::RemovedByMember { source: None },
        ),
        ("del_follow_user", "", ContactChange::RemovedByCustomer),
        (
            "transfer_fail",
            reason,
            ContactChange::TransferFailed {
                reason: Some("customer_refused".into()),
            },
        ),
    ] {
        assert_eq!(contact(change_type, rest), expected);
    }
}

#[test]
fn a_missing_empty_or_odd_state_is_no_error() {
    for (rest, expected) in [
        ("", None),
        ("<State></State>", None),
        ("<State><![CDATA[]]></State>", None),
        (
            "<State><![CDATA[wb:1:4285486]]></State>",
            Some("wb:1:4285486"),
        ),
        ("<State>&lt;密&gt;</State>", Some("<密>")),
    ] {
        let change = contact("add_external_contact", rest);
        let expected = ContactChange::Added {
            state: expected.map(Box::from),
            welcome_code: None,
        };
        assert_eq!(change, expected, "{rest}");
    }
}

#[test]
fn reads_every_change_of_the_directory_in_both_forms() {
    let user = || UserId::from("zhangsan");
    let id = "<UserID>zhangsan</UserID>";
    let rest = format!("{id}<Department><![CDATA[1,2,3]]></Department><Status>1</Status>");
    let created = Directory::UserCreated {
        user: user(),
        departments: Some(vec![1, 2, 3]),
        status: Some(MemberStatus::Active),
    };
    assert_eq!(directory("create_user", &rest), created);

    let rest = format!("{id}<NewUserID>lisi</NewUserID><Department>7</Department>");
    let updated = Directory::UserUpdated {
        user: user(),
        new_user: Some("lisi".into()),
        departments: Some(vec![7]),
        status: None,
    };
    assert_eq!(directory("update_user", &rest), updated);

    let deleted = Directory::UserDeleted { user: user() };
    assert_eq!(directory("delete_user", id), deleted);

    let id = "<Id>2</Id><Name><![CDATA[张三]]></Name><ParentId><![CDATA[1]]></ParentId>";
    let (party, parent) = (2, Some(1));
    let created = Directory::PartyCreated { id: party, parent };
    assert_eq!(directory("create_party", id), created);
    let updated = Directory::PartyUpdated { id: party, parent };
    assert_eq!(directory("update_party", id), updated);
    let renamed = Directory::PartyUpdated {
        id: party,
        parent: None,
    };
    assert_eq!(directory("update_party", "<Id>2</Id>"), renamed);
    let deleted = Directory::PartyDeleted { id: party };
    assert_eq!(directory("delete_party", "<Id>2</Id>"), deleted);
}

#[test]
fn c8_an_update_that_tells_no_status_says_nothing_of_it() {
    let status_of = |rest: &str| {
        let rest = format!("<UserID>zhangsan</UserID>{rest}");
        match directory("update_user", &rest) {
            Directory::UserUpdated { status, .. } => status,
            other => panic!("{other:?}"),
        }
    };
    for (rest, expected) in [
        ("", None),
        ("<Department>1</Department>", None),
        ("<Status></Status>", None),
        ("<Status>1</Status>", Some(MemberStatus::Active)),
        ("<Status>2</Status>", Some(MemberStatus::Disabled)),
        ("<Status>4</Status>", Some(MemberStatus::NotActivated)),
        ("<Status>5</Status>", Some(MemberStatus::Left)),
        ("<Status>9</Status>", Some(MemberStatus::Unknown(9))),
    ] {
        assert_eq!(status_of(rest), expected, "{rest}");
    }
}

#[test]
fn reads_a_ticket_and_does_not_show_it() {
    let ticket = event(
        "<SuiteId>tj1</SuiteId><InfoType>suite_ticket</InfoType><TimeStamp>14</TimeStamp>\
         <SuiteTicket>asdfasfdasdfasdf</SuiteTicket>",
    );
    assert_eq!(ticket, Event::SuiteTicket("asdfasfdasdfasdf".into()));
    assert_eq!(format!("{ticket:?}"), "SuiteTicket(Secret(..))");
}

#[test]
fn what_is_not_known_or_not_whole_is_kept_raw() {
    let pair = |change_type: &str| format!("<ChangeType>{change_type}</ChangeType>{PAIR}");
    let member =
        |status: &str| format!("<ChangeType>update_user</ChangeType><UserID>a</UserID>{status}");
    for (name, inner) in [
        ("change_external_contact", pair("renamed_in_2027")),
        ("change_external_contact", PAIR.to_owned()),
        (
            "change_external_contact",
            "<ChangeType>del_follow_user</ChangeType>".to_owned(),
        ),
        (
            "change_external_chat",
            "<ChatId>wr1</ChatId><ChangeType>create</ChangeType>".to_owned(),
        ),
        ("change_contact", member("<Status>active</Status>")),
        ("change_contact", member("<Department>1,,2</Department>")),
        (
            "change_contact",
            "<ChangeType>create_party</ChangeType><Id>-1</Id>".to_owned(),
        ),
        (
            "change_contact",
            "<ChangeType>update_tag</ChangeType><TagId>1</TagId>".to_owned(),
        ),
        ("suite_ticket", String::new()),
        ("enter_agent", String::new()),
    ] {
        for event in both(name, &inner) {
            let Event::Other(fields) = event else {
                panic!("{name}: {inner}: {event:?}");
            };
            assert!(fields.iter().any(|(_, value)| value == name));
        }
    }
    let text = event("<MsgType>text</MsgType><Content>change_contact</Content><MsgId>7</MsgId>");
    let Event::Other(fields) = text else {
        panic!("{text:?}");
    };
    let names: Vec<_> = fields.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["MsgType", "Content", "MsgId"]);
    assert_eq!(fields.get("MsgId"), Some("7"));
}

#[test]
fn debug_shows_no_person() {
    let added = "<ChangeType>add_external_contact</ChangeType><WelcomeCode>WC9</WelcomeCode>";
    let renamed = "<ChangeType>update_user</ChangeType><NewUserID>lisi</NewUserID>";
    for (name, rest) in [
        ("change_external_contact", added),
        ("change_contact", renamed),
        ("new_in_2027", ""),
    ] {
        for event in both(name, &format!("{PAIR}{rest}")) {
            let text = format!("{event:?}");
            for id in ["zhangsan", "wmA", "lisi", "WC9"] {
                assert!(!text.contains(id), "{text}");
            }
        }
    }
}
