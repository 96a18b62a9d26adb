//! What the engine says, as lines.

use std::time::Duration;

use reversi_engine::Move;
use reversi_engine::search::{Analysis, Certainty, Line};

/// What it plays, with what it expects and how long it took.
pub(super) fn go(found: &Analysis, time: Duration) -> Option<String> {
    let line = found.lines.first()?;
    let mv = name(*line.moves.first()?);
    Some(format!(
        "=== {mv}/{:.2}/{:.3}",
        line.value,
        time.as_secs_f64()
    ))
}

/// What a line of play is worth.
pub(super) fn search(found: &Analysis, line: &Line) -> String {
    let moves: String = line.moves.iter().copied().map(name).collect();
    let depth = match found.certainty {
        Certainty::Exact => "100%".to_owned(),
        Certainty::Percent(percent) => format!("{percent}%"),
        Certainty::Depth => found.depth.to_string(),
    };
    format!("search {moves} {:.2} 0 {depth}", line.value)
}

pub(super) fn nodes(found: &Analysis, time: Duration) -> String {
    format!("nodestats {} {:.3}", found.nodes, time.as_secs_f64())
}

fn name(mv: Move) -> String {
    match mv {
        Move::Place(square) => square.to_string().to_ascii_uppercase(),
        Move::Pass => "PA".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use reversi_engine::Square;

    use super::*;

    #[test]
    fn moves_have_two_letters_and_lines_no_blanks() {
        let mut found = Analysis {
            lines: vec![Line {
                value: -1.25,
                moves: vec![Move::Place(Square::F5), Move::Pass, Move::Place(Square::D6)],
            }],
            depth: 12,
            certainty: Certainty::Depth,
            nodes: 1234,
        };
        let time = Duration::from_millis(1500);
        assert_eq!(go(&found, time).unwrap(), "=== F5/-1.25/1.500");
        assert_eq!(search(&found, &found.lines[0]), "search F5PAD6 -1.25 0 12");
        assert_eq!(nodes(&found, time), "nodestats 1234 1.500");
        for (certainty, depth) in [
            (Certainty::Exact, " 100%"),
            (Certainty::Percent(73), " 73%"),
        ] {
            found.certainty = certainty;
            assert!(search(&found, &found.lines[0]).ends_with(depth));
        }
    }
}
