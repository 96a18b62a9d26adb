//! Players that ask again until they are answered.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use reversi_proto::v1::{self, ErrorReason, GameState};
use reversi_service::reason_name;
use tonic::{Code, Request, Response, Status};
use tonic_types::StatusExt;

use crate::client::{Random, a_move};
use crate::record::{Asked, Game, Read, Span};
use crate::world::Service;

/// How long an attempt may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(30);
/// Between two moves of a player.
const THINKING: Duration = Duration::from_millis(25);

/// How long a move of a game with a clock may take.
const TIME: Duration = Duration::from_secs(1);
/// One game in so many has a clock.
const TIMED: u64 = 3;
/// A game with a clock is left after fewer moves than this: then its time runs out.
const MOVES_BEFORE_LEAVING: u64 = 20;

/// A player who plays both sides of one game after the other.
pub(crate) async fn play(service: Arc<Service>, seed: u64) {
    let mut random = Random(seed);
    while !service.is_over() {
        let is_timed = random.next().is_multiple_of(TIMED);
        let request = v1::CreateGameRequest {
            request_id: format!("game {}", random.next()),
            clock: is_timed.then(clock),
            ..Default::default()
        };
        let (created, _, _) = service
            .ask(&mut random, &request, async |mut games, request| {
                games.create_game(request).await
            })
            .await;
        let created = created.expect("a game can be created").game.unwrap();
        let game = Arc::new(Game::new(&created));
        service.begin(&game);
        // A second player in every fourth game, who is often too late.
        let rival = seed.is_multiple_of(4).then(|| {
            let (service, game) = (Arc::clone(&service), Arc::clone(&game));
            tokio::spawn(play_game(service, game, !seed))
        });
        play_game(Arc::clone(&service), game, seed).await;
        if let Some(rival) = rival {
            rival.await.unwrap();
        }
    }
}

fn clock() -> v1::Clock {
    let time = prost_types::Duration::try_from(TIME).unwrap();
    v1::Clock {
        time: Some(v1::clock::Time::PerMove(time)),
        ..Default::default()
    }
}

async fn play_game(service: Arc<Service>, game: Arc<Game>, seed: u64) {
    let mut random = Random(seed ^ 0x5bd1_e995);
    let mut left = match game.is_timed {
        true => random.next() % MOVES_BEFORE_LEAVING,
        false => u64::MAX,
    };
    while !service.is_over() && left > 0 {
        left -= 1;
        let request = v1::GetGameRequest {
            name: game.name.clone(),
        };
        let (found, span, _) = service
            .ask(&mut random, &request, async |mut games, request| {
                games.get_game(request).await
            })
            .await;
        // Of a game that a failover has lost there is nothing to play.
        let Ok(found) = found else { return };
        let now = found.game.unwrap();
        let etag = now.etag.parse().unwrap();
        let deadline = deadline(&now);
        let read = Read {
            span,
            etag,
            deadline,
        };
        game.log().reads.push(read);
        if now.state() == GameState::Finished {
            return;
        }
        let legal = now.legal_moves.as_ref().unwrap();
        let mut request = a_move(&now, &random.choose(&legal.moves).square);
        request.request_id = format!("move {}", random.next());
        let (answer, span, failures) = service
            .ask(&mut random, &request, async |mut games, request| {
                games.play_move(request).await
            })
            .await;
        let acknowledged = match answer {
            Ok(response) => Some((response.etag.parse().unwrap(), response.moves)),
            Err(status) => {
                assert!(is_overtaken(&status, &game), "{status:?}");
                None
            }
        };
        game.log().moves.push(Asked {
            ply: now.ply.try_into().unwrap(),
            square: request.square,
            span,
            failures,
            acknowledged,
        });
        service.pause(THINKING).await;
    }
}

/// When the time of the side to move is over, as it is now.
pub(crate) fn deadline(game: &v1::Game) -> Option<SystemTime> {
    let deadline = game.clock_reading.as_ref()?.deadline?;
    Some(deadline.try_into().expect("a time"))
}

/// Another player was faster, or the time, or what both knew is lost.
fn is_overtaken(status: &Status, game: &Game) -> bool {
    let details = status.get_error_details();
    let reason = details.error_info().map(|info| info.reason.clone());
    let is = |overtaken| reason.as_deref() == Some(reason_name(overtaken));
    let too_late = [ErrorReason::TimeExpired, ErrorReason::GameOver];
    is(ErrorReason::StaleEtag)
        || is(ErrorReason::GameNotFound)
        || (game.is_timed && too_late.into_iter().any(is))
}

/// Whether the same request may be answered another time.
fn is_passing(status: &Status) -> bool {
    // A fault of the server has a reason, a broken connection has none.
    let has_reason = status.get_error_details().error_info().is_some();
    let passing = [
        Code::Unavailable,
        Code::DeadlineExceeded,
        Code::Cancelled,
        Code::Unknown,
    ];
    passing.contains(&status.code()) || (status.code() == Code::Internal && !has_reason)
}

impl Service {
    /// Asks replicas, drawn at random, until one of them answers or refuses; also how long it
    /// took and how many did not.
    async fn ask<Q: Clone, A>(
        &self,
        random: &mut Random,
        request: &Q,
        call: impl AsyncFn(crate::world::Games, Request<Q>) -> Result<Response<A>, Status>,
    ) -> (Result<A, Status>, Span, usize) {
        let start = Instant::now();
        let mut failures = 0;
        loop {
            let mut attempt = Request::new(request.clone());
            attempt.set_timeout(PATIENCE);
            let answer = call(self.games(random), attempt);
            let late = |_| Err(Status::deadline_exceeded("no answer at all"));
            let answer = tokio::time::timeout(2 * PATIENCE, answer).await;
            let answer = match answer.unwrap_or_else(late) {
                Err(status) if is_passing(&status) => {
                    failures += 1;
                    self.pause(PAUSE).await;
                    continue;
                }
                answer => answer.map(Response::into_inner),
            };
            let end = Instant::now();
            if answer.is_ok() {
                self.answered();
            }
            return (answer, Span { start, end }, failures);
        }
    }
}
