//! Clocks of games: what they allow, and what is left.
//!
//! Knows no time of its own: it is told how much was used.

use std::time::Duration;

use reversi_engine::Color;

use super::Timestamp;

/// How a game is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockRules {
    /// How much time there is.
    pub time: TimeControl,
    /// What happens when it is over.
    pub on_expiry: OnExpiry,
}

/// How much time a side has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// So much for each move.
    PerMove(Duration),
    /// So much for the game, and something on top after each move.
    Total {
        /// At the beginning.
        initial: Duration,
        /// After each move of the side.
        increment: Duration,
    },
}

/// What happens when a side's time is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnExpiry {
    /// It has lost.
    #[default]
    Lose,
    /// The engine makes this one move. With a time for each move only.
    EngineMovesOnce,
    /// The engine takes the seat.
    EngineTakesSeat,
}

/// What a game's clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockFace {
    /// What Black had left then.
    pub black: Duration,
    /// What White had left then.
    pub white: Duration,
    /// When that was.
    pub as_of: Timestamp,
    /// Whose time runs since, if it does.
    pub running: Option<Color>,
    /// When that side's time is over.
    pub deadline: Option<Timestamp>,
}

/// The time that both sides have left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    pub(super) rules: ClockRules,
    pub(super) black: Duration,
    pub(super) white: Duration,
}

impl TimeControl {
    /// The longest that a time can be: ten years.
    pub const LONGEST: Duration = Duration::from_secs(10 * 366 * 24 * 3600);

    const fn initial(self) -> Duration {
        match self {
            Self::PerMove(time) => time,
            Self::Total { initial, .. } => initial,
        }
    }
}

impl Clock {
    pub(super) const fn new(rules: ClockRules) -> Self {
        let initial = rules.time.initial();
        Self {
            rules,
            black: initial,
            white: initial,
        }
    }

    pub(super) const fn left(&self, side: Color) -> Duration {
        match side {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }

    const fn left_mut(&mut self, side: Color) -> &mut Duration {
        match side {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }

    /// A side has used time.
    pub(super) fn charge(&mut self, side: Color, used: Duration) {
        let left = self.left_mut(side);
        *left = left.saturating_sub(used);
    }

    /// A side has moved in its own time.
    pub(super) fn moved(&mut self, side: Color) {
        if let TimeControl::Total { increment, .. } = self.rules.time {
            let left = self.left_mut(side);
            *left = left.saturating_add(increment);
        }
    }

    /// Another turn begins.
    pub(super) const fn next_turn(&mut self) {
        if let TimeControl::PerMove(time) = self.rules.time {
            self.black = time;
            self.white = time;
        }
    }
}
