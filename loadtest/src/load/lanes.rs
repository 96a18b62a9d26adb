//! The lanes of a thread.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::caller::Caller;
use super::line::Line;
use super::plan::{Model, Plan};
use super::span::Span;
use super::turns::{Pauses, Turns};
use crate::measure::Recorder;
use crate::random::Random;
use crate::wire::Deadlines;
use crate::workload::Lane;

/// What the lanes of a thread have in common.
#[derive(Debug)]
pub(super) struct Lanes {
    /// The run.
    pub(super) plan: Arc<Plan>,
    /// Its time.
    pub(super) span: Rc<Span>,
    /// Who makes the next call.
    pub(super) turns: Turns,
    /// What has become of the calls.
    pub(super) recorder: Rc<RefCell<Recorder>>,
    /// Until when they have to be answered.
    pub(super) deadlines: Deadlines,
    /// The connections.
    pub(super) lines: Vec<Rc<Line>>,
}

impl Lanes {
    /// Any connection that is open.
    pub(super) fn open_line(&self) -> Option<&Rc<Line>> {
        self.lines.iter().find(|line| line.is_open())
    }
}

/// Makes the calls of one lane until the run is over.
pub(super) async fn run_lane(lanes: Rc<Lanes>, line: Rc<Line>, mut lane: Lane, number: usize) {
    let think = match lanes.plan.model {
        Model::Closed(think) => think,
        Model::Open(_) => Duration::ZERO,
    };
    let mut pauses = Pauses::new(think, Random::for_part(lanes.plan.seed, number as u64));
    let Some(mut caller) = Caller::new(&lanes, &line) else {
        // Lost before the first call; the connections were open when the run began.
        return;
    };
    while let Some(turn) = lanes.turns.next(&line, &mut pauses).await {
        tokio::select! {
            biased;
            () = caller.go_home() => {}
            () = lanes.span.over() => break,
        }
        lane.call(&mut caller, turn.due).await;
    }
    if line.is_open() {
        caller.go_home().await;
        lane.finish(&mut caller).await;
    }
}
