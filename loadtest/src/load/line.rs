//! A connection that is opened again when it is lost.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use super::run::LoadError;
use crate::wire::{Deadline, Failure, Keep, Link, Rpc, Target, frame};

/// How long to wait before a lost connection is tried again.
const RETRY: Duration = Duration::from_millis(100);

/// One place for a connection.
#[derive(Debug)]
pub(crate) struct Line {
    target: Rc<Target>,
    patience: Duration,
    link: RefCell<Option<Link>>,
    changed: Notify,
    lost_at: Cell<Option<Instant>>,
    reopened: Cell<u64>,
}

impl Line {
    /// Opens a connection and asks the server for a sign of life.
    pub(crate) async fn open(target: Rc<Target>, patience: Duration) -> Result<Self, LoadError> {
        let link = connect(&target, patience).await?;
        Ok(Self {
            target,
            patience,
            link: RefCell::new(Some(link)),
            changed: Notify::new(),
            lost_at: Cell::new(None),
            reopened: Cell::new(0),
        })
    }

    /// The connection, unless it is lost at the moment.
    pub(crate) fn link(&self) -> Option<Link> {
        self.link.borrow().clone()
    }

    /// The connection, as soon as there is one.
    pub(crate) async fn wait(&self) -> Link {
        loop {
            let changed = self.changed.notified();
            if let Some(link) = self.link() {
                return link;
            }
            changed.await;
        }
    }

    /// Gives up a connection that takes no more calls.
    pub(crate) fn retire(&self) {
        if self.link.take().is_some() {
            self.lost_at.set(Some(Instant::now()));
            self.changed.notify_waiters();
        }
    }

    /// Since when there has been no connection.
    pub(crate) fn lost_at(&self) -> Option<Instant> {
        self.lost_at.get()
    }

    /// How often the connection had to be opened again.
    pub(crate) fn reopened(&self) -> u64 {
        self.reopened.get()
    }

    /// Opens the connection again whenever it is lost. Never ends.
    pub(crate) async fn keep_open(&self) {
        loop {
            if let Some(link) = self.link() {
                let changed = self.changed.notified();
                tokio::select! {
                    () = link.closed() => self.retire(),
                    () = changed => {}
                }
            }
            if let Ok(link) = connect(&self.target, self.patience).await {
                self.link.replace(Some(link));
                self.lost_at.set(None);
                self.reopened.set(self.reopened.get() + 1);
                self.changed.notify_waiters();
            } else {
                sleep(RETRY).await;
            }
        }
    }
}

/// A connection on which the server has answered a call: then its limits are known too.
async fn connect(target: &Rc<Target>, patience: Duration) -> Result<Link, LoadError> {
    let endpoint = || target.endpoint().to_string();
    let unreachable = |source| LoadError::Unreachable {
        endpoint: endpoint(),
        source,
    };
    let opening = async {
        let stream = target.connect().await?;
        Link::open(stream, Rc::clone(target)).await
    };
    let mut link = timeout(patience, opening)
        .await
        .map_err(|_| unreachable(std::io::ErrorKind::TimedOut.into()))?
        .map_err(unreachable)?;
    let ask = link.unary(Rpc::GetServerInfo, question(), Keep::Size);
    let answer = Deadline::new(patience).keep(Instant::now(), ask).await;
    match answer.unwrap_or(Err(Failure::Deadline)) {
        // Any status is a sign of life.
        Ok(_) | Err(Failure::Status(_)) => Ok(link),
        Err(failure) => Err(LoadError::NotGrpc {
            endpoint: endpoint(),
            failure: failure.to_string(),
        }),
    }
}

/// `GetServerInfoRequest` has no fields.
fn question() -> Bytes {
    frame::encode(&reversi_proto::v1::GetServerInfoRequest {})
}
