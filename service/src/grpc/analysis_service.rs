//! AnalysisService.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reversi_engine::notation::{Syntax, replay};
use reversi_engine::{Game, search};
use reversi_proto::v1::analysis_service_server::AnalysisService;
use reversi_proto::v1::suggest_move_request::Subject;
use reversi_proto::v1::{self};
use tonic::{Request, Response, Status};

use super::deadline::deadline;
use super::decode::{self, Faults};
use super::{MAX_TRANSCRIPT_BYTES, encode, rules_service, status};
use crate::compute::{Allowance, ComputePool};
use crate::operations::Games;

/// The deepest search that can be asked for: as many plies as there are empties.
const MAX_DEPTH: i32 = 60;
/// The part of the time to the caller's deadline that is left for the way back, and its
/// least: a poll of the search, the encoding and the network.
const RETURN_SHARE: u32 = 20;
const MIN_RETURN: Duration = Duration::from_millis(10);

/// How long suggestions take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SuggestLimits {
    /// Without a budget.
    pub(crate) default_time: Duration,
    /// At most.
    pub(crate) max_time: Duration,
}

/// The handlers of AnalysisService.
#[derive(Debug)]
pub(crate) struct AnalysisHandlers {
    games: Games,
    compute: Arc<ComputePool>,
    limits: SuggestLimits,
}

impl AnalysisHandlers {
    pub(crate) const fn new(
        games: Games,
        compute: Arc<ComputePool>,
        limits: SuggestLimits,
    ) -> Self {
        Self {
            games,
            compute,
            limits,
        }
    }
}

/// What a search may cost.
#[derive(Clone, Debug, Default)]
struct Budget {
    time: Option<Duration>,
    search: search::Limits,
}

#[tonic::async_trait]
impl AnalysisService for AnalysisHandlers {
    async fn suggest_move(
        &self,
        request: Request<v1::SuggestMoveRequest>,
    ) -> Result<Response<v1::SuggestMoveResponse>, Status> {
        let deadline = deadline(request.metadata().as_ref());
        let request = request.into_inner();
        let mut faults = Faults::default();
        let budget = budget(&mut faults, request.budget);
        let subject = match request.subject {
            None => {
                faults.required("subject");
                None
            }
            Some(Subject::Line(line)) => self::line(&mut faults, line).map(Ok),
            Some(Subject::Game(name)) => decode::game_id(&mut faults, "game", &name).map(Err),
        };
        let (budget, subject) = faults.finish(budget.zip(subject))?;
        let (game, etag) = match subject {
            Ok((game, transcript)) => {
                let game = replay(game, &transcript, Syntax::Lenient)
                    .map_err(|error| status::bad_transcript("line.transcript", &error))?;
                (game, String::new())
            }
            Err(id) => {
                let session = self.games.get(id).await?;
                if session.outcome().is_some() {
                    return Err(status::nothing_to_suggest_in(id, &session));
                }
                (session.game().clone(), session.event_number().to_string())
            }
        };
        if game.turn().is_over() {
            return Err(status::nothing_to_suggest());
        }
        let allowance = self.allowance(deadline, &budget)?;
        let position = *game.position();
        let objective = game.rules().objective;
        let limits = budget.search;
        let (suggestion, elapsed) = self
            .compute
            .run(allowance, move |control| {
                let started = Instant::now();
                // A job that waited past the deadline has nobody to answer.
                if deadline.is_some_and(|deadline| started >= deadline) {
                    return None;
                }
                let suggestion = search::suggest(&position, objective, &limits, control)?;
                Some((suggestion, started.elapsed()))
            })?
            .await?
            .ok_or_else(status::deadline_exceeded)?;
        let certainty = match suggestion.certainty {
            search::Certainty::Depth => v1::Certainty::Depth,
            search::Certainty::Exact => v1::Certainty::Exact,
        };
        Ok(Response::new(v1::SuggestMoveResponse {
            r#move: Some(encode::candidate(&position, suggestion.mv)),
            value: hundredths(suggestion.value),
            certainty: certainty.into(),
            depth: i32::try_from(suggestion.depth).unwrap_or(i32::MAX),
            line: suggestion.line.iter().map(ToString::to_string).collect(),
            nodes: i64::try_from(suggestion.nodes).unwrap_or(i64::MAX),
            elapsed: Some(encode::duration(elapsed)),
            etag,
        }))
    }
}

impl AnalysisHandlers {
    /// How long the search may take.
    fn allowance(&self, deadline: Option<Instant>, budget: &Budget) -> Result<Allowance, Status> {
        let unlimited = budget.search.depth.is_none() && budget.search.nodes.is_none();
        let time = match budget.time {
            Some(time) => time.min(self.limits.max_time),
            None if unlimited => self.limits.default_time,
            None => self.limits.max_time,
        };
        let deadline = deadline.map(before_deadline).transpose()?;
        Ok(Allowance {
            deadline,
            time: Some(time),
        })
    }
}

/// When an answer has to leave to be there before the deadline.
fn before_deadline(deadline: Instant) -> Result<Instant, Status> {
    let now = Instant::now();
    let left = deadline
        .checked_duration_since(now)
        .filter(|left| !left.is_zero())
        .ok_or_else(status::deadline_exceeded)?;
    let way_back = (left / RETURN_SHARE).max(MIN_RETURN);
    Ok(deadline.checked_sub(way_back).unwrap_or(now))
}

/// A value in discs, to two places: more would say more than it knows.
fn hundredths(value: f32) -> f64 {
    (f64::from(value) * 100.0).round() / 100.0
}

fn line(faults: &mut Faults, line: v1::Line) -> Option<(Game, String)> {
    let transcript = faults.bounded("line.transcript", line.transcript, MAX_TRANSCRIPT_BYTES);
    let game = faults.within("line.", |faults| {
        rules_service::game(faults, line.rules, line.position)
    });
    Some((game?, transcript))
}

/// A duration as JSON has it, whatever it holds.
fn seconds(time: prost_types::Duration) -> String {
    const SECOND: i128 = 1_000_000_000;
    let nanos = i128::from(time.seconds) * SECOND + i128::from(time.nanos);
    let sign = if nanos < 0 { "-" } else { "" };
    let nanos = nanos.abs();
    format!("{sign}{}.{:09}s", nanos / SECOND, nanos % SECOND)
}

fn budget(faults: &mut Faults, message: Option<v1::Budget>) -> Option<Budget> {
    let message = message.unwrap_or_default();
    let whole = |time: &prost_types::Duration| (0..1_000_000_000).contains(&time.nanos);
    let time = match message.time.map(|time| (time, Duration::try_from(time))) {
        None => Some(None),
        Some((given, Ok(time))) if whole(&given) && !time.is_zero() => Some(Some(time)),
        Some((time, _)) => {
            faults.invalid("budget.time", seconds(time), "is not a positive duration");
            None
        }
    };
    let depth = match message.depth {
        0 => Some(None),
        depth @ 1..=MAX_DEPTH => Some(u32::try_from(depth).ok()),
        depth => {
            let range = format!("is not from 1 to {MAX_DEPTH}");
            faults.invalid("budget.depth", depth, range);
            None
        }
    };
    let nodes = match u64::try_from(message.nodes) {
        Ok(nodes) => Some((nodes > 0).then_some(nodes)),
        Err(_) => {
            faults.invalid("budget.nodes", message.nodes, "is negative");
            None
        }
    };
    Some(Budget {
        time: time?,
        search: search::Limits {
            depth: depth?,
            nodes: nodes?,
        },
    })
}
