//! Runs a load: threads with connections, lanes on them, and a pacer or none.
//!
//! Knows when calls begin and what becomes of them; nothing of what they say, of reports or of
//! the command line.

mod caller;
mod lanes;
mod line;
mod plan;
mod run;
mod span;
mod thread;
mod timer;
mod turns;

pub(crate) use caller::{Begun, Caller, Checks};
pub(crate) use plan::{Model, Plan};
pub(crate) use run::{CutShort, LoadError, Observed, Outcome, introduction, run};
#[cfg(test)]
pub(crate) use turns::Punctuality;
