//! Boards and moves from the text of test cases.

use reversi_engine::{Bitboard, Color, Position, Setup, Square};

/// The position of 64 characters from a1 along the ranks (`X` Black, `O` White, `-` empty; blanks
/// and line ends do not count) and a side.
pub(crate) fn position(board: &str, side_to_move: Color) -> Position {
    setup(board, side_to_move)
        .into_position()
        .expect("test boards hold one disc a square")
}

/// The same, unchecked.
pub(crate) fn setup(board: &str, side_to_move: Color) -> Setup {
    let discs: Vec<char> = board.chars().filter(|c| !c.is_whitespace()).collect();
    assert_eq!(discs.len(), 64, "{board}");
    assert!(discs.iter().all(|disc| "XO-".contains(*disc)), "{board}");
    let of = |wanted: char| -> Bitboard {
        Square::all()
            .zip(&discs)
            .filter(|(_, disc)| **disc == wanted)
            .map(|(square, _)| square)
            .collect()
    };
    Setup {
        black: of('X'),
        white: of('O'),
        side_to_move,
    }
}
