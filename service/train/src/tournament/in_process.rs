//! The engine as a player.

use std::sync::Arc;

use reversi_engine::Game;
use reversi_engine::search::{Engine, Evaluation, Query};

use super::pace::Pace;
use super::player::{Choice, Fault, FaultKind, Player};
use crate::positions::Deadline;

/// The engine, in this process.
#[derive(Debug)]
pub(crate) struct InProcess {
    pub(crate) engine: Engine,
    pub(crate) evaluation: Arc<Evaluation>,
    pub(crate) pace: Pace,
}

impl Player for InProcess {
    fn begin(&mut self, _game: &Game, _seed: u64) -> Result<(), Fault> {
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Choice, Fault> {
        let query = Query {
            limits: self.pace.limits(),
            lines: 1,
        };
        let control = Deadline::after(self.pace.time);
        let found = self.engine.analyze(
            &self.evaluation,
            game.position(),
            &query,
            &control,
            &mut |_| {},
        );
        found
            .and_then(|found| {
                let line = found.lines.first()?;
                Some(Choice {
                    mv: *line.moves.first()?,
                    nodes: found.nodes,
                })
            })
            .ok_or_else(|| Fault {
                kind: FaultKind::Nonsense,
                detail: "no move".to_owned(),
            })
    }
}
