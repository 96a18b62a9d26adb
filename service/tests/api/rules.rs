//! RulesService: server info, legal moves, transcripts, scores.

use reversi_proto::v1::{
    self, Color, EndReason, ErrorReason, LegalMovesView, MoveKind, Objective, PassMode, Scoring,
    Start, StoreKind, TranscriptSyntax, Turn,
};
use tonic::{Code, Status};

use crate::client::{
    DEAD, ONLY_WHITE_MOVES, SHORTEST_GAME, START, UNTIL_BLACK_MUST_PASS, bitboards, text_position,
};
use crate::failure::{Failure, assert_fails};
use crate::server::Api;

const CENTRE: u64 = 1 << 27 | 1 << 28 | 1 << 35 | 1 << 36;

async fn legal_moves(
    api: &Api,
    position: Option<v1::Position>,
    rules: v1::RuleSet,
) -> Result<v1::LegalMoves, Status> {
    let request = v1::ListLegalMovesRequest {
        position,
        rules: Some(rules),
        view: LegalMovesView::Unspecified.into(),
    };
    let response = api.rules().list_legal_moves(request).await?;
    Ok(response.into_inner().legal_moves.unwrap())
}

async fn apply(
    api: &Api,
    rules: v1::RuleSet,
    transcript: &str,
    syntax: TranscriptSyntax,
) -> Result<v1::ApplyMovesResponse, Status> {
    let request = v1::ApplyMovesRequest {
        position: None,
        rules: Some(rules),
        transcript: transcript.to_owned(),
        syntax: syntax.into(),
    };
    let response = api.rules().apply_moves(request).await?;
    Ok(response.into_inner())
}

async fn apply_to_start(api: &Api, transcript: &str) -> Result<v1::ApplyMovesResponse, Status> {
    let lenient = TranscriptSyntax::Lenient;
    apply(api, v1::RuleSet::default(), transcript, lenient).await
}

fn starting(start: Start) -> v1::RuleSet {
    v1::RuleSet {
        start: start.into(),
        ..Default::default()
    }
}

fn squares(legal: &v1::LegalMoves) -> Vec<&str> {
    let moves = legal.moves.iter();
    moves.map(|legal| legal.square.as_str()).collect()
}

#[tokio::test]
async fn server_info_tells_what_the_server_accepts() {
    let flags = ["--game-ttl", "90s", "--suggest-time", "250ms"];
    let api = Api::start_with(&flags).await;
    let info = api
        .rules()
        .get_server_info(v1::GetServerInfoRequest {})
        .await
        .unwrap()
        .into_inner();
    assert_eq!(info.version, env!("CARGO_PKG_VERSION"));
    assert_eq!(info.store(), StoreKind::Memory);
    assert!(
        !info.engine.is_empty() && !info.kernel.is_empty(),
        "{info:?}"
    );
    let limits = info.limits.unwrap();
    assert_eq!(limits.max_batch_positions, 65_536);
    assert_eq!(limits.max_request_bytes, 2 << 20);
    assert_eq!(limits.max_count_depth, 16);
    assert_eq!(limits.max_page_size, 500);
    assert_eq!(limits.remembered_request_ids, 8);
    let millis = |duration: Option<prost_types::Duration>| {
        let duration = duration.unwrap();
        duration.seconds * 1000 + i64::from(duration.nanos) / 1_000_000
    };
    assert_eq!(millis(limits.game_ttl), 90_000);
    assert_eq!(millis(limits.default_suggest_time), 250);
    assert_eq!(millis(limits.max_suggest_time), 60_000);
}

#[tokio::test]
async fn the_start_is_the_default_position() {
    let api = Api::start().await;
    let legal = legal_moves(&api, None, v1::RuleSet::default())
        .await
        .unwrap();
    assert_eq!(legal.turn(), Turn::Move);
    let moves: Vec<_> = legal
        .moves
        .iter()
        .map(|legal| (legal.square.as_str(), legal.flips.join(" ")))
        .collect();
    let expected = [("d3", "d4"), ("c4", "d4"), ("f5", "e5"), ("e6", "e5")];
    let expected = expected.map(|(square, flips)| (square, flips.to_owned()));
    assert_eq!(moves, expected);
    assert_eq!(legal.mask, 1 << 19 | 1 << 26 | 1 << 37 | 1 << 44);
}

