//! What a write makes due, and how the server that wrote it takes care of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, mpsc};

use super::{Games, change};
use crate::session::{GameId, Session, Timestamp};
use crate::store::{Entry, Signs};

/// A game whose engine is to move, and whose lease this server has.
#[derive(Debug)]
pub(super) struct EnginesTurn {
    pub(super) id: GameId,
    pub(super) session: Session,
}

/// The way from the writers to what tends the games of this server.
#[derive(Clone, Debug)]
pub(super) struct Bell {
    turns: mpsc::Sender<EnginesTurn>,
    alarm: Arc<Alarm>,
    lease: Duration,
}

/// Wakes what tends the games when something is due earlier than it knows.
#[derive(Debug)]
pub(super) struct Alarm {
    /// When it wakes by itself, in ms; 0 while it is awake.
    wakes: AtomicU64,
    /// What became due first while it was awake, in ms.
    first: AtomicU64,
    earlier: Notify,
}

impl Alarm {
    fn new() -> Self {
        Self {
            wakes: AtomicU64::new(0),
            first: AtomicU64::new(u64::MAX),
            earlier: Notify::new(),
        }
    }

    /// Sleeps until something may be due.
    pub(super) async fn sleep(&self, now: Timestamp, time: Duration) {
        let wakes = (now + time).as_millis();
        self.wakes.store(wakes, Ordering::SeqCst);
        let first = Timestamp::from_millis(self.first.swap(u64::MAX, Ordering::SeqCst));
        let time = time.min(first.since(now));
        let _ = tokio::time::timeout(time, self.earlier.notified()).await;
        self.wakes.store(0, Ordering::SeqCst);
        // Who has said so has written before: whoever asks now finds it.
        self.first.store(u64::MAX, Ordering::SeqCst);
    }

    fn set(&self, due: Timestamp) {
        let due = due.as_millis();
        self.first.fetch_min(due, Ordering::SeqCst);
        if due < self.wakes.load(Ordering::SeqCst) {
            self.earlier.notify_one();
        }
    }
}

impl Bell {
    pub(super) fn new(
        lease: Duration,
        room: usize,
    ) -> (Self, mpsc::Receiver<EnginesTurn>, Arc<Alarm>) {
        let (turns, receiver) = mpsc::channel(room);
        let alarm = Arc::new(Alarm::new());
        let bell = Self {
            turns,
            alarm: Arc::clone(&alarm),
            lease,
        };
        (bell, receiver, alarm)
    }
}

/// A write that is about to be made. Where it makes a move of the engine due and this server has
/// room for it, the write takes the lease of the game with it, so that no other server has to be
/// asked.
pub(super) struct Turn<'a> {
    id: GameId,
    due: Option<Timestamp>,
    bell: Option<&'a Bell>,
    mine: Option<mpsc::Permit<'a, EnginesTurn>>,
}

impl Games {
    /// What the write of this state of a game makes due.
    pub(super) fn turn(&self, id: GameId, session: &Session) -> Turn<'_> {
        let bell = self.bell.as_ref();
        let mine = bell
            .filter(|_| session.engine_to_move().is_some() && !session.is_deleted())
            .and_then(|bell| bell.turns.try_reserve().ok().map(|permit| (bell, permit)));
        match mine {
            Some((held, permit)) => Turn {
                id,
                due: Some(self.clock.now() + held.lease),
                bell,
                mine: Some(permit),
            },
            None => Turn {
                id,
                due: session.due(),
                bell,
                mine: None,
            },
        }
    }
}

impl Turn<'_> {
    /// What the store is to keep.
    pub(super) fn entry(&self, session: &Session, signs: Signs) -> Entry {
        change::entry(session, self.due, signs)
    }

    /// The write was made.
    pub(super) fn taken(self, session: &Session) {
        if let Some(permit) = self.mine {
            permit.send(EnginesTurn {
                id: self.id,
                session: session.clone(),
            });
        } else if let (Some(bell), Some(due)) = (self.bell, self.due) {
            bell.alarm.set(due);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_000_000);
    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn what_became_due_while_awake_shortens_the_sleep() {
        let alarm = Alarm::new();
        alarm.set(NOW + SECOND * 3);
        alarm.set(NOW + SECOND);
        let begun = Instant::now();
        alarm.sleep(NOW, SECOND * 10).await;
        assert_eq!(begun.elapsed(), SECOND);
        alarm.sleep(NOW, SECOND * 10).await;
        assert_eq!(begun.elapsed(), SECOND * 11);
    }

    #[tokio::test(start_paused = true)]
    async fn only_what_is_due_earlier_wakes() {
        let alarm = Alarm::new();
        let begun = Instant::now();
        let setting = async {
            tokio::task::yield_now().await;
            alarm.set(NOW + SECOND * 20);
            tokio::time::sleep(SECOND).await;
            alarm.set(NOW + SECOND * 2);
        };
        tokio::join!(alarm.sleep(NOW, SECOND * 10), setting);
        assert_eq!(begun.elapsed(), SECOND);
    }
}
