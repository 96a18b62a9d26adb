//! Transcripts: both syntaxes, passes in both modes, and the place of each fault.

use super::*;

fn illegal(fault: IllegalMove) -> TranscriptErrorKind {
    TranscriptErrorKind::Illegal(fault)
}

fn not_a_square(found: &str) -> TranscriptErrorKind {
    TranscriptErrorKind::NotASquare {
        found: found.to_owned(),
    }
}

/// Checks that the text is refused so, and that its moves before the fault are not.
fn assert_refused(
    result: Result<Game, TranscriptError>,
    index: usize,
    offset: usize,
    kind: TranscriptErrorKind,
) {
    let expected = TranscriptError {
        index,
        offset,
        kind,
    };
    assert_eq!(result.map(|game| game.discs_placed()), Err(expected));
}

#[test]
fn an_empty_transcript_leaves_the_game_as_it_is() {
    for syntax in [Syntax::Strict, Syntax::Lenient] {
        let before = game(RuleSet::default());
        assert_eq!(replay(before.clone(), "", syntax), Ok(before));
    }
}

#[test]
fn faults_of_strict_transcripts_are_told_apart() {
    let square = Square::A1;
    assert_refused(
        strict("f5f5"),
        1,
        2,
        illegal(IllegalMove::Occupied { square: Square::F5 }),
    );
    assert_refused(
        strict("f5a1d6"),
        1,
        2,
        illegal(IllegalMove::NoFlip { square }),
    );
    assert_refused(
        strict("e6f4e3f6g5d6e7f5c5a1"),
        9,
        18,
        illegal(IllegalMove::GameOver),
    );
    assert_refused(strict("f5i5"), 1, 2, not_a_square("i5"));
    assert_refused(strict("f5d6c3d3c4é"), 5, 10, not_a_square("é"));
    assert_refused(strict("f5\u{20ac}d"), 1, 2, not_a_square("\u{20ac}"));
}

#[test]
fn half_a_pair_after_squares_is_told_before_any_move_is_played() {
    for (text, index) in [("f", 0), ("f5d6c", 2), ("a1a1c", 2), ("f5d6 ", 2)] {
        assert_refused(
            strict(text),
            index,
            2 * index,
            TranscriptErrorKind::OddLength,
        );
    }
}

#[test]
fn an_odd_length_with_other_faults_is_not_told() {
    assert_refused(strict("f5 d6"), 1, 2, not_a_square(" d"));
    assert_refused(strict("f5dé"), 1, 2, not_a_square("dé"));
    assert_refused(strict("f5é9a"), 1, 2, not_a_square("é"));
    let square = Square::A1;
    assert_refused(
        strict("a1zz9"),
        0,
        0,
        illegal(IllegalMove::NoFlip { square }),
    );
}

#[test]
fn strict_syntax_takes_no_blanks_capitals_numbers_or_passes() {
    for (text, index, found) in [
        ("f5 d6x", 1, " d"),
        ("F5", 0, "F5"),
        ("1.f5", 0, "1."),
        ("f5pa", 1, "pa"),
        ("f5--", 1, "--"),
        ("f5d6\n\n", 2, "\n\n"),
    ] {
        assert_refused(strict(text), index, 2 * index, not_a_square(found));
    }
}

#[test]
fn lenient_syntax_takes_what_people_write() {
    let expected = strict("f5d6c3d3c4").expect("legal");
    for text in [
        "f5d6c3d3c4",
        "F5D6C3D3C4",
        "F5d6C3d3C4",
        " f5 d6\tc3\r\nd3  c4\n",
        "f5,d6;c3.d3|c4",
        "1. f5 d6 2. c3 d3 3. c4",
        "1.f5d62.c3d33.c4",
        "1) f5 2) d6 3) c3 04) d3 5) c4 6)",
        "1... f5, d6; 2. c3, d3;\n12. c4",
        "\u{a0}f5\u{3000}d6 c3d3c4",
    ] {
        assert_eq!(lenient(text), Ok(expected.clone()), "{text:?}");
    }
}

#[test]
fn lenient_syntax_refuses_other_words_and_quotes_their_beginning() {
    assert_refused(lenient("f5 i5 d6"), 1, 3, not_a_square("i5"));
    assert_refused(lenient("f5 d 6"), 1, 3, not_a_square("d"));
    assert_refused(lenient("f5 d66"), 2, 5, not_a_square("6"));
    assert_refused(lenient("f5 2 d6"), 1, 3, not_a_square("2"));
    assert_refused(lenient("f5-d6"), 1, 2, not_a_square("-d6"));
    assert_refused(lenient("f5 p"), 1, 3, not_a_square("p"));
    assert_refused(lenient("é"), 0, 0, not_a_square("é"));
    assert_refused(lenient("f5 ( d6 )"), 1, 3, not_a_square("("));
    assert_refused(
        lenient(&"z".repeat(100_000)),
        0,
        0,
        not_a_square("zzzzzzzz"),
    );
    assert_refused(
        lenient(&"7".repeat(100_000)),
        0,
        0,
        not_a_square("77777777"),
    );
}

