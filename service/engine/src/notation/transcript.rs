//! Games as lists of squares: reading with replay, and writing.
//!
//! A transcript names the squares in the order of play. Passes are forced, so it need not name
//! them: a reader enters one wherever the side to move is blocked and the other is not.

use super::tokens::{self, BadToken, Token};
use crate::game::Game;
use crate::moves::{Move, MoveKind, PlayedMove};
use crate::position::IllegalMove;
use crate::rules::PassMode;
use crate::turn::Turn;

/// How strictly a transcript is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// Squares in either case; white space, commas, semicolons, full stops and bars between them
    /// or not; move numbers such as `1.` and `12)`; passes as `pass`, `pa`, `ps` or `--` in either
    /// case where one is due. A forced pass may be left out.
    #[default]
    Lenient,
    /// Pairs of characters `a1` to `h8` in lower case and nothing else: no passes, no blanks.
    Strict,
}

/// Why a transcript cannot be replayed, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("after {index} discs, at byte {offset}: {kind}")]
pub struct TranscriptError {
    /// The number of discs that this transcript placed before the fault, so the faulty move's
    /// number from 0 if passes are not counted.
    pub index: usize,
    /// The byte of the text where the fault begins.
    pub offset: usize,
    /// What is wrong.
    pub kind: TranscriptErrorKind,
}

/// What is wrong with a transcript.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TranscriptErrorKind {
    /// A strict transcript of pairs that are all squares, and half a pair at the end. Found before
    /// any move is played: the index is the number of whole pairs.
    #[error("expected two characters a move, found one at the end")]
    OddLength,
    /// Neither a square nor, in lenient syntax, a pass.
    #[error("expected a square from a1 to h8, found {found:?}")]
    NotASquare {
        /// The text there, at most 8 characters of it.
        found: String,
    },
    /// A move that the rules forbid. Never [`IllegalMove::MustPass`], since the pass is entered.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

/// Replays a transcript on top of a game and answers the game as it then stands.
///
/// Forced passes may be left out under both pass modes. Under [`PassMode::Automatic`] the game
/// enters them itself, and each may then be written or not, also one that the game had entered
/// last before the transcript begins. Under [`PassMode::Explicit`] a pass that is left out is
/// entered with the disc after it; one that is due at the end and not written stays due.
///
/// ```
/// use reversi_engine::notation::{Syntax, TranscriptErrorKind, replay};
/// use reversi_engine::{Game, IllegalMove, RuleSet, Square};
///
/// let game = replay(Game::new(RuleSet::default())?, "1. F5 d6 2. c3", Syntax::Lenient)?;
/// assert_eq!(game.discs_placed(), 3);
///
/// let error = replay(game, "d3c4a1", Syntax::Strict).unwrap_err();
/// assert_eq!((error.index, error.offset), (2, 4));
/// assert_eq!(
///     error.kind,
///     TranscriptErrorKind::Illegal(IllegalMove::NoFlip { square: Square::A1 }),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The first fault; clone the game to keep it. After the end of a game every move is
/// [`IllegalMove::GameOver`], a pass included; before it a pass that is not due is
/// [`IllegalMove::FalsePass`].
pub fn replay(mut game: Game, text: &str, syntax: Syntax) -> Result<Game, TranscriptError> {
    match syntax {
        Syntax::Lenient => play_all(&mut game, tokens::lenient(text))?,
        Syntax::Strict if tokens::is_cut_short(text) => {
            return Err(TranscriptError {
                index: text.len() / 2,
                offset: text.len() - 1,
                kind: TranscriptErrorKind::OddLength,
            });
        }
        Syntax::Strict => play_all(&mut game, tokens::strict(text))?,
    }
    Ok(game)
}

/// Whether a writer names the passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WrittenPasses {
    /// Squares alone: both syntaxes read it.
    #[default]
    Omitted,
    /// Each pass as `pa`: only [`Syntax::Lenient`] reads it.
    Named,
}

/// Writes moves without blanks, in lower case.
///
/// ```
/// use reversi_engine::notation::{WrittenPasses, transcript};
/// use reversi_engine::{Game, Move, RuleSet, Square};
///
/// let mut game = Game::new(RuleSet::default())?;
/// game.play(Move::Place(Square::F5))?;
/// game.play(Move::Place(Square::D6))?;
/// assert_eq!(transcript(game.history(), WrittenPasses::Omitted), "f5d6");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn transcript(played: &[PlayedMove], passes: WrittenPasses) -> String {
    let mut text = String::with_capacity(2 * played.len());
    for played in played {
        match (played.mv, passes) {
            (Move::Place(square), _) => text.push_str(&square.to_string()),
            (Move::Pass, WrittenPasses::Named) => text.push_str("pa"),
            (Move::Pass, WrittenPasses::Omitted) => {}
        }
    }
    text
}

fn play_all(
    game: &mut Game,
    tokens: impl Iterator<Item = Result<Token, BadToken>>,
) -> Result<(), TranscriptError> {
    let mut pass_may_be_named = match game.rules().pass_mode {
        PassMode::Automatic => ends_with_pass(game.history()),
        PassMode::Explicit => false,
    };
    let mut index = 0;
    for token in tokens {
        let Token { offset, mv } = token.map_err(|BadToken { offset, found }| TranscriptError {
            index,
            offset,
            kind: TranscriptErrorKind::NotASquare { found },
        })?;
        let illegal = |fault: IllegalMove| TranscriptError {
            index,
            offset,
            kind: fault.into(),
        };
        match mv {
            // The text names the pass that the game has just entered itself.
            Move::Pass if pass_may_be_named => pass_may_be_named = false,
            Move::Pass => {
                game.play(Move::Pass).map_err(illegal)?;
            }
            Move::Place(_) => {
                if game.turn() == Turn::Pass {
                    game.play(Move::Pass).map_err(illegal)?;
                }
                pass_may_be_named = ends_with_pass(game.play(mv).map_err(illegal)?);
                index += 1;
            }
        }
    }
    Ok(())
}

fn ends_with_pass(played: &[PlayedMove]) -> bool {
    played
        .last()
        .is_some_and(|last| last.kind == MoveKind::Pass)
}
