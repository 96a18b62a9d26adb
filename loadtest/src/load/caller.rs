//! Makes the calls of one lane, and has them written down.

use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;
use tokio::time::Instant;

use super::line::Line;
use crate::measure::{Call, Recorder};
use crate::wire::{Deadline, Failure, Keep, Link, Reply, Rpc};
use crate::workload::pool::Prepared;

/// Whose answers are compared with the right ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checks {
    /// Those of the warm-up: comparing costs time.
    WarmUp,
    /// All.
    All,
}

/// Makes calls on one connection, one after the other.
#[derive(Debug)]
pub(crate) struct Caller {
    link: Link,
    line: Rc<Line>,
    deadline: Deadline,
    recorder: Rc<RefCell<Recorder>>,
    checks: Checks,
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

    /// Takes the connection that there is now.
    pub(crate) async fn refresh(&mut self) {
        if self.link.ended().is_some() {
            self.link = self.line.wait().await;
        }
    }

    /// Makes a call whose request and answer are known beforehand.
    pub(crate) async fn call_prepared(
        &mut self,
        rpc: Rpc,
        request: &Prepared,
        due: Option<Instant>,
    ) {
        let check = self.checks_now();
        let keep = if check { Keep::Message } else { Keep::Size };
        let sent = Instant::now();
        let reply = self.unary(rpc, request.frame.clone(), keep, sent).await;
        let ended = Instant::now();
        let outcome = reply.and_then(|reply| match keep {
            Keep::Message => request.check(reply.message),
            Keep::Size => Ok(()),
        });
        self.recorder.borrow_mut().record(&Call {
            rpc,
            due,
            sent,
            ended,
            items: request.items,
            outcome: &outcome,
        });
    }

    async fn unary(
        &mut self,
        rpc: Rpc,
        request: Bytes,
        keep: Keep,
        sent: Instant,
    ) -> Result<Reply, Failure> {
        let call = self.link.unary(rpc, request, keep);
        match self.deadline.keep(sent, call).await {
            Ok(reply) => {
                if let Err(Failure::Unsent(_)) = reply {
                    self.line.retire();
                }
                reply
            }
            Err(_) => Err(Failure::Deadline),
        }
    }

    fn checks_now(&self) -> bool {
        match self.checks {
            Checks::All => true,
            Checks::WarmUp => Instant::now() < self.recorder.borrow().window().from,
        }
    }
}
