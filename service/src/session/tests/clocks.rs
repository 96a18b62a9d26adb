//! Clocks: whose time runs, how long, and what happens at its end.

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn timed(time: TimeControl, on_expiry: OnExpiry) -> Session {
    let mut record = GameRecord::new(RuleSet::default(), now(0), Duration::from_secs(3600));
    record.clock = Some(ClockRules { time, on_expiry });
    Session::create(record, &[], 0).unwrap()
}

fn per_move(seconds: u64, on_expiry: OnExpiry) -> Session {
    timed(
        TimeControl::PerMove(SECOND * u32::try_from(seconds).unwrap()),
        on_expiry,
    )
}

fn total(initial: u64, increment: u64) -> Session {
    let time = TimeControl::Total {
        initial: Duration::from_secs(initial),
        increment: Duration::from_secs(increment),
    };
    timed(time, OnExpiry::Lose)
}

/// Plays the first legal move of the side to move, so many seconds after the game was created.
fn play_at(session: &mut Session, seconds: u64) -> Result<Written, WriteError> {
    let action = Action::Play {
        side: session.game().position().side_to_move(),
        mv: legal(session, 0).unwrap(),
    };
    let time = now(seconds * 1000);
    session.settle(time);
    session.write(&action, &anywhere(""), time)
}

/// What Black and White had left, in seconds, and whose time runs until when.
fn face(session: &Session) -> (u64, u64, Option<(Color, u64)>) {
    let face = session.clock().unwrap();
    let deadline = face.deadline.map(|at| at.since(now(0)).as_secs());
    (
        face.black.as_secs(),
        face.white.as_secs(),
        face.running.zip(deadline),
    )
}

#[test]
fn a_game_without_a_clock_shows_none() {
    let game = session(RuleSet::default());
    assert_eq!(game.clock(), None);
    assert_eq!(game.due(), None);
}

#[test]
fn every_move_has_its_own_time() {
    let mut game = per_move(30, OnExpiry::Lose);
    assert_eq!(face(&game), (30, 30, Some((Color::Black, 30))));
    assert_eq!(game.due(), Some(now(30_000)));
    play_at(&mut game, 20).unwrap();
    assert_eq!(face(&game), (30, 30, Some((Color::White, 50))));
    play_at(&mut game, 49).unwrap();
    assert_eq!(face(&game), (30, 30, Some((Color::Black, 79))));
}

#[test]
fn total_time_is_used_up_and_earned_by_moves() {
    let mut game = total(60, 5);
    play_at(&mut game, 20).unwrap();
    assert_eq!(face(&game), (45, 60, Some((Color::White, 80))));
    play_at(&mut game, 21).unwrap();
    assert_eq!(face(&game), (45, 64, Some((Color::Black, 66))));
}

#[test]
fn a_side_whose_time_is_over_has_lost() {
    let mut game = per_move(30, OnExpiry::Lose);
    assert!(!game.is_overdue(now(29_999)));
    assert!(game.is_overdue(now(30_000)));
    let late = play_at(&mut game, 30);
    assert_eq!(late, Err(WriteError::TimeExpired { side: Color::Black }));
    let lost = Outcome {
        winner: Some(Color::White),
        reason: OutcomeReason::Timeout,
    };
    assert_eq!(game.outcome(), Some(lost));
    assert_eq!(game.due(), None);
    assert_eq!(face(&game), (0, 30, None));
    // The same again, and whoever comes later.
    let late = play_at(&mut game, 31);
    assert_eq!(late, Err(WriteError::TimeExpired { side: Color::Black }));
    let other = Action::Play {
        side: Color::White,
        mv: Move::Pass,
    };
    let other = game.write(&other, &anywhere(""), now(32_000));
    assert_eq!(other, Err(WriteError::GameOver));
}

#[test]
fn a_late_move_is_told_so_although_the_etag_has_changed() {
    let mut game = per_move(30, OnExpiry::Lose);
    assert!(game.settle(now(30_000)));
    let late = Action::Play {
        side: Color::Black,
        mv: Move::Place(Square::F5),
    };
    let request = Request {
        id: RequestId::new("late"),
        expected: Expected::Etag("0".to_owned()),
    };
    let refused = game.write(&late, &request, now(31_000));
    assert_eq!(refused, Err(WriteError::TimeExpired { side: Color::Black }));
}

#[test]
fn a_move_that_was_made_in_time_is_repeated_after_the_end() {
    let mut game = per_move(30, OnExpiry::Lose);
    let action = Action::Play {
        side: Color::Black,
        mv: Move::Place(Square::F5),
    };
    game.write(&action, &anywhere("a"), now(1_000)).unwrap();
    assert!(game.settle(now(40_000)));
    let again = game.recall(&action, &anywhere("a")).unwrap().unwrap();
    assert!(again.replayed);
    assert_eq!(again.event, EventNumber(1));
}

