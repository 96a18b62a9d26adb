//! Reasons for a move that a person understands.
//!
//! A search says what a move is worth, not why. [`explain`] compares what can be seen on the board
//! after the move, and after the answer to expect, with what the other moves would have led to:
//! corners, moves left to both sides, discs that are safe for good, discs that lie open, the last
//! move in a region. It looks at nothing that a person could not see, so its reasons need not be
//! those of the search, and where nothing stands out there are none.

mod corners;
mod features;
mod regions;
mod stable;

use crate::bitboard::Bitboard;
use crate::moves::Move;
use crate::position::Position;
use crate::rules::Objective;
use crate::search::Line;

use corners::{c_squares, x_squares};
use features::{Answers, Features};

/// Why a move. Where a number is compared, `others` is its average over the other moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// There is no other.
    OnlyMove,
    /// It wins at once, by a colour's last disc.
    Wipeout,
    /// These others may lose at once, by a colour's last disc.
    EscapesWipeout {
        /// The other moves.
        others: Bitboard,
    },
    /// It takes a corner.
    TakesCorner {
        /// The corner.
        corner: Bitboard,
    },
    /// Others let the opponent take a corner at once.
    KeepsCorner {
        /// Those corners.
        corners: Bitboard,
        /// The other moves.
        others: Bitboard,
    },
    /// After the answer to expect, a corner can be taken that cannot be taken now.
    OpensCorner {
        /// Such corners.
        corners: Bitboard,
    },
    /// Where fewer discs win: others take a corner, and corners are never turned.
    AvoidsCorner {
        /// The other moves.
        others: Bitboard,
    },
    /// Where fewer discs win: the opponent can play nothing but corners.
    ForcesCorner {
        /// Those corners.
        corners: Bitboard,
    },
    /// Others are diagonally next to an empty corner.
    AvoidsXSquare {
        /// The other moves.
        others: Bitboard,
    },
    /// Others are on an edge, next to an empty corner.
    AvoidsCSquare {
        /// The other moves.
        others: Bitboard,
    },
    /// It makes more own discs safe for good; where fewer discs win, more of the opponent's.
    Stability {
        /// How many.
        discs: u32,
        /// How many the others.
        others: f32,
    },
    /// It leaves the opponent fewer moves.
    LimitsMobility {
        /// How many.
        moves: u32,
        /// How many the others.
        others: f32,
    },
    /// It leaves more moves to oneself.
    KeepsMobility {
        /// How many.
        moves: u32,
        /// How many the others.
        others: f32,
    },
    /// It leaves fewer own discs next to empty squares, where the opponent could turn them.
    Frontier {
        /// How many.
        discs: u32,
        /// How many the others.
        others: f32,
    },
    /// It leaves an even number of empty squares around it, so that the opponent begins there and
    /// the last move is one's own.
    Parity {
        /// The empty squares.
        left: Bitboard,
    },
    /// It turns fewer discs: what is not turned now can be turned later.
    FewDiscs {
        /// How many.
        turns: u32,
        /// How many the others.
        others: f32,
    },
    /// A reason against it: the opponent can take a corner at once. It is played all the same.
    GivesCorner {
        /// Such corners.
        corners: Bitboard,
    },
}

/// From this difference on a comparison is worth telling: about what a person notices at a glance.
const NOTICEABLE: f32 = 1.5;
/// From this difference on it is told where nothing more telling is known.
const SLIGHT: f32 = 0.5;
/// The most empty squares of a region whose parity a person counts.
const COUNTED: u32 = 7;
/// Parity and numbers of discs are for the end and for what comes before, parted here: with more
/// empty squares nobody counts them, with fewer discs are what counts.
const ENDGAME_EMPTIES: u32 = 20;

