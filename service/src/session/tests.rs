//! Laws of sessions and of their stored form.

mod clocks;
mod seats;
mod stored;

use std::time::Duration;

use proptest::prelude::*;
use reversi_engine::{
    Bitboard, Color, Level, Move, Objective, PassMode, RuleSet, Scoring, Setup, Square, Start, Turn,
};

use super::*;

fn now(millis: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + millis)
}

fn session(rules: RuleSet) -> Session {
    Session::create(
        GameRecord::new(rules, now(0), Duration::from_secs(3600)),
        &[],
        0,
    )
    .unwrap()
}

fn anywhere(id: &str) -> Request {
    Request {
        id: RequestId::new(id),
        expected: Expected::Anywhere,
    }
}

/// Proposes to take back and accepts, where that can be done.
fn take_back(session: &mut Session, side: Color, id: &str) -> Option<Written> {
    let action = Action::TakeBack { side, ply: None };
    session.write(&action, &anywhere(""), now(2)).ok()?;
    let accepted = Action::AnswerTakeBack {
        side: side.opposite(),
        answer: Answer::Accept,
    };
    Some(session.write(&accepted, &anywhere(id), now(2)).unwrap())
}

/// The `choice`-th legal move, counted round.
fn legal(session: &Session, choice: usize) -> Option<Move> {
    match session.game().turn() {
        Turn::Over(_) => None,
        Turn::Pass => Some(Move::Pass),
        Turn::Move => {
            let squares: Vec<Square> = session.game().legal_moves().iter().collect();
            Some(squares[choice % squares.len()].into())
        }
    }
}

fn play(session: &mut Session, choice: usize, id: &str) -> Option<Written> {
    let action = Action::Play {
        side: session.game().position().side_to_move(),
        mv: legal(session, choice)?,
    };
    Some(session.write(&action, &anywhere(id), now(1)).unwrap())
}

fn rule_sets() -> impl Strategy<Value = RuleSet> {
    let custom = Setup {
        black: Bitboard(0x0000_0008_1000_0000),
        white: Bitboard(0x0000_0010_0800_0000),
        side_to_move: Color::White,
    };
    (
        prop_oneof![Just(Objective::MostDiscs), Just(Objective::FewestDiscs)],
        prop_oneof![
            Just(Start::Standard),
            Just(Start::Mirrored),
            Just(Start::ParallelWhiteAbove),
            Just(Start::ParallelBlackAbove),
            Just(Start::Free),
            Just(Start::Custom(custom)),
        ],
        prop_oneof![
            Just(Scoring::Discs),
            Just(Scoring::EmptiesToMajority),
            Just(Scoring::EmptiesToMajorityTiesSplit),
        ],
        prop_oneof![Just(PassMode::Automatic), Just(PassMode::Explicit)],
    )
        .prop_map(|(objective, start, scoring, pass_mode)| RuleSet {
            objective,
            start,
            scoring,
            pass_mode,
        })
}

/// A session after random moves, take-backs and perhaps a resignation or deletion.
fn sessions() -> impl Strategy<Value = Session> {
    let choices = prop::collection::vec((0_usize..40, 0_u8..12), 0..90);
    (rule_sets(), choices, 0_u8..6, any::<bool>()).prop_map(|(rules, choices, end, hidden)| {
        let mut record = GameRecord::new(rules, now(0), Duration::from_secs(3600));
        record.seats.black.display_name = "Ada".to_owned();
        record.seats.white.player_id = "42".to_owned();
        if hidden {
            record.legal_moves = LegalMovesDisplay::Hidden;
            record.creation = Some(record.creation_fingerprint());
        }
        let mut session = Session::create(record, &[], 0).unwrap();
        for (number, (choice, kind)) in choices.into_iter().enumerate() {
            let id = if kind % 2 == 0 {
                number.to_string()
            } else {
                String::new()
            };
            if kind == 0 {
                let side = if choice % 2 == 0 {
                    Color::Black
                } else {
                    Color::White
                };
                take_back(&mut session, side, &id);
            } else {
                play(&mut session, choice, &id);
            }
        }
        if end == 0 {
            let action = Action::Resign { side: Color::Black };
            let _ = session.write(&action, &anywhere("resign"), now(3));
        }
        if end <= 1 {
            session
                .write(&Action::Delete, &anywhere(""), now(4))
                .unwrap();
        }
        session
    })
}

