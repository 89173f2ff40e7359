//! Where WeCom is: an address that calls go below.
//!
//! Looked at when a client is made, so that a mistake in it is told by its name and not by every call.

use std::net::Ipv6Addr;

use http::uri::Authority;

use crate::error::Invalid;

/// Longest base address, in bytes: far from the 65,534 that an address may have with path and query.
const LONGEST: usize = 2048;

/// Returns the base without a slash at its end, if it is one.
///
/// # Errors
///
/// If it is none; the error shows it unless a password may be in it.
pub(super) fn check(text: &str) -> Result<Box<str>, Invalid> {
    const ALLOWED: &str = "http:// or https://, a host, perhaps a port (1 to 65535) and a path; no user, query or fragment";
    let no = |what: &str| Err(Invalid::new("base_url", what, ALLOWED));
    if text.len() > LONGEST {
        return no(&format!("{} bytes long", text.len()));
    }
    // Not shown, for it may be a password.
    if text.contains('@') {
        return no("one with a user or a password");
    }
    // `Uri` would drop a fragment without a word.
    let Some(uri) = text
        .parse::<http::Uri>()
        .ok()
        .filter(|_| !text.contains(['#', '?']))
    else {
        return no(text);
    };
    let scheme = uri.scheme_str().unwrap_or_default();
    let is_one = uri.authority().is_some_and(is_host_and_port);
    if !["http", "https"].contains(&scheme) || !is_one {
        return no(text);
    }
    Ok(text.trim_end_matches('/').into())
}

/// Returns whether it is a name or an address, and a port if there is a colon. `Uri` keeps a port that is none, and
/// then the scheme's would be called, with the secret.
fn is_host_and_port(authority: &Authority) -> bool {
    let host = authority.host();
    let port = authority.as_str().strip_prefix(host).unwrap_or(":");
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let is_port = match port.strip_prefix(':') {
        Some(port) => digits(port) && port.parse::<u16>().is_ok_and(|port| port > 0),
        None => port.is_empty(),
    };
    let is_host = match host.strip_prefix('[') {
        Some(rest) => rest
            .strip_suffix(']')
            .is_some_and(|address| address.parse::<Ipv6Addr>().is_ok()),
        None => {
            let label = |label: &str| {
                let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
                !label.is_empty() && !label.starts_with('-') && label.bytes().all(allowed)
            };
            host.strip_suffix('.').unwrap_or(host).split('.').all(label)
        }
    };
    is_port && is_host
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_may_have_a_port_and_a_path_and_loses_its_slash() {
        for (given, kept) in [
            ("https://qyapi.weixin.qq.com", "https://qyapi.weixin.qq.com"),
            (
                "https://qyapi.weixin.qq.com/",
                "https://qyapi.weixin.qq.com",
            ),
            (
                "http://127.0.0.1:8080/sim/wecom//",
                "http://127.0.0.1:8080/sim/wecom",
            ),
            ("http://[::1]:80", "http://[::1]:80"),
            ("http://[::1]", "http://[::1]"),
            (
                "https://wecom_sim.local.:65535",
                "https://wecom_sim.local.:65535",
            ),
        ] {
            assert_eq!(&*check(given).unwrap(), kept);
        }
    }

    #[test]
    fn a_base_that_is_none_is_named() {
        for given in [
            "",
            "/",
            "qyapi.weixin.qq.com",
            "ftp://host",
            "https://",
            "https:///path",
            "http://host/?a=b",
            "http://host/#x",
            "http://ho st",
            "unix:/socket",
            "http://127.0.0.1:99999",
            "http://127.0.0.1:",
            "http://127.0.0.1:0",
            "http://127.0.0.1:-1",
            "http://127.0.0.1:+8400",
            "http://127.0.0.1:8400;x",
            "http://[]:80",
            "http://[x]:80",
            "http://..",
            "http://-",
        ] {
            let error = check(given).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("base_url is {given:?}; allowed: http://")),
                "{error}"
            );
        }
        let error = check("https://me:hidden@host").unwrap_err().to_string();
        assert!(!error.contains("hidden"), "{error}");
        let error = check(&format!("http://{}", "h".repeat(3000)))
            .unwrap_err()
            .to_string();
        assert!(error.contains("3007 bytes long"), "{error}");
    }
}
