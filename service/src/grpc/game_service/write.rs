//! The writes of GameService: what they have in common.

use reversi_engine::Color;
use reversi_proto::v1;
use tonic::{Request, Response, Status};

use super::GameHandlers;
use crate::grpc::decode::{self, Faults};
use crate::grpc::gate::games_of;
use crate::grpc::status;
use crate::operations::{Games, WriteGame, WriteMode, WrittenGame};
use crate::secret::SeatToken;
use crate::session::{self, Action, Change, Expected, GameId, RequestId};

/// What every write carries.
#[derive(Debug)]
pub(super) struct Common {
    pub(super) id: Option<GameId>,
    pub(super) expected: Expected,
    pub(super) request_id: String,
    pub(super) caller: Caller,
}

/// Who calls.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    /// The games that the caller may see.
    pub(super) games: Games,
    /// The token of a seat that comes with the call.
    pub(super) token: Option<SeatToken>,
}

impl Common {
    /// Decodes it, with an etag that may be left out.
    pub(super) fn decode(
        faults: &mut Faults,
        name: &str,
        etag: &str,
        request_id: &str,
        caller: Caller,
    ) -> Self {
        let id = decode::game_id(faults, "name", name);
        let etag = decode::short_text(faults, "etag", etag.to_owned());
        Self {
            id,
            expected: if etag.is_empty() {
                Expected::Anywhere
            } else {
                Expected::Etag(etag)
            },
            request_id: decode::short_text(faults, "request_id", request_id.to_owned()),
            caller,
        }
    }
}

impl GameHandlers {
    /// The message of a call, and who calls.
    pub(super) fn open<T>(&self, request: Request<T>) -> (T, Caller) {
        let caller = Caller {
            games: games_of(&self.games, &request),
            token: decode::seat_token(request.metadata()),
        };
        (request.into_inner(), caller)
    }

    /// Carries a write out, unless there are faults in its request.
    pub(super) async fn write(
        &self,
        faults: Faults,
        common: Common,
        action: Option<Action>,
        mode: WriteMode,
    ) -> Result<(GameId, WrittenGame), Status> {
        let (id, action) = faults.finish(common.id.zip(action))?;
        let square = action.square();
        let write = WriteGame {
            id,
            action,
            request: session::Request {
                id: RequestId::new(&common.request_id),
                expected: common.expected,
            },
            token: common.caller.token,
            mode,
        };
        let written = common.caller.games.write(&write).await;
        let written =
            written.map_err(|error| status::refused_write(error, &common.request_id, square))?;
        Ok((id, written))
    }
}

/// The side that a claim has got.
pub(super) fn claimed(written: &WrittenGame) -> Option<Color> {
    if let Change::SeatClaimed { side } = written.written.change {
        Some(side)
    } else {
        None
    }
}

/// Where a claim and a rematch answer the token of a seat.
pub(super) const TOKEN: &str = "reversi-seat-token";
/// Where a creation answers them.
pub(super) const BLACK_TOKEN: &str = "reversi-black-seat-token";
/// Where a creation answers them.
pub(super) const WHITE_TOKEN: &str = "reversi-white-seat-token";

/// Adds a token to the metadata of a response.
pub(super) fn reveal<T>(response: &mut Response<T>, key: &'static str, token: SeatToken) {
    let mut value: tonic::metadata::MetadataValue<_> = token
        .reveal()
        .parse()
        .expect("invariant: hexadecimal digits");
    // Kept out of the tables of header compression.
    value.set_sensitive(true);
    response.metadata_mut().insert(key, value);
}

/// What to do with a seat.
pub(super) fn set_seat(faults: &mut Faults, request: &v1::SetSeatRequest) -> Option<Action> {
    let side = decode::color(faults, "side", request.side);
    let level = decode::optional_level(faults, "level", request.level);
    let occupant: Option<v1::SeatOccupant> = faults.known("occupant", request.occupant);
    match occupant? {
        v1::SeatOccupant::Engine => Some(Action::Leave {
            side: side?,
            level: level?,
        }),
        v1::SeatOccupant::Person => {
            if request.level != 0 {
                let description = "goes with SEAT_OCCUPANT_ENGINE only";
                faults.invalid("level", request.level, description);
            }
            Some(Action::Return { side: side? })
        }
        v1::SeatOccupant::Unspecified => {
            faults.required("occupant");
            None
        }
        occupant @ (v1::SeatOccupant::Substitute | v1::SeatOccupant::Open) => {
            let description = "is not SEAT_OCCUPANT_ENGINE or SEAT_OCCUPANT_PERSON";
            faults.invalid("occupant", occupant.as_str_name(), description);
            None
        }
    }
}
