//! A connection to a server, and the calls that many tests make.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::future::Future;
use std::time::Duration;

use reversi_proto::v1;
use reversi_proto::v1::analysis_service_client::AnalysisServiceClient;
use reversi_proto::v1::game_service_client::GameServiceClient;
use reversi_proto::v1::opening_service_client::OpeningServiceClient;
use reversi_proto::v1::play_move_request::Expected;
use reversi_proto::v1::rules_service_client::RulesServiceClient;
use reversi_proto::v1::watch_game_response::Update;
use reversi_proto::v1::watch_games_response::Update as GamesUpdate;
use tonic::transport::{Channel, Endpoint};
use tonic::{Response, Status, Streaming};

/// How long anything may take before a test gives up.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// The result of something that has to happen soon.
///
/// # Panics
///
/// If it does not.
#[track_caller]
pub(crate) fn soon<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let caller = std::panic::Location::caller();
    async move {
        tokio::time::timeout(LIMIT, future)
            .await
            .unwrap_or_else(|_| panic!("not within {LIMIT:?}: {caller}"))
    }
}

/// Waits until a condition holds.
///
/// # Panics
///
/// If it does not hold soon.
pub(crate) async fn until(mut condition: impl AsyncFnMut() -> bool) {
    let mut ticks = tokio::time::interval(Duration::from_millis(2));
    soon(async {
        while !condition().await {
            ticks.tick().await;
        }
    })
    .await;
}

/// A connection to a server.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) channel: Channel,
}

impl Client {
    pub(crate) fn new(endpoint: &str) -> Self {
        Self {
            channel: connect(endpoint),
        }
    }

    pub(crate) fn rules(&self) -> RulesServiceClient<Channel> {
        RulesServiceClient::new(self.channel.clone())
    }

    pub(crate) fn games(&self) -> GameServiceClient<Channel> {
        GameServiceClient::new(self.channel.clone())
    }

    pub(crate) fn openings(&self) -> OpeningServiceClient<Channel> {
        OpeningServiceClient::new(self.channel.clone())
    }

    pub(crate) fn analysis(&self) -> AnalysisServiceClient<Channel> {
        AnalysisServiceClient::new(self.channel.clone())
    }

    pub(crate) async fn create(&self, request: v1::CreateGameRequest) -> v1::Game {
        let response = self.games().create_game(request).await.unwrap();
        response.into_inner().game.unwrap()
    }

    /// A game under these rules.
    pub(crate) async fn game_of(&self, rules: v1::RuleSet) -> v1::Game {
        self.create(v1::CreateGameRequest {
            rules: Some(rules),
            ..Default::default()
        })
        .await
    }

    /// A game of the usual kind.
    pub(crate) async fn game(&self) -> v1::Game {
        self.create(v1::CreateGameRequest::default()).await
    }

    pub(crate) async fn get(&self, name: &str) -> v1::Game {
        self.try_get(name).await.unwrap()
    }

    pub(crate) async fn try_get(&self, name: &str) -> Result<v1::Game, Status> {
        let name = name.to_owned();
        let response = self.games().get_game(v1::GetGameRequest { name }).await?;
        Ok(response.into_inner().game.unwrap())
    }

    /// Plays a move of the side to move.
    pub(crate) async fn try_play(
        &self,
        game: &v1::Game,
        square: &str,
    ) -> Result<v1::PlayMoveResponse, Status> {
        let response = self.games().play_move(a_move(game, square)).await;
        response.map(Response::into_inner)
    }

    pub(crate) async fn play(&self, game: &v1::Game, square: &str) -> v1::Game {
        self.try_play(game, square).await.unwrap().game.unwrap()
    }

    /// Plays several moves, passes left out.
    pub(crate) async fn play_all(&self, mut game: v1::Game, squares: &str) -> v1::Game {
        for square in squares_of(squares) {
            game = self.play(&game, square).await;
        }
        game
    }

    /// Proposes to take back, and lets the other side accept.
    pub(crate) async fn take_back(
        &self,
        name: &str,
        side: v1::Color,
    ) -> Result<v1::AnswerTakeBackResponse, Status> {
        let request = v1::TakeBackRequest {
            name: name.to_owned(),
            side: side.into(),
            ..Default::default()
        };
        self.games().take_back(request).await?;
        let request = v1::AnswerTakeBackRequest {
            name: name.to_owned(),
            side: other(side).into(),
            accept: true,
            ..Default::default()
        };
        let response = self.games().answer_take_back(request).await;
        response.map(Response::into_inner)
    }

