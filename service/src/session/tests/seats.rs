//! Seats: who may move, who leaves, who comes; taking back; games that follow.

use std::borrow::Borrow;

use super::*;

const BLACK: Color = Color::Black;
const WHITE: Color = Color::White;

fn with_seats(black: Occupant, white: Occupant) -> Session {
    let mut record = GameRecord::new(RuleSet::default(), now(0), Duration::from_secs(3600));
    record.seats.black.occupant = black;
    record.seats.white.occupant = white;
    Session::create(record, &[], 0).unwrap()
}

fn engine(level: u32) -> Occupant {
    Occupant::Engine(Level::new(level).unwrap())
}

fn write(session: &mut Session, action: impl Borrow<Action>) -> Result<Written, WriteError> {
    session.write(action.borrow(), &anywhere(""), now(5))
}

fn claim(session: &mut Session, side: Option<Color>) -> Result<Color, WriteError> {
    let action = Action::ClaimSeat {
        side,
        player_id: "7".to_owned(),
        display_name: "Eve".to_owned(),
    };
    let change = write(session, action)?.change;
    let Change::SeatClaimed { side } = change else {
        panic!("{change:?}");
    };
    Ok(side)
}

fn engine_plays(session: &mut Session) {
    let mv = legal(session, 0).unwrap();
    write(session, Action::PlayForEngine(mv)).unwrap();
}

fn propose(side: Color, ply: Option<u32>) -> Action {
    Action::TakeBack { side, ply }
}

#[test]
fn a_game_waits_until_its_seats_are_taken() {
    let mut game = with_seats(Occupant::Open, Occupant::Open);
    assert_eq!(game.phase(), Phase::Waiting);
    let mv = Move::Place(Square::F5);
    let early = write(&mut game, Action::Play { side: BLACK, mv });
    assert_eq!(early, Err(WriteError::Waiting));
    assert_eq!(claim(&mut game, Some(WHITE)), Ok(WHITE));
    assert_eq!(game.seats().white.display_name, "Eve");
    let taken = claim(&mut game, Some(WHITE));
    assert_eq!(taken, Err(SeatError::NotOpen.into()));
    assert_eq!(game.phase(), Phase::Waiting);
    assert_eq!(claim(&mut game, None), Ok(BLACK));
    assert_eq!(game.phase(), Phase::Playing);
    assert_eq!(claim(&mut game, None), Err(SeatError::NotOpen.into()));
    write(&mut game, Action::Play { side: BLACK, mv }).unwrap();
}

#[test]
fn the_first_to_sit_gets_the_colour_of_the_policy() {
    for (policy, first) in [
        (ColorPolicy::FirstToSitIsBlack, BLACK),
        (ColorPolicy::DrawLots(BLACK), BLACK),
        (ColorPolicy::DrawLots(WHITE), WHITE),
    ] {
        let mut record = GameRecord::new(RuleSet::default(), now(0), Duration::from_secs(3600));
        record.color_policy = policy;
        record.seats.black.occupant = Occupant::Open;
        record.seats.white.occupant = Occupant::Open;
        let mut game = Session::create(record, &[], 0).unwrap();
        assert_eq!(claim(&mut game, None), Ok(first), "{policy:?}");
        assert_eq!(claim(&mut game, None), Ok(first.opposite()), "{policy:?}");
    }
}

#[test]
fn only_the_engine_moves_its_seat() {
    let mut game = with_seats(engine(3), Occupant::Person);
    assert_eq!(game.engine_to_move().unwrap().number(), 3);
    assert_eq!(game.due(), Some(now(0)));
    let mv = legal(&game, 0).unwrap();
    let refused = write(&mut game, Action::Play { side: BLACK, mv });
    assert_eq!(refused, Err(SeatError::Engines { side: BLACK }.into()));
    engine_plays(&mut game);
    assert_eq!((game.engine_to_move(), game.due()), (None, None));
    for action in [
        Action::Resign { side: BLACK },
        Action::Leave {
            side: BLACK,
            level: None,
        },
        Action::Return { side: BLACK },
    ] {
        let refused = write(&mut game, action);
        assert_eq!(refused, Err(SeatError::Engines { side: BLACK }.into()));
    }
}

