//! The `reversi.v1` API: messages, client and server stubs, and the descriptor set for
//! reflection, generated from `reversi/v1/*.proto`. The comments there are the API's
//! reference. The messages of the bulk calls are written by hand, for speed: see
//! [`PositionBatch`] and [`LegalMovesBatch`].
//!
//! This crate knows nothing of the game: it cannot tell a legal move from another.

mod bulk;

pub use bulk::{LegalMovesBatch, LegalMovesFrame, NotPacked64, Packed64, PositionBatch};

/// Version 1 of the API.
#[allow(
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unused_qualifications,
    rustdoc::all,
    clippy::all,
    clippy::pedantic
)]
pub mod v1 {
    tonic::include_proto!("reversi.v1");

    pub type BatchListLegalMovesRequest = crate::PositionBatch;
    pub type BatchListLegalMovesResponse = crate::LegalMovesBatch;
    pub type StreamLegalMovesRequest = crate::PositionBatch;
    pub type StreamLegalMovesResponse = crate::LegalMovesBatch;
}

/// The encoded `google.protobuf.FileDescriptorSet` of the API, for reflection.
pub const DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

/// The `domain` of the `google.rpc.ErrorInfo` in every error of the API.
pub const ERROR_DOMAIN: &str = "reversi.v1";
