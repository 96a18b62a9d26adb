//! The engine as a player of stored games.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reversi_engine::search::{Analysis, Limits, Query};
use reversi_engine::{Level, Move, Turn};

use crate::compute::{Allowance, Priority};
use crate::engines::Engines;
use crate::evaluations::Evaluations;
use crate::session::{EventNumber, GameId, Session};

/// The engine as a player of stored games. It thinks on the threads of suggestions, after those
/// that somebody waits for.
#[derive(Debug)]
pub struct EnginePlayer {
    engines: Arc<Engines>,
    evaluations: Evaluations,
    time: Duration,
    /// The games that it thinks about, each after so many events.
    at: Mutex<HashSet<(GameId, EventNumber)>>,
}

/// What the engine has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thought {
    /// This move.
    Move(Move),
    /// Nothing: its threads have no room.
    Busy,
    /// Nothing: it thinks about this already.
    AtIt,
}

/// The engine thinks about a game while this lives.
struct Guard<'a> {
    player: &'a EnginePlayer,
    game: (GameId, EventNumber),
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.player.at().remove(&self.game);
    }
}

impl EnginePlayer {
    /// A player that takes so long for a move at most, from when a thread is free for it.
    #[must_use]
    pub fn new(engines: Arc<Engines>, evaluations: Evaluations, time: Duration) -> Self {
        Self {
            engines,
            evaluations,
            time,
            at: Mutex::default(),
        }
    }

    /// How long it takes for a move at most.
    #[must_use]
    pub const fn time(&self) -> Duration {
        self.time
    }

    fn at(&self) -> MutexGuard<'_, HashSet<(GameId, EventNumber)>> {
        self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Thinks about the next move of a game that goes on.
    pub(super) async fn think(&self, id: GameId, session: &Session, level: Level) -> Thought {
        let game = (id, session.event_number());
        if !self.at().insert(game) {
            return Thought::AtIt;
        }
        let _guard = Guard { player: self, game };
        let position = session.game().position();
        let legal = position.legal_moves();
        match position.turn() {
            Turn::Pass => Thought::Move(Move::Pass),
            Turn::Move if legal.count() == 1 => {
                let only = legal.iter().next();
                only.map_or(Thought::Busy, |square| Thought::Move(Move::Place(square)))
            }
            Turn::Move | Turn::Over(_) => self.search(id, session, level).await,
        }
    }

    async fn search(&self, id: GameId, session: &Session, level: Level) -> Thought {
        let position = *session.game().position();
        let objective = session.game().rules().objective;
        let asked = Query {
            limits: Limits::default(),
            lines: 1,
        };
        let query = level.query(&position, &asked);
        let allowance = Allowance {
            time: Some(self.time),
            priority: Priority::Background,
            ..Allowance::default()
        };
        let evaluations = self.evaluations.clone();
        let search = self
            .engines
            .run_timely(allowance, move |engine, control, best| {
                let tell = &mut |step: &Analysis| best.tell(step.clone());
                engine.analyze(evaluations.of(objective), &position, &query, control, tell)
            });
        let Ok(search) = search else {
            return Thought::Busy;
        };
        let Ok(Some(analysis)) = search.answer().await else {
            return Thought::Busy;
        };
        let chosen = level.pick(&analysis, &position, objective, id.seed());
        let line = analysis.lines.get(chosen);
        let mv = line.and_then(|line| line.moves.first().copied());
        mv.map_or(Thought::Busy, Thought::Move)
    }
}
