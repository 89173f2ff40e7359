//! The text of an error, in the form in which it is met in the wild. It names nobody.

use std::net::IpAddr;

use bytes::Bytes;

use crate::world::Shared;

/// Returns the body of an answer with this `errcode`.
pub(crate) fn body(errcode: i64, shared: &Shared, ip: IpAddr) -> Bytes {
    let serial = shared.next_hint();
    let low = u32::try_from(serial & u64::from(u32::MAX)).unwrap_or_default();
    let high = u32::try_from(serial >> 32).unwrap_or_default();
    let hex = shared.names.hints.text(high, low);
    let (text, now_s, number) = (text(errcode), shared.now_s(), serial % 1000);
    Bytes::from(format!(
        "{{\"errcode\":{errcode},\"errmsg\":\"{text}, hint: [{now_s}_{number}_{hex}], from ip: {ip}, \
         more info at https://open.work.weixin.qq.com/devtool/query?e={errcode}\"}}"
    ))
}

fn text(errcode: i64) -> &'static str {
    match errcode {
        -1 => "system error",
        6000 => "data version conflict",
        40001 => "invalid credential",
        40003 => "invalid userid",
        40013 => "invalid corpid",
        40014 => "invalid access_token",
        40031 => "invalid userid list",
        40032 => "invalid userid list size",
        40033 => "invalid character",
        40058 => "invalid Request Parameter",
        40063 => "some parameters are empty",
        40066 => "invalid party list",
        40082 => "invalid suite_access_token",
        40084 => "invalid permanent_code",
        40098 => "user not realname certified",
        40099 => "external contact of user is full",
        40206 => "request body too large",
        41001 => "access_token missing",
        41002 => "corpid missing",
        41004 => "corpsecret missing",
        41021 => "suite_access_token missing",
        41025 => "permanent_code missing",
        41035 => "external_userid missing",
        41037 => "contact way type missing",
        41038 => "contact way scene missing",
        41039 => "invalid contact way type",
        41040 => "invalid contact way scene",
        41041 => "contact way user exceed limit",
        41042 => "invalid contact way style",
        41043 => "contact way config_id missing",
        41044 => "invalid contact way config_id",
        41045 => "contact way count exceed limit",
        _ => text_from_41054_on(errcode),
    }
}

fn text_from_41054_on(errcode: i64) -> &'static str {
    match errcode {
        41051 => "external user has started chatting",
        41054 => "user not activated",
        42001 => "access_token expired",
        45009 => "api freq out of limit",
        45024 => "account count out of limit",
        45033 => "api concurrent out of limit",
        45035 => "concurrent modify conflict",
        45036 => "data access out of limit",
        46004 => "user not exist",
        48002 => "api forbidden",
        48006 => "api forbidden for long time no use",
        50001 => "redirect_url not registered",
        50002 => "user out of app scope",
        50003 => "app disabled",
        60003 => "department not found",
        60011 => "no privilege to access/modify contact/party/agent",
        60020 => "not allow to access from your ip",
        60021 => "userid not in visible range",
        60111 => "userid not found",
        60123 => "invalid party id",
        60136 => "record not found",
        84061 => "not external contact relation",
        84074 => "no permission of external contact",
        92000 => "userid out of visible range",
        301_002 => "no permission on the agent",
        301_007 => "corp is dissolved or banned",
        301_021 => "invalid userid, at least one is not in the directory",
        _ => "error",
    }
}
