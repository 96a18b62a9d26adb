//! AnalysisService.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::stream::BoxStream;
use reversi_engine::notation::{Syntax, replay};
use reversi_engine::search::{Analysis, Certainty, Query};
use reversi_engine::{Choice, Game, Level, Objective, Position};
use reversi_proto::v1;
use reversi_proto::v1::analysis_service_server::AnalysisService;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use super::deadline::deadline;
use super::decode::{self, Budget, Faults, Subject};
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
        let budget = decode::budget(&mut faults, request.budget);
        let level = decode::level(&mut faults, request.level);
        let lines = decode::lines(&mut faults, request.lines);
        let subject = decode::subject(&mut faults, request.subject);
        let arguments = budget.zip(level).zip(lines).zip(subject);
        let (((budget, level), lines), subject) = faults.finish(arguments)?;
        let asked = self.asked(subject).await?;
        let allowance = self.suggest_allowance(deadline, &budget)?;
        let task = Task {
            level,
            query: budget.query(lines),
            seed: request.seed.unwrap_or_else(any_seed),
        };
        let (choice, elapsed) = self.choose(&asked, &task, allowance, deadline).await?;
        let weights = self.evaluations.of(asked.objective).name.clone();
        Ok(Response::new(suggestion(
            asked, &task, &choice, elapsed, weights,
        )))
    }

    type AnalyzePositionStream = BoxStream<'static, Result<v1::AnalyzePositionResponse, Status>>;

    async fn analyze_position(
        &self,
        request: Request<v1::AnalyzePositionRequest>,
    ) -> Result<Response<Self::AnalyzePositionStream>, Status> {
        let deadline = deadline(request.metadata().as_ref());
        let request = request.into_inner();
        let mut faults = Faults::default();
        let budget = decode::budget(&mut faults, request.budget);
        let lines = decode::lines(&mut faults, request.lines);
        let subject = decode::subject(&mut faults, request.subject);
        let ((budget, lines), subject) = faults.finish(budget.zip(lines).zip(subject))?;
        let asked = self.asked(subject).await?;
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
        let request = request.into_inner();
        let mut faults = Faults::default();
        let lines = decode::lines(&mut faults, request.lines);
        let subject = decode::subject(&mut faults, request.subject);
        let (lines, subject) = faults.finish(lines.zip(subject))?;
        let asked = self.asked(subject).await?;
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

/// What to choose a move by.
#[derive(Clone, Copy, Debug)]
struct Task {
    level: Level,
    query: Query,
    seed: u64,
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

impl AnalysisHandlers {
    /// The position that a call is about, if there is something to think about.
    async fn asked(&self, subject: Subject) -> Result<Asked, Status> {
        let (game, etag): (Game, _) = match subject {
            Subject::Line(game, transcript) => {
                let game = replay(*game, &transcript, Syntax::Lenient)
                    .map_err(|error| status::bad_transcript("line.transcript", &error))?;
                (game, String::new())
            }
            Subject::Stored(id) => {
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
        Ok(Asked {
            position: *game.position(),
            objective: game.rules().objective,
            etag,
        })
    }

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
        })
    }

    /// Searches for the move that a level plays.
    async fn choose(
        &self,
        asked: &Asked,
        task: &Task,
        allowance: Allowance,
        deadline: Option<Instant>,
    ) -> Result<(Choice, Duration), Status> {
        let evaluations = self.evaluations.clone();
        let (position, objective) = (asked.position, asked.objective);
        let query = task.level.query(&position, &task.query);
        let found = self
            .suggesting
            .run_timely(allowance, move |engine, control, best| {
                let started = Instant::now();
                // A job that waited past the deadline has nobody to answer.
                if deadline.is_some_and(|deadline| started >= deadline) {
                    return None;
                }
                let evaluation = evaluations.of(objective);
                let tell = &mut |step: &Analysis| best.tell((step.clone(), started));
                let found = engine.analyze(evaluation, &position, &query, control, tell)?;
                Some((found, started))
            })?
            .answer()
            .await?;
        let (analysis, started) = found.ok_or_else(status::deadline_exceeded)?;
        let elapsed = started.elapsed();
        let chosen = task.level.pick(&analysis, &position, objective, task.seed);
        Ok((Choice { analysis, chosen }, elapsed))
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

fn suggestion(
    asked: Asked,
    task: &Task,
    choice: &Choice,
    elapsed: Duration,
    weights: String,
) -> v1::SuggestMoveResponse {
    let found = encode::analysis(&asked.position, &choice.analysis, elapsed);
    let mut variations = found.variations;
    let chosen = if choice.chosen < variations.len() {
        variations.remove(choice.chosen)
    } else {
        v1::Variation::default()
    };
    variations.truncate(task.query.lines.saturating_sub(1));
    v1::SuggestMoveResponse {
        r#move: chosen.r#move,
        value: chosen.value,
        certainty: found.certainty,
        depth: found.depth,
        line: chosen.line,
        nodes: found.nodes,
        elapsed: found.elapsed,
        etag: asked.etag,
        percent: found.percent,
        alternatives: variations,
        reasons: Vec::new(),
        weights,
        level: task.level.number().into(),
        seed: (task.level < Level::HIGHEST).then_some(task.seed),
    }
}
