//! `reversi-loadtest run`.

use std::time::Duration;

use clap::Args;

use super::connection::{Connection, positive};
use super::failure::Failure;
use super::output::Output;
use super::progress::Progress;
use super::what::What;
use crate::environment;
use crate::find_max::{FindMax, Next};
use crate::load::{self, Checks, CutShort, Model, Plan};
use crate::pace::{Arrivals, Schedule, Shape};
use crate::report::Report;
use crate::report::build;
use crate::report::model::{Environment, Load, Probe, Search, Setup};
use crate::threshold::Threshold;
use crate::wire::Target;
use crate::workload::Workload;

/// What fits a machine's memory.
const MOST_LANES: usize = 1_000_000;
/// The rate that a search begins with.
const FIRST_RATE: f64 = 1_000.0;
/// The rates that a search stays within.
const SEARCHED: (f64, f64) = (1.0, 1_000_000.0);
/// What a rate must keep to in any case, unless the objectives say something of errors.
const FEW_ERRORS: &str = "error_rate<0.1%";
/// The share of due calls that may stay unsent at a rate that holds.
const FEW_UNSENT: f64 = 0.001;

/// Puts a server under load, and reports
#[derive(Debug, Args)]
#[command(
    after_help = "Without --rate the load is closed: every lane makes a call as soon as its last \
                  one is answered. With --rate it is open: calls are due at fixed times whatever \
                  the server does, and latency counts from then.\n\nExamples:\n  \
                  reversi-loadtest run legal-moves --connections 16 --in-flight 16\n  \
                  reversi-loadtest run legal-moves --rate 5000 --threshold 'p99<10ms'\n  \
                  reversi-loadtest run mixed --rate 100..5000 --duration 2m --html report.html\n  \
                  reversi-loadtest run play --sessions 5000 --think 1s\n  \
                  reversi-loadtest run legal-moves --find-max --slo 'p99<5ms'"
)]
pub(crate) struct Run {
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    when: When,
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    output: Output,
}

/// When calls begin, and for how long.
#[derive(Debug, Args)]
#[command(next_help_heading = "Load")]
struct When {
    /// Calls a second, whatever the server does: 5000, a ramp 100..5000, or steps
    /// 100:10s,500:10s
    #[arg(long, value_name = "RATE")]
    rate: Option<Shape>,
    /// How the calls lie around the rate
    #[arg(long, value_enum, default_value = "even", requires = "rate")]
    arrivals: Arrivals,
    /// How long each lane waits before its next call, on average
    #[arg(long, value_name = "TIME", conflicts_with = "rate", value_parser = humantime::parse_duration)]
    think: Option<Duration>,
    /// How long to measure [default: 30s; steps have their own]
    #[arg(long, value_name = "TIME", value_parser = positive)]
    duration: Option<Duration>,
    /// How long to run before that, unmeasured
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = humantime::parse_duration)]
    warm_up: Duration,
    /// Which answers are compared with the right ones
    #[arg(long, value_enum, default_value = "warm-up")]
    check: Checks,
    /// Searches the highest rate that keeps to --slo, beginning at --rate
    #[arg(long, requires = "slo", conflicts_with = "think")]
    find_max: bool,
    /// What a rate must keep to, written as a threshold; may be given several times
    #[arg(long, value_name = "METRIC<BOUND", requires = "find_max")]
    slo: Vec<Threshold>,
    /// How long each rate is tried in a search; the one found is tried for the whole --duration
    #[arg(long, value_name = "TIME", default_value = "5s", requires = "find_max", value_parser = positive)]
    probe: Duration,
}

/// A run with everything decided but the load.
struct Prepared {
    targets: Vec<Target>,
    workload: Workload,
    name: String,
    environment: Environment,
}

