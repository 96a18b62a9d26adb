//! Makes the calls of one lane, and has them written down.

use std::pin::pin;
use std::rc::Rc;

use bytes::Bytes;
use tokio::time::Instant;

use super::lanes::Lanes;
use super::line::Line;
use crate::measure::Call;
use crate::wire::{Deadline, Exchange, Failure, Incoming, Keep, Link, Reply, Rpc};
use crate::workload::Prepared;

/// Whose answers are compared with the right ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Checks {
    /// Those of the warm-up: comparing costs time.
    WarmUp,
    /// All.
    All,
    /// None, of a server that has no right answers.
    #[value(skip)]
    None,
}

/// Makes calls one after the other: on the lane's own connection, or on another one where that
/// takes no more.
#[derive(Debug)]
pub(crate) struct Caller {
    lanes: Rc<Lanes>,
    home: Rc<Line>,
    /// The line in use.
    line: Rc<Line>,
    /// Its connection.
    link: Link,
    deadline: Deadline,
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
    /// One for a lane of that connection; `None` if it is lost.
    pub(super) fn new(lanes: &Rc<Lanes>, home: &Rc<Line>) -> Option<Self> {
        Some(Self {
            link: home.link()?,
            lanes: Rc::clone(lanes),
            home: Rc::clone(home),
            line: Rc::clone(home),
            deadline: lanes.deadlines.add(),
        })
    }

    /// Takes the lane's own connection; waits for it if it is lost.
    pub(super) async fn go_home(&mut self) {
        if self.link.has_ended() || !Rc::ptr_eq(&self.line, &self.home) {
            self.line = Rc::clone(&self.home);
            self.link = self.home.wait().await;
        }
    }

    /// Whether answers are to be checked at that moment.
    pub(crate) fn checks_at(&self, moment: Instant) -> bool {
        match self.lanes.plan.checks {
            Checks::All => true,
            Checks::None => false,
            Checks::WarmUp => moment < self.lanes.span.window().from,
        }
    }

    /// Makes a call whose request and answer are known beforehand, and writes it down.
    pub(crate) async fn call_prepared(
        &mut self,
        rpc: Rpc,
        request: &Prepared,
        due: Option<Instant>,
    ) {
        let begun = Begun::now(due);
        let keep = if self.checks_at(begun.sent) {
            Keep::Message
        } else {
            Keep::Size
        };
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
        let place = Place {
            lanes: &self.lanes,
            line: &mut self.line,
            link: &mut self.link,
        };
        let opening = pin!(place.call(async |link, _| {
            let mut call = link.open_call(rpc).await?;
            call.requests.send_data(frame.clone(), true)?;
            Incoming::accept(link.clone(), call.answer).await
        }));
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
        let place = Place {
            lanes: &self.lanes,
            line: &mut self.line,
            link: &mut self.link,
        };
        let work = pin!(place.call(async |link, _| exchange.exchange(link, frame.clone()).await));
        let done = self.deadline.keep(sent, work).await;
        done.unwrap_or(Err(Failure::Deadline))
    }

    /// Waits for something that belongs to a call begun at `sent`.
    pub(crate) async fn within_deadline<T>(
        &mut self,
        sent: Instant,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let done = self.deadline.keep(sent, pin!(work)).await;
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
        self.lanes.recorder.borrow_mut().record(&Call {
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
        let done = {
            let _permit = self.line.permit().await;
            let call = pin!(self.link.unary(rpc, frame.clone(), keep));
            self.deadline.keep(sent, call).await
        };
        match done {
            Ok(Err(Failure::Unsent(_))) => self.unary_anywhere(rpc, frame, keep, sent).await,
            Ok(done) => done,
            Err(_) => Err(Failure::Deadline),
        }
    }

    /// As [`Self::unary`], but not in a hurry.
    async fn unary_anywhere(
        &mut self,
        rpc: Rpc,
        frame: &Bytes,
        keep: Keep,
        sent: Instant,
    ) -> Result<Reply, Failure> {
        let place = Place {
            lanes: &self.lanes,
            line: &mut self.line,
            link: &mut self.link,
        };
        let call = place.call(async |link, _| link.unary(rpc, frame.clone(), keep).await);
        let done = self.deadline.keep(sent, pin!(call)).await;
        done.unwrap_or(Err(Failure::Deadline))
    }
}

/// Where a call is made.
struct Place<'a> {
    lanes: &'a Lanes,
    line: &'a mut Rc<Line>,
    link: &'a mut Link,
}

impl Place<'_> {
    /// Makes a call; on another connection if the server lets go of this one before it is sent.
    async fn call<T>(
        self,
        mut make: impl AsyncFnMut(&mut Link, &Line) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        loop {
            match make(self.link, self.line).await {
                Err(Failure::Unsent(why)) => {
                    self.line.retire(self.link, &why);
                    if let Some(line) = self.lanes.open_line() {
                        *self.line = Rc::clone(line);
                    }
                    *self.link = self.line.wait().await;
                }
                done => return done,
            }
        }
    }
}