#[tokio::test]
async fn mask_view_leaves_the_moves_out() {
    let api = Api::start().await;
    let request = v1::ListLegalMovesRequest {
        view: LegalMovesView::Mask.into(),
        ..Default::default()
    };
    let response = api.rules().list_legal_moves(request).await.unwrap();
    let legal = response.into_inner().legal_moves.unwrap();
    assert_eq!(legal.mask.count_ones(), 4);
    assert_eq!(legal.moves, []);
}

#[tokio::test]
async fn a_board_in_text_is_the_board_in_bits() {
    let api = Api::start().await;
    let boards = v1::position::Board::Bitboards(v1::Bitboards {
        black: 1 << 28 | 1 << 35,
        white: 1 << 27 | 1 << 36,
    });
    let bits = v1::Position {
        board: Some(boards),
        side_to_move: Color::White.into(),
    };
    let expected = legal_moves(&api, Some(bits), v1::RuleSet::default()).await;
    let expected = expected.unwrap();
    assert_eq!(squares(&expected), ["e3", "f4", "c5", "d6"]);
    let spaced: Vec<_> = START.as_bytes().chunks(8).collect();
    let spaced = String::from_utf8(spaced.join(&b"\n "[..])).unwrap();
    for text in [
        START.to_owned(),
        spaced,
        START.replace('X', "*").replace('-', "."),
        START.replace('X', "b").replace('O', "w"),
        START.replace('X', "B").replace('O', "W"),
    ] {
        let position = text_position(&text, Color::White);
        let legal = legal_moves(&api, Some(position), v1::RuleSet::default()).await;
        assert_eq!(legal.unwrap(), expected, "{text}");
    }
}

#[tokio::test]
async fn a_blocked_side_passes_and_a_dead_board_is_over() {
    let api = Api::start().await;
    let full = "XO".repeat(32);
    let empty = "-".repeat(64);
    let one_colour = "X".repeat(13) + &"-".repeat(51);
    for (text, side, turn) in [
        (ONLY_WHITE_MOVES, Color::Black, Turn::Pass),
        (ONLY_WHITE_MOVES, Color::White, Turn::Move),
        (DEAD, Color::Black, Turn::Over),
        (DEAD, Color::White, Turn::Over),
        (&full, Color::Black, Turn::Over),
        (&empty, Color::Black, Turn::Over),
        (&one_colour, Color::White, Turn::Over),
    ] {
        let position = text_position(text, side);
        let legal = legal_moves(&api, Some(position), v1::RuleSet::default()).await;
        let legal = legal.unwrap();
        assert_eq!(legal.turn(), turn, "{text} {side:?}");
        assert_eq!(legal.mask == 0, turn != Turn::Move, "{text} {side:?}");
    }
}

#[tokio::test]
async fn each_start_has_its_layout() {
    let api = Api::start().await;
    let row =
        |rows: [&str; 2]| format!("{}{}{}{}", "-".repeat(24), rows[0], rows[1], "-".repeat(24));
    for (start, text) in [
        (Start::Unspecified, row(["---OX---", "---XO---"])),
        (Start::Standard, row(["---OX---", "---XO---"])),
        (Start::Mirrored, row(["---XO---", "---OX---"])),
        (Start::ParallelWhiteAbove, row(["---OO---", "---XX---"])),
        (Start::ParallelBlackAbove, row(["---XX---", "---OO---"])),
        (Start::Free, "-".repeat(64)),
    ] {
        let lenient = TranscriptSyntax::Lenient;
        let applied = apply(&api, starting(start), "", lenient).await.unwrap();
        assert_eq!(applied.board_text, text, "{start:?}");
        let position = applied.position.unwrap();
        assert_eq!(position.side_to_move(), Color::Black, "{start:?}");
        assert_eq!(applied.legal_moves.unwrap().turn(), Turn::Move, "{start:?}");
        assert_eq!(applied.outcome, None, "{start:?}");
    }
}

