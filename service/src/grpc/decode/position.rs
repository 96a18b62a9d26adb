//! Positions and how transcripts are read.

use reversi_engine::notation::{BoardTextError, Syntax, parse_board};
use reversi_engine::{Bitboard, Color, Position, RuleSet, Setup, SetupError, SetupFault, Start};
use reversi_proto::v1::{self, ErrorReason};

use super::{Faults, color};

/// The position of a field, read under the rules: with the FREE start, few discs are a
/// placement phase. Where the rules have faults of their own, it is looked at all the same.
pub(in crate::grpc) fn position(
    faults: &mut Faults,
    field: &str,
    message: v1::Position,
    rules: Option<&RuleSet>,
) -> Option<Position> {
    let setup = setup(faults, field, message)?;
    let position = match rules.map(|rules| rules.start) {
        Some(Start::Free) => setup.into_free_position(),
        Some(
            Start::Standard
            | Start::Mirrored
            | Start::ParallelWhiteAbove
            | Start::ParallelBlackAbove
            | Start::Balanced(_)
            | Start::Custom(_),
        )
        | None => setup.into_position(),
    };
    position
        .map_err(|error| setup_faults(faults, field, &error))
        .ok()
}

/// The position of a field, or where it is left out the start position of the rules.
pub(in crate::grpc) fn optional_position(
    faults: &mut Faults,
    field: &str,
    message: Option<v1::Position>,
    rules: Option<&RuleSet>,
) -> Option<Position> {
    match message {
        Some(message) => position(faults, field, message, rules),
        None => Position::start(rules?)
            .map_err(|error| setup_faults(faults, "rules.custom_position", &error))
            .ok(),
    }
}

/// The setup of a field, with nothing checked but its form.
pub(super) fn setup(faults: &mut Faults, field: &str, message: v1::Position) -> Option<Setup> {
    let side = color(
        faults,
        &format!("{field}.side_to_move"),
        message.side_to_move,
    );
    let discs = match message.board {
        None => {
            faults.required(&format!("{field}.board"));
            None
        }
        Some(v1::position::Board::Bitboards(boards)) => {
            Some((Bitboard(boards.black), Bitboard(boards.white)))
        }
        Some(v1::position::Board::Text(text)) => parse_board(&text)
            .map_err(|error| board_fault(faults, &format!("{field}.text"), &error))
            .ok(),
    };
    let (black, white) = discs?;
    let setup = |side_to_move| Setup {
        black,
        white,
        side_to_move,
    };
    if side.is_none()
        && let Err(error) = setup(Color::Black).into_position()
    {
        // Whoever is to move, the discs are at fault too.
        setup_faults(faults, field, &error);
    }
    side.map(setup)
}

fn board_fault(faults: &mut Faults, field: &str, error: &BoardTextError) {
    let metadata = match error {
        BoardTextError::UnexpectedCharacter { offset, found } => {
            vec![("offset", offset.to_string()), ("found", found.to_string())]
        }
        BoardTextError::WrongLength { found } => vec![("found", found.to_string())],
        BoardTextError::MissingSide { offset } => vec![("offset", offset.to_string())],
    };
    faults.add(
        field,
        ErrorReason::MalformedBoard,
        error.to_string(),
        metadata,
    );
}

/// Notes every fault of a setup.
pub(in crate::grpc) fn setup_faults(faults: &mut Faults, field: &str, error: &SetupError) {
    for fault in &error.faults {
        let (reason, metadata) = match fault {
            SetupFault::Overlap { squares } => (
                ErrorReason::OverlappingDiscs,
                vec![("squares", squares.to_string())],
            ),
            SetupFault::NeitherSideCanMove => (ErrorReason::NoLegalMoves, vec![]),
            SetupFault::PlacementOutsideCentre { .. }
            | SetupFault::PlacementWrongSide { .. }
            | SetupFault::PlacementOutOfTurn { .. } => (ErrorReason::MalformedPlacement, vec![]),
        };
        faults.add(field, reason, fault.to_string(), metadata);
    }
}

/// How a transcript is read.
pub(in crate::grpc) fn transcript_syntax(
    faults: &mut Faults,
    field: &str,
    value: i32,
) -> Option<Syntax> {
    Some(match faults.known(field, value)? {
        v1::TranscriptSyntax::Unspecified | v1::TranscriptSyntax::Lenient => Syntax::Lenient,
        v1::TranscriptSyntax::Strict => Syntax::Strict,
    })
}
