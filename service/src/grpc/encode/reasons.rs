//! Reasons for a move, in words.

use reversi_engine::explain::Reason;
use reversi_engine::{Bitboard, Color, Move, Objective, Position};
use reversi_proto::v1::{self, ReasonKind};

/// Who and what the sentences are about.
#[derive(Clone, Copy, Debug)]
pub(in crate::grpc) struct Context<'a> {
    pub(in crate::grpc) position: &'a Position,
    pub(in crate::grpc) objective: Objective,
    /// The move and the play to expect.
    pub(in crate::grpc) line: &'a [Move],
}

/// A reason as a message.
pub(in crate::grpc) fn reason(context: &Context<'_>, reason: &Reason) -> v1::Reason {
    let Parts {
        kind,
        squares,
        amount,
        others,
    } = parts(reason);
    v1::Reason {
        kind: kind.into(),
        text: text(context, reason),
        squares: squares.iter().map(|square| square.to_string()).collect(),
        amount: amount.into(),
        others: (f64::from(others) * 100.0).round() / 100.0,
    }
}

struct Parts {
    kind: ReasonKind,
    squares: Bitboard,
    amount: u32,
    others: f32,
}

fn parts(reason: &Reason) -> Parts {
    let about = |kind, squares| Parts {
        kind,
        squares,
        amount: 0,
        others: 0.0,
    };
    let counting = |kind, amount, others| Parts {
        kind,
        squares: Bitboard::EMPTY,
        amount,
        others,
    };
    match *reason {
        Reason::OnlyMove => about(ReasonKind::OnlyMove, Bitboard::EMPTY),
        Reason::Wipeout => about(ReasonKind::Wipeout, Bitboard::EMPTY),
        Reason::EscapesWipeout { others } => about(ReasonKind::EscapesWipeout, others),
        Reason::TakesCorner { corner } => about(ReasonKind::TakesCorner, corner),
        Reason::KeepsCorner { corners, .. } => about(ReasonKind::KeepsCorner, corners),
        Reason::OpensCorner { corners } => about(ReasonKind::OpensCorner, corners),
        Reason::AvoidsCorner { others } => about(ReasonKind::AvoidsCorner, others),
        Reason::ForcesCorner { corners } => about(ReasonKind::ForcesCorner, corners),
        Reason::AvoidsXSquare { others } => about(ReasonKind::AvoidsXSquare, others),
        Reason::AvoidsCSquare { others } => about(ReasonKind::AvoidsCSquare, others),
        Reason::Stability { discs, others } => counting(ReasonKind::Stability, discs, others),
        Reason::LimitsMobility { moves, others } => {
            counting(ReasonKind::LimitsMobility, moves, others)
        }
        Reason::KeepsMobility { moves, others } => {
            counting(ReasonKind::KeepsMobility, moves, others)
        }
        Reason::Frontier { discs, others } => counting(ReasonKind::Frontier, discs, others),
        Reason::Parity { left } => Parts {
            amount: left.count(),
            ..about(ReasonKind::Parity, left)
        },
        Reason::FewDiscs { turns, others } => counting(ReasonKind::FewDiscs, turns, others),
        Reason::GivesCorner { corners } => about(ReasonKind::GivesCorner, corners),
    }
}

