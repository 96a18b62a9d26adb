//! A stored game, its moves and its state.

use std::fmt;

use reversi_client::{
    BoardStyle,
    proto::{
        EndReason, Game, GameState, GameStatus, LegalMoves, Move, MoveKind, Objective, Outcome,
        PassMode, RuleSet, Score, Scoring, Seat, SeatOccupant, Series, Start,
    },
    squares,
};
use serde::Serialize;

use super::clock::{ClockView, remaining};
use super::{TotalsView, board, outcome_text, short, side, turn};

/// A game for programs.
#[derive(Debug, Serialize)]
pub(crate) struct GameView {
    name: String,
    etag: String,
    #[serde(flatten)]
    status: StatusView,
    history: Vec<String>,
    rules: RulesView,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    external_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<SeriesView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    create_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    update_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expire_time: Option<String>,
}

/// The part of a game that changes, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct StatusView {
    state: &'static str,
    /// Nothing when the game is over.
    side_to_move: Option<&'static str>,
    /// What it can do; nothing where the legal moves are hidden.
    turn: Option<&'static str>,
    board: String,
    ply: i32,
    black: i32,
    white: i32,
    empties: i32,
    scored: Option<TotalsView>,
    outcome: Option<OutcomeView>,
    /// Nothing where they are hidden.
    legal_moves: Option<Vec<String>>,
    black_seat: SeatView,
    white_seat: SeatView,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<ClockView>,
    /// Who would like to take back.
    #[serde(skip_serializing_if = "Option::is_none")]
    take_back_proposal: Option<&'static str>,
    #[serde(skip_serializing_if = "String::is_empty")]
    next_game: String,
}

/// Games that follow each other, for programs.
#[derive(Debug, Serialize)]
struct SeriesView {
    first_game: String,
    number: i32,
    black_points: f64,
    white_points: f64,
}

impl From<Series> for SeriesView {
    fn from(series: Series) -> Self {
        Self {
            first_game: series.first_game,
            number: series.number,
            black_points: series.black_points,
            white_points: series.white_points,
        }
    }
}

/// How a game ended, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct OutcomeView {
    /// Nothing for a draw.
    winner: Option<&'static str>,
    reason: &'static str,
}

#[derive(Debug, Serialize)]
struct RulesView {
    objective: &'static str,
    start: &'static str,
    scoring: &'static str,
    pass_mode: &'static str,
}

/// Who plays a side, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct SeatView {
    player_id: String,
    display_name: String,
    occupant: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<i32>,
}

/// A move that was played, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct MoveView {
    pub(crate) side: Option<&'static str>,
    pub(crate) square: String,
    pub(crate) kind: &'static str,
    pub(crate) flips: Vec<&'static str>,
}

impl From<&Game> for GameView {
    fn from(game: &Game) -> Self {
        let rules = game.rules.clone().unwrap_or_default();
        let time = |time: Option<prost_types::Timestamp>| time.map(|time| time.to_string());
        Self {
            name: game.name.clone(),
            etag: game.etag.clone(),
            status: game.into(),
            history: game.history.iter().map(|m| m.square.clone()).collect(),
            rules: (&rules).into(),
            labels: game.labels.clone(),
            external_id: game.external_id.clone(),
            series: game.series.clone().map(Into::into),
            create_time: time(game.create_time),
            update_time: time(game.update_time),
            expire_time: time(game.expire_time),
        }
    }
}

impl From<&Game> for StatusView {
    fn from(game: &Game) -> Self {
        (&status(game)).into()
    }
}

/// The part of a game that changes.
fn status(game: &Game) -> GameStatus {
    GameStatus {
        state: game.state,
        outcome: game.outcome,
        position: game.position.clone(),
        board_text: game.board_text.clone(),
        ply: game.ply,
        legal_moves: game.legal_moves.clone(),
        score: game.score,
        clock_reading: game.clock_reading,
        take_back_proposal: game.take_back_proposal,
        black_seat: game.black_seat.clone(),
        white_seat: game.white_seat.clone(),
        legal_moves_display: game.legal_moves_display,
        next_game: game.next_game.clone(),
    }
}

impl From<&GameStatus> for StatusView {
    fn from(status: &GameStatus) -> Self {
        let score = status.score.unwrap_or_default();
        let over = status.state() == GameState::Finished;
        let to_move = status
            .position
            .as_ref()
            .and_then(|p| side(p.side_to_move()));
        Self {
            state: state(status.state()),
            side_to_move: to_move.filter(|_| !over),
            turn: if over {
                Some("over")
            } else {
                status.legal_moves.as_ref().map(|moves| turn(moves.turn()))
            },
            board: status.board_text.clone(),
            ply: status.ply,
            black: score.black,
            white: score.white,
            empties: score.empties,
            scored: score.scored.map(Into::into),
            outcome: status.outcome.as_ref().map(Into::into),
            legal_moves: status.legal_moves.as_ref().map(legal_squares),
            black_seat: status.black_seat.clone().unwrap_or_default().into(),
            white_seat: status.white_seat.clone().unwrap_or_default().into(),
            clock: status.clock_reading.as_ref().map(Into::into),
            take_back_proposal: status.take_back_proposal.and_then(|p| side(p.side())),
            next_game: status.next_game.clone(),
        }
    }
}

