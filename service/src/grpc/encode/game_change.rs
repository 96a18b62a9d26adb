//! What a watch of games sends.

use reversi_engine::Color;
use reversi_proto::v1;
use reversi_proto::v1::watch_games_response::Update as Message;

use super::game::{seat, standing};
use super::{color, game_name, outcome, small, timestamp};
use crate::operations::{GameChange, GameChangeKind, GameSummary, GamesUpdate};
use crate::session::Phase;

/// An update of a watch of games.
pub(in crate::grpc) fn games_update(update: &GamesUpdate) -> v1::WatchGamesResponse {
    let (update, position) = match update {
        GamesUpdate::Started { missed, position } => {
            let missed = *missed;
            let start = v1::WatchGamesStart { missed };
            (Message::Start(start), Some(position))
        }
        GamesUpdate::Changed { change, position } => {
            (Message::Change(game_change(change)), position.as_ref())
        }
        GamesUpdate::Quiet { position } => {
            let progress = v1::WatchGamesProgress {};
            (Message::Progress(progress), Some(position))
        }
    };
    v1::WatchGamesResponse {
        update: Some(update),
        cursor: position.map_or_else(String::new, ToString::to_string),
    }
}

fn game_change(change: &GameChange) -> v1::GameChange {
    let name = game_name(change.id);
    let kind = |kind: v1::GameChangeKind| i32::from(kind);
    let Some(game) = &change.game else {
        return v1::GameChange {
            name,
            kind: kind(v1::GameChangeKind::Deleted),
            ..Default::default()
        };
    };
    let is_over = matches!(game.phase, Phase::Over(_));
    v1::GameChange {
        kind: kind(match change.kind {
            GameChangeKind::Created => v1::GameChangeKind::Created,
            GameChangeKind::Changed if is_over => v1::GameChangeKind::Finished,
            GameChangeKind::Changed => v1::GameChangeKind::Changed,
            GameChangeKind::Deleted => v1::GameChangeKind::Deleted,
        }),
        name,
        ..summary(game)
    }
}

fn summary(game: &GameSummary) -> v1::GameChange {
    let (state, ended) = standing(game.phase);
    v1::GameChange {
        etag: game.event.to_string(),
        state: state.into(),
        side_to_move: game.turn.map_or(v1::Color::Unspecified, color).into(),
        ply: small(game.ply),
        outcome: ended.map(outcome),
        black_seat: Some(seat(game.seats.of(Color::Black))),
        white_seat: Some(seat(game.seats.of(Color::White))),
        labels: game.labels.clone(),
        external_id: game.external_id.clone(),
        update_time: Some(timestamp(game.updated)),
        expire_time: Some(timestamp(game.expires)),
        ..Default::default()
    }
}
