//! The stored form of what most games have not, and its size.

use super::*;

fn durations() -> impl Strategy<Value = Duration> {
    (0_u64..1 << 35).prop_map(Duration::from_millis)
}

fn clocks() -> impl Strategy<Value = ClockRules> {
    let time = prop_oneof![
        durations().prop_map(TimeControl::PerMove),
        (durations(), durations())
            .prop_map(|(initial, increment)| TimeControl::Total { initial, increment }),
    ];
    let on_expiry = prop_oneof![
        Just(OnExpiry::Lose),
        Just(OnExpiry::EngineMovesOnce),
        Just(OnExpiry::EngineTakesSeat),
    ];
    (time, on_expiry).prop_map(|(time, on_expiry)| ClockRules { time, on_expiry })
}

fn levels() -> impl Strategy<Value = Level> {
    (1_u32..=10).prop_map(|level| Level::new(level).unwrap())
}

fn occupants() -> impl Strategy<Value = Occupant> {
    prop_oneof![
        Just(Occupant::Person),
        levels().prop_map(Occupant::Engine),
        levels().prop_map(Occupant::Substitute),
        Just(Occupant::Open),
    ]
}

fn policies() -> impl Strategy<Value = ColorPolicy> {
    prop_oneof![
        Just(ColorPolicy::AsGiven),
        Just(ColorPolicy::FirstToSitIsBlack),
        Just(ColorPolicy::DrawLots(Color::Black)),
        Just(ColorPolicy::DrawLots(Color::White)),
    ]
}

fn series() -> impl Strategy<Value = Series> {
    (any::<u128>(), any::<u32>(), any::<u32>(), any::<bool>()).prop_map(|(id, a, b, swapped)| {
        Series {
            first: GameId::from_bits(id),
            games_before: a,
            black_halves: b,
            white_halves: a,
            colors: if swapped {
                SeriesColors::Swapped
            } else {
                SeriesColors::Kept
            },
        }
    })
}

/// A game with any settings, after any events that happen in such a game.
fn games() -> impl Strategy<Value = Session> {
    let settings = (
        rule_sets(),
        (occupants(), occupants()),
        policies(),
        proptest::option::of(clocks()),
        levels(),
        proptest::option::of(durations()),
        proptest::option::of(series()),
        proptest::collection::vec("[a-z]{1,9}", 0..4),
    );
    let events = proptest::collection::vec((0_u8..16, any::<usize>(), 0_u64..3_000_000), 0..60);
    (settings, events).prop_map(|(settings, events)| {
        let (rules, (black, white), policy, clock, level, presence, series, labels) = settings;
        let mut record = GameRecord::new(rules, now(0), Duration::from_secs(3600));
        record.seats.black.occupant = black;
        record.seats.white.occupant = white;
        record.color_policy = policy;
        record.clock = clock;
        record.substitute = level;
        record.presence = presence;
        record.series = series;
        record.external_id = labels.concat();
        record.labels = labels;
        if level == Level::LOWEST {
            record.seat_tokens = SeatTokens::Required;
        }
        let mut game = Session::create(record, &[], 0).unwrap();
        let mut at = 0;
        for (kind, choice, passed) in events {
            at += passed;
            happen(&mut game, kind, choice, now(at));
        }
        game
    })
}

fn happen(game: &mut Session, kind: u8, choice: usize, at: Timestamp) {
    let side = if choice.is_multiple_of(2) {
        Color::Black
    } else {
        Color::White
    };
    let mv = legal(game, choice).unwrap_or(Move::Pass);
    let action = match kind {
        0 => Action::TakeBack { side, ply: None },
        1 => Action::AnswerTakeBack {
            side,
            answer: Answer::Accept,
        },
        2 => Action::AnswerTakeBack {
            side,
            answer: Answer::Decline,
        },
        3 => Action::Leave { side, level: None },
        4 => Action::LeaveAbsent { side },
        5 => Action::Return { side },
        6 | 7 => Action::ClaimSeat {
            side: None,
            player_id: choice.to_string(),
            display_name: "é".to_owned(),
        },
        8 => Action::Display(LegalMovesDisplay::Hidden),
        9 if choice.is_multiple_of(8) => Action::Resign { side },
        9 => Action::Rematch {
            next: GameId::from_bits(choice as u128),
            colors: RematchColors::Keep,
        },
        _ if game.engine_to_move().is_some() => Action::PlayForEngine(mv),
        _ => Action::Play {
            side: game.game().position().side_to_move(),
            mv,
        },
    };
    game.settle(at);
    // What cannot happen now does not.
    let _ = game.write(&action, &anywhere(&choice.to_string()), at);
}

