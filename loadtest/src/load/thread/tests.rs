//! Whole runs of one thread against a server in memory, in a time that stands still unless it is
//! waited for: every figure is exact.

use std::cell::Cell;
use std::num::NonZeroUsize;

use h2::RecvStream;
use http::Request;

use super::*;
use crate::load::Checks;
use crate::measure::Measured;
use crate::pace::{Arrivals, Profile, Schedule};
use crate::wire::fake::{self, Answer};
use crate::workload::messages::EchoMessage;
use crate::workload::{Kind, Pool, Workload};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

fn plan(model: Model, in_flight: usize) -> Plan {
    Plan {
        targets: vec![fake::target(None)],
        connections: NonZeroUsize::MIN,
        in_flight: NonZeroUsize::new(in_flight).unwrap(),
        lanes: None,
        threads: NonZeroUsize::MIN,
        workload: Workload::One(Kind::Calls(Pool::echo(4))),
        model,
        warm_up: SECOND,
        duration: 10 * SECOND,
        timeout: 5 * SECOND,
        patience: 3 * SECOND,
        checks: Checks::All,
        seed: 1,
    }
}

fn open(rate: f64) -> Model {
    let profile = Profile::constant(rate).after(SECOND);
    Model::Open(Schedule::new(profile, Arrivals::Even, 1))
}

fn right() -> Answer {
    Answer::message(&EchoMessage {
        payload: vec![0x5a; 4].into(),
    })
}

/// Runs a plan against a server with this script.
fn run(plan: Plan, script: impl Fn(&Request<RecvStream>) -> Answer + 'static) -> ThreadOutcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    LocalSet::new().block_on(&runtime, async {
        let link = fake::link(script).await;
        let in_flight = plan.in_flight.get();
        let lines = Lines {
            lines: vec![OpenLine {
                number: 0,
                in_flight,
                target: Rc::new(fake::target(None)),
                line: Rc::new(Line::new(link, plan.lanes_of(0, in_flight), in_flight)),
            }],
            capped: None,
            timer: Timer::Runtime,
        };
        let (events, _listening) = mpsc::unbounded_channel();
        let (_signal, signalled) = watch::channel(Signal::Start(Instant::now()));
        lines
            .run(&Arc::new(plan), 0, &events, signalled)
            .await
            .unwrap()
    })
}

fn echo(outcome: &ThreadOutcome) -> &Measured {
    &outcome
        .methods
        .iter()
        .find(|(rpc, _)| *rpc == Rpc::Echo)
        .unwrap()
        .1
}

/// Answers at once, but from the 4th to the 6th second of the run not at all.
fn stalling() -> impl Fn(&Request<RecvStream>) -> Answer {
    let start = Cell::new(None);
    move |_| {
        let now = Instant::now();
        let start = start.get().unwrap_or_else(|| {
            start.set(Some(now));
            now
        });
        let since = now - start;
        let stalled = (4 * SECOND..6 * SECOND).contains(&since);
        right().after(if stalled {
            6 * SECOND - since
        } else {
            Duration::ZERO
        })
    }
}

#[test]
fn a_stall_shows_in_the_latency_from_due_and_hardly_in_that_from_sending() {
    let outcome = run(plan(open(100.0), 1), stalling());
    let echo = echo(&outcome);
    assert_eq!((echo.ok, echo.errors), (1_000, 0));
    // One call met the stall: 0.1 % of them.
    assert!(
        echo.from_sent.quantile(0.99) <= MS,
        "{:?}",
        echo.from_sent.quantile(0.99)
    );
    assert_eq!(echo.from_sent.max().as_secs(), 2);
    // But 200 calls were due in it, and waited for one second on average.
    let p90 = echo.from_due.quantile(0.9);
    assert!((p90.as_secs_f64() - 1.0).abs() < 0.02, "{p90:?}");
    let mean = echo.from_due.mean();
    assert!((mean.as_secs_f64() - 0.2).abs() < 0.01, "{mean:?}");
}

#[test]
fn calls_that_wait_for_a_lane_are_counted() {
    let outcome = run(plan(open(100.0), 1), stalling());
    let punctuality = outcome.punctuality.clone().unwrap();
    // All that were due during the stall but the first; the one at its end found a free lane.
    assert!(
        (198..=200).contains(&punctuality.delayed),
        "{punctuality:?}"
    );
    assert_eq!(punctuality.unsent, 0);
}