#[test]
fn the_engine_moves_once_and_the_game_goes_on() {
    let mut game = per_move(30, OnExpiry::EngineMovesOnce);
    let late = play_at(&mut game, 30);
    assert_eq!(late, Err(WriteError::TimeExpired { side: Color::Black }));
    assert_eq!(game.engine_to_move().unwrap().number(), 5);
    assert_eq!(game.due(), Some(now(30_000)));
    assert_eq!(face(&game).2, None, "nobody's time runs");
    let action = Action::PlayForEngine(legal(&game, 1).unwrap());
    game.write(&action, &anywhere(""), now(31_000)).unwrap();
    assert_eq!(game.engine_to_move(), None);
    assert_eq!(face(&game), (30, 30, Some((Color::White, 61))));
    assert_eq!(game.seats().black.occupant, Occupant::Person);
    let again = game.write(&action, &anywhere(""), now(31_000));
    assert!(matches!(
        again,
        Err(WriteError::Seat(SeatError::Persons { .. }))
    ));
}

#[test]
fn the_engine_takes_the_seat_until_the_person_is_back() {
    let mut game = per_move(30, OnExpiry::EngineTakesSeat);
    assert!(game.settle(now(30_000)));
    let level = game.engine_to_move().unwrap();
    assert_eq!(game.seats().black.occupant, Occupant::Substitute(level));
    let back = Action::Return { side: Color::Black };
    let early = game.write(&back, &anywhere(""), now(30_500));
    assert_eq!(early, Err(WriteError::TimeExpired { side: Color::Black }));
    let action = Action::PlayForEngine(legal(&game, 1).unwrap());
    game.write(&action, &anywhere(""), now(31_000)).unwrap();
    game.write(&back, &anywhere(""), now(32_000)).unwrap();
    assert_eq!(game.seats().black.occupant, Occupant::Person);
    assert_eq!(face(&game).2, Some((Color::White, 61)));
}

#[test]
fn who_has_no_time_left_in_total_cannot_come_back() {
    let time = TimeControl::Total {
        initial: SECOND,
        increment: SECOND,
    };
    let mut game = timed(time, OnExpiry::EngineTakesSeat);
    assert!(game.settle(now(1_000)));
    let action = Action::PlayForEngine(legal(&game, 1).unwrap());
    game.write(&action, &anywhere(""), now(1_100)).unwrap();
    let back = Action::Return { side: Color::Black };
    let refused = game.write(&back, &anywhere(""), now(1_200));
    assert_eq!(refused, Err(WriteError::TimeExpired { side: Color::Black }));
}

#[test]
fn engine_seats_never_run_out_of_time() {
    let mut record = GameRecord::new(RuleSet::default(), now(0), Duration::from_secs(3600));
    record.clock = Some(ClockRules {
        time: TimeControl::PerMove(SECOND),
        on_expiry: OnExpiry::Lose,
    });
    record.seats.black.occupant = Occupant::Engine(Level::HIGHEST);
    let mut game = Session::create(record, &[], 0).unwrap();
    assert!(!game.settle(now(1_000_000)));
    assert_eq!(face(&game), (1, 1, None));
    let action = Action::PlayForEngine(legal(&game, 0).unwrap());
    game.write(&action, &anywhere(""), now(1_000_000)).unwrap();
    assert_eq!(face(&game).2, Some((Color::White, 1_001)));
}

#[test]
fn no_clock_runs_while_a_seat_is_open() {
    let mut record = GameRecord::new(RuleSet::default(), now(0), Duration::from_secs(3600));
    record.clock = Some(ClockRules {
        time: TimeControl::PerMove(SECOND),
        on_expiry: OnExpiry::Lose,
    });
    record.seats.white.occupant = Occupant::Open;
    let mut game = Session::create(record, &[], 0).unwrap();
    assert_eq!(game.phase(), Phase::Waiting);
    assert_eq!(game.due(), None);
    let claim = Action::ClaimSeat {
        side: None,
        player_id: String::new(),
        display_name: "Eve".to_owned(),
    };
    game.write(&claim, &anywhere(""), now(90_000)).unwrap();
    assert_eq!(face(&game), (1, 1, Some((Color::Black, 91))));
}

