//! Client library and command line of the Reversi service.
