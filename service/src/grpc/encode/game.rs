//! Games.

use reversi_engine::{Color, Score};
use reversi_proto::v1;
use reversi_proto::v1::clock::Time;

use super::{
    View, board, color, duration, game_name, history, legal_moves, outcome, position, rule_set,
    score, small, timestamp,
};
use crate::session::{
    ClockFace, ClockRules, ColorPolicy, GameId, LegalMovesDisplay, Occupant, OnExpiry, Outcome,
    OutcomeReason, Phase, Seat, SeatTokens, Series, Session, TimeControl,
};

/// A game.
pub(in crate::grpc) fn game(id: GameId, session: &Session) -> v1::Game {
    let record = session.record();
    let status = status(session);
    v1::Game {
        name: game_name(id),
        etag: session.event_number().to_string(),
        rules: Some(rule_set(&record.rules)),
        black_seat: status.black_seat,
        white_seat: status.white_seat,
        state: status.state,
        outcome: status.outcome,
        position: status.position,
        board_text: status.board_text,
        ply: status.ply,
        history: history(session.game(), session.prelude()),
        legal_moves: status.legal_moves,
        score: status.score,
        legal_moves_display: status.legal_moves_display,
        create_time: Some(timestamp(record.created)),
        update_time: Some(timestamp(record.updated)),
        expire_time: Some(timestamp(session.expires())),
        clock: record.clock.as_ref().map(clock),
        clock_reading: status.clock_reading,
        take_back_proposal: status.take_back_proposal,
        color_policy: match record.color_policy {
            ColorPolicy::AsGiven => v1::ColorPolicy::AsGiven,
            ColorPolicy::FirstToSitIsBlack => v1::ColorPolicy::FirstToSitIsBlack,
            ColorPolicy::DrawLots(_) => v1::ColorPolicy::DrawLots,
        }
        .into(),
        substitute_level: record.substitute.number().into(),
        seat_tokens: record.seat_tokens == SeatTokens::Required,
        presence_ttl: record.presence.map(duration),
        series: record.series.as_ref().map(series),
        next_game: status.next_game,
        labels: record.labels.clone(),
        external_id: record.external_id.clone(),
        prelude_ply: small(session.prelude()),
    }
}

/// The part of a game that its events change.
pub(super) fn status(session: &Session) -> v1::GameStatus {
    let game = session.game();
    let phase = session.phase();
    let (state, ended) = standing(phase);
    let shown = session.legal_moves() == LegalMovesDisplay::Shown;
    let listed = shown && phase == Phase::Playing;
    let proposal = session.take_back_proposal();
    v1::GameStatus {
        state: state.into(),
        outcome: ended.map(outcome),
        position: Some(position(game.position())),
        board_text: board(game.position()),
        ply: small(game.ply()),
        legal_moves: listed.then(|| legal_moves(game.position(), View::Full)),
        score: Some(score(match ended {
            // The board has not ended it, so there are no totals.
            Some(Outcome {
                reason: OutcomeReason::Resignation | OutcomeReason::Timeout,
                ..
            }) => Score {
                scored: None,
                ..game.score()
            },
            _ => game.score(),
        })),
        clock_reading: session.clock().as_ref().map(reading),
        take_back_proposal: proposal.map(|(side, ply)| v1::TakeBackProposal {
            side: color(side).into(),
            ply: small(ply),
        }),
        black_seat: Some(seat(session.seats().of(Color::Black))),
        white_seat: Some(seat(session.seats().of(Color::White))),
        legal_moves_display: display(session.legal_moves()).into(),
        next_game: session.successor().map_or_else(String::new, game_name),
    }
}

/// Where a game stands, and how it ended if it has.
pub(super) const fn standing(phase: Phase) -> (v1::GameState, Option<Outcome>) {
    match phase {
        Phase::Waiting => (v1::GameState::Waiting, None),
        Phase::Playing => (v1::GameState::InProgress, None),
        Phase::Paused => (v1::GameState::Paused, None),
        Phase::Over(outcome) => (v1::GameState::Finished, Some(outcome)),
    }
}

pub(super) const fn display(display: LegalMovesDisplay) -> v1::LegalMovesDisplay {
    match display {
        LegalMovesDisplay::Shown => v1::LegalMovesDisplay::Shown,
        LegalMovesDisplay::Hidden => v1::LegalMovesDisplay::Hidden,
    }
}

pub(super) fn seat(seat: &Seat) -> v1::Seat {
    let occupant = match seat.occupant {
        Occupant::Person => v1::SeatOccupant::Person,
        Occupant::Engine(_) => v1::SeatOccupant::Engine,
        Occupant::Substitute(_) => v1::SeatOccupant::Substitute,
        Occupant::Open => v1::SeatOccupant::Open,
    };
    v1::Seat {
        player_id: seat.player_id.clone(),
        display_name: seat.display_name.clone(),
        occupant: occupant.into(),
        level: seat
            .occupant
            .engine()
            .map_or(0, |level| level.number().into()),
    }
}

fn clock(rules: &ClockRules) -> v1::Clock {
    let on_expiry = match rules.on_expiry {
        OnExpiry::Lose => v1::OnExpiry::Lose,
        OnExpiry::EngineMovesOnce => v1::OnExpiry::EngineMovesOnce,
        OnExpiry::EngineTakesSeat => v1::OnExpiry::EngineTakesSeat,
    };
    let time = match rules.time {
        TimeControl::PerMove(time) => Time::PerMove(duration(time)),
        TimeControl::Total { initial, increment } => Time::Total(v1::TotalTime {
            initial: Some(duration(initial)),
            increment: Some(duration(increment)),
        }),
    };
    v1::Clock {
        on_expiry: on_expiry.into(),
        time: Some(time),
    }
}

fn reading(face: &ClockFace) -> v1::ClockReading {
    v1::ClockReading {
        black_remaining: Some(duration(face.black)),
        white_remaining: Some(duration(face.white)),
        as_of: Some(timestamp(face.as_of)),
        running: face.running.map_or(v1::Color::Unspecified, color).into(),
        deadline: face.deadline.map(timestamp),
    }
}

fn series(series: &Series) -> v1::Series {
    v1::Series {
        first_game: game_name(series.first),
        number: i32::try_from(series.games_before)
            .unwrap_or(i32::MAX)
            .saturating_add(1),
        black_points: f64::from(series.black_halves) / 2.0,
        white_points: f64::from(series.white_halves) / 2.0,
    }
}
