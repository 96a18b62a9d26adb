//! Programs of others as players, each in a process of its own, spoken to over pipes.

mod gtp;
mod nboard;
mod process;
mod zebra;

pub(crate) use gtp::Gtp;
pub(crate) use nboard::Nboard;
pub(crate) use process::Command;
pub(crate) use zebra::Zebra;
