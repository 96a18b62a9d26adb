//! Messages that the API's own code has not, or has in another form.

use bytes::Bytes;
use prost::Message;

/// The request of the bulk calls as the code generator of prost would write it: to check the
/// server's own encoding, and to be measured against it.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Boards {
    /// The discs of the side to move.
    #[prost(fixed64, repeated, tag = "1")]
    pub(crate) player: Vec<u64>,
    /// The discs of the other side.
    #[prost(fixed64, repeated, tag = "2")]
    pub(crate) opponent: Vec<u64>,
}

/// Their answer, likewise.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Masks {
    /// The legal squares of each position.
    #[prost(fixed64, repeated, tag = "1")]
    pub(crate) legal_moves: Vec<u64>,
    /// The positions whose discs overlap.
    #[prost(uint32, repeated, tag = "2")]
    pub(crate) overlapping: Vec<u32>,
}

/// The payload of the echo server.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct EchoMessage {
    /// Any bytes.
    #[prost(bytes = "bytes", tag = "1")]
    pub(crate) payload: Bytes,
}
