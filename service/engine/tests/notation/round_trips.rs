//! What is written reads back as it was, and no text upsets a reader.

use super::*;

fn discs() -> impl Strategy<Value = (Bitboard, Bitboard)> {
    (any::<u64>(), any::<u64>())
        .prop_map(|(occupied, colour)| (Bitboard(occupied & colour), Bitboard(occupied & !colour)))
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

/// A random game, in progress or over.
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
