//! What can be asked of a game, and why it may be refused.

use reversi_engine::{Color, IllegalMove, Level, Move, Square};

use super::change::Change;
use super::{EventNumber, Fingerprint, GameId, LegalMovesDisplay, RematchColors, RequestId};

/// What a write does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A person plays a move.
    Play {
        /// Who plays.
        side: Color,
        /// What.
        mv: Move,
    },
    /// The engine plays a move of its seat, or for a person.
    PlayForEngine(Move),
    /// A side takes moves back: its last disc, with all that followed. Against a person this is a
    /// proposal.
    TakeBack {
        /// Who takes back.
        side: Color,
        /// The plies to be left, against the engine.
        ply: Option<u32>,
    },
    /// A side answers the other's proposal to take back.
    AnswerTakeBack {
        /// Who answers.
        side: Color,
        /// What.
        answer: Answer,
    },
    /// A side gives up.
    Resign {
        /// Who gives up.
        side: Color,
    },
    /// Somebody takes an open seat.
    ClaimSeat {
        /// Which, where that can be chosen; any if `None`.
        side: Option<Color>,
        /// The caller's id of the player.
        player_id: String,
        /// A name to show.
        display_name: String,
    },
    /// A person leaves the seat to the engine.
    Leave {
        /// Whose seat.
        side: Color,
        /// How well the engine plays.
        level: Option<Level>,
    },
    /// A person was not heard of for too long.
    LeaveAbsent {
        /// Whose seat.
        side: Color,
    },
    /// A person takes the seat back from the engine.
    Return {
        /// Whose seat.
        side: Color,
    },
    /// Answers list the legal moves from now on, or do not.
    Display(LegalMovesDisplay),
    /// This game follows.
    Rematch {
        /// That game.
        next: GameId,
        /// Who was to get which colour.
        colors: RematchColors,
    },
    /// The game is deleted.
    Delete,
}

/// An answer to a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes.
    Accept,
    /// No.
    Decline,
}

/// Where the caller of a write thinks the game is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Wherever it is.
    Anywhere,
    /// At this etag.
    Etag(String),
    /// After this many plies.
    Ply(u32),
}

/// What comes with a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Marks repeats of the same request.
    pub id: Option<RequestId>,
    /// Where the caller thinks the game is.
    pub expected: Expected,
}

/// A write that was carried out, now or before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The number of the event it made.
    pub event: EventNumber,
    /// What that event changed.
    pub change: Change,
    /// Whether it had been carried out before, so that nothing changed now.
    pub replayed: bool,
}

/// Why a write was refused. Nothing changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The request id belongs to another request.
    #[error("the request id was used for another request")]
    RequestIdReused,
    /// The game is somewhere else.
    #[error("the game has changed: it is at etag {etag}, ply {ply}")]
    Stale {
        /// The etag now.
        etag: EventNumber,
        /// The ply now.
        ply: usize,
    },
    /// The game is deleted.
    #[error("the game is deleted")]
    Deleted,
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// The game is not over yet.
    #[error("the game is not over")]
    NotOver,
    /// The game has a successor already.
    #[error("the next game is games/{0}")]
    Followed(GameId),
    /// A seat is open.
    #[error("the game waits for a player")]
    Waiting,
    /// Both players have left.
    #[error("both players have left: the game is paused")]
    Paused,
    /// The other side is to move.
    #[error("{side_to_move} is to move")]
    NotYourTurn {
        /// Who is to move.
        side_to_move: Color,
    },
    /// The side's time was over before.
    #[error("{side}'s time is over")]
    TimeExpired {
        /// Whose time.
        side: Color,
    },
    /// The rules forbid the move.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// The seat does not allow it.
    #[error(transparent)]
    Seat(#[from] SeatError),
    /// Nothing can be taken back so.
    #[error(transparent)]
    TakeBack(#[from] TakeBackError),
}

/// Why a seat does not allow a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeatError {
    /// The engine plays it.
    #[error("the engine plays {side}")]
    Engines {
        /// Which.
        side: Color,
    },
    /// It is not open.
    #[error("there is no open seat to take")]
    NotOpen,
    /// It is open.
    #[error("nobody has taken {side}'s seat")]
    Open {
        /// Which.
        side: Color,
    },
    /// A person plays it already.
    #[error("a person plays {side} already")]
    Persons {
        /// Which.
        side: Color,
    },
}

