//! Games that follow each other by rematches.

use std::time::Duration;

use reversi_engine::Color;

use super::{GameId, GameRecord, Occupant, Session, Timestamp};

/// Where a game stands in its series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Series {
    /// The first game.
    pub first: GameId,
    /// The games before this one: at least one.
    pub games_before: u32,
    /// What the player of Black has won in them, two for a game and one for a draw.
    pub black_halves: u32,
    /// What the player of White has won in them.
    pub white_halves: u32,
    /// Whether the players have other colours than in the game before.
    pub colors: SeriesColors,
}

/// Whether the players of a game have other colours than in the game before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesColors {
    /// They have the same.
    Kept,
    /// They have the other's.
    Swapped,
}

/// Who is to get which colour in a rematch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RematchColors {
    /// The other one.
    #[default]
    Swap,
    /// The same.
    Keep,
    /// Lots are drawn.
    Lots,
}

impl Series {
    /// The series of the game after this one, the players keeping their colours. `first` is the
    /// game itself where it has no series yet.
    #[must_use]
    pub fn next(before: Option<Self>, game: GameId, winner: Option<Color>) -> Self {
        let before = before.unwrap_or(Self {
            first: game,
            games_before: 0,
            black_halves: 0,
            white_halves: 0,
            colors: SeriesColors::Kept,
        });
        let won = |side| match winner {
            Some(winner) if winner == side => 2,
            Some(_) => 0,
            None => 1,
        };
        Self {
            first: before.first,
            games_before: before.games_before.saturating_add(1),
            black_halves: before.black_halves.saturating_add(won(Color::Black)),
            white_halves: before.white_halves.saturating_add(won(Color::White)),
            colors: SeriesColors::Kept,
        }
    }

    /// This series where the players swap colours.
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self {
            black_halves: self.white_halves,
            white_halves: self.black_halves,
            colors: SeriesColors::Swapped,
            ..self
        }
    }
}

impl Session {
    /// The record of the game that follows this one, whose id is given: everything is as it was but
    /// the moves, and those who have left are asked to come back. `None` while this one goes on.
    #[must_use]
    pub fn following(
        &self,
        id: GameId,
        colors: SeriesColors,
        now: Timestamp,
        time_to_live: Duration,
    ) -> Option<GameRecord> {
        let outcome = self.outcome()?;
        let record = self.record();
        let mut seats = self.seats().clone();
        for seat in [&mut seats.black, &mut seats.white] {
            if let Occupant::Substitute(_) = seat.occupant {
                seat.occupant = Occupant::Person;
            }
        }
        let series = Series::next(record.series, id, outcome.winner);
        let (seats, series) = match colors {
            SeriesColors::Kept => (seats, series),
            SeriesColors::Swapped => (seats.swapped(), series.swapped()),
        };
        Some(GameRecord {
            seats,
            series: Some(series),
            legal_moves: self.legal_moves(),
            clock: record.clock,
            substitute: record.substitute,
            seat_tokens: record.seat_tokens,
            presence: record.presence,
            labels: record.labels.clone(),
            ..GameRecord::new(record.rules, now, time_to_live)
        })
    }
}
