//! The beginnings of games, as searched by this engine: which are balanced, and a small book.
//!
//! Every distinct position up to eight moves from the standard start was searched by
//! `reversi-train openings`. Of those after eight moves that are worth about as much for both
//! sides a list is kept ([`Balanced`]), for games that begin even but not always alike; from all
//! of them together follows what is best before ([`Book`]).

mod balanced;
mod book;
mod tree;

pub use balanced::{Balance, Balanced, Opening};
pub use book::{Book, BookMove};
pub use tree::{PLIES, distinct, position_after};
