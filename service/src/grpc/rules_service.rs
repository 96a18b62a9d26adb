//! RulesService.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reversi_engine::notation::{Syntax, replay};
use reversi_engine::search::Control;
use reversi_engine::{
    Game, Objective, PerftConvention, PerftOptions, PerftProgress, Position, Score, perft_run,
};
use reversi_proto::v1::rules_service_server::RulesService;
use reversi_proto::v1::{self};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, Streaming};

use super::bulk;
use super::deadline::deadline;
use super::decode::{self, Faults};
use super::edge::UntilStopping;
use super::encode::{self, View};
use super::{
    AnalysisLimits, MAX_BATCH_POSITIONS, MAX_COUNT_DEPTH, MAX_PAGE_SIZE, MAX_REQUEST_BYTES,
    MAX_TRANSCRIPT_BYTES, status,
};
use crate::compute::{Allowance, ComputePool, JobControl};
use crate::evaluations::Evaluations;
use crate::session::WriteLog;
use crate::store::StoreKind;

/// How often a count tells how far it has come.
const COUNT_PROGRESS: Duration = Duration::from_millis(500);
/// What a count may take to merge boards that are reached in several ways.
const COUNT_MEMORY_BYTES: usize = 128 << 20;

/// What the server tells about itself.
#[derive(Clone, Debug)]
pub(crate) struct ServerInfo {
    /// Where games are.
    pub(crate) store: StoreKind,
    /// How long they live.
    pub(crate) game_ttl: Duration,
    /// What the engine judges positions with.
    pub(crate) evaluations: Evaluations,
    /// What its searches may take.
    pub(crate) analysis: AnalysisLimits,
}

/// The handlers of RulesService.
#[derive(Debug)]
pub(crate) struct RulesHandlers {
    info: ServerInfo,
    /// Where positions are counted: not where moves are searched, since a count may take
    /// hours.
    counting: Arc<ComputePool>,
    /// Cancelled when the server stops: streams end then.
    stopping: CancellationToken,
}

impl RulesHandlers {
    pub(crate) const fn new(
        info: ServerInfo,
        counting: Arc<ComputePool>,
        stopping: CancellationToken,
    ) -> Self {
        Self {
            info,
            counting,
            stopping,
        }
    }
}

#[tonic::async_trait]
impl RulesService for RulesHandlers {
    async fn get_server_info(
        &self,
        _request: Request<v1::GetServerInfoRequest>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        let store = match self.info.store {
            StoreKind::Memory => v1::StoreKind::Memory,
            StoreKind::Redis => v1::StoreKind::Redis,
        };
        let analysis = &self.info.analysis;
        let limits = v1::Limits {
            max_batch_positions: encode::small(MAX_BATCH_POSITIONS),
            max_request_bytes: encode::small(MAX_REQUEST_BYTES),
            max_count_depth: i32::try_from(MAX_COUNT_DEPTH).unwrap_or(i32::MAX),
            max_page_size: encode::small(MAX_PAGE_SIZE),
            game_ttl: Some(encode::duration(self.info.game_ttl)),
            remembered_request_ids: encode::small(WriteLog::CAPACITY),
            default_suggest_time: Some(encode::duration(analysis.default_suggest_time)),
            max_suggest_time: Some(encode::duration(analysis.max_suggest_time)),
            max_analysis_time: Some(encode::duration(analysis.max_analysis_time)),
            max_solve_empties: i32::try_from(analysis.max_solve_empties).unwrap_or(i32::MAX),
        };
        let weights = [Objective::MostDiscs, Objective::FewestDiscs].map(|objective| {
            let name = self.info.evaluations.name(objective);
            encode::weights(objective, name)
        });
        Ok(Response::new(v1::GetServerInfoResponse {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            store: store.into(),
            engine: reversi_engine::search::NAME.to_owned(),
            kernel: reversi_engine::kernel::name().to_owned(),
            limits: Some(limits),
            weights: weights.to_vec(),
        }))
    }

