//! In which order moves are tried: the better the first guess, the smaller the tree.

use arrayvec::ArrayVec;

use crate::bitboard::Bitboard;
use crate::kernel::isa::Isa;
use crate::square::Square;

use super::node::Node;
use super::worker::Worker;

/// A move to try.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    promise: i32,
    pub(super) square: Square,
    pub(super) flips: Bitboard,
}

/// The moves of a node that are left to try.
#[derive(Debug)]
pub(super) struct Candidates(ArrayVec<Candidate, 64>);

/// Above every promise: moves that were best before, and a move that leaves the other side no disc.
const FIRST: i32 = 1 << 24;

/// What moves are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// The number of replies.
    Replies,
    /// The evaluation of what follows, and the number of replies.
    Evaluation {
        /// What a reply counts, in hundredths of a disc.
        reply: i32,
    },
    /// As before, but evaluating after the best reply.
    Reply {
        /// What a reply counts, in hundredths of a disc.
        reply: i32,
    },
}

impl Candidates {
    /// The moves of a node with their promise; `best` are tried first.
    #[inline(always)]
    pub(super) fn of<I: Isa>(
        isa: I,
        worker: &Worker<'_>,
        node: &Node,
        moves: Bitboard,
        best: [Option<Square>; 2],
        by: By,
    ) -> Self {
        let mut list = ArrayVec::new();
        let (player, opponent) = (node.board.player.0, node.board.opponent.0);
        let left = node.board.empties_count() - 1;
        for square in moves {
            let flips = Bitboard(isa.flips(player, opponent, square));
            let promise = if Some(square) == best[0] {
                FIRST + 1
            } else if Some(square) == best[1] {
                FIRST
            } else if flips.0 == opponent {
                FIRST + 2
            } else {
                let board = node.board.play_unchecked(square, flips);
                let replies = Bitboard(isa.legal_moves(board.player.0, board.opponent.0));
                let moves_of = replies;
                // A reply in a corner counts twice.
                let corners = Bitboard(replies.0 & Bitboard::CORNERS.0);
                let replies = (replies.count() + corners.count()).cast_signed();
                match by {
                    By::Replies => -replies,
                    By::Evaluation { reply } => {
                        let states = node.states.play(square, flips);
                        -worker.shared.weights.evaluate(&states, left) - reply * replies
                    }
                    By::Reply { reply } => {
                        let states = node.states.play(square, flips);
                        let child = Node { board, states };
                        -after_best_reply(isa, worker, &child, moves_of, left) - reply * replies
                    }
                }
            };
            list.push(Candidate {
                promise,
                square,
                flips,
            });
        }
        Self(list)
    }

    /// Takes out the most promising move that is left.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Candidate> {
        let mut best = 0;
        let mut promise = self.0.first()?.promise;
        for (index, candidate) in self.0.iter().enumerate().skip(1) {
            if candidate.promise > promise {
                promise = candidate.promise;
                best = index;
            }
        }
        Some(self.0.swap_remove(best))
    }

    /// Puts a move back, to be tried after all others.
    #[inline(always)]
    pub(super) fn defer(&mut self, candidate: Candidate) {
        self.0.push(Candidate {
            promise: i32::MIN,
            ..candidate
        });
    }
}

/// What the best of these replies leads to, for the one who replies.
#[inline(always)]
fn after_best_reply<I: Isa>(
    isa: I,
    worker: &Worker<'_>,
    node: &Node,
    replies: Bitboard,
    empties: u32,
) -> i32 {
    let (player, opponent) = (node.board.player.0, node.board.opponent.0);
    if empties == 0 || replies.is_empty() {
        return worker.shared.weights.evaluate(&node.states, empties);
    }
    let values = replies.into_iter().map(|square| {
        let flips = Bitboard(isa.flips(player, opponent, square));
        let states = node.states.play(square, flips);
        -worker.shared.weights.evaluate(&states, empties - 1)
    });
    values.fold(i32::MIN, i32::max)
}

impl Candidate {
    /// Whether it was put back.
    #[inline(always)]
    pub(super) const fn is_deferred(&self) -> bool {
        self.promise == i32::MIN
    }
}
