//! GGF, the game format of the GGS server and of the NBoard protocol.

use std::fmt;
use std::str::FromStr;

use super::text_board::{BoardTextError, board_text, parse_side, read_board};
use crate::color::Color;
use crate::game::Game;
use crate::moves::{Move, PlayedMove};
use crate::position::{IllegalMove, Position};
use crate::rules::{Objective, PassMode, RuleSet, Start};
use crate::setup::Setup;
use crate::turn::Turn;

/// The most characters of something unreadable that are kept for the message.
const FOUND_CHARACTERS: usize = 16;

/// A game as the format has it: `(;`, tags with their values in brackets, `;)`.
///
/// `BO` is the position that it begins from (the standard start without), an `a` in `TY` says that
/// the fewest discs win, `B` and `W` are the moves, each with an evaluation and a time or without.
/// All other tags are kept as they are. Komi, clocks and random starts are such tags: they change
/// nothing here.
///
/// ```
/// use reversi_engine::notation::GgfRecord;
///
/// let text = "(;GM[Othello]PB[ann]PW[bob]TY[8]\
///     BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]\
///     B[F5//0.5]W[D6/-1.0/2];)";
/// let record: GgfRecord = text.parse()?;
/// assert_eq!(record.game.discs_placed(), 2);
/// assert_eq!(record.tag("PB"), Some("ann"));
/// assert_eq!(record.notes[1].evaluation, Some(-1.0));
/// assert_eq!(record.to_string().parse(), Ok(record));
/// # Ok::<(), reversi_engine::notation::GgfError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GgfRecord {
    /// The game, under [`PassMode::Explicit`]; a pass that was due and not written is there.
    pub game: Game,
    /// What is noted of each ply of the game; what is missing at the end is taken as nothing.
    pub notes: Vec<GgfNote>,
    /// The tags that do not make the game, in their order: `PC`, `DT`, `PB`, `PW`, `RE`, `TI` …
    pub tags: Vec<(String, String)>,
}

/// What is noted of a move.
///
/// ```
/// use reversi_engine::notation::GgfNote;
/// use reversi_engine::{Move, Square};
///
/// let (mv, note) = GgfNote::of_move("F5/-1.5/0.2").expect("a move");
/// assert_eq!(mv, Move::Place(Square::F5));
/// assert_eq!((note.evaluation, note.seconds), (Some(-1.5), Some(0.2)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GgfNote {
    /// What the mover expected, in discs.
    pub evaluation: Option<f64>,
    /// How long the move took.
    pub seconds: Option<f64>,
}

/// Why a text is no game in GGF. Offsets are bytes from the beginning of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GgfError {
    /// No `(;` anywhere.
    #[error("no game: expected \"(;\"")]
    NoGame,
    /// Neither a tag nor the `;)` that ends a game.
    #[error("expected a tag such as PB[name], or \";)\", at byte {offset}")]
    Tag {
        /// Where it should stand.
        offset: usize,
    },
    /// Not a board of eight by eight squares.
    #[error("expected a board of size 8 at byte {offset}, found {found:?}")]
    Size {
        /// Where the value begins.
        offset: usize,
        /// The value, at most 16 characters of it.
        found: String,
    },
    /// The board cannot be read.
    #[error("in the board at byte {offset}: {source}")]
    Board {
        /// Where the squares begin; the offsets of the source count from there.
        offset: usize,
        /// What is wrong.
        source: BoardTextError,
    },
    /// A move that is none.
    #[error("expected a move at byte {offset}, found {found:?}")]
    Move {
        /// Where it begins.
        offset: usize,
        /// The value, at most 16 characters of it.
        found: String,
    },
    /// A move by the side that is not to move.
    #[error("a move by {found} at byte {offset}, out of turn")]
    OutOfTurn {
        /// Where it begins.
        offset: usize,
        /// The side of the tag.
        found: Color,
    },
    /// A move that the rules forbid.
    #[error("at byte {offset}: {fault}")]
    Illegal {
        /// Where it begins.
        offset: usize,
        /// Why.
        fault: IllegalMove,
    },
}

