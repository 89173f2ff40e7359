//! A call as an HTTP request.

use bytes::Bytes;
use http::{Method, Request, Uri, header::CONTENT_TYPE};
use http_body_util::Full;

use crate::{call::Wire, error::Invalid, secret::Secret};

/// Returns the request of `wire` at `base`, with the token in its query if there is one.
///
/// # Errors
///
/// If path and query make no address: the path has a space in it, or all of it has more than 65,534 bytes.
pub(super) fn request(
    base: &str,
    wire: &Wire,
    token: Option<&Secret>,
) -> Result<Request<Full<Bytes>>, Invalid> {
    let mut address = String::with_capacity(base.len() + wire.path.len() + 128);
    address.push_str(base);
    address.push_str(wire.path);
    let token = token.map(|token| ("access_token", token.reveal()));
    let query = wire.query.iter().map(|(name, value)| (*name, &**value));
    for (n, (name, value)) in token.into_iter().chain(query).enumerate() {
        address.push(if n == 0 { '?' } else { '&' });
        address.push_str(name);
        address.push('=');
        encode(value, &mut address);
    }
    let length = address.len();
    // Neither the query nor what is wrong with it may be shown.
    let uri = Uri::try_from(address).map_err(|_| {
        let what = format!("{} with {length} bytes of address", wire.path);
        Invalid::new("path", what, "a path and a query that make an address")
    })?;
    let mut request = Request::new(Full::default());
    *request.uri_mut() = uri;
    *request.method_mut() = wire.method.clone();
    if wire.method == Method::POST {
        let json = http::HeaderValue::from_static("application/json");
        request.headers_mut().insert(CONTENT_TYPE, json);
        *request.body_mut() = Full::from(wire.body.clone());
    }
    Ok(request)
}

/// Appends `value` as it may stand in a query: all but unreserved characters as `%XX`.
fn encode(value: &str, to: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            to.push(char::from(byte));
        } else {
            to.push('%');
            to.push(char::from(DIGITS[usize::from(byte >> 4)]));
            to.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_query_is_encoded_once() {
        let query = vec![("userid", "张 a&b=c+%20".to_owned())];
        let wire = Wire::get("/cgi-bin/user/get", query);
        let token = Secret::from("a/b+c=");
        let request = request("https://host/prefix", &wire, Some(&token)).unwrap();
        assert_eq!(
            request.uri().to_string(),
            "https://host/prefix/cgi-bin/user/get?access_token=a%2Fb%2Bc%3D\
             &userid=%E5%BC%A0%20a%26b%3Dc%2B%2520"
        );
        assert_eq!(request.method(), Method::GET);
        assert!(request.headers().is_empty());
    }

    #[test]
    fn an_address_that_is_none_is_named_without_its_query() {
        let wire = Wire::get("/cgi-bin/user/get", vec![("userid", "x".repeat(70_000))]);
        let error = request("https://host", &wire, Some(&"hidden".into())).unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(text.contains("/cgi-bin/user/get"), "{text}");
        assert!(!text.contains("hidden") && !text.contains("xxx"), "{text}");
    }
}
