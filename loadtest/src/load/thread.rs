//! One generator thread: its connections, its lanes, its record.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::{JoinSet, LocalSet, spawn_local};
use tokio::time::{Instant, sleep_until};

use super::caller::{Caller, Checks};
use super::line::Line;
use super::plan::{Model, Plan, interval_width};
use super::run::{Event, LoadError};
use super::turns::Turns;
use crate::measure::{CpuTime, Faults, Interval, Measured, Recorder, Timeline, Window};
use crate::wire::{Deadline, Rpc};
use crate::workload::Lane;

/// How often a thread tells what happened.
const LIVE_EVERY: Duration = Duration::from_millis(250);
/// How long a connection may take to be opened.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);

/// What a thread brings back.
#[derive(Debug)]
pub(crate) struct ThreadOutcome {
    /// The calls by method.
    pub(crate) methods: Vec<(Rpc, Measured)>,
    /// The failed ones.
    pub(crate) faults: Faults,
    /// All by interval.
    pub(crate) timeline: Timeline,
    /// Processor time within the measured part of the run.
    pub(crate) cpu: Option<Duration>,
    /// How often a connection had to be opened again.
    pub(crate) reopened: u64,
}

/// Runs the thread with this number. Ends when all its calls have ended.
pub(crate) fn generate(
    plan: &Arc<Plan>,
    number: usize,
    events: &mpsc::UnboundedSender<Event>,
    start: watch::Receiver<Option<Instant>>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let ended = match runtime {
        Ok(runtime) => {
            LocalSet::new().block_on(&runtime, generate_here(plan, number, events, start))
        }
        Err(error) => Err(LoadError::Thread(error)),
    };
    // Nobody listens any more when another thread has failed.
    let _ = events.send(Event::Ended(ended.map(Box::new)));
}

async fn generate_here(
    plan: &Arc<Plan>,
    number: usize,
    events: &mpsc::UnboundedSender<Event>,
    mut start: watch::Receiver<Option<Instant>>,
) -> Result<ThreadOutcome, LoadError> {
    let lines = open_lines(plan, number).await?;
    let _ = events.send(Event::Ready);
    let Ok(start) = start.wait_for(Option::is_some).await.map(|start| *start) else {
        return Err(LoadError::Cancelled);
    };
    let start = start.unwrap_or_else(Instant::now);
    let window = Window {
        from: start + plan.warm_up,
        to: start + plan.warm_up + plan.duration,
    };
    let recorder = Recorder::new(window, interval_width(plan.duration));
    let recorder = Rc::new(RefCell::new(recorder));
    let turns = Rc::new(match plan.model {
        Model::Closed => Turns::Closed { end: window.to },
    });
    for line in &lines {
        let line = Rc::clone(line);
        spawn_local(async move { line.keep_open().await });
    }
    let mut lanes = JoinSet::new();
    for (index, line) in lines.iter().enumerate() {
        let first = (number + index * plan.threads.get()) * plan.in_flight.get();
        for lane in first..first + plan.in_flight.get() {
            lanes.spawn_local(run_lane(
                plan.workload.lane(lane),
                Rc::clone(line),
                Rc::clone(&turns),
                Deadline::new(plan.deadline),
                Rc::clone(&recorder),
            ));
        }
    }
    let cpu = spawn_local(cpu_within(window));
    let telling = spawn_local(tell_live(events.clone(), Rc::clone(&recorder)));
    while lanes.join_next().await.is_some() {}
    telling.abort();
    // Lets go of what the task held.
    let _ = telling.await;
    let recorder = Rc::try_unwrap(recorder).map(RefCell::into_inner);
    let (methods, faults, timeline) = recorder.map_err(|_| LoadError::Cancelled)?.into_parts();
    Ok(ThreadOutcome {
        methods,
        faults,
        timeline,
        cpu: cpu.await.ok().flatten(),
        reopened: lines.iter().map(|line| line.reopened()).sum(),
    })
}

async fn open_lines(plan: &Plan, number: usize) -> Result<Vec<Rc<Line>>, LoadError> {
    let mut lines = Vec::new();
    for index in (number..plan.connections.get()).step_by(plan.threads.get()) {
        let target = Rc::new(plan.targets[index % plan.targets.len()].clone());
        lines.push(Rc::new(Line::open(target, CONNECT_PATIENCE).await?));
    }
    Ok(lines)
}

async fn run_lane(
    mut lane: Lane,
    line: Rc<Line>,
    turns: Rc<Turns>,
    deadline: Deadline,
    recorder: Rc<RefCell<Recorder>>,
) {
    let link = line.wait().await;
    let mut caller = Caller::new(link, line, deadline, recorder, Checks::WarmUp);
    while let Some(turn) = turns.next().await {
        caller.refresh().await;
        lane.call(&mut caller, turn.due).await;
    }
}

/// The processor time that this thread uses within the window.
async fn cpu_within(window: Window) -> Option<Duration> {
    sleep_until(window.from).await;
    let before = CpuTime::of_thread()?;
    sleep_until(window.to).await;
    Some(CpuTime::of_thread()?.0.saturating_sub(before.0))
}

async fn tell_live(events: mpsc::UnboundedSender<Event>, recorder: Rc<RefCell<Recorder>>) {
    let mut ticks = tokio::time::interval(LIVE_EVERY);
    loop {
        ticks.tick().await;
        let live: Interval = recorder.borrow_mut().take_live();
        if events.send(Event::Live(Box::new(live))).is_err() {
            return;
        }
    }
}