/// A tag with its value, and where the value begins.
struct Tag<'a> {
    name: &'a str,
    value: &'a str,
    offset: usize,
}

impl GgfRecord {
    /// A record of a game of which nothing else is known.
    #[must_use]
    pub const fn new(game: Game) -> Self {
        Self {
            game,
            notes: Vec::new(),
            tags: Vec::new(),
        }
    }

    /// The value of the first tag of that name.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(tag, _)| tag == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Plays a move on, with what is noted of it. A pass that is due before it is entered.
    ///
    /// # Errors
    ///
    /// As [`Game::play`]; the record is then as it was, but for such a pass.
    pub fn play(&mut self, mv: Move, note: GgfNote) -> Result<(), IllegalMove> {
        if mv != Move::Pass && self.game.turn() == Turn::Pass {
            self.game.play(Move::Pass)?;
        }
        self.game.play(mv)?;
        self.notes.resize(self.game.ply() - 1, GgfNote::default());
        self.notes.push(note);
        Ok(())
    }

    fn play_tag(&mut self, side: Color, tag: &Tag<'_>) -> Result<(), GgfError> {
        let offset = tag.offset;
        let (mv, note) = GgfNote::of_move(tag.value).ok_or_else(|| GgfError::Move {
            offset,
            found: shortened(tag.value),
        })?;
        // The pass between two moves of one side may have been left out.
        let is_before_pass = self.game.turn() == Turn::Pass && mv != Move::Pass;
        if (self.game.position().side_to_move() == side) == is_before_pass {
            return Err(GgfError::OutOfTurn {
                offset,
                found: side,
            });
        }
        self.play(mv, note)
            .map_err(|fault| GgfError::Illegal { offset, fault })
    }
}

impl GgfNote {
    /// Reads a move with its note, as it stands in a tag: the square or pass, then the evaluation
    /// and the time, each behind a `/` and each empty or missing where nothing is noted.
    #[must_use]
    pub fn of_move(text: &str) -> Option<(Move, Self)> {
        let mut parts = text.split('/').map(str::trim_ascii);
        let mv = parts.next()?.parse().ok()?;
        let mut number = || {
            let number: Option<f64> = parts.next().and_then(|text| text.parse().ok());
            number.filter(|number| number.is_finite())
        };
        let note = Self {
            evaluation: number(),
            seconds: number(),
        };
        Some((mv, note))
    }
}

impl FromStr for GgfRecord {
    type Err = GgfError;

    /// Reads the first game of the text.
    ///
    /// Tags may stand in any order, blanks between them and in the board. Squares and passes are
    /// those of [`Move`], discs those of [`parse_board`](super::parse_board). An evaluation or a
    /// time that is no number is left out. What stands before and behind the game is not read.
    fn from_str(text: &str) -> Result<Self, GgfError> {
        let tags = read_tags(text)?;
        let named = |name| tags.iter().find(move |tag| tag.name == name);
        let start = named("BO").map_or(Ok(Position::standard()), read_start)?;
        let objective = named("TY").map_or(Objective::MostDiscs, |tag| objective(tag.value));
        let rules = RuleSet {
            objective,
            start: if start == Position::standard() {
                Start::Standard
            } else {
                Start::Custom(start.into())
            },
            pass_mode: PassMode::Explicit,
            ..RuleSet::default()
        };
        let mut record = Self::new(Game::from_position(rules, start));
        for tag in &tags {
            match tag.name {
                "B" => record.play_tag(Color::Black, tag)?,
                "W" => record.play_tag(Color::White, tag)?,
                "GM" | "TY" | "BO" => {}
                name => record.tags.push((name.to_owned(), tag.value.to_owned())),
            }
        }
        record.notes.resize(record.game.ply(), GgfNote::default());
        Ok(record)
    }
}

