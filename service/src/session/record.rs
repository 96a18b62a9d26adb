//! What is stored of a game.

use std::time::Duration;

use reversi_engine::{Color, Level, Move, RuleSet};

use super::clock::Clock;
use super::event::Happened;
use super::{
    ClockRules, ColorPolicy, EventNumber, Fingerprint, Seats, Series, Timestamp, WriteLog,
};

/// Everything that is stored of a game. The rest follows from it by the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The rules it is played under.
    pub rules: RuleSet,
    /// Who played when it was created, or when events were last folded away.
    pub seats: Seats,
    /// Whether answers listed its legal moves then.
    pub legal_moves: LegalMovesDisplay,
    /// Who gets which colour.
    pub color_policy: ColorPolicy,
    /// How it is timed; not at all if `None`.
    pub clock: Option<ClockRules>,
    /// How well the engine plays for a person.
    pub substitute: Level,
    /// Whether only the holder of a seat moves it.
    pub seat_tokens: SeatTokens,
    /// How long the holder of a seat may not be heard of before the engine takes it.
    pub presence: Option<Duration>,
    /// The games before it.
    pub series: Option<Series>,
    /// The caller's words to find it by.
    pub labels: Vec<String>,
    /// The caller's id of it.
    pub external_id: String,
    /// When it was created.
    pub created: Timestamp,
    /// When it last changed.
    pub updated: Timestamp,
    /// How long it lives after its last change.
    pub time_to_live: Duration,
    /// What the creating request asked for, if it carried a request id.
    pub creation: Option<Fingerprint>,
    /// Plies that nobody takes back.
    pub(super) prelude: u8,
    /// Where the events begin.
    pub(super) base: Base,
    /// The number of events folded away.
    pub(super) folded: u32,
    /// The events since.
    pub(super) events: Vec<Happened>,
    /// The writes it remembers.
    pub(super) writes: WriteLog,
}

/// Where the events begin: what the game was created with, or what the events that were folded
/// away have left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Base {
    /// The moves, automatic passes left out.
    pub(super) moves: Vec<Move>,
    /// Who had proposed to take back.
    pub(super) proposal: Option<Color>,
    /// Whether the engine was about to make a move for a person.
    pub(super) engine_moves_once: bool,
    /// What was left on the clock, and when that was; `None` for a game that begins here.
    pub(super) clock: Option<(Clock, Timestamp)>,
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

/// Whether only the holder of a seat moves it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeatTokens {
    /// Anybody does.
    #[default]
    Off,
    /// Who has the seat's token does.
    Required,
}

impl GameRecord {
    /// How well the engine plays for a person where nobody says so.
    pub const SUBSTITUTE: u32 = 5;
    /// The most labels of a game.
    pub const MAX_LABELS: usize = 8;
    /// The longest label and external id, in bytes.
    pub const MAX_TEXT: usize = 64;

    /// The record of a game that was just created.
    #[must_use]
    pub fn new(rules: RuleSet, created: Timestamp, time_to_live: Duration) -> Self {
        Self {
            rules,
            seats: Seats::default(),
            legal_moves: LegalMovesDisplay::default(),
            color_policy: ColorPolicy::default(),
            clock: None,
            substitute: default_substitute(),
            seat_tokens: SeatTokens::default(),
            presence: None,
            series: None,
            labels: Vec::new(),
            external_id: String::new(),
            created,
            updated: created,
            time_to_live,
            creation: None,
            prelude: 0,
            base: Base::default(),
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
}

/// How well the engine plays for a person where nobody says so.
pub(super) fn default_substitute() -> Level {
    Level::new(GameRecord::SUBSTITUTE).expect("invariant: a level")
}
