//! A line of a file of games.

use std::str::{self, Utf8Error};

/// A game to be replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// The line's number in the file, from 1.
    pub(super) number: usize,
    /// The moves without passes; the last may be half a move.
    pub(super) moves: Vec<String>,
    /// Black's final score, if the line has one.
    pub(super) score: Option<i32>,
}

/// A line that is no game, and is not played.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadLine {
    /// The line's number in the file, from 1.
    pub(super) number: usize,
    pub(super) fault: Fault,
}

/// Why a line is no game. Whether its moves are squares is for the service to say.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    /// It is no text.
    #[error("byte {} is not UTF-8", .0.valid_up_to() + 1)]
    NotUtf8(Utf8Error),
    /// There is no score where one should be.
    #[error("`{0}` is no score 0 to 64")]
    Score(String),
}

impl Fault {
    /// The fault for programs.
    pub(super) fn reason(&self) -> &'static str {
        match self {
            Self::NotUtf8(_) => "NOT_UTF8",
            Self::Score(_) => "MALFORMED_SCORE",
        }
    }
}

/// The games of a file. Comments may be in any encoding.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = Result<Line, BadLine>> + '_ {
    text.split(|byte| *byte == b'\n')
        .enumerate()
        .filter(|(_, line)| !line.trim_ascii().is_empty() && !line.starts_with(b"#"))
        .map(|(index, line)| {
            let number = index + 1;
            Line::parse(number, line).map_err(|fault| BadLine { number, fault })
        })
}

impl Line {
    fn parse(number: usize, line: &[u8]) -> Result<Self, Fault> {
        let line = str::from_utf8(line).map_err(Fault::NotUtf8)?;
        let mut columns = line.split('\t');
        let transcript = columns.next().unwrap_or_default();
        let score = columns
            .next()
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(|text| match text.parse() {
                Ok(black @ 0..=64) => Ok(black),
                _ => Err(Fault::Score(text.to_owned())),
            })
            .transpose()?;
        Ok(Self {
            number,
            moves: moves(transcript),
            score,
        })
    }
}

/// The moves of a transcript: two characters each, blanks and passes left out. Whether they
/// are squares is for the service to say.
fn moves(transcript: &str) -> Vec<String> {
    let letters: Vec<char> = transcript.chars().filter(|c| !c.is_whitespace()).collect();
    letters
        .chunks(2)
        .map(|pair| pair.iter().collect::<String>().to_lowercase())
        .filter(|text| !matches!(text.as_str(), "pa" | "ps" | "--"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_empty_lines_are_skipped_but_counted() {
        let text = "# a comment\n\nf5d6\t40\tmore\r\nF5 d6 --c3\n\t\n";
        let found: Result<Vec<_>, _> = lines(text.as_bytes()).collect();
        assert_eq!(
            found.unwrap(),
            [
                Line {
                    number: 3,
                    moves: vec!["f5".to_owned(), "d6".to_owned()],
                    score: Some(40),
                },
                Line {
                    number: 4,
                    moves: vec!["f5".to_owned(), "d6".to_owned(), "c3".to_owned()],
                    score: None,
                },
            ]
        );
    }

    #[test]
    fn what_is_no_score_makes_the_line_bad() {
        for text in ["65", "-1", "4o", "32.5"] {
            let line = Line::parse(1, format!("f5\t{text}").as_bytes());
            assert_eq!(line, Err(Fault::Score(text.to_owned())));
        }
    }

    #[test]
    fn a_byte_that_is_no_text_makes_one_line_bad() {
        let found: Vec<_> = lines(b"# caf\xe9\nf5\nf5d\xff\nf5\n").collect();
        assert_eq!(found.len(), 3);
        let bad = found[1].as_ref().unwrap_err();
        assert_eq!(bad.number, 3);
        assert_eq!(bad.fault.to_string(), "byte 4 is not UTF-8");
        assert!(found[0].is_ok() && found[2].is_ok());
    }

    #[test]
    fn half_a_move_and_other_alphabets_reach_the_service() {
        assert_eq!(moves("f5d"), ["f5", "d"]);
        assert_eq!(moves("é5"), ["é5"]);
    }
}
