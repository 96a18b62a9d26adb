//! Messages of requests into the types of the domain. All faults of a request are found
//! before any of them is reported.

mod analysis;
mod faults;
mod game;
mod opening;
mod position;
mod rules;

pub(super) use analysis::{Budget, Subject, budget, level, lines, subject};
pub(super) use faults::{Fault, Faults, InvalidRequest};
pub(super) use game::{
    color, game_id, game_ids, legal_moves_display, page_size, seats, short_text, state_filter,
};
pub(super) use opening::{draw_lots, opening_choice};
pub(super) use position::{optional_position, position, setup_faults, transcript_syntax};
pub(super) use rules::rule_set;
