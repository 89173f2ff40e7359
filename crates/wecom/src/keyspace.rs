//! What all that is kept in a Redis has in common: what keys begin with, and how a script is run.

use redis::{FromRedisValue, RedisError, ScriptInvocation, ServerErrorKind, aio::ConnectionLike};

use crate::error::{BoxError, Invalid, clean};

/// What keys begin with if nothing else is said.
pub(crate) const PREFIX: &str = "wecom";

/// Returns a prefix of keys, if it can be one. Braces would become the hash tag in place of the corp.
pub(crate) fn prefix(prefix: &str) -> Result<Box<str>, Invalid> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-_.:".contains(&b);
    if prefix.is_empty() || prefix.len() > 64 || !prefix.bytes().all(allowed) {
        let wanted = "1 to 64 letters, digits, '-', '_', '.' and ':'";
        return Err(Invalid::new("prefix", prefix, wanted));
    }
    Ok(prefix.into())
}

/// Runs a script. It is loaded if Redis does not know it, and once more if Redis was made to forget it in between.
pub(crate) async fn run<T: FromRedisValue>(
    invocation: &ScriptInvocation<'_>,
    connection: &mut impl ConnectionLike,
) -> Result<T, BoxError> {
    let forgotten = |error: &RedisError| error.kind() == ServerErrorKind::NoScript.into();
    let answer = match invocation.invoke_async(connection).await {
        Err(error) if forgotten(&error) => invocation.invoke_async(connection).await,
        answer => answer,
    };
    answer.map_err(|error| clean(error).into())
}

#[cfg(test)]
mod tests {
    use redis::{Cmd, ErrorKind, Pipeline, RedisFuture, Script, Value};

    use super::*;

    /// Of the script below.
    const HASH: &str = "59b6ab2fbe0ee4b25733de0f62e6cda4899ef8e9";

    /// A Redis that is made to forget its scripts so often, just before they are called.
    struct Forgetful {
        times: u32,
    }

    impl ConnectionLike for Forgetful {
        fn req_packed_command<'a>(&'a mut self, command: &'a Cmd) -> RedisFuture<'a, Value> {
            let packed = command.get_packed_command();
            let is_call = String::from_utf8_lossy(&packed).contains("EVALSHA");
            let forgets = is_call && self.times > 0;
            self.times -= u32::from(forgets);
            Box::pin(async move {
                if forgets {
                    let forgotten = ErrorKind::Server(ServerErrorKind::NoScript);
                    return Err((forgotten, "NOSCRIPT").into());
                }
                Ok(match is_call {
                    true => Value::Int(7),
                    false => Value::BulkString(HASH.into()),
                })
            })
        }

        fn req_packed_commands<'a>(
            &'a mut self,
            _: &'a Pipeline,
            _: usize,
            _: usize,
        ) -> RedisFuture<'a, Vec<Value>> {
            Box::pin(async { Ok(Vec::new()) })
        }

        fn get_db(&self) -> i64 {
            0
        }
    }

    #[tokio::test]
    async fn a_script_that_is_forgotten_between_loading_and_calling_is_loaded_again() {
        let script = Script::new("return 7");
        let invocation = script.prepare_invoke();
        for times in 0..=3 {
            let answer: i64 = run(&invocation, &mut Forgetful { times }).await.unwrap();
            assert_eq!(answer, 7, "forgotten {times} times");
        }
        let answer: Result<i64, _> = run(&invocation, &mut Forgetful { times: 9 }).await;
        assert_eq!(
            answer.unwrap_err().to_string(),
            "redis: Server(NoScript) (NOSCRIPT)"
        );
    }
}
