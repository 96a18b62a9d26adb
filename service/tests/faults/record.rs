//! What the players of a game did and were told.

use std::sync::{Mutex, MutexGuard};
use std::time::{Instant, SystemTime};

use reversi_proto::v1;

/// A game, and all that is known of it.
#[derive(Debug)]
pub(crate) struct Game {
    pub(crate) name: String,
    /// Whether its players have a clock.
    pub(crate) is_timed: bool,
    log: Mutex<Log>,
}

/// What was asked and answered.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) moves: Vec<Asked>,
    pub(crate) reads: Vec<Read>,
    /// The changes that the watcher was sent.
    pub(crate) watched: Vec<(u32, Vec<v1::Move>)>,
    /// How often the watcher was told that a time had run out.
    pub(crate) run_out: usize,
    /// How often the watcher was told that it had missed something.
    pub(crate) resets: usize,
}

/// A move that was asked for until there was an answer.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) ply: u32,
    pub(crate) square: String,
    pub(crate) span: Span,
    /// How often there was none.
    pub(crate) failures: usize,
    /// What it led to; `None` if it was refused.
    pub(crate) acknowledged: Option<(u32, Vec<v1::Move>)>,
}

/// A read of the game.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) span: Span,
    pub(crate) etag: u32,
    /// When the time of the side to move would be over.
    pub(crate) deadline: Option<SystemTime>,
}

/// From the first request to the answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: Instant,
    pub(crate) end: Instant,
}

impl Game {
    pub(crate) fn new(game: &v1::Game) -> Self {
        Self {
            name: game.name.clone(),
            is_timed: game.clock.is_some(),
            log: Mutex::default(),
        }
    }

    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap()
    }
}
