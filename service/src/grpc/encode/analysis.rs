//! What a search has found into messages.

use std::time::Duration;

use reversi_engine::search::{Analysis, Certainty, Line};
use reversi_engine::{Move, Position};
use reversi_proto::v1;

use super::{candidate, duration};

/// A line that begins in the position.
pub(in crate::grpc) fn variation(position: &Position, line: &Line) -> v1::Variation {
    v1::Variation {
        r#move: line.moves.first().map(|&mv| candidate(position, mv)),
        value: hundredths(line.value),
        line: moves(&line.moves),
    }
}

/// Moves by their names.
pub(in crate::grpc) fn moves(moves: &[Move]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

/// How far values can be trusted, and in per cent where that can be said.
pub(in crate::grpc) fn certainty(certainty: Certainty) -> (v1::Certainty, i32) {
    match certainty {
        Certainty::Depth => (v1::Certainty::Depth, 0),
        Certainty::Percent(percent) => (v1::Certainty::Percent, percent.into()),
        Certainty::Exact => (v1::Certainty::Exact, 0),
    }
}

/// A value in discs, to two places: more would say more than it knows.
pub(in crate::grpc) fn hundredths(value: f32) -> f64 {
    (f64::from(value) * 100.0).round() / 100.0
}

/// All that is known after so much time.
pub(in crate::grpc) fn analysis(
    position: &Position,
    analysis: &Analysis,
    elapsed: Duration,
) -> v1::Analysis {
    let (certainty, percent) = certainty(analysis.certainty);
    v1::Analysis {
        variations: analysis
            .lines
            .iter()
            .map(|line| variation(position, line))
            .collect(),
        certainty: certainty.into(),
        percent,
        depth: i32::try_from(analysis.depth).unwrap_or(i32::MAX),
        nodes: i64::try_from(analysis.nodes).unwrap_or(i64::MAX),
        elapsed: Some(duration(elapsed)),
    }
}
