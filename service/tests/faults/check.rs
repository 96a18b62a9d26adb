//! Checks what is left of each game against what its players and its watcher were told.

use std::time::Duration;

use reversi_engine::{Game as Rules, Move, RuleSet};
use reversi_proto::v1;

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
        self.doubled += unasked(&log, found);
        if promise == Promise::Kept {
            in_order(&game.name, &log);
            assert_eq!(log.resets, 0, "{}: the watcher missed something", game.name);
            watched(&log, found);
        }
    }
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
        let game = Game::new("games/a".to_owned());
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

    #[test]
    #[should_panic(expected = "watched")]
    fn a_gap_in_a_watch_is_found() {
        let (game, found) = game();
        game.log().watched.remove(0);
        tally(&game, Some(&found), Promise::Kept);
    }
}
