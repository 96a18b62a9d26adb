//! GameService.

use std::time::Instant;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use reversi_engine::{Color, Move};
use reversi_proto::v1::game_service_server::GameService;
use reversi_proto::v1::{self, ErrorReason};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use super::deadline::deadline;
use super::decode::{self, Faults};
use super::{encode, status};
use crate::operations::{
    CreateGame, GameError, Games, ListGames, Update, Watch, WriteGame, WriteMode, WrittenGame,
};
use crate::session::{self, Action, Change, EventNumber, Expected, GameId, RequestId};

/// The handlers of GameService.
#[derive(Debug)]
pub(crate) struct GameHandlers {
    games: Games,
    /// Cancelled when the server stops: watches end then.
    stopping: CancellationToken,
}

impl GameHandlers {
    pub(crate) const fn new(games: Games, stopping: CancellationToken) -> Self {
        Self { games, stopping }
    }
}

#[tonic::async_trait]
impl GameService for GameHandlers {
    async fn create_game(
        &self,
        request: Request<v1::CreateGameRequest>,
    ) -> Result<Response<v1::CreateGameResponse>, Status> {
        let mut request = request.into_inner();
        // A repeat has to draw what the first attempt drew.
        let lot = match RequestId::new(&request.request_id) {
            Some(id) => id.lot(),
            None => getrandom::u64().map_err(GameError::Random)?,
        };
        decode::draw_lots(request.rules.as_mut(), lot);
        let mut faults = Faults::default();
        let rules = decode::rule_set(&mut faults, request.rules);
        let seats = decode::seats(&mut faults, request.black_seat, request.white_seat);
        let field = "legal_moves_display";
        let display = decode::legal_moves_display(&mut faults, field, request.legal_moves_display);
        let request_id = decode::short_text(&mut faults, "request_id", request.request_id);
        let (rules, legal_moves) = faults.finish(rules.zip(display))?;
        let created = self
            .games
            .create(CreateGame {
                rules,
                seats,
                legal_moves,
                request_id: request_id.clone(),
            })
            .await
            .map_err(|error| status::refused_write(error, &request_id, None))?;
        Ok(Response::new(v1::CreateGameResponse {
            game: Some(encode::game(created.id, &created.session)),
            replayed: created.replayed,
        }))
    }

    async fn get_game(
        &self,
        request: Request<v1::GetGameRequest>,
    ) -> Result<Response<v1::GetGameResponse>, Status> {
        let id = only_name(&request.into_inner().name)?;
        let session = self.games.get(id).await?;
        Ok(Response::new(v1::GetGameResponse {
            game: Some(encode::game(id, &session)),
        }))
    }

    async fn batch_get_games(
        &self,
        request: Request<v1::BatchGetGamesRequest>,
    ) -> Result<Response<v1::BatchGetGamesResponse>, Status> {
        let mut faults = Faults::default();
        let ids = decode::game_ids(&mut faults, "names", &request.into_inner().names);
        let ids = faults.finish(ids)?;
        let sessions = self.games.get_many(&ids).await?;
        let mut response = v1::BatchGetGamesResponse::default();
        for (id, session) in ids.into_iter().zip(sessions) {
            match session {
                Some(session) => response.games.push(encode::game(id, &session)),
                None => response.missing.push(encode::game_name(id)),
            }
        }
        Ok(Response::new(response))
    }

    async fn list_games(
        &self,
        request: Request<v1::ListGamesRequest>,
    ) -> Result<Response<v1::ListGamesResponse>, Status> {
        let request = request.into_inner();
        let mut faults = Faults::default();
        let page_size = decode::page_size(&mut faults, "page_size", request.page_size);
        let state = decode::state_filter(&mut faults, "state", request.state);
        let (page_size, state) = faults.finish(page_size.zip(state))?;
        let page = self
            .games
            .list(&ListGames {
                page_size,
                page_token: request.page_token,
                state,
            })
            .await?;
        let games = page.games.iter();
        Ok(Response::new(v1::ListGamesResponse {
            games: games
                .map(|(id, session)| encode::game(*id, session))
                .collect(),
            next_page_token: page.next_page_token,
        }))
    }