    async fn list_legal_moves(
        &self,
        request: Request<v1::ListLegalMovesRequest>,
    ) -> Result<Response<v1::ListLegalMovesResponse>, Status> {
        let request = request.into_inner();
        let mut faults = Faults::default();
        let view = faults.known("view", request.view).map(|view| match view {
            v1::LegalMovesView::Unspecified | v1::LegalMovesView::Full => View::Full,
            v1::LegalMovesView::Mask => View::Mask,
        });
        let rules = decode::rule_set(&mut faults, request.rules);
        let position = request.position;
        let position = decode::optional_position(&mut faults, "position", position, rules.as_ref());
        let (position, view) = faults.finish(position.zip(view))?;
        Ok(Response::new(v1::ListLegalMovesResponse {
            legal_moves: Some(encode::legal_moves(&position, view)),
        }))
    }

    async fn apply_moves(
        &self,
        request: Request<v1::ApplyMovesRequest>,
    ) -> Result<Response<v1::ApplyMovesResponse>, Status> {
        let request = request.into_inner();
        let mut faults = Faults::default();
        let syntax = decode::transcript_syntax(&mut faults, "syntax", request.syntax);
        let transcript = faults.bounded("transcript", request.transcript, MAX_TRANSCRIPT_BYTES);
        let game = game(&mut faults, request.rules, request.position);
        let (game, syntax): (Game, Syntax) = faults.finish(game.zip(syntax))?;
        let game = replay(game, &transcript, syntax)
            .map_err(|error| status::bad_transcript("transcript", &error))?;
        let position = game.position();
        Ok(Response::new(v1::ApplyMovesResponse {
            position: Some(encode::position(position)),
            board_text: encode::board(position),
            legal_moves: Some(encode::legal_moves(position, View::Full)),
            score: Some(encode::score(game.score())),
            outcome: encode::board_outcome(position, game.rules().objective),
            moves: encode::history(&game, game.prelude()),
        }))
    }

    async fn score_position(
        &self,
        request: Request<v1::ScorePositionRequest>,
    ) -> Result<Response<v1::ScorePositionResponse>, Status> {
        let request = request.into_inner();
        let mut faults = Faults::default();
        let rules = decode::rule_set(&mut faults, request.rules);
        let position = if let Some(position) = request.position {
            decode::position(&mut faults, "position", position, rules.as_ref())
        } else {
            faults.required("position");
            None
        };
        let (position, rules) = faults.finish(position.zip(rules))?;
        Ok(Response::new(v1::ScorePositionResponse {
            score: Some(encode::score(Score::of(&position, rules.scoring))),
            outcome: encode::board_outcome(&position, rules.objective),
        }))
    }

    async fn batch_list_legal_moves(
        &self,
        request: Request<v1::BatchListLegalMovesRequest>,
    ) -> Result<Response<v1::BatchListLegalMovesResponse>, Status> {
        // Calls that come in over HTTP are answered before they come here: see `in_place`.
        Ok(Response::new(bulk::legal_moves(&request.into_inner())?))
    }

    type StreamLegalMovesStream = UntilStopping<bulk::Answers>;

    async fn stream_legal_moves(
        &self,
        request: Request<Streaming<v1::StreamLegalMovesRequest>>,
    ) -> Result<Response<Self::StreamLegalMovesStream>, Status> {
        let answers = bulk::Answers::new(request.into_inner());
        let answers = UntilStopping::new(answers, self.stopping.clone());
        Ok(Response::new(answers))
    }

    type CountPositionsStream = BoxStream<'static, Result<v1::CountPositionsResponse, Status>>;

    async fn count_positions(
        &self,
        request: Request<v1::CountPositionsRequest>,
    ) -> Result<Response<Self::CountPositionsStream>, Status> {
        let deadline = deadline(request.metadata().as_ref());
        let request = request.into_inner();
        let mut faults = Faults::default();
        let depth = count_depth(&mut faults, request.depth);
        let convention = count_convention(&mut faults, request.convention);
        let rules = decode::rule_set(&mut faults, request.rules);
        let position = request.position;
        let position = decode::optional_position(&mut faults, "position", position, rules.as_ref());
        let arguments = position.zip(depth).zip(convention);
        let ((position, depth), convention) = faults.finish(arguments)?;
        self.count(position, depth, convention, deadline)
            .map(Response::new)
    }
}

