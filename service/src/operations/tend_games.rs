//! What games need without being asked: times that run out, and moves of the engine. Any server
//! does it for any game.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::change::Step;
use super::engine_player::{EnginePlayer, Thought};
use super::turn::{Alarm, Bell, EnginesTurn};
use super::{GameError, Games, WriteGame, WriteMode};
use crate::session::{Action, Expected, GameId, Request, Session};
use crate::store::Availability;

/// How often the store is asked what is due at least. Between two questions this server knows when
/// the next game is due, but for what another one that dies has made due.
const POLL: Duration = Duration::from_millis(500);
/// How long a game belongs to the server that has claimed it, beside the time that the engine
/// takes to move.
const LEASE: Duration = Duration::from_secs(4);
/// The games that a server tends at once.
const ROOM: usize = 256;
/// After this time the engine is asked again when its threads had no room.
const BUSY: Duration = Duration::from_millis(300);

/// Tends games until it is told to stop.
#[derive(Debug)]
pub struct Tender {
    games: Games,
    player: Arc<EnginePlayer>,
    turns: mpsc::Receiver<EnginesTurn>,
    alarm: Arc<Alarm>,
    lease: Duration,
}

impl Games {
    /// The games, with what tends them: engine seats of games written by these games are played by
    /// this server first of all.
    #[must_use]
    pub fn tended(mut self, player: EnginePlayer) -> (Self, Tender) {
        let lease = LEASE + player.time();
        let (bell, turns, alarm) = Bell::new(lease, ROOM);
        self.bell = Some(bell);
        let tender = Tender {
            games: self.clone(),
            player: Arc::new(player),
            turns,
            alarm,
            lease,
        };
        (self, tender)
    }

    /// Lets a time that is over run out.
    async fn expire(&self, id: GameId) -> Result<(), GameError> {
        let expired = self.change(id, None, |session, now| {
            Ok(if session.settle(now) {
                Step::Commit(())
            } else {
                Step::Leave(())
            })
        });
        expired.await.map(|_| ())
    }
}

impl Tender {
    /// Tends games until it is told to stop; then it hands back those it is at.
    pub async fn run(mut self, stopping: CancellationToken) {
        let mut tasks = JoinSet::new();
        loop {
            let claim = self.claim(&mut tasks, &stopping);
            let Some(time) = stopping.run_until_cancelled(claim).await else {
                break;
            };
            let alarm = Arc::clone(&self.alarm);
            let sleep = alarm.sleep(self.games.clock.now(), time);
            tokio::pin!(sleep);
            // What writers hand over does not end the sleep.
            loop {
                tokio::select! {
                    biased;
                    () = stopping.cancelled() => break,
                    Some(turn) = self.turns.recv(), if tasks.len() < ROOM => {
                        self.begin(&mut tasks, turn.id, Some(turn.session), &stopping);
                    }
                    Some(_) = tasks.join_next() => {}
                    () = &mut sleep => break,
                }
            }
        }
        self.turns.close();
        while let Some(turn) = self.turns.recv().await {
            self.begin(&mut tasks, turn.id, Some(turn.session), &stopping);
        }
        while tasks.join_next().await.is_some() {}
    }

    /// Claims what is due and begins with it; answers how long there is nothing to do.
    async fn claim(&self, tasks: &mut JoinSet<()>, stopping: &CancellationToken) -> Duration {
        let room = ROOM.saturating_sub(tasks.len());
        if room == 0 {
            return BUSY;
        }
        let claimed = match self.games.claim_due(self.lease, room).await {
            Ok(claimed) => claimed,
            Err(error) => {
                tracing::debug!(%error, "cannot ask what is due");
                let mut availability = self.games.store.availability();
                let available = availability.wait_for(|now| *now == Availability::Available);
                let _ = tokio::time::timeout(POLL, available).await;
                return POLL / 10;
            }
        };
        for id in claimed.games {
            self.begin(tasks, id, None, stopping);
        }
        for (id, side) in claimed.absent {
            let games = self.games.clone();
            tasks.spawn(async move {
                let action = Action::LeaveAbsent { side };
                note(id, write(&games, id, Expected::Anywhere, action).await);
            });
        }
        let next = claimed.next.map(|next| next.since(self.games.clock.now()));
        next.unwrap_or(POLL).min(POLL)
    }

    fn begin(
        &self,
        tasks: &mut JoinSet<()>,
        id: GameId,
        session: Option<Session>,
        stopping: &CancellationToken,
    ) {
        let (games, player) = (self.games.clone(), Arc::clone(&self.player));
        let stopping = stopping.clone();
        tasks.spawn(async move {
            note(id, tend(&games, &player, id, session, &stopping).await);
        });
    }
}

/// Does what is due in a game.
async fn tend(
    games: &Games,
    player: &EnginePlayer,
    id: GameId,
    session: Option<Session>,
    stopping: &CancellationToken,
) -> Result<(), GameError> {
    let session = match session {
        Some(session) => session,
        None => games.get(id).await?,
    };
    let number = session.event_number();
    let Some(level) = session.engine_to_move() else {
        if session.is_overdue(games.clock.now()) {
            return games.expire(id).await;
        }
        return Ok(games.store.reschedule(id, number, session.due()).await?);
    };
    let thought = player.think(id, &session, level);
    let later = match stopping.run_until_cancelled(thought).await {
        Some(Thought::Move(mv)) => {
            let expected = Expected::Etag(number.to_string());
            return write(games, id, expected, Action::PlayForEngine(mv)).await;
        }
        Some(Thought::AtIt) => return Ok(()),
        Some(Thought::Busy) => BUSY,
        None => Duration::ZERO,
    };
    let due = games.clock.now() + later;
    Ok(games.store.reschedule(id, number, Some(due)).await?)
}

/// Writes to a game, unless it has gone on since.
async fn write(
    games: &Games,
    id: GameId,
    expected: Expected,
    action: Action,
) -> Result<(), GameError> {
    let request = Request { id: None, expected };
    let write = WriteGame {
        id,
        action,
        request,
        token: None,
        mode: WriteMode::Commit,
    };
    match games.write(&write).await {
        Ok(_) | Err(GameError::Refused { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn note(id: GameId, tended: Result<(), GameError>) {
    match tended {
        Ok(()) | Err(GameError::NotFound(_)) => {}
        // The lease ends by itself, and then it is tried again.
        Err(error) => tracing::warn!(%id, %error, "a game that is due is left for later"),
    }
}
