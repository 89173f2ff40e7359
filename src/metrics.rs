//! Everything as metrics, through the `metrics` facade: pick any exporter.
//!
//! ```
//! use dagor::{Admission, Callee, Entry, metrics::Exporter};
//! use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
//!
//! // First the recorder. Without the buckets Prometheus gets a summary, which cannot be added up.
//! let waits = Matcher::Full("dagor_queuing_seconds".to_owned());
//! PrometheusBuilder::new()
//!     .set_buckets_for_metric(waits, &[0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5])?
//!     .install_recorder()?;
//!
//! // Then whatever tells: each of the three has observers of its own.
//! let admission = Admission::builder("orders").observer(Exporter::default()).build()?;
//! let payments = Callee::builder("payments").observer(Exporter::default()).build()?;
//! let entry = Entry::builder().observer(Exporter::default()).build()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! *The recorder comes first.* An exporter looks the metrics of a service up when it is first told of it and
//! keeps them; looked up without a recorder, they go nowhere for as long as the exporter lives, whatever is
//! installed later.
//!
//! | metric | kind | labels | means |
//! |---|---|---|---|
//! | `dagor_demand_total` | counter | service, business | requests that wanted the service: arrived and withheld; scale by this |
//! | `dagor_arrived_total` | counter | service, business | requests that arrived |
//! | `dagor_shed_total` | counter | service, business, reason | requests refused (in mode `observe`: that would have been) |
//! | `dagor_withheld_total` | counter | service, business | requests that callers reported as withheld |
//! | `dagor_admitted_total` | counter | service | requests that started |
//! | `dagor_queuing_seconds` | histogram | service | wait of each request that started; most exporters want its buckets, as above |
//! | `dagor_window_queuing_seconds` | gauge | service | mean queuing time of the last window, the control law's signal |
//! | `dagor_level_ratio` | gauge | service | the level, 1 = open; times 256 it is the business of the cut |
//! | `dagor_windows_total` | counter | service, verdict | windows closed |
//! | `dagor_waiting`, `dagor_running`, `dagor_permits` | gauge | service | the gate when the window closed; `dagor_permits` is `inf` where nothing is limited: `Unlimited`, and mode `observe` |
//! | `dagor_fields_ignored_total` | counter | service, fault | fields from peers that were not used; `untrusted` is told by the entry |
//! | `dagor_advice_total` | counter | service, advice | what an operator should look at |
//! | `dagor_calls_withheld_total` | counter | callee, business | calls this process did not send; told by the callee |
//! | `dagor_heard_level_ratio` | gauge | callee, instance | the level last heard, told by the callee; the first 64 instances, then `other` |
//!
//! Labels are bounded: services and callees are named in code, businesses are at most 256, instances 65.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};

use crate::{
    error::Reason,
    observe::{Advice, FieldFault, Observer, WindowClosed},
    priority::{Level, Priority},
};

/// An [`Observer`] that exports. One serves any number of services and callees.
#[derive(Debug, Default)]
pub struct Exporter {
    services: Mutex<HashMap<String, Service>>,
    instances: Mutex<HashMap<String, Vec<String>>>,
}

/// The metrics of one service that are touched by every request, looked up once.
#[derive(Clone, Debug)]
struct Service {
    admitted: Counter,
    queuing: Histogram,
    waiting: Gauge,
    running: Gauge,
    permits: Gauge,
    level: Gauge,
    signal: Gauge,
}

/// Most instances of a callee that get a label of their own.
const MOST_INSTANCES: usize = 64;

impl Exporter {
    fn service(&self, name: &str) -> Service {
        let mut services = self.services.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(service) = services.get(name) {
            return service.clone();
        }
        let service = Service::new(name);
        services.insert(name.to_owned(), service.clone());
        service
    }

