//! What is stored of a game.

use std::time::Duration;

use reversi_engine::{Move, RuleSet};

use super::{Event, EventNumber, Fingerprint, Timestamp, WriteLog};

/// Everything that is stored of a game. The rest follows from it by the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The rules it is played under.
    pub rules: RuleSet,
    /// Who plays.
    pub seats: Seats,
    /// Whether answers list its legal moves.
    pub legal_moves: LegalMovesDisplay,
    /// When it was created.
    pub created: Timestamp,
    /// When it last changed.
    pub updated: Timestamp,
    /// How long it lives after its last change.
    pub time_to_live: Duration,
    /// What the creating request asked for, if it carried a request id.
    pub creation: Option<Fingerprint>,
    /// The moves that stood when the beginning of the events was last folded away, automatic
    /// passes left out.
    pub(super) base: Vec<Move>,
    /// The number of events folded away.
    pub(super) folded: u32,
    /// The events since.
    pub(super) events: Vec<Event>,
    /// The writes it remembers.
    pub(super) writes: WriteLog,
}

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
}

impl Seat {
    /// The longest player id and display name, in bytes.
    pub const MAX_TEXT: usize = 64;
}

/// Whether a game's answers list the legal moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LegalMovesDisplay {
    /// They do.
    #[default]
    Shown,
    /// They do not.
    Hidden,
}

impl GameRecord {
    /// The record of a game that was just created.
    #[must_use]
    pub fn new(rules: RuleSet, created: Timestamp, time_to_live: Duration) -> Self {
        Self {
            rules,
            seats: Seats::default(),
            legal_moves: LegalMovesDisplay::default(),
            created,
            updated: created,
            time_to_live,
            creation: None,
            base: Vec::new(),
            folded: 0,
            events: Vec::new(),
            writes: WriteLog::default(),
        }
    }

    /// The number of events so far.
    #[must_use]
    pub fn event_number(&self) -> EventNumber {
        let kept = u32::try_from(self.events.len()).expect("invariant: events are folded away");
        EventNumber(self.folded + kept)
    }

    /// When the store forgets the game unless it changes before.
    #[must_use]
    pub fn expires(&self) -> Timestamp {
        self.updated + self.time_to_live
    }
}
