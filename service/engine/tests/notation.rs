//! Boards, transcripts and OBF lines: what is read, what is refused and where, and the way back.

#[path = "support/cases.rs"]
mod cases;

use proptest::prelude::*;
use reversi_engine::notation::{
    BoardTextError, MoveValue, ObfError, ObfRecord, Syntax, TranscriptError, TranscriptErrorKind,
    WrittenPasses, board_text, parse_board, parse_setup, replay, setup_text, side_char, transcript,
};
use reversi_engine::{
    Bitboard, Color, Game, IllegalMove, Move, PassMode, Position, RuleSet, Setup, Square, Start,
    Turn,
};

const START: &str = "---------------------------OX------XO---------------------------";

/// Twelve moves after which Black has to pass, three more after which Black has to pass again, and
/// White's move after that.
const TWO_PASSES: [&str; 3] = ["f5d6c4g5d7c7h5d8b8b7b6a7", "b5a6a5", "b4"];

fn game(rules: RuleSet) -> Game {
    Game::new(rules).expect("a sound start")
}

fn with_passes(pass_mode: PassMode) -> RuleSet {
    RuleSet {
        pass_mode,
        ..RuleSet::default()
    }
}

fn lenient(text: &str) -> Result<Game, TranscriptError> {
    replay(game(RuleSet::default()), text, Syntax::Lenient)
}

fn strict(text: &str) -> Result<Game, TranscriptError> {
    replay(game(RuleSet::default()), text, Syntax::Strict)
}

mod boards {
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
}

mod transcripts {
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
}

mod obf {
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
}

mod round_trips {
    use super::*;

    fn discs() -> impl Strategy<Value = (Bitboard, Bitboard)> {
        (any::<u64>(), any::<u64>()).prop_map(|(occupied, colour)| {
            (Bitboard(occupied & colour), Bitboard(occupied & !colour))
        })
    }

    fn sides() -> impl Strategy<Value = Color> {
        prop::sample::select(vec![Color::Black, Color::White])
    }

    fn rule_sets() -> impl Strategy<Value = RuleSet> {
        let starts = prop::sample::select(vec![
            Start::Standard,
            Start::Mirrored,
            Start::ParallelWhiteAbove,
            Start::ParallelBlackAbove,
            Start::Free,
        ]);
        let pass_modes = prop::sample::select(vec![PassMode::Automatic, PassMode::Explicit]);
        (starts, pass_modes).prop_map(|(start, pass_mode)| RuleSet {
            start,
            pass_mode,
            ..RuleSet::default()
        })
    }

    /// A game of that many plies, or shorter if it ends before.
    fn games() -> impl Strategy<Value = Game> {
        let choices = prop::collection::vec(any::<u8>(), 0..80);
        (rule_sets(), choices).prop_map(|(rules, choices)| {
            let mut game = game(rules);
            for choice in choices {
                let square = game.legal_moves().iter().cycle().nth(choice.into());
                match game.turn() {
                    Turn::Move => game.play(square.expect("a legal move").into()),
                    Turn::Pass => game.play(Move::Pass),
                    Turn::Over(_) => break,
                }
                .expect("legal");
            }
            game
        })
    }

    fn start_of(played: &Game) -> Game {
        game(*played.rules())
    }