impl Run {
    pub(crate) fn run(self) -> Result<(), Failure> {
        self.check()?;
        self.output.check()?;
        let targets = self.connection.targets()?;
        let (workload, name) = self.what.workload()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let report = runtime.block_on(async {
            let mut environment = environment::here();
            let answer = load::introduction(&targets[0], self.connection.patience).await?;
            environment.server = answer.as_deref().and_then(environment::server);
            let prepared = Prepared {
                targets,
                workload,
                name,
                environment,
            };
            if self.when.find_max {
                self.find_max(&prepared).await
            } else {
                self.once(&prepared, self.when.rate.as_ref(), self.duration())
                    .await
            }
        })?;
        self.output.write(&report)?;
        verdict(&report)
    }

    /// What clap cannot check.
    fn check(&self) -> Result<(), Failure> {
        let usage = |text: &str| Err(Failure::Usage(text.to_owned()));
        let steps = self.when.rate.as_ref().and_then(Shape::length);
        if steps.is_some() && self.when.duration.is_some() {
            return usage("--duration cannot be used with a --rate of steps: they have their own");
        }
        if self.when.find_max && !matches!(self.when.rate, None | Some(Shape::Constant(_))) {
            return usage("--find-max begins at one rate: not at a ramp or steps");
        }
        let lanes = self.connection.connections.get() * self.connection.in_flight.get();
        if lanes > MOST_LANES {
            return usage(
                "more than 1,000,000 calls in flight: fewer --connections or --in-flight",
            );
        }
        let sessions = self.what.sessions;
        if sessions.is_some_and(|sessions| sessions < self.connection.connections) {
            return usage("fewer --sessions than --connections");
        }
        Ok(())
    }

    fn duration(&self) -> Duration {
        /// Long enough for a p99.9 at a few hundred calls a second.
        const USUAL: Duration = Duration::from_secs(30);
        let steps = self.when.rate.as_ref().and_then(Shape::length);
        steps.or(self.when.duration).unwrap_or(USUAL)
    }

    /// One run; its report.
    async fn once(
        &self,
        prepared: &Prepared,
        rate: Option<&Shape>,
        duration: Duration,
    ) -> Result<Report, Failure> {
        let warm_up = self.when.warm_up;
        let profile = rate.map(|rate| rate.profile(duration).after(warm_up));
        let plan = Plan {
            targets: prepared.targets.clone(),
            connections: self.connection.connections,
            in_flight: self.connection.in_flight,
            lanes: self.what.sessions,
            threads: self.connection.threads(),
            workload: prepared.workload.clone(),
            model: match &profile {
                None => Model::Closed(self.when.think.unwrap_or_default()),
                Some(profile) => Model::Open(Schedule::new(
                    profile.clone(),
                    self.when.arrivals,
                    self.what.seed,
                )),
            },
            warm_up,
            duration,
            timeout: self.connection.timeout,
            patience: self.connection.patience,
            checks: self.when.check,
            seed: self.what.seed,
        };
        let mut progress = if self.output.quiet {
            Progress::hidden()
        } else {
            Progress::new(warm_up + duration, profile)
        };
        let outcome = load::run(plan, |observed| progress.observe(observed)).await;
        progress.finish();
        let outcome = outcome?;
        let setup = self.setup(prepared, rate, duration);
        let mut report = build::report(setup, prepared.environment.clone(), &outcome);
        let thresholds = self.output.threshold.iter();
        report.thresholds = thresholds
            .map(|threshold| threshold.verdict(&report))
            .collect();
        Ok(report)
    }

    fn setup(&self, prepared: &Prepared, rate: Option<&Shape>, duration: Duration) -> Setup {
        let connection = &self.connection;
        let endpoints = prepared.targets.iter();
        let usual_lanes = connection.connections.get() * connection.in_flight.get();
        Setup {
            workload: prepared.name.clone(),
            endpoints: endpoints
                .map(|target| target.endpoint().to_string())
                .collect(),
            connections: connection.connections.get(),
            in_flight: connection.in_flight.get(),
            lanes: self.what.sessions.map_or(usual_lanes, usize::from),
            threads: connection.threads().get(),
            load: match rate {
                None => Load::Closed {
                    think_ms: self.when.think.unwrap_or_default().as_secs_f64() * 1e3,
                },
                Some(rate) => Load::Open {
                    rate: rate.to_string(),
                    arrivals: match self.when.arrivals {
                        Arrivals::Even => "even".to_owned(),
                        Arrivals::Poisson => "poisson".to_owned(),
                    },
                },
            },
            warm_up_s: self.when.warm_up.as_secs_f64(),
            duration_s: duration.as_secs_f64(),
            timeout_s: connection.timeout.as_secs_f64(),
            seed: self.what.seed,
            tls: connection.uses_tls(),
        }
    }

