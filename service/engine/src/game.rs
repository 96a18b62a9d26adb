//! A game: rules, a start, and the moves played since. Knows no seats, clocks or players.

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::moves::{Move, MoveKind, PlayedMove};
use crate::position::{IllegalMove, Position};
use crate::rules::{PassMode, RuleSet, Start};
use crate::score::{BoardResult, Score};
use crate::setup::SetupError;
use crate::turn::Turn;

/// A game in progress or over, with all its moves.
///
/// A *ply* is one entry of the history: a disc or a pass. Under [`PassMode::Automatic`] the game
/// enters forced passes itself, together with the move before them, so it never waits for one.
/// No pass is ever entered after the end, and two passes in a row cannot occur.
///
/// With [`Start::Balanced`] the history begins with the moves of the opening, the *prelude*. It
/// cannot be taken back.
///
/// ```
/// use reversi_engine::{Color, Game, Move, RuleSet, Square};
///
/// let mut game = Game::new(RuleSet::default())?;
/// let played = game.play(Move::Place(Square::F5))?;
/// assert_eq!(played.len(), 1);
/// assert_eq!(played[0].flips.to_string(), "e5");
/// assert_eq!(game.position().side_to_move(), Color::White);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    rules: RuleSet,
    initial: Position,
    current: Position,
    history: Vec<PlayedMove>,
    prelude: usize,
}

/// A ply that the game cannot be taken back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("ply {ply} is not from {first} to {last}")]
pub struct PlyOutOfRange {
    /// The ply asked for.
    pub ply: usize,
    /// The number of plies of the prelude.
    pub first: usize,
    /// The number of plies played.
    pub last: usize,
}

impl Game {
    /// A new game. If the side to move of a custom start has to pass, an automatic pass is the
    /// first entry of the history.
    ///
    /// # Errors
    ///
    /// What is wrong with a custom start.
    pub fn new(rules: RuleSet) -> Result<Self, SetupError> {
        let Start::Balanced(opening) = rules.start else {
            return Ok(Self::from_position(rules, Position::start(&rules)?));
        };
        let mut game = Self::from_position(rules, Position::standard());
        for square in opening.moves {
            game.enter(Move::Place(square));
        }
        game.prelude = game.history.len();
        Ok(game)
    }

    /// A game that goes on from any position, whatever start the rules name; also from one that
    /// is over.
    ///
    /// ```
    /// use reversi_engine::{Game, Position, RuleSet};
    ///
    /// let game = Game::from_position(RuleSet::default(), Position::standard());
    /// assert_eq!(Ok(game), Game::new(RuleSet::default()));
    /// ```
    #[must_use]
    pub fn from_position(rules: RuleSet, position: Position) -> Self {
        let mut game = Self {
            rules,
            initial: position,
            current: position,
            history: Vec::new(),
            prelude: 0,
        };
        game.enter_automatic_pass();
        game
    }

    /// The rules of the game.
    #[must_use]
    pub const fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The number of plies at the beginning of the history that no player chose.
    #[must_use]
    pub const fn prelude(&self) -> usize {
        self.prelude
    }

    /// The position that the game began from, before any pass or prelude.
    #[must_use]
    pub const fn initial_position(&self) -> &Position {
        &self.initial
    }

    /// The position now.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.current
    }

    /// Everything played so far, passes included.
    #[must_use]
    pub fn history(&self) -> &[PlayedMove] {
        &self.history
    }

    /// The number of plies played, passes included.
    #[must_use]
    pub const fn ply(&self) -> usize {
        self.history.len()
    }

    /// What the side to move has to do. Never [`Turn::Pass`] under [`PassMode::Automatic`].
    #[must_use]
    pub fn turn(&self) -> Turn {
        self.current.turn()
    }

    /// The squares that the side to move may play.
    #[must_use]
    pub fn legal_moves(&self) -> Bitboard {
        self.current.legal_moves()
    }

    /// The score under the game's scoring.
    #[must_use]
    pub fn score(&self) -> Score {
        Score::of(&self.current, self.rules.scoring)
    }

    /// The winner and the reason under the game's objective, if the board has ended the game.
    #[must_use]
    pub fn result(&self) -> Option<BoardResult> {
        self.current.result(self.rules.objective)
    }

    /// Plays a move and answers what was entered: the move, then an automatic pass if one fell due.
    ///
    /// # Errors
    ///
    /// As [`Position::check`]; the game is then as it was. Under [`PassMode::Automatic`] every
    /// pass is an [`IllegalMove::FalsePass`] while the game goes on.
    pub fn play(&mut self, mv: Move) -> Result<&[PlayedMove], IllegalMove> {
        self.current.check(mv)?;
        let first = self.history.len();
        self.enter(mv);
        self.enter_automatic_pass();
        Ok(&self.history[first..])
    }

    /// The position after that many plies; `None` if the game has not come so far.
    #[must_use]
    pub fn position_at(&self, ply: usize) -> Option<Position> {
        let played = self.history.get(..ply)?;
        Some(
            played
                .iter()
                .fold(self.initial, |position, played| position.after(played)),
        )
    }

    /// Takes back all moves after that many plies.
    ///
    /// If an automatic pass followed that ply, it falls due again and is entered again, so the
    /// game may be left one ply later than asked.
    ///
    /// # Errors
    ///
    /// [`PlyOutOfRange`] if the game has not come so far, or for a ply of the prelude; the game is
    /// then as it was.
    pub fn truncate(&mut self, ply: usize) -> Result<(), PlyOutOfRange> {
        let out_of_range = PlyOutOfRange {
            ply,
            first: self.prelude,
            last: self.history.len(),
        };
        if ply < self.prelude {
            return Err(out_of_range);
        }
        self.current = self.position_at(ply).ok_or(out_of_range)?;
        self.history.truncate(ply);
        self.enter_automatic_pass();
        Ok(())
    }

    /// The index in the history of the last disc that this side put on the board, so the ply to
    /// [truncate](Game::truncate) to for taking it back; `None` if there is none. Discs of the
    /// prelude are not looked at.
    #[must_use]
    pub fn last_disc_ply(&self, side: Color) -> Option<usize> {
        let mut played = self.history[self.prelude..].iter();
        let last =
            played.rposition(|played| played.side == side && played.kind != MoveKind::Pass)?;
        Some(self.prelude + last)
    }

    /// The number of discs put on the board by both sides, so the plies without the passes.
    #[must_use]
    pub fn discs_placed(&self) -> usize {
        self.history
            .iter()
            .filter(|played| played.kind != MoveKind::Pass)
            .count()
    }

    fn enter(&mut self, mv: Move) {
        let played = self.current.record(mv);
        self.current = self.current.after(&played);
        self.history.push(played);
    }

    fn enter_automatic_pass(&mut self) {
        match self.rules.pass_mode {
            PassMode::Automatic if self.turn() == Turn::Pass => self.enter(Move::Pass),
            PassMode::Automatic | PassMode::Explicit => {}
        }
    }
}
