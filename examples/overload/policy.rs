//! The four ways to meet an overload that are compared, each in the lines a user would write.

use axum::{Router, error_handling::HandleErrorLayer, http::StatusCode};
use tower::{BoxError, ServiceBuilder, limit::GlobalConcurrencyLimitLayer};

use super::{caller::Caller, connections::Connections};

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

/// Requests that tower's limit lets in at a time.
const TOWER_LIMIT: usize = 16;

/// Callers that share the load, each with its own idea of the service's level.
const CALLERS: usize = 2;

impl Policy {
    pub(crate) const ALL: [Self; 2] = [Self::None, Self::Tower];

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

    /// Returns the service behind the policy.
    pub(crate) fn protect(self, app: Router) -> Result<Router, BoxError> {
        Ok(match self {
            Self::None => app,
            Self::Tower => app.layer(
                ServiceBuilder::new()
                    .layer(HandleErrorLayer::new(|_: BoxError| async {
                        StatusCode::SERVICE_UNAVAILABLE
                    }))
                    .load_shed()
                    .layer(GlobalConcurrencyLimitLayer::new(TOWER_LIMIT)),
            ),
            Self::DagorCallee | Self::Dagor => app,
        })
    }

    /// Returns the callers, all over the same connections.
    pub(crate) fn callers(self, connections: &Connections) -> Vec<Caller> {
        (0..CALLERS)
            .map(|_| match self {
                Self::None | Self::Tower | Self::DagorCallee | Self::Dagor => {
                    Caller::new(connections.clone())
                }
            })
            .collect()
    }
}
