//! A connection that is opened again when it is lost.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep, timeout};

use super::run::LoadError;
use crate::wire::{Failure, Keep, Link, Rpc, Target, frame};

/// How long to wait before a lost connection is tried again.
const RETRY: Duration = Duration::from_millis(100);

/// One place for a connection.
#[derive(Debug)]
pub(crate) struct Line {
    link: RefCell<Option<Link>>,
    changed: Notify,
    lost: RefCell<Option<Lost>>,
    reopened: Cell<u64>,
    /// Bytes received and sent on the connections before this one.
    transferred: Cell<(u64, u64)>,
    /// `None` where no more calls could be made at once than are allowed.
    permits: Option<Semaphore>,
}

/// What is known of a connection that could not be kept.
#[derive(Clone, Debug)]
pub(crate) struct Lost {
    /// Since when.
    pub(crate) since: Instant,
    /// Why, as far as it is known.
    pub(crate) why: String,
}

impl Line {
    /// A line with an open connection for so many lanes, on which at most so many calls are made
    /// at once.
    pub(crate) fn new(link: Link, lanes: usize, in_flight: usize) -> Self {
        Self {
            link: RefCell::new(Some(link)),
            changed: Notify::new(),
            lost: RefCell::new(None),
            reopened: Cell::new(0),
            transferred: Cell::new((0, 0)),
            permits: (lanes > in_flight).then(|| Semaphore::new(in_flight)),
        }
    }

    /// Whether there is a connection.
    pub(crate) fn is_open(&self) -> bool {
        self.link.borrow().is_some()
    }

    /// The connection, unless it is lost at the moment.
    pub(crate) fn link(&self) -> Option<Link> {
        self.link.borrow().clone()
    }

    /// Takes the connection away.
    pub(crate) fn take(&self) -> Option<Link> {
        let link = self.link.take()?;
        let (before, more) = (self.transferred.get(), link.transferred());
        self.transferred.set((before.0 + more.0, before.1 + more.1));
        Some(link)
    }

    /// Bytes received and sent on the connections that were taken away.
    pub(crate) const fn transferred(&self) -> (u64, u64) {
        self.transferred.get()
    }

    /// Waits until there is a connection.
    pub(crate) async fn ready(&self) {
        loop {
            let changed = self.changed.notified();
            if self.is_open() {
                return;
            }
            changed.await;
        }
    }

    /// The connection, as soon as there is one.
    pub(crate) async fn wait(&self) -> Link {
        loop {
            if let Some(link) = self.link() {
                return link;
            }
            self.ready().await;
        }
    }

    /// Leave to make one call more at once; `None` if it needs none.
    pub(crate) async fn permit(&self) -> Option<SemaphorePermit<'_>> {
        let permit = self.permits.as_ref()?.acquire().await;
        Some(permit.expect("invariant: nobody closes the semaphore"))
    }

    /// Gives up a connection that takes no more calls, if it is still in use.
    pub(crate) fn retire(&self, link: &Link, why: &str) {
        if self.link().is_some_and(|current| current.is_same(link)) {
            self.take();
            self.lost.replace(Some(Lost {
                since: Instant::now(),
                why: why.to_owned(),
            }));
            self.changed.notify_waiters();
        }
    }

    /// Since when and why there is no connection, if there is none.
    pub(crate) fn lost(&self) -> Option<Lost> {
        self.lost.borrow().clone()
    }

    /// How often the connection had to be opened again.
    pub(crate) fn reopened(&self) -> u64 {
        self.reopened.get()
    }

    /// Opens the connection again whenever it is lost. Never ends.
    pub(crate) async fn keep_open(&self, target: &Rc<Target>, patience: Duration) {
        loop {
            if let Some(link) = self.link() {
                let changed = self.changed.notified();
                tokio::select! {
                    why = link.closed() => self.retire(&link, &why),
                    () = changed => {}
                }
                continue;
            }
            match connect(target, patience).await {
                Ok(link) => {
                    self.link.replace(Some(link));
                    self.lost.replace(None);
                    self.reopened.set(self.reopened.get() + 1);
                    self.changed.notify_waiters();
                }
                Err(error) => {
                    if let Some(lost) = self.lost.borrow_mut().as_mut() {
                        lost.why = error.to_string();
                    }
                    sleep(RETRY).await;
                }
            }
        }
    }
}

/// Opens a connection and waits until the server has answered a call on it: then its limits are
/// known too.
pub(crate) async fn connect(target: &Rc<Target>, patience: Duration) -> Result<Link, LoadError> {
    Ok(introduce(target, patience).await?.0)
}

/// Opens a connection and asks the server what it is; the answer too, if it gave one.
pub(super) async fn introduce(
    target: &Rc<Target>,
    patience: Duration,
) -> Result<(Link, Option<Bytes>), LoadError> {
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
    // It has no fields.
    let question = frame::encode(&reversi_proto::v1::GetServerInfoRequest {});
    let ask = link.unary(Rpc::GetServerInfo, question, Keep::Message);
    let answer = timeout(patience, ask).await;
    match answer.unwrap_or(Err(Failure::Deadline)) {
        Ok(reply) => Ok((link, Some(reply.message))),
        // Any status is a sign of life.
        Err(Failure::Status(_)) => Ok((link, None)),
        Err(failure) => Err(LoadError::NotGrpc {
            endpoint: endpoint(),
            failure: failure.to_string(),
        }),
    }
}
