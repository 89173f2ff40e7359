//! What ids, secrets and addresses look like.

use std::net::IpAddr;

use http::Uri;

use crate::given::Wanted;

/// An enterprise, as the client takes it.
pub(crate) const CORP_ID: Wanted = Wanted::open("1 to 64 letters, digits, '-' and '_'", |text| {
    is_of(text, 64, |byte| {
        byte.is_ascii_alphanumeric() || b"-_".contains(&byte)
    })
});

/// A member, as the vendor's documents say it (path/90195).
pub(crate) const USERID: Wanted = Wanted::open(
    "1 to 64 letters, digits, '_', '-', '@' and '.', of which the first is a letter or digit",
    |text| {
        is_of(text, 64, |byte| {
            byte.is_ascii_alphanumeric() || b"_-@.".contains(&byte)
        }) && text.starts_with(|first: char| first.is_ascii_alphanumeric())
    },
);

/// A call, by its name or its path; whether there is one is another question.
pub(crate) const API: Wanted = Wanted::open(
    "the name or path of a call, such as \"update_contact_way\"",
    |_| true,
);

/// The secret of an app, as the client takes it.
pub(crate) const SECRET: Wanted =
    Wanted::secret("1 to 256 characters of ASCII that can be seen", |text| {
        is_of(text, 256, |byte| byte.is_ascii_graphic())
    });

/// A `permanent_code` or a `suite_access_token`, as the client takes it.
pub(crate) const CODE: Wanted =
    Wanted::secret("1 to 512 characters of ASCII that can be seen", |text| {
        is_of(text, 512, |byte| byte.is_ascii_graphic())
    });

/// The token of a callback address (path/90968).
pub(crate) const TOKEN: Wanted = Wanted::secret("1 to 32 letters and digits", |text| {
    is_of(text, 32, |byte| byte.is_ascii_alphanumeric())
});

/// The key of a callback address (path/90968).
pub(crate) const AES_KEY: Wanted = Wanted::secret("43 letters and digits", |text| {
    text.len() == 43 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
});

/// The name of a department.
pub(crate) const NAME: Wanted = Wanted::open("1 to 64 characters on one line", |text| {
    (1..=64).contains(&text.chars().count()) && !text.chars().any(char::is_control)
});

/// Where callbacks go: this machine and no other, so that a slip in a profile sends nothing to strangers.
pub(crate) const URL: Wanted = Wanted::open(
    "an http address of this machine, such as \"http://127.0.0.1:9000/callback\"",
    is_loopback,
);

fn is_of(text: &str, most: usize, allowed: fn(u8) -> bool) -> bool {
    (1..=most).contains(&text.len()) && text.bytes().all(allowed)
}

fn is_loopback(text: &str) -> bool {
    let Ok(uri) = text.parse::<Uri>() else {
        return false;
    };
    // What stands before an `@` is no host, and nobody should have to look twice.
    let plain = !text.contains('@') && uri.query().is_none();
    let Some(host) = uri
        .host()
        .filter(|_| plain && uri.scheme_str() == Some("http"))
    else {
        return false;
    };
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callbacks_stay_on_this_machine() {
        for (url, fits) in [
            ("http://127.0.0.1:9000/callback", true),
            ("http://127.8.9.1/", true),
            ("http://localhost:80/x", true),
            ("http://[::1]:80/x", true),
            ("https://127.0.0.1/", false),
            ("http://10.0.0.1/", false),
            ("http://example.com/", false),
            ("http://localhost.example.com/", false),
            ("http://127.0.0.1@example.com/", false),
            ("http://127.0.0.1:1/?a=b", false),
            ("127.0.0.1:1", false),
            ("/callback", false),
            ("", false),
        ] {
            assert_eq!((URL.fits)(url), fits, "{url}");
        }
    }

    #[test]
    fn keys_have_43_letters_and_digits() {
        assert!((AES_KEY.fits)(
            "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C"
        ));
        assert!(!(AES_KEY.fits)(
            "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2"
        ));
        assert!(!(AES_KEY.fits)(
            "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2="
        ));
        assert!(!(TOKEN.fits)("white space") && !(TOKEN.fits)(""));
    }
}
