//! Lists of a code: members who are not fit, lists that are empty or too long.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use tower::Service;
use wecom::{
    Action, Class, Client, Errcode, Error, Transport,
    api::{
        ConfigId, Members, Parties, PartyId, Patch, Remark, Scratch, Unfit, UnfitMember,
        UpdateContactWay, Users,
    },
};
use wecom_sim::{
    ReplyBody, Reset, SimService,
    profile::{Department, EmptyUser, Member, MemberFlag},
    world::Corp,
};

use crate::support::*;

/// A transport that notes each list that a code has ever had.
#[derive(Clone)]
struct Watched {
    inner: SimService,
    corp: Arc<Corp>,
    code: ConfigId,
    seen: Arc<Mutex<Vec<Vec<String>>>>,
}

// === impl Watched ===

impl Watched {
    fn new(vendor: &Vendor, code: &ConfigId) -> Self {
        let seen = vec![vendor.users(CORP, code)];
        Self {
            inner: vendor.sim.service(),
            corp: vendor.corp(CORP),
            code: code.clone(),
            seen: Arc::new(Mutex::new(seen)),
        }
    }

    fn seen(&self) -> Vec<Vec<String>> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.clone()
    }

    fn look(&self) {
        let users = self.corp.code(self.code.as_str()).map(|code| code.users);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let users = users.unwrap_or_default();
        if seen.last() != Some(&users) {
            seen.push(users);
        }
    }
}

impl Service<Request<Full<Bytes>>> for Watched {
    type Response = Response<ReplyBody>;
    type Error = Reset;
    type Future = Pin<Box<dyn Future<Output = Result<Response<ReplyBody>, Reset>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Reset>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Full<Bytes>>) -> Self::Future {
        let this = self.clone();
        let answer = self.inner.call(request);
        Box::pin(async move {
            let answer = answer.await;
            this.look();
            answer
        })
    }
}

/// Pushes a list; if a member is not fit, finds out who, and pushes the rest.
async fn push<S: Transport>(
    client: &Client<S>,
    code: &ConfigId,
    users: &Users,
) -> Result<Vec<UnfitMember>, Error> {
    let update = UpdateContactWay::multi(code.clone()).user(users.clone());
    let Err(error) = client.update_contact_way(&update).await else {
        return Ok(Vec::new());
    };
    if error.action() != Action::CheckMembers {
        return Err(error);
    }
    let unfit = client.find_unfit(users.as_slice()).await?;
    let rest = users.without(|user| unfit.iter().any(|one| one.userid == *user));
    match rest {
        Some(rest) if rest.as_slice().len() < users.as_slice().len() => {
            let update = UpdateContactWay::multi(code.clone()).user(rest);
            client.update_contact_way(&update).await?;
            Ok(unfit)
        }
        _ => Err(error),
    }
}

