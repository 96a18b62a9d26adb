//! A server that does nothing but what tonic does: the limit of what a service on tonic can
//! reach.
//!
//! It answers [`Echo`](crate::wire::Rpc::Echo) with the same bytes, and the bulk calls with a
//! copy of the boards where the legal moves would be: the same messages and sizes, without the
//! work. [`GeneratedLegalMoves`](crate::wire::Rpc::GeneratedLegalMoves) is the bulk call with the
//! work, and with messages that prost has generated.

mod copy;
mod generated;
mod serve;
mod service;

pub(crate) use serve::{Runtime, serve};
