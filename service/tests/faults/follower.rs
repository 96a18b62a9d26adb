//! One who watches all games at once, and goes on from the last cursor when the watch ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reversi_proto::v1;
use reversi_proto::v1::watch_games_response::Update;

use crate::client::Random;
use crate::world::Service;

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(30);

/// What was told of all games.
#[derive(Debug, Default)]
pub(crate) struct Followed(Mutex<Told>);

#[derive(Debug, Default)]
struct Told {
    cursor: String,
    /// The last etag of each game.
    etags: HashMap<String, u32>,
    /// How often something may have been missed.
    missed: usize,
}

impl Followed {
    /// Whether the watch has begun.
    pub(crate) fn has_begun(&self) -> bool {
        !self.0.lock().unwrap().cursor.is_empty()
    }

    /// The last etag that was told of a game.
    pub(crate) fn etag(&self, name: &str) -> Option<u32> {
        self.0.lock().unwrap().etags.get(name).copied()
    }

    /// How often it was told that something may have been missed.
    pub(crate) fn missed(&self) -> usize {
        self.0.lock().unwrap().missed
    }

    fn note(&self, message: v1::WatchGamesResponse) {
        let mut told = self.0.lock().unwrap();
        match message.update.expect("an update") {
            Update::Start(start) => told.missed += usize::from(start.missed),
            Update::Progress(_) => {}
            Update::Change(change) => {
                let etag = change.etag.parse().expect("games are not deleted");
                told.etags.insert(change.name, etag);
            }
        }
        if !message.cursor.is_empty() {
            told.cursor = message.cursor;
        }
    }
}

/// Notes what becomes of all games.
pub(crate) async fn follow(service: Arc<Service>, followed: Arc<Followed>) {
    let mut random = Random(7);
    loop {
        let request = v1::WatchGamesRequest {
            cursor: followed.0.lock().unwrap().cursor.clone(),
            ..Default::default()
        };
        if let Ok(response) = service.games(&mut random).watch_games(request).await {
            let mut updates = response.into_inner();
            while let Ok(Some(message)) = updates.message().await {
                followed.note(message);
            }
        }
        service.pause(PAUSE).await;
    }
}
