//! The words of a transcript. Knows their spelling, not whether they may be played.

use crate::moves::Move;
use crate::square::Square;

/// The spellings of a pass, each before its own beginnings. No square begins with `p` or `-`.
const PASSES: [&str; 4] = ["pass", "pa", "ps", "--"];

/// The most characters of a bad token that are kept for the message.
const FOUND_CHARACTERS: usize = 8;

/// A move that was written, and the byte that it begins at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) offset: usize,
    pub(super) mv: Move,
}

/// Something that is no move, and the byte that it begins at.
#[derive(Clone, Debug)]
pub(super) struct BadToken {
    pub(super) offset: usize,
    pub(super) found: String,
}

/// The strict grammar: pairs of bytes, each a square in lower case.
pub(super) fn strict(text: &str) -> impl Iterator<Item = Result<Token, BadToken>> {
    (0..text.len())
        .step_by(2)
        .map(move |offset| match strict_square_at(text, offset) {
            Some(square) => Ok(Token {
                offset,
                mv: Move::Place(square),
            }),
            None => {
                // The pair may end, and after another bad pair begin, inside a character.
                let start = text.floor_char_boundary(offset);
                let end = text.ceil_char_boundary(offset + 2);
                Err(BadToken {
                    offset: start,
                    found: text[start..end].to_owned(),
                })
            }
        })
}

/// Whether the text is strict but for half a pair at the end.
pub(super) fn is_cut_short(text: &str) -> bool {
    let pairs = text.len() / 2;
    !text.len().is_multiple_of(2)
        && (0..pairs).all(|pair| strict_square_at(text, 2 * pair).is_some())
}

/// The lenient grammar: squares and passes of either case, with separators and move numbers
/// anywhere between.
pub(super) fn lenient(text: &str) -> impl Iterator<Item = Result<Token, BadToken>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at = skip(text, at);
        let (mv, length) = match read_move(text, at) {
            Some(read) => read,
            None if at == text.len() => return None,
            None => {
                let bad = bad_token(text, at);
                // The rest is not looked at: what a fault leaves behind has no sure reading.
                at = text.len();
                return Some(Err(bad));
            }
        };
        let token = Token { offset: at, mv };
        at += length;
        Some(Ok(token))
    })
}

/// The move at this byte and its length.
fn read_move(text: &str, at: usize) -> Option<(Move, usize)> {
    if let Some(square) = square_at(text, at) {
        return Some((Move::Place(square), 2));
    }
    let rest = &text.as_bytes()[at..];
    PASSES
        .iter()
        .find(|pass| {
            rest.get(..pass.len())
                .is_some_and(|word| word.eq_ignore_ascii_case(pass.as_bytes()))
        })
        .map(|pass| (Move::Pass, pass.len()))
}

fn strict_square_at(text: &str, at: usize) -> Option<Square> {
    square_at(text, at).filter(|_| text.as_bytes()[at].is_ascii_lowercase())
}

fn square_at(text: &str, at: usize) -> Option<Square> {
    text.get(at..at + 2)?.parse().ok()
}

/// The first byte from `at` on that belongs to neither a separator nor a move number.
fn skip(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let separators = rest.len() - rest.trim_start_matches(is_separator).len();
        let number = number_length(&rest[separators..]);
        at += separators + number;
        if number == 0 {
            return at;
        }
    }
}

/// The length of a move number such as `1.` or `12)` at the beginning, 0 if there is none.
fn number_length(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 => digits + 1,
        _ => 0,
    }
}

fn is_separator(character: char) -> bool {
    character.is_whitespace() || matches!(character, ',' | ';' | '.' | '|')
}

fn bad_token(text: &str, offset: usize) -> BadToken {
    BadToken {
        offset,
        found: text[offset..]
            .chars()
            .take_while(|&character| !is_separator(character))
            .take(FOUND_CHARACTERS)
            .collect(),
    }
}
