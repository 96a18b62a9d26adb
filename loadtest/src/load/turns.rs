//! When the lanes of a thread make their next call.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use super::line::Line;
use super::span::Span;
use super::timer::Timer;
use crate::measure::latency::Precision;
use crate::measure::{Latency, Recorder};
use crate::pace::Schedule;
use crate::random::Random;

/// A call may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// When it was due; `None` in a closed load.
    pub(crate) due: Option<Instant>,
}

/// Hands out turns.
#[derive(Debug)]
pub(crate) enum Turns {
    /// To every lane as soon as it asks.
    Closed(Rc<Span>),
    /// One after the other, when they are due.
    Open(Box<Open>),
}

impl Turns {
    /// The next turn of a lane; `None` at the end of the run.
    pub(crate) async fn next(&self, line: &Line, pauses: &mut Pauses) -> Option<Turn> {
        match self {
            Self::Closed(span) => {
                pauses.pause(span).await;
                (!span.is_seen_over()).then_some(Turn { due: None })
            }
            Self::Open(open) => open.next(line).await,
        }
    }
}

/// Turns of an open load.
///
/// The lanes that are free queue up. The first waits until the next call is due, takes it, and
/// makes room for the one behind. So calls are made in order, the connections take turns, and
/// nothing is stored about calls that are due while all lanes are busy.
#[derive(Debug)]
pub(crate) struct Open {
    span: Rc<Span>,
    timer: Timer,
    head: Mutex<Head>,
    recorder: Rc<RefCell<Recorder>>,
    punctuality: RefCell<Punctuality>,
}

/// The call that is due next.
#[derive(Debug)]
struct Head {
    due: Instant,
    schedule: Schedule,
}

/// How punctually calls were sent, within the window.
#[derive(Clone, Debug)]
pub(crate) struct Punctuality {
    /// How late calls were sent for which a lane was free: what the generator itself adds.
    pub(crate) lateness: Latency,
    /// Calls that were due while all lanes were busy, and sent later.
    pub(crate) delayed: u64,
    /// Calls that were due and never sent.
    pub(crate) unsent: u64,
}

impl Punctuality {
    pub(crate) fn new() -> Self {
        Self {
            lateness: Latency::new(Precision::Fine),
            delayed: 0,
            unsent: 0,
        }
    }

    /// Adds that of another thread.
    pub(crate) fn add(&mut self, other: &Self) {
        self.lateness.add(&other.lateness);
        self.delayed += other.delayed;
        self.unsent += other.unsent;
    }
}

impl Open {
    /// Turns by this schedule.
    pub(crate) fn new(
        span: Rc<Span>,
        mut schedule: Schedule,
        timer: Timer,
        recorder: Rc<RefCell<Recorder>>,
    ) -> Self {
        let head = Head {
            due: span.start() + schedule.next_due(),
            schedule,
        };
        Self {
            span,
            timer,
            head: Mutex::new(head),
            recorder,
            punctuality: RefCell::new(Punctuality::new()),
        }
    }

    async fn next(&self, line: &Line) -> Option<Turn> {
        let asked = Instant::now();
        loop {
            tokio::select! {
                biased;
                () = line.ready() => {}
                () = self.span.over() => return None,
            }
            let mut head = self.head.lock().await;
            // A lane that was free when the call fell due makes it, be it a little late.
            let was_free = asked <= head.due;
            if head.due >= self.span.window().to || (self.span.is_over() && !was_free) {
                return None;
            }
            tokio::select! {
                biased;
                () = self.timer.wait_until(head.due) => {}
                () = self.span.stopped() => return None,
            }
            // A lane whose connection was lost while it queued leaves the call to another.
            if line.is_open() {
                let due = head.due;
                head.due = self.span.start() + head.schedule.next_due();
                drop(head);
                self.note(due, was_free);
                return Some(Turn { due: Some(due) });
            }
        }
    }

    /// The lane that has been free for longest makes the next call: if even that one was busy when
    /// the call fell due, all were.
    fn note(&self, due: Instant, was_free: bool) {
        self.recorder.borrow_mut().due(due);
        if !self.span.window().contains(due) {
            return;
        }
        let mut punctuality = self.punctuality.borrow_mut();
        if was_free {
            punctuality.lateness.record(due.elapsed());
        } else {
            punctuality.delayed += 1;
        }
    }

    /// Counts the calls that were due and not sent, after all lanes have ended.
    pub(crate) fn finish(self) -> Punctuality {
        let Head {
            mut due,
            mut schedule,
        } = self.head.into_inner();
        let mut punctuality = self.punctuality.into_inner();
        let mut recorder = self.recorder.borrow_mut();
        let window = self.span.window();
        while due < window.to {
            if window.contains(due) {
                punctuality.unsent += 1;
            }
            recorder.due(due);
            due = self.span.start() + schedule.next_due();
        }
        punctuality
    }
}

/// The think time of one lane.
#[derive(Debug)]
pub(crate) struct Pauses {
    think: Duration,
    random: Random,
    begun: Cell<bool>,
}

impl Pauses {
    /// Pauses of `think` on average, from half to one and a half times as long.
    pub(crate) const fn new(think: Duration, random: Random) -> Self {
        Self {
            think,
            random,
            begun: Cell::new(false),
        }
    }

    async fn pause(&mut self, span: &Span) {
        if self.think.is_zero() {
            return;
        }
        // The first may be as short as nothing, so that the lanes do not begin all at once.
        let least = if self.begun.replace(true) { 0.5 } else { 0.0 };
        let time = self.think.mul_f64(least + self.random.unit());
        tokio::select! {
            () = sleep(time) => {}
            () = span.over() => {}
        }
    }
}
