//! Searching the root of the tree to one depth, on one thread or several.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::bitboard::Bitboard;
use crate::eval::DISC;
use crate::kernel::Kernel;
use crate::kernel::isa::{Isa, IsaVisitor};
use crate::moves::Move;

use super::node::Node;
use super::pvs::open;
use super::selectivity::Selectivity;
use super::worker::{Shared, Stopped, Worker};

/// Half the width of the first window around the expected value, in hundredths of a disc.
const HALF_WINDOW: i32 = 3 * DISC;
/// The widest window: just beyond every value.
const WIDE: i32 = 65 * DISC;
/// Searches less deep than this are over before another thread has begun.
const PARALLEL_DEPTH: u32 = 8;

/// What is to be searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub(super) node: Node,
    /// Moves of the root that are left out.
    pub(super) without: Bitboard,
    pub(super) depth: u32,
    pub(super) selectivity: Selectivity,
    /// The expected value.
    pub(super) guess: Option<i32>,
}

/// What is known about a board after searching it.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The value for the mover, in hundredths of a disc.
    pub(super) value: i32,
    /// The best line, beginning with the mover's move.
    pub(super) line: Vec<Move>,
}

/// The end of a search of the root.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It was searched whole.
    Complete(Found),
    /// The search was stopped. The best move up to then, if there was one.
    Partial(Option<Found>),
}

/// Searches a board on which somebody can move.
pub(super) fn search(shared: &Shared<'_>, task: &Task, must_end: bool) -> Outcome {
    let finished = AtomicBool::new(false);
    let new_worker = || {
        let worker = Worker::new(shared, task, &finished);
        if must_end {
            worker.unstoppable()
        } else {
            worker
        }
    };
    let run = |worker: &mut Worker<'_>| Kernel::best().with_isa(Deepen { worker, task });
    let mut worker = new_worker();
    if shared.threads == 1 || task.depth < PARALLEL_DEPTH {
        return match run(&mut worker) {
            Ok(found) => Outcome::Complete(found),
            Err(Stopped) => Outcome::Partial(worker.partial.take()),
        };
    }
    let first = Mutex::new(None);
    let race = |worker: &mut Worker<'_>| {
        if let Ok(found) = run(worker) {
            finished.store(true, Relaxed);
            let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(found);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..shared.threads {
            scope.spawn(|| race(&mut new_worker()));
        }
        race(&mut worker);
    });
    match first.into_inner() {
        Ok(Some(found)) => Outcome::Complete(found),
        _ => Outcome::Partial(worker.partial.take()),
    }
}

struct Deepen<'a, 'b> {
    worker: &'a mut Worker<'b>,
    task: &'a Task,
}

impl IsaVisitor for Deepen<'_, '_> {
    type Output = Result<Found, Stopped>;

    /// Searches with a window around the guess that grows on the side where the value lies.
    fn visit<I: Isa>(self, isa: I) -> Self::Output {
        let Self { worker, task } = self;
        let mut half = HALF_WINDOW;
        let (mut alpha, mut beta) = task.guess.map_or((-WIDE, WIDE), |guess| {
            ((guess - half).max(-WIDE), (guess + half).min(WIDE))
        });
        loop {
            let value = open(isa, worker, &task.node, task.depth, (alpha, beta), 0)?;
            half *= 2;
            if value <= alpha && alpha > -WIDE {
                beta = alpha + 1;
                alpha = (value - half).max(-WIDE);
            } else if value >= beta && beta < WIDE {
                alpha = beta - 1;
                beta = (value + half).min(WIDE);
            } else {
                return Ok(Found {
                    value,
                    line: worker.lines.at(0).to_vec(),
                });
            }
        }
    }
}
