//! Every error of the API is made here: its code, its reason, its details.

use std::collections::HashMap;
use std::error::Error;
use std::time::Duration;

use reversi_engine::notation::{TranscriptError, TranscriptErrorKind};
use reversi_engine::{Color, IllegalMove, SetupError, Square, Turn};
use reversi_proto::ERROR_DOMAIN;
use reversi_proto::v1::ErrorReason;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt};

use super::decode::{Fault, Faults, InvalidRequest};
use super::{MAX_REQUEST_BYTES, encode};
use crate::auth::Refusal;
use crate::compute::{ComputeBusy, JobLost};
use crate::operations::{GameError, SeatTokenError};
use crate::quota::{Exceeded, Limit};
use crate::session::{GameId, LegalMovesDisplay, SeatError, Session, TakeBackError, WriteError};
use crate::store::StoreError;

/// When to try again while the store is away: about the time a restart takes.
const STORE_RETRY: Duration = Duration::from_secs(1);
/// When to try again when the compute queue is full: about the time a suggestion takes.
const COMPUTE_RETRY: Duration = Duration::from_millis(500);
/// When to try again when a tenant has too many live games: one of them may end meanwhile.
const LIVE_GAMES_RETRY: Duration = Duration::from_secs(5);

/// How many faults of a request are told: together they stay well below the 8 KiB of metadata
/// that clients of some languages take, and the 16 KiB at which others drop the connection.
const MAX_VIOLATIONS: usize = 20;
/// How many of them are in the message, for people.
const MAX_DESCRIBED: usize = 5;
/// The longest text of a caller's that an error repeats, in characters.
const MAX_REPEATED: usize = 128;

/// The reason as `google.rpc.ErrorInfo` carries it: without its prefix.
#[must_use]
pub fn reason_name(reason: ErrorReason) -> &'static str {
    let name = reason.as_str_name();
    name.strip_prefix("ERROR_REASON_").unwrap_or(name)
}

/// An error on its way to become a status.
struct Problem {
    code: Code,
    message: String,
    details: ErrorDetails,
}