#[test]
fn offsets_in_lenient_syntax_point_at_the_faulty_move() {
    let text = "1. f5 D6\n2. \u{2003}f5";
    let kind = illegal(IllegalMove::Occupied { square: Square::F5 });
    assert_refused(lenient(text), 2, text.len() - 2, kind);
}

#[test]
fn a_pass_that_is_not_due_is_refused_in_both_pass_modes() {
    for pass_mode in [PassMode::Automatic, PassMode::Explicit] {
        for (text, index, offset) in [("pa", 0, 0), ("f5 pass d6", 1, 3), ("f5--", 1, 2)] {
            let result = replay(game(with_passes(pass_mode)), text, Syntax::Lenient);
            assert_refused(result, index, offset, illegal(IllegalMove::FalsePass));
        }
    }
}

#[test]
fn a_pass_after_the_end_is_refused_as_a_move_after_the_end() {
    for pass_mode in [PassMode::Automatic, PassMode::Explicit] {
        let text = "e6f4e3f6g5d6e7f5c5 pa";
        let result = replay(game(with_passes(pass_mode)), text, Syntax::Lenient);
        assert_refused(result, 9, 19, illegal(IllegalMove::GameOver));
    }
}

fn history(game: &Game) -> Vec<Move> {
    game.history().iter().map(|played| played.mv).collect()
}

/// The moves of `TWO_PASSES` with its passes.
fn two_passes() -> Vec<Move> {
    let mut moves = Vec::new();
    for part in TWO_PASSES {
        if !moves.is_empty() {
            moves.push(Move::Pass);
        }
        let squares = part.as_bytes().chunks(2);
        moves.extend(squares.map(|name| {
            let name = std::str::from_utf8(name).expect("ASCII");
            name.parse::<Move>().expect("a square")
        }));
    }
    moves
}

#[test]
fn a_forced_pass_may_be_named_or_left_out_in_both_pass_modes() {
    for pass_mode in [PassMode::Automatic, PassMode::Explicit] {
        for first in ["", "pa", " PASS ", "--", " ps"] {
            for second in ["", "PA", " pass ", "--", "Ps "] {
                let text = [TWO_PASSES[0], first, TWO_PASSES[1], second, TWO_PASSES[2]];
                let replayed = replay(
                    game(with_passes(pass_mode)),
                    &text.concat(),
                    Syntax::Lenient,
                );
                let replayed = replayed.unwrap_or_else(|error| panic!("{text:?}: {error}"));
                assert_eq!(history(&replayed), two_passes(), "{text:?}");
            }
        }
    }
}

#[test]
fn strict_syntax_enters_forced_passes_in_both_pass_modes() {
    for pass_mode in [PassMode::Automatic, PassMode::Explicit] {
        let replayed = replay(
            game(with_passes(pass_mode)),
            &TWO_PASSES.concat(),
            Syntax::Strict,
        );
        assert_eq!(replayed.map(|game| history(&game)), Ok(two_passes()));
    }
}

#[test]
fn a_forced_pass_cannot_be_named_twice() {
    for pass_mode in [PassMode::Automatic, PassMode::Explicit] {
        let text = format!("{} pa pa {}", TWO_PASSES[0], TWO_PASSES[1]);
        let result = replay(game(with_passes(pass_mode)), &text, Syntax::Lenient);
        assert_refused(result, 12, 28, illegal(IllegalMove::FalsePass));
    }
}

#[test]
fn a_pass_due_at_the_end_is_played_if_it_is_named_or_automatic() {
    for (pass_mode, end, turn) in [
        (PassMode::Automatic, "", Turn::Move),
        (PassMode::Automatic, "pa", Turn::Move),
        (PassMode::Explicit, "", Turn::Pass),
        (PassMode::Explicit, "pa", Turn::Move),
    ] {
        let text = format!("{}{end}", TWO_PASSES[0]);
        let replayed = replay(game(with_passes(pass_mode)), &text, Syntax::Lenient);
        let replayed = replayed.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(replayed.turn(), turn, "{pass_mode:?} {end:?}");
        assert_eq!(replayed.discs_placed(), 12);
    }
}

