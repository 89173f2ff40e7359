//! The four ways to meet an overload that are compared, each in the lines that a user writes.

use axum::{
    Router,
    error_handling::HandleErrorLayer,
    http::{Response, StatusCode},
};
use dagor::{Admission, client::Callee};
use tower::{BoxError, ServiceBuilder, limit::GlobalConcurrencyLimitLayer};

use super::{
    caller::Caller,
    connections::{Connections, ResponseBody},
};

/// What stands between an overload and the service.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Policy {
    /// Nothing.
    None,
    /// tower's concurrency limit and load shed.
    Tower,
    /// dagor at the service alone.
    DagorCallee,
    /// dagor at the service and at its callers.
    Dagor,
}

/// A service behind its policy.
#[derive(Debug)]
pub(crate) struct Protected {
    pub(crate) app: Router,
    /// Sees the waits in the sockets, where there is one.
    pub(crate) admission: Option<Admission>,
}

/// Requests that tower's limit lets in at a time: what keeps the service busy when its capacity is found.
const TOWER_LIMIT: usize = 16;

/// Callers that share the load, each with its own idea of the service's level.
const CALLERS: usize = 2;

impl Policy {
    pub(crate) const ALL: [Self; 4] = [Self::None, Self::Tower, Self::DagorCallee, Self::Dagor];

    /// Returns the service behind the policy.
    pub(crate) fn protect(self, app: Router) -> Result<Protected, BoxError> {
        Ok(match self {
            Self::None => Protected {
                app,
                admission: None,
            },
            Self::Tower => Protected {
                app: app.layer(
                    ServiceBuilder::new()
                        .layer(HandleErrorLayer::new(|_: BoxError| async {
                            StatusCode::SERVICE_UNAVAILABLE
                        }))
                        .load_shed()
                        .layer(GlobalConcurrencyLimitLayer::new(TOWER_LIMIT)),
                ),
                admission: None,
            },
            Self::DagorCallee | Self::Dagor => {
                let admission = Admission::builder("overload").build()?;
                Protected {
                    app: app.layer(admission.layer()),
                    admission: Some(admission),
                }
            }
        })
    }

    /// Returns the callers, all over the same connections.
    pub(crate) fn callers(self, connections: &Connections) -> Vec<Caller> {
        let caller = || {
            let connections = connections.clone();
            let callee = Callee::new("overload");
            match self {
                Self::None | Self::Tower => Caller::new(connections),
                // Says whom it calls for, but is deaf to the level that comes back.
                Self::DagorCallee => Caller::new(
                    ServiceBuilder::new()
                        .layer(callee.layer())
                        .map_response(without_level)
                        .service(connections),
                ),
                Self::Dagor => Caller::new(
                    ServiceBuilder::new()
                        .layer(callee.layer())
                        .service(connections),
                ),
            }
        };
        (0..CALLERS).map(|_| caller()).collect()
    }

    /// Returns the name in arguments, tables and files.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Tower => "tower",
            Self::DagorCallee => "dagor-callee",
            Self::Dagor => "dagor",
        }
    }

    /// Returns what it is, in a few words.
    pub(crate) const fn about(self) -> &'static str {
        match self {
            Self::None => "no control",
            Self::Tower => "tower: limit + load shed",
            Self::DagorCallee => "dagor, service only",
            Self::Dagor => "dagor, callers withhold",
        }
    }
}

fn without_level(mut response: Response<ResponseBody>) -> Response<ResponseBody> {
    response.headers_mut().remove("dagor-level");
    response
}
