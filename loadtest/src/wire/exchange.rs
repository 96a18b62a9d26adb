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
    open: RefCell<Option<Open>>,
    /// Held while it is opened, so that it is opened once.
    opening: Mutex<()>,
}

#[derive(Debug)]
struct Open {
    link: Link,
    requests: Outgoing,
    waiting: Rc<RefCell<Waiting>>,
}

type Answer = oneshot::Receiver<Result<Bytes, Failure>>;

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
            open: RefCell::new(None),
            opening: Mutex::new(()),
        }
    }

    /// Sends a message and waits for its answer.
    ///
    /// # Errors
    ///
    /// [`Failure`]; the stream is over then, for the other lanes too.
    pub(crate) async fn exchange(&self, link: &mut Link, frame: Bytes) -> Result<Bytes, Failure> {
        let answer = match self.send(link, &frame) {
            Some(answer) => answer,
            None => self.open_and_send(link, &frame).await?,
        };
        answer
            .await
            .unwrap_or_else(|_| Err(Failure::Transport("stream given up".to_owned())))
    }

    /// Sends a message on the stream, if it is open; where its answer will be.
    fn send(&self, link: &Link, frame: &Bytes) -> Option<Answer> {
        let open = self.open.borrow();
        let stream = open.as_ref().filter(|stream| stream.is_usable(link))?;
        let (sender, answer) = oneshot::channel();
        link.count_sent(frame.len());
        stream.requests.push(frame.clone());
        stream.waiting.borrow_mut().queue.push_back(sender);
        Some(answer)
    }

    async fn open_and_send(&self, link: &mut Link, frame: &Bytes) -> Result<Answer, Failure> {
        let _alone = self.opening.lock().await;
        loop {
            // Somebody else may have opened it meanwhile.
            if let Some(answer) = self.send(link, frame) {
                return Ok(answer);
            }
            let stream = Open::new(link, self.rpc).await?;
            self.open.replace(Some(stream));
        }
    }

    /// Gives the stream up: one answer did not come in time, so none will.
    pub(crate) fn give_up(&self) {
        if let Some(stream) = self.open.take() {
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
