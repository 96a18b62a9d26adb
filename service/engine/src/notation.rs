//! Boards and games as text: 64-character boards, transcripts, OBF lines, GGF games.
//!
//! Black is `X`, White is `O`, an empty square is `-`; squares are `a1` (top left) to `h8`. The
//! writers use these forms alone, the readers also take what other programs write.
//!
//! Nothing here knows scores, files or people: bytes come in as `&str`, text goes out as `String`.

mod ggf;
mod obf;
mod text_board;
mod tokens;
mod transcript;

pub use ggf::{GgfError, GgfNote, GgfRecord};
pub use obf::{MoveValue, ObfError, ObfRecord};
pub use text_board::{
    BoardTextError, board_text, parse_board, parse_setup, parse_side, setup_text, side_char,
};
pub use transcript::{
    Syntax, TranscriptError, TranscriptErrorKind, WrittenPasses, replay, transcript,
};
