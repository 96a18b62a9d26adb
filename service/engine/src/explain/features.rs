//! What can be seen of a move on the board: right after it, and after the answer to expect.

use crate::bitboard::Bitboard;
use crate::moves::Move;
use crate::position::{Phase, Position};
use crate::rules::Objective;
use crate::search::Line;
use crate::square::Square;
use crate::wipeout;

use super::corners::around;
use super::regions::region;
use super::stable::stable;

/// What a move does, for the side that plays it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Features {
    pub(super) square: Square,
    /// How many discs it turns.
    pub(super) turns: u32,
    /// The corners that the opponent may take at once.
    pub(super) gives: Bitboard,
    /// The corners that may be taken after the answer.
    pub(super) opens: Bitboard,
    /// Whether all that the opponent may play are corners.
    pub(super) answers: Answers,
    /// How many moves the opponent has; `None` if the game is over.
    pub(super) opponent_moves: Option<u32>,
    /// How many moves there are after the answer; `None` if the game is over then.
    pub(super) own_moves: Option<u32>,
    /// Own discs next to an empty square.
    pub(super) frontier: u32,
    /// Own discs that have become safe for good.
    pub(super) new_stable: u32,
    /// The opponent's discs that have become safe for good with its answer.
    pub(super) opponents_new_stable: u32,
    /// What is left empty of the region that it was played in.
    pub(super) left: Bitboard,
    /// Whether it may lose at once by a colour's last disc.
    pub(super) invites_wipeout: bool,
    /// How the game ends at once, if it does.
    pub(super) wipes_out: bool,
}

/// What the opponent may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answers {
    /// Corners, and nothing else.
    CornersOnly,
    /// Something else, or nothing at all.
    Other,
}

impl Features {
    /// What a line's first move does; `None` for a placement or a pass, and for what cannot be
    /// played here.
    pub(super) fn of(position: &Position, objective: Objective, line: &Line) -> Option<Self> {
        let mut moves = line.moves.iter().copied();
        let mv = moves.next()?;
        let square = match (position.phase(), mv) {
            (Phase::Play, Move::Place(square)) => square,
            (Phase::Play | Phase::Placement, _) => return None,
        };
        let after = position.play(mv).ok()?;
        let answered = moves.next().and_then(|answer| after.play(answer).ok());
        // From the view of the side that has just moved.
        let (before, board) = (position.board(), after.board().pass());
        let answers = after.legal_moves();
        let safe = |own, other| stable(own, other).count();
        let safe_before = safe(before.player, before.opponent);
        let opponents_safe_before = safe(before.opponent, before.player);
        let later = answered.map_or(board, |answered| answered.board());
        let wins_now = match objective {
            Objective::MostDiscs => board.opponent.is_empty(),
            Objective::FewestDiscs => later.player.is_empty(),
        };
        Some(Self {
            square,
            turns: before.flips(square).count(),
            gives: answers & Bitboard::CORNERS,
            opens: answered.map_or(Bitboard::EMPTY, |answered| {
                answered.legal_moves() & Bitboard::CORNERS
            }),
            answers: if !answers.is_empty() && (answers - Bitboard::CORNERS).is_empty() {
                Answers::CornersOnly
            } else {
                Answers::Other
            },
            opponent_moves: (!after.turn().is_over()).then(|| answers.count()),
            own_moves: answered
                .filter(|answered| !answered.turn().is_over())
                .map(|answered| answered.legal_moves().count()),
            frontier: (board.player & Bitboard(around(board.empties().0))).count(),
            new_stable: safe(board.player, board.opponent).saturating_sub(safe_before),
            opponents_new_stable: safe(later.opponent, later.player)
                .saturating_sub(opponents_safe_before),
            left: region(position.empties(), square) - square.into(),
            invites_wipeout: wipeout::is_invited_by(position, mv, objective),
            wipes_out: wins_now,
        })
    }
}
