//! Games in GGF.

use super::*;

const STANDARD: &str =
    "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";

fn read(tags: &str) -> Result<GgfRecord, GgfError> {
    format!("(;{tags};)").parse()
}

fn moves(record: &GgfRecord) -> String {
    transcript(record.game.history(), WrittenPasses::Named)
}

#[test]
fn a_game_of_a_server_is_read_with_all_that_is_noted() {
    let record = read(&format!(
        "GM[Othello]PC[test]DT[2026.11.30_10:00:00.UTC]PB[ann]PW[bob]RE[?]TI[5:00]TY[8]{STANDARD}\
         B[F5//0.5]W[D6/-1.0/2]B[c3/4]W[D3]"
    ))
    .expect("a game");
    assert_eq!(moves(&record), "f5d6c3d3");
    assert_eq!(record.game.rules().objective, Objective::MostDiscs);
    assert_eq!(record.game.initial_position(), &Position::standard());
    let note = |evaluation, seconds| GgfNote {
        evaluation,
        seconds,
    };
    let notes = [
        note(None, Some(0.5)),
        note(Some(-1.0), Some(2.0)),
        note(Some(4.0), None),
        note(None, None),
    ];
    assert_eq!(record.notes, notes);
    let names: Vec<&str> = record.tags.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["PC", "DT", "PB", "PW", "RE", "TI"]);
    assert_eq!(record.tag("TI"), Some("5:00"));
    assert_eq!(record.tag("RB"), None);
}

#[test]
fn a_board_may_be_written_without_blanks_and_begin_anywhere() {
    let record =
        read("BO[8 ---------------------------O*------*O--------------------------- O]W[D6]");
    let record = record.expect("White begins");
    assert_eq!(record.game.initial_position().side_to_move(), Color::White);
    assert_eq!(moves(&record), "d6");
    let full = format!("BO[8 {} O]", "*".repeat(64));
    assert!(read(&full).expect("a finished game").game.turn().is_over());
}

#[test]
fn tags_may_be_missing_spread_out_and_surrounded() {
    let record: GgfRecord = "1 (; B[f5] \n C[a remark; with (; and /] W[ F6 / / ] ;) 12"
        .parse()
        .expect("a game");
    assert_eq!(moves(&record), "f5f6");
    assert_eq!(record.tag("C"), Some("a remark; with (; and /"));
    assert_eq!(moves(&read("").expect("an empty game")), "");
}

#[test]
fn times_and_evaluations_that_are_no_numbers_are_left_out() {
    let record = read("B[F5/book/1:30]W[D6/nan/inf]").expect("a game");
    assert_eq!(record.notes, [GgfNote::default(); 2]);
}

#[test]
fn the_letter_a_makes_it_a_game_for_the_fewest_discs() {
    for (kind, objective) in [
        ("8", Objective::MostDiscs),
        ("s8r18", Objective::MostDiscs),
        ("8a", Objective::FewestDiscs),
        ("s8r18a", Objective::FewestDiscs),
    ] {
        let record = read(&format!("TY[{kind}]")).expect("a game");
        assert_eq!(record.game.rules().objective, objective, "{kind}");
    }
}

#[test]
fn passes_are_read_in_every_spelling_and_may_be_left_out() {
    let [first, ..] = TWO_PASSES;
    let tags = |pass: &str| {
        let mut sides = "BW".chars().cycle();
        let mut text = String::new();
        for pair in first.as_bytes().chunks(2) {
            let square = std::str::from_utf8(pair).expect("ASCII");
            text.push_str(&format!("{}[{square}]", sides.next().expect("endless")));
        }
        format!("{text}{pass}W[b5]")
    };
    let written = read(&tags("B[PA/1/2]")).expect("a pass");
    assert!(moves(&written).ends_with("a7pab5"));
    assert_eq!(written.notes[12].seconds, Some(2.0));
    for pass in ["B[PASS]", "B[pass]", "B[pa]", ""] {
        assert_eq!(read(&tags(pass)).expect("a pass").game, written.game);
    }
    // No side passes twice in a row.
    assert!(matches!(
        read(&tags("B[PA]W[PA]")),
        Err(GgfError::Illegal {
            fault: IllegalMove::FalsePass,
            ..
        })
    ));
}

