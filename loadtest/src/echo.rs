//! A server that does nothing but what tonic does: the limit of what a service on tonic can
//! reach.
//!
//! It answers [`Echo`](crate::wire::Rpc::Echo) with the same bytes, and the bulk calls with a
//! copy of the boards where the legal moves would be: the same messages and sizes, without the
//! work. With a Redis it also answers the calls of a game: it does in Redis what a move of the
//! service does there, and sends an answer of the usual size. [`GeneratedLegalMoves`](crate::wire::Rpc::GeneratedLegalMoves) is the bulk call with the
//! work, and with messages that prost has generated.

mod copy;
mod generated;
mod moves;
mod serve;
mod service;

pub(crate) use serve::{Runtime, serve};
