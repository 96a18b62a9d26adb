//! Replicas, and the games that are played on them while something goes wrong.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reversi_proto::v1;
use reversi_proto::v1::game_service_client::GameServiceClient;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tonic::transport::Channel;

use crate::check::{Promise, Tally};
use crate::client::{Random, connect, soon};
use crate::follower::Followed;
use crate::process::Process;
use crate::record::Game;
use crate::redis_server::free_port;
use crate::table::Row;
use crate::{follower, player, watcher};

const REPLICAS: usize = 3;
/// Games at once.
const PLAYERS: u64 = 60;
/// Answers between two faults: as many as show that all goes on.
const BETWEEN: usize = 400;
/// How long each fault is repeated if nobody says.
const SECONDS: u64 = 2;

/// Calls of one server.
pub(crate) type Games = GameServiceClient<Channel>;

/// Replicas on one Redis.
#[derive(Debug)]
pub(crate) struct World {
    replicas: Vec<Replica>,
    seed: u64,
}

/// A server on a port of its own that can be started again.
#[derive(Debug)]
struct Replica {
    process: Option<Process>,
    flags: Vec<String>,
    channel: Channel,
}

/// The replicas as players see them.
#[derive(Debug)]
pub(crate) struct Service {
    channels: Vec<Channel>,
    over: AtomicBool,
    is_over: Notify,
    answers: AtomicUsize,
    answered: Notify,
    games: Mutex<Vec<Arc<Game>>>,
    watchers: Mutex<JoinSet<()>>,
}

impl World {
    /// Starts servers with these flags added.
    pub(crate) async fn start(flags: &[&str]) -> Self {
        let mut replicas = Vec::new();
        for _ in 0..REPLICAS {
            let address = format!("127.0.0.1:{}", free_port());
            let mut all = vec!["--listen".to_owned(), address.clone()];
            all.extend(flags.iter().map(|&flag| flag.to_owned()));
            let mut replica = Replica {
                process: None,
                flags: all,
                channel: connect(&format!("http://{address}")),
            };
            replica.start().await;
            replicas.push(replica);
        }
        let seed = getrandom();
        println!("seed {seed}");
        Self { replicas, seed }
    }

    /// Kills a replica, and starts it again after as many answers as come from the others.
    pub(crate) async fn kill_replica(&mut self, number: usize, service: &Service) {
        let replica = &mut self.replicas[number % REPLICAS];
        if let Some(mut process) = replica.process.take() {
            process.kill();
        }
        service.progress(BETWEEN / 4).await;
        replica.start().await;
    }

    /// Plays games while a fault is made again and again, and checks them.
    pub(crate) async fn suffer(
        &mut self,
        fault: &'static str,
        promise: Promise,
        mut make: impl AsyncFnMut(&mut Self, &Service, usize),
    ) -> Row {
        let service = Arc::new(Service {
            channels: (self.replicas.iter())
                .map(|replica| replica.channel.clone())
                .collect(),
            over: AtomicBool::new(false),
            is_over: Notify::new(),
            answers: AtomicUsize::new(0),
            answered: Notify::new(),
            games: Mutex::default(),
            watchers: Mutex::default(),
        });
        let followed = Arc::<Followed>::default();
        let following = follower::follow(Arc::clone(&service), Arc::clone(&followed));
        service.watchers.lock().unwrap().spawn(following);
        crate::client::until(async || followed.has_begun()).await;
        let mut players = JoinSet::new();
        for number in 0..PLAYERS {
            self.seed += 4;
            players.spawn(player::play(Arc::clone(&service), self.seed + number % 4));
        }
        service.progress(BETWEEN).await;
        let end = Instant::now() + seconds();
        let mut count = 0;
        while count < 2 || Instant::now() < end {
            make(self, &service, count).await;
            service.progress(BETWEEN).await;
            count += 1;
        }
        service.over.store(true, Ordering::Release);
        service.is_over.notify_waiters();
        while let Some(ended) = soon(players.join_next()).await {
            ended.unwrap();
        }
        let tally = service.check(promise, &followed).await;
        Row {
            fault,
            count,
            tally,
        }
    }
}

