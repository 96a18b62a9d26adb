//! Load test of the Reversi service.
//!
//! The generator stands on HTTP/2 directly, with requests encoded beforehand, so that it measures
//! the server and not itself. [`cli`] is the command line; everything else is private to it.

mod bench;
pub mod cli;
mod compare;
mod echo;
mod environment;
mod find_max;
mod load;
mod local;
mod measure;
mod pace;
mod random;
mod report;
mod threshold;
mod wire;
mod workload;
