//! Boards, transcripts, OBF lines and GGF games: what is read, what is refused and where, and the way back.

#[path = "notation/boards.rs"]
mod boards;
#[path = "support/cases.rs"]
mod cases;
#[path = "notation/ggf.rs"]
mod ggf;
#[path = "notation/obf.rs"]
mod obf;
#[path = "notation/round_trips.rs"]
mod round_trips;
#[path = "notation/transcripts.rs"]
mod transcripts;

use proptest::prelude::*;
use reversi_engine::notation::{
    BoardTextError, GgfError, GgfNote, GgfRecord, MoveValue, ObfError, ObfRecord, Syntax,
    TranscriptError, TranscriptErrorKind, WrittenPasses, board_text, parse_board, parse_setup,
    replay, setup_text, side_char, transcript,
};
use reversi_engine::{
    Bitboard, Color, Game, IllegalMove, Move, Objective, PassMode, Position, RuleSet, Setup,
    Square, Start, Turn,
};

const START: &str = "---------------------------OX------XO---------------------------";

/// Twelve moves after which Black has to pass, three more after which Black has to pass again, and
/// White's move after that.
const TWO_PASSES: [&str; 3] = ["f5d6c4g5d7c7h5d8b8b7b6a7", "b5a6a5", "b4"];

fn game(rules: RuleSet) -> Game {
    Game::new(rules).expect("a sound start")
}

fn with_passes(pass_mode: PassMode) -> RuleSet {
    RuleSet {
        pass_mode,
        ..RuleSet::default()
    }
}

fn lenient(text: &str) -> Result<Game, TranscriptError> {
    replay(game(RuleSet::default()), text, Syntax::Lenient)
}

fn strict(text: &str) -> Result<Game, TranscriptError> {
    replay(game(RuleSet::default()), text, Syntax::Strict)
}