#[tokio::test]
async fn a_custom_start_is_where_moves_begin() {
    let api = Api::start().await;
    let rules = v1::RuleSet {
        start: Start::Custom.into(),
        custom_position: Some(text_position(START, Color::White)),
        ..Default::default()
    };
    let legal = legal_moves(&api, None, rules).await.unwrap();
    assert_eq!(squares(&legal), ["e3", "f4", "c5", "d6"]);
}

#[tokio::test]
async fn free_placements_go_on_the_centre_and_turn_nothing() {
    let api = Api::start().await;
    let rules = starting(Start::Free);
    for (text, side, mask) in [
        ("", Color::Black, CENTRE),
        ("d4", Color::White, CENTRE & !(1 << 27)),
        ("d4d5", Color::Black, 1 << 28 | 1 << 36),
        ("d4d5e4", Color::White, 1 << 36),
    ] {
        let lenient = TranscriptSyntax::Lenient;
        let applied = apply(&api, rules.clone(), text, lenient).await.unwrap();
        let position = applied.position.unwrap();
        assert_eq!(position.side_to_move(), side, "{text}");
        let kinds = applied.moves.iter().map(|mv| (mv.kind(), mv.flips));
        assert!(
            kinds
                .into_iter()
                .all(|kind| kind == (MoveKind::Placement, 0))
        );
        // Asked for with the rules, the position says the same; without, it is another.
        let legal = legal_moves(&api, Some(position.clone()), rules.clone()).await;
        let legal = legal.unwrap();
        assert_eq!(legal, applied.legal_moves.unwrap(), "{text}");
        assert_eq!((legal.turn(), legal.mask), (Turn::Move, mask), "{text}");
        assert!(legal.moves.iter().all(|legal| legal.flips.is_empty()));
        let standard = legal_moves(&api, Some(position), v1::RuleSet::default()).await;
        assert_ne!(standard.unwrap().mask, mask, "{text}");
    }
}

#[tokio::test]
async fn after_four_free_placements_discs_turn() {
    let api = Api::start().await;
    let lenient = TranscriptSyntax::Lenient;
    let applied = apply(&api, starting(Start::Free), "d4d5e4e5d6", lenient).await;
    let applied = applied.unwrap();
    let last = applied.moves.last().unwrap();
    assert_eq!((last.kind(), last.flips), (MoveKind::Disc, 1 << 35));
    assert_eq!(applied.position.unwrap().side_to_move(), Color::White);
}

#[tokio::test]
async fn lenient_transcripts_are_read_as_people_write_them() {
    let api = Api::start().await;
    let plain = apply_to_start(&api, "f5d6c3d3").await.unwrap();
    assert_eq!(plain.moves.len(), 4);
    for text in [
        "F5D6C3D3",
        " f5 d6, c3;d3\n",
        "1. f5 d6 2. c3 d3",
        "1.f5d62.c3|d3.",
    ] {
        assert_eq!(apply_to_start(&api, text).await.unwrap(), plain, "{text}");
    }
    let strict = TranscriptSyntax::Strict;
    let same = apply(&api, v1::RuleSet::default(), "f5d6c3d3", strict).await;
    assert_eq!(same.unwrap(), plain);
    for (text, offset) in [("F5", "0"), ("f5 d6", "2"), ("f5pa", "2")] {
        let refused = apply(&api, v1::RuleSet::default(), text, strict).await;
        let failure = assert_fails(refused, Code::InvalidArgument, ErrorReason::NotASquare);
        assert_eq!(failure.metadata["offset"], offset, "{text}");
    }
}

