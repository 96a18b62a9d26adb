//! Measures a server's calls in turn with their limits, so that all see the same machine.

mod child;

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use child::Child;

use crate::load::{self, Model, Plan};
use crate::wire::{Rpc, Target};
use crate::workload::pool::View;
use crate::workload::{Pool, Positions, Workload};

/// How to measure.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The server; by default the one beside this program.
    pub(crate) server_bin: Option<PathBuf>,
    /// How long each figure is measured in each round.
    pub(crate) duration: Duration,
    /// How often all are measured.
    pub(crate) rounds: NonZeroUsize,
    /// Connections.
    pub(crate) connections: NonZeroUsize,
    /// Calls in flight on each.
    pub(crate) in_flight: NonZeroUsize,
}

/// Cut off before each measurement.
const WARM_UP: Duration = Duration::from_millis(500);
/// The deadline of the calls.
const DEADLINE: Duration = Duration::from_secs(10);
/// The payload of the echo.
const ECHO_BYTES: usize = 40;

/// One figure.
struct Row {
    name: &'static str,
    target: Target,
    workload: Pool,
    rates: Vec<f64>,
    generator_us: Vec<f64>,
    server_us: Vec<f64>,
    process: u32,
}

/// Starts the servers, measures, prints.
pub(crate) fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(measure(options))
}

async fn measure(options: &Options) -> Result<(), Box<dyn Error>> {
    let service = Child::service(options.server_bin.as_deref()).await?;
    let by_thread = Child::echo("current-thread").await?;
    let together = Child::echo("multi-thread").await?;
    let midgame = Positions::Midgame.list(1);
    let start = Positions::Start.list(1);
    let legal = |positions: &[_], view| Pool::legal_moves(positions, view);
    let mut rows = [
        (
            "echo, a runtime for each core",
            &by_thread,
            Pool::echo(ECHO_BYTES),
        ),
        ("echo, as #[tokio::main]", &together, Pool::echo(ECHO_BYTES)),
        (
            "ListLegalMoves, start, full",
            &service,
            legal(&start, View::Full),
        ),
        (
            "ListLegalMoves, midgame, full",
            &service,
            legal(&midgame, View::Full),
        ),
        (
            "ListLegalMoves, midgame, mask",
            &service,
            legal(&midgame, View::Mask),
        ),
        (
            "batch of 16,384, copied",
            &by_thread,
            Pool::batches(Rpc::BatchListLegalMoves, &midgame, 16_384),
        ),
        (
            "batch of 16,384",
            &service,
            Pool::batches(Rpc::BatchListLegalMoves, &midgame, 16_384),
        ),
    ]
    .map(|(name, child, workload)| {
        let target = Target::new(child.endpoint().clone(), None, DEADLINE, None)
            .expect("invariant: there is no token");
        Row {
            name,
            target,
            workload,
            rates: Vec::new(),
            generator_us: Vec::new(),
            server_us: Vec::new(),
            process: child.id(),
        }
    });
    for _ in 0..options.rounds.get() {
        for row in &mut rows {
            let before = crate::measure::CpuTime::of_process(row.process);
            let outcome = load::run(plan(options, row), |_| {}).await?;
            let after = crate::measure::CpuTime::of_process(row.process);
            if outcome.errors() > 0 || outcome.ok() == 0 {
                for (kind, count) in outcome.faults.iter() {
                    eprintln!("{kind:?}: {count:?}");
                }
                return Err(format!("{}: {} calls failed", row.name, outcome.errors()).into());
            }
            row.rates
                .push(outcome.items() as f64 / outcome.window.as_secs_f64());
            let per_call =
                |time: Duration, share: f64| time.as_secs_f64() * 1e6 / outcome.ok() as f64 * share;
            row.generator_us
                .push(outcome.cpu.map_or(f64::NAN, |cpu| per_call(cpu, 1.0)));
            let server = after.zip(before).map(|(after, before)| after.0 - before.0);
            // The server worked through the warm-up as well.
            let share = options.duration.as_secs_f64() / (options.duration + WARM_UP).as_secs_f64();
            row.server_us
                .push(server.map_or(f64::NAN, |cpu| per_call(cpu, share)));
        }
    }
    print(&rows)?;
    Ok(())
}

fn plan(options: &Options, row: &Row) -> Plan {
    Plan {
        targets: vec![row.target.clone()],
        connections: options.connections,
        in_flight: options.in_flight,
        threads: NonZeroUsize::MIN,
        workload: Workload::Pool(row.workload.clone()),
        model: Model::Closed,
        warm_up: WARM_UP,
        duration: options.duration,
        deadline: DEADLINE,
    }
}

fn print(rows: &[Row]) -> std::io::Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    let best = rows[..2]
        .iter()
        .map(|row| median(&row.rates))
        .fold(0.0, f64::max);
    let main = median(&rows[1].rates);
    writeln!(
        out,
        "| what | /s | to the best echo | to #[tokio::main] | generator µs/call | server µs/call |\n|---|---|---|---|---|---|"
    )?;
    for row in rows {
        let rate = median(&row.rates);
        writeln!(
            out,
            "| {} | {rate:.0} | {:.2} | {:.2} | {:.1} | {:.1} |",
            row.name,
            rate / best,
            rate / main,
            median(&row.generator_us),
            median(&row.server_us)
        )?;
    }
    out.flush()
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
