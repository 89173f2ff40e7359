//! An answer as HTTP.

use bytes::Bytes;
use http::StatusCode;

/// What a call is answered with.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) content_type: &'static str,
    pub(crate) body: Bytes,
    /// Absent: as fast as can be.
    pub(crate) bytes_per_s: Option<u64>,
}

const JSON: &str = "application/json; charset=UTF-8";

// === impl Reply ===

impl Reply {
    /// An answer of WeCom's own, error or not: always HTTP 200.
    pub(crate) fn json(body: Bytes) -> Self {
        Self {
            status: StatusCode::OK,
            content_type: JSON,
            body,
            bytes_per_s: None,
        }
    }

    /// What a proxy before WeCom answers when WeCom does not.
    pub(crate) fn bad_gateway() -> Self {
        let page = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n\
            <center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n";
        Self {
            status: StatusCode::BAD_GATEWAY,
            content_type: "text/html",
            body: Bytes::from_static(page.as_bytes()),
            bytes_per_s: None,
        }
    }

    /// The answer to a path that is none.
    pub(crate) fn not_found() -> Self {
        Self {
            status: StatusCode::NOT_FOUND,
            ..Self::json(Bytes::from_static(
                br#"{"errcode":404,"errmsg":"no such interface"}"#,
            ))
        }
    }
}
