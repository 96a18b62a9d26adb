//! The requests of a stream on their way out: those of the same moment leave together.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use bytes::{Bytes, BytesMut};
use h2::SendStream;
use tokio::sync::Notify;
use tokio::task::spawn_local;

/// From this size on a message is sent by itself: copying it would cost more than a system call
/// saves. The size of an HTTP/2 frame unless the peer asks for larger ones (RFC 9113, 6.5.2).
const LARGE: usize = 16 << 10;

/// Sends messages on a stream. Dropped, it ends the stream once they are sent.
///
/// HTTP/2 as h2 writes it costs a system call a frame. So messages are kept until every task that
/// is ready has run, and those that came in until then share a frame.
#[derive(Debug)]
pub(super) struct Outgoing(Rc<Queue>);

#[derive(Debug, Default)]
struct Queue {
    messages: RefCell<Vec<Bytes>>,
    ended: Cell<bool>,
    changed: Notify,
}

impl Outgoing {
    /// What goes out on this stream. Must be called within a `LocalSet`.
    pub(super) fn new(stream: SendStream<Bytes>) -> Self {
        let queue = Rc::new(Queue::default());
        spawn_local(send(stream, Rc::clone(&queue)));
        Self(queue)
    }

    /// Adds a message. Whoever waits for its answer hears from there if it cannot be sent.
    pub(super) fn push(&self, message: Bytes) {
        let mut messages = self.0.messages.borrow_mut();
        messages.push(message);
        if messages.len() == 1 {
            // The task runs after all that are ready now.
            self.0.changed.notify_one();
        }
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.0.ended.set(true);
        self.0.changed.notify_one();
    }
}

async fn send(mut stream: SendStream<Bytes>, queue: Rc<Queue>) {
    let mut messages = Vec::new();
    loop {
        queue.changed.notified().await;
        // The two lists take turns, so that their room is kept.
        std::mem::swap(&mut messages, &mut *queue.messages.borrow_mut());
        for chunk in Chunks(messages.drain(..).peekable()) {
            // Beyond the windows, h2 keeps the rest until there is room.
            if stream.send_data(chunk, false).is_err() {
                return;
            }
        }
        if queue.ended.get() {
            // A stream that has ended already needs no end.
            let _ = stream.send_data(Bytes::new(), true);
            return;
        }
    }
}

/// Messages joined to chunks.
struct Chunks<I: Iterator<Item = Bytes>>(std::iter::Peekable<I>);

impl<I: Iterator<Item = Bytes>> Iterator for Chunks<I> {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let first = self.0.next()?;
        let is_small = |message: &Bytes| message.len() < LARGE;
        if !is_small(&first) || !self.0.peek().is_some_and(is_small) {
            return Some(first);
        }
        let mut chunk = BytesMut::with_capacity(2 * LARGE);
        chunk.extend_from_slice(&first);
        // No longer than there is room.
        while chunk.len() <= LARGE
            && let Some(message) = self.0.next_if(is_small)
        {
            chunk.extend_from_slice(&message);
        }
        Some(chunk.freeze())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(sizes: &[usize]) -> Vec<usize> {
        let messages = sizes.iter().map(|size| Bytes::from(vec![0; *size]));
        Chunks(messages.peekable())
            .map(|chunk| chunk.len())
            .collect()
    }

    #[test]
    fn small_messages_are_joined() {
        assert_eq!(chunks(&[10, 20, 30]), [60]);
        assert_eq!(chunks(&[1_000; 40]), [17_000, 17_000, 6_000]);
        assert_eq!(chunks(&[LARGE - 1, LARGE - 1, 2]), [2 * LARGE - 2, 2]);
    }

    #[test]
    fn large_messages_go_by_themselves() {
        assert_eq!(chunks(&[LARGE]), [LARGE]);
        assert_eq!(
            chunks(&[5, LARGE, 5, 6, LARGE, LARGE, 7]),
            [5, LARGE, 11, LARGE, LARGE, 7]
        );
    }

    #[test]
    fn nothing_is_no_chunk() {
        assert_eq!(chunks(&[]), [] as [usize; 0]);
    }
}