proptest! {
    #[test]
    fn stored_form_survives(session in sessions()) {
        let record = GameRecord::decode(&session.record().encode()).unwrap();
        prop_assert_eq!(&record, session.record());
        let restored = Session::restore(record).unwrap();
        prop_assert_eq!(restored.game(), session.game());
        prop_assert_eq!(restored.outcome(), session.outcome());
        prop_assert_eq!(restored.is_deleted(), session.is_deleted());
    }

    #[test]
    fn stored_form_begins_with_the_head_of_its_last_event(session in sessions()) {
        let value = session.record().encode();
        prop_assert_eq!(&value[..HEAD_BYTES], head(session.event_number()));
    }

    #[test]
    fn damage_is_noticed(session in sessions(), place in any::<prop::sample::Index>(), bit in 0_u32..8) {
        let mut value = session.record().encode();
        let place = place.index(value.len());
        value[place] ^= 1_u8 << bit;
        prop_assert!(GameRecord::decode(&value).is_err());
        value.truncate(place);
        prop_assert!(GameRecord::decode(&value).is_err());
    }

    #[test]
    fn bytes_with_a_right_checksum_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        bytes.insert(0, 2);
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        if let Ok(record) = GameRecord::decode(&bytes) {
            let _ = Session::restore(record);
        }
    }

    #[test]
    fn replay_from_any_event_leads_to_the_same_game(session in sessions(), from in any::<prop::sample::Index>()) {
        let events = session.event_number().0;
        let from = u32::try_from(from.index(usize::try_from(events).unwrap() + 1)).unwrap();
        let mut replay = session.replay_after(EventNumber(from)).unwrap();
        let mut number = from;
        while replay.next().is_some() {
            number += 1;
            prop_assert_eq!(replay.session().event_number(), EventNumber(number));
        }
        prop_assert_eq!(number, events);
        prop_assert_eq!(replay.session().game(), session.game());
        prop_assert!(session.replay_after(EventNumber(events + 1)).is_none());
    }
}

/// Values of this form are in the stores of running services.
#[test]
fn format_2_is_read() {
    let mut game = session(RuleSet::default());
    play(&mut game, 0, "first").unwrap();
    let value: String = game
        .record()
        .encode()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(value, FORMAT_2);
}

const FORMAT_2: &str =
    "020100000080d095ffbc3101901c000000000000011fa099502b382096d783000000135fc650f6";

#[test]
fn repeated_write_answers_with_the_first_result() {
    let mut game = session(RuleSet::default());
    let first = play(&mut game, 0, "a").unwrap();
    let Change::Moves { moves, .. } = &first.change else {
        panic!("{:?}", first.change);
    };
    let action = Action::Play {
        side: Color::Black,
        mv: moves[0].mv,
    };
    play(&mut game, 1, "b").unwrap();
    let before = game.record().clone();
    let again = game.write(&action, &anywhere("a"), now(5)).unwrap();
    assert!(again.replayed);
    assert_eq!((again.event, again.change), (first.event, first.change));
    assert_eq!(*game.record(), before);
}

#[test]
fn request_id_of_another_write_is_refused() {
    let mut game = session(RuleSet::default());
    play(&mut game, 0, "a").unwrap();
    let action = Action::Resign { side: Color::White };
    let refused = game.write(&action, &anywhere("a"), now(5));
    assert_eq!(refused, Err(WriteError::RequestIdReused));
}

#[test]
fn the_last_eight_request_ids_are_remembered() {
    let mut game = session(RuleSet::default());
    let actions: Vec<Action> = (0..=WriteLog::CAPACITY)
        .map(|number| {
            let action = Action::Play {
                side: game.game().position().side_to_move(),
                mv: legal(&game, 0).unwrap(),
            };
            let request = anywhere(&number.to_string());
            game.write(&action, &request, now(1)).unwrap();
            action
        })
        .collect();
    assert!(
        game.write(&actions[1], &anywhere("1"), now(2))
            .unwrap()
            .replayed
    );
    assert!(game.write(&actions[0], &anywhere("0"), now(2)).is_err());
}

