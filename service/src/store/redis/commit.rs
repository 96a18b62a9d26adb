//! Writes that wait for replicas.
//!
//! `WAIT` holds its connection up until replicas have what was written on it. So these writes
//! have a connection of their own, and go in groups: what comes while one group waits is the
//! next.

use futures_util::future;
use redis::{Cmd, Value};
use tokio::sync::{mpsc, oneshot};

use super::ReplicaWait;
use super::connector::{Background, Connector};
use super::fault::{CallError, NotConnected, NotReplicated};
use super::link::{Call, Link};
use super::script::{Script, WRITTEN};

/// Writes in a group at most.
const GROUP: usize = 512;

/// A connection to one server for writes that wait for its replicas.
#[derive(Debug)]
pub(super) struct Commit {
    queue: mpsc::Sender<Write>,
    _task: Background,
}

#[derive(Debug)]
struct Write {
    script: &'static Script,
    command: Cmd,
    answer: oneshot::Sender<Result<Value, CallError>>,
}

impl Commit {
    pub(super) fn start(connector: Connector, wait: ReplicaWait) -> Self {
        let (queue, writes) = mpsc::channel(GROUP);
        let link = Link::start(connector);
        Self {
            queue,
            _task: Background::spawn(serve(link, writes, wait)),
        }
    }

    /// Writes, and waits for the replicas.
    pub(super) async fn call(
        &self,
        script: &'static Script,
        command: &Cmd,
    ) -> Result<Value, CallError> {
        let (answer, answered) = oneshot::channel();
        let write = Write {
            script,
            command: command.clone(),
            answer,
        };
        self.queue.send(write).await.map_err(|_| NotConnected)?;
        answered.await.map_err(|_| NotConnected)?
    }
}

async fn serve(link: Link, mut writes: mpsc::Receiver<Write>, wait: ReplicaWait) {
    let mut group = Vec::new();
    while writes.recv_many(&mut group, GROUP).await > 0 {
        let answers = commit(&link, &group, wait).await;
        for (write, answer) in group.drain(..).zip(answers) {
            // The caller may have gone.
            let _ = write.answer.send(answer);
        }
    }
}

/// Carries a group of writes out, and waits once for all of them.
async fn commit(link: &Link, group: &[Write], wait: ReplicaWait) -> Vec<Result<Value, CallError>> {
    // Of one connection: on another one there would be nothing to wait for.
    let mut pinned = match link.pinned().await {
        Ok(pinned) => pinned,
        Err(error) => return group.iter().map(|_| Err(error.into())).collect(),
    };
    let calls = group.iter().map(|write| {
        let mut pinned = pinned.clone();
        async move {
            let call = Call::script(write.script, &write.command);
            pinned.call(&call).await
        }
    });
    let answers = future::join_all(calls).await;
    let waited = pinned.wait(wait).await;
    let judged = |answer: Result<Value, CallError>| {
        let answer = answer?;
        if answer != WRITTEN {
            // What has written nothing has nothing to wait for.
            return Ok(answer);
        }
        let replicas = waited.clone()?;
        let wanted = wait.replicas;
        if replicas < wanted {
            return Err(NotReplicated { replicas, wanted }.into());
        }
        Ok(answer)
    };
    answers.into_iter().map(judged).collect()
}
