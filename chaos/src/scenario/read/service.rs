//! `[[service]]`.

use std::time::Duration;

use super::Context;
use crate::scenario::{
    Protocol, Service, ServiceTime, document::Value, files, key::Range, keys::service as keys,
    section::Section,
};

/// Reads one; what is wrong is replaced by something that does no harm.
pub(super) fn read(section: &Section<'_>, context: &Context<'_>) -> Service {
    let instances = section.whole(&keys::INSTANCES).unwrap_or(1);
    Service {
        name: section.name_again(&keys::NAME),
        instances,
        workers: workers(section),
        service_time: service_time(section, context)
            .unwrap_or(ServiceTime::Constant(Duration::ZERO)),
        queue: section.whole(&keys::QUEUE),
        protected: section.flag(&keys::PROTECTED).unwrap_or_default(),
        speeds: speeds(section, instances).unwrap_or_default(),
        cpu_share: section.number(&keys::CPU_SHARE).unwrap_or_default(),
        protocol: match section.word(&keys::PROTOCOL) {
            Some("grpc") => Protocol::Grpc,
            _ => Protocol::Http,
        },
        quota: section.number(&keys::QUOTA),
    }
}

fn workers(section: &Section<'_>) -> Option<u32> {
    if section.given(&keys::WORKERS).is_none() {
        return Some(10);
    }
    let range = keys::WORKERS.takes.range()?;
    section.read(&keys::WORKERS, |value| match value {
        Value::Text(text) if text == "unlimited" => Some(None),
        _ => Some(Some(u32::try_from(value.whole_in(range)?).ok()?)),
    })?
}

fn speeds(section: &Section<'_>, instances: u32) -> Option<Vec<f64>> {
    let range = keys::SPEEDS.takes.range()?;
    let speeds = section.read(&keys::SPEEDS, |value| value.list(|it| it.number_in(range)))?;
    let most = usize::try_from(instances).unwrap_or(usize::MAX);
    if !(1..=most).contains(&speeds.len()) {
        section.wrong(
            &keys::SPEEDS,
            format!("1 to {instances} speeds, one an instance"),
        );
    }
    Some(speeds)
}

fn service_time(section: &Section<'_>, context: &Context<'_>) -> Option<ServiceTime> {
    if section.switch()? == "trace" {
        let (folder, mistakes) = (context.folder, context.mistakes);
        let times = files::numbers(section, &keys::TRACE, folder, MILLIS, mistakes)?;
        let times = times
            .into_iter()
            .map(|ms| Duration::from_secs_f64(ms / 1e3));
        return Some(ServiceTime::Trace(times.collect()));
    }
    let time = section.millis(&keys::SERVICE);
    let sigma = section.number(&keys::SIGMA);
    let time = time?;
    Some(match section.switch()? {
        "constant" => ServiceTime::Constant(time),
        "bimodal" => ServiceTime::Bimodal {
            short: time.mul_f64(0.5),
            long: time.mul_f64(5.5),
        },
        "lognormal" => ServiceTime::Lognormal {
            median: time,
            sigma: sigma?,
        },
        _ => ServiceTime::Exponential(time),
    })
}

/// The rows of a trace.
const MILLIS: Range = Range::new(0.0, 600_000.0);
