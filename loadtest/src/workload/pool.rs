//! Calls that stand alone: any number of encoded requests of one method.

use std::sync::Arc;

use bytes::Bytes;
use prost::Message;
use reversi_engine::{Bitboard, Game, Move, Position, RuleSet, Square, Turn};
use reversi_proto::v1;

use super::messages::{Boards, EchoMessage, Masks};
use super::positions;
use crate::wire::{Failure, Rpc, frame};

/// Requests of one method, encoded, with what is known of the right answers.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    rpc: Rpc,
    requests: Arc<[Prepared]>,
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// Prefix and message.
    pub(crate) frame: Bytes,
    /// How many positions it is about.
    pub(crate) items: u64,
    /// The right answer.
    answer: Answer,
}

#[derive(Clone, Debug)]
enum Answer {
    /// This very message.
    Same(Bytes),
    /// The legal moves of a position.
    LegalMoves { position: Position, view: View },
    /// The legal moves of many boards.
    Masks(Vec<u64>),
    /// A move that may be played in this position.
    AnyMove(Position),
}

/// How much of the legal moves is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// The moves one by one with what they turn.
    Full,
    /// The bit set alone.
    Mask,
}

impl Pool {
    /// `ListLegalMoves` of each of these positions.
    pub(crate) fn legal_moves(positions: &[Position], view: View) -> Self {
        let requests = positions.iter().map(|position| {
            let request = v1::ListLegalMovesRequest {
                position: Some(positions::message(position)),
                rules: None,
                view: match view {
                    View::Full => v1::LegalMovesView::Unspecified.into(),
                    View::Mask => v1::LegalMovesView::Mask.into(),
                },
            };
            Prepared {
                frame: frame::encode(&request),
                items: 1,
                answer: Answer::LegalMoves {
                    position: *position,
                    view,
                },
            }
        });
        Self {
            rpc: Rpc::ListLegalMoves,
            requests: requests.collect(),
        }
    }

    /// Batches of `size` of these positions, for a bulk method: as many different ones as hold
    /// each position once, at least one and at most `MOST_BATCHES`.
    pub(crate) fn batches(rpc: Rpc, positions: &[Position], size: usize) -> Self {
        let batches = positions.len().div_ceil(size.max(1)).clamp(1, MOST_BATCHES);
        let requests = (0..batches).map(|number| {
            let boards = positions.iter().cycle().skip(number * size).take(size);
            let boards = boards.map(Position::board);
            let (player, opponent): (Vec<u64>, Vec<u64>) = boards
                .map(|board| (board.player.0, board.opponent.0))
                .unzip();
            let masks = player.iter().zip(&opponent);
            let masks = masks
                .map(|(player, opponent)| reversi_engine::kernel::legal_moves(*player, *opponent));
            Prepared {
                answer: Answer::Masks(masks.collect()),
                frame: frame::encode(&Boards { player, opponent }),
                items: size as u64,
            }
        });
        Self {
            rpc,
            requests: requests.collect(),
        }
    }

    /// `SuggestMove` for each of these positions that is not over, with this budget.
    pub(crate) fn suggestions(positions: &[Position], budget: v1::Budget) -> Self {
        let going_on = positions
            .iter()
            .filter(|position| !matches!(position.turn(), Turn::Over(_)));
        let requests = going_on.map(|position| {
            let line = v1::Line {
                position: Some(positions::message(position)),
                ..Default::default()
            };
            Prepared {
                frame: frame::encode(&v1::SuggestMoveRequest {
                    subject: Some(v1::suggest_move_request::Subject::Line(line)),
                    budget: Some(budget),
                    // What is measured is the search.
                    no_book: true,
                    ..Default::default()
                }),
                items: 1,
                answer: Answer::AnyMove(after_pass(*position)),
            }
        });
        Self {
            rpc: Rpc::SuggestMove,
            requests: requests.collect(),
        }
    }

    /// A payload of so many bytes, for the echo server.
    pub(crate) fn echo(bytes: usize) -> Self {
        let message = EchoMessage {
            payload: vec![0x5a; bytes].into(),
        };
        let prepared = Prepared {
            frame: frame::encode(&message),
            items: 1,
            answer: Answer::Same(message.encode_to_vec().into()),
        };
        Self {
            rpc: Rpc::Echo,
            requests: Arc::new([prepared]),
        }
    }