#[test]
fn a_fault_is_named_with_its_place() {
    let long = "x".repeat(100);
    for (text, expected) in [
        ("", GgfError::NoGame),
        ("(;B[f5]", GgfError::Tag { offset: 7 }),
        ("(;B[f5", GgfError::Tag { offset: 2 }),
        ("(;[f5];)", GgfError::Tag { offset: 2 }),
        ("(;B[f5]é;)", GgfError::Tag { offset: 7 }),
        (
            "(;W[f5];)",
            GgfError::OutOfTurn {
                offset: 4,
                found: Color::White,
            },
        ),
        (
            "(;B[f5]B[d6];)",
            GgfError::OutOfTurn {
                offset: 9,
                found: Color::Black,
            },
        ),
        (
            "(;B[f5]W[a1];)",
            GgfError::Illegal {
                offset: 9,
                fault: IllegalMove::NoFlip { square: Square::A1 },
            },
        ),
        (
            "(;B[f9];)",
            GgfError::Move {
                offset: 4,
                found: "f9".to_owned(),
            },
        ),
        (
            "(;B[];)",
            GgfError::Move {
                offset: 4,
                found: String::new(),
            },
        ),
        (
            "(;BO[];)",
            GgfError::Size {
                offset: 5,
                found: String::new(),
            },
        ),
        (
            "(;BO[10 ---];)",
            GgfError::Size {
                offset: 5,
                found: "10 ---".to_owned(),
            },
        ),
        (
            "(;BO[8 --?];)",
            GgfError::Board {
                offset: 6,
                source: BoardTextError::UnexpectedCharacter {
                    offset: 3,
                    found: '?',
                },
            },
        ),
        (
            &format!("(;BO[8 {START}];)"),
            GgfError::Board {
                offset: 6,
                source: BoardTextError::MissingSide { offset: 65 },
            },
        ),
        (
            &format!("(;BO[8 {START} X O];)"),
            GgfError::Board {
                offset: 6,
                source: BoardTextError::MissingSide { offset: 66 },
            },
        ),
        (
            &format!("(;BO[{long}];)"),
            GgfError::Size {
                offset: 5,
                found: "x".repeat(16),
            },
        ),
    ] {
        assert_eq!(text.parse::<GgfRecord>(), Err(expected), "{text}");
    }
}

#[test]
fn a_record_of_a_game_is_written_on_one_line() {
    let mut game = game(with_passes(PassMode::Explicit));
    game.play(Move::Place(Square::F5)).expect("legal");
    let mut record = GgfRecord::new(game);
    record.notes = vec![GgfNote {
        evaluation: Some(-1.5),
        seconds: None,
    }];
    record.tags = vec![("PB".to_owned(), "a [x]\n".to_owned())];
    let expected = "(;GM[Othello]PB[a [x]TY[8]\
        BO[8 ---------------------------O*------*O--------------------------- *]B[F5/-1.5];)";
    assert_eq!(record.to_string(), expected);
}

proptest! {
    #[test]
    fn what_was_written_reads_back_the_same(
        choices in prop::collection::vec(any::<u32>(), 0..70),
        fewest in any::<bool>(),
        white_first in any::<bool>(),
        seconds in prop::option::of(0.0..1e6_f64),
        name in "[^\\]\\p{C}]{0,20}",
    ) {
        let position = Position::standard();
        let setup = Setup {
            side_to_move: if white_first { Color::White } else { Color::Black },
            ..position.into()
        };
        let rules = RuleSet {
            objective: if fewest { Objective::FewestDiscs } else { Objective::MostDiscs },
            start: if white_first { Start::Custom(setup) } else { Start::Standard },
            pass_mode: PassMode::Explicit,
            ..RuleSet::default()
        };
        let mut game = game(rules);
        for choice in choices {
            let moves = game.legal_moves();
            let chosen = moves.iter().nth(choice as usize % moves.count().max(1) as usize);
            if game.play(chosen.map_or(Move::Pass, Move::Place)).is_err() {
                break;
            }
        }
        let note = GgfNote { evaluation: None, seconds };
        let record = GgfRecord {
            notes: vec![note; game.ply()],
            game,
            tags: vec![("PB".to_owned(), name)],
        };
        prop_assert_eq!(record.to_string().parse(), Ok(record));
    }

    #[test]
    fn no_text_is_a_reason_to_panic(text in "(\\(;)?([A-Z]{0,2}\\[?[8a-h1-9 *O/.-]{0,12}\\]?){0,6}.{0,9}(;\\))?") {
        let _ = text.parse::<GgfRecord>();
    }
}
