//! Messages of requests into the types of the domain. All faults of a request are found
//! before any of them is reported.

mod analysis;
mod clock;
mod duration;
mod faults;
mod game;
mod opening;
mod position;
mod rules;
mod seats;

pub(super) use analysis::{Budget, Subject, budget, level, lines, subject};
pub(super) use clock::{clock, presence};
pub(super) use faults::{Fault, Faults, InvalidRequest};
pub(super) use game::{
    color, game_id, game_ids, labels, legal_moves_display, optional_color, page_size, short_text,
    state_filter,
};
pub(super) use opening::{draw_lots, opening_choice};
pub(super) use position::{optional_position, position, setup_faults, transcript_syntax};
pub(super) use rules::rule_set;
pub(super) use seats::{color_policy, optional_level, player_text, seat_token, seats};
