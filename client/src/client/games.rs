//! `GameService`.

use reversi_proto::v1::{
    AnswerTakeBackRequest, AnswerTakeBackResponse, BatchGetGamesRequest, BatchGetGamesResponse,
    ClaimSeatRequest, ClaimSeatResponse, CreateGameRequest, CreateGameResponse, DeleteGameRequest,
    DeleteGameResponse, GetGameRequest, GetGameResponse, ListGamesRequest, ListGamesResponse,
    PlayMoveRequest, PlayMoveResponse, RematchRequest, RematchResponse, ResignRequest,
    ResignResponse, SetSeatRequest, SetSeatResponse, TakeBackRequest, TakeBackResponse,
    UpdateGameRequest, UpdateGameResponse, WatchGameRequest, WatchGameResponse, WatchGamesRequest,
    WatchGamesResponse, game_service_client::GameServiceClient,
};

use tonic::{Request, Response, Status, transport::Channel};

use super::Lifetime;
use crate::{Client, Error, GameWatch, GamesWatch, Replies, Seated, request_id};

/// Stored games; see [`Client::games`].
///
/// A write without a `request_id` is given a random one, so that the client can repeat it
/// where the service was unavailable, and it is carried out once. Give your own where *you*
/// may have to repeat it, after a crash for example.
///
/// Where a game has seat tokens, act by a client [with the token](Client::with_seat_token) of the
/// seat.
///
/// Each fails as the proto says of its rpc, and with [`Error`]'s own.
#[derive(Debug, Clone, Copy)]
pub struct Games<'a>(pub(super) &'a Client);

macro_rules! rpc {
    ($(#[$doc:meta])* read $name:ident($request:ty) -> $response:ty) => {
        rpc! { $(#[$doc])* $name, request: $request, $response, {} }
    };
    ($(#[$doc:meta])* write $name:ident($request:ty) -> $response:ty) => {
        rpc! {
            $(#[$doc])* $name, request: $request, $response,
            { request_id::fill_in(&mut request.request_id)?; }
        }
    };
    (
        $(#[$doc:meta])* $name:ident, $req:ident: $request:ty, $response:ty,
        { $($before:tt)* }
    ) => {
        $(#[$doc])*
        ///
        /// # Errors
        ///
        /// As the proto says of the rpc, and [`Error`]'s own.
        #[allow(unused_mut, reason = "only writes change the request")]
        pub async fn $name(&self, mut $req: $request) -> Result<$response, Error> {
            $($before)*
            self.0
                .unary($req, |channel, request| async move {
                    GameServiceClient::new(channel).$name(request).await
                })
                .await
        }
    };
}

impl Games<'_> {
    /// Creates a game, and answers the tokens of the seats that it gives to persons.
    ///
    /// # Errors
    ///
    /// As the proto says of the rpc, and [`Error`]'s own.
    pub async fn create_game(
        &self,
        mut request: CreateGameRequest,
    ) -> Result<Seated<CreateGameResponse>, Error> {
        request_id::fill_in(&mut request.request_id)?;
        self.seated(request, |channel, request| async move {
            GameServiceClient::new(channel).create_game(request).await
        })
        .await
    }

    /// Takes an open seat, and answers its token.
    ///
    /// # Errors
    ///
    /// As the proto says of the rpc, and [`Error`]'s own.
    pub async fn claim_seat(
        &self,
        mut request: ClaimSeatRequest,
    ) -> Result<Seated<ClaimSeatResponse>, Error> {
        request_id::fill_in(&mut request.request_id)?;
        self.seated(request, |channel, request| async move {
            GameServiceClient::new(channel).claim_seat(request).await
        })
        .await
    }

    /// Creates the game that follows one that is over, or finds it, and answers the token of the
    /// caller's seat in it.
    ///
    /// # Errors
    ///
    /// As the proto says of the rpc, and [`Error`]'s own.
    pub async fn rematch(
        &self,
        mut request: RematchRequest,
    ) -> Result<Seated<RematchResponse>, Error> {
        request_id::fill_in(&mut request.request_id)?;
        self.seated(request, |channel, request| async move {
            GameServiceClient::new(channel).rematch(request).await
        })
        .await
    }

    async fn seated<Q, A, F, C>(&self, request: Q, call: F) -> Result<Seated<A>, Error>
    where
        Q: Clone,
        F: Fn(Channel, Request<Q>) -> C,
        C: Future<Output = Result<Response<A>, Status>>,
    {
        let response = self.0.unary_with_metadata(request, call).await?;
        Ok(Seated::from(response))
    }

    rpc! {
        /// Plays a move.
        write play_move(PlayMoveRequest) -> PlayMoveResponse
    }
    rpc! {
        /// Takes a side's last disc back, with all that was played after it.
        write take_back(TakeBackRequest) -> TakeBackResponse
    }
    rpc! {
        /// Answers the other side's proposal to take back.
        write answer_take_back(AnswerTakeBackRequest) -> AnswerTakeBackResponse
    }
    rpc! {
        /// Hands a person's seat to the engine, or back to the person.
        write set_seat(SetSeatRequest) -> SetSeatResponse
    }
    rpc! {
        /// Changes what can be changed of a game beside its course.
        write update_game(UpdateGameRequest) -> UpdateGameResponse
    }
    rpc! {
        /// Gives up: the other side wins.
        write resign(ResignRequest) -> ResignResponse
    }
    rpc! {
        /// Gets a game.
        read get_game(GetGameRequest) -> GetGameResponse
    }
    rpc! {
        /// Gets several games in one call.
        read batch_get_games(BatchGetGamesRequest) -> BatchGetGamesResponse
    }
    rpc! {
        /// Lists games, newest first, a page a call.
        read list_games(ListGamesRequest) -> ListGamesResponse
    }
    rpc! {
        /// Deletes a game.
        write delete_game(DeleteGameRequest) -> DeleteGameResponse
    }

    /// Watches a game, going on where it was when the connection drops. `request.after_etag`
    /// is the last etag the caller has seen, empty for a snapshot first.
    ///
    /// # Errors
    ///
    /// As the proto says of the rpc, and [`Error`]'s own.
    pub async fn watch_game(&self, request: WatchGameRequest) -> Result<GameWatch, Error> {
        GameWatch::open(self.0.clone(), request).await
    }

    /// Watches many games, going on where it was when the connection drops. `request.cursor` is
    /// the last cursor of an earlier watch, empty for from now on.
    ///
    /// # Errors
    ///
    /// As the proto says of the rpc, and [`Error`]'s own.
    pub async fn watch_games(&self, request: WatchGamesRequest) -> Result<GamesWatch, Error> {
        GamesWatch::open(self.0.clone(), request).await
    }

    /// Opens one stream of a watch of games.
    pub(crate) async fn open_watch_of_games(
        self,
        request: WatchGamesRequest,
    ) -> Result<Replies<WatchGamesResponse>, Error> {
        self.0
            .streaming(Lifetime::Open, request, |channel, request| async move {
                GameServiceClient::new(channel).watch_games(request).await
            })
            .await
    }

    /// Opens one stream of a watch.
    pub(crate) async fn open_watch(
        self,
        request: WatchGameRequest,
    ) -> Result<Replies<WatchGameResponse>, Error> {
        self.0
            .streaming(Lifetime::Open, request, |channel, request| async move {
                GameServiceClient::new(channel).watch_game(request).await
            })
            .await
    }
}