    /// What may stand around a move in lenient syntax.
    fn decorations() -> impl Strategy<Value = Vec<&'static str>> {
        let decoration = prop::sample::select(vec![
            "", "", " ", "\n", ", ", "; ", "|", " 7. ", "12)", "1... ", "\u{3000}",
        ]);
        prop::collection::vec(decoration, 130)
    }

    /// Characters near what the readers expect, so that they get past the first.
    const NEARLY: &str = "[a-hA-H1-8XO*.\\-pPsS,;:|()+ %é\n]{0,200}";

    fn config() -> ProptestConfig {
        ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(400)
        }
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn boards_read_back_as_written((black, white) in discs()) {
            prop_assert_eq!(parse_board(&board_text(black, white)), Ok((black, white)));
        }

        #[test]
        fn setups_read_back_as_written((black, white) in discs(), side_to_move in sides()) {
            let setup = Setup { black, white, side_to_move };
            let text = setup_text(setup);
            prop_assert_eq!(text.chars().last(), Some(side_char(side_to_move)));
            prop_assert_eq!(parse_setup(&text), Ok(setup));
        }

        #[test]
        fn games_read_back_from_their_squares(played in games(), end in any::<bool>()) {
            let syntax = if end { Syntax::Strict } else { Syntax::Lenient };
            let text = transcript(played.history(), WrittenPasses::Omitted);
            let read = replay(start_of(&played), &text, syntax).expect("legal");
            let mut expected = played;
            // A pass at the end of an explicit game is the only thing that squares do not tell.
            if read.turn() == Turn::Pass && expected.turn() != Turn::Pass {
                expected.truncate(expected.ply() - 1).expect("a ply was played");
            }
            prop_assert_eq!(read, expected);
        }

        #[test]
        fn games_read_back_from_their_squares_and_passes(played in games()) {
            let text = transcript(played.history(), WrittenPasses::Named);
            prop_assert_eq!(replay(start_of(&played), &text, Syntax::Lenient), Ok(played));
        }

        #[test]
        fn games_read_back_through_any_decoration(played in games(), around in decorations()) {
            let passes = ["pa", "PASS", "--", "pS"];
            let mut text = String::new();
            for (ply, (played, around)) in played.history().iter().zip(&around).enumerate() {
                text.push_str(around);
                match played.mv {
                    Move::Place(square) if ply % 3 == 0 => {
                        text.push_str(&square.to_string().to_uppercase());
                    }
                    Move::Place(square) => text.push_str(&square.to_string()),
                    Move::Pass => text.push_str(passes[ply % passes.len()]),
                }
            }
            text.push_str(around[129]);
            let read = replay(start_of(&played), &text, Syntax::Lenient);
            prop_assert_eq!(read, Ok(played), "{:?}", text);
        }

        #[test]
        fn a_game_read_in_two_parts_is_the_same(played in games(), cut in 0_usize..130) {
            let cut = cut.min(played.ply());
            let (first, second) = played.history().split_at(cut);
            let mut read = start_of(&played);
            for part in [first, second] {
                let text = transcript(part, WrittenPasses::Named);
                read = replay(read, &text, Syntax::Lenient).expect("legal");
            }
            prop_assert_eq!(read, played);
        }

        #[test]
        fn records_read_back_as_written(
            played in games(), value in prop::option::of(-64..=64_i32), values in any::<[i8; 64]>(),
        ) {
            let setup = Setup::from(*played.position());
            let position = setup.into_position().expect("discs of a game");
            let squares = position.legal_moves().iter().map(Move::Place);
            let pass = (position.turn() == Turn::Pass).then_some(Move::Pass);
            let moves = squares.chain(pass).zip(values).map(|(mv, value)| MoveValue {
                mv,
                value: i32::from(value) / 2,
            });
            let record = ObfRecord { position, value, moves: moves.collect() };
            prop_assert_eq!(record.to_string().parse(), Ok(record));
        }

        #[test]
        fn no_text_upsets_a_reader(
            text in prop_oneof![any::<String>(), NEARLY], rules in rule_sets(),
        ) {
            for text in [text.clone(), format!("{START}{text}"), format!("{START} X;{text}")] {
                let _ = parse_board(&text);
                let _ = parse_setup(&text);
                let _ = text.parse::<ObfRecord>();
                for syntax in [Syntax::Strict, Syntax::Lenient] {
                    if let Err(error) = replay(game(rules), &text, syntax) {
                        prop_assert!(error.offset < text.len());
                        prop_assert!(text.is_char_boundary(error.offset));
                        prop_assert!(error.index <= text.len() / 2);
                    }
                }
            }
        }
    }
}