#[tokio::test]
async fn passes_may_be_written_or_left_out() {
    let api = Api::start().await;
    let before = UNTIL_BLACK_MUST_PASS;
    let expected = apply_to_start(&api, &format!("{before}b5")).await.unwrap();
    let kinds: Vec<_> = expected.moves[11..].iter().map(v1::Move::kind).collect();
    assert_eq!(kinds, [MoveKind::Disc, MoveKind::Pass, MoveKind::Disc]);
    for pass in ["pa", "PASS", "--", "ps"] {
        let text = format!("{before} {pass} b5");
        assert_eq!(
            apply_to_start(&api, &text).await.unwrap(),
            expected,
            "{text}"
        );
    }
    let explicit = v1::RuleSet {
        pass_mode: PassMode::Explicit.into(),
        ..Default::default()
    };
    let lenient = TranscriptSyntax::Lenient;
    for text in [format!("{before}b5"), format!("{before}pab5")] {
        let applied = apply(&api, explicit.clone(), &text, lenient).await.unwrap();
        assert_eq!(applied.moves, expected.moves, "{text}");
    }
}

#[tokio::test]
async fn a_side_that_must_pass_is_left_to_move_under_explicit_passes_only() {
    let api = Api::start().await;
    let automatic = apply_to_start(&api, UNTIL_BLACK_MUST_PASS).await.unwrap();
    assert_eq!(automatic.moves.len(), 13);
    assert_eq!(automatic.position.unwrap().side_to_move(), Color::White);
    assert_eq!(automatic.legal_moves.unwrap().turn(), Turn::Move);

    let rules = v1::RuleSet {
        pass_mode: PassMode::Explicit.into(),
        ..Default::default()
    };
    let lenient = TranscriptSyntax::Lenient;
    let explicit = apply(&api, rules, UNTIL_BLACK_MUST_PASS, lenient).await;
    let explicit = explicit.unwrap();
    assert_eq!(explicit.moves.len(), 12);
    assert_eq!(explicit.position.unwrap().side_to_move(), Color::Black);
    assert_eq!(explicit.legal_moves.unwrap().turn(), Turn::Pass);
}

#[tokio::test]
async fn the_end_of_a_game_is_told() {
    let api = Api::start().await;
    let applied = apply_to_start(&api, SHORTEST_GAME).await.unwrap();
    assert_eq!(applied.legal_moves.unwrap().turn(), Turn::Over);
    let outcome = applied.outcome.unwrap();
    assert_eq!(outcome.winner(), Color::Black);
    assert_eq!(outcome.reason(), EndReason::Wipeout);
    let score = applied.score.unwrap();
    assert_eq!((score.black, score.white, score.empties), (13, 0, 51));
    let scored = score.scored.unwrap();
    assert_eq!((scored.black, scored.white), (13, 0));
}

#[tokio::test]
async fn moves_go_on_from_any_position() {
    let api = Api::start().await;
    let request = |text: &str, side, transcript: &str| v1::ApplyMovesRequest {
        position: Some(text_position(text, side)),
        transcript: transcript.to_owned(),
        ..Default::default()
    };
    // Black is blocked: the pass is entered before the first move, named or not.
    for transcript in ["c1", "pass c1"] {
        let request = request(ONLY_WHITE_MOVES, Color::Black, transcript);
        let applied = api.rules().apply_moves(request).await.unwrap().into_inner();
        let squares: Vec<_> = applied.moves.iter().map(|mv| mv.square.as_str()).collect();
        assert_eq!(squares, ["pass", "c1"]);
        assert_eq!(bitboards(&applied.position.unwrap()), (0, 0b111));
        assert_eq!(applied.outcome.unwrap().winner(), Color::White);
    }
    // A dead board is answered as over, and takes no move.
    let dead = api
        .rules()
        .apply_moves(request(DEAD, Color::White, ""))
        .await;
    assert_eq!(
        dead.unwrap().into_inner().outcome.unwrap().reason(),
        EndReason::NoMoves
    );
    let moved = api
        .rules()
        .apply_moves(request(DEAD, Color::White, "d3"))
        .await;
    let failure = assert_fails(moved, Code::FailedPrecondition, ErrorReason::GameOver);
    assert_eq!(failure.metadata["index"], "0");
}

