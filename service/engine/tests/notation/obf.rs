//! OBF lines.

use super::*;

fn read(tail: &str) -> Result<ObfRecord, ObfError> {
    format!("{START}{tail}").parse()
}

fn assert_item_refused(tail: &str, offset: usize, found: &str) {
    let expected = ObfError::Item {
        offset,
        found: found.to_owned(),
    };
    assert_eq!(read(tail), Err(expected), "{tail:?}");
}

#[test]
fn a_line_holds_a_position_and_the_values_of_moves() {
    let record = read(" X; F5:+0; d3:-2; c4 : 4;").expect("a record");
    assert_eq!(record.position, Position::standard());
    assert_eq!(record.value, None);
    let moves = [(Square::F5, 0), (Square::D3, -2), (Square::C4, 4)];
    let moves = moves.map(|(square, value)| MoveValue {
        mv: Move::Place(square),
        value,
    });
    assert_eq!(record.moves, moves);
}

#[test]
fn the_values_may_be_missing_or_belong_to_the_position() {
    for (tail, value) in [
        (" X", None),
        (" X;", None),
        ("X ; ;", None),
        (" X; +6;", Some(6)),
        (" *; -12", Some(-12)),
        (" X; 0; % solved: as a draw;", Some(0)),
    ] {
        let record = read(tail).unwrap_or_else(|error| panic!("{tail:?}: {error}"));
        assert_eq!(record.position, Position::standard(), "{tail:?}");
        assert_eq!((record.value, record.moves.len()), (value, 0), "{tail:?}");
    }
}

#[test]
fn the_mark_for_no_move_is_left_out() {
    let record = read(" X; E6:+2; --:-127;").expect("a record");
    assert_eq!(record.moves.len(), 1);
}

#[test]
fn a_forced_pass_has_a_value_like_a_move() {
    let board = format!("OX-{}X", "-".repeat(60));
    let record: ObfRecord = format!("{board} X; PA:+3;").parse().expect("a record");
    let pass = MoveValue {
        mv: Move::Pass,
        value: 3,
    };
    assert_eq!(record.moves, [pass]);
    assert_eq!(record.to_string(), format!("{board} X; PA:+3;"));
}

#[test]
fn a_line_without_a_position_is_blank() {
    for line in ["", "  \t", "% a comment", "  % X; F5:+0;"] {
        assert_eq!(line.parse::<ObfRecord>(), Err(ObfError::Blank), "{line:?}");
    }
}

#[test]
fn a_bad_board_or_side_is_refused_where_it_stands() {
    let error = "--?".parse::<ObfRecord>().expect_err("no board");
    let expected = BoardTextError::UnexpectedCharacter {
        offset: 2,
        found: '?',
    };
    assert_eq!(error, ObfError::Board(expected));
    for (tail, offset) in [
        ("", 64),
        (" ;", 65),
        (" ? ;", 65),
        (" XO;", 65),
        (" X F5:+0;", 65),
    ] {
        assert_eq!(read(tail), Err(ObfError::Side { offset }), "{tail:?}");
    }
}

#[test]
fn a_bad_item_is_quoted_with_its_place() {
    assert_item_refused(" X; F5:+0; i9:+1;", 75, "i9:+1");
    assert_item_refused(" X; F5:;", 68, "F5:");
    assert_item_refused(" X; F5:+65;", 68, "F5:+65");
    assert_item_refused(" X; F5:-65;", 68, "F5:-65");
    assert_item_refused(" X; F5:2.5;", 68, "F5:2.5");
    assert_item_refused(" X; F5:-127;", 68, "F5:-127");
    assert_item_refused(" X; F5:9999999999999999;", 68, "F5:9999999999999");
    assert_item_refused(" X; draw;", 68, "draw");
    assert_item_refused(" X;é", 67, "é");
}

#[test]
fn an_illegal_move_or_a_second_value_is_refused() {
    let fault = IllegalMove::NoFlip { square: Square::A1 };
    let expected = ObfError::Illegal { offset: 75, fault };
    assert_eq!(read(" X; F5:+0; A1:+2;"), Err(expected.clone()));
    assert_eq!(
        expected.to_string(),
        "at byte 75: a disc on a1 turns nothing"
    );
    let fault = IllegalMove::FalsePass;
    assert_eq!(
        read(" X; PA:+2;"),
        Err(ObfError::Illegal { offset: 68, fault })
    );
    assert_eq!(
        read(" X; +2; +4;"),
        Err(ObfError::SecondValue { offset: 72 })
    );
}

#[test]
fn endgame_collections_are_written_as_they_were_read() {
    for (file, count) in [("endgame/hard-20.obf", 276), ("endgame/hard-25.obf", 311)] {
        cases::for_each_row(file, count, |row| {
            let record: ObfRecord = row[0].parse().expect(row[0]);
            assert_eq!(format!("{record} --:-127;"), row[0].trim_end());
            let moves = record.moves.len();
            let legal = record.position.legal_moves().count();
            assert_eq!(moves.to_string(), legal.to_string(), "{}", row[0]);
        });
    }
}
