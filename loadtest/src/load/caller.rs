//! Makes the calls of one lane, and has them written down.

use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;
use tokio::time::Instant;

use super::line::Line;
use crate::measure::{Call, Recorder};
use crate::wire::{Deadline, Exchange, Failure, Incoming, Keep, Link, Reply, Rpc};
use crate::workload::Prepared;

/// Whose answers are compared with the right ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Checks {
    /// Those of the warm-up: comparing costs time.
    WarmUp,
    /// All.
    All,
}

/// Makes calls on one line, one after the other.
#[derive(Debug)]
pub(crate) struct Caller {
    link: Link,
    line: Rc<Line>,
    deadline: Deadline,
    recorder: Rc<RefCell<Recorder>>,
    checks: Checks,
}

/// When a call was due and when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Begun {
    /// `None` in a closed load.
    pub(crate) due: Option<Instant>,
    /// Now, for a call that is about to be made.
    pub(crate) sent: Instant,
}

impl Begun {
    /// A call that is made now.
    pub(crate) fn now(due: Option<Instant>) -> Self {
        Self {
            due,
            sent: Instant::now(),
        }
    }
}

impl Caller {
    pub(crate) fn new(
        link: Link,
        line: Rc<Line>,
        deadline: Deadline,
        recorder: Rc<RefCell<Recorder>>,
        checks: Checks,
    ) -> Self {
        Self {
            link,
            line,
            deadline,
            recorder,
            checks,
        }
    }

    /// Takes the line's connection of now; waits for it if there is none.
    pub(crate) async fn refresh(&mut self) {
        if self.link.has_ended() {
            self.link = self.line.wait().await;
        }
    }

    /// Whether answers are to be checked at the moment.
    pub(crate) fn checks_now(&self) -> bool {
        match self.checks {
            Checks::All => true,
            Checks::WarmUp => Instant::now() < self.recorder.borrow().window().from,
        }
    }

    /// Makes a call whose request and answer are known beforehand, and writes it down.
    pub(crate) async fn call_prepared(
        &mut self,
        rpc: Rpc,
        request: &Prepared,
        due: Option<Instant>,
    ) {
        let keep = if self.checks_now() {
            Keep::Message
        } else {
            Keep::Size
        };
        let begun = Begun::now(due);
        let reply = self.unary(rpc, &request.frame, keep, begun.sent).await;
        let ended = Instant::now();
        let outcome = reply.and_then(|reply| match keep {
            Keep::Message => request.check(reply.message),
            Keep::Size => Ok(()),
        });
        self.record(rpc, begun, ended, request.items, &outcome);
    }

    /// Makes a call, checks its answer with `read`, and writes it down. What `read` found out, or
    /// `None` if the call failed.
    pub(crate) async fn call<T>(
        &mut self,
        rpc: Rpc,
        frame: &Bytes,
        due: Option<Instant>,
        read: impl FnOnce(Bytes) -> Result<T, Failure>,
    ) -> Option<T> {
        let begun = Begun::now(due);
        let reply = self.unary(rpc, frame, Keep::Message, begun.sent).await;
        let ended = Instant::now();
        let (found, outcome) = match reply.and_then(|reply| read(reply.message)) {
            Ok(found) => (Some(found), Ok(())),
            Err(failure) => (None, Err(failure)),
        };
        self.record(rpc, begun, ended, 1, &outcome);
        found
    }

    /// Makes a call that is part of no measurement.
    pub(crate) async fn call_aside(&mut self, rpc: Rpc, frame: &Bytes) -> Result<Reply, Failure> {
        self.unary(rpc, frame, Keep::Message, Instant::now()).await
    }

    /// Opens a call whose answer is a stream, with its only request.
    pub(crate) async fn subscribe(&mut self, rpc: Rpc, frame: Bytes) -> Result<Incoming, Failure> {
        let link = &mut self.link;
        let opening = async {
            let mut call = link.open_call(rpc).await?;
            call.requests.send_data(frame, true)?;
            Incoming::accept(link.clone(), call.answer).await
        };
        let opened = self.deadline.keep(Instant::now(), opening).await;
        opened.unwrap_or(Err(Failure::Deadline))
    }

    /// Sends a message on a stream and waits for its answer.
    pub(crate) async fn exchange(
        &mut self,
        exchange: &Exchange,
        frame: &Bytes,
        sent: Instant,
    ) -> Result<Bytes, Failure> {
        let (link, line) = (&mut self.link, &self.line);
        let work = async {
            loop {
                match exchange.exchange(link, frame.clone()).await {
                    Err(Failure::Unsent(why)) => {
                        line.retire(link, &why);
                        *link = line.wait().await;
                    }
                    done => return done,
                }
            }
        };
        let done = self.deadline.keep(sent, work).await;
        done.unwrap_or(Err(Failure::Deadline))
    }

    /// Waits for something that belongs to a call begun at `sent`.
    pub(crate) async fn within_deadline<T>(
        &mut self,
        sent: Instant,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let done = self.deadline.keep(sent, work).await;
        done.unwrap_or(Err(Failure::Deadline))
    }

    /// Writes a call down.
    pub(crate) fn record(
        &self,
        rpc: Rpc,
        begun: Begun,
        ended: Instant,
        items: u64,
        outcome: &Result<(), Failure>,
    ) {
        self.recorder.borrow_mut().record(&Call {
            rpc,
            due: begun.due,
            sent: begun.sent,
            ended,
            items,
            outcome,
        });
    }

    async fn unary(
        &mut self,
        rpc: Rpc,
        frame: &Bytes,
        keep: Keep,
        sent: Instant,
    ) -> Result<Reply, Failure> {
        let (link, line) = (&mut self.link, &self.line);
        let call = async {
            loop {
                let _permit = line.permit().await;
                match link.unary(rpc, frame.clone(), keep).await {
                    // The server lets go of the connection: the call belongs on the next one.
                    Err(Failure::Unsent(why)) => {
                        line.retire(link, &why);
                        *link = line.wait().await;
                    }
                    done => return done,
                }
            }
        };
        let done = self.deadline.keep(sent, call).await;
        done.unwrap_or(Err(Failure::Deadline))
    }
}
