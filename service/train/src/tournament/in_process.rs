//! The engine as a player, at its full strength or at a level below it.

use std::sync::Arc;

use reversi_engine::search::{Engine, Evaluation, Query};
use reversi_engine::{Game, Level, Move};

use super::pace::Pace;
use super::player::{Choice, Fault, FaultKind, Player};
use crate::positions::Deadline;

/// The engine, in this process.
#[derive(Debug)]
pub(crate) struct InProcess {
    engine: Engine,
    evaluation: Arc<Evaluation>,
    level: Level,
    pace: Pace,
    seed: u64,
    /// It has chosen a move of this game.
    has_moved: bool,
}

impl InProcess {
    pub(crate) const fn new(
        engine: Engine,
        evaluation: Arc<Evaluation>,
        level: Level,
        pace: Pace,
    ) -> Self {
        Self {
            engine,
            evaluation,
            level,
            pace,
            seed: 0,
            has_moved: false,
        }
    }
}

impl Player for InProcess {
    fn begin(&mut self, _game: &Game, seed: u64) -> Result<(), Fault> {
        self.seed = seed;
        self.has_moved = false;
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Choice, Fault> {
        let query = Query {
            limits: self.pace.limits(),
            lines: 1,
        };
        // The levels below see what they see, whatever came before.
        if self.has_moved && self.level == Level::HIGHEST {
            self.engine.go_on();
        }
        self.has_moved = true;
        let control = Deadline::after(self.pace.time);
        let found = self.level.choose(
            &mut self.engine,
            &self.evaluation,
            game.position(),
            &query,
            self.seed,
            &control,
        );
        let chosen: Option<(Move, u64)> =
            found.and_then(|found| Some((found.mv()?, found.analysis.nodes)));
        let (mv, nodes) = chosen.ok_or_else(|| Fault {
            kind: FaultKind::Nonsense,
            detail: "no move".to_owned(),
        })?;
        Ok(Choice { mv, nodes })
    }
}
