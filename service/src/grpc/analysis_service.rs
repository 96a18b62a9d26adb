//! AnalysisService.

mod suggestion;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::stream::BoxStream;
use reversi_engine::notation::{Syntax, replay};
use reversi_engine::search::{Analysis, Certainty, Query};
use reversi_engine::{Game, Objective, Position};
use reversi_proto::v1;
use reversi_proto::v1::analysis_service_server::AnalysisService;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use self::suggestion::{BookUse, Reasons, Task};
use super::deadline::deadline;
use super::decode::{self, Budget, Faults, Subject};
use super::gate::games_of;
use super::steps::{self, Steps};
use super::{encode, status};
use crate::compute::Allowance;
use crate::engines::Engines;
use crate::evaluations::Evaluations;
use crate::operations::Games;

/// The part of the time to the caller's deadline that is left for the way back, and its
/// least: a poll of the search, the encoding and the network.
const RETURN_SHARE: u32 = 20;
const MIN_RETURN: Duration = Duration::from_millis(10);

/// What calls may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnalysisLimits {
    /// A suggestion without a budget.
    pub(crate) default_suggest_time: Duration,
    /// A suggestion at most.
    pub(crate) max_suggest_time: Duration,
    /// An analysis or a solution at most.
    pub(crate) max_analysis_time: Duration,
    /// The most empty squares of a position that is to be solved.
    pub(crate) max_solve_empties: u32,
}

/// The handlers of AnalysisService.
#[derive(Debug)]
pub(crate) struct AnalysisHandlers {
    pub(crate) games: Games,
    pub(crate) evaluations: Evaluations,
    /// Where moves are searched that somebody waits for.
    pub(crate) suggesting: Arc<Engines>,
    /// Where positions are analysed and solved, which takes long.
    pub(crate) analysing: Arc<Engines>,
    pub(crate) limits: AnalysisLimits,
    /// Cancelled when the server stops: streams end then.
    pub(crate) stopping: CancellationToken,
}

/// A position to think about.
struct Asked {
    position: Position,
    objective: Objective,
    /// Of the stored game.
    etag: String,
    /// What decides for a level where the caller does not: the same for all of a stored game.
    seed: Option<u64>,
}

#[tonic::async_trait]
impl AnalysisService for AnalysisHandlers {
    async fn suggest_move(
        &self,
        request: Request<v1::SuggestMoveRequest>,
    ) -> Result<Response<v1::SuggestMoveResponse>, Status> {
        let deadline = deadline(request.metadata().as_ref());
        let games = games_of(&self.games, &request);
        let request = request.into_inner();
        let mut faults = Faults::default();
        let budget = decode::budget(&mut faults, request.budget);
        let level = decode::level(&mut faults, request.level);
        let lines = decode::lines(&mut faults, request.lines);
        let subject = decode::subject(&mut faults, request.subject);
        let arguments = budget.zip(level).zip(lines).zip(subject);
        let (((budget, level), lines), subject) = faults.finish(arguments)?;
        let asked = asked(&games, subject).await?;
        let task = Task {
            level,
            query: budget.query(lines),
            seed: request.seed.or(asked.seed).unwrap_or_else(any_seed),
            reasons: if request.reasons {
                Reasons::Wanted
            } else {
                Reasons::Unwanted
            },
            book: if request.no_book {
                BookUse::Never
            } else {
                BookUse::First
            },
            allowance: self.suggest_allowance(deadline, &budget)?,
            deadline,
        };
        self.suggestion(asked, task).await.map(Response::new)
    }

    type AnalyzePositionStream = BoxStream<'static, Result<v1::AnalyzePositionResponse, Status>>;