    /// The method.
    pub(crate) const fn rpc(&self) -> Rpc {
        self.rpc
    }

    /// The request with this number; the numbers go round.
    pub(crate) fn request(&self, number: usize) -> &Prepared {
        &self.requests[number % self.requests.len()]
    }

    /// The number of the request that a lane begins with: lanes begin far from each other.
    pub(crate) fn offset(&self, lane: usize) -> usize {
        lane.wrapping_mul(self.requests.len() / 2 + 1)
    }
}

/// The position that a move is suggested for: the service enters a forced pass by itself.
fn after_pass(position: Position) -> Position {
    *Game::from_position(RuleSet::default(), position).position()
}

/// A batch may be a megabyte.
const MOST_BATCHES: usize = 16;

impl Prepared {
    /// Checks an answer.
    ///
    /// # Errors
    ///
    /// [`Failure::Wrong`].
    pub(crate) fn check(&self, message: Bytes) -> Result<(), Failure> {
        let right = match &self.answer {
            Answer::Same(expected) => message == expected,
            Answer::LegalMoves { position, view } => {
                let response = v1::ListLegalMovesResponse::decode(message).map_err(undecodable)?;
                let moves = response.legal_moves.unwrap_or_default();
                is_right(position, *view, &moves)
            }
            Answer::Masks(expected) => {
                let masks = Masks::decode(message).map_err(undecodable)?;
                masks.legal_moves == *expected && masks.overlapping.is_empty()
            }
            Answer::AnyMove(position) => {
                let response = v1::SuggestMoveResponse::decode(message).map_err(undecodable)?;
                let suggested = response
                    .r#move
                    .and_then(|mv| mv.square.parse::<Move>().ok());
                suggested.is_some_and(|mv| position.check(mv).is_ok())
            }
        };
        if right {
            Ok(())
        } else {
            Err(Failure::Wrong("differs from what the rules say".to_owned()))
        }
    }
}

// By value: it is given to `map_err`.
#[allow(clippy::needless_pass_by_value)]
fn undecodable(error: prost::DecodeError) -> Failure {
    Failure::Wrong(error.to_string())
}

fn is_right(position: &Position, view: View, moves: &v1::LegalMoves) -> bool {
    let turn = match position.turn() {
        Turn::Move => v1::Turn::Move,
        Turn::Pass => v1::Turn::Pass,
        Turn::Over(_) => v1::Turn::Over,
    };
    let mask = position.legal_moves();
    let listed = match view {
        View::Mask => moves.moves.is_empty(),
        View::Full => {
            moves.moves.len() == mask.count() as usize
                && mask.iter().zip(&moves.moves).all(|(square, listed)| {
                    let flips: Option<Bitboard> = listed
                        .flips
                        .iter()
                        .map(|flip| flip.parse::<Square>().ok())
                        .collect();
                    listed.square == square.to_string() && flips == Some(position.flips(square))
                })
        }
    };
    moves.turn() == turn && moves.mask == mask.0 && listed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Positions;

    fn suggestion(mv: Move) -> Bytes {
        let response = v1::SuggestMoveResponse {
            r#move: Some(v1::Move {
                square: mv.to_string(),
                ..Default::default()
            }),
            ..Default::default()
        };
        response.encode_to_vec().into()
    }

    #[test]
    fn where_a_pass_is_forced_a_move_of_the_other_side_is_right() {
        let positions = Positions::Playouts.list(1);
        let forced = positions
            .iter()
            .find(|position| position.turn() == Turn::Pass)
            .unwrap();
        let pool = Pool::suggestions(&[*forced], v1::Budget::default());
        let answer = |mv| pool.request(0).check(suggestion(mv));
        let next = forced.play_unchecked(Move::Pass);
        for square in next.legal_moves() {
            assert_eq!(answer(Move::Place(square)), Ok(()), "{forced}");
        }
        assert!(answer(Move::Pass).is_err(), "{forced}");
    }
}
