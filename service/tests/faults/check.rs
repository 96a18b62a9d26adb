//! Checks what is left of each game against what its players and its watcher were told.

use std::time::{Duration, SystemTime};

use reversi_engine::{Game as Rules, Move, RuleSet};
use reversi_proto::v1::{self, EndReason};

use crate::record::{Game, Log};

/// What an acknowledged move has to survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promise {
    /// Everything.
    Kept,
    /// All but the failover to a replica that did not have it yet.
    MayBeLost,
}

/// What became of the moves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) games: usize,
    pub(crate) acknowledged: usize,
    pub(crate) failures: usize,
    pub(crate) lost: usize,
    pub(crate) doubled: usize,
    /// The games whose time has run out.
    pub(crate) run_out: usize,
    /// The clocks that ran out too early, or that were told of not just once.
    pub(crate) wrong_clocks: usize,
    /// The longest time from a request to its answer.
    pub(crate) longest: Duration,
}

impl Tally {
    /// Adds a game, which is now as it is found; `None` if it is not there any more.
    pub(crate) fn add(&mut self, game: &Game, found: Option<&v1::Game>, promise: Promise) {
        let log = game.log();
        self.games += 1;
        let spans = log.moves.iter().map(|asked| asked.span);
        for span in spans.chain(log.reads.iter().map(|read| read.span)) {
            self.longest = self.longest.max(span.end - span.start);
        }
        let history = found.map_or(&[][..], |found| &found.history);
        for asked in &log.moves {
            self.failures += asked.failures;
            if let Some((_, moves)) = &asked.acknowledged {
                self.acknowledged += 1;
                let at = asked.ply as usize;
                let there = history.get(at..at + moves.len());
                self.lost += usize::from(there != Some(moves));
            }
        }
        let Some(found) = found else {
            assert_eq!(promise, Promise::MayBeLost, "{} is gone", game.name);
            return;
        };
        legal(found);
        let has_run_out = found
            .outcome
            .is_some_and(|end| end.reason() == EndReason::Timeout);
        self.run_out += usize::from(has_run_out);
        // Where a failover may lose that a time had run out, it runs out again.
        if promise == Promise::Kept {
            let told_once = log.run_out == usize::from(has_run_out);
            let in_time = !has_run_out || !is_too_early(&log, found);
            self.wrong_clocks += usize::from(!told_once || !in_time);
        }
        self.doubled += unasked(&log, found);
        if promise == Promise::Kept {
            in_order(&game.name, &log);
            assert_eq!(log.resets, 0, "{}: the watcher missed something", game.name);
            watched(&log, found);
        }
    }
}

/// Whether a time ran out before the end of it that a player was told.
fn is_too_early(log: &Log, found: &v1::Game) -> bool {
    let ended: SystemTime = found.update_time.expect("a time").try_into().unwrap();
    let etag: u32 = found.etag.parse().unwrap();
    let told = log.reads.iter().filter(|read| read.etag + 1 == etag);
    told.filter_map(|read| read.deadline)
        .any(|deadline| ended < deadline)
}

/// The history follows the rules.
fn legal(found: &v1::Game) {
    let mut rules = Rules::new(RuleSet::default()).unwrap();
    let mut played = found.history.iter().filter(|mv| mv.square != "pass");
    for mv in &mut played {
        let square = mv.square.parse().unwrap();
        rules
            .play(Move::Place(square))
            .unwrap_or_else(|error| panic!("{}: {error}: {:?}", found.name, found.history));
    }
    assert_eq!(rules.ply(), found.history.len(), "{}", found.name);
}

/// Moves of the history that nobody asked for at their place: each request explains one.
fn unasked(log: &Log, found: &v1::Game) -> usize {
    let mut requests: Vec<(u32, &str)> = log
        .moves
        .iter()
        .map(|asked| (asked.ply, asked.square.as_str()))
        .collect();
    let mut unasked = 0;
    for (ply, mv) in (0..).zip(&found.history) {
        if mv.square == "pass" {
            continue;
        }
        let wanted = (ply, mv.square.as_str());
        match requests.iter().position(|request| *request == wanted) {
            Some(place) => {
                requests.swap_remove(place);
            }
            None => unasked += 1,
        }
    }
    unasked
}

/// What was answered before a request was made is known to its answer, and two acknowledged
/// moves are two events.
fn in_order(name: &str, log: &Log) {
    let writes = log
        .moves
        .iter()
        .filter_map(|asked| Some((asked.span, asked.acknowledged.as_ref()?.0)));
    let writes: Vec<_> = writes.collect();
    let known_before = |start| {
        let before = writes.iter().filter(|(span, _)| span.end < start);
        before.map(|(_, etag)| *etag).max().unwrap_or(0)
    };
    for (place, (span, etag)) in writes.iter().enumerate() {
        assert!(
            *etag > known_before(span.start),
            "{name}: {etag} is too old"
        );
        let again = writes[..place].iter().any(|(_, other)| other == etag);
        assert!(!again, "{name}: {etag} was acknowledged twice");
    }
    for read in &log.reads {
        let known = known_before(read.span.start);
        assert!(read.etag >= known, "{name}: {} after {known}", read.etag);
    }
}