#[test]
fn endless_play_and_take_back_stays_small() {
    let mut game = session(RuleSet::default());
    for round in 0..5_000 {
        play(&mut game, round, "").unwrap();
        take_back(&mut game, Color::Black, "").unwrap();
    }
    assert_eq!(game.event_number(), EventNumber(15_000));
    assert!(game.record().encode().len() < 1_200);
    let record = GameRecord::decode(&game.record().encode()).unwrap();
    assert_eq!(Session::restore(record).unwrap().game().ply(), 0);
    assert!(game.replay_after(EventNumber(1)).is_none());
    assert!(game.replay_after(EventNumber(14_900)).is_some());
}

#[test]
fn folded_write_is_forgotten_rather_than_half_remembered() {
    let mut game = session(RuleSet::default());
    let first = Action::Play {
        side: Color::Black,
        mv: legal(&game, 0).unwrap(),
    };
    game.write(&first, &anywhere("early"), now(1)).unwrap();
    for _ in 0..1_000 {
        take_back(&mut game, Color::Black, "").unwrap();
        game.write(&first, &anywhere(""), now(2)).unwrap();
    }
    let again = game.write(&first, &anywhere("early"), now(3));
    assert!(
        matches!(again, Err(WriteError::NotYourTurn { .. })),
        "{again:?}"
    );
}

#[test]
fn checks_come_in_order() {
    let mut game = session(RuleSet::default());
    let stale = Request {
        id: RequestId::new("b"),
        expected: Expected::Ply(7),
    };
    let wrong_turn = Action::Play {
        side: Color::White,
        mv: Move::Place(Square::A1),
    };
    let illegal = Action::Play {
        side: Color::Black,
        mv: Move::Place(Square::A1),
    };
    let is_stale = |result| matches!(result, Err(WriteError::Stale { .. }));
    assert!(is_stale(game.write(&wrong_turn, &stale, now(1))));
    let refused = game.write(&wrong_turn, &anywhere("b"), now(1));
    assert!(matches!(refused, Err(WriteError::NotYourTurn { .. })));
    let refused = game.write(&illegal, &anywhere("b"), now(1));
    assert!(matches!(refused, Err(WriteError::Illegal(_))));
    let resign = Action::Resign { side: Color::White };
    game.write(&resign, &anywhere("c"), now(1)).unwrap();
    assert!(is_stale(game.write(&wrong_turn, &stale, now(1))));
    let refused = game.write(&wrong_turn, &anywhere("b"), now(1));
    assert_eq!(refused, Err(WriteError::GameOver));
    assert!(
        game.write(&resign, &anywhere("c"), now(1))
            .unwrap()
            .replayed
    );
}

#[test]
fn refused_write_changes_nothing() {
    let mut game = session(RuleSet::default());
    play(&mut game, 0, "a").unwrap();
    let before = game.record().clone();
    for (action, expected) in [
        (Action::Resign { side: Color::Black }, Expected::Ply(0)),
        (
            Action::Resign { side: Color::Black },
            Expected::Etag("x".to_owned()),
        ),
        (
            Action::TakeBack {
                side: Color::White,
                ply: None,
            },
            Expected::Anywhere,
        ),
        (
            Action::Play {
                side: Color::White,
                mv: Move::Pass,
            },
            Expected::Anywhere,
        ),
    ] {
        let id = RequestId::new("z");
        assert!(
            game.write(&action, &Request { id, expected }, now(9))
                .is_err()
        );
        assert_eq!(*game.record(), before);
    }
}

#[test]
fn take_back_drops_the_replies_and_the_passes_too() {
    // Black's eighth move leaves White without a move; Black moves again.
    let mut game = session(RuleSet::default());
    for square in "f5f6d3g5h5h4g7h6".as_bytes().chunks(2) {
        let mv = std::str::from_utf8(square).unwrap().parse().unwrap();
        let side = game.game().position().side_to_move();
        game.write(&Action::Play { side, mv }, &anywhere(""), now(1))
            .unwrap();
    }
    assert_eq!(game.game().ply(), 9, "a pass was entered");
    let side = game.game().history()[7].side;
    let written = take_back(&mut game, side, "").unwrap();
    assert_eq!(written.change, Change::TakenBack { side, ply: 7 });
    assert_eq!(game.game().ply(), 7);
}

#[test]
fn resignation_is_won_by_the_other_side() {
    let mut game = session(RuleSet::default());
    let action = Action::Resign { side: Color::Black };
    game.write(&action, &anywhere(""), now(1)).unwrap();
    assert_eq!(
        game.outcome(),
        Some(Outcome {
            winner: Some(Color::White),
            reason: OutcomeReason::Resignation,
        })
    );
}
