//! What the positions of a phase are worth: those near the end are solved, those before are
//! searched with what has been learned of the phases behind them.

use clap::Args;
use indicatif::ProgressBar;
use reversi_engine::Board;
use reversi_engine::search::{Engine, Evaluation};

use crate::run::{self, Run};
use crate::{Objective, Outcome, parallel, progress};

/// How deep to look.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Label {
    /// Positions with at most so many empty squares are solved.
    #[arg(long, default_value_t = 12)]
    solve: u32,
    /// The others are worth the mean of a search so deep and one a disc less deep.
    #[arg(long, default_value_t = 4)]
    depth: u32,
}

/// A table of this many bytes for each thread: what a second-level cache holds.
const TABLE_BYTES: usize = 1 << 18;

impl Label {
    /// Makes the labels of a phase, unless they are there.
    pub(crate) fn run(
        &self,
        run: &Run,
        objective: Objective,
        phase: usize,
        threads: usize,
    ) -> Outcome {
        let positions = run.need(&run::positions(phase), "selfplay")?;
        let behind = match phase.checked_sub(1) {
            Some(behind) => run::checksum(&run.need(&run::weights(behind), "fit")?.content),
            None => String::from("none"),
        };
        let header = format!(
            "labels phase={phase} solve={} depth={} positions={} behind={behind}",
            self.solve,
            self.depth,
            run::checksum(positions.header.as_bytes()),
        );
        if run.has(&run::labels(phase), &header)? {
            return Ok(());
        }
        let evaluation = run.evaluation(objective.into(), phase)?;
        let boards = run.positions(phase)?;
        let bar = progress::bar(&format!("phase {phase}: labels"), boards.len());
        let values = self.values(&evaluation, &boards, threads, &bar);
        bar.finish_and_clear();
        run.put(&run::labels(phase), &header, &run::bytes_of_floats(&values))?;
        Ok(())
    }

    fn values(
        &self,
        evaluation: &Evaluation,
        boards: &[Board],
        threads: usize,
        bar: &ProgressBar,
    ) -> Vec<f32> {
        parallel::map(boards, threads, TABLE_BYTES, bar, |engine, board| {
            self.value(engine, evaluation, board)
        })
    }

    /// What a board is worth, in discs.
    fn value(&self, engine: &mut Engine, evaluation: &Evaluation, board: Board) -> f32 {
        let empties = board.empties_count();
        if empties <= self.solve {
            return engine.value(evaluation, board, empties) as f32 / 100.0;
        }
        // Weights are too kind to the side to move, because in the games that they are learned
        // from the move before was not always a good one. A leaf that is evaluated for the mover
        // hands that on to the phase before, and so on to the first one; the mean of an odd and an
        // even depth does not.
        let depth = self.depth.max(2);
        let (one, other) = (
            engine.value(evaluation, board, depth),
            engine.value(evaluation, board, depth - 1),
        );
        (one + other) as f32 / 200.0
    }
}
