//! When calls are due in an open load: fixed beforehand, whatever the replies do.
//!
//! A [`Profile`] says how the rate changes over time, [`Arrivals`] how the calls lie around it, and
//! a [`Schedule`] gives the due times. Knows no connection and no clock.

mod profile;
mod schedule;
mod shape;

pub(crate) use profile::Profile;
pub(crate) use schedule::{Arrivals, Schedule};
pub(crate) use shape::Shape;
