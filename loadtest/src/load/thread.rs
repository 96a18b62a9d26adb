//! One generator thread: its connections, its lanes, its record.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::{JoinSet, LocalSet, spawn_local};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::lanes::{Lanes, run_lane};
use super::line::{Line, connect};
use super::plan::{Model, Plan};
use super::run::{Event, LoadError, Signal};
use super::span::Span;
use super::timer::Timer;
use super::turns::{Open, Punctuality, Turns};
use crate::measure::{CpuTime, Faults, Measured, Recorder, Timeline};
use crate::wire::{Deadlines, Rpc, Target};

/// How often a thread tells what happened, and looks whether its connections are there.
const TICK: Duration = Duration::from_millis(250);
/// How long connections may take to be closed.
const CLOSE_PATIENCE: Duration = Duration::from_millis(500);

/// What a thread brings back.
#[derive(Debug)]
pub(crate) struct ThreadOutcome {
    /// The calls by method.
    pub(crate) methods: Vec<(Rpc, Measured)>,
    /// The failed ones.
    pub(crate) faults: Faults,
    /// All by interval.
    pub(crate) timeline: Timeline,
    /// How punctual an open load was.
    pub(crate) punctuality: Option<Punctuality>,
    /// How long was measured.
    pub(crate) window: Duration,
    /// Processor time within it.
    pub(crate) cpu: Option<CpuTime>,
    /// How often a connection had to be opened again.
    pub(crate) reopened: u64,
    /// Calls in flight on a connection at most, where the peer allows fewer than asked for.
    pub(crate) capped: Option<usize>,
    /// Bytes of messages received and sent, warm-up included.
    pub(crate) transferred: (u64, u64),
}

/// Runs the thread with this number. Ends when all its calls have ended.
pub(crate) fn generate(
    plan: &Arc<Plan>,
    number: usize,
    events: &mpsc::UnboundedSender<Event>,
    signal: watch::Receiver<Signal>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let ended = match runtime {
        Ok(runtime) => LocalSet::new().block_on(&runtime, async {
            let lines = Lines::open(plan, number).await?;
            // Nobody listens any more when another thread has failed.
            let _ = events.send(Event::Ready);
            lines.run(plan, number, events, signal).await
        }),
        Err(error) => Err(LoadError::Thread(error)),
    };
    let _ = events.send(Event::Ended(ended.map(Box::new)));
}

/// The connections of a thread.
#[derive(Debug)]
struct Lines {
    lines: Vec<OpenLine>,
    capped: Option<usize>,
    timer: Timer,
}

/// A connection with its place in the run.
#[derive(Debug)]
struct OpenLine {
    number: usize,
    in_flight: usize,
    target: Rc<Target>,
    line: Rc<Line>,
}

impl Lines {
    async fn open(plan: &Plan, thread: usize) -> Result<Self, LoadError> {
        let mut lines = Vec::new();
        let mut capped = None;
        for number in plan.connections_of(thread) {
            let target = Rc::new(plan.targets[number % plan.targets.len()].clone());
            let link = connect(&target, plan.patience).await?;
            let asked = plan.in_flight.get();
            let streams = plan.workload.open_streams(plan.lanes_of(number, asked));
            let spare = link.max_in_flight().checked_sub(streams);
            let allowed = if plan.workload.stays_on_its_streams() {
                // However many messages are on the way, they take no more streams.
                spare.map(|_| asked)
            } else {
                spare.filter(|spare| *spare > 0)
            };
            let allowed = allowed.ok_or_else(|| LoadError::TooManyStreams {
                streams,
                allowed: link.max_in_flight(),
            })?;
            if allowed < asked {
                capped = Some(allowed);
            }
            let in_flight = asked.min(allowed);
            lines.push(OpenLine {
                number,
                in_flight,
                target,
                line: Rc::new(Line::new(link, plan.lanes_of(number, in_flight), in_flight)),
            });
        }
        Ok(Self {
            lines,
            capped,
            timer: Timer::exact(),
        })
    }

    async fn run(
        mut self,
        plan: &Arc<Plan>,
        thread: usize,
        events: &mpsc::UnboundedSender<Event>,
        mut signal: watch::Receiver<Signal>,
    ) -> Result<ThreadOutcome, LoadError> {
        let start = loop {
            match *signal.borrow_and_update() {
                Signal::Wait => {}
                Signal::Start(start) => break start,
                Signal::Stop => return Err(LoadError::Cancelled),
            }
            signal.changed().await.map_err(|_| LoadError::Cancelled)?;
        };
        let span = Rc::new(Span::new(start, plan.warm_up, plan.duration));
        let recorder = Recorder::new(span.window(), plan.interval());
        let recorder = Rc::new(RefCell::new(recorder));
        let timer = std::mem::replace(&mut self.timer, Timer::Runtime);
        let lanes = Rc::new(Lanes {
            plan: Arc::clone(plan),
            turns: turns(plan, thread, timer, &span, &recorder),
            span: Rc::clone(&span),
            recorder: Rc::clone(&recorder),
            deadlines: Deadlines::new(plan.timeout),
            lines: self
                .lines
                .iter()
                .map(|open| Rc::clone(&open.line))
                .collect(),
        });
        let mut helpers = self.start_helpers(plan, &span, &recorder, events, signal);
        helpers.spawn_local(lanes.deadlines.clone().watch());
        let cpu = spawn_local(cpu_within(Rc::clone(&span)));
        self.run_lanes(&lanes).await;
        drop(helpers);
        let (transferred, reopened) = self.close().await;
        let turns = Rc::into_inner(lanes).map(|lanes| lanes.turns);
        let punctuality = match turns {
            Some(Turns::Open(open)) => Some(open.finish()),
            Some(Turns::Closed(_)) | None => None,
        };
        let window = span.window();
        let recorder = recorder.replace(Recorder::new(window, plan.interval()));
        let (methods, faults, timeline) = recorder.into_parts();
        Ok(ThreadOutcome {
            methods,
            faults,
            timeline,
            punctuality,
            window: window.to.saturating_duration_since(window.from),
            cpu: cpu.await.ok().flatten(),
            reopened,
            capped: self.capped,
            transferred,
        })
    }

