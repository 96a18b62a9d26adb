//! Boards of 64 characters, with and without a side.

use super::*;

#[test]
fn all_spellings_of_a_board_read_the_same() {
    let expected = parse_board(START).expect("a board");
    for (black, white, empty) in [
        ("x", "o", "-"),
        ("*", "O", "."),
        ("B", "W", "."),
        ("b", "w", "-"),
    ] {
        let text: String = START
            .chars()
            .map(|cell| match cell {
                'X' => black,
                'O' => white,
                _ => empty,
            })
            .collect();
        assert_eq!(parse_board(&text), Ok(expected), "{text}");
    }
}

#[test]
fn white_space_in_a_board_is_ignored() {
    let rows: Vec<&str> = (0..8).map(|rank| &START[8 * rank..8 * rank + 8]).collect();
    let text = format!("\n  {}\t\r\n ", rows.join(" \n"));
    assert_eq!(parse_board(&text), parse_board(START));
}

#[test]
fn the_first_square_is_a1_and_the_last_h8() {
    let text = format!("X{}O", "-".repeat(62));
    let (black, white) = parse_board(&text).expect("a board");
    assert_eq!(black, Bitboard::from(Square::A1));
    assert_eq!(white, Bitboard::from(Square::H8));
    assert_eq!(board_text(black, white), text);
}

#[test]
fn a_foreign_character_is_named_with_its_place() {
    for (text, offset, found) in [
        ("0", 0, '0'),
        ("X O?", 3, '?'),
        ("--é", 2, 'é'),
        ("\u{a0}X", 0, '\u{a0}'),
        (&format!("{START} é"), 65, 'é'),
    ] {
        let expected = BoardTextError::UnexpectedCharacter { offset, found };
        assert_eq!(parse_board(text), Err(expected), "{text:?}");
    }
}

#[test]
fn too_few_squares_are_counted_and_too_many_are_not() {
    for (text, found) in [
        (String::new(), 0),
        (" \n".to_owned(), 0),
        (START[1..].to_owned(), 63),
        (format!("{START}-"), 65),
        (format!("{START} X"), 65),
        ("-".repeat(1_000_000), 65),
    ] {
        let error = parse_board(&text).expect_err("no board");
        assert_eq!(error, BoardTextError::WrongLength { found });
    }
    assert_eq!(
        BoardTextError::WrongLength { found: 65 }.to_string(),
        "expected 64 squares, found more"
    );
}

#[test]
fn a_side_follows_the_board_with_or_without_a_blank() {
    for (tail, side) in [
        (" X", Color::Black),
        ("*", Color::Black),
        (" \to\n", Color::White),
    ] {
        let setup = parse_setup(&format!("{START}{tail}")).expect("board and side");
        assert_eq!(setup.side_to_move, side, "{tail:?}");
    }
}

#[test]
fn a_missing_or_doubled_side_is_refused() {
    for (tail, offset) in [
        ("", 64),
        (" ", 65),
        (" -", 65),
        (" XX", 65),
        (" é", 65),
        (" X;", 65),
    ] {
        let expected = BoardTextError::MissingSide { offset };
        let text = format!("{START}{tail}");
        assert_eq!(parse_setup(&text), Err(expected), "{tail:?}");
    }
}
