//! Ends of games: reasons, winners under both objectives, and totals under every scoring.

#[path = "support/text.rs"]
mod text;

use reversi_engine::{
    BoardResult, Color, EndReason, Game, Objective, Position, RuleSet, Score, ScoredTotals,
    Scoring, Square, Start, Turn,
};

const BLACK_33_WHITE_29_EMPTY_2: &str =
    "-XXXXXX- XXOOOOXX XOXOOXOX XOOXXOOX XOOXXOOX XOXOOXOX XXOOOOXX XXOOOOOX";
const BLACK_37_WHITE_24_EMPTY_3: &str =
    "-XXXXXX- XXOOOOXX XOXOOXOX XOOXXOOX XOOXXOOX XOXOOXOX XXOOOOXX -XXXXXXX";
const BLACK_13_WHITE_0_EMPTY_51: &str =
    "-------- -------- ----X--- ---XXX-- --XXXXX- ---XXX-- ----X--- --------";
const BLACK_20_WHITE_20_EMPTY_24: &str =
    "XXXXXXXX XXXXXXXX XXXX---- -------- -------- OOOO---- OOOOOOOO OOOOOOOO";
const BLACK_30_WHITE_20_EMPTY_14: &str =
    "XXXXXXXX XXXXXXXX XXXXXXXX XXXXXX-- -------- OOOO---- OOOOOOOO OOOOOOOO";
const BLACK_32_WHITE_32: &str =
    "XOXOXOXO XOXOXOXO XOXOXOXO XOXOXOXO XOXOXOXO XOXOXOXO XOXOXOXO XOXOXOXO";
const BLACK_64: &str = "XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX";
const EMPTY_64: &str = "-------- -------- -------- -------- -------- -------- -------- --------";

/// The board with the colours swapped.
fn swapped(board: &str) -> String {
    let swap = |disc| match disc {
        'X' => 'O',
        'O' => 'X',
        other => other,
    };
    board.chars().map(swap).collect()
}

/// Checks counts and totals, with either side to move and with the colours swapped.
fn assert_scores(board: &str, counts: (u8, u8, u8), totals: [(Scoring, (u8, u8)); 3]) {
    for side in [Color::Black, Color::White] {
        for (scoring, (black, white)) in totals {
            let position = text::position(board, side);
            assert_eq!(
                Score::of(&position, scoring),
                Score {
                    black: counts.0,
                    white: counts.1,
                    empties: counts.2,
                    scored: Some(ScoredTotals { black, white }),
                },
                "{scoring:?}\n{position}"
            );
            let position = text::position(&swapped(board), side);
            assert_eq!(
                Score::of(&position, scoring).scored,
                Some(ScoredTotals {
                    black: white,
                    white: black
                }),
                "{scoring:?}\n{position}"
            );
        }
    }
}

fn totals(discs: (u8, u8), majority: (u8, u8), split: (u8, u8)) -> [(Scoring, (u8, u8)); 3] {
    [
        (Scoring::Discs, discs),
        (Scoring::EmptiesToMajority, majority),
        (Scoring::EmptiesToMajorityTiesSplit, split),
    ]
}

#[test]
fn empties_go_to_the_side_with_more_discs() {
    assert_scores(
        BLACK_33_WHITE_29_EMPTY_2,
        (33, 29, 2),
        totals((33, 29), (35, 29), (35, 29)),
    );
    assert_scores(
        BLACK_37_WHITE_24_EMPTY_3,
        (37, 24, 3),
        totals((37, 24), (40, 24), (40, 24)),
    );
    assert_scores(
        BLACK_30_WHITE_20_EMPTY_14,
        (30, 20, 14),
        totals((30, 20), (44, 20), (44, 20)),
    );
}

#[test]
fn a_wiped_out_side_leaves_all_squares_to_the_other() {
    assert_scores(
        BLACK_13_WHITE_0_EMPTY_51,
        (13, 0, 51),
        totals((13, 0), (64, 0), (64, 0)),
    );
}

#[test]
fn a_tie_with_empties_stays_or_is_split() {
    assert_scores(
        BLACK_20_WHITE_20_EMPTY_24,
        (20, 20, 24),
        totals((20, 20), (20, 20), (32, 32)),
    );
    assert_scores(EMPTY_64, (0, 0, 64), totals((0, 0), (0, 0), (32, 32)));
}

