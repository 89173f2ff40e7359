//! What `--serve` shows at `/metrics`: Prometheus text with the feature `metrics`, else a snapshot.

use dagor::{Admission, admission::Builder};

use super::BoxError;

#[cfg(feature = "metrics")]
#[derive(Clone, Debug)]
pub(crate) struct Exposition(metrics_exporter_prometheus::PrometheusHandle);

#[cfg(not(feature = "metrics"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exposition;

#[cfg(feature = "metrics")]
impl Exposition {
    /// Upper bounds of the waits, in seconds: finest around the threshold of 20 ms.
    const WAITS: [f64; 10] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5];

    /// Returns an exposition and the builder of the admission that it will show.
    pub(crate) fn of(builder: Builder) -> Result<(Self, Builder), BoxError> {
        let recorder = metrics_exporter_prometheus::PrometheusBuilder::new();
        let handle = recorder.set_buckets(&Self::WAITS)?.install_recorder()?;
        let builder = builder.observer(dagor::metrics::Exporter::default());
        Ok((Self(handle), builder))
    }

    pub(crate) fn text(&self, _: &Admission) -> String {
        self.0.run_upkeep();
        self.0.render()
    }
}

#[cfg(not(feature = "metrics"))]
impl Exposition {
    /// Returns an exposition and the builder of the admission that it will show.
    #[expect(clippy::unnecessary_wraps, reason = "as with the feature")]
    pub(crate) fn of(builder: Builder) -> Result<(Self, Builder), BoxError> {
        Ok((Self, builder))
    }

    #[expect(clippy::unused_self, reason = "as with the feature")]
    pub(crate) fn text(self, admission: &Admission) -> String {
        format!(
            "{:#?}\nPrometheus text: --features metrics\n",
            admission.snapshot()
        )
    }
}