/// The reason as a sentence.
fn text(context: &Context<'_>, reason: &Reason) -> String {
    let mover = context.position.side_to_move();
    let (me, you) = (name(mover), name(mover.opposite()));
    let fewest = context.objective == Objective::FewestDiscs;
    match *reason {
        Reason::OnlyMove if context.line.first() == Some(&Move::Pass) => {
            format!("{me} has no legal move and must pass.")
        }
        Reason::OnlyMove => "It is the only legal move.".to_owned(),
        Reason::Wipeout if fewest => {
            format!("The expected answer takes {me}'s last disc, and so {me} wins at once.")
        }
        Reason::Wipeout => format!("It takes {you}'s last disc and wins at once."),
        Reason::EscapesWipeout { others } if fewest => {
            format!("{} would take {you}'s last disc, which loses.", or(others))
        }
        Reason::EscapesWipeout { others } => {
            let others = or(others);
            format!("After {others} {you} could take all of {me}'s discs at once.")
        }
        Reason::TakesCorner { corner } => {
            format!("It takes the corner {corner}, which can never be turned.")
        }
        Reason::KeepsCorner { corners, others } => {
            let (corners, others) = (or(corners), or(others));
            format!("It does not let {you} take {corners}, as {others} would.")
        }
        Reason::OpensCorner { corners } => {
            format!("After the expected answer {me} can take {}.", or(corners))
        }
        Reason::AvoidsCorner { others } => {
            format!("It keeps off {}: a corner never turns again.", or(others))
        }
        Reason::ForcesCorner { corners } => {
            format!("{you} can play nothing but {}.", or(corners))
        }
        Reason::AvoidsXSquare { others } => {
            let others = or(others);
            format!("It keeps off {others}, diagonally next to an empty corner.")
        }
        Reason::AvoidsCSquare { others } => {
            format!("It keeps off {}, next to an empty corner.", or(others))
        }
        Reason::Stability { discs, others } => {
            let whose = if fewest { you } else { me };
            let discs = counted(discs, "more disc", "more discs");
            format!("It makes {discs} of {whose} safe for good; other moves {others:.1}.")
        }
        Reason::LimitsMobility { moves, others } => {
            let moves = counted(moves, "move", "moves");
            format!("It leaves {you} {moves}; other moves leave {others:.1} on average.")
        }
        Reason::KeepsMobility { moves, others } => {
            let moves = counted(moves, "move", "moves");
            format!("It leaves {me} {moves} for later; other moves leave {others:.1} on average.")
        }
        Reason::Frontier { discs, others } => {
            let verb = if discs == 1 { "lies" } else { "lie" };
            let discs = counted(discs, "disc", "discs");
            format!(
                "It is quiet: {discs} of {me} {verb} next to empty squares; \
                 after other moves {others:.1} on average."
            )
        }
        Reason::Parity { left } if left.is_empty() => {
            format!("It fills the last empty square there: {you} gets no move of that region.")
        }
        Reason::Parity { left } => {
            let count = left.count();
            format!("It leaves {count} empty squares there, so that {me} has the last move.")
        }
        Reason::FewDiscs { turns, others } => {
            let discs = counted(turns, "disc", "discs");
            format!("It turns {discs}; other moves turn {others:.1} on average.")
        }
        Reason::GivesCorner { corners } => format!("It lets {you} take {}.", or(corners)),
    }
}

const fn name(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}

fn counted(number: u32, one: &str, many: &str) -> String {
    match number {
        0 => format!("no {many}"),
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    }
}

/// `a1`, `a1 or h1`, `a1, h1 or a8`.
fn or(squares: Bitboard) -> String {
    let names: Vec<String> = squares.iter().map(|square| square.to_string()).collect();
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use reversi_engine::Square;

    use super::*;

    fn set(squares: &[Square]) -> Bitboard {
        squares.iter().copied().collect()
    }

    fn every_reason() -> Vec<Reason> {
        let one = set(&[Square::A1]);
        let two = set(&[Square::B2, Square::G2]);
        vec![
            Reason::OnlyMove,
            Reason::Wipeout,
            Reason::EscapesWipeout { others: two },
            Reason::TakesCorner { corner: one },
            Reason::KeepsCorner {
                corners: one,
                others: two,
            },
            Reason::OpensCorner { corners: one },
            Reason::AvoidsCorner { others: one },
            Reason::ForcesCorner { corners: one },
            Reason::AvoidsXSquare { others: two },
            Reason::AvoidsCSquare { others: one },
            Reason::Stability {
                discs: 1,
                others: 0.25,
            },
            Reason::LimitsMobility {
                moves: 0,
                others: 4.5,
            },
            Reason::KeepsMobility {
                moves: 9,
                others: 5.0,
            },
            Reason::Frontier {
                discs: 3,
                others: 6.0,
            },
            Reason::Parity { left: two },
            Reason::FewDiscs {
                turns: 1,
                others: 3.333,
            },
            Reason::GivesCorner { corners: one },
        ]
    }

    #[test]
    fn every_reason_is_a_sentence_of_a_kind_of_its_own() {
        let position = Position::standard();
        for objective in [Objective::MostDiscs, Objective::FewestDiscs] {
            let context = Context {
                position: &position,
                objective,
                line: &[],
            };
            let mut kinds = Vec::new();
            for one in every_reason() {
                let message = reason(&context, &one);
                assert!(message.text.ends_with('.'), "{message:?}");
                assert!(!message.text.contains("  "), "{message:?}");
                assert!(!kinds.contains(&message.kind), "{message:?}");
                kinds.push(message.kind);
            }
        }
    }

    #[test]
    fn a_sentence_names_sides_squares_and_numbers() {
        let position = Position::standard();
        let context = Context {
            position: &position,
            objective: Objective::MostDiscs,
            line: &[],
        };
        let keeps = reason(&context, &every_reason()[4]);
        let expected = "It does not let White take a1, as b2 or g2 would.";
        assert_eq!(
            (keeps.text.as_str(), keeps.squares),
            (expected, vec!["a1".to_owned()])
        );
        let few = reason(&context, &every_reason()[15]);
        let expected = "It turns 1 disc; other moves turn 3.3 on average.";
        assert_eq!(
            (few.text.as_str(), few.amount, few.others),
            (expected, 1.0, 3.33)
        );
        let pass = Context {
            line: &[Move::Pass],
            ..context
        };
        let pass = reason(&pass, &Reason::OnlyMove);
        assert_eq!(pass.text, "Black has no legal move and must pass.");
    }
}
