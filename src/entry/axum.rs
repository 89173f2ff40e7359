//! Where axum notes who is connected.

use std::net::SocketAddr;

use axum::extract::ConnectInfo;
use http::Extensions;

/// Returns the peer's address, if the server was made with `into_make_service_with_connect_info`.
pub(super) fn peer(extensions: &Extensions) -> Option<SocketAddr> {
    let info = extensions.get::<ConnectInfo<SocketAddr>>()?;
    Some(info.0)
}
