//! The command line.

use std::{ffi::OsString, fmt, net::SocketAddr, path::PathBuf, str::FromStr, time::Duration};

use lexopt::{Arg, Parser};

use super::{BoxError, connections::Protocol, policy::Policy};

pub(crate) const HELP: &str = "\
Overloads a service on this machine and shows what becomes of it: without control, with tower's
limits, with dagor at the service, with dagor at service and callers.

cargo run --release --example overload -- [OPTIONS]

  --quick          fewer loads, in 20 s instead of two minutes
  --only POLICY    one policy: none, tower, dagor-callee or dagor
  --http2          HTTP/2 over 4 connections instead of HTTP/1 over 1,000
  --seed N         another order of arrivals, users and businesses (default 1)
  --chart FILE     where the chart goes (default target/overload.svg)
  --json FILE      writes the figures as JSON, too
  --serve [ADDR]   measures nothing, leaves the protected service running for a load generator of
                   your own (default 127.0.0.1:3000), with its state at /metrics
  --for SECONDS    ends --serve after that time (default: at Ctrl-C)
  --help           shows this
";

/// What the user asked for.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) action: Action,
    pub(crate) quick: bool,
    pub(crate) only: Option<Policy>,
    pub(crate) protocol: Protocol,
    pub(crate) seed: u64,
    pub(crate) chart: PathBuf,
    pub(crate) json: Option<PathBuf>,
    /// How long to serve; for ever if `None`.
    pub(crate) serve_for: Option<Duration>,
}

/// What to do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Action {
    Measure,
    Serve(SocketAddr),
    Help,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            action: Action::Measure,
            quick: false,
            only: None,
            protocol: Protocol::Http1,
            seed: 1,
            chart: PathBuf::from("target/overload.svg"),
            json: None,
            serve_for: None,
        }
    }
}

const SERVE_AT: &str = "127.0.0.1:3000";
const AN_ADDRESS: &str = "an IP address with a port, such as 127.0.0.1:3000";
const A_SEED: &str = "a whole number from 0 to 18446744073709551615";
const SECONDS: &str = "seconds from 0.1 to 86400";

impl Options {
    /// Reads the arguments after the program's name.
    ///
    /// # Errors
    ///
    /// If one of them is not known or its value is not allowed; says which, and what is.
    pub(crate) fn parse<I>(arguments: I) -> Result<Self, BoxError>
    where
        I: IntoIterator<Item = OsString>,
    {
        let mut parser = Parser::from_args(arguments);
        let mut options = Self::default();
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("quick") => options.quick = true,
                Arg::Long("http2") => options.protocol = Protocol::Http2,
                Arg::Long("only") => {
                    options.only = Some(value("--only", &parser.value()?, &names(), policy)?);
                }
                Arg::Long("seed") => {
                    options.seed = value("--seed", &parser.value()?, A_SEED, parse)?;
                }
                Arg::Long("for") => {
                    let lasts = value("--for", &parser.value()?, SECONDS, seconds)?;
                    options.serve_for = Some(lasts);
                }
                Arg::Long("chart") => options.chart = file("--chart", parser.value()?)?,
                Arg::Long("json") => options.json = Some(file("--json", parser.value()?)?),
                Arg::Long("serve") => {
                    let address = optional(&mut parser).unwrap_or_else(|| SERVE_AT.into());
                    let address = value("--serve", &address, AN_ADDRESS, parse)?;
                    options.action = Action::Serve(address);
                }
                Arg::Long("help") | Arg::Short('h') => options.action = Action::Help,
                other => return Err(unknown(&other)),
            }
            if options.action == Action::Help {
                return Ok(options);
            }
        }
        if options.serve_for.is_some() && options.action == Action::Measure {
            return Err("--for: only allowed together with --serve".into());
        }
        Ok(options)
    }
}

/// Returns the value of an option that may go without: what follows, unless it is another option.
fn optional(parser: &mut Parser) -> Option<OsString> {
    if let Some(value) = parser.optional_value() {
        return Some(value);
    }
    let mut rest = parser.try_raw_args()?;
    let next = rest.peek()?;
    if next.to_string_lossy().starts_with('-') {
        return None;
    }
    rest.next()
}

fn value<T>(
    name: &str,
    given: &OsString,
    allowed: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<T, BoxError> {
    let text = given.to_string_lossy();
    read(&text).ok_or_else(|| format!("{name}: {text:?} is not allowed; allowed: {allowed}").into())
}

fn parse<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn policy(text: &str) -> Option<Policy> {
    Policy::ALL.into_iter().find(|policy| policy.name() == text)
}

fn names() -> String {
    Policy::ALL.map(Policy::name).join(", ")
}

fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    (0.1..=86_400.0)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

fn file(name: &str, given: OsString) -> Result<PathBuf, BoxError> {
    if given.is_empty() {
        return Err(format!("{name}: \"\" is not allowed; allowed: the path of a file").into());
    }
    Ok(given.into())
}

fn unknown(argument: &Arg<'_>) -> BoxError {
    let name: &dyn fmt::Debug = match argument {
        Arg::Short(letter) => &format!("-{letter}"),
        Arg::Long(name) => &format!("--{name}"),
        Arg::Value(value) => &value.to_string_lossy().into_owned(),
    };
    format!("{name:?} is not an argument; allowed: those that --help lists").into()
}