impl RulesHandlers {
    fn count(
        &self,
        position: Position,
        depth: u32,
        convention: PerftConvention,
        deadline: Option<Instant>,
    ) -> Result<BoxStream<'static, Result<v1::CountPositionsResponse, Status>>, Status> {
        // A place for each depth and for some progress, so that the job never waits for a
        // slow reader.
        let (sender, counts) = mpsc::channel(2 * MAX_COUNT_DEPTH as usize);
        let allowance = Allowance {
            deadline,
            ..Allowance::default()
        };
        let guard = self.counting.spawn(allowance, move |control| {
            for depth in 1..=depth {
                let Some(count) = count_to(&position, depth, convention, control, &sender) else {
                    if control.deadline_passed() {
                        let _ = sender.try_send(Err(status::deadline_exceeded()));
                    }
                    return;
                };
                if sender.try_send(Ok(count)).is_err() {
                    return;
                }
            }
        })?;
        let counts = ReceiverStream::new(counts).map(move |count| {
            // The stream owns the job: when the caller leaves, both end.
            let _ = &guard;
            count
        });
        Ok(UntilStopping::new(counts, self.stopping.clone()).boxed())
    }
}

type CountSender = mpsc::Sender<Result<v1::CountPositionsResponse, Status>>;

/// The count at one depth, while its progress is sent; `None` if it is told to stop.
fn count_to(
    position: &Position,
    depth: u32,
    convention: PerftConvention,
    control: &JobControl,
    sender: &CountSender,
) -> Option<v1::CountPositionsResponse> {
    let started = Instant::now();
    let count = |nodes, complete| v1::CountPositionsResponse {
        depth: i32::try_from(depth).unwrap_or(i32::MAX),
        nodes,
        complete,
        elapsed: Some(encode::duration(started.elapsed())),
    };
    let mut told = started;
    let mut progress = |progress: PerftProgress| {
        // Progress never takes the place of a count.
        let room = sender.capacity() > MAX_COUNT_DEPTH as usize;
        if room && told.elapsed() >= COUNT_PROGRESS {
            told = Instant::now();
            let _ = sender.try_send(Ok(count(progress.leaves, false)));
        }
    };
    let options = PerftOptions {
        table_bytes: COUNT_MEMORY_BYTES,
        ..PerftOptions::default()
    };
    let stop = || control.should_stop();
    let nodes = perft_run(position, depth, convention, &options, &mut progress, &stop)?;
    Some(count(nodes, true))
}

/// The game that goes on from a position, or starts where the rules say.
fn game(
    faults: &mut Faults,
    rules: Option<v1::RuleSet>,
    position: Option<v1::Position>,
) -> Option<Game> {
    let rules = decode::rule_set(faults, rules);
    let position = decode::optional_position(faults, "position", position, rules.as_ref());
    Some(Game::from_position(rules?, position?))
}

fn count_depth(faults: &mut Faults, depth: i32) -> Option<u32> {
    let known = u32::try_from(depth)
        .ok()
        .filter(|depth| (1..=MAX_COUNT_DEPTH).contains(depth));
    if known.is_none() {
        faults.invalid(
            "depth",
            depth,
            format!("is not from 1 to {MAX_COUNT_DEPTH}"),
        );
    }
    known
}

fn count_convention(faults: &mut Faults, value: i32) -> Option<PerftConvention> {
    Some(match faults.known("convention", value)? {
        v1::CountConvention::Unspecified | v1::CountConvention::PassIsPly => {
            PerftConvention::PassIsPly
        }
        v1::CountConvention::DropFinished => PerftConvention::DropFinished,
        v1::CountConvention::PassIsFree => PerftConvention::PassIsFree,
    })
}
