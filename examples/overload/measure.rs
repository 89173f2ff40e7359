//! Does what the plan says and gathers the figures.

use std::{net::SocketAddr, time::Duration};

use super::{
    BoxError,
    args::Options,
    caller::Caller,
    connections::{Connections, MOST_CALLS, Protocol},
    cores::Cores,
    files,
    generator::{self, Offer},
    plan::{Plan, Run},
    policy::Policy,
    progress::Progress,
    row::Row,
    server::Server,
    service,
    tally::Tally,
    transient::Transient,
    work::Work,
};

/// Everything that was measured.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) seed: u64,
    pub(crate) protocol: Protocol,
    /// Calls a second that the unprotected service serves, before everything else.
    pub(crate) capacity_rps: f64,
    /// The same after everything else: how steady the machine was.
    pub(crate) capacity_after_rps: f64,
    pub(crate) rows: Vec<Row>,
    pub(crate) transients: Vec<Transient>,
    /// What makes the figures rougher than they could be.
    pub(crate) notes: Vec<String>,
}

/// Calls under way while the capacity is found: enough to keep the service busy all the time.
const OUTSTANDING: u32 = 16;

/// Where everything happens: any free port of this machine, not reachable from another.
const HERE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);

/// Measures all that `options` ask for.
pub(crate) fn measure(options: &Options, mut progress: Progress) -> Result<Report, BoxError> {
    let plan = Plan::new(options);
    let (cores, note) = Cores::find();
    let (connections, fewer) = files::connections(MOST_CALLS);
    let mut bench = Bench {
        cores,
        connections,
        protocol: options.protocol,
        work: Work::calibrate(cores)?,
        seed: options.seed,
        progress: &mut progress,
    };
    let mut left = plan.lasts();
    let capacity_rps = bench.capacity(&plan, left)?;
    left = left.saturating_sub(plan.lengths.capacity_lasts());
    let (mut rows, mut transients) = (Vec::new(), Vec::new());
    for run in &plan.runs {
        bench.progress.step(run.about(), left);
        let tally = bench.run(*run, &plan, capacity_rps)?;
        match run {
            Run::Steady(case) => {
                let counted = run.profile(&plan.lengths).counted().clone();
                let lasted = counted.end - counted.start;
                rows.push(Row::new(*case, &tally, lasted, capacity_rps));
            }
            Run::Transient(policy) => transients.push(Transient::new(*policy, &tally)),
        }
        left = left.saturating_sub(plan.lasts_one(*run));
    }
    let capacity_after_rps = bench.capacity(&plan, left)?;
    progress.finish();
    let mut report = Report {
        seed: options.seed,
        protocol: options.protocol,
        capacity_rps,
        capacity_after_rps,
        rows,
        transients,
        notes: note.into_iter().chain(fewer).collect(),
    };
    report.doubt();
    Ok(report)
}

/// What all runs have in common.
struct Bench<'a> {
    cores: Cores,
    connections: usize,
    protocol: Protocol,
    work: Work,
    seed: u64,
    progress: &'a mut Progress,
}

impl Bench<'_> {
    fn server(&self, policy: Policy) -> Result<Server, BoxError> {
        let mut protected = policy.protect(service::unprotected(self.work))?;
        protected.app = service::stamped(protected.app);
        Ok(Server::start(HERE, protected, self.cores)?)
    }

    /// Finds out what the service can do when nobody asks for more.
    fn capacity(&mut self, plan: &Plan, left: Duration) -> Result<f64, BoxError> {
        self.progress.step("capacity".to_owned(), left);
        let server = self.server(Policy::None)?;
        let (address, protocol, lengths) = (server.address(), self.protocol, plan.lengths);
        let served = generator::run(
            self.cores,
            || self.progress.tick(),
            move || async move {
                let connections = Connections::open(address, protocol, MOST_CALLS.min(64)).await?;
                let caller = Caller::new(connections);
                let times = lengths.capacity;
                Ok(generator::closed_loop(address, caller, OUTSTANDING, times).await)
            },
        )?;
        if served > 0.0 {
            Ok(served)
        } else {
            Err("the service answered nothing while its capacity was measured".into())
        }
    }

    /// Offers one load to a fresh server.
    fn run(&mut self, run: Run, plan: &Plan, capacity: f64) -> Result<Tally, BoxError> {
        let policy = run.policy();
        let server = self.server(policy)?;
        let offer = Offer {
            address: server.address(),
            profile: run.profile(&plan.lengths),
            capacity,
            calls_per_task: run.calls_per_task(),
            seed: self.seed,
        };
        let (protocol, most) = (self.protocol, self.connections);
        generator::run(
            self.cores,
            || self.progress.tick(),
            move || async move {
                let connections = Connections::open(offer.address, protocol, most).await?;
                let callers = policy.callers(&connections);
                Ok(generator::open_loop(offer, callers).await)
            },
        )
    }
}

// === impl Report ===

impl Report {
    pub(crate) fn row(&self, policy: Policy, load: f64, calls_per_task: u32) -> Option<&Row> {
        self.rows.iter().find(|row| {
            row.policy == policy
                && (row.load - load).abs() < 1e-9
                && row.calls_per_task == calls_per_task
        })
    }

    pub(crate) fn transient(&self, policy: Policy) -> Option<&Transient> {
        self.transients
            .iter()
            .find(|transient| transient.policy == policy)
    }

    /// Notes what speaks against the figures.
    fn doubt(&mut self) {
        let moved = self.capacity_after_rps / self.capacity_rps - 1.0;
        if moved.abs() > 0.05 {
            self.notes.push(format!(
                "the capacity moved by {:+.0} % during the run: other programs share the cores",
                moved * 100.0
            ));
        }
        let lag = self.rows.iter().map(|row| row.lag_ms).fold(0.0, f64::max);
        if lag > 50.0 {
            self.notes.push(format!(
                "the load generator was late by up to {lag:.0} ms: its core was taken away"
            ));
        }
        let failed: u64 = self.rows.iter().map(|row| row.failed).sum();
        if failed > 0 {
            self.notes
                .push(format!("{failed} calls failed on their connection"));
        }
    }
}