    async fn delete_game(
        &self,
        request: Request<v1::DeleteGameRequest>,
    ) -> Result<Response<v1::DeleteGameResponse>, Status> {
        let request = request.into_inner();
        let mut faults = Faults::default();
        let id = decode::game_id(&mut faults, "name", &request.name);
        let etag = decode::short_text(&mut faults, "etag", request.etag);
        let request_id = decode::short_text(&mut faults, "request_id", request.request_id);
        let id = faults.finish(id)?;
        self.write(
            id,
            Action::Delete,
            etag_or_anywhere(etag),
            &request_id,
            WriteMode::Commit,
        )
        .await?;
        Ok(Response::new(v1::DeleteGameResponse {}))
    }

    async fn play_move(
        &self,
        request: Request<v1::PlayMoveRequest>,
    ) -> Result<Response<v1::PlayMoveResponse>, Status> {
        let request = request.into_inner();
        let mut faults = Faults::default();
        let id = decode::game_id(&mut faults, "name", &request.name);
        let side = decode::color(&mut faults, "side", request.side);
        let mv = square_or_pass(&mut faults, "square", &request.square);
        let expected = expected(&mut faults, request.expected);
        let request_id = decode::short_text(&mut faults, "request_id", request.request_id);
        let arguments = id.zip(side).zip(mv).zip(expected);
        let (((id, side), mv), expected) = faults.finish(arguments)?;
        let mode = if request.validate_only {
            WriteMode::ValidateOnly
        } else {
            WriteMode::Commit
        };
        let done = self
            .write(id, Action::Play { side, mv }, expected, &request_id, mode)
            .await?;
        let moves = match &done.written.change {
            Change::Moves { moves, .. } => encode::moves(moves),
            Change::TakenBack { .. } | Change::Resigned { .. } | Change::Deleted => Vec::new(),
        };
        Ok(Response::new(v1::PlayMoveResponse {
            game: Some(encode::game(id, &done.session)),
            moves,
            etag: done.written.event.to_string(),
            replayed: done.written.replayed,
        }))
    }

    async fn take_back(
        &self,
        request: Request<v1::TakeBackRequest>,
    ) -> Result<Response<v1::TakeBackResponse>, Status> {
        let request = request.into_inner();
        let (id, side) = game_and_side(
            &request.name,
            request.side,
            &request.etag,
            &request.request_id,
        )?;
        let action = Action::TakeBack { side };
        let expected = etag_or_anywhere(request.etag);
        let done = self
            .write(id, action, expected, &request.request_id, WriteMode::Commit)
            .await?;
        Ok(Response::new(v1::TakeBackResponse {
            game: Some(encode::game(id, &done.session)),
            etag: done.written.event.to_string(),
            replayed: done.written.replayed,
        }))
    }

    async fn resign(
        &self,
        request: Request<v1::ResignRequest>,
    ) -> Result<Response<v1::ResignResponse>, Status> {
        let request = request.into_inner();
        let (id, side) = game_and_side(
            &request.name,
            request.side,
            &request.etag,
            &request.request_id,
        )?;
        let action = Action::Resign { side };
        let expected = etag_or_anywhere(request.etag);
        let done = self
            .write(id, action, expected, &request.request_id, WriteMode::Commit)
            .await?;
        Ok(Response::new(v1::ResignResponse {
            game: Some(encode::game(id, &done.session)),
            etag: done.written.event.to_string(),
            replayed: done.written.replayed,
        }))
    }

    type WatchGameStream = BoxStream<'static, Result<v1::WatchGameResponse, Status>>;

    async fn watch_game(
        &self,
        request: Request<v1::WatchGameRequest>,
    ) -> Result<Response<Self::WatchGameStream>, Status> {
        let deadline = deadline(request.metadata().as_ref());
        let request = request.into_inner();
        let mut faults = Faults::default();
        let id = decode::game_id(&mut faults, "name", &request.name);
        let after = decode::short_text(&mut faults, "after_etag", request.after_etag);
        let id = faults.finish(id)?;
        let after = (!after.is_empty()).then(|| event_number(&after));
        let watch = self.games.watch(id, after).await?;
        Ok(Response::new(updates(
            watch,
            self.stopping.clone(),
            deadline,
        )))
    }
}

