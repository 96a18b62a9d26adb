//! `reversi`: the Reversi service from the command line.
fn main() {}
