//! Legal moves.

use std::fmt;

use reversi_client::proto::{LegalMoves, Turn};
use serde::Serialize;

use super::turn;

/// The legal moves for programs.
#[derive(Debug, Serialize)]
pub(crate) struct LegalView {
    state: &'static str,
    moves: Vec<LegalMoveView>,
}

/// A legal square and what it turns.
#[derive(Debug, Serialize)]
pub(crate) struct LegalMoveView {
    square: String,
    flips: Vec<String>,
}

impl From<LegalMoves> for LegalView {
    fn from(legal: LegalMoves) -> Self {
        Self {
            state: turn(legal.turn()),
            moves: legal
                .moves
                .into_iter()
                .map(|legal| LegalMoveView {
                    square: legal.square,
                    flips: legal.flips,
                })
                .collect(),
        }
    }
}

impl fmt::Display for LegalView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.state == turn(Turn::Pass) {
            return write!(f, "no legal square: pass");
        }
        if self.state == turn(Turn::Over) {
            return write!(f, "the game is over");
        }
        for (index, legal) in self.moves.iter().enumerate() {
            let line_break = if index > 0 { "\n" } else { "" };
            write!(f, "{line_break}{}  {}", legal.square, legal.flips.join(" "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use reversi_client::proto::LegalMove;
    use serde_json::json;

    use super::*;

    #[test]
    fn legal_moves_have_their_shape() {
        let view = LegalView::from(LegalMoves {
            turn: Turn::Move.into(),
            mask: 1 << 19,
            moves: vec![LegalMove {
                square: "d3".to_owned(),
                flips: vec!["d4".to_owned()],
            }],
        });
        assert_eq!(
            serde_json::to_value(&view).unwrap(),
            json!({"state": "move", "moves": [{"square": "d3", "flips": ["d4"]}]})
        );
        assert_eq!(view.to_string(), "d3  d4");
    }

    #[test]
    fn without_legal_squares_the_state_says_why() {
        for (turn, state) in [(Turn::Pass, "pass"), (Turn::Over, "over")] {
            let view = LegalView::from(LegalMoves {
                turn: turn.into(),
                ..Default::default()
            });
            assert_eq!(
                serde_json::to_value(&view).unwrap(),
                json!({"state": state, "moves": []})
            );
        }
    }
}
