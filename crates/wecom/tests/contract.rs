//! Replies in the shape of the official documents, read as the client reads them: with the fields of the
//! envelope in them. All data in them is made up.

use std::time::Duration;

use serde::de::DeserializeOwned;
use wecom::api::{
    AddWay, Added, BatchPage, CallbackIps, ContactType, ContactWayPage, ContactWayReply,
    Departments, Done, ExternalContactPage, FollowUsers, Token, User, UserId, UserStatus, WayScene,
    WayType,
};

fn read<T: DeserializeOwned>(reply: &str) -> T {
    serde_json::from_str(reply).unwrap_or_else(|error| panic!("{error} in {reply}"))
}

fn cannot_read<T: DeserializeOwned>(reply: &str) -> bool {
    serde_json::from_str::<T>(reply).is_err()
}

/// Returns a recorded reply.
macro_rules! reply {
    ($name:literal) => {
        include_str!(concat!("replies/", $name, ".json"))
    };
}

#[test]
fn a_new_code_has_an_id_and_maybe_a_picture() {
    let added: Added = read(reply!("add_contact_way"));
    assert_eq!(added.config_id.as_str(), "42b34949e138eb6e027c123cba77fAAA");
    let url = "http://p.qpic.cn/wwhead/duc2TvpEgSdicZ9RrdUtBkv2UiaA/0";
    assert_eq!(added.qr_code.as_deref(), Some(url));

    let added: Added = read(reply!("add_contact_way.mini_program"));
    assert_eq!(added.qr_code, None);
    assert!(
        cannot_read::<Added>(r#"{"errcode":0,"errmsg":"ok"}"#),
        "a code without an id is lost"
    );
}

#[test]
fn a_code_is_read_with_every_field() {
    let code = read::<ContactWayReply>(reply!("get_contact_way.qr_code")).contact_way;
    assert_eq!(
        (code.r#type, code.scene, code.style),
        (WayType::Multi, WayScene::QrCode, None)
    );
    assert_eq!(
        (code.remark.as_str(), code.state.as_str()),
        ("渠道客户", "门店-3")
    );
    assert_eq!(code.skip_verify, Some(false));
    let users: Vec<_> = code.user.iter().map(UserId::as_str).collect();
    assert_eq!(users, ["zhangsan", "lisi", "wangwu"]);
    let parties: Vec<_> = code.party.iter().map(|party| party.get()).collect();
    assert_eq!(parties, [2, 3]);
    assert_eq!(
        (code.is_exclusive, code.mark_source, code.is_temp),
        (Some(true), Some(false), false)
    );
    assert!(code.qr_code.is_some() && code.conclusions.is_none());
}

#[test]
fn last_words_come_back_in_another_shape_than_they_were_sent() {
    let code = read::<ContactWayReply>(reply!("get_contact_way.temporary")).contact_way;
    assert_eq!(
        (code.r#type, code.scene, code.style),
        (WayType::Single, WayScene::MiniProgram, Some(2))
    );
    assert!(code.is_temp);
    let day = Some(Duration::from_secs(86400));
    assert_eq!((code.expires_in, code.chat_expires_in), (day, day));
    assert_eq!(
        code.unionid.unwrap().as_str(),
        "oxTWIuGaIt6gTKsQRLau2M0AAAA"
    );
    assert_eq!(code.qr_code, None);

    let words = code.conclusions.unwrap();
    assert_eq!(words.text.unwrap().content, "文本消息内容");
    assert_eq!(
        words.image.unwrap().pic_url,
        "http://p.qpic.cn/pic_wework/XXXXX"
    );
    assert_eq!(words.link.unwrap().desc, "消息描述");
    assert_eq!(words.miniprogram.unwrap().pic_media_id, "MEDIA_ID");
}

#[test]
fn nulls_and_numbers_that_are_not_known_are_no_errors() {
    let code = read::<ContactWayReply>(reply!("get_contact_way.nulls")).contact_way;
    assert_eq!(
        (code.r#type, code.scene),
        (WayType::Other(9), WayScene::Other(0))
    );
    assert!(code.user.is_empty() && code.party.is_empty());
    assert_eq!(
        (code.remark.as_str(), code.state.as_str(), code.skip_verify),
        ("", "", None)
    );
    assert_eq!((code.expires_in, code.chat_expires_in), (None, None));
    assert_eq!((code.unionid, code.is_temp), (None, false));
    assert_eq!(code.conclusions.unwrap().image.unwrap().pic_url, "");
    assert!(cannot_read::<ContactWayReply>(r#"{"errcode":0}"#));
    assert!(cannot_read::<ContactWayReply>(
        r#"{"errcode":0,"contact_way":null}"#
    ));
}

#[test]
fn the_last_page_names_no_next_one() {
    let page: ContactWayPage = read(reply!("list_contact_way"));
    assert_eq!(page.contact_way.len(), 2);
    assert_eq!(page.next_cursor.as_deref(), Some("CAESIDKFmXyIQnTlMB"));
    let last: ContactWayPage = read(reply!("list_contact_way.last"));
    assert_eq!((last.contact_way.len(), last.next_cursor), (0, None));
}

#[test]
fn calls_that_return_nothing_are_done() {
    for reply in [
        reply!("update_contact_way"),
        reply!("del_contact_way"),
        reply!("close_temp_chat"),
        "{}",
    ] {
        assert_eq!(read::<Done>(reply), Done::default());
    }
}

#[test]
fn a_customer_is_read_with_those_who_have_added_him() {
    let page: ExternalContactPage = read(reply!("externalcontact_get"));
    let customer = &page.external_contact;
    assert_eq!(
        customer.external_userid.as_str(),
        "woAJ2GCAAAXtWyujaWJHDDGi0mACHAAA"
    );
    assert_eq!((customer.r#type, customer.gender), (ContactType::WeCom, 1));
    assert_eq!(
        customer.unionid.as_ref().unwrap().as_str(),
        "ozynqsulJFCZ2z1aYeS8h-nuasdAAA"
    );

    let [rocky, tommy] = &page.follow_user[..] else {
        panic!("{} rows", page.follow_user.len());
    };
    assert_eq!(
        (rocky.createtime, rocky.add_way),
        (1_525_779_812, AddWay::QrCode)
    );
    assert_eq!(
        (
            rocky.state.as_str(),
            rocky.tags.len(),
            rocky.remark_mobiles.len()
        ),
        ("门店-3", 1, 2)
    );
    assert_eq!(
        (tommy.state.as_str(), tommy.add_way),
        ("wb:1:4285486", AddWay::Other(10))
    );
    assert!(tommy.tags.is_empty());
    assert_eq!(page.next_cursor.as_deref(), Some("NEXT_CURSOR"));
}

#[test]
fn customers_are_read_with_the_members_without_licence() {
    let page: BatchPage = read(reply!("batch_get_by_user"));
    assert_eq!(page.external_contact_list.len(), 2);
    let first = &page.external_contact_list[0];
    assert_eq!(
        first.follow_info.tag_id,
        ["etAJ2GCAAAXtWyujaWJHDDGi0mACHAAA"]
    );
    assert_eq!(
        page.external_contact_list[1].follow_info.add_way,
        AddWay::Other(999)
    );
    assert_eq!(
        page.fail_info.unlicensed_userid_list[0].as_str(),
        "zhangsan"
    );
    let page: BatchPage = read(r#"{"errcode":0,"external_contact_list":null,"fail_info":null}"#);
    assert!(
        page.external_contact_list.is_empty() && page.fail_info.unlicensed_userid_list.is_empty()
    );
}

#[test]
fn members_and_departments_are_read() {
    let user: User = read(reply!("user_get"));
    assert_eq!(
        (user.userid.as_str(), user.name.as_str()),
        ("zhangsan", "张三")
    );
    assert_eq!(
        (user.status, user.department.len()),
        (UserStatus::Active, 2)
    );
    assert_eq!(
        (user.main_department, &user.is_leader_in_dept[..]),
        (Some(1), &[1, 0][..])
    );
    for (number, status) in [
        (2, UserStatus::Disabled),
        (4, UserStatus::NotActivated),
        (5, UserStatus::Left),
        (0, UserStatus::Other(0)),
    ] {
        let user: User = read(&format!(r#"{{"userid":"a","status":{number}}}"#));
        assert_eq!(user.status, status);
    }

    let departments = read::<Departments>(reply!("department_list")).department;
    let parents: Vec<_> = departments
        .iter()
        .map(|d| d.parentid.map(|id| id.get()))
        .collect();
    assert_eq!(parents, [None, Some(1), Some(2)]);
    assert_eq!(
        (departments[2].id.get(), departments[2].order),
        (u32::MAX, -5)
    );
    assert_eq!(departments[1].department_leader.len(), 2);

    let users: FollowUsers = read(reply!("get_follow_user_list"));
    assert_eq!(users.follow_user.len(), 3);
    let ips: CallbackIps = read(reply!("getcallbackip"));
    assert_eq!(ips.ip_list, ["101.226.103.59", "101.226.62.0/24"]);
}

/// Such a reply may come from anything between here and WeCom; taken for "nobody" it would empty a code.
#[test]
fn w1_a_reply_without_its_list_is_not_an_empty_list() {
    for reply in [
        "{}",
        r#"{"errcode":0,"errmsg":"ok"}"#,
        r#"{"errcode":0,"data":[]}"#,
        "[]",
        "null",
    ] {
        assert!(cannot_read::<FollowUsers>(reply), "{reply}");
        assert!(cannot_read::<ContactWayPage>(reply), "{reply}");
        assert!(cannot_read::<BatchPage>(reply), "{reply}");
        assert!(cannot_read::<ExternalContactPage>(reply), "{reply}");
        assert!(cannot_read::<Departments>(reply), "{reply}");
        assert!(cannot_read::<CallbackIps>(reply), "{reply}");
    }
    assert!(cannot_read::<FollowUsers>(r#"{"follow_user":null}"#));
    assert!(cannot_read::<Departments>(r#"{"department":null}"#));
    assert!(cannot_read::<CallbackIps>(r#"{"ip_list":null}"#));
    let half = r#"{"errcode":0,"contact_way":[{"config_id":"a"},{}]}"#;
    assert!(
        cannot_read::<ContactWayPage>(half),
        "an entry without its id"
    );
}

#[test]
fn a_token_is_read_only_if_it_is_one_and_lives() {
    for reply in [reply!("gettoken"), reply!("get_corp_token")] {
        let token: Token = read(reply);
        assert!(!token.access_token.reveal().is_empty());
        assert_eq!(token.expires_in, Duration::from_secs(7200));
        assert!(!format!("{token:?}").contains(token.access_token.reveal()));
    }
    for life in [
        "0",
        "-1",
        "86401",
        "1.5",
        "\"7200\"",
        "null",
        "1e9",
        "9223372036854775808",
    ] {
        let reply = format!(r#"{{"access_token":"t","expires_in":{life}}}"#);
        assert!(cannot_read::<Token>(&reply), "{reply}");
    }
    for life in ["1", "86400"] {
        read::<Token>(&format!(r#"{{"access_token":"t","expires_in":{life}}}"#));
    }
    for token in ["\"\"", "null", "7"] {
        let reply = format!(r#"{{"access_token":{token},"expires_in":7200}}"#);
        assert!(cannot_read::<Token>(&reply), "{reply}");
    }
    assert!(cannot_read::<Token>(r#"{"errcode":0,"errmsg":"ok"}"#));
}

#[test]
fn replies_show_nobody() {
    let shown = format!(
        "{:?} {:?} {:?} {:?} {:?} {:?}",
        read::<ContactWayReply>(reply!("get_contact_way.temporary")),
        read::<ExternalContactPage>(reply!("externalcontact_get")),
        read::<BatchPage>(reply!("batch_get_by_user")),
        read::<User>(reply!("user_get")),
        read::<FollowUsers>(reply!("get_follow_user_list")),
        read::<Departments>(reply!("department_list")),
    );
    for hidden in [
        "zhangsan",
        "lisi",
        "lissi",
        "rocky",
        "tommy",
        "woAJ2G",
        "wmAJ2G",
        "oxTWI",
        "ozynq",
        "李四",
        "李部长",
        "对接采购",
        "张三",
        "138000",
        "qlogo",
        "jackzhang",
    ] {
        assert!(!shown.contains(hidden), "{hidden} in {shown}");
    }
}
