//! Watchers that go on where they were when their watch ends.

use std::sync::Arc;

use reversi_proto::v1::game_event::Kind;
use reversi_proto::v1::watch_game_response::Update;
use reversi_proto::v1::{self, GameState};
use std::time::Duration;

use crate::client::Random;
use crate::record::Game;
use crate::world::Service;

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(30);

/// Notes every change of a game until it is over.
pub(crate) async fn watch(service: Arc<Service>, game: Arc<Game>, seed: u64) {
    let mut random = Random(seed);
    loop {
        let after = game.log().watched.last().map_or(0, |(etag, _)| *etag);
        let request = v1::WatchGameRequest {
            name: game.name.clone(),
            after_etag: after.to_string(),
            ..Default::default()
        };
        if let Ok(response) = service.games(&mut random).watch_game(request).await {
            let mut updates = response.into_inner();
            while let Ok(Some(message)) = updates.message().await {
                if note(&game, message.update.expect("an update")) {
                    return;
                }
            }
        }
        service.pause(PAUSE).await;
    }
}

/// Notes an update, and says whether it is the last.
fn note(game: &Game, update: Update) -> bool {
    let mut log = game.log();
    match update {
        Update::Snapshot(snapshot) => {
            let now = snapshot.game.unwrap();
            let etag = now.etag.parse().unwrap();
            log.resets += 1;
            log.watched = vec![(etag, now.history.clone())];
            now.state() == GameState::Finished
        }
        Update::Event(event) => {
            let etag = event.etag.parse().unwrap();
            if let Some(Kind::MovesPlayed(played)) = event.kind {
                log.watched.push((etag, played.moves));
            } else if let Some(Kind::TimeExpired(_)) = event.kind {
                log.watched.push((etag, Vec::new()));
                log.run_out += 1;
            } else {
                // Such as that the game is deleted, as one is that a failover has lost.
                return true;
            }
            event.after.expect("the game").state() == GameState::Finished
        }
    }
}