#[test]
fn a_person_leaves_and_comes_back() {
    let mut game = with_seats(Occupant::Person, Occupant::Person);
    let level = Level::new(2).ok();
    let leave = Action::Leave { side: BLACK, level };
    let left = write(&mut game, leave.clone()).unwrap();
    let handed_over = Change::SeatHandedOver {
        side: BLACK,
        level: level.unwrap(),
        cause: HandOver::Asked,
    };
    assert_eq!(left.change, handed_over);
    assert_eq!(game.engine_to_move(), level);
    let again = write(&mut game, leave);
    assert_eq!(again, Err(SeatError::Engines { side: BLACK }.into()));
    write(&mut game, Action::Return { side: BLACK }).unwrap();
    assert_eq!(game.engine_to_move(), None);
    // What the engine was about to play comes too late.
    let mv = legal(&game, 0).unwrap();
    let late = write(&mut game, Action::PlayForEngine(mv));
    assert_eq!(late, Err(SeatError::Persons { side: BLACK }.into()));
    let there = write(&mut game, Action::Return { side: BLACK });
    assert_eq!(there, Err(SeatError::Persons { side: BLACK }.into()));
}

#[test]
fn a_game_that_both_have_left_is_paused() {
    let mut game = with_seats(Occupant::Person, Occupant::Person);
    for side in [BLACK, WHITE] {
        write(&mut game, Action::LeaveAbsent { side }).unwrap();
    }
    assert_eq!(game.phase(), Phase::Paused);
    assert_eq!((game.engine_to_move(), game.due()), (None, None));
    let mv = legal(&game, 0).unwrap();
    let refused = write(&mut game, Action::PlayForEngine(mv));
    assert_eq!(refused, Err(WriteError::Paused));
    write(&mut game, Action::Return { side: WHITE }).unwrap();
    assert_eq!(game.phase(), Phase::Playing);
    assert!(game.engine_to_move().is_some());
}

#[test]
fn against_a_person_taking_back_is_a_proposal() {
    let mut game = session(RuleSet::default());
    play(&mut game, 0, "").unwrap();
    write(&mut game, propose(BLACK, None)).unwrap();
    assert_eq!(game.take_back_proposal(), Some((BLACK, 0)));
    assert_eq!(game.game().ply(), 1);
    let pending = write(&mut game, propose(BLACK, None));
    let is_pending = TakeBackError::Pending { side: BLACK };
    assert_eq!(pending, Err(is_pending.into()));
    let answer = |side, answer| Action::AnswerTakeBack { side, answer };
    let own = write(&mut game, answer(BLACK, Answer::Accept));
    assert_eq!(own, Err(TakeBackError::NotPending { side: BLACK }.into()));
    write(&mut game, answer(WHITE, Answer::Decline)).unwrap();
    assert_eq!(game.take_back_proposal(), None);
    write(&mut game, propose(BLACK, None)).unwrap();
    write(&mut game, answer(WHITE, Answer::Accept)).unwrap();
    assert_eq!((game.game().ply(), game.take_back_proposal()), (0, None));
}

#[test]
fn a_move_voids_a_proposal() {
    let mut game = session(RuleSet::default());
    play(&mut game, 0, "").unwrap();
    write(&mut game, propose(BLACK, None)).unwrap();
    play(&mut game, 0, "").unwrap();
    let answer = Action::AnswerTakeBack {
        side: WHITE,
        answer: Answer::Accept,
    };
    let late = write(&mut game, answer);
    assert_eq!(late, Err(TakeBackError::NotPending { side: WHITE }.into()));
    assert_eq!(game.game().ply(), 2);
}

