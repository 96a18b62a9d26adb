//! The game of Reversi: bitboards, rules and variants.
//!
//! The types form a ladder. A [`Square`] is a place, a [`Bitboard`] a set of places, a [`Board`]
//! the discs as the mover sees them. A [`Setup`] is anything that can be written down; checked, it
//! becomes a [`Position`], which knows what may be played. A [`Game`] adds a [`RuleSet`] and the
//! history. [`search::suggest`] chooses a move.
//!
//! ```
//! use reversi_engine::{Game, Move, RuleSet, Turn};
//!
//! // One of the shortest games: after nine moves White has no disc left.
//! let mut game = Game::new(RuleSet::default())?;
//! for name in "e6 f4 e3 f6 g5 d6 e7 f5 c5".split(' ') {
//!     game.play(name.parse::<Move>()?)?;
//! }
//! assert!(matches!(game.turn(), Turn::Over(_)));
//! assert_eq!((game.score().black, game.score().white), (13, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here does input or output, waits, reads a clock or looks at the environment.

mod bitboard;
mod board;
pub mod bulk;
mod color;
pub mod eval;
pub mod explain;
mod game;
pub mod kernel;
mod level;
mod moves;
pub mod notation;
pub mod opening;
mod perft;
mod position;
mod random;
mod rules;
mod score;
pub mod search;
mod setup;
mod square;
mod turn;
mod wipeout;

pub use bitboard::symmetry::Symmetry;
pub use bitboard::{Bitboard, Squares};
pub use board::{Board, OverlappingDiscs};
pub use color::Color;
pub use game::{Game, PlyOutOfRange};
pub use level::{Choice, Level, UnknownLevel};
pub use moves::{Move, MoveKind, ParseMoveError, PlayedMove};
pub use perft::{
    ParsePerftConventionError, PerftConvention, PerftOptions, PerftProgress, perft, perft_run,
    perft_with,
};
pub use position::{IllegalMove, Phase, Position};
pub use random::Random;
pub use rules::{BalancedStart, Objective, PassMode, RuleSet, Scoring, Start};
pub use score::{BoardResult, Score, ScoredTotals};
pub use setup::{Setup, SetupError, SetupFault};
pub use square::{ParseSquareError, Square};
pub use turn::{EndReason, Turn};