impl Replica {
    async fn start(&mut self) {
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        self.process = Some(Process::start(&flags).await);
    }
}

impl Service {
    /// Calls of a replica drawn at random.
    pub(crate) fn games(&self, random: &mut Random) -> Games {
        Games::new(random.choose(&self.channels).clone())
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Lets some time pass.
    pub(crate) async fn pause(&self, time: Duration) {
        // To play slowly is what is wanted: nothing waits for the end of it.
        tokio::time::sleep(time).await;
    }

    pub(crate) fn answered(&self) {
        self.answers.fetch_add(1, Ordering::Release);
        self.answered.notify_waiters();
    }

    /// Waits for so many more answers.
    pub(crate) async fn progress(&self, answers: usize) {
        let target = self.answers.load(Ordering::Acquire) + answers;
        soon(async {
            loop {
                let answered = self.answered.notified();
                if self.answers.load(Ordering::Acquire) >= target {
                    return;
                }
                answered.await;
            }
        })
        .await;
    }

    /// A game begins, and is watched.
    pub(crate) fn begin(self: &Arc<Self>, game: &Arc<Game>) {
        let mut games = self.games.lock().unwrap();
        games.push(Arc::clone(game));
        let seed = u64::try_from(games.len()).unwrap();
        let watch = watcher::watch(Arc::clone(self), Arc::clone(game), seed);
        self.watchers.lock().unwrap().spawn(watch);
    }

    async fn check(&self, promise: Promise, followed: &Followed) -> Tally {
        let mut tally = Tally::default();
        let games = std::mem::take(&mut *self.games.lock().unwrap());
        let mut random = Random(1);
        for game in &games {
            let mut found = self.find(game, &mut random).await;
            if game.is_timed {
                soon(async {
                    while found.as_ref().is_some_and(|found| !is_over(found)) {
                        self.pause(Duration::from_millis(30)).await;
                        found = self.find(game, &mut random).await;
                    }
                })
                .await;
            }
            if let (Promise::Kept, Some(found)) = (promise, &mut found) {
                self.until_watched(game, found, followed).await;
            }
            tally.add(game, found.as_ref(), promise);
        }
        if promise == Promise::Kept {
            assert_eq!(
                followed.missed(),
                0,
                "who follows all games missed something"
            );
        }
        tally
    }

    /// A game as it is left.
    async fn find(&self, game: &Game, random: &mut Random) -> Option<v1::Game> {
        let name = game.name.clone();
        let request = v1::GetGameRequest { name };
        soon(async {
            loop {
                match self.games(random).get_game(request.clone()).await {
                    Ok(response) => return response.into_inner().game,
                    Err(status) if status.code() == tonic::Code::NotFound => return None,
                    Err(_) => self.pause(Duration::from_millis(30)).await,
                }
            }
        })
        .await
    }

    /// Waits until the watcher, and who follows all games, have seen the last change.
    async fn until_watched(&self, game: &Game, found: &v1::Game, followed: &Followed) {
        let last: u32 = found.etag.parse().unwrap();
        crate::client::until(async || {
            let seen = game.log().watched.last().map_or(0, |(etag, _)| *etag);
            seen >= last && followed.etag(&game.name) == Some(last)
        })
        .await;
    }
}

/// Whether a game has ended.
fn is_over(game: &v1::Game) -> bool {
    game.state() == v1::GameState::Finished
}

/// How long each fault is repeated.
fn seconds() -> Duration {
    let seconds = std::env::var("REVERSI_FAULT_SECONDS");
    let seconds = seconds.map_or(SECONDS, |text| text.parse().expect("a number of seconds"));
    Duration::from_secs(seconds)
}

fn getrandom() -> u64 {
    let seed = std::env::var("REVERSI_FAULT_SEED");
    seed.map_or_else(
        |_| u64::from(std::process::id()) << 32,
        |text| text.parse().expect("a number"),
    )
}
