//! The course of a game against the engine.

use std::time::Duration;

use reversi_client::{
    Client, Error,
    proto::{
        AnswerTakeBackRequest, ErrorReason, Game, GameState, PlayMoveRequest, ResignRequest,
        SuggestMoveRequest, SuggestMoveResponse, TakeBackRequest, play_move_request::Expected,
        suggest_move_request::Subject,
    },
};

use super::{
    command::Command,
    events::{Board, By, Events},
    lines::Lines,
};
use crate::cli::{
    args::Side, failure::Failure, play_move::side_to_move, show, subject::time_budget,
};

/// How often a suggestion is asked for again when the engine is busy.
const PATIENCE: u32 = 20;

/// A game between a person and the engine.
#[derive(Debug)]
pub(super) struct Session {
    client: Client,
    game: Game,
    person: Side,
    engine: Engine,
    events: Events,
    /// The etag of the board that was shown last.
    shown: Option<String>,
}

/// How the engine plays.
#[derive(Debug, Clone, Copy)]
pub(super) struct Engine {
    /// How long it thinks about a move.
    pub(super) time: Duration,
    /// How strong it plays; as strong as it can unless set.
    pub(super) level: Option<i32>,
}

/// Whether the game goes on.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    GoOn,
    Leave,
}

impl Session {
    pub(super) fn new(
        client: Client,
        game: Game,
        person: Side,
        engine: Engine,
        events: Events,
    ) -> Self {
        Self {
            client,
            game,
            person,
            engine,
            events,
            shown: None,
        }
    }

    /// Plays until the game is over or the person leaves.
    pub(super) async fn run(&mut self, mut lines: Lines) -> Result<(), Failure> {
        loop {
            if self.game.state() == GameState::Finished {
                self.events.result(&self.game)?;
                return Ok(());
            }
            let next = if side_to_move(&self.game) == self.person.color() {
                self.person_turn(&mut lines).await?
            } else {
                self.engine_turn(&mut lines).await?
            };
            if next == Next::Leave {
                self.events.left(&self.game)?;
                return Ok(());
            }
        }
    }

    async fn person_turn(&mut self, lines: &mut Lines) -> Result<Next, Failure> {
        let board = if self.shown.as_ref() == Some(&self.game.etag) {
            Board::Shown
        } else {
            Board::New
        };
        self.events.turn(&self.game, board)?;
        self.shown = Some(self.game.etag.clone());
        let Some(line) = lines.next().await? else {
            return Ok(Next::Leave);
        };
        let done = match Command::parse(&line) {
            Command::Quit => return Ok(Next::Leave),
            // To see the board again.
            Command::Nothing => {
                self.shown = None;
                Ok(())
            }
            Command::Help => Ok(self.events.help()?),
            Command::Play(square) => self.play(By::Person, square).await,
            Command::TakeBack => self.take_back().await,
            Command::Resign => self.resign().await,
            Command::Hint => match self.hint().await {
                Ok(suggested) => Ok(self.events.hint(suggested)?),
                Err(error) => Err(error),
            },
        };
        match done {
            Ok(()) => Ok(Next::GoOn),
            Err(failure) => self.survive(failure, lines).await,
        }
    }

    async fn engine_turn(&mut self, lines: &mut Lines) -> Result<Next, Failure> {
        let done = match self.suggest(self.engines_move()).await {
            Ok(suggested) => {
                if !suggested.etag.is_empty() {
                    self.game.etag = suggested.etag;
                }
                let square = suggested.r#move.unwrap_or_default().square;
                self.play(By::Engine, square).await
            }
            Err(failure) => Err(failure),
        };
        match done {
            Ok(()) => Ok(Next::GoOn),
            Err(failure) => self.survive(failure, lines).await,
        }
    }

    async fn play(&mut self, by: By, square: String) -> Result<(), Failure> {
        let played = self
            .client
            .games()
            .play_move(PlayMoveRequest {
                name: self.game.name.clone(),
                side: side_to_move(&self.game).into(),
                square,
                expected: Some(Expected::Etag(self.game.etag.clone())),
                ..Default::default()
            })
            .await?;
        self.game = played.game.ok_or(Failure::Lacking("game"))?;
        self.events.moves(by, &played.moves, &self.game)?;
        Ok(())
    }

