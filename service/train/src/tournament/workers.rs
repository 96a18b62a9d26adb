//! Plays the games of a match, several at once if asked to.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use reversi_engine::{Color, Random};

use super::openings::Openings;
use super::play::play;
use super::record::{End, Record};
use super::spec::Entrant;

/// What is to be played.
#[derive(Debug)]
pub(crate) struct Schedule<'a> {
    pub(crate) entrants: &'a [Entrant; 2],
    pub(crate) openings: &'a Openings,
    pub(crate) seed: u64,
    /// The numbers of the games.
    pub(crate) games: &'a [usize],
    pub(crate) at_once: usize,
}

impl Schedule<'_> {
    /// Plays all, in order, and hands each over as it ends; stops at the first that cannot be
    /// taken.
    pub(crate) fn run<E>(&self, mut take: impl FnMut(Record) -> Result<(), E>) -> Result<(), E> {
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..self.at_once.clamp(1, self.games.len().max(1)) {
                let sender = sender.clone();
                let (next, stop) = (&next, &stop);
                scope.spawn(move || self.work(next, stop, &sender));
            }
            drop(sender);
            let result = receiver.iter().try_for_each(&mut take);
            stop.store(true, Ordering::Relaxed);
            result
        })
    }

    fn work(&self, next: &AtomicUsize, stop: &AtomicBool, sender: &mpsc::Sender<Record>) {
        let mut players = self.entrants.each_ref().map(Entrant::player);
        while !stop.load(Ordering::Relaxed) {
            let Some(&game) = self.games.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let color = if game.is_multiple_of(2) {
                Color::Black
            } else {
                Color::White
            };
            let pair = game / 2;
            let opening = self.openings.of_pair(pair, self.seed);
            let seed = self.seed ^ Random::new(pair as u64).bits();
            let record = play(&mut players, opening, game, color, seed);
            if let End::Fault { by, .. } = record.end {
                let seat = by.index();
                players[seat] = self.entrants[seat].player();
            }
            if sender.send(record).is_err() {
                return;
            }
        }
    }
}