proptest! {
    #[test]
    fn any_game_survives_its_stored_form(game in games()) {
        let record = GameRecord::decode(&game.record().encode()).unwrap();
        prop_assert_eq!(&record, game.record());
        let restored = Session::restore(record).unwrap();
        prop_assert_eq!(restored.game(), game.game());
        prop_assert_eq!(restored.seats(), game.seats());
        prop_assert_eq!(restored.phase(), game.phase());
        prop_assert_eq!(restored.clock(), game.clock());
        prop_assert_eq!(restored.due(), game.due());
        prop_assert_eq!(restored.take_back_proposal(), game.take_back_proposal());
        prop_assert_eq!(restored.successor(), game.successor());
    }

    #[test]
    fn damage_of_any_game_is_noticed(game in games(), place in any::<prop::sample::Index>(), bit in 0_u32..8) {
        let mut value = game.record().encode();
        let place = place.index(value.len());
        value[place] ^= 1_u8 << bit;
        prop_assert!(GameRecord::decode(&value).is_err());
    }

    #[test]
    fn something_is_due_only_in_a_game_that_is_played(game in games()) {
        if game.phase() != Phase::Playing {
            prop_assert_eq!(game.due(), None);
            prop_assert_eq!(game.engine_to_move(), None);
        }
        let running = game.clock().and_then(|clock| clock.running);
        prop_assert!(running.is_none() || game.engine_to_move().is_none());
        prop_assert!(game.due().is_none_or(|due| due <= game.expires()));
    }
}

/// Two persons with ids of eight bytes, 30 plies, three remembered writes.
#[test]
fn a_usual_game_is_small() {
    let mut record = GameRecord::new(RuleSet::default(), now(0), Duration::from_secs(604_800));
    record.seats.black.player_id = "12345678".to_owned();
    record.seats.white.player_id = "87654321".to_owned();
    let mut game = Session::create(record, &[], 0).unwrap();
    for ply in 0..30 {
        let id = if ply < 27 {
            String::new()
        } else {
            ply.to_string()
        };
        play(&mut game, ply, &id).unwrap();
    }
    let bytes = game.record().encode().len();
    assert!(bytes <= 116, "{bytes} bytes");
}

/// A value of this form with everything that a game can have.
#[test]
fn format_2_is_read_with_all_its_parts() {
    let mut record = GameRecord::new(RuleSet::default(), now(0), Duration::from_secs(3600));
    record.seats.white.occupant = Occupant::Open;
    record.color_policy = ColorPolicy::DrawLots(Color::White);
    record.clock = Some(ClockRules {
        time: TimeControl::Total {
            initial: Duration::from_secs(300),
            increment: Duration::from_secs(3),
        },
        on_expiry: OnExpiry::EngineTakesSeat,
    });
    record.substitute = Level::LOWEST;
    record.seat_tokens = SeatTokens::Required;
    record.presence = Some(Duration::from_secs(30));
    record.series = Some(Series {
        first: GameId::from_bits(99),
        games_before: 2,
        black_halves: 1,
        white_halves: 3,
        colors: SeriesColors::Swapped,
    });
    record.labels = vec!["cup".to_owned()];
    record.external_id = "m1".to_owned();
    let moves: Vec<Move> = ["f5", "d6"].map(|mv| mv.parse().unwrap()).to_vec();
    let mut game = Session::create(record, &moves, 2).unwrap();
    let outage = Outage {
        from: now(2_000),
        until: now(3_500),
    };
    game.set_outages(Outages::new(vec![outage]));
    for (kind, choice) in [
        (6, 1),
        (10, 0),
        (3, 3),
        (5, 5),
        (10, 2),
        (8, 4),
        (9, 8),
        (9, 7),
    ] {
        let at = u64::from(game.event_number().0) * 1_000;
        happen(&mut game, kind, choice, now(at));
    }
    assert_eq!(game.event_number(), EventNumber(8));
    let value: String = game
        .record()
        .encode()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(value, FORMAT_2_ALL);
}

const FORMAT_2_ALL: &str = "020800000080d095ffbc31d836901c400000000000ff0300200312e0a712b81701b0ea01630000000000000000\
    000000000501030103637570026d310208199b8fcaa7a434c46bac078cb16a28d29ebca7ffaf0617ee9c6c614a\
    2b8cbba0057e2143570d719cfe3a7904a1f04ee93750b8738fe803095bdde09644e32212920253ba99c410c055\
    5060330184637ba2b72e9a4d86f3000002252b4d013102c3a90012d00f4f01d00f53d10fe8071dd10ff40355d0\
    0f43d00f5607000000000000000000000000d00ffc961025";