fn read_tags(text: &str) -> Result<Vec<Tag<'_>>, GgfError> {
    let mut at = text.find("(;").ok_or(GgfError::NoGame)? + 2;
    let mut tags = Vec::new();
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        let rest = &text[at..];
        if rest.starts_with(";)") {
            return Ok(tags);
        }
        let bad = GgfError::Tag { offset: at };
        let name = rest.len()
            - rest
                .trim_start_matches(|c: char| c.is_ascii_alphabetic())
                .len();
        let value = rest[name..].strip_prefix('[').filter(|_| name > 0);
        let value = value.and_then(|value| value.split_once(']'));
        let (value, _) = value.ok_or(bad)?;
        let offset = at + name + 1;
        tags.push(Tag {
            name: &rest[..name],
            value,
            offset,
        });
        at = offset + value.len() + 1;
    }
}

/// The letters of a type come behind its size: `8`, `8a`, `s8r18`, `8ak`.
fn objective(kind: &str) -> Objective {
    if kind.contains(['a', 'A']) {
        Objective::FewestDiscs
    } else {
        Objective::MostDiscs
    }
}

fn read_start(tag: &Tag<'_>) -> Result<Position, GgfError> {
    let rest = tag.value.trim_start().strip_prefix('8');
    let squares = rest.filter(|rest| rest.starts_with(|c: char| c.is_ascii_whitespace()));
    let squares = squares.ok_or_else(|| GgfError::Size {
        offset: tag.offset,
        found: shortened(tag.value),
    })?;
    let offset = tag.offset + tag.value.len() - squares.len();
    let fault = |source| GgfError::Board { offset, source };
    let board = read_board(squares).map_err(fault)?;
    let side = squares[board.length..].trim_ascii();
    let mut letters = side.chars();
    let side_to_move = letters.next().and_then(parse_side);
    match side_to_move.filter(|_| letters.as_str().is_empty()) {
        Some(side_to_move) => Ok(Setup {
            black: board.black,
            white: board.white,
            side_to_move,
        }
        .into_position()
        .expect("invariant: a text board has one disc a square")),
        None => Err(fault(BoardTextError::MissingSide {
            offset: squares.len() - squares[board.length..].trim_ascii_start().len(),
        })),
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(FOUND_CHARACTERS).collect()
}

impl fmt::Display for GgfRecord {
    /// Writes the game on one line, `*` Black and `O` White, squares in upper case, a pass as
    /// `PA`. What would end a value early is left out of it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(;GM[Othello]")?;
        for (name, value) in &self.tags {
            let value = value.replace(|c: char| c == ']' || c.is_control(), "");
            write!(f, "{name}[{value}]")?;
        }
        let kind = match self.game.rules().objective {
            Objective::MostDiscs => "8",
            Objective::FewestDiscs => "8a",
        };
        let start = self.game.initial_position();
        let board = board_text(start.black(), start.white()).replace('X', "*");
        let side = match start.side_to_move() {
            Color::Black => '*',
            Color::White => 'O',
        };
        write!(f, "TY[{kind}]BO[8 {board} {side}]")?;
        for (ply, played) in self.game.history().iter().enumerate() {
            let note = self.notes.get(ply).copied().unwrap_or_default();
            write_move(f, played, note)?;
        }
        f.write_str(";)")
    }
}

fn write_move(f: &mut fmt::Formatter<'_>, played: &PlayedMove, note: GgfNote) -> fmt::Result {
    let side = match played.side {
        Color::Black => 'B',
        Color::White => 'W',
    };
    match played.mv {
        Move::Place(square) => write!(f, "{side}[{}", square.to_string().to_ascii_uppercase())?,
        Move::Pass => write!(f, "{side}[PA")?,
    }
    if note != GgfNote::default() {
        f.write_str("/")?;
        if let Some(evaluation) = note.evaluation {
            write!(f, "{evaluation}")?;
        }
        if let Some(seconds) = note.seconds {
            write!(f, "/{seconds}")?;
        }
    }
    f.write_str("]")
}
