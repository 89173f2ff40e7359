//! The class of every `errcode` that matters, and what an error says of itself.

use std::time::Duration;

use wecom::{
    Action, Api, Class, Errcode, Error,
    error::{Invalid, Kind, NoToken, Refused, Unreadable},
};

const UPDATE: Api = Api::new("update_contact_way");

fn refused(api: Api, errcode: i64) -> Error {
    let hint = Some("1620808383_162_ab".into());
    let errcode = Errcode(errcode);
    Error::new(api, Kind::Refused(Refused { errcode, hint }))
}

/// From the documentation's list of global error codes (path/90313), with the action that it or its help asks for.
const DOCUMENTED: [(i64, Class); 58] = [
    (-1, Class::Transient),
    (6000, Class::Conflict),
    (40001, Class::Tenant),
    (40003, Class::Member),
    (40013, Class::Tenant),
    (40014, Class::Token),
    (40031, Class::Member),
    (40032, Class::Request),
    (40033, Class::Request),
    (40058, Class::Request),
    (40063, Class::Request),
    (40066, Class::Member),
    (40098, Class::Member),
    (40099, Class::Member),
    (40206, Class::Request),
    (41001, Class::Token),
    (41035, Class::Request),
    (41037, Class::Request),
    (41038, Class::Request),
    (41039, Class::Request),
    (41040, Class::Request),
    (41041, Class::Request),
    (41042, Class::Request),
    (41043, Class::Request),
    (41044, Class::CodeGone),
    (41045, Class::Tenant),
    (41051, Class::Request),
    (41054, Class::Member),
    (42001, Class::Token),
    (45009, Class::Throttled),
    (45024, Class::Tenant),
    (45033, Class::Throttled),
    (45035, Class::Conflict),
    (45036, Class::Throttled),
    (46004, Class::Member),
    (48002, Class::Tenant),
    (48006, Class::Tenant),
    (50001, Class::Request),
    (50002, Class::Member),
    (50003, Class::Tenant),
    (60003, Class::Member),
    (60011, Class::Member),
    (60020, Class::Tenant),
    (60021, Class::Member),
    (60111, Class::Member),
    (60123, Class::Member),
    (60136, Class::Request),
    (84061, Class::Request),
    (84074, Class::Member),
    (92000, Class::Member),
    (301_002, Class::Tenant),
    (301_007, Class::Tenant),
    (301_021, Class::Member),
    // A third party's own token and its permanent code.
    (40082, Class::Token),
    (40084, Class::Tenant),
    (42009, Class::Token),
    // Not known to this version.
    (99999, Class::Unknown),
    (0, Class::Unknown),
];

#[test]
fn every_documented_errcode_has_the_class_of_what_to_do_about_it() {
    for (errcode, class) in DOCUMENTED {
        assert_eq!(Errcode(errcode).class(), class, "{errcode}");
        let error = refused(Api::GET_TOKEN, errcode);
        assert_eq!(error.class(), class, "{errcode} to gettoken");
        assert_eq!(error.errcode(), Some(Errcode(errcode)));
        assert_eq!(error.action(), class.action());
    }
}

#[test]
fn a_number_that_is_not_known_is_kept_and_classed_unknown() {
    let known: Vec<_> = DOCUMENTED.iter().map(|(errcode, _)| *errcode).collect();
    for errcode in (-100..310_000).chain([i64::MIN, i64::MAX]) {
        if !known.contains(&errcode) {
            assert_eq!(Errcode(errcode).class(), Class::Unknown, "{errcode}");
            assert_eq!(Errcode(errcode).retry_after(), None, "{errcode}");
        }
    }
}

#[test]
fn a_bad_secret_is_the_tenants_fault_where_the_secret_was_sent_and_the_tokens_elsewhere() {
    assert_eq!(refused(Api::GET_TOKEN, 40001).class(), Class::Tenant);
    assert_eq!(refused(Api::GET_CORP_TOKEN, 40001).class(), Class::Tenant);
    assert_eq!(refused(UPDATE, 40001).class(), Class::Token);
}

#[test]
fn the_action_follows_from_the_class_alone() {
    let expected = [
        (Class::Transient, Action::Repeat),
        (Class::Throttled, Action::Wait),
        (Class::Token, Action::Repeat),
        (Class::Tenant, Action::PauseTenant),
        (Class::Member, Action::CheckMembers),
        (Class::CodeGone, Action::ForgetCode),
        (Class::Request, Action::Fix),
        (Class::Conflict, Action::Recompute),
        (Class::Unknown, Action::Fix),
    ];
    assert_eq!(expected.map(|(class, _)| class), Class::ALL);
    for (class, action) in expected {
        assert_eq!(class.action(), action, "{class}");
    }
}

#[test]
fn a_throttle_says_for_how_long() {
    for (errcode, seconds) in [
        (45009, Some(60)),
        (45033, Some(1)),
        (45036, Some(600)),
        (-1, Some(1)),
        (6000, Some(1)),
        (45035, Some(1)),
        (40098, None),
    ] {
        let wait = seconds.map(Duration::from_secs);
        assert_eq!(refused(UPDATE, errcode).retry_after(), wait, "{errcode}");
    }
    let wait = Duration::from_secs(7);
    let limited = Error::new(UPDATE, Kind::Limited { retry_after: wait });
    assert_eq!(
        (limited.class(), limited.retry_after()),
        (Class::Throttled, Some(wait))
    );
}

#[test]
fn what_became_of_the_token_is_what_became_of_the_call() {
    let of = |no_token| Error::new(UPDATE, Kind::NoToken(no_token));
    let wait = Duration::from_secs(7);

    let fetch = of(NoToken::Fetch(refused(Api::GET_TOKEN, 40013)));
    assert_eq!(fetch.class(), Class::Tenant);
    assert_eq!(fetch.errcode(), Some(Errcode(40013)));
    assert_eq!(fetch.hint(), Some("1620808383_162_ab"));
    assert_eq!(
        fetch.to_string(),
        "update_contact_way: no token: gettoken: errcode 40013 (tenant)"
    );

    let errcode = Errcode::BAD_SECRET;
    let breaker = of(NoToken::Breaker {
        retry_after: wait,
        errcode,
    });
    assert_eq!(
        (breaker.class(), breaker.retry_after()),
        (Class::Tenant, Some(wait))
    );

    let many = of(NoToken::TooMany { retry_after: wait });
    assert_eq!(
        (many.class(), many.retry_after()),
        (Class::Throttled, Some(wait))
    );

    for transient in [
        of(NoToken::Late { patience: wait }),
        of(NoToken::Suite("x".into())),
    ] {
        assert_eq!(transient.class(), Class::Transient, "{transient}");
    }
}

#[test]
fn only_what_was_sent_and_not_refused_may_have_been_applied() {
    let unreadable = Unreadable {
        status: 502,
        why: "the status is not 200",
    };
    let invalid = Invalid::new("user", 0, "1 to 100");
    let wait = Duration::from_secs(1);
    for (kind, applied) in [
        (Kind::Lost("reset".into()), true),
        (Kind::NotConnected("refused".into()), false),
        (Kind::Unreadable(unreadable), true),
        (Kind::PartlyApplied { hint: None }, true),
        (Kind::Invalid(invalid), false),
        (Kind::Limited { retry_after: wait }, false),
        (Kind::Shared("down".into()), false),
        (Kind::NoToken(NoToken::TooMany { retry_after: wait }), false),
    ] {
        let error = Error::new(UPDATE, kind);
        assert_eq!(error.may_have_been_applied(), applied, "{error}");
    }
    assert!(!refused(UPDATE, 40098).may_have_been_applied());
}
