//! Writes that belong together, made together.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// More than that is not held back: copying it would cost more than a system call saves.
const MOST_HELD: usize = 32 << 10;

/// A connection for h2 that takes few system calls.
///
/// h2 hands a frame of more than 256 bytes to the system by itself if writes can be vectored, and
/// copies frames of less than 1 KiB together if they cannot be: answers of some hundred bytes,
/// which most are, then leave together. So this claims that they cannot be. The price would be
/// that the head and the body of a larger frame are two writes; so a write is held until the next
/// one or a flush, and both are written at once.
#[derive(Debug)]
pub(super) struct Gather<T> {
    inner: T,
    /// Taken, but not written yet.
    held: Vec<u8>,
    /// How much of it is written.
    written: usize,
}

impl<T> Gather<T> {
    pub(super) const fn new(inner: T) -> Self {
        Self {
            inner,
            held: Vec::new(),
            written: 0,
        }
    }
}

impl<T: AsyncWrite + Unpin> Gather<T> {
    /// Writes what is held, and of `more` what is written along with it: how much.
    fn poll_write_held(&mut self, cx: &mut Context<'_>, more: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            let held = &self.held[self.written..];
            if held.is_empty() {
                self.held.clear();
                self.written = 0;
                return Poll::Ready(Ok(0));
            }
            let both = [IoSlice::new(held), IoSlice::new(more)];
            let inner = Pin::new(&mut self.inner);
            let count = ready!(inner.poll_write_vectored(cx, &both))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            let (of_held, of_more) = (count.min(held.len()), count.saturating_sub(held.len()));
            self.written += of_held;
            if of_more > 0 {
                self.held.clear();
                self.written = 0;
                return Poll::Ready(Ok(of_more));
            }
        }
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Gather<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        if this.held.is_empty() && bytes.len() <= MOST_HELD {
            this.held.extend_from_slice(bytes);
            return Poll::Ready(Ok(bytes.len()));
        }
        let count = ready!(this.poll_write_held(cx, bytes))?;
        if count > 0 {
            return Poll::Ready(Ok(count));
        }
        Pin::new(&mut this.inner).poll_write(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        false
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_write_held(cx, &[]))?;
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_write_held(cx, &[]))?;
        ready!(self.poll_write_held(cx, &[]))?;
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Gather<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::AsyncWriteExt;

    use super::*;

    /// Takes at most so many bytes at a time, and is busy every other time it is asked.
    #[derive(Debug, Default)]
    struct Slow {
        most: usize,
        busy: bool,
        writes: Vec<Vec<u8>>,
    }

    impl AsyncWrite for Slow {
        fn poll_write(
            self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
        }

        fn poll_write_vectored(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            slices: &[IoSlice<'_>],
        ) -> Poll<io::Result<usize>> {
            self.busy = !self.busy;
            if self.busy {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            let bytes = slices.iter().flat_map(|slice| slice.iter().copied());
            let written: Vec<u8> = bytes.take(self.most).collect();
            let count = written.len();
            self.writes.push(written);
            Poll::Ready(Ok(count))
        }

        fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    fn gather(most: usize) -> Gather<Slow> {
        Gather::new(Slow {
            most,
            ..Slow::default()
        })
    }

    #[tokio::test]
    async fn a_head_and_its_body_are_one_write() {
        let mut gather = gather(usize::MAX);
        gather.write_all(b"head").await.unwrap();
        assert!(gather.inner.writes.is_empty());
        gather.write_all(b"body").await.unwrap();
        assert_eq!(gather.inner.writes, [b"headbody"]);
    }

    #[tokio::test]
    async fn what_is_held_is_written_by_a_flush_and_at_the_end() {
        let mut gather = gather(usize::MAX);
        gather.write_all(b"one").await.unwrap();
        gather.flush().await.unwrap();
        gather.write_all(b"two").await.unwrap();
        gather.shutdown().await.unwrap();
        assert_eq!(gather.inner.writes, [b"one", b"two"]);
    }

    #[tokio::test]
    async fn what_is_long_is_not_held() {
        let mut gather = gather(usize::MAX);
        let long = vec![7; MOST_HELD + 1];
        gather.write_all(&long).await.unwrap();
        assert_eq!(gather.inner.writes, [long]);
    }

    #[tokio::test]
    async fn all_is_written_in_order_however_little_is_taken_at_a_time() {
        for most in 1..12 {
            let mut gather = gather(most);
            let mut expected = Vec::new();
            for length in [3, 4, 1, 9, 2, 2] {
                let bytes: Vec<u8> = (0..length).collect();
                gather.write_all(&bytes).await.unwrap();
                expected.extend(bytes);
                if length == 9 {
                    gather.flush().await.unwrap();
                }
            }
            gather.flush().await.unwrap();
            assert_eq!(gather.inner.writes.concat(), expected, "{most}");
        }
    }

    #[tokio::test]
    async fn a_connection_that_takes_nothing_more_is_an_error() {
        let mut gather = gather(0);
        gather.write_all(b"x").await.unwrap();
        let flushed = poll_fn(|cx| Pin::new(&mut gather).poll_flush(cx)).await;
        assert_eq!(flushed.unwrap_err().kind(), io::ErrorKind::WriteZero);
    }
}