#[tokio::test(start_paused = true)]
async fn w3_unfit_members_are_found_by_reads_and_the_code_never_has_half_a_list() {
    let flags = [
        MemberFlag::NotVerified,
        MemberFlag::NotActivated,
        MemberFlag::NoPermission,
        MemberFlag::Missing,
        MemberFlag::MissingAsInvalid,
        MemberFlag::Left,
        MemberFlag::OutOfScope,
        MemberFlag::NoPrivilege,
    ];
    for flag in flags {
        let vendor = Vendor::with(|profile| {
            profile.corps[0].more_members = 100;
            // Otherwise no read tells of the first of the flags.
            profile.contact_ways.unverified_may_follow = false;
        });
        for unfit in ["m17", "m60"] {
            assert!(vendor.corp(CORP).set_flag(unfit, flag));
        }
        let code = vendor.code(CORP);
        let watched = Watched::new(&vendor, &code);
        let client = vendor.builder(CORP).build_with(watched.clone()).unwrap();
        let users = Users::new((1..=100).map(member)).unwrap();
        let unfit = push(&client, &code, &users).await.unwrap();
        let ids: Vec<&str> = unfit.iter().map(|one| one.userid.as_str()).collect();
        assert_eq!(ids, ["m17", "m60"], "{flag:?}");

        let rest = (1..=100).filter(|number| ![17, 60].contains(number));
        let rest: Vec<String> = rest.map(|number| format!("m{number}")).collect();
        let lists = watched.seen();
        assert_eq!(lists, [vec![String::from("m1")], rest], "{flag:?}");
        assert_eq!(vendor.traffic(CORP, UPDATE).calls, 2, "{flag:?}");
        assert_eq!(
            vendor.traffic(CORP, ADD).calls,
            0,
            "{flag:?}: no scratch code either"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn w3_who_is_told_of_by_no_read_is_found_on_a_scratch_code_and_the_live_one_waits() {
    for (flag, errcode) in [(MemberFlag::NotVerified, 40098), (MemberFlag::Full, 40099)] {
        let vendor = Vendor::new();
        vendor.corp(CORP).set_flag("m2", flag);
        let code = vendor.code(CORP);
        let watched = Watched::new(&vendor, &code);
        let client = vendor.builder(CORP).build_with(watched.clone()).unwrap();
        let users = Users::new([member(2), member(3), member(4)]).unwrap();
        // By reads alone nobody is found, and so nothing is pushed.
        let error = push(&client, &code, &users).await.unwrap_err();
        assert_eq!(error.errcode(), Some(Errcode(errcode)));
        assert_eq!(error.class(), Class::Member);
        assert_eq!(vendor.users(CORP, &code), ["m1"]);

        let scratch = Scratch::shown_nowhere(vendor.code(CORP));
        let unfit = client.find_unfit_by_trial(&scratch, &users).await.unwrap();
        let ids: Vec<&str> = unfit.iter().map(|one| one.userid.as_str()).collect();
        assert_eq!(ids, ["m2"], "{flag:?}");
        assert_eq!(unfit[0].why, Unfit::Refused(Errcode(errcode)));
        lead_to(&client, &code, [3, 4]).await.unwrap();
        let lists = watched.seen();
        assert_eq!(lists, [vec!["m1"], vec!["m3", "m4"]], "{flag:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn w3_no_error_names_a_member() {
    let vendor = Vendor::new();
    vendor.corp(CORP).set_flag("m2", MemberFlag::NotVerified);
    let client = vendor.client(CORP);
    let error = lead_to(&client, &vendor.code(CORP), [2, 3])
        .await
        .unwrap_err();
    let told = format!("{error} {error:?}");
    assert!(!told.contains("m2") && !told.contains("m3"), "{told}");
    assert!(error.hint().is_some_and(|hint| !hint.is_empty()));
}

#[tokio::test(start_paused = true)]
async fn w5_whatever_wecom_makes_of_an_empty_list_no_update_ever_empties_one() {
    for empty_user in [EmptyUser::Keep, EmptyUser::Clear, EmptyUser::Refuse] {
        let vendor = Vendor::with(|profile| {
            profile.contact_ways.empty_user = empty_user;
            profile.corps[0].departments = vec![Department {
                id: 2,
                name: String::from("sales"),
                parent: 1,
            }];
        });
        let client = vendor.client(CORP);
        let code = vendor.code(CORP);
        let nobody = Users::one(member(1)).without(|_| true);
        assert_eq!(nobody, None, "there is no list of nobody");

        // A field that is left is left, one that is cleared is cleared.
        let update = UpdateContactWay::multi(code.clone()).remark(Remark::new("a").unwrap());
        client.update_contact_way(&update).await.unwrap();
        assert_eq!(vendor.users(CORP, &code), ["m1"], "{empty_user:?}");

        let both = members([2]).and_parties(Parties::one(PartyId::new(2).unwrap()));
        let update = UpdateContactWay::multi(code.clone())
            .members(&both)
            .unwrap();
        client.update_contact_way(&update).await.unwrap();
        let update = UpdateContactWay::multi(code.clone()).remark(Patch::Clear);
        client
            .update_contact_way(&update.party(Patch::Clear))
            .await
            .unwrap();
        let view = vendor.corp(CORP).code(code.as_str()).unwrap();
        assert_eq!(
            (view.users, view.parties),
            (vec![String::from("m2")], Vec::new())
        );
        assert_eq!(view.remark, "", "{empty_user:?}");

        // Departments alone would have to empty the list of users: refused before it is sent.
        let alone = Members::parties(Parties::one(PartyId::new(2).unwrap()));
        let refused = UpdateContactWay::multi(code.clone()).members(&alone);
        assert_eq!(refused.unwrap_err().field(), "user", "{empty_user:?}");
    }
}

/// An enterprise of 130 members: `m1` to `m10` in the root alone, 120 more in department 2.
fn crowded() -> Vendor {
    Vendor::with(|profile| {
        profile.corps[0].departments = vec![Department {
            id: 2,
            name: String::from("sales"),
            parent: 1,
        }];
        profile.corps[0].members = (0..120)
            .map(|number| Member {
                userid: format!("s{number:03}"),
                departments: vec![2],
                ..Member::default()
            })
            .collect();
    })
}

#[tokio::test(start_paused = true)]
async fn w9_a_list_that_is_too_long_with_its_departments_is_cut_before_it_is_sent() {
    let vendor = crowded();
    let client = vendor.client(CORP);
    let code = vendor.code(CORP);
    let party = PartyId::new(2).unwrap();
    let wanted = members([3, 1]).and_parties(Parties::one(party));
    let update = |members: &Members| {
        UpdateContactWay::multi(code.clone())
            .members(members)
            .unwrap()
    };
    let error = client
        .update_contact_way(&update(&wanted))
        .await
        .unwrap_err();
    assert_eq!(error.errcode(), Some(Errcode(41041)));
    assert_eq!(error.action(), Action::Fix);

    let of_party = |id: PartyId| {
        let all = vendor.corp(CORP).members().into_iter();
        let there = all.filter(move |member| member.departments.contains(&id.get()));
        Some(there.map(|member| wecom::api::UserId::new(member.userid).unwrap()))
    };
    let expansion = wanted.expand(of_party).unwrap();
    assert_eq!((expansion.as_slice().len(), expansion.excess()), (122, 22));
    client
        .update_contact_way(&update(&expansion.fitting()))
        .await
        .unwrap();
    let users = vendor.users(CORP, &code);
    assert_eq!(users.len(), 100);
    assert_eq!(users[..3], ["m3", "m1", "s000"]);
    assert_eq!(users[99], "s097");
}
