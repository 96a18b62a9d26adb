//! What a run has shown, as one value with many printers.
//!
//! The model is what the JSON file holds; `schema/report.v1.json` describes it. Everything else
//! here prints it. Knows nothing of how a load is run.

pub(crate) mod build;
mod chart;
#[cfg(test)]
pub(crate) mod example;
pub(crate) mod html;
pub(crate) mod model;
pub(crate) mod number;
pub(crate) mod prometheus;
pub(crate) mod summary;
mod warnings;

pub(crate) use model::Report;
