//! The names of stored games.

/// The resource name of a game given by its name or its bare id.
///
/// ```
/// use reversi_client::game_name;
///
/// assert_eq!(game_name("abc"), "games/abc");
/// assert_eq!(game_name("games/abc"), "games/abc");
/// ```
#[must_use]
pub fn game_name(name_or_id: &str) -> String {
    if name_or_id.starts_with("games/") {
        name_or_id.to_owned()
    } else {
        format!("games/{name_or_id}")
    }
}
