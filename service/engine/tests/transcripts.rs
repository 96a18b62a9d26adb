//! Whole games: forced passes, ends, final boards, and the extremes on the way.

#[path = "support/cases.rs"]
mod cases;
#[path = "support/text.rs"]
mod text;

use reversi_engine::{
    Color, Game, Move, MoveKind, PassMode, PlayedMove, RuleSet, ScoredTotals, Scoring, Square, Turn,
};

/// A game under automatic passes, from squares written one after another.
fn replay(id: &str, moves: &str) -> Game {
    let rules = RuleSet {
        scoring: Scoring::EmptiesToMajority,
        ..RuleSet::default()
    };
    let mut game = Game::new(rules).expect("the standard start is sound");
    for (index, name) in squares(moves).enumerate() {
        if let Err(error) = game.play(Move::Place(name)) {
            panic!("{id}: move {index}: {error}\n{}", game.position());
        }
    }
    game
}

fn squares(moves: &str) -> impl Iterator<Item = Square> {
    assert!(moves.is_ascii() && moves.len().is_multiple_of(2), "{moves}");
    (0..moves.len())
        .step_by(2)
        .map(|at| moves[at..at + 2].parse().expect("a square"))
}

/// The forced passes as the tables write them: `12B`, Black before move 12.
fn passes(game: &Game) -> Vec<String> {
    let mut discs = 0;
    let mut passes = Vec::new();
    let (last, before) = game.history().split_last().expect("some moves");
    // A pass after the last move is not listed.
    let listed = before
        .iter()
        .chain((last.kind != MoveKind::Pass).then_some(last));
    for played in listed {
        match (played.kind, played.side) {
            (MoveKind::Pass, Color::Black) => passes.push(format!("{discs}B")),
            (MoveKind::Pass, Color::White) => passes.push(format!("{discs}W")),
            (MoveKind::Disc | MoveKind::Placement, _) => discs += 1,
        }
    }
    passes
}

fn disc_moves(game: &Game) -> impl Iterator<Item = &PlayedMove> {
    game.history()
        .iter()
        .filter(|played| played.kind == MoveKind::Disc)
}

fn longest_run(game: &Game) -> usize {
    let sides: Vec<Color> = disc_moves(game).map(|played| played.side).collect();
    sides
        .chunk_by(|a, b| a == b)
        .map(<[Color]>::len)
        .max()
        .unwrap_or(0)
}

/// The number of directions that a move turned: each one turned the neighbour there.
fn directions(played: &PlayedMove) -> usize {
    let square = played.mv.square().expect("a disc has a square");
    played
        .flips
        .iter()
        .filter(|turned| {
            turned.file().abs_diff(square.file()) <= 1 && turned.rank().abs_diff(square.rank()) <= 1
        })
        .count()
}

/// Legal moves before each disc that was played.
fn choices(game: &Game) -> impl Iterator<Item = u32> {
    game.history()
        .iter()
        .enumerate()
        .filter(|(_, played)| played.kind == MoveKind::Disc)
        .map(|(ply, _)| game.position_at(ply).expect("played").legal_moves().count())
}

