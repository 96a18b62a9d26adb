//! Positions that were played to, and scores.

use reversi_client::proto::{ApplyMovesResponse, MoveKind, ScorePositionResponse, ScoredTotals};
use serde::Serialize;

use super::{game::OutcomeView, side};

/// Totals after scoring, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct TotalsView {
    pub(crate) black: i32,
    pub(crate) white: i32,
}

impl From<ScoredTotals> for TotalsView {
    fn from(totals: ScoredTotals) -> Self {
        Self {
            black: totals.black,
            white: totals.white,
        }
    }
}

/// Where moves have led, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct AppliedView {
    board: String,
    /// Nothing when the game is over.
    side: Option<&'static str>,
    over: bool,
    black: i32,
    white: i32,
    empties: i32,
    passes: usize,
    scored: Option<TotalsView>,
}

impl From<&ApplyMovesResponse> for AppliedView {
    fn from(applied: &ApplyMovesResponse) -> Self {
        let score = applied.score.unwrap_or_default();
        let over = applied.outcome.is_some();
        let to_move = applied
            .position
            .as_ref()
            .and_then(|p| side(p.side_to_move()));
        Self {
            board: applied.board_text.clone(),
            side: to_move.filter(|_| !over),
            over,
            black: score.black,
            white: score.white,
            empties: score.empties,
            passes: applied
                .moves
                .iter()
                .filter(|played| played.kind() == MoveKind::Pass)
                .count(),
            scored: score.scored.map(Into::into),
        }
    }
}

/// A scored position, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct ScoredView {
    black: i32,
    white: i32,
    empties: i32,
    over: bool,
    scored: Option<TotalsView>,
    outcome: Option<OutcomeView>,
}

impl From<&ScorePositionResponse> for ScoredView {
    fn from(scored: &ScorePositionResponse) -> Self {
        let score = scored.score.unwrap_or_default();
        Self {
            black: score.black,
            white: score.white,
            empties: score.empties,
            over: scored.outcome.is_some(),
            scored: score.scored.map(Into::into),
            outcome: scored.outcome.as_ref().map(Into::into),
        }
    }
}

#[cfg(test)]
mod tests {
    use reversi_client::proto::{Color, Move, Outcome, Position, Score};
    use serde_json::json;

    use super::*;

    fn applied() -> ApplyMovesResponse {
        ApplyMovesResponse {
            position: Some(Position {
                side_to_move: Color::White.into(),
                ..Default::default()
            }),
            board_text: "-".repeat(64),
            score: Some(Score {
                black: 4,
                white: 1,
                empties: 59,
                scored: None,
            }),
            moves: vec![Move {
                square: "f5".to_owned(),
                kind: MoveKind::Disc.into(),
                ..Default::default()
            }],
            ..Default::default()
        }
    }

    #[test]
    fn a_running_position_has_its_shape() {
        assert_eq!(
            serde_json::to_value(AppliedView::from(&applied())).unwrap(),
            json!({
                "board": "-".repeat(64), "side": "O", "over": false,
                "black": 4, "white": 1, "empties": 59, "passes": 0, "scored": null,
            })
        );
    }

    #[test]
    fn a_finished_position_is_scored_and_nobody_is_to_move() {
        let mut over = applied();
        over.outcome = Some(Outcome::default());
        over.score = Some(Score {
            black: 13,
            white: 0,
            empties: 51,
            scored: Some(ScoredTotals {
                black: 64,
                white: 0,
            }),
        });
        over.moves.push(Move {
            kind: MoveKind::Pass.into(),
            ..Default::default()
        });
        let view = serde_json::to_value(AppliedView::from(&over)).unwrap();
        assert_eq!(view["side"], json!(null));
        assert_eq!(view["over"], true);
        assert_eq!(view["passes"], 1);
        assert_eq!(view["scored"], json!({"black": 64, "white": 0}));
    }
}
