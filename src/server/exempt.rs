//! Which requests pass untouched: a health check that is refused gets the busiest instance killed.

/// Returns whether `path` is one of `patterns`: the same, or beginning with what stands before a final
/// `*`.
pub(super) fn is_exempt(patterns: &[String], path: &str) -> bool {
    patterns
        .iter()
        .any(|pattern| match pattern.strip_suffix('*') {
            Some(prefix) => path.starts_with(prefix),
            None => path == pattern,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_paths_or_beginnings() {
        let patterns = ["/healthz".to_owned(), "/grpc.health.v1.Health/*".to_owned()];
        for path in [
            "/healthz",
            "/grpc.health.v1.Health/Check",
            "/grpc.health.v1.Health/Watch",
        ] {
            assert!(is_exempt(&patterns, path), "{path}");
        }
        for path in [
            "/",
            "/healthz/",
            "/healthz2",
            "/grpc.health.v1.Healthy/Check",
        ] {
            assert!(!is_exempt(&patterns, path), "{path}");
        }
    }
}
