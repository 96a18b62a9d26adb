//! Levels of play, from a beginner to the whole engine.
//!
//! A level below the highest looks at every legal move, as deep as the level does, and then does
//! not always play the best. How likely a move is falls exponentially with what it loses, and how
//! fast it falls is chosen so that the level loses, by its own judgement, so many discs a move on
//! average and never more than so many at once. So a weak level plays like somebody who sees less,
//! not like a strong one that blunders now and then, and it never plays a move that looks absurd
//! to itself where a better one is at hand.
//!
//! A level says nothing of time: whoever has less time than it takes hands a control or limits to
//! [`Level::choose`], which cut the search short.

mod chance;
mod strength;

use crate::moves::Move;
use crate::position::Position;
use crate::rules::Objective;
use crate::search::{Analysis, Control, Engine, Evaluation, Query};

use strength::Strength;

/// How strong to play: 1, a beginner, to 10, the whole engine.
///
/// Each level against the one below, most discs winning, with the weights "round 7, to scale": games
/// in pairs with colours swapped, from positions after eight random moves, a seed of its own for each
/// player and game; the highest level with 500,000 boards a move, less than a tenth of a second. Elo
/// of the score with its 95 % interval by pairs. Level 1 lost 426 of 500 such games to one who turns
/// the most discs.
///
/// | level | games | score | Elo above the one below |
/// |---|---|---|---|
/// | 2 | 300 | 0.782 | 222 (176 to 267) |
/// | 3 | 300 | 0.715 | 160 (117 to 202) |
/// | 4 | 300 | 0.758 | 199 (153 to 245) |
/// | 5 | 300 | 0.738 | 180 (137 to 224) |
/// | 6 | 300 | 0.750 | 191 (148 to 233) |
/// | 7 | 300 | 0.792 | 232 (187 to 276) |
/// | 8 | 150 | 0.780 | 220 (161 to 279) |
/// | 9 | 200 | 0.798 | 238 (184 to 292) |
/// | 10 | 100 | 0.760 | 200 (137 to 264) |
///
/// Where fewer discs win, levels 2 to 8 were 100 to 250 Elo apart in 200 to 300 games each. Players
/// that take a new seed for every move are 240 to 420 Elo apart: see [`Level::choose`].
///
/// ```
/// use reversi_engine::Level;
///
/// let level = Level::new(3)?;
/// assert_eq!(level.number(), 3);
/// assert!(Level::new(11).is_err());
/// assert!(level < Level::HIGHEST);
/// # Ok::<(), reversi_engine::UnknownLevel>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

/// A number that is no level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no level {found}, only 1 to 10")]
pub struct UnknownLevel {
    /// The number.
    pub found: u32,
}

/// What a level has chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What it has seen: every move that it has chosen from, best first.
    pub analysis: Analysis,
    /// Which of the analysis's lines it plays.
    pub chosen: usize,
}

impl Choice {
    /// The move that it plays.
    #[must_use]
    pub fn mv(&self) -> Option<Move> {
        self.analysis.lines.get(self.chosen)?.moves.first().copied()
    }
}

/// More lines than there are legal moves in any position.
const EVERY_MOVE: usize = 64;

impl Level {
    /// A beginner.
    pub const LOWEST: Self = Self(1);
    /// The whole engine.
    pub const HIGHEST: Self = Self(10);

    /// The level of this number.
    ///
    /// # Errors
    ///
    /// [`UnknownLevel`] unless it is from 1 to 10.
    pub fn new(number: u32) -> Result<Self, UnknownLevel> {
        u8::try_from(number)
            .map(Self)
            .ok()
            .filter(|level| (Self::LOWEST..=Self::HIGHEST).contains(level))
            .ok_or(UnknownLevel { found: number })
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// All levels, the lowest first.
    pub fn all() -> impl Iterator<Item = Self> {
        (Self::LOWEST.0..=Self::HIGHEST.0).map(Self)
    }

    /// Chooses a move within the query's limits; `None` if the game is over.
    ///
    /// The highest level does what [`Engine::analyze`] does. The others look no further than they
    /// do even where the limits allow it, and the seed decides between their moves: with the same
    /// position, query and seed an engine on one thread chooses the same, unless the control stops
    /// the search. The seed also decides in which form the level is, so a game wants one seed: with
    /// another for each move every game is one of average form.
    pub fn choose(
        self,
        engine: &mut Engine,
        evaluation: &Evaluation,
        position: &Position,
        query: &Query,
        seed: u64,
        control: &dyn Control,
    ) -> Option<Choice> {
        let query = self.query(position, query);
        let analysis = engine.analyze(evaluation, position, &query, control, &mut |_| ())?;
        let chosen = self.pick(&analysis, position, evaluation.objective, seed);
        Some(Choice { analysis, chosen })
    }

    /// What a level looks for where this is asked: the first half of [`Level::choose`].
    #[must_use]
    pub fn query(self, position: &Position, asked: &Query) -> Query {
        Strength::of(self).map_or(*asked, |strength| strength.query(position, asked))
    }

    /// Which of an analysis's lines a level plays: the second half of [`Level::choose`].
    #[must_use]
    pub fn pick(
        self,
        analysis: &Analysis,
        position: &Position,
        objective: Objective,
        seed: u64,
    ) -> usize {
        Strength::of(self).map_or(0, |strength| {
            strength.pick(self, analysis, position, objective, seed)
        })
    }
}
