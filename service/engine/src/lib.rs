//! The game of Reversi.
