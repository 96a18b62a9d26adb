//! The five bytes before each gRPC message: a flag for compression, and the length.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use prost::Message;

/// The length of the prefix.
pub(crate) const PREFIX: usize = 5;

/// A message ready to be sent: prefix and encoding.
pub(crate) fn encode(message: &impl Message) -> Bytes {
    let length = message.encoded_len();
    let mut frame = BytesMut::with_capacity(PREFIX + length);
    frame.put_u8(0);
    frame.put_u32(u32::try_from(length).expect("invariant: requests are far below 4 GiB"));
    message
        .encode(&mut frame)
        .expect("invariant: a growing buffer has room");
    frame.freeze()
}

/// A reply that is no gRPC message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FrameError {
    /// A compressed message, though none was asked for.
    #[error("a compressed message")]
    Compressed,
    /// The bytes end within a message, or go on after the only one.
    #[error("a message cut short or followed by other bytes")]
    Length,
}

/// The length of the message that this prefix announces.
pub(crate) fn announced(prefix: [u8; PREFIX]) -> Result<usize, FrameError> {
    let [flag, length @ ..] = prefix;
    if flag != 0 {
        return Err(FrameError::Compressed);
    }
    usize::try_from(u32::from_be_bytes(length)).map_err(|_| FrameError::Length)
}

/// Cuts a stream of chunks into messages.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    pending: Bytes,
}

impl Messages {
    /// Takes in what arrived.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        if self.pending.is_empty() {
            self.pending = chunk;
        } else {
            let mut joined = BytesMut::from(std::mem::take(&mut self.pending));
            joined.extend_from_slice(&chunk);
            self.pending = joined.freeze();
        }
    }

    /// The next whole message.
    ///
    /// # Errors
    ///
    /// [`FrameError::Compressed`].
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, FrameError> {
        let Some(prefix) = self.pending.first_chunk::<PREFIX>() else {
            return Ok(None);
        };
        let length = announced(*prefix)?;
        if self.pending.len() < PREFIX + length {
            return Ok(None);
        }
        let mut message = self.pending.split_to(PREFIX + length);
        message.advance(PREFIX);
        Ok(Some(message))
    }

    /// Whether nothing is left over.
    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_preceded_by_flag_and_length() {
        let frame = encode(&"abc".to_owned());
        assert_eq!(&frame[..], b"\0\0\0\0\x05\x0a\x03abc");
    }

    #[test]
    fn messages_are_found_across_chunks() {
        let mut messages = Messages::default();
        messages.push(Bytes::from_static(b"\0\0\0\0\x02ab\0\0"));
        assert_eq!(messages.next(), Ok(Some(Bytes::from_static(b"ab"))));
        assert_eq!(messages.next(), Ok(None));
        messages.push(Bytes::from_static(b"\0\0\x01c"));
        assert_eq!(messages.next(), Ok(Some(Bytes::from_static(b"c"))));
        assert!(messages.is_empty());
    }

    #[test]
    fn a_compressed_message_is_refused() {
        let mut messages = Messages::default();
        messages.push(Bytes::from_static(b"\x01\0\0\0\x01x"));
        assert_eq!(messages.next(), Err(FrameError::Compressed));
    }
}
