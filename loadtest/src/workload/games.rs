//! Games that are played again move by move.

use std::sync::Arc;

use reversi_engine::notation::{Syntax, TranscriptError, replay};
use reversi_engine::{Game, MoveKind, Position, RuleSet, Turn};
use reversi_proto::v1;

use super::positions;
use crate::random::Random;

/// So many different games that no two lanes are alike for long.
const RANDOM_GAMES: usize = 512;

/// A move as a player sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// Who moves.
    pub(crate) side: v1::Color,
    /// Where.
    pub(crate) square: String,
    /// The moves of the history before it.
    pub(crate) ply: i32,
    /// The position after it and after a forced pass.
    pub(crate) after: Position,
}

/// Games, move by move, without the passes that the service enters itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Games(Arc<[Vec<Step>]>);

impl Games {
    /// Random games for this seed.
    pub(crate) fn random(seed: u64) -> Self {
        let mut random = Random::new(seed);
        Self(
            (0..RANDOM_GAMES)
                .map(|_| steps(&random_game(&mut random)))
                .collect(),
        )
    }

    /// The games of these transcripts. Those without a move are left out.
    ///
    /// # Errors
    ///
    /// The first fault, with its line counted from 1.
    pub(crate) fn transcripts(text: &str) -> Result<Vec<Game>, (usize, TranscriptError)> {
        let lines = text.lines().map(str::trim).zip(1..);
        lines
            .filter(|(line, _)| !line.is_empty() && !line.starts_with('#'))
            .map(|(line, number)| {
                replay(standard_game(), line, Syntax::Lenient).map_err(|error| (number, error))
            })
            .collect()
    }

    /// These games.
    pub(crate) fn given(games: &[Game]) -> Self {
        Self(
            games
                .iter()
                .map(steps)
                .filter(|steps| !steps.is_empty())
                .collect(),
        )
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The game with this number; the numbers go round.
    pub(crate) fn game(&self, number: usize) -> &[Step] {
        &self.0[number % self.0.len()]
    }
}

fn standard_game() -> Game {
    Game::new(RuleSet::default()).expect("invariant: the standard start is sound")
}

fn random_game(random: &mut Random) -> Game {
    let mut game = standard_game();
    while game.turn() == Turn::Move {
        let mv = positions::random_move(game.position(), random)
            .expect("invariant: there is a move to play");
        game.play(mv).expect("invariant: the move is legal");
    }
    game
}

fn steps(game: &Game) -> Vec<Step> {
    let history = game.history();
    let is_pass = |ply: usize| {
        history
            .get(ply)
            .is_some_and(|played| played.kind == MoveKind::Pass)
    };
    let discs = (0..history.len()).filter(|ply| !is_pass(*ply));
    discs
        .map(|ply| {
            let next = if is_pass(ply + 1) { ply + 2 } else { ply + 1 };
            Step {
                side: positions::color(history[ply].side),
                square: history[ply].mv.to_string(),
                ply: i32::try_from(ply).expect("invariant: a game is short"),
                after: game
                    .position_at(next)
                    .expect("invariant: within the history"),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forced_pass_is_left_to_the_service() {
        // Black passes after White's eighth move.
        let text = "f5f6e6f4e3d6g5";
        let games = Games::transcripts(text).unwrap();
        let games = Games::given(&games);
        let plies: Vec<_> = games.game(0).iter().map(|step| step.ply).collect();
        assert_eq!(plies, [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn random_games_have_plies_that_skip_passes() {
        let games = Games::random(1);
        let skipping = (0..RANDOM_GAMES).filter(|number| {
            let steps = games.game(*number);
            steps.windows(2).any(|pair| pair[1].ply == pair[0].ply + 2)
        });
        assert!(skipping.count() > 10);
        for step in games.game(3) {
            assert_ne!(step.after.turn(), Turn::Pass);
        }
    }

    #[test]
    fn a_fault_is_told_with_its_line() {
        let Err((line, _)) = Games::transcripts("f5d6\n\n# comment\nf5a1") else {
            panic!("a1 is no legal move");
        };
        assert_eq!(line, 4);
    }
}
