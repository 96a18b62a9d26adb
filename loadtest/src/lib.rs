//! Load test of the Reversi service.
