//! What a link keeps: its connections, and whether the server is there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use futures_util::future;
use redis::{PushInfo, PushKind, RedisResult};
use tokio::runtime::{self, Handle};
use tokio::sync::{Notify, watch};
use tokio::time::{self, Instant, MissedTickBehavior};

use super::lanes::{Lanes, Way};
use super::pinned::{Pinned, Which};
use crate::store::Availability;
use crate::store::redis::connector::{ConnectError, Connected, Connector, probe};
use crate::store::redis::fault::{Fault, NotConnected};
use crate::store::redis::url::Server;

#[derive(Debug)]
pub(super) struct State {
    pub(super) connector: Connector,
    /// The runtime on which the main connection is driven.
    home: runtime::Id,
    current: Mutex<Option<Current>>,
    /// Whether there has been a connection.
    made: AtomicBool,
    pub(super) availability: watch::Sender<Availability>,
    /// Asks the keeper to look after the connections now.
    pub(super) look: Notify,
}

#[derive(Debug)]
struct Current {
    /// The main connection.
    connected: Connected,
    /// Tells it from those before.
    number: u64,
    /// Those beside it, to the same server.
    lanes: Lanes,
}

impl Current {
    fn new(connected: Connected, number: u64) -> Self {
        Self {
            connected,
            number,
            lanes: Lanes::default(),
        }
    }
}

impl State {
    /// With a connection that is there.
    pub(super) async fn connect(
        connector: Connector,
        deadline: Instant,
    ) -> Result<Arc<Self>, ConnectError> {
        let state = Self::new(connector, Availability::Available);
        let connected = state.connector.first(deadline, on_push(&state)).await?;
        *state.lock() = Some(Current::new(connected, 0));
        Ok(state)
    }

    /// Without a connection, until its keeper has made one.
    pub(super) fn start(connector: Connector) -> Arc<Self> {
        let state = Self::new(connector, Availability::Unavailable);
        state.look.notify_one();
        state
    }

    fn new(connector: Connector, availability: Availability) -> Arc<Self> {
        Arc::new(Self {
            connector,
            home: Handle::current().id(),
            current: Mutex::default(),
            made: AtomicBool::new(availability == Availability::Available),
            availability: watch::Sender::new(availability),
            look: Notify::new(),
        })
    }

    /// Whether the first connection is still being made.
    pub(super) fn is_new(&self) -> bool {
        !self.made.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Current>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection that commands of this runtime take now.
    pub(super) fn pinned(self: &Arc<Self>) -> Result<Pinned<'_>, NotConnected> {
        let here = Handle::current().id();
        let mut current = self.lock();
        let current = current.as_mut().ok_or(NotConnected)?;
        let way = if here == self.home {
            Way::Main
        } else {
            current.lanes.way(here)
        };
        let number = current.number;
        let (connection, lane) = match way {
            Way::Lane(connection) => (connection, Some(here)),
            Way::Main => (current.connected.connection.clone(), None),
            Way::MainFirst => {
                let server = current.connected.server.clone();
                tokio::spawn(make_lane(Arc::clone(self), server, number));
                (current.connected.connection.clone(), None)
            }
        };
        Ok(Pinned {
            state: self,
            connection,
            which: Which { number, lane },
        })
    }

    /// Gives this connection up, if it is one of the current ones.
    pub(super) fn lose(&self, which: Which, reason: &str) {
        let mut current = self.lock();
        let Some(there) = current
            .as_mut()
            .filter(|there| there.number == which.number)
        else {
            return;
        };
        match which.lane {
            Some(lane) => there.lanes.shut(lane),
            None => {
                *current = None;
                self.availability.send_replace(Availability::Unavailable);
            }
        }
        drop(current);
        if which.lane.is_none() {
            tracing::warn!(address = self.connector.name(), reason, "Redis is lost");
        }
        self.look.notify_one();
    }

    /// Lets connections beside the main one be made anew that were given up.
    fn renew_lanes(&self) {
        if let Some(current) = &mut *self.lock() {
            current.lanes.renew();
        }
    }

    /// Finds out which connections are of use, and gives up those that are not. Whether there is
    /// a main one that is none of those that need to be given up.
    async fn check(&self) -> Availability {
        let (mut main, number, lanes) = match &*self.lock() {
            Some(current) => {
                let lanes = current.lanes.opened();
                (current.connected.clone(), current.number, lanes)
            }
            None => return Availability::Unavailable,
        };
        let lanes = lanes.into_iter().map(async |(lane, mut connection)| {
            let lane = Some(lane);
            self.judge(Which { number, lane }, probe(&mut connection).await);
        });
        let main = async {
            let lane = None;
            self.judge(
                Which { number, lane },
                self.connector.check(&mut main).await,
            );
        };
        tokio::join!(main, future::join_all(lanes));
        Availability::Available
    }

    fn judge(&self, which: Which, answer: RedisResult<()>) {
        if let Err(error) = answer {
            match Fault::of(&error) {
                Fault::Lost | Fault::Late => self.lose(which, &error.to_string()),
                Fault::Refused | Fault::Wrong => {}
            }
        }
    }
}

/// Makes a connection for this runtime, beside the main one of this number.
async fn make_lane(state: Arc<State>, server: Server, number: u64) {
    let made = async {
        let mut made = state.connector.to(server, on_push(&state)).await?;
        probe(&mut made.connection).await?;
        RedisResult::Ok(made.connection)
    };
    let made = made.await;
    let here = Handle::current().id();
    if let Some(current) = state.lock().as_mut().filter(|there| there.number == number) {
        match made {
            Ok(connection) => current.lanes.open(here, connection),
            Err(_) => current.lanes.shut(here),
        }
    }
}

/// What is done with what comes without being asked for: only the end matters, and then the
/// keeper looks whose end it was. Holds no strong reference, since the connection holds it.
fn on_push(state: &Arc<State>) -> impl Fn(PushInfo) + Clone + Send + Sync + 'static {
    let state = Arc::downgrade(state);
    move |info| {
        if info.kind == PushKind::Disconnection
            && let Some(state) = Weak::upgrade(&state)
        {
            state.look.notify_one();
        }
    }
}

/// Looks after the connections: probes them now and then and when there is doubt, and makes a
/// new one when the main one is lost.
pub(super) async fn keep(state: Arc<State>) {
    let mut ticks = time::interval(state.connector.ping_interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut number = 0;
    loop {
        tokio::select! {
            _ = ticks.tick() => state.renew_lanes(),
            () = state.look.notified() => {}
        }
        if state.check().await == Availability::Available {
            continue;
        }
        number += 1;
        let connected = state.connector.again(on_push(&state)).await;
        let address = connected.server.address.to_string();
        let mut current = state.lock();
        *current = Some(Current::new(connected, number));
        state.made.store(true, Ordering::Release);
        state.availability.send_replace(Availability::Available);
        drop(current);
        tracing::info!(address, "connected to Redis");
    }
}