    async fn take_back(&mut self) -> Result<(), Failure> {
        let taken = self
            .client
            .games()
            .take_back(TakeBackRequest {
                name: self.game.name.clone(),
                side: self.person.color().into(),
                etag: self.game.etag.clone(),
                ..Default::default()
            })
            .await?;
        // The engine's seat is this command's own, and it has nothing against it.
        let answered = self
            .client
            .games()
            .answer_take_back(AnswerTakeBackRequest {
                name: self.game.name.clone(),
                side: self.person.other().color().into(),
                accept: true,
                etag: taken.etag,
                ..Default::default()
            })
            .await?;
        self.game = answered.game.ok_or(Failure::Lacking("game"))?;
        self.events.taken_back(&self.game)?;
        Ok(())
    }

    async fn resign(&mut self) -> Result<(), Failure> {
        let resigned = self
            .client
            .games()
            .resign(ResignRequest {
                name: self.game.name.clone(),
                side: self.person.color().into(),
                etag: self.game.etag.clone(),
                ..Default::default()
            })
            .await?;
        self.game = resigned.game.ok_or(Failure::Lacking("game"))?;
        Ok(())
    }

    /// What to ask for a move of the engine.
    fn engines_move(&self) -> SuggestMoveRequest {
        SuggestMoveRequest {
            subject: Some(Subject::Game(self.game.name.clone())),
            budget: Some(time_budget(self.engine.time)),
            level: self.engine.level,
            ..Default::default()
        }
    }

    /// Asks for a move of the person's, as good as can be and with reasons.
    async fn hint(&self) -> Result<SuggestMoveResponse, Failure> {
        self.suggest(SuggestMoveRequest {
            level: None,
            reasons: true,
            ..self.engines_move()
        })
        .await
    }

    /// Asks the engine for a move; waits its turn when it is busy.
    async fn suggest(&self, request: SuggestMoveRequest) -> Result<SuggestMoveResponse, Failure> {
        let mut busy = 0;
        loop {
            let error = match self.client.analysis().suggest_move(request.clone()).await {
                Ok(suggested) => return Ok(suggested),
                Err(error) => error,
            };
            busy += 1;
            match error.retry_after() {
                Some(wait)
                    if busy < PATIENCE && error.reason() == Some(ErrorReason::ComputeBusy) =>
                {
                    tokio::time::sleep(wait).await;
                }
                _ => return Err(error.into()),
            }
        }
    }

    /// Tells what went wrong and goes on where that makes sense. Where the service is lost,
    /// a person is asked whether to try again; a script is not, as its next line is a move.
    async fn survive(&mut self, failure: Failure, lines: &mut Lines) -> Result<Next, Failure> {
        let Failure::Call(error) = failure else {
            return Err(failure);
        };
        if error.is_retryable() {
            return self.lost(error, lines).await;
        }
        let gone = matches!(
            error.reason(),
            Some(ErrorReason::GameNotFound | ErrorReason::StoredValueUnreadable)
        );
        let engines_turn = side_to_move(&self.game) != self.person.color();
        let stale = error.reason() == Some(ErrorReason::StaleEtag);
        if gone || (engines_turn && !stale) {
            return Err(error.into());
        }
        self.events.error(&error.into())?;
        if stale {
            self.game = show::fetch(&self.client, &self.game.name).await?;
        }
        Ok(Next::GoOn)
    }

    /// The service cannot be reached.
    async fn lost(&mut self, error: Error, lines: &mut Lines) -> Result<Next, Failure> {
        let mut error = error;
        while self.events.interactive() {
            self.events.error(&error.into())?;
            self.events.ask("Enter to try again, or quit")?;
            match lines.next().await?.as_deref().map(Command::parse) {
                None | Some(Command::Quit) => return Ok(Next::Leave),
                Some(_) => {}
            }
            // What was asked may have been done: the game is read anew.
            match show::fetch(&self.client, &self.game.name).await {
                Ok(game) => {
                    self.game = game;
                    return Ok(Next::GoOn);
                }
                Err(Failure::Call(again)) if again.is_retryable() => error = again,
                Err(failure) => return Err(failure),
            }
        }
        Err(Failure::LeftGame {
            name: self.game.name.clone(),
            source: error,
        })
    }
}