#[test]
fn a_full_board_scores_the_same_everywhere() {
    assert_scores(
        BLACK_32_WHITE_32,
        (32, 32, 0),
        totals((32, 32), (32, 32), (32, 32)),
    );
    assert_scores(BLACK_64, (64, 0, 0), totals((64, 0), (64, 0), (64, 0)));
}

#[test]
fn a_running_game_has_counts_but_no_totals() {
    let scoring = Scoring::EmptiesToMajority;
    let after_one = Position::standard().play(Square::D3.into()).unwrap();
    let score = Score::of(&after_one, scoring);
    assert_eq!((score.black, score.white, score.empties), (4, 1, 59));
    assert_eq!(score.scored, None);
    assert_eq!(after_one.result(Objective::MostDiscs), None);

    // A pass is due: the game goes on.
    let blocked = text::position(
        "XXXXXXXX OOOOOOOO XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX OOOOOOO-",
        Color::Black,
    );
    assert_eq!(blocked.turn(), Turn::Pass);
    assert_eq!(Score::of(&blocked, scoring).scored, None);
    assert_eq!(blocked.result(Objective::MostDiscs), None);
}

fn assert_result(board: &str, most: Option<Color>, fewest: Option<Color>, reason: EndReason) {
    for side in [Color::Black, Color::White] {
        let position = text::position(board, side);
        assert_eq!(position.turn(), Turn::Over(reason), "{position}");
        for (objective, winner) in [
            (Objective::MostDiscs, most),
            (Objective::FewestDiscs, fewest),
        ] {
            assert_eq!(
                position.result(objective),
                Some(BoardResult { winner, reason }),
                "{objective:?}\n{position}"
            );
        }
    }
}

const BLACK: Option<Color> = Some(Color::Black);
const WHITE: Option<Color> = Some(Color::White);

#[test]
fn more_discs_win_and_fewer_discs_win_the_reverse_game() {
    assert_result(BLACK_33_WHITE_29_EMPTY_2, BLACK, WHITE, EndReason::NoMoves);
    assert_result(BLACK_30_WHITE_20_EMPTY_14, BLACK, WHITE, EndReason::NoMoves);
    assert_result(
        &swapped(BLACK_30_WHITE_20_EMPTY_14),
        WHITE,
        BLACK,
        EndReason::NoMoves,
    );
}

#[test]
fn equal_discs_draw_under_both_objectives() {
    assert_result(BLACK_20_WHITE_20_EMPTY_24, None, None, EndReason::NoMoves);
    assert_result(BLACK_32_WHITE_32, None, None, EndReason::BoardFull);
}

#[test]
fn a_side_without_discs_is_wiped_out_even_on_a_full_board() {
    assert_result(BLACK_13_WHITE_0_EMPTY_51, BLACK, WHITE, EndReason::Wipeout);
    assert_result(BLACK_64, BLACK, WHITE, EndReason::Wipeout);
    assert_result(&swapped(BLACK_64), WHITE, BLACK, EndReason::Wipeout);
}

#[test]
fn a_board_without_discs_wipes_out_nobody() {
    assert_result(EMPTY_64, None, None, EndReason::NoMoves);
}

#[test]
fn a_reverse_game_keeps_the_empties_with_the_majority_and_the_win_with_the_other() {
    let rules = RuleSet {
        objective: Objective::FewestDiscs,
        scoring: Scoring::EmptiesToMajority,
        ..RuleSet::default()
    };
    let mut game = Game::new(rules).unwrap();
    for name in "e6 f4 e3 f6 g5 d6 e7 f5 c5".split(' ') {
        game.play(name.parse::<Square>().unwrap().into()).unwrap();
    }
    assert_eq!(
        game.result(),
        Some(BoardResult {
            winner: WHITE,
            reason: EndReason::Wipeout
        })
    );
    let scored = game.score().scored;
    assert_eq!(
        scored,
        Some(ScoredTotals {
            black: 64,
            white: 0
        })
    );
}

#[test]
fn a_game_ends_board_full_with_the_last_square() {
    let setup = text::setup(
        "XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX OOXXXXXX XXXXXXXX XXXXXXXX XOOOOOO-",
        Color::Black,
    );
    let rules = RuleSet {
        start: Start::Custom(setup),
        ..RuleSet::default()
    };
    let mut game = Game::new(rules).unwrap();
    let played = game.play(Square::H8.into()).unwrap();
    assert_eq!(played.len(), 1, "no pass is entered after the end");
    assert_eq!(game.turn(), Turn::Over(EndReason::BoardFull));
    assert_eq!((game.score().black, game.score().white), (62, 2));
}