    async fn analyze_position(
        &self,
        request: Request<v1::AnalyzePositionRequest>,
    ) -> Result<Response<Self::AnalyzePositionStream>, Status> {
        let deadline = deadline(request.metadata().as_ref());
        let games = games_of(&self.games, &request);
        let request = request.into_inner();
        let mut faults = Faults::default();
        let budget = decode::budget(&mut faults, request.budget);
        let lines = decode::lines(&mut faults, request.lines);
        let subject = decode::subject(&mut faults, request.subject);
        let ((budget, lines), subject) = faults.finish(budget.zip(lines).zip(subject))?;
        let asked = asked(&games, subject).await?;
        let etag = asked.etag.clone();
        let message = move |step: Step<'_>| v1::AnalyzePositionResponse {
            analysis: Some(step.analysis),
            r#final: step.end == End::Last,
            etag: etag.clone(),
            weights: step.weights.to_owned(),
        };
        let stream = self.steps(
            &asked,
            budget.query(lines),
            deadline,
            budget.time,
            message,
            Ok,
        )?;
        Ok(Response::new(stream))
    }

    type SolvePositionStream = BoxStream<'static, Result<v1::SolvePositionResponse, Status>>;

    async fn solve_position(
        &self,
        request: Request<v1::SolvePositionRequest>,
    ) -> Result<Response<Self::SolvePositionStream>, Status> {
        let deadline = deadline(request.metadata().as_ref());
        let games = games_of(&self.games, &request);
        let request = request.into_inner();
        let mut faults = Faults::default();
        let lines = decode::lines(&mut faults, request.lines);
        let subject = decode::subject(&mut faults, request.subject);
        let (lines, subject) = faults.finish(lines.zip(subject))?;
        let asked = asked(&games, subject).await?;
        let empties = asked.position.empties().count();
        if empties > self.limits.max_solve_empties {
            return Err(status::too_many_empties(
                self.limits.max_solve_empties,
                empties,
            ));
        }
        let etag = asked.etag.clone();
        let message = move |step: Step<'_>| v1::SolvePositionResponse {
            analysis: Some(step.analysis),
            r#final: step.end == End::Last,
            etag: etag.clone(),
            weights: step.weights.to_owned(),
        };
        let query = Budget::default().query(lines);
        let solved = |analysis: Analysis| match analysis.certainty {
            Certainty::Exact => Ok(analysis),
            Certainty::Depth | Certainty::Percent(_) => Err(status::deadline_exceeded()),
        };
        let stream = self.steps(&asked, query, deadline, None, message, solved)?;
        Ok(Response::new(stream))
    }
}

/// A step of a search on its way to the caller.
struct Step<'a> {
    analysis: v1::Analysis,
    end: End,
    weights: &'a str,
}

/// Whether more follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    NotYet,
    Last,
}

/// The position that a call is about, if there is something to think about.
async fn asked(games: &Games, subject: Subject) -> Result<Asked, Status> {
    let (game, etag, seed): (Game, _, _) = match subject {
        Subject::Line(game, transcript) => {
            let game = replay(*game, &transcript, Syntax::Lenient)
                .map_err(|error| status::bad_transcript("line.transcript", &error))?;
            (game, String::new(), None)
        }
        Subject::Stored(id) => {
            let session = games.get(id).await?;
            if session.outcome().is_some() {
                return Err(status::nothing_to_suggest_in(id, &session));
            }
            let etag = session.event_number().to_string();
            (session.game().clone(), etag, Some(id.seed()))
        }
    };
    if game.turn().is_over() {
        return Err(status::nothing_to_suggest());
    }
    Ok(Asked {
        position: *game.position(),
        objective: game.rules().objective,
        etag,
        seed,
    })
}

impl AnalysisHandlers {
    /// How long a suggestion may take.
    fn suggest_allowance(
        &self,
        deadline: Option<Instant>,
        budget: &Budget,
    ) -> Result<Allowance, Status> {
        let limits = &self.limits;
        let unlimited = budget.search.depth.is_none() && budget.search.nodes.is_none();
        let time = match budget.time {
            Some(time) => time.min(limits.max_suggest_time),
            None if unlimited => limits.default_suggest_time,
            None => limits.max_suggest_time,
        };
        Ok(Allowance {
            deadline: deadline.map(before_deadline).transpose()?,
            time: Some(time),
            ..Allowance::default()
        })
    }

    /// Searches deeper and deeper and sends every step; `last` says whether the search has come
    /// to what was asked for.
    fn steps<T: Send + 'static>(
        &self,
        asked: &Asked,
        query: Query,
        deadline: Option<Instant>,
        time: Option<Duration>,
        message: impl Fn(Step<'_>) -> T + Send + 'static,
        last: impl FnOnce(Analysis) -> Result<Analysis, Status> + Send + 'static,
    ) -> Result<BoxStream<'static, Result<T, Status>>, Status> {
        let max = self.limits.max_analysis_time;
        let allowance = Allowance {
            deadline: deadline.map(before_deadline).transpose()?,
            time: Some(time.map_or(max, |time| time.min(max))),
            ..Allowance::default()
        };
        let evaluations = self.evaluations.clone();
        let (position, objective) = (asked.position, asked.objective);
        let (steps, receiver): (Steps<T>, _) = steps::channel();
        let job = self.analysing.spawn(allowance, move |engine, control| {
            let started = Instant::now();
            let evaluation = evaluations.of(objective);
            let message = |analysis: &Analysis, end| {
                message(Step {
                    analysis: encode::analysis(&position, analysis, started.elapsed()),
                    end,
                    weights: &evaluation.name,
                })
            };
            let found = engine.analyze(evaluation, &position, &query, control, &mut |step| {
                steps.send(|| message(step, End::NotYet));
            });
            if let Some(found) = found {
                steps.end(last(found).map(|found| message(&found, End::Last)));
            }
        })?;
        let stopping = self.stopping.clone();
        Ok(steps::stream(receiver, job, deadline, stopping))
    }
}

/// A seed that nobody has chosen.
fn any_seed() -> u64 {
    // Without random numbers every game goes the same way, which is better than not at all.
    getrandom::u64().unwrap_or_default()
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
