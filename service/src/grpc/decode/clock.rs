//! Clocks, and how long a player may be absent.

use std::time::Duration;

use reversi_proto::v1;
use reversi_proto::v1::clock::Time;

use super::Faults;
use super::duration::duration;
use crate::session::{ClockRules, OnExpiry, TimeControl};

/// The shortest time for a move or a game.
const SHORTEST: Duration = Duration::from_millis(1);
/// How long a player may be absent.
const SHORTEST_ABSENCE: Duration = Duration::from_secs(1);
const LONGEST_ABSENCE: Duration = Duration::from_secs(366 * 24 * 3600);

/// How a game is timed; `None` within where it is not.
pub(in crate::grpc) fn clock(
    faults: &mut Faults,
    clock: Option<v1::Clock>,
) -> Option<Option<ClockRules>> {
    let Some(clock) = clock else {
        return Some(None);
    };
    let time = time(faults, clock.time);
    let on_expiry = faults.known("clock.on_expiry", clock.on_expiry);
    let on_expiry = on_expiry.and_then(|on_expiry| match (on_expiry, time) {
        (v1::OnExpiry::Unspecified | v1::OnExpiry::Lose, _) => Some(OnExpiry::Lose),
        (v1::OnExpiry::EngineTakesSeat, _) => Some(OnExpiry::EngineTakesSeat),
        (v1::OnExpiry::EngineMovesOnce, Some(TimeControl::Total { .. })) => {
            let description = "goes with clock.per_move only";
            faults.invalid("clock.on_expiry", on_expiry.as_str_name(), description);
            None
        }
        (v1::OnExpiry::EngineMovesOnce, _) => Some(OnExpiry::EngineMovesOnce),
    });
    Some(Some(ClockRules {
        time: time?,
        on_expiry: on_expiry?,
    }))
}

fn time(faults: &mut Faults, time: Option<Time>) -> Option<TimeControl> {
    let range = SHORTEST..=TimeControl::LONGEST;
    match time {
        None => {
            faults.required("clock.time");
            None
        }
        Some(Time::PerMove(time)) => {
            duration(faults, "clock.per_move", time, &range).map(TimeControl::PerMove)
        }
        Some(Time::Total(total)) => {
            const INITIAL: &str = "clock.total.initial";
            const INCREMENT: &str = "clock.total.increment";
            let initial = match total.initial {
                Some(initial) => duration(faults, INITIAL, initial, &range),
                None => {
                    faults.required(INITIAL);
                    None
                }
            };
            let increment = total.increment.unwrap_or_default();
            let range = Duration::ZERO..=TimeControl::LONGEST;
            let increment = duration(faults, INCREMENT, increment, &range);
            Some(TimeControl::Total {
                initial: initial?,
                increment: increment?,
            })
        }
    }
}

/// How long a player may be absent; `None` within for as long as can be.
pub(in crate::grpc) fn presence(
    faults: &mut Faults,
    time: Option<prost_types::Duration>,
) -> Option<Option<Duration>> {
    match time {
        None => Some(None),
        Some(time) => {
            let range = SHORTEST_ABSENCE..=LONGEST_ABSENCE;
            duration(faults, "presence_ttl", time, &range).map(Some)
        }
    }
}
