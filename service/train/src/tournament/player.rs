//! Whoever chooses moves, and how it can fail.

use std::fmt;
use std::str::FromStr;

use reversi_engine::{Game, Move};

/// Plays one side of a game at a time.
pub(crate) trait Player: Send {
    /// A game begins, some moves of its opening played already. The same seed stands for the same
    /// choices of players that draw lots.
    fn begin(&mut self, game: &Game, seed: u64) -> Result<(), Fault>;

    /// A move in the game, which is not over and has gone on from where it was.
    fn choose(&mut self, game: &Game) -> Result<Choice, Fault>;
}

/// A chosen move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) mv: Move,
    /// The boards visited for it, if the player counts them.
    pub(crate) nodes: u64,
}

/// Why a player lost without losing on the board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {detail}")]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) detail: String,
}

/// The kinds of [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    IllegalMove,
    /// The program ended or closed its output.
    Crash,
    /// No answer within the patience that it was given.
    Timeout,
    /// An answer that means nothing.
    Nonsense,
}

impl FaultKind {
    pub(crate) const ALL: [Self; 4] = [
        Self::IllegalMove,
        Self::Crash,
        Self::Timeout,
        Self::Nonsense,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::IllegalMove => "illegal-move",
            Self::Crash => "crash",
            Self::Timeout => "timeout",
            Self::Nonsense => "nonsense",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for FaultKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut kinds = Self::ALL.into_iter();
        kinds.find(|kind| kind.name() == text).ok_or(())
    }
}