#[tokio::test]
async fn the_first_bad_move_is_named_by_its_index() {
    let api = Api::start().await;
    let over = format!("{SHORTEST_GAME}a1");
    let second_pass = format!("{UNTIL_BLACK_MUST_PASS} pass pass");
    let illegal = Code::FailedPrecondition;
    let malformed = Code::InvalidArgument;
    for (text, code, reason, place, said) in [
        ("a1", illegal, ErrorReason::IllegalNoFlip, "0 at 0", "a1"),
        (
            "f5d6d6",
            illegal,
            ErrorReason::SquareOccupied,
            "2 at 4",
            "d6",
        ),
        ("f5 pass", illegal, ErrorReason::FalsePass, "1 at 3", ""),
        (
            &second_pass,
            illegal,
            ErrorReason::FalsePass,
            "12 at 30",
            "",
        ),
        (&over, illegal, ErrorReason::GameOver, "9 at 18", ""),
        ("f5i9", malformed, ErrorReason::NotASquare, "1 at 2", "i9"),
        (
            "f5 d6 héé!",
            malformed,
            ErrorReason::NotASquare,
            "2 at 6",
            "héé!",
        ),
        ("f5d", malformed, ErrorReason::NotASquare, "1 at 2", "d"),
        (
            "f5\u{0}",
            malformed,
            ErrorReason::NotASquare,
            "1 at 2",
            "\u{0}",
        ),
    ] {
        let failure = assert_fails(apply_to_start(&api, text).await, code, reason);
        let metadata = &failure.metadata;
        let found = format!("{} at {}", metadata["index"], metadata["offset"]);
        assert_eq!(found, place, "{text}: {failure:?}");
        assert_eq!(metadata["field"], "transcript", "{text}: {failure:?}");
        let key = if code == malformed { "value" } else { "square" };
        let found = metadata.get(key).map_or("", String::as_str);
        assert_eq!(found, said, "{text}: {failure:?}");
        if code == malformed {
            assert_eq!(failure.fields, ["transcript"], "{text}");
        } else {
            let precondition = (failure.reason.clone(), "transcript".to_owned());
            assert_eq!(failure.precondition, Some(precondition), "{text}");
        }
    }
}

#[tokio::test]
async fn a_strict_transcript_of_odd_length_is_cut_short() {
    let api = Api::start().await;
    let strict = TranscriptSyntax::Strict;
    let refused = apply(&api, v1::RuleSet::default(), "f5d6c", strict).await;
    let failure = assert_fails(refused, Code::InvalidArgument, ErrorReason::OddLength);
    assert_eq!(failure.metadata["index"], "2");
    assert_eq!(failure.fields, ["transcript"]);
}

#[tokio::test]
async fn a_placement_off_the_centre_is_refused() {
    let api = Api::start().await;
    let lenient = TranscriptSyntax::Lenient;
    let free = starting(Start::Free);
    let refused = apply(&api, free.clone(), "d4f5", lenient).await;
    let failure = assert_fails(
        refused,
        Code::FailedPrecondition,
        ErrorReason::OutsideCentre,
    );
    assert_eq!(failure.metadata["square"], "f5");
    assert_eq!(failure.metadata["index"], "1");
    let refused = apply(&api, free.clone(), "d4d4", lenient).await;
    assert_fails(
        refused,
        Code::FailedPrecondition,
        ErrorReason::SquareOccupied,
    );
    let refused = apply(&api, free, "d4pass", lenient).await;
    assert_fails(refused, Code::FailedPrecondition, ErrorReason::FalsePass);
}