/// The watcher was sent the history, each change once and in order.
fn watched(log: &Log, found: &v1::Game) {
    let etags = log.watched.iter().map(|(etag, _)| *etag);
    assert!(etags.eq(1..=found.etag.parse().unwrap()), "{log:?}");
    let moves = log.watched.iter().flat_map(|(_, moves)| moves);
    assert!(moves.eq(&found.history), "{log:?}");
}

/// The check finds what it is there to find.
mod itself {
    use std::time::Instant;

    use super::*;
    use crate::record::{Asked, Read, Span};

    /// A game of two moves, as its player and its watcher know it.
    fn game() -> (Game, v1::Game) {
        let mv = |square: &str| v1::Move {
            square: square.to_owned(),
            ..Default::default()
        };
        let history = vec![mv("f5"), mv("d6")];
        let game = Game::new(&v1::Game {
            name: "games/a".to_owned(),
            ..Default::default()
        });
        {
            let mut log = game.log();
            let start = Instant::now();
            for (ply, mv) in (0..).zip(&history) {
                let moment =
                    |offset: u32| start + Duration::from_millis((10 * ply + offset).into());
                let span = Span {
                    start: moment(0),
                    end: moment(5),
                };
                let moves = vec![mv.clone()];
                log.moves.push(Asked {
                    ply,
                    square: mv.square.clone(),
                    span,
                    failures: 0,
                    acknowledged: Some((ply + 1, moves.clone())),
                });
                log.watched.push((ply + 1, moves));
                let (start, end) = (moment(6), moment(7));
                let span = Span { start, end };
                log.reads.push(Read {
                    span,
                    etag: ply + 1,
                    deadline: None,
                });
            }
        }
        let found = v1::Game {
            name: game.name.clone(),
            etag: "2".to_owned(),
            history,
            ..Default::default()
        };
        (game, found)
    }

    fn tally(game: &Game, found: Option<&v1::Game>, promise: Promise) -> Tally {
        let mut tally = Tally::default();
        tally.add(game, found, promise);
        tally
    }

    #[test]
    fn nothing_is_wrong() {
        let (game, found) = game();
        let tally = tally(&game, Some(&found), Promise::Kept);
        assert_eq!((tally.acknowledged, tally.lost, tally.doubled), (2, 0, 0));
    }

    #[test]
    fn a_lost_move_is_found() {
        let (game, mut found) = game();
        found.history.pop();
        assert_eq!(tally(&game, Some(&found), Promise::MayBeLost).lost, 1);
        assert_eq!(tally(&game, None, Promise::MayBeLost).lost, 2);
    }

    #[test]
    fn a_move_that_nobody_asked_for_is_found() {
        let (game, found) = game();
        game.log().moves.pop();
        assert_eq!(tally(&game, Some(&found), Promise::MayBeLost).doubled, 1);
    }

    #[test]
    #[should_panic(expected = "turns nothing")]
    fn an_illegal_move_is_found() {
        let (game, mut found) = game();
        found.history[1].square = "a1".to_owned();
        tally(&game, Some(&found), Promise::MayBeLost);
    }

    #[test]
    #[should_panic(expected = "2 is too old")]
    fn two_moves_of_one_event_are_found() {
        let (game, found) = game();
        game.log().moves[0].acknowledged.as_mut().unwrap().0 = 2;
        tally(&game, Some(&found), Promise::Kept);
    }

    #[test]
    #[should_panic(expected = "0 after 1")]
    fn an_old_answer_is_found() {
        let (game, found) = game();
        game.log().reads[0].etag = 0;
        tally(&game, Some(&found), Promise::Kept);
    }

    /// The same game, after the time of its third move has run out at this second.
    fn timed(run_out: u64, deadline: u64) -> (Game, v1::Game) {
        let (game, mut found) = game();
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        found.etag = "3".to_owned();
        found.update_time = Some(at(run_out).into());
        found.outcome = Some(v1::Outcome {
            reason: EndReason::Timeout.into(),
            ..Default::default()
        });
        {
            let mut log = game.log();
            log.reads[1].deadline = Some(at(deadline));
            log.watched.push((3, Vec::new()));
            log.run_out = 1;
        }
        (game, found)
    }

    #[test]
    fn a_time_that_runs_out_is_right() {
        let (game, found) = timed(5, 5);
        let tally = tally(&game, Some(&found), Promise::Kept);
        assert_eq!((tally.run_out, tally.wrong_clocks), (1, 0));
    }

    #[test]
    fn a_time_that_runs_out_too_early_is_found() {
        let (game, found) = timed(4, 5);
        assert_eq!(tally(&game, Some(&found), Promise::Kept).wrong_clocks, 1);
    }

    #[test]
    fn a_time_that_is_told_of_not_just_once_is_found() {
        for told in [0, 2] {
            let (game, found) = timed(5, 5);
            game.log().run_out = told;
            assert_eq!(tally(&game, Some(&found), Promise::Kept).wrong_clocks, 1);
        }
    }

    #[test]
    #[should_panic(expected = "watched")]
    fn a_gap_in_a_watch_is_found() {
        let (game, found) = game();
        game.log().watched.remove(0);
        tally(&game, Some(&found), Promise::Kept);
    }
}