#[test]
fn against_the_engine_moves_are_taken_back_at_once_to_any_turn_of_the_person() {
    let mut game = with_seats(Occupant::Person, engine(1));
    for round in 0..4 {
        play(&mut game, round, "").unwrap();
        engine_plays(&mut game);
    }
    assert_eq!(game.game().ply(), 8);
    for ply in [1, 3, 8, 9, u32::MAX] {
        let refused = write(&mut game, propose(BLACK, Some(ply)));
        let not_there = TakeBackError::NotThere { side: BLACK, ply };
        assert_eq!(refused, Err(not_there.into()));
    }
    write(&mut game, propose(BLACK, None)).unwrap();
    assert_eq!(game.game().ply(), 6);
    write(&mut game, propose(BLACK, Some(2))).unwrap();
    assert_eq!(game.game().ply(), 2);
    // While the engine is to move: what it thinks about is not played any more.
    play(&mut game, 0, "").unwrap();
    assert!(game.engine_to_move().is_some());
    write(&mut game, propose(BLACK, None)).unwrap();
    assert_eq!((game.game().ply(), game.engine_to_move()), (2, None));
}

#[test]
fn nobody_takes_the_prelude_back() {
    let record = GameRecord::new(RuleSet::default(), now(0), Duration::from_secs(3600));
    let moves: Vec<Move> = ["f5", "d6", "c3"].map(|mv| mv.parse().unwrap()).to_vec();
    let mut game = Session::create(record, &moves, 2).unwrap();
    assert_eq!((game.game().ply(), game.prelude()), (3, 2));
    let nothing = TakeBackError::Nothing { side: WHITE };
    assert_eq!(write(&mut game, propose(WHITE, None)), Err(nothing.into()));
    take_back(&mut game, BLACK, "").unwrap();
    assert_eq!(game.game().ply(), 2);
    let nothing = TakeBackError::Nothing { side: BLACK };
    assert_eq!(write(&mut game, propose(BLACK, None)), Err(nothing.into()));
}

#[test]
fn a_game_that_is_over_is_followed_by_one() {
    let mut game = session(RuleSet::default());
    let next = GameId::from_bits(9);
    let rematch = Action::Rematch {
        next,
        colors: RematchColors::Swap,
    };
    assert_eq!(write(&mut game, rematch.clone()), Err(WriteError::NotOver));
    write(&mut game, Action::Resign { side: BLACK }).unwrap();
    let written = write(&mut game, rematch.clone()).unwrap();
    assert_eq!(written.change, Change::Rematched { next });
    assert_eq!(game.successor(), Some(next));
    assert_eq!(write(&mut game, rematch), Err(WriteError::Followed(next)));
}

#[test]
fn a_series_counts_what_its_players_have_won() {
    let id = GameId::from_bits(4);
    let mut record = GameRecord::new(RuleSet::default(), now(0), Duration::from_secs(3600));
    record.seats.black.display_name = "Ada".to_owned();
    record.seats.white.occupant = Occupant::Substitute(Level::LOWEST);
    let mut game = Session::create(record, &[], 0).unwrap();
    let none = game.following(id, SeriesColors::Kept, now(7), Duration::from_secs(1));
    assert_eq!(none, None);
    write(&mut game, Action::Resign { side: WHITE }).unwrap();
    let next = game.following(id, SeriesColors::Swapped, now(7), Duration::from_secs(1));
    let next = next.unwrap();
    assert_eq!(next.seats.white.display_name, "Ada");
    assert_eq!(next.seats.black.occupant, Occupant::Person);
    let series = next.series.unwrap();
    assert_eq!((series.first, series.games_before), (id, 1));
    assert_eq!((series.black_halves, series.white_halves), (0, 2));
    let drawn = Series::next(Some(series), GameId::from_bits(5), None);
    assert_eq!((drawn.first, drawn.games_before), (id, 2));
    assert_eq!((drawn.black_halves, drawn.white_halves), (1, 3));
}

#[test]
fn legal_moves_can_be_hidden_while_the_game_runs() {
    let mut game = session(RuleSet::default());
    let hide = Action::Display(LegalMovesDisplay::Hidden);
    write(&mut game, hide.clone()).unwrap();
    assert_eq!(game.legal_moves(), LegalMovesDisplay::Hidden);
    write(&mut game, Action::Resign { side: BLACK }).unwrap();
    assert_eq!(write(&mut game, hide), Err(WriteError::GameOver));
}