#[tokio::test]
async fn a_transcript_may_be_4096_bytes_long() {
    let api = Api::start().await;
    let padded = format!("{:4096}", "f5d6");
    assert_eq!(apply_to_start(&api, &padded).await.unwrap().moves.len(), 2);
    let longer = format!("{padded} ");
    let refused = apply_to_start(&api, &longer).await;
    let failure = assert_fails(refused, Code::InvalidArgument, ErrorReason::TooLarge);
    assert_eq!(failure.metadata["field"], "transcript");
    assert_eq!(failure.metadata["limit"], "4096");
    assert_eq!(failure.metadata["found"], "4097");
}

/// Boards on which neither side can move, by their discs.
mod over {
    /// 33-29 with two empty squares, a1 and h8: what they look at is black.
    pub(super) fn of_33_29() -> String {
        board(|file, rank| match (file, rank) {
            (0, 0) | (7, 7) => '-',
            _ if file == rank || edge(file) || edge(rank) => 'X',
            (2, 1) => 'X',
            _ => 'O',
        })
    }

    /// 37-24 with three empty squares, a1, h1 and h8.
    pub(super) fn of_37_24() -> String {
        board(|file, rank| match (file, rank) {
            (0 | 7, 0) | (7, 7) => '-',
            _ if file == rank || file + rank == 7 || edge(file) || edge(rank) => 'X',
            _ => 'O',
        })
    }

    /// 20-20: blocks with empty squares between them.
    pub(super) fn of_20_20() -> String {
        board(|file, rank| match file {
            0 | 1 => 'X',
            2 if rank < 4 => 'X',
            5 if rank >= 4 => 'O',
            6 | 7 => 'O',
            _ => '-',
        })
    }

    /// 30-20.
    pub(super) fn of_30_20() -> String {
        board(|file, rank| match file {
            0..=2 => 'X',
            3 if rank < 6 => 'X',
            5 if rank >= 4 => 'O',
            6 | 7 => 'O',
            _ => '-',
        })
    }

    fn edge(line: usize) -> bool {
        line == 0 || line == 7
    }

    fn board(square: impl Fn(usize, usize) -> char) -> String {
        (0..64).map(|index| square(index % 8, index / 8)).collect()
    }
}

#[tokio::test]
async fn finished_boards_are_scored_by_each_convention() {
    let api = Api::start().await;
    let wiped_out = "X".repeat(13) + &"-".repeat(51);
    let full = "X".repeat(33) + &"O".repeat(31);
    let discs = Scoring::Discs;
    let majority = Scoring::EmptiesToMajority;
    let split = Scoring::EmptiesToMajorityTiesSplit;
    for (text, scoring, totals, reason) in [
        (
            over::of_33_29(),
            Scoring::Unspecified,
            (33, 29),
            EndReason::NoMoves,
        ),
        (over::of_33_29(), discs, (33, 29), EndReason::NoMoves),
        (over::of_33_29(), majority, (35, 29), EndReason::NoMoves),
        (over::of_33_29(), split, (35, 29), EndReason::NoMoves),
        (over::of_37_24(), majority, (40, 24), EndReason::NoMoves),
        (over::of_20_20(), discs, (20, 20), EndReason::NoMoves),
        (over::of_20_20(), majority, (20, 20), EndReason::NoMoves),
        (over::of_20_20(), split, (32, 32), EndReason::NoMoves),
        (over::of_30_20(), split, (44, 20), EndReason::NoMoves),
        (wiped_out.clone(), discs, (13, 0), EndReason::Wipeout),
        (wiped_out.clone(), majority, (64, 0), EndReason::Wipeout),
        (full.clone(), discs, (33, 31), EndReason::BoardFull),
        (full, split, (33, 31), EndReason::BoardFull),
    ] {
        for (objective, inverse) in [
            (Objective::MostDiscs, false),
            (Objective::FewestDiscs, true),
        ] {
            let request = v1::ScorePositionRequest {
                position: Some(text_position(&text, Color::White)),
                rules: Some(v1::RuleSet {
                    objective: objective.into(),
                    scoring: scoring.into(),
                    ..Default::default()
                }),
            };
            let response = api
                .rules()
                .score_position(request)
                .await
                .unwrap()
                .into_inner();
            let score = response.score.unwrap();
            let scored = score.scored.unwrap();
            let outcome = response.outcome.unwrap();
            let case = format!("{text} {scoring:?} {objective:?}");
            assert_eq!((scored.black, scored.white), totals, "{case}");
            assert_eq!(outcome.reason(), reason, "{case}");
            let black = i32::try_from(text.matches('X').count()).unwrap();
            let white = i32::try_from(text.matches('O').count()).unwrap();
            let raw = (score.black, score.white, score.empties);
            assert_eq!(raw, (black, white, 64 - black - white), "{case}");
            let winner = if black == white {
                Color::Unspecified
            } else if (black > white) != inverse {
                Color::Black
            } else {
                Color::White
            };
            assert_eq!(outcome.winner(), winner, "{case}");
        }
    }
}

