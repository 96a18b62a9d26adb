//! In which order moves are tried: the better the first guess, the smaller the tree.

use arrayvec::ArrayVec;

use crate::bitboard::Bitboard;
use crate::kernel::isa::Isa;
use crate::rules::Objective;
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

/// Above every promise: moves that were best before.
const FIRST: i32 = 1 << 24;
/// A move that leaves the other side no disc: first of all where most discs win, last where the
/// fewest do.
const WIPEOUT: i32 = 1 << 25;
/// Below every promise: a move that was put back.
const DEFERRED: i32 = i32::MIN;

/// What a reply counts against a move, in hundredths of a disc. Of 0, 40, 80, 120 and 160
/// the first three visit about as few boards to depth 16 from 40, 30 and 24 empty squares.
const REPLY: i32 = 80;

/// What moves are ordered by, besides the number of replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// Nothing.
    Replies,
    /// The evaluation of what follows.
    Evaluation,
    /// The evaluation after the best reply.
    BestReply,
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
        let wipeout = match worker.shared.objective {
            Objective::MostDiscs => WIPEOUT,
            Objective::FewestDiscs => -WIPEOUT,
        };
        for square in moves {
            let flips = Bitboard(isa.flips(player, opponent, square));
            let promise = if flips.0 == opponent {
                wipeout
            } else if Some(square) == best[0] {
                FIRST + 1
            } else if Some(square) == best[1] {
                FIRST
            } else {
                promise(isa, worker, node, square, flips, by)
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
            promise: DEFERRED,
            ..candidate
        });
    }
}

/// What a move promises that is none of the exceptions.
#[inline(always)]
fn promise<I: Isa>(
    isa: I,
    worker: &Worker<'_>,
    node: &Node,
    square: Square,
    flips: Bitboard,
    by: By,
) -> i32 {
    let board = node.board.play_unchecked(square, flips);
    let replies = Bitboard(isa.legal_moves(board.player.0, board.opponent.0));
    // A reply in a corner counts twice.
    let corners = replies & Bitboard::CORNERS;
    let mobility = (replies.count() + corners.count()).cast_signed();
    match by {
        By::Replies => -mobility,
        By::Evaluation => {
            let child = node.play(square, flips);
            let value = child.evaluate(isa, worker.shared.weights);
            -value - REPLY * mobility
        }
        By::BestReply => {
            let child = node.play(square, flips);
            -after_best_reply(isa, worker, &child, replies) - REPLY * mobility
        }
    }
}

/// What the best of these replies leads to, for the one who replies.
#[inline(always)]
fn after_best_reply<I: Isa>(isa: I, worker: &Worker<'_>, node: &Node, replies: Bitboard) -> i32 {
    let (player, opponent) = (node.board.player.0, node.board.opponent.0);
    let weights = worker.shared.weights;
    let values = replies.into_iter().map(|square| {
        let flips = Bitboard(isa.flips(player, opponent, square));
        -node.play(square, flips).evaluate(isa, weights)
    });
    // Without a reply there is nothing better to go by than the board itself.
    values
        .reduce(i32::max)
        .unwrap_or_else(|| node.evaluate(isa, weights))
}

impl Candidate {
    /// Whether it was put back.
    #[inline(always)]
    pub(super) const fn is_deferred(&self) -> bool {
        self.promise == DEFERRED
    }
}
