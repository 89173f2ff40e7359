//! The way of a call, from the door to the answer.

use std::{future, net::IpAddr, sync::Arc};

use bytes::Bytes;
use http::{Method, Uri};

use super::{
    Api, Reply, contact_way,
    context::{Answer, Context},
    customers, directory,
    plan::{Instead, Plan},
    query, refusal, tokens,
};
use crate::{
    profile::ConflictMode,
    service::Reset,
    world::{Admission, Corp, Flight, Limits, Settings, World},
};

/// A request, read to its end.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    /// Absent: larger than is read.
    pub(crate) body: Option<Bytes>,
    pub(crate) ip: IpAddr,
}

/// A request that is one of the calls.
pub(crate) struct Call {
    pub(crate) world: World,
    /// As they were when it came.
    pub(crate) settings: Arc<Settings>,
    pub(crate) api: Api,
    pub(crate) body: Bytes,
    pub(crate) ip: IpAddr,
    method: Method,
    uri: Uri,
}

/// Whose call it is, and whether it was let in.
struct Caller {
    corp: Arc<Corp>,
    token: Result<(), i64>,
    flight: Option<Flight>,
}

/// How a call ended.
enum End {
    Reply(Reply),
    Reset,
    Silence,
}

/// Answers a request, or never does.
pub(crate) async fn answer(world: World, request: Incoming) -> Result<Reply, Reset> {
    let Some(api) = Api::of_path(request.uri.path()) else {
        return Ok(Reply::not_found());
    };
    let Some(body) = request.body else {
        return Ok(Reply::json(refusal::body(
            40206,
            world.shared(),
            request.ip,
        )));
    };
    let call = Call {
        settings: world.settings(),
        world,
        api,
        body,
        ip: request.ip,
        method: request.method,
        uri: request.uri,
    };
    let end = match call.enter() {
        Err(Shut::Blocked(errcode)) => call.refused(errcode),
        Err(Shut::Unknown(errcode)) => call.go(None, Err(errcode)).await,
        Ok(caller) => call.go(Some(caller), Ok(())).await,
    };
    match end {
        End::Reply(reply) => Ok(reply),
        End::Reset => Err(Reset),
        End::Silence => future::pending().await,
    }
}

/// Why a call was not let in.
enum Shut {
    /// By a window or the concurrency: answered at once, and no fault befalls it.
    Blocked(i64),
    /// It is nobody's.
    Unknown(i64),
}

// === impl Call ===

impl Call {
    pub(crate) fn query(&self) -> &str {
        self.uri.query().unwrap_or_default()
    }

    pub(crate) fn method_fits(&self) -> Result<(), i64> {
        let due = if self.api.is_post() {
            Method::POST
        } else {
            Method::GET
        };
        if self.method == due {
            Ok(())
        } else {
            Err(40058)
        }
    }

    /// Whether it asks to be looked at in WeCom's debugging tool.
    fn is_debug(&self) -> bool {
        query::value(self.query(), "debug").as_deref() == Some("1")
    }

    /// Lets the call in, or not.
    fn enter(&self) -> Result<Caller, Shut> {
        let found = self.find();
        let known = found.as_ref().ok().map(|(corp, _)| Arc::clone(corp));
        if let Err(errcode) = self.enter_by_ip(known.as_deref()) {
            if let Some(corp) = known {
                Flight::refuse(&corp, self.api, errcode);
            }
            return Err(Shut::Blocked(errcode));
        }
        let (corp, token) = found.map_err(Shut::Unknown)?;
        if token.is_ok() && self.is_debug() {
            let limits = Limits::of_debug(&self.settings.windows, self.world.shared().began);
            if !corp.admit_debug(&limits) {
                Flight::refuse(&corp, self.api, 45009);
                return Err(Shut::Blocked(45009));
            }
        }
        let flight = match token {
            Ok(()) => Some(Flight::begin(&corp, &self.admission()).map_err(Shut::Blocked)?),
            Err(_) => None,
        };
        Ok(Caller {
            corp,
            token,
            flight,
        })
    }

    /// Returns whose call it is and what is wrong with its token.
    fn find(&self) -> Result<(Arc<Corp>, Result<(), i64>), i64> {
        if matches!(self.api, Api::GetToken | Api::GetCorpToken) {
            return tokens::corp(self).map(|corp| (corp, Ok(())));
        }
        let token = query::value(self.query(), "access_token").filter(|token| !token.is_empty());
        let (corp, serial) = self.world.token(&token.ok_or(41001)?).ok_or(40014)?;
        let token = corp.check_token(serial, &self.settings.tokens);
        Ok((corp, token))
    }