/// Where a game stands, for programs.
pub(crate) fn state(state: GameState) -> &'static str {
    match state {
        GameState::InProgress => "in_progress",
        GameState::Finished => "finished",
        GameState::Waiting => "waiting",
        GameState::Paused => "paused",
        GameState::Unspecified => "unknown",
    }
}

impl From<&Outcome> for OutcomeView {
    fn from(outcome: &Outcome) -> Self {
        Self {
            winner: side(outcome.winner()),
            reason: short(EndReason::as_str_name(&outcome.reason()), "END_REASON_"),
        }
    }
}

impl From<&RuleSet> for RulesView {
    fn from(rules: &RuleSet) -> Self {
        Self {
            objective: short(Objective::as_str_name(&rules.objective()), "OBJECTIVE_"),
            start: short(Start::as_str_name(&rules.start()), "START_"),
            scoring: short(Scoring::as_str_name(&rules.scoring()), "SCORING_"),
            pass_mode: short(PassMode::as_str_name(&rules.pass_mode()), "PASS_MODE_"),
        }
    }
}

impl From<Seat> for SeatView {
    fn from(seat: Seat) -> Self {
        Self {
            occupant: match seat.occupant() {
                SeatOccupant::Person | SeatOccupant::Unspecified => "person",
                SeatOccupant::Engine => "engine",
                SeatOccupant::Substitute => "substitute",
                SeatOccupant::Open => "open",
            },
            level: (seat.level > 0).then_some(seat.level),
            player_id: seat.player_id,
            display_name: seat.display_name,
        }
    }
}

impl From<&Move> for MoveView {
    fn from(played: &Move) -> Self {
        Self {
            side: side(played.side()),
            square: played.square.clone(),
            kind: match played.kind() {
                MoveKind::Placement => "placement",
                MoveKind::Disc => "disc",
                MoveKind::Pass => "pass",
                MoveKind::Unspecified => "unknown",
            },
            flips: squares(played.flips),
        }
    }
}

impl fmt::Display for MoveView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = self.side.unwrap_or("somebody");
        if self.kind == "pass" {
            return write!(f, "{side} passes");
        }
        write!(f, "{side} plays {}", self.square)?;
        if self.flips.is_empty() {
            return Ok(());
        }
        write!(f, " and turns {}", self.flips.join(" "))
    }
}

/// The legal squares, from the list or, where the answer has none, from the mask.
pub(crate) fn legal_squares(legal: &LegalMoves) -> Vec<String> {
    if legal.moves.is_empty() {
        squares(legal.mask).into_iter().map(str::to_owned).collect()
    } else {
        legal.moves.iter().map(|m| m.square.clone()).collect()
    }
}

/// A game for people: the board, then a line.
pub(crate) fn game_text(game: &Game, style: BoardStyle) -> String {
    let legal = game
        .legal_moves
        .as_ref()
        .map_or_else(Vec::new, legal_squares);
    let last = game.history.iter().rfind(|m| m.kind() != MoveKind::Pass);
    let drawn = board(
        &game.board_text,
        &legal,
        last.map(|m| m.square.as_str()),
        style,
    );
    format!("{drawn}\n{}", standing(game))
}

/// A game in a line: name, score, who is to move or how it ended.
pub(crate) fn standing(game: &Game) -> String {
    format!("{}  {}", game.name, status_text(&status(game)))
}

/// A game for people with what `game_text` leaves out: its etag and its moves, in a form
/// that `apply` reads.
pub(crate) fn full_text(game: &Game, style: BoardStyle) -> String {
    let mut text = format!("{}\netag   {}", game_text(game, style), game.etag);
    if !game.history.is_empty() {
        let moves: Vec<_> = game.history.iter().map(|m| m.square.as_str()).collect();
        text.push_str(&format!("\nmoves  {}", moves.join(" ")));
    }
    text
}