/// Why `chosen` and not one of the others, the most telling reason first.
///
/// `others` are the other legal moves with the play to expect, in any order; lines that begin as
/// `chosen` does are left out. The same arguments have the same reasons.
#[must_use]
pub fn explain(
    position: &Position,
    objective: Objective,
    chosen: &Line,
    others: &[Line],
) -> Vec<Reason> {
    let legal = position.legal_moves();
    if legal.count() <= 1 {
        return vec![Reason::OnlyMove];
    }
    let Some(chosen) = Features::of(position, objective, chosen) else {
        return Vec::new();
    };
    let others: Vec<Features> = others
        .iter()
        .filter(|line| line.moves.first() != Some(&Move::Place(chosen.square)))
        .filter_map(|line| Features::of(position, objective, line))
        .collect();
    if chosen.wipes_out {
        return vec![Reason::Wipeout];
    }
    let comparison = Comparison {
        position,
        chosen,
        others: &others,
    };
    let mut reasons = comparison.wipeouts();
    match objective {
        Objective::MostDiscs => {
            reasons.extend(comparison.corners());
            reasons.extend(comparison.numbers());
            reasons.extend(comparison.beside_corners());
            if !chosen.gives.is_empty() {
                reasons.push(Reason::GivesCorner {
                    corners: chosen.gives,
                });
            }
        }
        Objective::FewestDiscs => {
            reasons.extend(comparison.unwanted_corners());
            reasons.extend(comparison.unwanted_numbers());
        }
    }
    reasons
}

/// A move and the others.
struct Comparison<'a> {
    position: &'a Position,
    chosen: Features,
    others: &'a [Features],
}