    fn enter_by_ip(&self, corp: Option<&Corp>) -> Result<(), i64> {
        let (windows, began) = (&self.settings.windows, self.world.shared().began);
        let provider = corp.is_some_and(Corp::is_provider_s);
        let limits = if provider {
            Limits::of_provider(windows, began)
        } else {
            Limits::of_ip(windows, began)
        };
        // Without a limit nothing is counted: the caller's lock is shared by all enterprises.
        if limits.is_none() {
            return Ok(());
        }
        let shared = self.world.shared();
        let admitted = self
            .world
            .callers()
            .with(self.ip, shared.now_ns(), |caller| {
                caller.admit(self.api, provider, shared.now_ns(), &limits)
            });
        admitted.map_err(|_| 45009)
    }

    fn admission(&self) -> Admission {
        let windows = &self.settings.windows;
        Admission {
            api: self.api,
            limits: Limits::of_corp(windows, self.world.shared().began),
            concurrency: windows.concurrency,
        }
    }

    /// Lets the call take its time, and does it.
    async fn go(self, mut caller: Option<Caller>, known: Result<(), i64>) -> End {
        let corp = caller.as_ref().map_or("", |caller| caller.corp.id());
        let faults = self.world.faults().draw(corp, self.api.name());
        let plan = Plan::of(&faults);
        if plan.latency.is_zero() {
            return self.finish(caller, known, &plan);
        }
        if let Some(caller) = &mut caller {
            self.note_write(caller);
        }
        // A task of its own: a caller that goes away meanwhile does not undo its call.
        let work = tokio::spawn(async move {
            tokio::time::sleep(plan.latency).await;
            self.finish(caller, known, &plan)
        });
        work.await.unwrap_or(End::Reset)
    }

    /// Notes the code that a call will take its time to change.
    fn note_write(&self, caller: &mut Caller) {
        let writes = matches!(self.api, Api::UpdateContactWay | Api::DelContactWay);
        if !writes || self.settings.contact_ways.conflict == ConflictMode::LastToEnd {
            return;
        }
        let index = contact_way::target(&self.body)
            .and_then(|config_id| caller.corp.code_index(config_id.as_str()));
        if let (Some(flight), Some(index)) = (&mut caller.flight, index) {
            flight.writes(index);
        }
    }

    /// Does the call and answers it.
    fn finish(&self, caller: Option<Caller>, known: Result<(), i64>, plan: &Plan) -> End {
        let answer = match plan.instead {
            Some(Instead::Silence) => return End::Silence,
            Some(Instead::Reset) => return End::Reset,
            Some(Instead::Html502) => return End::Reply(Reply::bad_gateway()),
            Some(Instead::Errcode(errcode)) => Err(errcode),
            None => match (&caller, known) {
                (Some(caller), Ok(())) => self.work(caller, plan),
                (_, known) => Err(known.err().unwrap_or(-1)),
            },
        };
        if plan.unanswered {
            return End::Silence;
        }
        self.count(caller, answer.as_ref().err().copied().unwrap_or_default());
        let body =
            answer.unwrap_or_else(|errcode| refusal::body(errcode, self.world.shared(), self.ip));
        End::Reply(Reply {
            bytes_per_s: plan.bytes_per_s,
            ..Reply::json(body)
        })
    }

    fn count(&self, caller: Option<Caller>, errcode: i64) {
        match caller {
            Some(Caller {
                flight: Some(flight),
                ..
            }) => flight.end(errcode),
            Some(Caller { corp, .. }) => Flight::refuse(&corp, self.api, errcode),
            None => {}
        }
    }

    fn work(&self, caller: &Caller, plan: &Plan) -> Answer {
        let context = Context {
            call: self,
            corp: &caller.corp,
            token: caller.token,
            flight: caller.flight.as_ref(),
            plan,
        };
        match self.api {
            Api::GetToken | Api::GetCorpToken => tokens::give(&context),
            Api::AddContactWay => contact_way::add(&context),
            Api::GetContactWay => contact_way::get(&context),
            Api::ListContactWay => contact_way::list(&context),
            Api::UpdateContactWay => contact_way::update(&context),
            Api::DelContactWay => contact_way::del(&context),
            Api::CloseTempChat => customers::close_temp_chat(&context),
            Api::GetExternalContact => customers::get(&context),
            Api::GetByUser => customers::get_by_user(&context),
            Api::GetFollowUserList => directory::follow_users(&context),
            Api::GetUser => directory::user(&context),
            Api::ListDepartments => directory::departments(&context),
            Api::GetCallbackIp => directory::callback_ip(&context),
        }
    }

    fn refused(&self, errcode: i64) -> End {
        End::Reply(Reply::json(refusal::body(
            errcode,
            self.world.shared(),
            self.ip,
        )))
    }
}