    /// What goes on beside the lanes. It ends when the set is dropped.
    fn start_helpers(
        &self,
        plan: &Plan,
        span: &Rc<Span>,
        recorder: &Rc<RefCell<Recorder>>,
        events: &mpsc::UnboundedSender<Event>,
        signal: watch::Receiver<Signal>,
    ) -> JoinSet<()> {
        let mut helpers = JoinSet::new();
        for OpenLine { target, line, .. } in &self.lines {
            let (target, line, patience) = (Rc::clone(target), Rc::clone(line), plan.patience);
            helpers.spawn_local(async move { line.keep_open(&target, patience).await });
        }
        helpers.spawn_local(obey(signal, Rc::clone(span)));
        let watched = Rc::clone(span);
        helpers.spawn_local(async move { watched.watch().await });
        helpers.spawn_local(tell_live(events.clone(), Rc::clone(recorder)));
        let lines = self.lines.iter().map(|open| Rc::clone(&open.line));
        helpers.spawn_local(despair(
            lines.collect(),
            plan.patience,
            events.clone(),
            Rc::clone(span),
        ));
        helpers
    }

    async fn run_lanes(&self, all: &Rc<Lanes>) {
        let plan = &all.plan;
        // The first lane of each connection, then the second, so that they take turns.
        let mut lanes = Vec::new();
        for open in &self.lines {
            let count = plan.lanes_of(open.number, open.in_flight);
            // Numbers with gaps, where connections have different numbers of lanes, do no harm.
            let first = open.number * plan.lanes_of(0, plan.in_flight.get());
            let numbered = plan.workload.lanes(first, count).into_iter().zip(first..);
            lanes.extend((0..).zip(numbered).map(|(rank, lane)| (rank, open, lane)));
        }
        lanes.sort_by_key(|(rank, ..)| *rank);
        let mut running = JoinSet::new();
        for (_, open, (lane, number)) in lanes {
            running.spawn_local(run_lane(
                Rc::clone(all),
                Rc::clone(&open.line),
                lane,
                number,
            ));
        }
        while running.join_next().await.is_some() {}
    }

    /// Closes the connections; the bytes they transferred, and how often they were reopened.
    async fn close(&self) -> ((u64, u64), u64) {
        let mut transferred = (0, 0);
        let mut reopened = 0;
        for OpenLine { line, .. } in &self.lines {
            reopened += line.reopened();
            if let Some(link) = line.take() {
                // What cannot be closed in time is cut off with the thread.
                let _ = timeout(CLOSE_PATIENCE, link.close()).await;
            }
            let (received, sent) = line.transferred();
            transferred = (transferred.0 + received, transferred.1 + sent);
        }
        (transferred, reopened)
    }
}

fn turns(
    plan: &Plan,
    thread: usize,
    timer: Timer,
    span: &Rc<Span>,
    recorder: &Rc<RefCell<Recorder>>,
) -> Turns {
    match &plan.model {
        Model::Closed(_) => Turns::Closed(Rc::clone(span)),
        Model::Open(schedule) => {
            let part = |number| u32::try_from(number).unwrap_or(u32::MAX);
            let schedule = schedule
                .clone()
                .part(part(thread), part(plan.threads.get()));
            Turns::Open(Box::new(Open::new(
                Rc::clone(span),
                schedule,
                timer,
                Rc::clone(recorder),
            )))
        }
    }
}

/// Ends the run when told to.
async fn obey(mut signal: watch::Receiver<Signal>, span: Rc<Span>) {
    // Without a sender there will be no signal.
    if signal
        .wait_for(|signal| matches!(signal, Signal::Stop))
        .await
        .is_ok()
    {
        span.stop();
    }
}

/// Ends the run when there has been no connection for too long.
async fn despair(
    lines: Vec<Rc<Line>>,
    patience: Duration,
    events: mpsc::UnboundedSender<Event>,
    span: Rc<Span>,
) {
    loop {
        sleep(TICK).await;
        let lost: Option<Vec<_>> = lines.iter().map(|line| line.lost()).collect();
        let last = lost.and_then(|lost| lost.into_iter().max_by_key(|lost| lost.since));
        if let Some(lost) = last.filter(|lost| lost.since.elapsed() >= patience) {
            let _ = events.send(Event::Gone(lost.why));
            span.stop();
            return;
        }
    }
}

/// The processor time that this thread uses within the window.
async fn cpu_within(span: Rc<Span>) -> Option<CpuTime> {
    sleep_until(span.window().from).await;
    let before = CpuTime::of_thread()?;
    span.over().await;
    Some(CpuTime::of_thread()?.since(before))
}

async fn tell_live(events: mpsc::UnboundedSender<Event>, recorder: Rc<RefCell<Recorder>>) {
    let mut ticks = tokio::time::interval_at(Instant::now() + TICK, TICK);
    loop {
        ticks.tick().await;
        let live = recorder.borrow_mut().take_live();
        if events.send(Event::Live(Box::new(live))).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