    /// The report of the highest rate that keeps to the objectives, or of the last one tried.
    async fn find_max(&self, prepared: &Prepared) -> Result<Report, Failure> {
        let start = match &self.when.rate {
            Some(Shape::Constant(rate)) => *rate,
            _ => FIRST_RATE,
        };
        let mut slo = self.when.slo.clone();
        if !slo.iter().any(Threshold::is_about_errors) {
            slo.extend(FEW_ERRORS.parse::<Threshold>());
        }
        let mut search = FindMax::new(start, SEARCHED);
        let mut probes = Vec::new();
        let mut last = None;
        loop {
            let (rate, duration) = match search.next() {
                Next::Probe(rate) => (rate, self.when.probe),
                Next::Confirm(rate) => (rate, self.duration()),
                Next::Done(highest) => {
                    let mut report: Report = last.ok_or(Failure::Interrupted)?;
                    report.search = Some(Search {
                        slo: slo.iter().map(ToString::to_string).collect(),
                        highest_rate: highest,
                        probes,
                    });
                    return Ok(report);
                }
            };
            let rate = rate.round().max(1.0);
            let shape = Shape::Constant(rate);
            let report = self.once(prepared, Some(&shape), duration).await?;
            if report.cut_short.is_some() {
                return Ok(report);
            }
            let probe = probe(rate, &slo, &report);
            if !self.output.quiet {
                let word = if probe.holds {
                    "holds"
                } else {
                    "does not hold"
                };
                eprintln!("{rate}/s {word} {}", probe.broken.join(", "));
            }
            search.tried(probe.holds);
            probes.push(probe);
            last = Some(report);
        }
    }
}

/// Whether a run at a rate keeps to the objectives.
fn probe(rate: f64, slo: &[Threshold], report: &Report) -> Probe {
    let mut broken: Vec<_> = slo
        .iter()
        .map(|threshold| (threshold, threshold.verdict(report)))
        .filter(|(_, verdict)| !verdict.holds)
        .map(|(threshold, verdict)| match verdict.value {
            None => format!("{threshold} (nothing measured)"),
            Some(value) => format!("{threshold} ({})", threshold.show(value)),
        })
        .collect();
    let totals = &report.totals;
    let (due, unsent) = (totals.due.unwrap_or(0), totals.unsent.unwrap_or(0));
    if build::float(unsent) > build::float(due) * FEW_UNSENT {
        broken.push(format!("{unsent} of {due} calls not sent"));
    }
    let latency = report.latency.decisive();
    Probe {
        rate,
        holds: broken.is_empty(),
        p50_ms: latency.at(50.0).unwrap_or_default(),
        p99_ms: latency.at(99.0).unwrap_or_default(),
        broken,
    }
}

/// Whether a run was a success.
fn verdict(report: &Report) -> Result<(), Failure> {
    let broken = |text: String| Err(Failure::Broken(text));
    match &report.cut_short {
        Some(why) if *why == CutShort::Interrupted.to_string() => return Err(Failure::Interrupted),
        Some(why) => return broken(why.clone()),
        None => {}
    }
    let found = |search: &Search| search.highest_rate.is_some();
    if !report.search.as_ref().is_none_or(found) {
        return broken("no rate tried holds".to_owned());
    }
    if report.totals.calls == 0 {
        return broken("nothing was measured".to_owned());
    }
    if report.totals.ok == 0 {
        return broken("no call succeeded".to_owned());
    }
    let count = report
        .thresholds
        .iter()
        .filter(|verdict| !verdict.holds)
        .count();
    if count > 0 {
        return broken(format!(
            "{count} of {} thresholds are broken",
            report.thresholds.len()
        ));
    }
    Ok(())
}