    /// Says that the legal moves are shown, which they are anyhow: one event.
    pub(crate) async fn show_legal_moves(&self, name: &str) -> v1::Game {
        let request = v1::UpdateGameRequest {
            name: name.to_owned(),
            legal_moves_display: v1::LegalMovesDisplay::Shown.into(),
            ..Default::default()
        };
        let response = self.games().update_game(request).await.unwrap();
        response.into_inner().game.unwrap()
    }

    pub(crate) async fn resign(
        &self,
        name: &str,
        side: v1::Color,
    ) -> Result<v1::ResignResponse, Status> {
        let request = v1::ResignRequest {
            name: name.to_owned(),
            side: side.into(),
            ..Default::default()
        };
        self.games().resign(request).await.map(Response::into_inner)
    }

    pub(crate) async fn delete(&self, name: &str) -> Result<(), Status> {
        let request = v1::DeleteGameRequest {
            name: name.to_owned(),
            ..Default::default()
        };
        self.games().delete_game(request).await.map(|_| ())
    }

    /// A watch from a snapshot on, or from the change after an etag.
    pub(crate) async fn watch(&self, name: &str, after_etag: &str) -> Watch {
        self.try_watch(name, after_etag).await.unwrap()
    }

    pub(crate) async fn try_watch(&self, name: &str, after_etag: &str) -> Result<Watch, Status> {
        watch(self.games(), name, after_etag).await
    }
}

impl Client {
    /// A watch of games from now on.
    pub(crate) async fn watch_games(&self, player_id: &str, label: &str) -> GamesWatch {
        let (watch, missed) = self.watch_games_from(player_id, label, "").await.unwrap();
        assert!(!missed);
        watch
    }

    /// A watch of games from a cursor on, and whether it has missed something.
    pub(crate) async fn watch_games_from(
        &self,
        player_id: &str,
        label: &str,
        cursor: &str,
    ) -> Result<(GamesWatch, bool), Status> {
        let request = v1::WatchGamesRequest {
            player_id: player_id.to_owned(),
            label: label.to_owned(),
            cursor: cursor.to_owned(),
        };
        watch_games(self.games(), tonic::Request::new(request)).await
    }
}

pub(crate) async fn watch(
    mut games: GameServiceClient<Channel>,
    name: &str,
    after_etag: &str,
) -> Result<Watch, Status> {
    let request = v1::WatchGameRequest {
        name: name.to_owned(),
        after_etag: after_etag.to_owned(),
        ..Default::default()
    };
    let response = soon(games.watch_game(request)).await?;
    Ok(Watch(response.into_inner()))
}

/// A watch of games.
#[derive(Debug)]
pub(crate) struct GamesWatch {
    updates: Streaming<v1::WatchGamesResponse>,
    /// The last cursor.
    pub(crate) cursor: String,
}

/// Starts a watch of games, whose first message says whether changes may have been missed.
pub(crate) async fn watch_games(
    mut games: GameServiceClient<Channel>,
    request: tonic::Request<v1::WatchGamesRequest>,
) -> Result<(GamesWatch, bool), Status> {
    let response = soon(games.watch_games(request)).await?;
    let mut watch = GamesWatch {
        updates: response.into_inner(),
        cursor: String::new(),
    };
    match watch.next().await? {
        GamesUpdate::Start(start) => Ok((watch, start.missed)),
        other @ (GamesUpdate::Change(_) | GamesUpdate::Progress(_)) => {
            panic!("expected the start, found {other:?}")
        }
    }
}

impl GamesWatch {
    /// The next update, of whatever kind.
    pub(crate) async fn next(&mut self) -> Result<GamesUpdate, Status> {
        let message = soon(self.updates.message()).await?;
        let message = message.expect("a watch of games does not end");
        if !message.cursor.is_empty() {
            self.cursor = message.cursor;
        }
        Ok(message.update.expect("an update"))
    }

