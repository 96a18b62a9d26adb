//! A game of a match as it is kept: a line of text.

use std::fmt;
use std::str::FromStr;

use reversi_engine::Color;

use super::player::FaultKind;

/// One of the two players of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seat {
    First,
    Second,
}

impl Seat {
    pub(crate) const fn index(self) -> usize {
        match self {
            Self::First => 0,
            Self::Second => 1,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// On the board, with this difference for the first player: the empty squares given to the
    /// majority, positive where it won.
    Board { difference: i32 },
    /// By a fault of a player, which has lost.
    Fault { by: Seat, kind: FaultKind },
}

/// What one player spent on a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    /// For each of its moves, in microseconds.
    pub(crate) times_us: Vec<u64>,
    pub(crate) nodes: u64,
}

/// A game. Two of them with the same opening are a pair: games 2n and 2n + 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) game: usize,
    /// The colour of the first player.
    pub(crate) color: Color,
    pub(crate) end: End,
    /// By seat.
    pub(crate) spent: [Spent; 2],
    /// The discs that the opening placed.
    pub(crate) opening: usize,
    /// The whole game, its opening too.
    pub(crate) moves: String,
    /// What a fault was about.
    pub(crate) detail: String,
}

impl Record {
    /// 1 if the first player won, 0.5 for a draw, 0 if it lost.
    pub(crate) fn score(&self) -> f64 {
        match self.end {
            End::Board { difference } => f64::from(difference.signum() + 1) / 2.0,
            End::Fault {
                by: Seat::First, ..
            } => 0.0,
            End::Fault {
                by: Seat::Second, ..
            } => 1.0,
        }
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\t{}\t", self.game, self.color)?;
        match self.end {
            End::Board { difference } => write!(f, "{difference:+}")?,
            End::Fault { by, kind } => write!(f, "{}:{kind}", by.name())?,
        }
        write!(f, "\t{}\t{}", self.opening, self.moves)?;
        for spent in &self.spent {
            let times: Vec<String> = spent.times_us.iter().map(ToString::to_string).collect();
            write!(f, "\t{}\t{}", spent.nodes, times.join(","))?;
        }
        // Whatever a program said must not end the line or the column.
        let detail = self.detail.replace(|c: char| c.is_control(), " ");
        write!(f, "\t{detail}")
    }
}

/// The line is no record of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a record of a game")]
pub(crate) struct NotARecord;

impl FromStr for Record {
    type Err = NotARecord;

    fn from_str(line: &str) -> Result<Self, NotARecord> {
        let columns: Vec<&str> = line.split('\t').collect();
        let [
            game,
            color,
            end,
            opening,
            moves,
            nodes_a,
            times_a,
            nodes_b,
            times_b,
            detail,
        ] = columns[..]
        else {
            return Err(NotARecord);
        };
        let number = |text: &str| text.parse().map_err(|_| NotARecord);
        let spent = |nodes: &str, times: &str| {
            let times = times.split(',').filter(|time| !time.is_empty());
            Ok(Spent {
                times_us: times
                    .map(|time| time.parse().map_err(|_| NotARecord))
                    .collect::<Result<_, _>>()?,
                nodes: nodes.parse().map_err(|_| NotARecord)?,
            })
        };
        Ok(Self {
            game: number(game)?,
            color: match color {
                "black" => Color::Black,
                "white" => Color::White,
                _ => return Err(NotARecord),
            },
            end: parse_end(end)?,
            spent: [spent(nodes_a, times_a)?, spent(nodes_b, times_b)?],
            opening: number(opening)?,
            moves: moves.to_owned(),
            detail: detail.to_owned(),
        })
    }
}

fn parse_end(text: &str) -> Result<End, NotARecord> {
    if let Some((by, kind)) = text.split_once(':') {
        let seats = [Seat::First, Seat::Second];
        let by = seats.into_iter().find(|seat| seat.name() == by);
        Ok(End::Fault {
            by: by.ok_or(NotARecord)?,
            kind: kind.parse().map_err(|()| NotARecord)?,
        })
    } else {
        let difference = text.parse().map_err(|_| NotARecord)?;
        Ok(End::Board { difference })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_read_back_as_they_were_written() {
        let spent = |times_us: &[u64]| Spent {
            times_us: times_us.to_vec(),
            nodes: 12,
        };
        let mut record = Record {
            game: 7,
            color: Color::White,
            end: End::Board { difference: -12 },
            spent: [spent(&[100, 200]), spent(&[])],
            opening: 2,
            moves: "f5d6c3".to_owned(),
            detail: String::new(),
        };
        assert_eq!(record.to_string().parse(), Ok(record.clone()));
        for kind in FaultKind::ALL {
            record.end = End::Fault {
                by: Seat::Second,
                kind,
            };
            record.detail = "said \"what?\"".to_owned();
            assert_eq!(record.to_string().parse(), Ok(record.clone()));
        }
    }

    #[test]
    fn a_torn_line_is_no_record() {
        for line in [
            "",
            "7",
            "7\tblack\t+3\t8\tf5d6",
            "x\tblack\t+1\t0\t\t0\t\t0\t\t",
        ] {
            assert_eq!(line.parse::<Record>(), Err(NotARecord));
        }
    }
}
