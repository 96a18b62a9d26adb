//! Runs a load: threads with connections, lanes on them, and a pacer or none.
//!
//! Knows when calls begin and what becomes of them; nothing of what they say, of reports or of
//! the command line.

mod caller;
mod line;
mod plan;
mod run;
mod thread;
mod turns;

pub(crate) use caller::Caller;
pub(crate) use plan::{Model, Plan};
pub(crate) use run::{LoadError, Observed, Outcome, run};
