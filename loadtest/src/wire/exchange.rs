//! A call with a stream of requests and an answer to each, in order.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use bytes::Bytes;
use tokio::sync::{Mutex, oneshot};
use tokio::task::spawn_local;

use super::failure::Failure;
use super::incoming::Incoming;
use super::link::Link;
use super::outgoing::Outgoing;
use super::rpc::Rpc;

/// A stream on which several lanes send their messages. It is opened with the first one, and again
/// after it has failed.
#[derive(Debug)]
pub(crate) struct Exchange {
    rpc: Rpc,
    open: Mutex<Option<Open>>,
}

#[derive(Debug)]
struct Open {
    link: Link,
    requests: Outgoing,
    waiting: Rc<RefCell<Waiting>>,
}

/// Those who wait for an answer, the first for the next one.
#[derive(Debug, Default)]
struct Waiting {
    queue: VecDeque<oneshot::Sender<Result<Bytes, Failure>>>,
    ended: bool,
}

impl Exchange {
    /// A stream of this method; not opened yet.
    pub(crate) fn new(rpc: Rpc) -> Self {
        Self {
            rpc,
            open: Mutex::new(None),
        }
    }

    /// Sends a message and waits for its answer.
    ///
    /// # Errors
    ///
    /// [`Failure`]; the stream is over then, for the other lanes too.
    pub(crate) async fn exchange(&self, link: &mut Link, frame: Bytes) -> Result<Bytes, Failure> {
        let (sender, answer) = oneshot::channel();
        {
            let mut open = self.open.lock().await;
            let stream = match open.take() {
                Some(stream) if stream.is_usable(link) => stream,
                Some(_) | None => Open::new(link, self.rpc).await?,
            };
            let stream = open.insert(stream);
            link.count_sent(frame.len());
            stream.requests.push(frame);
            stream.waiting.borrow_mut().queue.push_back(sender);
        }
        answer
            .await
            .unwrap_or_else(|_| Err(Failure::Transport("stream given up".to_owned())))
    }

    /// Gives the stream up: one answer did not come in time, so none will.
    pub(crate) async fn give_up(&self) {
        if let Some(stream) = self.open.lock().await.take() {
            stream.waiting.borrow_mut().fail(&Failure::Transport(
                "stream given up after a deadline".to_owned(),
            ));
        }
    }
}

impl Open {
    async fn new(link: &mut Link, rpc: Rpc) -> Result<Self, Failure> {
        let call = link.open_call(rpc).await?;
        let waiting = Rc::new(RefCell::new(Waiting::default()));
        let answers = Incoming::accept(link.clone(), call.answer);
        spawn_local(hand_out(answers, Rc::clone(&waiting)));
        Ok(Self {
            link: link.clone(),
            requests: Outgoing::new(call.requests),
            waiting,
        })
    }

    fn is_usable(&self, link: &Link) -> bool {
        self.link.is_same(link) && !self.waiting.borrow().ended
    }
}

impl Waiting {
    fn fail(&mut self, failure: &Failure) {
        self.ended = true;
        for sender in self.queue.drain(..) {
            // A lane that has given up does not listen.
            let _ = sender.send(Err(failure.clone()));
        }
    }
}

/// Gives each answer to the first who waits, until the stream ends.
async fn hand_out(
    answers: impl Future<Output = Result<Incoming, Failure>>,
    waiting: Rc<RefCell<Waiting>>,
) {
    let ended = async {
        let mut answers = answers.await?;
        while let Some(message) = answers.next().await? {
            let sender = waiting.borrow_mut().queue.pop_front();
            let Some(sender) = sender else {
                return Err(Failure::Wrong("an answer that nobody asked for".to_owned()));
            };
            let _ = sender.send(Ok(message));
        }
        Ok(())
    };
    let failure = match ended.await {
        Ok(()) => Failure::Transport("the server ended the stream".to_owned()),
        Err(failure) => failure,
    };
    waiting.borrow_mut().fail(&failure);
}