#[test]
fn a_forced_pass_that_is_entered_takes_no_time_and_one_that_is_sent_does() {
    for (pass_mode, deadline) in [(PassMode::Automatic, 72), (PassMode::Explicit, 72)] {
        let rules = RuleSet {
            pass_mode,
            ..RuleSet::default()
        };
        let mut record = GameRecord::new(rules, now(0), Duration::from_secs(3600));
        record.clock = Some(ClockRules {
            time: TimeControl::Total {
                initial: SECOND * 60,
                increment: SECOND,
            },
            on_expiry: OnExpiry::Lose,
        });
        let mut game = Session::create(record, &[], 0).unwrap();
        for square in "f5d6c4g5d7c7h5d8b8b7b6a7".as_bytes().chunks(2) {
            let mv = std::str::from_utf8(square).unwrap().parse().unwrap();
            let side = game.game().position().side_to_move();
            let action = Action::Play { side, mv };
            game.write(&action, &anywhere(""), now(6_000)).unwrap();
        }
        // Each has earned six seconds; Black's first move took six.
        let (black, white, running) = face(&game);
        assert_eq!((black, white), (60, 66), "{pass_mode:?}");
        let runs = match pass_mode {
            PassMode::Automatic => Color::White,
            PassMode::Explicit => Color::Black,
        };
        let at = if runs == Color::White { deadline } else { 66 };
        assert_eq!(running, Some((runs, at)), "{pass_mode:?}");
    }
}

#[test]
fn proposals_and_taking_back_give_no_time_back() {
    let mut game = total(60, 0);
    play_at(&mut game, 10).unwrap();
    play_at(&mut game, 15).unwrap();
    let propose = Action::TakeBack {
        side: Color::Black,
        ply: None,
    };
    game.write(&propose, &anywhere(""), now(20_000)).unwrap();
    assert_eq!(face(&game), (45, 55, Some((Color::Black, 65))));
    let accept = Action::AnswerTakeBack {
        side: Color::White,
        answer: Answer::Accept,
    };
    game.write(&accept, &anywhere(""), now(30_000)).unwrap();
    assert_eq!(game.game().ply(), 0);
    assert_eq!(face(&game), (35, 55, Some((Color::Black, 65))));
}

#[test]
fn time_in_which_nobody_could_move_counts_for_nobody() {
    let outage = Outages::new(vec![Outage {
        from: now(10_000),
        until: now(110_000),
    }]);
    let mut game = total(60, 0).with_outages(outage.clone());
    assert_eq!(face(&game).2, Some((Color::Black, 160)));
    assert!(!game.settle(now(159_999)));
    play_at(&mut game, 120).unwrap();
    assert_eq!(face(&game), (40, 60, Some((Color::White, 180))));
    // What was used is stored: it does not need the outages any more.
    let record = GameRecord::decode(&game.record().encode()).unwrap();
    let restored = Session::restore(record).unwrap();
    assert_eq!(restored.clock(), game.clock());
}

#[test]
fn a_game_lives_until_its_clock_has_run_out() {
    let year = Duration::from_secs(366 * 24 * 3600);
    let game = timed(TimeControl::PerMove(year), OnExpiry::Lose);
    let deadline = now(0) + year;
    assert_eq!(game.due(), Some(deadline));
    assert_eq!(game.expires(), deadline + Duration::from_secs(3600));
}

#[test]
fn every_event_can_be_replayed_with_what_the_clock_showed() {
    let mut game = total(60, 3);
    let mut shown = vec![game.clock()];
    for seconds in [4, 9, 9, 30, 31] {
        play_at(&mut game, seconds).unwrap();
        shown.push(game.clock());
    }
    let mut replay = game.replay_after(EventNumber(0)).unwrap();
    assert_eq!(replay.session().clock(), shown[0]);
    for shown in &shown[1..] {
        replay.next().unwrap();
        assert_eq!(replay.session().clock(), *shown);
    }
}

#[test]
fn what_is_folded_away_leaves_its_time() {
    let mut game = total(100_000, 1);
    let mut control = game.clone();
    for round in 0..1_200 {
        let seconds = 2 * round;
        play_at(&mut game, seconds).unwrap();
        take_back_at(&mut game, seconds + 1);
        control = Session::restore(GameRecord::decode(&game.record().encode()).unwrap()).unwrap();
    }
    assert!(game.replay_after(EventNumber(1)).is_none(), "it is folded");
    assert_eq!(control.clock(), game.clock());
    let face = game.clock().unwrap();
    let used = Duration::from_secs(100_000 + 1_200) - face.black;
    assert_eq!(used, Duration::from_secs(1_199), "{face:?}");
}

fn take_back_at(game: &mut Session, seconds: u64) {
    let propose = Action::TakeBack {
        side: Color::Black,
        ply: None,
    };
    let accept = Action::AnswerTakeBack {
        side: Color::White,
        answer: Answer::Accept,
    };
    for action in [propose, accept] {
        game.write(&action, &anywhere(""), now(seconds * 1000))
            .unwrap();
    }
}