impl Problem {
    fn new(
        code: Code,
        reason: ErrorReason,
        message: impl Into<String>,
        metadata: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Self {
        let metadata: HashMap<String, String> = metadata
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        Self {
            code,
            message: message.into(),
            details: ErrorDetails::with_error_info(reason_name(reason), ERROR_DOMAIN, metadata),
        }
    }

    fn retry_after(mut self, delay: Duration) -> Self {
        self.details.set_retry_info(Some(delay));
        self
    }

    fn with_resource(mut self, name: &str) -> Self {
        self.details
            .set_resource_info("reversi.v1.Game", name, "", self.message.clone());
        self
    }

    fn with_precondition(mut self, reason: ErrorReason, subject: &str) -> Self {
        let message = self.message.clone();
        self.details
            .add_precondition_failure_violation(reason_name(reason), subject, message);
        self
    }
}

impl From<Problem> for Status {
    fn from(problem: Problem) -> Self {
        Self::with_error_details(problem.code, problem.message, problem.details)
    }
}

impl From<InvalidRequest> for Status {
    fn from(InvalidRequest(faults): InvalidRequest) -> Self {
        let message = described(&faults);
        let violations: Vec<FieldViolation> = faults
            .iter()
            .take(MAX_VIOLATIONS)
            .map(|fault| FieldViolation::new(fault.field.clone(), fault.description.clone()))
            .collect();
        let first = faults
            .into_iter()
            .next()
            .expect("invariant: there is a fault");
        let metadata = [("field", first.field)].into_iter().chain(first.metadata);
        let mut problem = Problem::new(Code::InvalidArgument, first.reason, message, metadata);
        problem.details.set_bad_request(violations);
        problem.into()
    }
}

/// The first faults in words, and how many more there are.
fn described(faults: &[Fault]) -> String {
    let mut message = faults
        .iter()
        .take(MAX_DESCRIBED)
        .map(|fault| format!("{}: {}", fault.field, fault.description))
        .collect::<Vec<_>>()
        .join("; ");
    if faults.len() > MAX_DESCRIBED {
        message += &format!("; and {} more", faults.len() - MAX_DESCRIBED);
    }
    message
}

impl From<Faults> for Status {
    fn from(faults: Faults) -> Self {
        match faults.check() {
            Err(error) => error.into(),
            Ok(()) => internal(&NoFault),
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("a request was refused without a fault")]
struct NoFault;

/// The reason for which the rules forbid a move.
fn illegal_reason(error: IllegalMove) -> ErrorReason {
    match error {
        IllegalMove::GameOver => ErrorReason::GameOver,
        IllegalMove::FalsePass => ErrorReason::FalsePass,
        IllegalMove::MustPass => ErrorReason::MustPass,
        IllegalMove::Occupied { .. } => ErrorReason::SquareOccupied,
        IllegalMove::NoFlip { .. } => ErrorReason::IllegalNoFlip,
        IllegalMove::OutsideCentre { .. } => ErrorReason::OutsideCentre,
    }
}

fn illegal_square(error: IllegalMove) -> Option<(&'static str, String)> {
    match error {
        IllegalMove::Occupied { square }
        | IllegalMove::NoFlip { square }
        | IllegalMove::OutsideCentre { square } => Some(("square", square.to_string())),
        IllegalMove::GameOver | IllegalMove::FalsePass | IllegalMove::MustPass => None,
    }
}

/// A transcript that cannot be replayed. `field` is where it stands in the request.
pub(super) fn bad_transcript(field: &'static str, error: &TranscriptError) -> Status {
    let message = error.to_string();
    let place = [
        ("index", error.index.to_string()),
        ("offset", error.offset.to_string()),
        ("field", field.to_owned()),
    ];
    let malformed = |reason, metadata: Option<(&'static str, String)>| {
        let metadata = place.clone().into_iter().chain(metadata);
        let mut problem = Problem::new(Code::InvalidArgument, reason, message.clone(), metadata);
        problem.details.add_bad_request_violation(field, &message);
        problem.into()
    };
    match &error.kind {
        TranscriptErrorKind::OddLength => malformed(ErrorReason::OddLength, None),
        TranscriptErrorKind::NotASquare { found } => {
            malformed(ErrorReason::NotASquare, Some(("value", found.clone())))
        }
        TranscriptErrorKind::Illegal(illegal) => {
            let reason = illegal_reason(*illegal);
            let metadata = place.clone().into_iter().chain(illegal_square(*illegal));
            Problem::new(Code::FailedPrecondition, reason, message.clone(), metadata)
                .with_precondition(reason, field)
                .into()
        }
    }
}

/// There is nothing to suggest, since the game is over.
pub(super) fn nothing_to_suggest() -> Status {
    Problem::new(
        Code::FailedPrecondition,
        ErrorReason::GameOver,
        "the game is over",
        [],
    )
    .with_precondition(ErrorReason::GameOver, "position")
    .into()
}

/// There is nothing to suggest in a stored game, since it is over.
pub(super) fn nothing_to_suggest_in(id: GameId, session: &Session) -> Status {
    refused(id, &WriteError::GameOver, session, None).into()
}

/// A position cannot be solved, since it has too many empty squares.
pub(super) fn too_many_empties(limit: u32, found: u32) -> Status {
    let reason = ErrorReason::TooManyEmpties;
    Problem::new(
        Code::FailedPrecondition,
        reason,
        format!("{found} squares are empty: at most {limit} are solved"),
        [("limit", limit.to_string()), ("found", found.to_string())],
    )
    .with_precondition(reason, "position")
    .into()
}

/// A call whose credential is not taken.
pub(super) fn refused_credential(refusal: Refusal) -> Status {
    let (reason, why) = match refusal {
        Refusal::Missing => (ErrorReason::CredentialRequired, "missing"),
        Refusal::Malformed => (ErrorReason::CredentialRefused, "malformed"),
        Refusal::Unknown => (ErrorReason::CredentialRefused, "unknown"),
        Refusal::Expired => (ErrorReason::CredentialRefused, "expired"),
        Refusal::NotYetValid => (ErrorReason::CredentialRefused, "not_yet_valid"),
        Refusal::NotForThis => (ErrorReason::CredentialRefused, "not_for_this"),
        Refusal::NoTenant => (ErrorReason::CredentialRefused, "no_tenant"),
    };
    Problem::new(
        Code::Unauthenticated,
        reason,
        refusal.to_string(),
        [("why", why.to_owned())],
    )
    .into()
}

/// A call of a tenant who has reached a limit.
pub(super) fn quota_exceeded(exceeded: &Exceeded) -> Status {
    let (limit, what) = match exceeded.limit {
        Limit::Calls => ("calls", "calls a second"),
        Limit::Engine => ("engine", "time of the engine"),
    };
    Problem::new(
        Code::ResourceExhausted,
        ErrorReason::QuotaExceeded,
        format!("the tenant's limit of {what} is reached"),
        [("limit", limit.to_owned())],
    )
    .retry_after(exceeded.retry_after)
    .into()
}

/// The caller's deadline has passed.
pub(super) fn deadline_exceeded() -> Status {
    Problem::new(
        Code::DeadlineExceeded,
        ErrorReason::DeadlineExceeded,
        "the deadline passed before there was an answer",
        [],
    )
    .into()
}

/// The server is stopping.
pub(super) fn shutting_down() -> Status {
    Problem::new(
        Code::Unavailable,
        ErrorReason::ShuttingDown,
        "the server is stopping",
        [],
    )
    .retry_after(Duration::ZERO)
    .into()
}

/// A status that the transport layer made, with the code and the details that this API
/// promises.
pub(super) fn at_the_edge(code: Code, message: &str, path: &str) -> Status {
    if code == Code::OutOfRange {
        Problem::new(
            Code::InvalidArgument,
            ErrorReason::TooLarge,
            format!("the request message is larger than {MAX_REQUEST_BYTES} bytes"),
            [("limit", MAX_REQUEST_BYTES.to_string())],
        )
        .into()
    } else if code == Code::Unimplemented {
        Problem::new(
            Code::Unimplemented,
            ErrorReason::NotSupported,
            if message.is_empty() {
                "there is no such method"
            } else {
                "the encoding of the request is not supported: send it uncompressed"
            },
            [("feature", path.chars().take(MAX_REPEATED).collect())],
        )
        .into()
    } else if code == Code::Internal {
        Problem::new(
            Code::InvalidArgument,
            ErrorReason::MalformedMessage,
            format!("the request message cannot be read: {message}"),
            [],
        )
        .into()
    } else {
        Status::new(code, message)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::new(
                Code::Unavailable,
                ErrorReason::StoreUnavailable,
                "the store cannot be reached",
                [],
            )
            .retry_after(STORE_RETRY),
            StoreError::NotReplicated { replicas, wanted } => Self::new(
                Code::Unavailable,
                ErrorReason::NotReplicated,
                "the change is made, but may be lost if the store fails now: repeat the request \
                 with its request_id",
                [
                    ("replicas", replicas.to_string()),
                    ("wanted", wanted.to_string()),
                ],
            )
            .retry_after(STORE_RETRY),
            StoreError::Full { limit } => Self::new(
                Code::ResourceExhausted,
                ErrorReason::TooManyGames,
                format!("the server keeps at most {limit} games"),
                [("limit", limit.to_string())],
            )
            .retry_after(STORE_RETRY),
            StoreError::Failed(_) => internal_problem(&error),
        }
    }
}

impl From<GameError> for Status {
    fn from(error: GameError) -> Self {
        match error {
            GameError::NotFound(id) => {
                let name = encode::game_name(id);
                Problem::new(
                    Code::NotFound,
                    ErrorReason::GameNotFound,
                    format!("there is no game {name}"),
                    [("name", name.clone())],
                )
                .with_resource(&name)
                .into()
            }
            GameError::Refused { id, error, session } => refused(id, &error, &session, None).into(),
            GameError::SeatToken { id, error } => {
                let (code, reason) = match error {
                    SeatTokenError::Required => {
                        (Code::Unauthenticated, ErrorReason::SeatTokenRequired)
                    }
                    SeatTokenError::Wrong => (Code::PermissionDenied, ErrorReason::SeatTokenWrong),
                };
                let name = encode::game_name(id);
                Problem::new(code, reason, error.to_string(), [("name", name.clone())])
                    .with_resource(&name)
                    .into()
            }
            GameError::Setup(error) => bad_setup(&error),
            GameError::MalformedPageToken => {
                let mut faults = Faults::default();
                faults.add(
                    "page_token",
                    ErrorReason::MalformedPageToken,
                    error.to_string(),
                    [],
                );
                faults.into()
            }
            GameError::Unreadable { id, source } => {
                let name = encode::game_name(id);
                tracing::error!(%name, error = %source, "a stored value cannot be read");
                Problem::new(
                    Code::DataLoss,
                    ErrorReason::StoredValueUnreadable,
                    format!("the stored value of {name} cannot be read: {source}"),
                    [("name", name.clone())],
                )
                .with_resource(&name)
                .into()
            }
            GameError::Contended { id, session } => {
                let name = encode::game_name(id);
                Problem::new(
                    Code::Aborted,
                    ErrorReason::StaleEtag,
                    format!("{name} is being changed by others all the time"),
                    place(&session),
                )
                .retry_after(Duration::ZERO)
                .into()
            }
            GameError::TooManyLive { most } => Problem::new(
                Code::ResourceExhausted,
                ErrorReason::QuotaExceeded,
                format!("the tenant's limit of {most} live games is reached"),
                [
                    ("limit", "live_games".to_owned()),
                    ("most", most.to_string()),
                ],
            )
            .retry_after(LIVE_GAMES_RETRY)
            .into(),
            GameError::Store(error) => Problem::from(error).into(),
            GameError::Random(ref source) => internal(source),
        }
    }
}

pub(super) fn bad_setup(error: &SetupError) -> Status {
    let mut faults = Faults::default();
    super::decode::setup_faults(&mut faults, "rules.custom_position", error);
    faults.into()
}

/// A write that was refused: names what the caller has sent, which the operation does not
/// know.
pub(super) fn refused_write(error: GameError, request_id: &str, square: Option<Square>) -> Status {
    let GameError::Refused { id, error, session } = error else {
        return error.into();
    };
    let mut problem = refused(id, &error, &session, square);
    if error == WriteError::RequestIdReused {
        let reused = ErrorReason::RequestIdReused;
        let metadata = HashMap::from([("request_id".to_owned(), request_id.to_owned())]);
        problem
            .details
            .set_error_info(reason_name(reused), ERROR_DOMAIN, metadata);
    }
    problem.into()
}

/// A write to a game that was refused; `square` is where a disc was to be placed.
fn refused(id: GameId, error: &WriteError, session: &Session, square: Option<Square>) -> Problem {
    let message = error.to_string();
    let rules = |reason, metadata: Vec<(&'static str, String)>| {
        let etag = ("etag", session.event_number().to_string());
        let legal_moves = legal_squares(session).map(|squares| ("legal_moves", squares));
        let metadata = [etag].into_iter().chain(legal_moves).chain(metadata);
        Problem::new(Code::FailedPrecondition, reason, message.clone(), metadata)
            .with_precondition(reason, &encode::game_name(id))
    };
    let of = |side: Color| vec![("side", side.to_string())];
    match error {
        WriteError::RequestIdReused => {
            let reason = ErrorReason::RequestIdReused;
            let mut problem = Problem::new(Code::InvalidArgument, reason, message.clone(), []);
            problem
                .details
                .add_bad_request_violation("request_id", message);
            problem
        }
        WriteError::Stale { .. } => Problem::new(
            Code::Aborted,
            ErrorReason::StaleEtag,
            message,
            place(session),
        ),
        WriteError::Deleted | WriteError::GameOver => rules(ErrorReason::GameOver, vec![]),
        WriteError::NotYourTurn { side_to_move } => rules(
            ErrorReason::NotYourTurn,
            vec![("side_to_move", side_to_move.to_string())],
        ),
        WriteError::Illegal(IllegalMove::MustPass) => rules(
            ErrorReason::MustPass,
            Vec::from_iter(square.map(|square| ("square", square.to_string()))),
        ),
        WriteError::Illegal(illegal) => rules(
            illegal_reason(*illegal),
            Vec::from_iter(illegal_square(*illegal)),
        ),
        WriteError::NotOver => rules(ErrorReason::GameNotOver, vec![]),
        WriteError::Followed(_) => rules(ErrorReason::GameOver, vec![]),
        WriteError::Waiting => rules(ErrorReason::GameWaiting, vec![]),
        WriteError::Paused => rules(ErrorReason::GamePaused, vec![]),
        WriteError::TimeExpired { side } => rules(ErrorReason::TimeExpired, of(*side)),
        WriteError::Seat(SeatError::Engines { side }) => {
            rules(ErrorReason::SeatIsEngine, of(*side))
        }
        WriteError::Seat(SeatError::NotOpen) => rules(ErrorReason::SeatNotOpen, vec![]),
        WriteError::Seat(SeatError::Open { side }) => rules(ErrorReason::SeatIsOpen, of(*side)),
        WriteError::Seat(SeatError::Persons { side }) => {
            rules(ErrorReason::SeatIsPerson, of(*side))
        }
        WriteError::TakeBack(TakeBackError::Nothing { .. }) => {
            rules(ErrorReason::NothingToTakeBack, vec![])
        }
        WriteError::TakeBack(TakeBackError::NotThere { side, ply }) => {
            let mut place = of(*side);
            place.push(("ply", ply.to_string()));
            rules(ErrorReason::CannotTakeBackTo, place)
        }
        WriteError::TakeBack(TakeBackError::Pending { side }) => {
            rules(ErrorReason::TakeBackPending, of(*side))
        }
        WriteError::TakeBack(TakeBackError::NotPending { side }) => {
            rules(ErrorReason::NoTakeBackPending, of(*side))
        }
    }
}

/// Where a game is now.
fn place(session: &Session) -> [(&'static str, String); 2] {
    [
        ("etag", session.event_number().to_string()),
        ("ply", session.game().ply().to_string()),
    ]
}

/// The legal squares with blanks between them, `pass`, or nothing when the game is over;
/// `None` where the game does not show them.
fn legal_squares(session: &Session) -> Option<String> {
    if session.outcome().is_some() {
        return Some(String::new());
    }
    if session.legal_moves() == LegalMovesDisplay::Hidden {
        return None;
    }
    let game = session.game();
    Some(match game.turn() {
        Turn::Move => game.legal_moves().to_string(),
        Turn::Pass => "pass".to_owned(),
        Turn::Over(_) => String::new(),
    })
}

impl From<ComputeBusy> for Status {
    fn from(error: ComputeBusy) -> Self {
        Problem::new(
            Code::ResourceExhausted,
            ErrorReason::ComputeBusy,
            error.to_string(),
            [],
        )
        .retry_after(COMPUTE_RETRY)
        .into()
    }
}

impl From<JobLost> for Status {
    fn from(error: JobLost) -> Self {
        internal(&error)
    }
}

fn internal(error: &dyn Error) -> Status {
    internal_problem(error).into()
}

/// A fault of the server: the cause goes to the log, an id that finds it to the caller.
fn internal_problem(error: &dyn Error) -> Problem {
    let mut bytes = [0; 8];
    // Without random numbers the id is only less telling.
    let _ = getrandom::fill(&mut bytes);
    let incident = format!("{:016x}", u64::from_ne_bytes(bytes));
    let cause = error.source().map_or_else(String::new, ToString::to_string);
    tracing::error!(incident, %error, cause, "internal error");
    Problem::new(
        Code::Internal,
        ErrorReason::Internal,
        format!("internal error, incident {incident}"),
        [("incident", incident.clone())],
    )
}
