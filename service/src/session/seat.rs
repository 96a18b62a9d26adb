//! Who plays.

use reversi_engine::{Color, Level};

/// Who plays a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seats {
    /// Who plays Black.
    pub black: Seat,
    /// Who plays White.
    pub white: Seat,
}

/// Who plays a side. Both texts are the caller's own and may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seat {
    /// The caller's id of the player.
    pub player_id: String,
    /// A name to show.
    pub display_name: String,
    /// Who makes the moves.
    pub occupant: Occupant,
}

/// Who makes the moves of a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Occupant {
    /// A person.
    #[default]
    Person,
    /// The engine, for itself.
    Engine(Level),
    /// The engine, for a person who may come back.
    Substitute(Level),
    /// Nobody yet.
    Open,
}

/// Who gets which colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorPolicy {
    /// Everybody the seat that was given or claimed.
    #[default]
    AsGiven,
    /// Who sits down first is Black.
    FirstToSitIsBlack,
    /// Lots are drawn: who sits down first gets this colour.
    DrawLots(Color),
}

impl Seat {
    /// The longest player id and display name, in bytes.
    pub const MAX_TEXT: usize = 64;
}

impl Seats {
    /// The seat of a side.
    #[must_use]
    pub const fn of(&self, side: Color) -> &Seat {
        match side {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// The seat of a side, to be changed.
    pub const fn of_mut(&mut self, side: Color) -> &mut Seat {
        match side {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }

    /// Whether a seat is open.
    #[must_use]
    pub fn any_open(&self) -> bool {
        self.black.occupant == Occupant::Open || self.white.occupant == Occupant::Open
    }

    /// Whether the engine plays for both of two persons.
    #[must_use]
    pub const fn all_substituted(&self) -> bool {
        matches!(
            (self.black.occupant, self.white.occupant),
            (Occupant::Substitute(_), Occupant::Substitute(_))
        )
    }

    /// The same players with the colours swapped.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            black: self.white,
            white: self.black,
        }
    }

    /// The seat that the next to sit down gets, who may have asked for one; `None` if there is no
    /// such seat.
    #[must_use]
    pub fn next_open(&self, policy: ColorPolicy, asked: Option<Color>) -> Option<Color> {
        let open = |side: &Color| self.of(*side).occupant == Occupant::Open;
        let first = match policy {
            ColorPolicy::AsGiven => asked.unwrap_or(Color::Black),
            ColorPolicy::FirstToSitIsBlack => Color::Black,
            ColorPolicy::DrawLots(color) => color,
        };
        let any = policy != ColorPolicy::AsGiven || asked.is_none();
        let sides = [Some(first), any.then(|| first.opposite())];
        sides.into_iter().flatten().find(open)
    }
}

impl Occupant {
    /// The level of the engine, where it makes the moves.
    #[must_use]
    pub const fn engine(self) -> Option<Level> {
        match self {
            Self::Engine(level) | Self::Substitute(level) => Some(level),
            Self::Person | Self::Open => None,
        }
    }
}
