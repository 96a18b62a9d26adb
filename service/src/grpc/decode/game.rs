//! Names, sides, labels, pages.

use reversi_engine::Color;
use reversi_proto::v1::{self, ErrorReason};

use super::Faults;
use crate::grpc::{DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MAX_TOKEN_BYTES};
use crate::operations::StateFilter;
use crate::session::{GameId, GameRecord, LegalMovesDisplay};

/// The side of a field, which is required.
pub(in crate::grpc) fn color(faults: &mut Faults, field: &str, value: i32) -> Option<Color> {
    match faults.known(field, value)? {
        v1::Color::Black => Some(Color::Black),
        v1::Color::White => Some(Color::White),
        v1::Color::Unspecified => {
            faults.required(field);
            None
        }
    }
}

/// The side of a field that may be left out.
pub(in crate::grpc) fn optional_color(
    faults: &mut Faults,
    field: &str,
    value: i32,
) -> Option<Option<Color>> {
    match faults.known(field, value)? {
        v1::Color::Unspecified => Some(None),
        v1::Color::Black => Some(Some(Color::Black)),
        v1::Color::White => Some(Some(Color::White)),
    }
}

/// The id in a game's name, which is required.
pub(in crate::grpc) fn game_id(faults: &mut Faults, field: &str, name: &str) -> Option<GameId> {
    if name.is_empty() {
        faults.required(field);
        return None;
    }
    let id = name.strip_prefix("games/").and_then(|id| id.parse().ok());
    if id.is_none() {
        let shown: String = name.chars().take(MAX_TOKEN_BYTES).collect();
        faults.add(
            field,
            ErrorReason::MalformedName,
            "is not of the form games/{id} with an id of 20 characters a-z or 2-7",
            [("name", shown)],
        );
    }
    id
}

/// The ids in several games' names.
pub(in crate::grpc) fn game_ids(
    faults: &mut Faults,
    field: &str,
    names: &[String],
) -> Option<Vec<GameId>> {
    if names.is_empty() {
        faults.required(field);
        return None;
    }
    if names.len() > MAX_PAGE_SIZE {
        faults.too_large(field, MAX_PAGE_SIZE, names.len());
        return None;
    }
    let ids: Vec<Option<GameId>> = names
        .iter()
        .enumerate()
        .map(|(index, name)| game_id(faults, &format!("{field}[{index}]"), name))
        .collect();
    ids.into_iter().collect()
}

/// A request id or an etag: short, and otherwise the caller's own business.
pub(in crate::grpc) fn short_text(faults: &mut Faults, field: &str, text: String) -> String {
    faults.bounded(field, text, MAX_TOKEN_BYTES)
}

/// The caller's words to find a game by.
pub(in crate::grpc) fn labels(faults: &mut Faults, labels: Vec<String>) -> Option<Vec<String>> {
    const FIELD: &str = "labels";
    if labels.len() > GameRecord::MAX_LABELS {
        faults.too_large(FIELD, GameRecord::MAX_LABELS, labels.len());
        return None;
    }
    for (index, label) in labels.iter().enumerate() {
        let field = format!("{FIELD}[{index}]");
        if label.is_empty() {
            faults.required(&field);
        } else if labels[..index].contains(label) {
            faults.invalid(&field, label, "is there twice");
        } else if label.len() > GameRecord::MAX_TEXT {
            faults.too_large(&field, GameRecord::MAX_TEXT, label.len());
        }
    }
    Some(labels)
}

/// Whether answers list the legal moves.
pub(in crate::grpc) fn legal_moves_display(
    faults: &mut Faults,
    field: &str,
    value: i32,
) -> Option<LegalMovesDisplay> {
    Some(match faults.known(field, value)? {
        v1::LegalMovesDisplay::Unspecified | v1::LegalMovesDisplay::Shown => {
            LegalMovesDisplay::Shown
        }
        v1::LegalMovesDisplay::Hidden => LegalMovesDisplay::Hidden,
    })
}

/// The size of a page.
pub(in crate::grpc) fn page_size(faults: &mut Faults, field: &str, size: i32) -> Option<usize> {
    match usize::try_from(size) {
        Ok(0) => Some(DEFAULT_PAGE_SIZE),
        Ok(size) => Some(size.min(MAX_PAGE_SIZE)),
        Err(_) => {
            faults.invalid(field, size, "is negative");
            None
        }
    }
}

/// Which games to list.
pub(in crate::grpc) fn state_filter(
    faults: &mut Faults,
    field: &str,
    value: i32,
) -> Option<StateFilter> {
    Some(match faults.known(field, value)? {
        v1::GameState::Unspecified => StateFilter::Any,
        v1::GameState::InProgress => StateFilter::InProgress,
        v1::GameState::Finished => StateFilter::Finished,
        v1::GameState::Waiting => StateFilter::Waiting,
        v1::GameState::Paused => StateFilter::Paused,
    })
}