/// Who sits there, to be put behind a score; nothing for a person without a name. Other people
/// chose the name: it is kept from steering the terminal.
pub(crate) fn seated(seat: &Option<Seat>) -> String {
    let Some(seat) = seat else {
        return String::new();
    };
    let name = seat.display_name.replace(char::is_control, "\u{fffd}");
    let engine = match seat.occupant() {
        SeatOccupant::Person | SeatOccupant::Unspecified => None,
        SeatOccupant::Engine => Some(format!("level {}", seat.level)),
        SeatOccupant::Substitute => Some(format!("away: level {}", seat.level)),
        SeatOccupant::Open => Some("open".to_owned()),
    };
    let parts = [(!name.is_empty()).then_some(name), engine];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join(", "))
    }
}

/// The score with who sits where behind it, Black's first; then who is to move, or how it ended,
/// or what it waits for; then what the clock shows and what is proposed.
pub(crate) fn status_text(status: &GameStatus) -> String {
    let [black_name, white_name] = [&status.black_seat, &status.white_seat].map(seated);
    let Score {
        black,
        white,
        scored,
        ..
    } = status.score.unwrap_or_default();
    let end = match (&status.outcome, status.state()) {
        (Some(outcome), _) => outcome_text(outcome, scored.map(|s| (s.black, s.white))),
        (None, GameState::Waiting) => "waits for a player".to_owned(),
        (None, GameState::Paused) => "paused".to_owned(),
        (None, _) => {
            let to_move = status
                .position
                .as_ref()
                .and_then(|p| side(p.side_to_move()));
            format!("{} to move", to_move.unwrap_or("nobody"))
        }
    };
    let clock = status.clock_reading.as_ref().map(remaining);
    let clock = clock.map_or_else(String::new, |clock| format!("  {clock}"));
    let proposal = status.take_back_proposal.and_then(|p| side(p.side()));
    let proposal = proposal.map_or_else(String::new, |side| format!("  {side} asks to take back"));
    let next = match status.next_game.as_str() {
        "" => String::new(),
        next => format!("  next {next}"),
    };
    format!(
        "X {black}{black_name}  O {white}{white_name}  ply {}  {end}{clock}{proposal}{next}",
        status.ply
    )
}

#[cfg(test)]
mod tests {
    use reversi_client::proto::{Color, Position};
    use serde_json::json;

    use super::*;

    fn started() -> Game {
        Game {
            name: "games/abc".to_owned(),
            etag: "0".to_owned(),
            state: GameState::InProgress.into(),
            board_text: "---------------------------OX------XO---------------------------"
                .to_owned(),
            position: Some(Position {
                side_to_move: Color::Black.into(),
                ..Default::default()
            }),
            legal_moves: Some(LegalMoves {
                turn: 1,
                mask: 0x0000_1020_0408_0000,
                moves: Vec::new(),
            }),
            score: Some(Score {
                black: 2,
                white: 2,
                empties: 60,
                scored: None,
            }),
            ..Default::default()
        }
    }

    #[test]
    fn a_running_game_has_a_side_to_move_and_no_outcome() {
        let view = serde_json::to_value(GameView::from(&started())).unwrap();
        assert_eq!(view["state"], "in_progress");
        assert_eq!(view["side_to_move"], "X");
        assert_eq!(view["turn"], "move");
        assert_eq!(view["legal_moves"], json!(["d3", "c4", "f5", "e6"]));
        assert_eq!(view["outcome"], json!(null));
        assert_eq!(view["scored"], json!(null));
    }

    #[test]
    fn a_finished_game_has_an_outcome_and_nobody_to_move() {
        let game = Game {
            state: GameState::Finished.into(),
            outcome: Some(Outcome {
                winner: Color::White.into(),
                reason: EndReason::Resignation.into(),
            }),
            legal_moves: None,
            ..started()
        };
        let view = serde_json::to_value(GameView::from(&game)).unwrap();
        assert_eq!(view["state"], "finished");
        assert_eq!(view["side_to_move"], json!(null));
        assert_eq!(view["turn"], "over");
        assert_eq!(
            view["outcome"],
            json!({"winner": "O", "reason": "RESIGNATION"})
        );
        assert!(game_text(&game, BoardStyle::Plain).ends_with("O wins: by resignation"));
    }

    #[test]
    fn a_name_cannot_steer_the_terminal() {
        let game = Game {
            white_seat: Some(Seat {
                display_name: "\x1b[2JEve\n".to_owned(),
                ..Default::default()
            }),
            ..started()
        };
        assert!(
            standing(&game).contains("  O 2 (\u{fffd}[2JEve\u{fffd})  ply 0"),
            "{}",
            standing(&game)
        );
    }

    #[test]
    fn hidden_legal_moves_are_not_taken_for_none() {
        let game = Game {
            legal_moves: None,
            ..started()
        };
        let view = serde_json::to_value(GameView::from(&game)).unwrap();
        assert_eq!(view["legal_moves"], json!(null));
        assert_eq!(view["turn"], json!(null));
    }
}