impl Comparison<'_> {
    /// Other moves that this is true of.
    fn those(&self, is: impl Fn(&Features) -> bool) -> Bitboard {
        let those = self.others.iter().filter(|other| is(other));
        those.map(|other| other.square).collect()
    }

    /// The average of a number over the other moves that have it.
    fn average(&self, number: impl Fn(&Features) -> Option<u32>) -> Option<f32> {
        let numbers: Vec<u32> = self.others.iter().filter_map(number).collect();
        let sum: u32 = numbers.iter().sum();
        (!numbers.is_empty()).then(|| sum as f32 / numbers.len() as f32)
    }

    fn wipeouts(&self) -> Vec<Reason> {
        let others = self.those(|other| other.invites_wipeout);
        if self.chosen.invites_wipeout || others.is_empty() {
            Vec::new()
        } else {
            vec![Reason::EscapesWipeout { others }]
        }
    }

    fn corners(&self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let chosen = &self.chosen;
        let square = Bitboard::from(chosen.square);
        if !(square & Bitboard::CORNERS).is_empty() {
            reasons.push(Reason::TakesCorner { corner: square });
        }
        let given = |other: &Features| other.gives - chosen.gives;
        let corners = self
            .others
            .iter()
            .fold(Bitboard::EMPTY, |all, other| all | given(other));
        if !corners.is_empty() {
            let others = self.those(|other| !given(other).is_empty());
            reasons.push(Reason::KeepsCorner { corners, others });
        }
        let now = self.position.legal_moves();
        // What most other moves open as well speaks for none of them.
        let opened_by_most = |corner: Bitboard| {
            let opening = self.those(|other| !(other.opens & corner).is_empty());
            2 * opening.count() as usize > self.others.len()
        };
        let corners: Bitboard = (chosen.opens - now)
            .iter()
            .filter(|&corner| !opened_by_most(corner.into()))
            .collect();
        if !corners.is_empty() {
            reasons.push(Reason::OpensCorner { corners });
        }
        reasons
    }

    /// X- and C-squares, unless they are named already as what gives a corner at once.
    fn beside_corners(&self) -> Vec<Reason> {
        let empty_corners = Bitboard::CORNERS & self.position.empties();
        let square = Bitboard::from(self.chosen.square);
        let avoided = |beside: Bitboard| {
            if (beside & square).is_empty() {
                self.those(|other| beside.contains(other.square) && other.gives.is_empty())
            } else {
                Bitboard::EMPTY
            }
        };
        let (x, c) = (x_squares(empty_corners), c_squares(empty_corners));
        let mut reasons = Vec::new();
        let others = avoided(x);
        if !others.is_empty() {
            reasons.push(Reason::AvoidsXSquare { others });
        }
        let others = avoided(c);
        // An X-square is worse than a C-square: to avoid the one with the other is no merit.
        if !others.is_empty() && (x & square).is_empty() {
            reasons.push(Reason::AvoidsCSquare { others });
        }
        reasons
    }

    /// Numbers that are better than those of the others, the largest difference first.
    fn numbers(&self) -> Vec<Reason> {
        let chosen = &self.chosen;
        let mut compared = self.mobility();
        if let Some(others) = self.average(|other| Some(other.new_stable)) {
            let discs = chosen.new_stable;
            let reason = Reason::Stability { discs, others };
            compared.push((discs as f32 - others, reason));
        }
        if let Some(others) = self.average(|other| Some(other.frontier)) {
            let discs = chosen.frontier;
            let reason = Reason::Frontier { discs, others };
            compared.push((others - discs as f32, reason));
        }
        let mut reasons = telling(compared);
        if self.position.empties().count() <= ENDGAME_EMPTIES {
            reasons.extend(self.parity());
        } else {
            reasons.extend(telling(self.few_discs()));
        }
        reasons
    }

    fn mobility(&self) -> Vec<(f32, Reason)> {
        let chosen = &self.chosen;
        let mut compared = Vec::new();
        if let Some(moves) = chosen.opponent_moves
            && let Some(others) = self.average(|other| other.opponent_moves)
        {
            let reason = Reason::LimitsMobility { moves, others };
            compared.push((others - moves as f32, reason));
        }
        if let Some(moves) = chosen.own_moves
            && let Some(others) = self.average(|other| other.own_moves)
        {
            let reason = Reason::KeepsMobility { moves, others };
            compared.push((moves as f32 - others, reason));
        }
        compared
    }

    fn few_discs(&self) -> Vec<(f32, Reason)> {
        let turns = self.chosen.turns;
        let others = self.average(|other| Some(other.turns));
        let reason = |others| (others - turns as f32, Reason::FewDiscs { turns, others });
        others.map(reason).into_iter().collect()
    }

    /// The last move in a region, where some other move gives it away.
    fn parity(&self) -> Option<Reason> {
        let left = self.chosen.left;
        let is_even = |left: Bitboard| left.count().is_multiple_of(2);
        let is_choice = self.others.iter().any(|other| !is_even(other.left));
        let counted = left.count() < COUNTED;
        (is_even(left) && counted && is_choice).then_some(Reason::Parity { left })
    }

    /// What corners mean where fewer discs win.
    fn unwanted_corners(&self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if self.chosen.answers == Answers::CornersOnly {
            let corners = self.chosen.gives;
            reasons.push(Reason::ForcesCorner { corners });
        }
        let is_corner = |square| Bitboard::CORNERS.contains(square);
        let others = self.those(|other| is_corner(other.square));
        if !is_corner(self.chosen.square) && !others.is_empty() {
            reasons.push(Reason::AvoidsCorner { others });
        }
        reasons
    }

    /// What numbers mean where fewer discs win.
    fn unwanted_numbers(&self) -> Vec<Reason> {
        let mut compared = self.mobility();
        if let Some(others) = self.average(|other| Some(other.opponents_new_stable)) {
            let discs = self.chosen.opponents_new_stable;
            let reason = Reason::Stability { discs, others };
            compared.push((discs as f32 - others, reason));
        }
        compared.extend(self.few_discs());
        telling(compared)
    }
}

/// The reasons with a noticeable difference, the largest first; without any, the one with the
/// largest that is there at all.
fn telling(mut compared: Vec<(f32, Reason)>) -> Vec<Reason> {
    compared.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let noticeable = |(difference, _): &&(f32, Reason)| *difference >= NOTICEABLE;
    let count = compared.iter().take_while(noticeable).count();
    compared.retain(|(difference, _)| *difference >= SLIGHT);
    compared.truncate(count.max(1));
    compared.into_iter().map(|(_, reason)| reason).collect()
}
