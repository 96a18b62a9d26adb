//! Who plays: seats, colours, tokens.

use reversi_engine::Level;
use reversi_proto::v1;
use tonic::metadata::MetadataMap;

use super::Faults;
use crate::secret::SeatToken;
use crate::session::{ColorPolicy, Occupant, Seat, Seats};

/// Where a call has the token of a seat.
const TOKEN: &str = "reversi-seat-token";

/// The token that comes with a call, in its metadata. A text that is none is one that fits no
/// seat.
pub(in crate::grpc) fn seat_token(metadata: &MetadataMap) -> Option<SeatToken> {
    let text = metadata.get(TOKEN)?;
    let token = text.to_str().ok().and_then(|text| text.parse().ok());
    Some(token.unwrap_or(SeatToken::NOBODYS))
}

/// Who plays.
pub(in crate::grpc) fn seats(
    faults: &mut Faults,
    black: Option<v1::Seat>,
    white: Option<v1::Seat>,
) -> Option<Seats> {
    let black = seat(faults, "black_seat", black);
    let white = seat(faults, "white_seat", white);
    Some(Seats {
        black: black?,
        white: white?,
    })
}

fn seat(faults: &mut Faults, field: &str, seat: Option<v1::Seat>) -> Option<Seat> {
    let seat = seat.unwrap_or_default();
    let occupant = occupant(faults, field, &seat);
    let player_id = player_text(faults, &format!("{field}.player_id"), seat.player_id);
    let display_name = player_text(faults, &format!("{field}.display_name"), seat.display_name);
    Some(Seat {
        player_id,
        display_name,
        occupant: occupant?,
    })
}

/// A text about a player.
pub(in crate::grpc) fn player_text(faults: &mut Faults, field: &str, text: String) -> String {
    faults.bounded(field, text, Seat::MAX_TEXT)
}

fn occupant(faults: &mut Faults, field: &str, seat: &v1::Seat) -> Option<Occupant> {
    let level_field = format!("{field}.level");
    let occupant = faults.known(&format!("{field}.occupant"), seat.occupant)?;
    if occupant != v1::SeatOccupant::Engine && seat.level != 0 {
        let description = "goes with SEAT_OCCUPANT_ENGINE only";
        faults.invalid(&level_field, seat.level, description);
    }
    match occupant {
        v1::SeatOccupant::Unspecified | v1::SeatOccupant::Person => Some(Occupant::Person),
        v1::SeatOccupant::Open => Some(Occupant::Open),
        v1::SeatOccupant::Engine if seat.level == 0 => {
            faults.required(&level_field);
            None
        }
        v1::SeatOccupant::Engine => {
            optional_level(faults, &level_field, seat.level)?.map(Occupant::Engine)
        }
        v1::SeatOccupant::Substitute => {
            let description = "is set by the server only";
            faults.invalid(
                &format!("{field}.occupant"),
                occupant.as_str_name(),
                description,
            );
            None
        }
    }
}

/// How well the engine plays; `None` within where it is left out.
pub(in crate::grpc) fn optional_level(
    faults: &mut Faults,
    field: &str,
    number: i32,
) -> Option<Option<Level>> {
    if number == 0 {
        return Some(None);
    }
    let level = u32::try_from(number)
        .ok()
        .and_then(|number| Level::new(number).ok());
    if level.is_none() {
        let highest = Level::HIGHEST.number();
        faults.invalid(field, number, format!("is not from 1 to {highest}"));
    }
    level.map(Some)
}

/// Who gets which colour.
pub(in crate::grpc) fn color_policy(
    faults: &mut Faults,
    policy: i32,
    seats: Option<&Seats>,
) -> Option<ColorPolicy> {
    const FIELD: &str = "color_policy";
    let policy: v1::ColorPolicy = faults.known(FIELD, policy)?;
    match policy {
        v1::ColorPolicy::Unspecified | v1::ColorPolicy::AsGiven => Some(ColorPolicy::AsGiven),
        v1::ColorPolicy::FirstToSitIsBlack if seats.is_some_and(|seats| !seats.any_open()) => {
            faults.invalid(FIELD, policy.as_str_name(), "needs an open seat");
            None
        }
        v1::ColorPolicy::FirstToSitIsBlack => Some(ColorPolicy::FirstToSitIsBlack),
        // Whatever is drawn.
        v1::ColorPolicy::DrawLots => Some(ColorPolicy::DrawLots(reversi_engine::Color::Black)),
    }
}