#[test]
fn calls_are_sent_when_they_are_due() {
    let outcome = run(plan(open(50.0), 4), |_| right());
    let punctuality = outcome.punctuality.clone().unwrap();
    assert_eq!((punctuality.delayed, punctuality.unsent), (0, 0));
    assert_eq!(echo(&outcome).ok, 500);
    assert!(
        punctuality.lateness.max() <= MS,
        "{:?}",
        punctuality.lateness.max()
    );
    for interval in outcome.timeline.intervals() {
        assert_eq!((interval.due, interval.ok), (50, 50));
    }
}

#[test]
fn calls_that_were_due_and_never_sent_are_counted() {
    // A second for each call, four at a time: 4/s of the 10/s asked for.
    let outcome = run(plan(open(10.0), 4), |_| right().after(SECOND));
    let punctuality = outcome.punctuality.clone().unwrap();
    let echo = echo(&outcome);
    assert_eq!(echo.ok + punctuality.unsent, 100);
    // 110 were due from the start on, and 44 made until the end.
    assert_eq!(punctuality.unsent, 66);
    let due: u64 = outcome
        .timeline
        .intervals()
        .iter()
        .map(|interval| interval.due)
        .sum();
    assert_eq!(due, 100);
}

#[test]
fn a_closed_load_makes_the_next_call_when_the_last_one_has_ended() {
    let outcome = run(plan(Model::Closed(Duration::ZERO), 3), |_| {
        right().after(100 * MS)
    });
    let echo = echo(&outcome);
    assert_eq!(echo.ok, 3 * 100);
    assert_eq!(echo.from_due.count(), 0);
    assert_eq!(echo.from_sent.quantile(0.5).as_millis(), 100);
}

#[test]
fn lanes_that_think_make_fewer_calls() {
    let outcome = run(plan(Model::Closed(100 * MS), 10), |_| right());
    // Ten lanes, ten calls a second each.
    let ok = echo(&outcome).ok;
    assert!((950..1_050).contains(&ok), "{ok}");
}

#[test]
fn a_call_without_an_answer_ends_at_its_deadline_and_is_not_left_out() {
    let outcome = run(plan(Model::Closed(Duration::ZERO), 2), |_| {
        right().after(60 * SECOND)
    });
    let echo = echo(&outcome);
    assert_eq!((echo.ok, echo.errors), (0, 4));
    assert_eq!(echo.from_sent.quantile(0.5).as_secs(), 5);
    let (kind, fault) = outcome.faults.iter().next().unwrap();
    assert_eq!((kind.code, fault.count), ("DEADLINE_EXCEEDED", 4));
}

#[test]
fn a_wrong_answer_is_a_failure() {
    let wrong = || Answer::message(&EchoMessage::default());
    let outcome = run(plan(open(10.0), 2), move |_| wrong());
    assert_eq!((echo(&outcome).ok, echo(&outcome).errors), (0, 100));
    let (kind, _) = outcome.faults.iter().next().unwrap();
    assert_eq!(kind.reason, "(wrong answer)");
}

#[test]
fn the_warm_up_is_not_measured() {
    let mut plan = plan(open(10.0), 2);
    plan.warm_up = 3 * SECOND;
    plan.model = Model::Open(Schedule::new(
        Profile::constant(10.0).after(3 * SECOND),
        Arrivals::Even,
        1,
    ));
    let calls = Rc::new(Cell::new(0));
    let counted = Rc::clone(&calls);
    let outcome = run(plan, move |_| {
        counted.set(counted.get() + 1);
        right()
    });
    assert_eq!((echo(&outcome).ok, calls.get()), (100, 130));
}

#[test]
fn no_more_calls_are_in_flight_than_allowed() {
    let mut plan = plan(Model::Closed(Duration::ZERO), 3);
    plan.lanes = NonZeroUsize::new(20);
    let calls = Rc::new(Cell::new(0));
    let counted = Rc::clone(&calls);
    run(plan, move |_| {
        counted.set(counted.get() + 1);
        right().after(100 * MS)
    });
    // Three at a time for eleven seconds, and once more while the lanes end.
    assert!((300..=3 * 118).contains(&calls.get()), "{}", calls.get());
}
