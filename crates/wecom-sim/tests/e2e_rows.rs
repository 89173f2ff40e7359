//! Faults that people who do this job have reported, and that show only when a client and WeCom meet. The names begin
//! with the id of the fault.

mod support;

use std::{
    collections::HashSet,
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::Full;
use serde_json::json;
use support::*;
use tokio::{task::JoinSet, time::sleep};
use tower::Service;
use wecom::{
    Action, Class, Client, Credential, Errcode, Error, Transport,
    api::{
        AddContactWay, BatchEntry, BatchGetByUser, ConfigId, ExternalUserId, GetExternalContact,
        ListContactWay, Members, Parties, PartyId, Patch, Remark, Scene, UnfitMember,
        UpdateContactWay, Users,
    },
    callback::{ContactChange, Event},
    limit::Limits,
};
use wecom_sim::{
    ReplyBody, Reset, SimService,
    profile::{AddEvents, Department, EmptyUser, Fault, FaultKind, Member, MemberFlag, TokenMode},
    world::{Corp, NewRelation},
};

#[tokio::test(start_paused = true)]
async fn t2_a_fetch_that_was_given_up_and_kills_the_next_token_later_is_got_over() {
    let vendor = Vendor::with(|profile| profile.tokens.mode = TokenMode::RotatingOldDead);
    // WeCom gives a token out 9 s after it was asked, when the client has long asked again.
    let late = FaultKind::Latency {
        median_ms: 9000.0,
        p99_ms: 9000.0,
    };
    vendor.faults([fault(GET_TOKEN, 1, late)]);
    let client = vendor.client(CORP);
    let code = vendor.code(CORP);
    let error = client.get_contact_way(&code).await.unwrap_err();
    assert_eq!(error.class(), Class::Transient, "{error}");
    sleep(secs(1)).await;
    while vendor.clock.now() < secs(30) {
        client.get_contact_way(&code).await.unwrap();
        sleep(millis(100)).await;
    }
    assert_eq!(
        vendor.fetches(CORP),
        3,
        "given up, fetched, and replaced once"
    );
    assert_eq!(vendor.answered(CORP, GET, 40014), 1);
}

#[tokio::test(start_paused = true)]
async fn t7_a_slow_refresh_slows_no_call() {
    let slow = FaultKind::Latency {
        median_ms: 4000.0,
        p99_ms: 4500.0,
    };
    let vendor = Vendor::with(|profile| {
        profile.tokens.mode = TokenMode::RotatingOldValid;
        profile.faults = vec![fault(GET_TOKEN, u64::MAX, slow)];
    });
    let client = vendor.client(CORP);
    let code = vendor.code(CORP);
    client.get_contact_way(&code).await.unwrap();
    while vendor.clock.now() < secs(3 * 7200) {
        let begun = vendor.clock.now();
        client.get_contact_way(&code).await.unwrap();
        assert_eq!(
            vendor.clock.now(),
            begun,
            "no call waits for the next token"
        );
        sleep(secs(3)).await;
    }
    assert_eq!(vendor.fetches(CORP), 4);
}

#[tokio::test(start_paused = true)]
async fn w1_a_read_that_fails_is_never_an_empty_or_a_shorter_list() {
    let kinds = [
        FaultKind::Busy,
        FaultKind::Reset,
        FaultKind::Html502,
        FaultKind::TimeoutAfter,
        FaultKind::Errcode { errcode: 45033 },
        FaultKind::Errcode { errcode: 45009 },
        FaultKind::Errcode { errcode: 40058 },
    ];
    for what in kinds {
        let vendor = Vendor::new();
        let client = vendor.client(CORP);
        vendor.codes(CORP, 25);
        let call = || ListContactWay::new().limit(10).unwrap();
        let mut ids = client.contact_ways(call());
        for _ in 0..10 {
            ids.next().await.unwrap().unwrap();
        }
        // The second page, and every list that members are held against.
        vendor.faults([
            fault("list_contact_way", 1, what.clone()),
            fault("get_follow_user_list", 1, what.clone()),
            fault("batch/get_by_user", 1, what.clone()),
        ]);
        let failed = ids.next().await.unwrap();
        assert!(failed.is_err(), "{what:?}: {failed:?}");
        assert!(client.find_unfit(&[member(1)]).await.is_err(), "{what:?}");
        let mut customers = client.customers(BatchGetByUser::new(Users::one(member(1))));
        assert!(customers.next().await.unwrap().is_err(), "{what:?}");

        // Where it stopped it goes on, and nothing is missing then.
        sleep(secs(3700)).await;
        vendor.faults([]);
        let cursor = String::from(ids.cursor().unwrap());
        let mut rest = client.contact_ways(call().from_cursor(cursor).unwrap());
        let mut count = 0;
        while let Some(id) = rest.next().await {
            id.unwrap();
            count += 1;
        }
        assert_eq!(count, 15, "{what:?}");
    }
}

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
        let vendor = Vendor::with(|profile| profile.corps[0].more_members = 100);
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
async fn w3_a_member_who_is_merely_full_is_found_by_no_read_and_the_list_stays() {
    let vendor = Vendor::new();
    vendor.corp(CORP).set_flag("m2", MemberFlag::Full);
    let code = vendor.code(CORP);
    let client = vendor.client(CORP);
    let users = Users::new([member(2), member(3)]).unwrap();
    let error = push(&client, &code, &users).await.unwrap_err();
    assert_eq!(error.errcode(), Some(Errcode(40099)));
    assert_eq!(error.class(), Class::Member);
    assert_eq!(vendor.users(CORP, &code), ["m1"]);
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

#[tokio::test(start_paused = true)]
async fn w7_what_is_lost_can_be_found_among_all_codes_and_put_to_use_again() {
    let vendor = Vendor::new();
    let client = vendor.client(CORP);
    vendor.codes(CORP, 2500);
    // A process that dies between the answer and its store: the ids are gone, the codes are not.
    let begun = vendor.clock.calendar();
    for number in 0..3 {
        let state = wecom::api::State::new(format!("lost-{number}")).unwrap();
        let add = AddContactWay::multi(Scene::QrCode, members([1])).state(state);
        client.add_contact_way(&add).await.unwrap();
    }
    let times = begun..vendor.clock.calendar() + secs(60);
    let patient = client.with_patience(secs(3600));
    let found = patient
        .find_contact_ways(times, |code| code.state.starts_with("lost-"))
        .await
        .unwrap();
    assert_eq!(found.len(), 3);
    for orphan in &found {
        client.del_contact_way(&orphan.config_id).await.unwrap();
    }
    assert_eq!(vendor.corp(CORP).code_count(), 2500);
}

#[tokio::test(start_paused = true)]
async fn w8_a_secret_that_turns_wrong_and_is_mended_costs_a_few_fetches() {
    let vendor = Vendor::new();
    let client = vendor.client(CORP);
    let code = vendor.code(CORP);
    client.get_contact_way(&code).await.unwrap();
    // The administrator makes a new secret: the old one and its tokens are worth nothing.
    vendor.corp(CORP).set_secret("new");
    vendor.corp(CORP).kill_tokens();
    let until = vendor.clock.now() + secs(3600);
    while vendor.clock.now() < until {
        let error = client.get_contact_way(&code).await.unwrap_err();
        assert_eq!(error.action(), Action::PauseTenant, "{error}");
        sleep(secs(1)).await;
    }
    let tried = vendor.answered(CORP, GET_TOKEN, 40001);
    assert!((2..=8).contains(&tried), "{tried}");
    // A client with the new secret does not wait for what the old one has earned.
    let credential = Credential::app(CORP, "new").unwrap();
    let mended = vendor.on(Client::builder(credential).clock(vendor.clock));
    mended.get_contact_way(&code).await.unwrap();
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

#[tokio::test(start_paused = true)]
async fn w2_what_one_tenant_has_learnt_is_not_held_against_another() {
    let vendor = Vendor::with(|profile| profile.corps.push(enterprise("ww2")));
    let limiter = local(Limits::default());
    let first = vendor.on(vendor.builder(CORP).limiter(Arc::clone(&limiter)));
    let second = vendor.on(vendor.builder("ww2").limiter(limiter));
    let (code, theirs) = (vendor.code(CORP), vendor.code("ww2"));
    let over = Fault {
        corp: Some(String::from(CORP)),
        ..fault(UPDATE, 1, FaultKind::Errcode { errcode: 45009 })
    };
    vendor.faults([over]);
    assert!(lead_to(&first, &code, [2]).await.is_err());
    let impatient = first.with_patience(secs(1));
    assert!(lead_to(&impatient, &code, [2]).await.is_err(), "blocked");
    // Neither another tenant nor another API of the same one waits.
    let begun = vendor.clock.now();
    for _ in 0..20 {
        lead_to(&second, &theirs, [2]).await.unwrap();
        first.get_contact_way(&code).await.unwrap();
    }
    assert_eq!(vendor.clock.now(), begun);
    assert_eq!(
        vendor.traffic(CORP, UPDATE).calls,
        1,
        "nothing is sent into a block"
    );
}

/// A vendor whose callbacks go to this platform.
fn told(change: impl FnOnce(&mut wecom_sim::Profile)) -> (Vendor, Platform) {
    let vendor = Vendor::with(|profile| {
        profile.corps[0].callback = Some(address("http://127.0.0.1:9/callback"));
        change(profile);
    });
    let platform = Platform::default();
    let router = platform.router(vendor.clock);
    vendor.sim.parts().sender().to_service(router);
    (vendor, platform)
}

async fn settled(vendor: &Vendor) {
    vendor.sim.parts().sender().settled(CORP).await;
}

#[tokio::test(start_paused = true)]
async fn c2_a_thousand_customers_in_one_second_are_counted_to_the_last() {
    let (vendor, platform) = told(|profile| profile.callbacks.adds = AddEvents::Full);
    let client = vendor.client(CORP);
    let state = wecom::api::State::new("door").unwrap();
    let add = AddContactWay::multi(Scene::QrCode, members(1..=10)).state(state);
    let code = client.add_contact_way(&add).await.unwrap().config_id;
    let scans = vendor
        .sim
        .parts()
        .scanner()
        .burst(CORP, code.as_str(), 1000);
    assert_eq!(scans.unwrap().len(), 1000);
    settled(&vendor).await;
    let kept = platform.kept();
    assert_eq!((kept.delivered, kept.log.len()), (1000, 1000));
    assert_eq!(kept.customers, [(String::from("door"), 1000)].into());
    assert_eq!(vendor.corp(CORP).relations().len(), 1000);
}

#[tokio::test(start_paused = true)]
async fn c5_a_customer_counts_once_whether_one_or_both_of_the_events_come() {
    for (adds, lost) in [
        (AddEvents::Full, 0.0),
        (AddEvents::Half, 0.0),
        (AddEvents::Both, 0.0),
        (AddEvents::Both, 0.3),
    ] {
        let (vendor, platform) = told(|profile| {
            profile.callbacks.adds = adds;
            profile.callbacks.lost = lost;
            profile.callbacks.duplicates = 0.2;
            profile.callbacks.reordered = 0.2;
        });
        let code = vendor.code(CORP);
        let scanner = vendor.sim.parts().scanner();
        let scans = scanner.burst(CORP, code.as_str(), 200).unwrap();
        settled(&vendor).await;
        let kept = platform.kept();
        let counted: u64 = kept.customers.values().sum();
        // Those of whom at least one event came.
        let told: HashSet<&str> = kept.log.iter().filter_map(customer).collect();
        assert_eq!(
            usize::try_from(counted).unwrap(),
            told.len(),
            "{adds:?} {lost}"
        );
        let counts = vendor.sim.parts().sender().counts(CORP).unwrap();
        assert!(counts.duplicated > 0, "seed {SEED}: {counts:?}");
        if lost == 0.0 {
            assert_eq!(counted, 200, "{adds:?}");
        } else {
            assert!((150..200).contains(&counted), "seed {SEED}: {counted}");
            // What callbacks do not tell, the reads of customers do.
            let client = vendor.client(CORP);
            let mut entries = client.customers(BatchGetByUser::new(Users::one(member(1))));
            let mut read = 0;
            while let Some(entry) = entries.next().await {
                read += usize::from(matches!(entry.unwrap(), BatchEntry::Customer(_)));
            }
            assert_eq!(read, scans.len());
        }
    }
}

fn customer(event: &Event) -> Option<&str> {
    match event {
        Event::Contact(contact) => Some(contact.external_user.as_str()),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn c4_a_read_that_lags_behind_a_removal_is_not_the_last_word() {
    let (vendor, platform) = told(|profile| profile.contact_ways.read_lag_s = 60);
    let client = vendor.client(CORP);
    let relation = NewRelation {
        external_userid: "wm1",
        userid: "m1",
        state: "door",
        add_way: 1,
        createtime: START.as_secs(),
    };
    vendor.corp(CORP).add_relation(relation).unwrap();
    let body = json!({"external_userid": "wm1", "userid": "m1", "by": "customer"});
    let path = format!("/admin/corps/{CORP}/customers/remove");
    vendor.admin(Method::POST, &path, &body).await;
    settled(&vendor).await;

    let log = platform.kept().log;
    let [Event::Contact(contact)] = &log[..] else {
        panic!("{log:?}");
    };
    assert_eq!(contact.change, ContactChange::RemovedByCustomer);
    // The event is right, and the read that is made at once is not: it still names the member.
    let call = GetExternalContact::new(ExternalUserId::new("wm1").unwrap());
    let page = client.get_external_contact(&call).await.unwrap();
    assert_eq!(page.follow_user.len(), 1);
    assert_eq!(page.follow_user[0].userid, member(1));
    // Looked at again later it agrees.
    sleep(secs(61)).await;
    let later = client.get_external_contact(&call).await;
    let gone = match &later {
        Ok(page) => page.follow_user.is_empty(),
        Err(error) => error.errcode() == Some(Errcode(84061)),
    };
    assert!(gone, "{later:?}");
}

#[tokio::test(start_paused = true)]
async fn c8_a_member_who_is_disabled_is_told_of_by_nobody_and_found_by_reads() {
    let (vendor, platform) = told(|_| {});
    let client = vendor.client(CORP);
    let code = vendor.code(CORP);
    lead_to(&client, &code, [1, 2]).await.unwrap();
    let path = format!("/admin/corps/{CORP}/members/m2");
    vendor
        .admin(Method::PATCH, &path, &json!({"flag": ["disabled"]}))
        .await;
    settled(&vendor).await;
    assert_eq!(platform.kept().delivered, 0, "no callback");
    // No push is refused for him either, and customers go to nobody.
    lead_to(&client, &code, [1, 2]).await.unwrap();
    let scans = vendor
        .sim
        .parts()
        .scanner()
        .burst(CORP, code.as_str(), 50)
        .unwrap();
    let to_him = scans
        .iter()
        .filter(|scan| scan.userid.as_deref() == Some("m2"));
    let to_him: Vec<_> = to_him.collect();
    assert!(to_him.len() > 10 && to_him.iter().all(|scan| !scan.is_added));

    let list = [member(1), member(2)];
    let unfit = client.find_unfit(&list).await.unwrap();
    let found: Vec<&str> = unfit.iter().map(|one| one.userid.as_str()).collect();
    assert_eq!(found, ["m2"]);
    lead_to(&client, &code, [1]).await.unwrap();
    let scans = vendor
        .sim
        .parts()
        .scanner()
        .burst(CORP, code.as_str(), 50)
        .unwrap();
    assert!(scans.iter().all(|scan| scan.is_added));
}

#[tokio::test(start_paused = true)]
async fn c1_two_changes_of_one_second_are_two_events_and_a_repetition_is_none() {
    let (vendor, platform) = told(|profile| profile.callbacks.duplicates = 1.0);
    let body = json!({"userid": "new1"});
    vendor
        .admin(Method::POST, "/admin/corps/ww1/members", &body)
        .await;
    let moved = json!({"userid": "new2"});
    vendor
        .admin(Method::PATCH, "/admin/corps/ww1/members/new1", &moved)
        .await;
    settled(&vendor).await;
    let kept = platform.kept();
    assert_eq!((kept.delivered, kept.log.len()), (4, 2), "{:?}", kept.log);
    assert!(
        kept.log
            .iter()
            .all(|event| matches!(event, Event::Directory(_)))
    );
}

#[tokio::test(start_paused = true)]
async fn c3_an_event_whose_handler_is_too_slow_comes_again_and_counts_once() {
    let (vendor, platform) = told(|profile| profile.callbacks.adds = AddEvents::Full);
    let code = vendor.code(CORP);
    platform.next_ones(&[Does::After(secs(8))]);
    vendor
        .sim
        .parts()
        .scanner()
        .scan(CORP, code.as_str())
        .unwrap();
    settled(&vendor).await;
    sleep(secs(10)).await;
    let kept = platform.kept();
    let counts = vendor.sim.parts().sender().counts(CORP).unwrap();
    assert_eq!((counts.answered, counts.retried), (1, 1), "{counts:?}");
    assert_eq!((kept.delivered, kept.log.len()), (2, 1));
    assert_eq!(kept.customers.values().sum::<u64>(), 1);
}

#[tokio::test(start_paused = true)]
async fn w1_many_readers_and_writers_at_once_lose_nothing() {
    let vendor = Vendor::with(|profile| {
        profile.faults = vec![
            latencies(30.0, 300.0),
            Fault {
                share: 0.05,
                ..Fault::always(FaultKind::Busy)
            },
        ];
    });
    let client = vendor.client(CORP).with_patience(secs(600));
    let codes = vendor.codes(CORP, 300);
    let mut work = JoinSet::new();
    for code in codes.clone() {
        let client = client.clone();
        work.spawn(async move {
            let list = loop {
                match client.get_contact_way(&code).await {
                    Ok(way) => break way.user,
                    Err(error) => assert_eq!(error.action(), Action::Repeat, "{error}"),
                }
            };
            assert_eq!(list, [member(1)], "an errored read is no empty list");
            while let Err(error) = lead_to(&client, &code, [1, 2]).await {
                assert_eq!(error.action(), Action::Repeat, "{error}");
            }
            Ok::<_, Infallible>(())
        });
    }
    for done in work.join_all().await {
        done.unwrap();
    }
    assert!(
        codes
            .iter()
            .all(|code| vendor.users(CORP, code) == ["m1", "m2"])
    );
    for api in [GET, UPDATE] {
        assert_eq!(vendor.traffic(CORP, api).over_concurrency, 0, "{api}");
    }
}
