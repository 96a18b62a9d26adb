//! SuggestMove once its request is read: the search, the choice, the answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reversi_engine::explain::explain;
use reversi_engine::opening::Book;
use reversi_engine::search::{Analysis, Control, Engine, Evaluation, Limits, Line, Query};
use reversi_engine::{Choice, Level, Position};
use reversi_proto::v1;
use tonic::Status;

use super::{AnalysisHandlers, Asked};
use crate::compute::Allowance;
use crate::grpc::{MAX_LINES, encode, status};

/// How far every move is looked at where reasons are asked for: enough for the answer to expect,
/// and little beside what the suggestion itself takes.
const LOOK: Query = Query {
    limits: Limits {
        depth: Some(4),
        nodes: Some(20_000),
    },
    lines: MAX_LINES,
};

/// What to choose a move by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub(super) level: Level,
    pub(super) query: Query,
    pub(super) seed: u64,
    pub(super) reasons: Reasons,
    pub(super) book: BookUse,
    pub(super) allowance: Allowance,
    /// When the caller has no use for an answer any more.
    pub(super) deadline: Option<Instant>,
}

/// Whether to say why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reasons {
    Wanted,
    Unwanted,
}

/// Whether to look into the book before searching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BookUse {
    First,
    Never,
}

/// What a search has found up to some time.
#[derive(Clone, Debug)]
struct Found {
    analysis: Analysis,
    /// Every move, looked at briefly. Only where it is needed for reasons.
    look: Arc<[Line]>,
    started: Instant,
}

impl AnalysisHandlers {
    /// Searches for the move that a level plays.
    pub(super) async fn suggestion(
        &self,
        asked: Asked,
        task: Task,
    ) -> Result<v1::SuggestMoveResponse, Status> {
        let known = task.known(&asked);
        let from_book = known.is_some();
        let found = match (known, task.reasons) {
            (Some(analysis), Reasons::Unwanted) => Found {
                analysis,
                look: Arc::default(),
                started: Instant::now(),
            },
            (known, _) => self.search(&asked, task, known).await?,
        };
        let (position, objective) = (asked.position, asked.objective);
        let elapsed = found.started.elapsed();
        let chosen = task
            .level
            .pick(&found.analysis, &position, objective, task.seed);
        let choice = Choice {
            analysis: found.analysis,
            chosen,
        };
        let reasons = match task.reasons {
            Reasons::Wanted => reasons(&asked, &choice, &found.look),
            Reasons::Unwanted => Vec::new(),
        };
        Ok(v1::SuggestMoveResponse {
            reasons,
            weights: self.evaluations.of(objective).name.clone(),
            etag: asked.etag,
            from_book,
            ..response(&position, &task, &choice, elapsed)
        })
    }

    /// Searches, unless the analysis is known, and looks at every move where reasons need it.
    async fn search(
        &self,
        asked: &Asked,
        task: Task,
        known: Option<Analysis>,
    ) -> Result<Found, Status> {
        let evaluations = self.evaluations.clone();
        let (position, objective) = (asked.position, asked.objective);
        let query = task.level.query(&position, &task.query);
        let knows_all = query.lines >= position.legal_moves().count() as usize;
        let job = move |engine: &mut Engine, control: &dyn Control, tell: &dyn Fn(Found)| {
            let started = Instant::now();
            // A job that waited past the deadline has nobody to answer.
            if task.deadline.is_some_and(|deadline| started >= deadline) {
                return None;
            }
            let evaluation = evaluations.of(objective);
            let look = match task.reasons {
                Reasons::Wanted if !knows_all => look(engine, evaluation, &position, control),
                Reasons::Wanted | Reasons::Unwanted => Arc::default(),
            };
            let found = |analysis: &Analysis| Found {
                analysis: analysis.clone(),
                look: Arc::clone(&look),
                started,
            };
            if let Some(known) = known {
                return Some(found(&known));
            }
            let report = &mut |step: &Analysis| tell(found(step));
            let analysis = engine.analyze(evaluation, &position, &query, control, report)?;
            Some(found(&analysis))
        };
        self.suggesting
            .run_timely(task.allowance, move |engine, control, best| {
                job(engine, control, &|found| best.tell(found))
            })?
            .answer()
            .await?
            .ok_or_else(status::deadline_exceeded)
    }
}

impl Task {
    /// What the book says, where it may be asked: it has one line, and the best.
    fn known(&self, asked: &Asked) -> Option<Analysis> {
        let Query { limits, lines } = self.query;
        let may_ask = self.book == BookUse::First
            && self.level == Level::HIGHEST
            && lines <= 1
            && limits == Limits::default();
        may_ask
            .then(|| Book::built_in().analysis(&asked.position, asked.objective))
            .flatten()
    }
}

/// Looks at every move for a moment.
fn look(
    engine: &mut Engine,
    evaluation: &Evaluation,
    position: &Position,
    control: &dyn Control,
) -> Arc<[Line]> {
    let looked = engine.analyze(evaluation, position, &LOOK, control, &mut |_| ());
    looked.map_or_else(Arc::default, |looked| looked.lines.into())
}

/// Why this move: compared with the lines of the search, and for the moves that it says nothing
/// of, with those of the look.
fn reasons(asked: &Asked, choice: &Choice, look: &[Line]) -> Vec<v1::Reason> {
    let lines = &choice.analysis.lines;
    let Some(chosen) = lines.get(choice.chosen) else {
        return Vec::new();
    };
    let is_new = |line: &&Line| {
        lines
            .iter()
            .all(|known| known.moves.first() != line.moves.first())
    };
    let others: Vec<Line> = lines
        .iter()
        .chain(look.iter().filter(is_new))
        .cloned()
        .collect();
    let context = encode::Context {
        position: &asked.position,
        objective: asked.objective,
        line: &chosen.moves,
    };
    explain(&asked.position, asked.objective, chosen, &others)
        .iter()
        .map(|reason| encode::reason(&context, reason))
        .collect()
}

/// The answer, but for what it does not depend on.
fn response(
    position: &Position,
    task: &Task,
    choice: &Choice,
    elapsed: Duration,
) -> v1::SuggestMoveResponse {
    let found = encode::analysis(position, &choice.analysis, elapsed);
    let mut alternatives = found.variations;
    let chosen = if choice.chosen < alternatives.len() {
        alternatives.remove(choice.chosen)
    } else {
        v1::Variation::default()
    };
    alternatives.truncate(task.query.lines.saturating_sub(1));
    v1::SuggestMoveResponse {
        r#move: chosen.r#move,
        value: chosen.value,
        certainty: found.certainty,
        percent: found.percent,
        depth: found.depth,
        line: chosen.line,
        nodes: found.nodes,
        elapsed: found.elapsed,
        alternatives,
        level: task.level.number().into(),
        seed: (task.level < Level::HIGHEST).then_some(task.seed),
        ..Default::default()
    }
}
