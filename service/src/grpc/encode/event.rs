//! What a watch sends.

use reversi_proto::v1;
use reversi_proto::v1::game_event::Kind;
use reversi_proto::v1::watch_game_response::Update as Message;

use super::game::{display, game, status};
use super::{color, game_name, moves, small};
use crate::operations::Update;
use crate::session::{Change, GameId, HandOver};

/// An update of a watch.
pub(in crate::grpc) fn update(id: GameId, update: Update) -> v1::WatchGameResponse {
    let update = match update {
        Update::Snapshot { session, reset } => Message::Snapshot(v1::GameSnapshot {
            game: Some(game(id, &session)),
            reset,
        }),
        Update::Expired { session } => Message::Event(v1::GameEvent {
            etag: session.event_number().to_string(),
            kind: Some(Kind::Expired(v1::GameExpired {})),
            after: None,
        }),
        Update::Changed { change, session } => {
            let gone = change == Change::Deleted;
            Message::Event(v1::GameEvent {
                etag: session.event_number().to_string(),
                kind: Some(kind(&change)),
                after: (!gone).then(|| status(&session)),
            })
        }
    };
    v1::WatchGameResponse {
        update: Some(update),
    }
}

fn kind(change: &Change) -> Kind {
    let of = |side| i32::from(color(side));
    match *change {
        Change::Moves { ply, ref moves } => Kind::MovesPlayed(v1::MovesPlayed {
            moves: self::moves(moves),
            ply: small(ply),
        }),
        Change::TakeBackProposed { side, ply } => Kind::TakeBackProposed(v1::TakeBackProposed {
            side: of(side),
            ply: small(ply),
        }),
        Change::TakeBackDeclined { side } => {
            Kind::TakeBackDeclined(v1::TakeBackDeclined { side: of(side) })
        }
        Change::TakenBack { side, ply } => Kind::TakenBack(v1::TakenBack {
            side: of(side),
            ply: small(ply),
        }),
        Change::Resigned { side } => Kind::Resigned(v1::Resigned { side: of(side) }),
        Change::TimeExpired { side } => Kind::TimeExpired(v1::TimeExpired { side: of(side) }),
        Change::SeatClaimed { side } => Kind::SeatClaimed(v1::SeatClaimed { side: of(side) }),
        Change::SeatHandedOver { side, level, cause } => {
            let cause = match cause {
                HandOver::Asked => v1::HandOverCause::Asked,
                HandOver::Absent => v1::HandOverCause::Absent,
            };
            Kind::SeatHandedOver(v1::SeatHandedOver {
                side: of(side),
                level: level.number().into(),
                cause: cause.into(),
            })
        }
        Change::SeatReturned { side } => Kind::SeatReturned(v1::SeatReturned { side: of(side) }),
        Change::DisplayChanged { display: shown } => {
            Kind::LegalMovesDisplayChanged(v1::LegalMovesDisplayChanged {
                legal_moves_display: display(shown).into(),
            })
        }
        Change::Rematched { next } => Kind::Rematched(v1::Rematched {
            next_game: game_name(next),
        }),
        Change::Deleted => Kind::Deleted(v1::GameDeleted {}),
    }
}
