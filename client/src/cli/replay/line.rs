//! A line of a file of games.

/// A game to be replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// The line's number in the file, from 1.
    pub(super) number: usize,
    /// The moves without passes; the last may be half a move.
    pub(super) moves: Vec<String>,
    /// Black's final score, if the line has one.
    pub(super) score: Option<Score>,
}

/// What stands where a score should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Score {
    /// Black's total.
    Black(i32),
    /// Something else.
    Malformed(String),
}

/// The games of a file.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line> + '_ {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(index, line)| Line::parse(index + 1, line))
}

impl Line {
    fn parse(number: usize, line: &str) -> Self {
        let mut columns = line.split('\t');
        let transcript = columns.next().unwrap_or_default();
        let score = columns
            .next()
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(|text| match text.parse() {
                Ok(black @ 0..=64) => Score::Black(black),
                _ => Score::Malformed(text.to_owned()),
            });
        Self {
            number,
            moves: moves(transcript),
            score,
        }
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
        let found: Vec<_> = lines(text).collect();
        assert_eq!(
            found,
            [
                Line {
                    number: 3,
                    moves: vec!["f5".to_owned(), "d6".to_owned()],
                    score: Some(Score::Black(40)),
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
    fn a_score_out_of_range_is_kept_as_malformed() {
        for text in ["65", "-1", "4o", "32.5"] {
            let line = Line::parse(1, &format!("f5\t{text}"));
            assert_eq!(line.score, Some(Score::Malformed(text.to_owned())));
        }
    }

    #[test]
    fn half_a_move_and_other_alphabets_reach_the_service() {
        assert_eq!(moves("f5d"), ["f5", "d"]);
        assert_eq!(moves("é5"), ["é5"]);
    }
}
