//! Whole games on the service: created, played to the end, deleted.

use bytes::Bytes;
use prost::Message;
use reversi_proto::v1;
use tokio::time::Instant;

use super::games::{Games, Step};
use super::positions;
use crate::load::Caller;
use crate::wire::{Failure, Rpc, frame};

/// What becomes of a game that has been played to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Afterwards {
    /// It is deleted.
    Delete,
    /// It is left until the server forgets it.
    Keep,
}

/// The games that sessions play.
#[derive(Clone, Debug)]
pub(crate) struct Play {
    /// The games.
    pub(crate) games: Games,
    /// What becomes of them.
    pub(crate) afterwards: Afterwards,
    /// A number that no other run has: request ids begin with it.
    pub(crate) run: u64,
}

/// A game that is being played.
#[derive(Clone, Debug)]
struct Playing {
    /// Its name on the service.
    name: String,
    number: usize,
    step: usize,
}

/// How a move went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Played {
    /// It was played.
    Well,
    /// It was not, or nobody knows.
    Failed,
}

/// Plays one game after another.
#[derive(Debug)]
pub(crate) struct Session {
    play: Play,
    /// What sets it apart from the other sessions of its lane.
    role: char,
    lane: usize,
    begun: usize,
    playing: Option<Playing>,
}

impl Session {
    pub(crate) const fn new(play: Play, role: char, lane: usize) -> Self {
        Self {
            play,
            role,
            lane,
            begun: 0,
            playing: None,
        }
    }

    /// Makes the next call: creates a game, plays a move, or deletes the game.
    pub(crate) async fn call(&mut self, caller: &mut Caller, due: Option<Instant>) {
        match &self.playing {
            None => self.create(caller, due).await,
            Some(_) if self.has_moves_left() => {
                self.play_move(caller, due).await;
            }
            Some(_) => self.delete(caller, due).await,
        }
    }

    /// The name of the game that is being played.
    pub(crate) fn name(&self) -> Option<&str> {
        self.playing.as_ref().map(|playing| playing.name.as_str())
    }

    /// Whether a game is being played that has moves left.
    pub(crate) fn has_moves_left(&self) -> bool {
        let playing = self.playing.as_ref();
        playing.is_some_and(|playing| playing.step < self.steps(playing).len())
    }

    async fn create(&mut self, caller: &mut Caller, due: Option<Instant>) {
        // Lanes begin at games far from each other.
        let number = self.lane.wrapping_mul(37).wrapping_add(self.begun);
        self.begun += 1;
        let request = v1::CreateGameRequest {
            request_id: self.request_id(0),
            ..Default::default()
        };
        let created = caller
            .call(Rpc::CreateGame, &frame::encode(&request), due, name_of)
            .await;
        self.playing = created.map(|name| Playing {
            name,
            number,
            step: 0,
        });
    }

    /// Plays the next move. If that fails, the game is given up.
    pub(crate) async fn play_move(&mut self, caller: &mut Caller, due: Option<Instant>) -> Played {
        let Some(playing) = self.playing.take() else {
            return Played::Failed;
        };
        let request_id = self.request_id(playing.step + 1);
        let step = &self.steps(&playing)[playing.step];
        let request = v1::PlayMoveRequest {
            name: playing.name.clone(),
            side: step.side.into(),
            square: step.square.clone(),
            expected: Some(v1::play_move_request::Expected::ExpectedPly(step.ply)),
            request_id,
            validate_only: false,
        };
        let checks = caller.checks_at(Instant::now());
        let read = |message: Bytes| if checks { check(step, message) } else { Ok(()) };
        let answer = caller
            .call(Rpc::PlayMove, &frame::encode(&request), due, read)
            .await;
        if answer.is_none() {
            return Played::Failed;
        }
        self.playing = Some(Playing {
            step: playing.step + 1,
            ..playing
        });
        Played::Well
    }

    /// Ends the game, and deletes it unless it is to be kept.
    pub(crate) async fn delete(&mut self, caller: &mut Caller, due: Option<Instant>) {
        let Some(playing) = self.playing.take() else {
            return;
        };
        match self.play.afterwards {
            Afterwards::Keep => self.create(caller, due).await,
            Afterwards::Delete => {
                let request = deletion(playing.name);
                caller
                    .call(Rpc::DeleteGame, &request, due, |_| Ok(()))
                    .await;
            }
        }
    }

    /// Deletes a game that the end of the run has interrupted. Not measured.
    pub(crate) async fn finish(&mut self, caller: &mut Caller) {
        let Some(playing) = self.playing.take() else {
            return;
        };
        if self.play.afterwards == Afterwards::Delete {
            // If that fails, the server forgets the game by itself.
            let _ = caller
                .call_aside(Rpc::DeleteGame, &deletion(playing.name))
                .await;
        }
    }

    fn steps(&self, playing: &Playing) -> &[Step] {
        self.play.games.game(playing.number)
    }

    /// An id that no other call has.
    fn request_id(&self, call: usize) -> String {
        let (run, role, lane, game) = (self.play.run, self.role, self.lane, self.begun);
        format!("{run:x}-{role}{lane:x}-{game:x}-{call:x}")
    }
}

fn deletion(name: String) -> Bytes {
    frame::encode(&v1::DeleteGameRequest {
        name,
        ..Default::default()
    })
}

/// The game's name, the only thing needed of a long answer.
fn name_of(message: Bytes) -> Result<String, Failure> {
    /// The beginning of `CreateGameResponse`; prost skips what is not named.
    #[derive(Clone, PartialEq, Message)]
    struct Created {
        #[prost(message, optional, tag = "1")]
        game: Option<Named>,
    }
    #[derive(Clone, PartialEq, Message)]
    struct Named {
        #[prost(string, tag = "1")]
        name: String,
    }
    let created = Created::decode(message).map_err(|error| Failure::Wrong(error.to_string()))?;
    created
        .game
        .map(|game| game.name)
        .filter(|name| !name.is_empty())
        .ok_or_else(|| Failure::Wrong("a game without a name".to_owned()))
}

fn check(step: &Step, message: Bytes) -> Result<(), Failure> {
    let answer =
        v1::PlayMoveResponse::decode(message).map_err(|error| Failure::Wrong(error.to_string()))?;
    let position = answer.game.and_then(|game| game.position);
    if position == Some(positions::message(&step.after)) {
        Ok(())
    } else {
        Err(Failure::Wrong("differs from what the rules say".to_owned()))
    }
}