#[test]
fn a_continuation_may_name_the_automatic_pass_before_it() {
    for first in ["", "pa"] {
        let before = lenient(TWO_PASSES[0]).expect("legal");
        let text = format!("{first}{}", TWO_PASSES[1]);
        let replayed = replay(before, &text, Syntax::Lenient).expect("legal");
        assert_eq!(replayed.discs_placed(), 15, "{first:?}");
    }
    let rules = with_passes(PassMode::Explicit);
    let named = format!("{}pa", TWO_PASSES[0]);
    let before = replay(game(rules), &named, Syntax::Lenient).expect("legal");
    let result = replay(before, "pa", Syntax::Lenient);
    assert_refused(result, 0, 0, illegal(IllegalMove::FalsePass));
}

#[test]
fn the_automatic_pass_at_the_beginning_of_a_custom_game_may_be_named() {
    let before = lenient(TWO_PASSES[0]).expect("legal");
    let setup = Setup {
        side_to_move: Color::Black,
        ..Setup::from(*before.position())
    };
    for pass_mode in [PassMode::Automatic, PassMode::Explicit] {
        for text in ["b5", "pa b5"] {
            let rules = RuleSet {
                start: Start::Custom(setup),
                ..with_passes(pass_mode)
            };
            let replayed = replay(game(rules), text, Syntax::Lenient).expect("legal");
            assert_eq!(history(&replayed), [Move::Pass, Move::Place(Square::B5)]);
        }
    }
}

#[test]
fn the_index_counts_the_discs_of_this_transcript_without_passes() {
    let before = lenient(TWO_PASSES[0]).expect("legal");
    let text = format!("pa{}a5", TWO_PASSES[1]);
    let kind = illegal(IllegalMove::Occupied { square: Square::A5 });
    assert_refused(replay(before, &text, Syntax::Lenient), 3, 8, kind);
}

#[test]
fn placements_of_a_free_start_are_discs_like_others() {
    let free = game(RuleSet {
        start: Start::Free,
        ..RuleSet::default()
    });
    let replayed = replay(free.clone(), "d4e4d5e5", Syntax::Strict).expect("legal");
    assert_eq!(replayed.discs_placed(), 4);
    for (text, index, fault) in [
        ("d4c4", 1, IllegalMove::OutsideCentre { square: Square::C4 }),
        ("d4d4", 1, IllegalMove::Occupied { square: Square::D4 }),
    ] {
        assert_refused(
            replay(free.clone(), text, Syntax::Strict),
            index,
            2,
            illegal(fault),
        );
    }
    let result = replay(free, "d4 pa", Syntax::Lenient);
    assert_refused(result, 1, 3, illegal(IllegalMove::FalsePass));
}

#[test]
fn passes_are_written_on_request() {
    let played = lenient(&TWO_PASSES.concat()).expect("legal");
    assert_eq!(
        transcript(played.history(), WrittenPasses::Omitted),
        TWO_PASSES.concat()
    );
    assert_eq!(
        transcript(played.history(), WrittenPasses::Named),
        TWO_PASSES.join("pa")
    );
}

/// The name that the table gives to a fault.
fn kind(error: &TranscriptError) -> &'static str {
    match error.kind {
        TranscriptErrorKind::OddLength => "oddlen",
        TranscriptErrorKind::NotASquare { .. } => "badsquare",
        TranscriptErrorKind::Illegal(IllegalMove::GameOver) => "gameover",
        TranscriptErrorKind::Illegal(IllegalMove::Occupied { .. }) => "occupied",
        TranscriptErrorKind::Illegal(IllegalMove::NoFlip { .. }) => "illegal",
        TranscriptErrorKind::Illegal(
            IllegalMove::OutsideCentre { .. } | IllegalMove::MustPass | IllegalMove::FalsePass,
        ) => "not in the table",
    }
}

#[test]
fn bad_transcripts_fail_where_the_table_says() {
    cases::for_each_row("games/bad_transcripts.tsv", 276, |row| {
        for pass_mode in [PassMode::Automatic, PassMode::Explicit] {
            let result = replay(game(with_passes(pass_mode)), row[0], Syntax::Strict);
            let error = result.expect_err(row[0]);
            assert_eq!(kind(&error), row[1], "{}: {error}", row[0]);
            assert_eq!(error.index.to_string(), row[2], "{}: {error}", row[0]);
            if let TranscriptErrorKind::Illegal(_) = error.kind {
                assert_eq!(error.offset, 2 * error.index, "{}", row[0]);
                assert_eq!(lenient(row[0]), Err(error), "{}", row[0]);
            }
        }
    });
}

#[test]
fn tournament_games_are_written_as_they_were_read() {
    cases::for_each_row("games/wthor_sample_2200.tsv", 2200, |row| {
        let played = strict(row[0]).expect("legal");
        assert_eq!(transcript(played.history(), WrittenPasses::Omitted), row[0]);
        assert_eq!(lenient(&row[0].to_uppercase()), Ok(played), "{}", row[0]);
    });
}