#[tokio::test]
async fn a_running_position_has_no_totals() {
    let api = Api::start().await;
    for (text, side, start) in [
        (START.to_owned(), Color::Black, Start::Standard),
        (ONLY_WHITE_MOVES.to_owned(), Color::Black, Start::Standard),
        ("-".repeat(64), Color::Black, Start::Free),
    ] {
        let request = v1::ScorePositionRequest {
            position: Some(text_position(&text, side)),
            rules: Some(starting(start)),
        };
        let response = api
            .rules()
            .score_position(request)
            .await
            .unwrap()
            .into_inner();
        assert_eq!(response.score.unwrap().scored, None, "{text}");
        assert_eq!(response.outcome, None, "{text}");
    }
}

#[tokio::test]
async fn a_game_over_answers_can_be_asked_about_again() {
    let api = Api::start().await;
    let game = api.play_all(api.game().await, SHORTEST_GAME).await;
    let request = v1::ScorePositionRequest {
        position: game.position.clone(),
        rules: game.rules.clone(),
    };
    let response = api
        .rules()
        .score_position(request)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (response.score, response.outcome),
        (game.score, game.outcome)
    );
    let legal = legal_moves(&api, game.position, game.rules.unwrap()).await;
    assert_eq!(legal.unwrap().turn(), Turn::Over);
}

#[tokio::test]
async fn all_faults_of_a_request_are_told_at_once() {
    let api = Api::start().await;
    let request = v1::ApplyMovesRequest {
        position: Some(v1::Position {
            board: Some(v1::position::Board::Bitboards(v1::Bitboards {
                black: 3,
                white: 6,
            })),
            side_to_move: 9,
        }),
        rules: Some(v1::RuleSet {
            objective: 8,
            start: 77,
            scoring: -1,
            pass_mode: 3,
            custom_position: None,
            balanced: None,
        }),
        transcript: "a".repeat(5000),
        syntax: 5,
    };
    let status = api.rules().apply_moves(request).await.unwrap_err();
    let mut failure = Failure::of(&status);
    failure.fields.sort();
    let expected = [
        "position",
        "position.side_to_move",
        "rules.objective",
        "rules.pass_mode",
        "rules.scoring",
        "rules.start",
        "syntax",
        "transcript",
    ];
    assert_eq!(failure.fields, expected);
}

#[tokio::test]
async fn faults_of_a_position_are_told_beside_those_of_the_rules() {
    let api = Api::start().await;
    let request = v1::ListLegalMovesRequest {
        position: Some(v1::Position {
            board: Some(v1::position::Board::Bitboards(v1::Bitboards {
                black: 3,
                white: 6,
            })),
            side_to_move: Color::Black.into(),
        }),
        rules: Some(v1::RuleSet {
            scoring: 9,
            ..Default::default()
        }),
        view: 0,
    };
    let status = api.rules().list_legal_moves(request).await.unwrap_err();
    let mut failure = Failure::of(&status);
    failure.fields.sort();
    assert_eq!(failure.fields, ["position", "rules.scoring"]);
}