/// Why nothing can be taken back so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TakeBackError {
    /// The side has no disc to take back.
    #[error("{side} has no move to take back")]
    Nothing {
        /// Who asked.
        side: Color,
    },
    /// It is not the side's turn after so many plies, or not to be reached.
    #[error("{side} cannot take back to ply {ply}")]
    NotThere {
        /// Who asked.
        side: Color,
        /// The ply.
        ply: u32,
    },
    /// There is a proposal already.
    #[error("{side} has proposed to take back already")]
    Pending {
        /// Who has proposed.
        side: Color,
    },
    /// There is no proposal that the side could answer.
    #[error("there is no proposal that {side} could answer")]
    NotPending {
        /// Who answers.
        side: Color,
    },
}

impl Request {
    /// The fingerprint of the whole request. The bytes are stored as hashes and must stay the
    /// same in every version of the service.
    pub(super) fn fingerprint(&self, action: &Action) -> Fingerprint {
        let mut content = action.bytes();
        match &self.expected {
            Expected::Anywhere => content.push(0),
            Expected::Etag(etag) => {
                content.push(1);
                content.extend_from_slice(etag.as_bytes());
            }
            Expected::Ply(ply) => {
                content.push(2);
                content.extend_from_slice(&ply.to_le_bytes());
            }
        }
        Fingerprint::of(&content)
    }
}

impl Action {
    /// The square that a disc is to be put on.
    #[must_use]
    pub const fn square(&self) -> Option<Square> {
        if let Self::Play { mv, .. } | Self::PlayForEngine(mv) = self {
            mv.square()
        } else {
            None
        }
    }

    /// The side that a person acts for, who has to hold its seat.
    #[must_use]
    pub const fn acts_for(&self) -> Option<Color> {
        match self {
            Self::Play { side, .. }
            | Self::TakeBack { side, .. }
            | Self::AnswerTakeBack { side, .. }
            | Self::Resign { side }
            | Self::Leave { side, .. }
            | Self::Return { side } => Some(*side),
            Self::PlayForEngine(_)
            | Self::ClaimSeat { .. }
            | Self::LeaveAbsent { .. }
            | Self::Display(_)
            | Self::Rematch { .. }
            | Self::Delete => None,
        }
    }

    /// Different bytes for different actions.
    fn bytes(&self) -> Vec<u8> {
        let of = |side: Color| u8::from(side == Color::White);
        let square = |mv: Move| mv.square().map_or(64, Square::index);
        match self {
            Self::Play { side, mv } => vec![0, of(*side), square(*mv)],
            Self::TakeBack { side, ply } => {
                let mut bytes = vec![1, of(*side)];
                bytes.extend(ply.iter().flat_map(|ply| ply.to_le_bytes()));
                bytes
            }
            Self::Resign { side } => vec![2, of(*side)],
            Self::Delete => vec![3],
            Self::AnswerTakeBack { side, answer } => {
                vec![4, of(*side), u8::from(*answer == Answer::Accept)]
            }
            Self::ClaimSeat {
                side,
                player_id,
                display_name,
            } => {
                let mut bytes = vec![5, side.map_or(2, of)];
                // Lengths keep two texts apart.
                for text in [player_id, display_name] {
                    bytes.extend_from_slice(&text.len().to_le_bytes());
                    bytes.extend_from_slice(text.as_bytes());
                }
                bytes
            }
            Self::Leave { side, level } => {
                vec![6, of(*side), level.map_or(0, Level::number)]
            }
            Self::Return { side } => vec![7, of(*side)],
            Self::Display(display) => vec![8, u8::from(*display == LegalMovesDisplay::Hidden)],
            Self::Rematch { next, colors } => {
                let colors = match colors {
                    RematchColors::Swap => 0,
                    RematchColors::Keep => 1,
                    RematchColors::Lots => 2,
                };
                [&[9, colors], next.as_str().as_bytes()].concat()
            }
            Self::PlayForEngine(mv) => vec![10, square(*mv)],
            Self::LeaveAbsent { side } => vec![11, of(*side)],
        }
    }
}
