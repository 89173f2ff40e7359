//! dagor's metrics for one run, in a registry of its own.

use std::{fmt, time::Duration};

use dagor::{
    Level, Priority,
    error::Reason,
    metrics::Exporter,
    observe::{Advice, FieldFault, Observer, WindowClosed},
};
use metrics::with_local_recorder;
use metrics_exporter_prometheus::{
    BuildError, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};

/// dagor's exporter, which tells this registry and not the process's.
pub(super) struct Registry {
    exporter: Exporter,
    recorder: PrometheusRecorder,
}

impl Registry {
    /// Upper bounds of the waits, in seconds: finest around the usual threshold of 20 ms.
    const WAITS: [f64; 10] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5];

    /// An empty registry.
    pub(super) fn new() -> Result<Self, BuildError> {
        let builder = PrometheusBuilder::new().set_buckets(&Self::WAITS)?;
        Ok(Self {
            exporter: Exporter::default(),
            recorder: builder.build_recorder(),
        })
    }

    /// Returns what reads it.
    pub(super) fn handle(&self) -> PrometheusHandle {
        self.recorder.handle()
    }

    fn tell(&self, tell: impl FnOnce(&Exporter)) {
        with_local_recorder(&self.recorder, || tell(&self.exporter));
    }
}

impl Observer for Registry {
    fn window_closed(&self, service: &str, window: &WindowClosed) {
        self.tell(|exporter| exporter.window_closed(service, window));
    }

    fn started(&self, service: &str, priority: Priority, waited: Duration) {
        self.tell(|exporter| exporter.started(service, priority, waited));
    }

    fn overload_edge(&self, service: &str, level: Level) {
        self.tell(|exporter| exporter.overload_edge(service, level));
    }

    fn shed(&self, service: &str, priority: Priority, reason: Reason) {
        self.tell(|exporter| exporter.shed(service, priority, reason));
    }

    fn withheld(&self, callee: &str, instance: &str, priority: Priority) {
        self.tell(|exporter| exporter.withheld(callee, instance, priority));
    }

    fn level_heard(&self, callee: &str, instance: &str, level: Level) {
        self.tell(|exporter| exporter.level_heard(callee, instance, level));
    }

    fn field_ignored(&self, service: &str, fault: FieldFault) {
        self.tell(|exporter| exporter.field_ignored(service, fault));
    }

    fn advice(&self, service: &str, advice: &Advice) {
        self.tell(|exporter| exporter.advice(service, advice));
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").finish_non_exhaustive()
    }
}
