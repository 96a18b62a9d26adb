//! Reports for tests.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use super::build;
use super::model::{Environment, Load, Probe, Report, Search, Server, Setup};
use crate::load::{CutShort, Outcome, Punctuality};
use crate::measure::{Call, CpuTime, Faults, Recorder, Timeline, Window};
use crate::random::Random;
use crate::wire::{Failure, Rpc};

const SECOND: Duration = Duration::from_secs(1);

/// A report of an open run with everything in it that a report can have.
pub(crate) fn report() -> Report {
    let mut report = build::report(setup(), environment(), &outcome(1_000));
    report.thresholds = vec![
        "p99<1h"
            .parse::<crate::threshold::Threshold>()
            .unwrap()
            .verdict(&report),
    ];
    report.search = Some(Search {
        slo: vec!["p99<5ms".to_owned()],
        highest_rate: Some(4_000.0),
        probes: vec![Probe {
            rate: 4_000.0,
            holds: true,
            p50_ms: 0.2,
            p99_ms: 3.0,
            broken: Vec::new(),
        }],
    });
    report
}

/// A report of a run that was cut off at once.
pub(crate) fn empty() -> Report {
    let mut outcome = outcome(0);
    outcome.window = Duration::ZERO;
    outcome.cut_short = Some(CutShort::ServerGone("connection lost".to_owned()));
    build::report(setup(), environment(), &outcome)
}

fn setup() -> Setup {
    Setup {
        workload: "mixed <legal-moves=80,play=20>".to_owned(),
        endpoints: vec!["http://127.0.0.1:50051".to_owned()],
        connections: 8,
        in_flight: 8,
        lanes: 64,
        threads: 1,
        load: Load::Open {
            rate: "100".to_owned(),
            arrivals: "poisson".to_owned(),
        },
        warm_up_s: 1.0,
        duration_s: 10.0,
        timeout_s: 10.0,
        seed: 1,
        tls: false,
    }
}

fn environment() -> Environment {
    Environment {
        generator_version: "0.1.0".to_owned(),
        generator_build: "release".to_owned(),
        cpu: Some("Example CPU".to_owned()),
        processors: 2,
        kernel: Some("Linux 6.1".to_owned()),
        server: Some(Server {
            version: "0.1.0".to_owned(),
            store: "memory".to_owned(),
            engine: "example".to_owned(),
            kernel: "portable".to_owned(),
        }),
    }
}

fn outcome(calls: u32) -> Outcome {
    let from = Instant::now();
    let window = Window {
        from,
        to: from + 10 * SECOND,
    };
    let mut recorder = Recorder::new(window, SECOND);
    let mut random = Random::new(1);
    for number in 0..calls {
        let due = from + SECOND / 100 * number;
        let sent = due + Duration::from_micros(50);
        let outcome = if number % 100 == 99 {
            Err(Failure::Deadline)
        } else {
            Ok(())
        };
        let time = Duration::from_secs_f64(2e-4 / (1.001 - random.unit()));
        recorder.due(due);
        recorder.record(&Call {
            rpc: if number % 5 == 0 {
                Rpc::PlayMove
            } else {
                Rpc::ListLegalMoves
            },
            due: Some(due),
            sent,
            ended: sent + time,
            items: 1,
            outcome: &outcome,
        });
    }
    let (methods, faults, timeline) = recorder.into_parts();
    let mut punctuality = Punctuality::new();
    if calls > 0 {
        punctuality.lateness.record(Duration::from_micros(50));
        punctuality.unsent = 7;
    }
    Outcome {
        began: SystemTime::UNIX_EPOCH,
        window: 10 * SECOND,
        cut_short: None,
        methods: methods.into_iter().collect::<BTreeMap<_, _>>(),
        faults: if calls > 0 { faults } else { Faults::default() },
        timeline: if calls > 0 {
            timeline
        } else {
            Timeline::new(SECOND)
        },
        punctuality: Some(punctuality),
        cpu: vec![Some(CpuTime {
            used: SECOND,
            waited: SECOND / 10,
        })],
        reopened: 1,
        capped: None,
        transferred: (1_000_000, 500_000),
    }
}