impl GameHandlers {
    async fn write(
        &self,
        id: GameId,
        action: Action,
        expected: Expected,
        request_id: &str,
        mode: WriteMode,
    ) -> Result<WrittenGame, Status> {
        let request = session::Request {
            id: RequestId::new(request_id),
            expected,
        };
        let write = WriteGame {
            id,
            action,
            request,
            mode,
        };
        let square = match action {
            Action::Play { mv, .. } => mv.square(),
            Action::TakeBack { .. } | Action::Resign { .. } | Action::Delete => None,
        };
        self.games
            .write(&write)
            .await
            .map_err(|error| status::refused_write(error, request_id, square))
    }
}

/// The updates of a watch until the game, the deadline or the server ends.
fn updates(
    watch: Watch,
    stopping: CancellationToken,
    deadline: Option<Instant>,
) -> BoxStream<'static, Result<v1::WatchGameResponse, Status>> {
    let state = (watch, stopping, deadline);
    stream::unfold(Some(state), |state| async move {
        let (mut watch, stopping, deadline) = state?;
        let next = tokio::select! {
            biased;
            () = stopping.cancelled() => Err(status::shutting_down()),
            () = passed(deadline) => Err(status::deadline_exceeded()),
            next = watch.next() => next.map_err(Status::from),
        };
        match next {
            Ok(None) => None,
            Err(error) => Some((Err(error), None)),
            Ok(Some(update)) => {
                let response = response(watch.id(), update);
                Some((Ok(response), Some((watch, stopping, deadline))))
            }
        }
    })
    .boxed()
}

fn response(id: GameId, update: Update) -> v1::WatchGameResponse {
    encode::update(id, update)
}

async fn passed(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}

fn only_name(name: &str) -> Result<GameId, Status> {
    let mut faults = Faults::default();
    let id = decode::game_id(&mut faults, "name", name);
    Ok(faults.finish(id)?)
}

fn game_and_side(
    name: &str,
    side: i32,
    etag: &str,
    request_id: &str,
) -> Result<(GameId, Color), Status> {
    let mut faults = Faults::default();
    let id = decode::game_id(&mut faults, "name", name);
    let side = decode::color(&mut faults, "side", side);
    decode::short_text(&mut faults, "etag", etag.to_owned());
    decode::short_text(&mut faults, "request_id", request_id.to_owned());
    Ok(faults.finish(id.zip(side))?)
}

/// The event of an etag. One that this service has never given is one that the game has never
/// had.
fn event_number(etag: &str) -> EventNumber {
    etag.parse()
        .map(EventNumber)
        .ok()
        .filter(|event| event.to_string() == etag)
        .unwrap_or(EventNumber(u32::MAX))
}

fn etag_or_anywhere(etag: String) -> Expected {
    if etag.is_empty() {
        Expected::Anywhere
    } else {
        Expected::Etag(etag)
    }
}

fn square_or_pass(faults: &mut Faults, field: &str, text: &str) -> Option<Move> {
    if text.is_empty() {
        faults.required(field);
        return None;
    }
    let mv = text.parse().ok();
    if mv.is_none() {
        let shown: String = text.chars().take(8).collect();
        faults.add(
            field,
            ErrorReason::NotASquare,
            "is neither a square a1 to h8 nor a pass",
            [("value", shown)],
        );
    }
    mv
}

fn expected(
    faults: &mut Faults,
    expected: Option<v1::play_move_request::Expected>,
) -> Option<Expected> {
    match expected {
        None => {
            faults.required("expected");
            None
        }
        Some(v1::play_move_request::Expected::Etag(etag)) if etag.is_empty() => {
            faults.required("etag");
            None
        }
        Some(v1::play_move_request::Expected::Etag(etag)) => {
            Some(Expected::Etag(decode::short_text(faults, "etag", etag)))
        }
        Some(v1::play_move_request::Expected::ExpectedPly(ply)) => match u32::try_from(ply) {
            Ok(ply) => Some(Expected::Ply(ply)),
            Err(_) => {
                faults.invalid("expected_ply", ply, "is negative");
                None
            }
        },
    }
}