    /// The next change.
    pub(crate) async fn change(&mut self) -> v1::GameChange {
        loop {
            match self.next().await.unwrap() {
                GamesUpdate::Change(change) => return change,
                GamesUpdate::Progress(_) => {}
                GamesUpdate::Start(start) => panic!("it begins anew: {start:?}"),
            }
        }
    }

    /// The change of a game after which it has this etag.
    pub(crate) async fn until_etag(&mut self, name: &str, etag: &str) -> v1::GameChange {
        loop {
            let change = self.change().await;
            if change.name == name && change.etag == etag {
                return change;
            }
        }
    }
}

/// A connection that is made when it is first used.
pub(crate) fn connect(endpoint: &str) -> Channel {
    Endpoint::from_shared(endpoint.to_owned())
        .unwrap()
        .connect_lazy()
}

/// A watch of a game.
#[derive(Debug)]
pub(crate) struct Watch(pub(crate) Streaming<v1::WatchGameResponse>);

impl Watch {
    /// The next message; `None` at the end.
    pub(crate) async fn try_next(&mut self) -> Result<Option<Update>, Status> {
        let message = soon(self.0.message()).await?;
        Ok(message.map(|message| message.update.expect("an update")))
    }

    pub(crate) async fn next(&mut self) -> Option<Update> {
        self.try_next().await.unwrap()
    }

    pub(crate) async fn event(&mut self) -> v1::GameEvent {
        match self.next().await {
            Some(Update::Event(event)) => event,
            other => panic!("expected an event, found {other:?}"),
        }
    }

    pub(crate) async fn snapshot(&mut self) -> v1::GameSnapshot {
        match self.next().await {
            Some(Update::Snapshot(snapshot)) => snapshot,
            other => panic!("expected a snapshot, found {other:?}"),
        }
    }
}

/// The other side.
pub(crate) fn other(side: v1::Color) -> v1::Color {
    match side {
        v1::Color::Black => v1::Color::White,
        v1::Color::White => v1::Color::Black,
        v1::Color::Unspecified => side,
    }
}

/// The side to move.
pub(crate) fn to_move(game: &v1::Game) -> v1::Color {
    game.position.as_ref().unwrap().side_to_move()
}

/// A move of the side to move, where the game is now.
pub(crate) fn a_move(game: &v1::Game, square: &str) -> v1::PlayMoveRequest {
    v1::PlayMoveRequest {
        name: game.name.clone(),
        side: to_move(game).into(),
        square: square.to_owned(),
        expected: Some(Expected::ExpectedPly(game.ply)),
        ..Default::default()
    }
}

/// `f5d6c3` as `f5`, `d6`, `c3`.
pub(crate) fn squares_of(text: &str) -> impl Iterator<Item = &str> {
    (0..text.len()).step_by(2).map(|at| &text[at..at + 2])
}

/// A position in text, with the side to move.
pub(crate) fn text_position(text: &str, side_to_move: v1::Color) -> v1::Position {
    v1::Position {
        board: Some(v1::position::Board::Text(text.to_owned())),
        side_to_move: side_to_move.into(),
    }
}

/// The bitboards of a position: black, white.
pub(crate) fn bitboards(position: &v1::Position) -> (u64, u64) {
    match &position.board {
        Some(v1::position::Board::Bitboards(boards)) => (boards.black, boards.white),
        other => panic!("expected bitboards, found {other:?}"),
    }
}

/// The usual start.
pub(crate) const START: &str = "---------------------------OX------XO---------------------------";

/// Twelve moves after which Black must pass.
pub(crate) const UNTIL_BLACK_MUST_PASS: &str = "f5d6c4g5d7c7h5d8b8b7b6a7";

/// Nine moves after which White has no disc left.
pub(crate) const SHORTEST_GAME: &str = "e6f4e3f6g5d6e7f5c5";

/// A board on which neither side can move.
pub(crate) const DEAD: &str = "XX------------------------------------------------------------OO";

/// A board on which White can move, with c1 as its only move, and Black cannot.
pub(crate) const ONLY_WHITE_MOVES: &str =
    "OX--------------------------------------------------------------";

/// Numbers that look random: SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// One of these.
    pub(crate) fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        let count = u64::try_from(items.len()).unwrap();
        &items[usize::try_from(self.next() % count).unwrap()]
    }
}
