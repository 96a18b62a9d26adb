//! CreateGame.

use reversi_engine::notation::{Syntax, replay};
use reversi_engine::{Game, Move, MoveKind, PassMode, RuleSet};
use reversi_proto::v1;
use tonic::Status;

use crate::grpc::decode::{self, Faults};
use crate::grpc::{MAX_TRANSCRIPT_BYTES, status};
use crate::operations::{CreateGame, WriteMode};
use crate::session::{GameRecord, SeatTokens};

/// What is to be created.
pub(super) fn request(request: v1::CreateGameRequest) -> Result<CreateGame, Status> {
    let mut faults = Faults::default();
    let rules = decode::rule_set(&mut faults, request.rules);
    let seats = decode::seats(&mut faults, request.black_seat, request.white_seat);
    let color_policy = decode::color_policy(&mut faults, request.color_policy, seats.as_ref());
    let field = "legal_moves_display";
    let display = decode::legal_moves_display(&mut faults, field, request.legal_moves_display);
    let clock = decode::clock(&mut faults, request.clock);
    let field = "substitute_level";
    let substitute = decode::optional_level(&mut faults, field, request.substitute_level);
    let presence = decode::presence(&mut faults, request.presence_ttl);
    let labels = decode::labels(&mut faults, request.labels);
    let external_id = faults.bounded("external_id", request.external_id, GameRecord::MAX_TEXT);
    let transcript = faults.bounded("transcript", request.transcript, MAX_TRANSCRIPT_BYTES);
    let request_id = decode::short_text(&mut faults, "request_id", request.request_id);
    let game = match rules {
        Some(rules) => Some(played(rules, &transcript)?),
        None => None,
    };
    let prelude = prelude(&mut faults, request.prelude_ply, game.as_ref());
    let seating = seats.zip(color_policy).zip(substitute).zip(presence);
    let course = game.zip(display).zip(clock).zip(prelude);
    let arguments = faults.finish(seating.zip(course).zip(labels))?;
    let ((seating, course), labels) = arguments;
    let (((seats, color_policy), substitute), presence) = seating;
    let (((game, legal_moves), clock), prelude) = course;
    Ok(CreateGame {
        rules: *game.rules(),
        seats,
        color_policy,
        legal_moves,
        clock,
        substitute,
        seat_tokens: if request.seat_tokens {
            SeatTokens::Required
        } else {
            SeatTokens::Off
        },
        presence,
        labels,
        external_id,
        moves: moves(&game),
        prelude,
        request_id,
        mode: if request.validate_only {
            WriteMode::ValidateOnly
        } else {
            WriteMode::Commit
        },
    })
}

/// The game that a transcript leads to.
fn played(rules: RuleSet, transcript: &str) -> Result<Game, Status> {
    let game = Game::new(rules).map_err(|error| status::bad_setup(&error))?;
    replay(game, transcript, Syntax::Lenient)
        .map_err(|error| status::bad_transcript("transcript", &error))
}

fn prelude(faults: &mut Faults, plies: i32, game: Option<&Game>) -> Option<usize> {
    let most = game.map_or(usize::MAX, Game::ply);
    let prelude = usize::try_from(plies).ok().filter(|plies| *plies <= most);
    if prelude.is_none() {
        let description = "is not from zero to the plies of the game so far";
        faults.invalid("prelude_ply", plies, description);
    }
    prelude
}

/// The moves that lead to a game, automatic passes and those of its start left out.
fn moves(game: &Game) -> Vec<Move> {
    let entered = |kind| kind == MoveKind::Pass && game.rules().pass_mode == PassMode::Automatic;
    let chosen = game.history().iter().skip(game.prelude());
    let played = chosen.filter(|played| !entered(played.kind));
    played.map(|played| played.mv).collect()
}
