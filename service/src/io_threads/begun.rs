//! A connection whose first bytes were read already.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Gives the first bytes back before it reads on.
#[derive(Debug)]
pub(super) struct Begun<const N: usize, T> {
    first: [u8; N],
    given: usize,
    inner: T,
}

impl<const N: usize, T> Begun<N, T> {
    pub(super) const fn new(first: [u8; N], inner: T) -> Self {
        Self {
            first,
            given: 0,
            inner,
        }
    }
}

impl<const N: usize, T: AsyncRead + Unpin> AsyncRead for Begun<N, T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let rest = &this.first[this.given..];
        if rest.is_empty() {
            return Pin::new(&mut this.inner).poll_read(cx, buffer);
        }
        let count = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..count]);
        this.given += count;
        Poll::Ready(Ok(()))
    }
}

impl<const N: usize, T: AsyncWrite + Unpin> AsyncWrite for Begun<N, T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn first_bytes_come_first_however_they_are_read() {
        let mut begun = Begun::new(*b"abc", &b"defg"[..]);
        let mut two = [0; 2];
        begun.read_exact(&mut two).await.unwrap();
        assert_eq!(&two, b"ab");
        let mut rest = String::new();
        begun.read_to_string(&mut rest).await.unwrap();
        assert_eq!(rest, "cdefg");
    }
}