/// Checks one row of a table as `cases/transcripts.tsv` describes it.
fn check(row: &[&str]) {
    let [
        id,
        _,
        moves,
        count,
        pass_count,
        passes_listed,
        black,
        white,
        empties,
        over,
        score,
        run,
        most_turned,
        most_choices,
        most_directions,
        board,
        to_move,
        legal,
        ..,
    ] = *row
    else {
        panic!("too few columns: {row:?}");
    };
    let game = replay(id, moves);
    let position = game.position();
    let context = format!("{id}\n{position}");

    assert_eq!(game.discs_placed().to_string(), count, "{context}");
    let listed: Vec<&str> = passes_listed
        .split(',')
        .filter(|pass| *pass != "-")
        .collect();
    assert_eq!(passes(&game), listed, "{context}");
    assert_eq!(listed.len().to_string(), pass_count, "{context}");

    let counted = game.score();
    assert_eq!(counted.black.to_string(), black, "{context}");
    assert_eq!(counted.white.to_string(), white, "{context}");
    assert_eq!(counted.empties.to_string(), empties, "{context}");
    assert_eq!(game.turn().is_over(), over == "1", "{context}");
    let difference = counted
        .scored
        .map(|ScoredTotals { black, white }| i32::from(black) - i32::from(white));
    assert_eq!(difference, score.parse().ok(), "{context}");

    assert_eq!(longest_run(&game).to_string(), run, "{context}");
    let turned = disc_moves(&game).map(|played| played.flips.count()).max();
    assert_eq!(turned, most_turned.parse().ok(), "{context}");
    assert_eq!(choices(&game).max(), most_choices.parse().ok(), "{context}");
    let turned = disc_moves(&game).map(directions).max();
    assert_eq!(turned, most_directions.parse().ok(), "{context}");

    let side = match to_move {
        "X" => Some(Color::Black),
        "O" => Some(Color::White),
        "-" => None,
        other => panic!("{id}: side {other:?}"),
    };
    assert_eq!(
        (!game.turn().is_over()).then(|| position.side_to_move()),
        side,
        "{context}"
    );
    assert_eq!(
        *position,
        text::position(board, position.side_to_move()),
        "{context}"
    );
    assert_eq!(game.legal_moves().count().to_string(), legal, "{context}");
    check_explicit_passes_give_the_same_game(&game);
}

/// Sends the moves and passes of a game one by one under explicit passes.
fn check_explicit_passes_give_the_same_game(automatic: &Game) {
    let rules = RuleSet {
        pass_mode: PassMode::Explicit,
        ..*automatic.rules()
    };
    let mut game = Game::new(rules).expect("the standard start is sound");
    for played in automatic.history() {
        assert_eq!(game.turn() == Turn::Pass, played.kind == MoveKind::Pass);
        game.play(played.mv).expect("legal in the other mode");
    }
    assert_eq!(game.history(), automatic.history());
    assert_eq!(game.position(), automatic.position());
}

#[test]
fn corner_case_games_replay_as_listed() {
    let rows = cases::rows(include_str!("cases/transcripts.tsv"));
    assert_eq!(rows.len(), 21);
    for row in rows {
        check(&row);
    }
}

#[test]
fn games_of_the_test_data_replay_as_listed() {
    cases::for_each_row("rules/transcripts.tsv", 21, check);
}

#[test]
fn the_shortest_games_end_with_their_last_move() {
    cases::for_each_row("rules/shortest_games.tsv", 588, |row| {
        let [placed, black, white, moves] = *row else {
            panic!("four columns: {row:?}");
        };
        let game = replay(moves, moves);
        let counted = game.score();
        let context = format!("{moves}\n{}", game.position());
        assert!(game.turn().is_over(), "{context}");
        assert_eq!(game.ply().to_string(), placed, "{context}");
        assert_eq!(counted.black.to_string(), black, "{context}");
        assert_eq!(counted.white.to_string(), white, "{context}");
    });
}

#[test]
fn the_shortest_draws_end_twelve_all() {
    cases::for_each_row("rules/shortest_draws.txt", 185, |row| {
        let game = replay(row[0], row[0]);
        let counted = game.score();
        let context = format!("{}\n{}", row[0], game.position());
        assert!(game.turn().is_over(), "{context}");
        assert_eq!(game.discs_placed(), 20, "{context}");
        assert_eq!((counted.black, counted.white), (12, 12), "{context}");
    });
}

#[test]
fn tournament_games_end_with_their_recorded_result() {
    cases::for_each_row("games/wthor_sample_2200.tsv", 2200, |row| {
        let [moves, recorded, _, black, white, pass_count, ..] = *row else {
            panic!("too few columns: {row:?}");
        };
        let game = replay(moves, moves);
        let counted = game.score();
        let context = format!("{moves}\n{}", game.position());
        assert_eq!(counted.black.to_string(), black, "{context}");
        assert_eq!(counted.white.to_string(), white, "{context}");
        assert_eq!(passes(&game).len().to_string(), pass_count, "{context}");
        let split = reversi_engine::Score::of(game.position(), Scoring::EmptiesToMajorityTiesSplit);
        let totals = split.scored.expect("the game is over");
        assert_eq!(totals.black.to_string(), recorded, "{context}");
    });
}
