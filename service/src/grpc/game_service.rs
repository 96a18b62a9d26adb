//! GameService.

mod create;
mod watch;
mod watch_games;
mod write;

use reversi_engine::{Color, Move};
use reversi_proto::v1::game_service_server::GameService;
use reversi_proto::v1::{self, ErrorReason};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use self::watch::{Presence, Updates, event_number};
use self::watch_games::GamesUpdates;
use self::write::{BLACK_TOKEN, Caller, Common, TOKEN, WHITE_TOKEN, claimed, reveal, set_seat};
use super::deadline::deadline;
use super::decode::{self, Faults};
use super::{encode, status};
use crate::operations::{Created, GameError, GameFilter, Games, ListGames, Rematch, WriteMode};
use crate::session::{
    Action, Answer, Change, Expected, GameId, GameRecord, Occupant, RematchColors, RequestId, Seat,
};

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
        let (mut request, caller) = self.open(request);
        // A repeat has to draw what the first attempt drew.
        let lot = match RequestId::new(&request.request_id) {
            Some(id) => id.lot(),
            None => getrandom::u64().map_err(GameError::Random)?,
        };
        decode::draw_lots(request.rules.as_mut(), lot);
        let asked = create::request(request)?;
        let (request_id, mode) = (asked.request_id.clone(), asked.mode);
        let created = caller.games.create(asked).await;
        let created = created.map_err(|error| status::refused_write(error, &request_id, None))?;
        let mut game = encode::game(created.id, &created.session);
        if mode == WriteMode::ValidateOnly {
            game.name.clear();
        }
        let mut response = Response::new(v1::CreateGameResponse {
            game: Some(game),
            replayed: created.replayed,
        });
        if mode == WriteMode::Commit {
            self.reveal_tokens(&mut response, &created).await?;
        }
        Ok(response)
    }

    async fn get_game(
        &self,
        request: Request<v1::GetGameRequest>,
    ) -> Result<Response<v1::GetGameResponse>, Status> {
        let (request, caller) = self.open(request);
        let id = only_name(&request.name)?;
        let session = caller.games.get(id).await?;
        Ok(Response::new(v1::GetGameResponse {
            game: Some(encode::game(id, &session)),
        }))
    }

    async fn batch_get_games(
        &self,
        request: Request<v1::BatchGetGamesRequest>,
    ) -> Result<Response<v1::BatchGetGamesResponse>, Status> {
        let (request, caller) = self.open(request);
        let mut faults = Faults::default();
        let ids = decode::game_ids(&mut faults, "names", &request.names);
        let ids = faults.finish(ids)?;
        let sessions = caller.games.get_many(&ids).await?;
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
        let (request, caller) = self.open(request);
        let mut faults = Faults::default();
        let page_size = decode::page_size(&mut faults, "page_size", request.page_size);
        let state = decode::state_filter(&mut faults, "state", request.state);
        let player_id = faults.bounded("player_id", request.player_id, Seat::MAX_TEXT);
        let label = faults.bounded("label", request.label, GameRecord::MAX_TEXT);
        let (page_size, state) = faults.finish(page_size.zip(state))?;
        let page = caller
            .games
            .list(&ListGames {
                page_size,
                page_token: request.page_token,
                filter: GameFilter {
                    state,
                    player_id,
                    label,
                },
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
        let (request, caller) = self.open(request);
        let mut faults = Faults::default();
        let v1::DeleteGameRequest {
            name,
            etag,
            request_id,
        } = &request;
        let common = Common::decode(&mut faults, name, etag, request_id, caller.clone());
        self.write(faults, common, Some(Action::Delete), WriteMode::Commit)
            .await?;
        Ok(Response::new(v1::DeleteGameResponse {}))
    }

    async fn play_move(
        &self,
        request: Request<v1::PlayMoveRequest>,
    ) -> Result<Response<v1::PlayMoveResponse>, Status> {
        let (request, caller) = self.open(request);
        let mut faults = Faults::default();
        let (name, request_id) = (&request.name, &request.request_id);
        let mut common = Common::decode(&mut faults, name, "", request_id, caller.clone());
        let side = decode::color(&mut faults, "side", request.side);
        let mv = square_or_pass(&mut faults, "square", &request.square);
        if let Some(expected) = expected(&mut faults, request.expected) {
            common.expected = expected;
        }
        let action = side.zip(mv).map(|(side, mv)| Action::Play { side, mv });
        let mode = if request.validate_only {
            WriteMode::ValidateOnly
        } else {
            WriteMode::Commit
        };
        let (id, done) = self.write(faults, common, action, mode).await?;
        let moves = if let Change::Moves { moves, .. } = &done.written.change {
            encode::moves(moves)
        } else {
            Vec::new()
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
        let (request, caller) = self.open(request);
        let mut faults = Faults::default();
        let (name, etag, request_id) = (&request.name, &request.etag, &request.request_id);
        let common = Common::decode(&mut faults, name, etag, request_id, caller.clone());
        let side = decode::color(&mut faults, "side", request.side);
        let ply = match request.ply.map(|ply| (ply, u32::try_from(ply))) {
            None => None,
            Some((_, Ok(ply))) => Some(ply),
            Some((ply, Err(_))) => {
                faults.invalid("ply", ply, "is negative");
                None
            }
        };
        let action = side.map(|side| Action::TakeBack { side, ply });
        let (id, done) = self
            .write(faults, common, action, WriteMode::Commit)
            .await?;
        Ok(Response::new(v1::TakeBackResponse {
            game: Some(encode::game(id, &done.session)),
            etag: done.written.event.to_string(),
            replayed: done.written.replayed,
        }))
    }

    async fn answer_take_back(
        &self,
        request: Request<v1::AnswerTakeBackRequest>,
    ) -> Result<Response<v1::AnswerTakeBackResponse>, Status> {
        let (request, caller) = self.open(request);
        let mut faults = Faults::default();
        let (name, etag, request_id) = (&request.name, &request.etag, &request.request_id);
        let common = Common::decode(&mut faults, name, etag, request_id, caller.clone());
        let side = decode::color(&mut faults, "side", request.side);
        let answer = if request.accept {
            Answer::Accept
        } else {
            Answer::Decline
        };
        let action = side.map(|side| Action::AnswerTakeBack { side, answer });
        let (id, done) = self
            .write(faults, common, action, WriteMode::Commit)
            .await?;
        Ok(Response::new(v1::AnswerTakeBackResponse {
            game: Some(encode::game(id, &done.session)),
            etag: done.written.event.to_string(),
            replayed: done.written.replayed,
        }))
    }

    async fn resign(
        &self,
        request: Request<v1::ResignRequest>,
    ) -> Result<Response<v1::ResignResponse>, Status> {
        let (request, caller) = self.open(request);
        let mut faults = Faults::default();
        let (name, etag, request_id) = (&request.name, &request.etag, &request.request_id);
        let common = Common::decode(&mut faults, name, etag, request_id, caller.clone());
        let side = decode::color(&mut faults, "side", request.side);
        let action = side.map(|side| Action::Resign { side });
        let (id, done) = self
            .write(faults, common, action, WriteMode::Commit)
            .await?;
        Ok(Response::new(v1::ResignResponse {
            game: Some(encode::game(id, &done.session)),
            etag: done.written.event.to_string(),
            replayed: done.written.replayed,
        }))
    }

    async fn claim_seat(
        &self,
        request: Request<v1::ClaimSeatRequest>,
    ) -> Result<Response<v1::ClaimSeatResponse>, Status> {
        let (request, caller) = self.open(request);
        let mut faults = Faults::default();
        let (name, etag, request_id) = (&request.name, &request.etag, &request.request_id);
        let common = Common::decode(&mut faults, name, etag, request_id, caller.clone());
        let side = decode::optional_color(&mut faults, "side", request.side);
        let player_id = decode::player_text(&mut faults, "player_id", request.player_id);
        let display_name = decode::player_text(&mut faults, "display_name", request.display_name);
        let action = side.map(|side| Action::ClaimSeat {
            side,
            player_id,
            display_name,
        });
        let (id, done) = self
            .write(faults, common, action, WriteMode::Commit)
            .await?;
        let side = claimed(&done);
        let mut response = Response::new(v1::ClaimSeatResponse {
            game: Some(encode::game(id, &done.session)),
            side: side.map_or(v1::Color::Unspecified, encode::color).into(),
            etag: done.written.event.to_string(),
            replayed: done.written.replayed,
        });
        if let Some(side) = side
            && let Some(token) = self.games.seat_token(id, &done.session, side).await?
        {
            reveal(&mut response, TOKEN, token);
        }
        Ok(response)
    }

    async fn set_seat(
        &self,
        request: Request<v1::SetSeatRequest>,
    ) -> Result<Response<v1::SetSeatResponse>, Status> {
        let (request, caller) = self.open(request);
        let mut faults = Faults::default();
        let (name, etag, request_id) = (&request.name, &request.etag, &request.request_id);
        let common = Common::decode(&mut faults, name, etag, request_id, caller.clone());
        let action = set_seat(&mut faults, &request);
        let (id, done) = self
            .write(faults, common, action, WriteMode::Commit)
            .await?;
        Ok(Response::new(v1::SetSeatResponse {
            game: Some(encode::game(id, &done.session)),
            etag: done.written.event.to_string(),
            replayed: done.written.replayed,
        }))
    }

    async fn update_game(
        &self,
        request: Request<v1::UpdateGameRequest>,
    ) -> Result<Response<v1::UpdateGameResponse>, Status> {
        const FIELD: &str = "legal_moves_display";
        let (request, caller) = self.open(request);
        let mut faults = Faults::default();
        let (name, etag, request_id) = (&request.name, &request.etag, &request.request_id);
        let common = Common::decode(&mut faults, name, etag, request_id, caller.clone());
        if request.legal_moves_display() == v1::LegalMovesDisplay::Unspecified {
            faults.required(FIELD);
        }
        let display = decode::legal_moves_display(&mut faults, FIELD, request.legal_moves_display);
        let action = display.map(Action::Display);
        let (id, done) = self
            .write(faults, common, action, WriteMode::Commit)
            .await?;
        Ok(Response::new(v1::UpdateGameResponse {
            game: Some(encode::game(id, &done.session)),
            etag: done.written.event.to_string(),
            replayed: done.written.replayed,
        }))
    }

    async fn rematch(
        &self,
        request: Request<v1::RematchRequest>,
    ) -> Result<Response<v1::RematchResponse>, Status> {
        let (request, caller) = self.open(request);
        let mut faults = Faults::default();
        let (name, request_id) = (&request.name, &request.request_id);
        let common = Common::decode(&mut faults, name, "", request_id, caller.clone());
        let colors = faults.known("colors", request.colors);
        let colors = colors.map(|colors| match colors {
            v1::RematchColors::Unspecified | v1::RematchColors::Swap => RematchColors::Swap,
            v1::RematchColors::Keep => RematchColors::Keep,
            v1::RematchColors::Lots => RematchColors::Lots,
        });
        let (id, colors) = faults.finish(common.id.zip(colors))?;
        let rematch = Rematch {
            id,
            colors,
            token: caller.token,
            request_id: common.request_id.clone(),
        };
        let rematched = caller
            .games
            .rematch(&rematch)
            .await
            .map_err(|error| status::refused_write(error, &common.request_id, None))?;
        let next = &rematched.next;
        let mut response = Response::new(v1::RematchResponse {
            game: Some(encode::game(next.id, &next.session)),
            replayed: next.replayed,
        });
        if let Some(side) = rematched.side
            && let Some(token) = self.games.seat_token(next.id, &next.session, side).await?
        {
            reveal(&mut response, TOKEN, token);
        }
        Ok(response)
    }

    type WatchGameStream = Updates;

    async fn watch_game(
        &self,
        request: Request<v1::WatchGameRequest>,
    ) -> Result<Response<Updates>, Status> {
        let deadline = deadline(request.metadata().as_ref());
        let (request, caller) = self.open(request);
        let mut faults = Faults::default();
        let id = decode::game_id(&mut faults, "name", &request.name);
        let side = decode::optional_color(&mut faults, "side", request.side);
        let after = decode::short_text(&mut faults, "after_etag", request.after_etag);
        let (id, side) = faults.finish(id.zip(side))?;
        let after = (!after.is_empty()).then(|| event_number(&after));
        let presence = match side {
            None => None,
            Some(side) => presence(&caller, id, side).await?,
        };
        let watch = caller.games.watch(id, after).await?;
        let stopping = self.stopping.clone();
        let updates = watch::updates(watch, stopping, deadline, presence);
        Ok(Response::new(updates))
    }

    type WatchGamesStream = GamesUpdates;

    async fn watch_games(
        &self,
        request: Request<v1::WatchGamesRequest>,
    ) -> Result<Response<GamesUpdates>, Status> {
        let deadline = deadline(request.metadata().as_ref());
        let (request, caller) = self.open(request);
        let watch = caller
            .games
            .watch_many(watch_games::request(request)?)
            .await?;
        let updates = watch_games::updates(watch, self.stopping.clone(), deadline);
        Ok(Response::new(updates))
    }
}

impl GameHandlers {
    /// Adds the tokens of the seats that were given to persons when a game was created.
    async fn reveal_tokens(
        &self,
        response: &mut Response<v1::CreateGameResponse>,
        created: &Created,
    ) -> Result<(), Status> {
        let session = &created.session;
        let Some(seats) = session.seats_at_creation() else {
            return Ok(());
        };
        for (side, key) in [(Color::Black, BLACK_TOKEN), (Color::White, WHITE_TOKEN)] {
            if seats.of(side).occupant == Occupant::Person
                && let Some(token) = self.games.seat_token(created.id, session, side).await?
            {
                reveal(response, key, token);
            }
        }
        Ok(())
    }
}

/// What is to be done for a watcher who plays.
async fn presence(caller: &Caller, id: GameId, side: Color) -> Result<Option<Presence>, Status> {
    let within = caller.games.presence(id, side, caller.token).await?;
    Ok(within.map(|within| Presence {
        games: caller.games.clone(),
        side,
        within,
    }))
}

fn only_name(name: &str) -> Result<GameId, Status> {
    let mut faults = Faults::default();
    let id = decode::game_id(&mut faults, "name", name);
    Ok(faults.finish(id)?)
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
