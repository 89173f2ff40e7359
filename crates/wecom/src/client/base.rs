//! Where WeCom is: an address that calls go below.
//!
//! Looked at when a client is made, so that a mistake in it is told by its name and not by every call.

use crate::error::Invalid;

/// Longest base address, in bytes: far from the 65,534 that an address may have with path and query.
const LONGEST: usize = 2048;

/// Returns the base without a slash at its end, if it is one.
///
/// # Errors
///
/// If it is none; the error shows it unless a password may be in it.
pub(super) fn check(text: &str) -> Result<Box<str>, Invalid> {
    const ALLOWED: &str =
        "http:// or https://, a host, perhaps a port and a path; no user, query or fragment";
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
    if !["http", "https"].contains(&scheme) || uri.host().is_none_or(str::is_empty) {
        return no(text);
    }
    Ok(text.trim_end_matches('/').into())
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