    /// Returns the label of an instance: its name, or `other` when too many are known.
    fn instance(&self, callee: &str, instance: &str) -> String {
        let mut instances = self
            .instances
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let known = instances.entry(callee.to_owned()).or_default();
        if known.iter().any(|name| name == instance) {
            return instance.to_owned();
        }
        if known.len() >= MOST_INSTANCES {
            return "other".to_owned();
        }
        known.push(instance.to_owned());
        instance.to_owned()
    }
}

impl Service {
    fn new(name: &str) -> Self {
        let name = name.to_owned();
        Self {
            admitted: counter!("dagor_admitted_total", "service" => name.clone()),
            queuing: histogram!("dagor_queuing_seconds", "service" => name.clone()),
            waiting: gauge!("dagor_waiting", "service" => name.clone()),
            running: gauge!("dagor_running", "service" => name.clone()),
            permits: gauge!("dagor_permits", "service" => name.clone()),
            level: gauge!("dagor_level_ratio", "service" => name.clone()),
            signal: gauge!("dagor_window_queuing_seconds", "service" => name),
        }
    }
}

impl Observer for Exporter {
    fn window_closed(&self, service: &str, window: &WindowClosed) {
        let metrics = self.service(service);
        metrics.waiting.set(number(window.waiting));
        metrics.running.set(number(window.running));
        metrics.level.set(ratio(window.level));
        metrics.signal.set(window.queuing_time);
        let permits = window.permits.map_or(f64::INFINITY, number);
        metrics.permits.set(permits);
        let verdict = window.verdict.as_str();
        counter!("dagor_windows_total", "service" => service.to_owned(), "verdict" => verdict)
            .increment(1);
        for (business, count) in window.businesses.iter().enumerate() {
            if count.arrived + count.withheld == 0 {
                continue;
            }
            let labels = [
                ("service", service.to_owned()),
                ("business", business.to_string()),
            ];
            counter!("dagor_arrived_total", &labels).increment(count.arrived);
            counter!("dagor_withheld_total", &labels).increment(count.withheld);
            counter!("dagor_demand_total", &labels).increment(count.arrived + count.withheld);
        }
    }

    fn started(&self, service: &str, _: Priority, waited: Duration) {
        let metrics = self.service(service);
        metrics.admitted.increment(1);
        metrics.queuing.record(waited);
    }

    fn shed(&self, service: &str, priority: Priority, reason: Reason) {
        let labels = [
            ("service", service.to_owned()),
            ("business", priority.business().to_string()),
            ("reason", reason.as_str().to_owned()),
        ];
        counter!("dagor_shed_total", &labels).increment(1);
    }

    fn withheld(&self, callee: &str, _: &str, priority: Priority) {
        let labels = [
            ("callee", callee.to_owned()),
            ("business", priority.business().to_string()),
        ];
        counter!("dagor_calls_withheld_total", &labels).increment(1);
    }

    fn level_heard(&self, callee: &str, instance: &str, level: Level) {
        let labels = [
            ("callee", callee.to_owned()),
            ("instance", self.instance(callee, instance)),
        ];
        gauge!("dagor_heard_level_ratio", &labels).set(ratio(level));
    }

    fn field_ignored(&self, service: &str, fault: FieldFault) {
        let labels = [
            ("service", service.to_owned()),
            ("fault", fault.as_str().to_owned()),
        ];
        counter!("dagor_fields_ignored_total", &labels).increment(1);
    }

    fn advice(&self, service: &str, advice: &Advice) {
        let labels = [
            ("service", service.to_owned()),
            ("advice", advice.as_str().to_owned()),
        ];
        counter!("dagor_advice_total", &labels).increment(1);
    }
}

/// Returns the level as a share of open. A business takes 1/256 of it, whatever is configured.
fn ratio(level: Level) -> f64 {
    f64::from(level.get()) / f64::from(Level::OPEN.get())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "gauges are doubles, and these are small"
)]
const fn number(count: usize) -> f64 {
    count as f64
}
