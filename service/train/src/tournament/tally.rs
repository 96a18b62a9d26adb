//! What the games of a match say about its players.

use std::collections::BTreeMap;
use std::fmt;

use super::player::FaultKind;
use super::record::{End, Record, Seat};

/// The two-sided 95 % quantile of the normal distribution.
const Z: f64 = 1.96;

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) mean: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The result of the first player. Pairs of games with one opening are what is independent of one
/// another, so the intervals come from the differences between pairs; a game whose partner has not
/// been played yet counts as a pair.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    pub(crate) games: usize,
    pub(crate) won: usize,
    pub(crate) drawn: usize,
    pub(crate) lost: usize,
    pub(crate) pairs: usize,
    /// 0 to 1.
    pub(crate) score: Estimate,
    /// In discs, of the games that ended on the board.
    pub(crate) difference: Estimate,
    /// By seat, then by [`FaultKind::ALL`].
    pub(crate) faults: [[usize; FaultKind::ALL.len()]; 2],
    pub(crate) times: [Times; 2],
    nodes_per_move: [f64; 2],
}

/// How long the moves of a player took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times {
    moves: usize,
    mean_us: u64,
    median_us: u64,
    p99_us: u64,
    max_us: u64,
}

impl Tally {
    pub(crate) fn of(records: &[Record]) -> Self {
        let scores: Vec<f64> = records.iter().map(Record::score).collect();
        let with = |wanted: f64| scores.iter().filter(|&&score| score == wanted).count();
        let pair_scores = pair_means(records, |record| Some(record.score()));
        let differences = pair_means(records, |record| match record.end {
            End::Board { difference } => Some(f64::from(difference)),
            End::Fault { .. } => None,
        });
        let mut faults = [[0; FaultKind::ALL.len()]; 2];
        for record in records {
            if let End::Fault { by, kind } = record.end {
                faults[by.index()][kind as usize] += 1;
            }
        }
        Self {
            games: records.len(),
            won: with(1.0),
            drawn: with(0.5),
            lost: with(0.0),
            pairs: pair_scores.len(),
            score: score_interval(&pair_scores),
            difference: normal_interval(&differences),
            faults,
            times: [Seat::First, Seat::Second].map(|seat| Times::of(records, seat)),
            nodes_per_move: [Seat::First, Seat::Second].map(|seat| {
                let spent = || records.iter().map(|record| &record.spent[seat.index()]);
                let moves: usize = spent().map(|spent| spent.times_us.len()).sum();
                let nodes: u64 = spent().map(|spent| spent.nodes).sum();
                nodes as f64 / moves.max(1) as f64
            }),
        }
    }

    /// The score as a difference in Elo; infinite at the ends.
    pub(crate) fn elo(&self) -> Estimate {
        Estimate {
            mean: elo(self.score.mean),
            low: elo(self.score.low),
            high: elo(self.score.high),
        }
    }
}

fn elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The mean of each pair; pairs without a value are left out.
fn pair_means(records: &[Record], value: impl Fn(&Record) -> Option<f64>) -> Vec<f64> {
    let mut pairs: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for record in records {
        if let Some(value) = value(record) {
            let (sum, count) = pairs.entry(record.game / 2).or_default();
            *sum += value;
            *count += 1.0;
        }
    }
    pairs
        .into_values()
        .map(|(sum, count)| sum / count)
        .collect()
}

/// Mean and squared standard error of the mean.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, squares / (count * (count - 1.0).max(1.0)))
}

fn normal_interval(values: &[f64]) -> Estimate {
    let (mean, error) = mean_and_error(values);
    let half = Z * error.sqrt();
    Estimate {
        mean,
        low: mean - half,
        high: mean + half,
    }
}

/// Wilson's interval for a share (1927), with as many trials as would give the variance that the
/// pairs have; where they all ended the same, with a trial a pair. Stays within 0 to 1 and does
/// not shrink to a point when everything was won.
fn score_interval(pairs: &[f64]) -> Estimate {
    let (mean, error) = mean_and_error(pairs);
    if pairs.is_empty() {
        return Estimate {
            mean: 0.5,
            low: 0.0,
            high: 1.0,
        };
    }
    let trials = if error > 0.0 {
        mean * (1.0 - mean) / error
    } else {
        pairs.len() as f64
    };
    let weight = Z * Z / trials;
    let centre = (mean + weight / 2.0) / (1.0 + weight);
    let half = (weight * (mean * (1.0 - mean) + weight / 4.0)).sqrt() / (1.0 + weight);
    // The ends are exact, but for rounding.
    Estimate {
        mean,
        low: if mean > 0.0 { centre - half } else { 0.0 },
        high: if mean < 1.0 { centre + half } else { 1.0 },
    }
}

impl Times {
    fn of(records: &[Record], seat: Seat) -> Self {
        let spent = records.iter().map(|record| &record.spent[seat.index()]);
        let mut times: Vec<u64> = spent
            .flat_map(|spent| spent.times_us.iter().copied())
            .collect();
        times.sort_unstable();
        let at = |numerator, denominator| {
            let last = times.len().saturating_sub(1);
            times
                .get(last * numerator / denominator)
                .copied()
                .unwrap_or_default()
        };
        Self {
            moves: times.len(),
            mean_us: times.iter().sum::<u64>() / times.len().max(1) as u64,
            median_us: at(1, 2),
            p99_us: at(99, 100),
            max_us: at(1, 1),
        }
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |us: u64| us as f64 / 1000.0;
        write!(
            f,
            "{} moves, mean {:.1} ms, median {:.1} ms, p99 {:.1} ms, max {:.1} ms",
            self.moves,
            ms(self.mean_us),
            ms(self.median_us),
            ms(self.p99_us),
            ms(self.max_us)
        )
    }
}

impl Tally {
    /// The result on one line.
    pub(crate) fn line(&self) -> String {
        let elo = self.elo();
        format!(
            "{} games, {} pairs: +{} ={} -{}, {:.1} % ({:.1} to {:.1}), Elo {:+.0} ({:+.0} to {:+.0}), discs {:+.2} ({:+.2} to {:+.2})",
            self.games,
            self.pairs,
            self.won,
            self.drawn,
            self.lost,
            100.0 * self.score.mean,
            100.0 * self.score.low,
            100.0 * self.score.high,
            elo.mean,
            elo.low,
            elo.high,
            self.difference.mean,
            self.difference.low,
            self.difference.high
        )
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.line())?;
        for (seat, name) in [(Seat::First, "first"), (Seat::Second, "second")] {
            let seat = seat.index();
            writeln!(
                f,
                "{name:6} {}, {:.0} nodes a move",
                self.times[seat], self.nodes_per_move[seat]
            )?;
            for (kind, &count) in FaultKind::ALL.iter().zip(&self.faults[seat]) {
                if count > 0 {
                    writeln!(f, "{name:6} lost {count} by {kind}")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use reversi_engine::Color;

    use super::super::record::Spent;
    use super::*;

    fn games(differences: &[i32]) -> Vec<Record> {
        let record = |(game, &difference)| Record {
            game,
            color: Color::Black,
            end: End::Board { difference },
            spent: [Spent::default(), Spent::default()],
            opening: 0,
            moves: String::new(),
            detail: String::new(),
        };
        differences.iter().enumerate().map(record).collect()
    }

    #[test]
    fn wins_draws_and_losses_are_counted() {
        let tally = Tally::of(&games(&[4, 0, -2, 8, 6]));
        assert_eq!((tally.won, tally.drawn, tally.lost), (3, 1, 1));
        assert_eq!((tally.games, tally.pairs), (5, 3));
    }

    #[test]
    fn pairs_that_cancel_out_leave_no_doubt_about_an_even_score() {
        // Every opening is won by the same colour: no difference between pairs.
        let split = Tally::of(&games(&[10, -10].repeat(50)));
        // Every opening is won by the same player both times: half the pairs for each.
        let swept = Tally::of(&games(&[10, 10, -10, -10].repeat(25)));
        assert_eq!((split.score.mean, swept.score.mean), (0.5, 0.5));
        assert_eq!(split.difference.low, 0.0);
        let width = |tally: &Tally| tally.score.high - tally.score.low;
        // 50 trials: 2 * 1.96 * sqrt(0.25 / 50) = 0.277, and a little less by Wilson.
        assert!((width(&swept) - 0.267).abs() < 0.01, "{}", width(&swept));
    }

    #[test]
    fn a_clean_sweep_keeps_some_doubt() {
        let tally = Tally::of(&games(&[2; 100]));
        assert_eq!(tally.score.mean, 1.0);
        assert!((0.9..0.95).contains(&tally.score.low), "{:?}", tally.score);
        assert_eq!(tally.elo().mean, f64::INFINITY);
        assert_eq!(tally.elo().high, f64::INFINITY);
        assert!(tally.elo().low.is_finite());
    }

    #[test]
    fn elo_is_that_of_the_formula() {
        assert_eq!(elo(0.5), 0.0);
        assert!((elo(0.64) - 99.95).abs() < 0.1);
    }

    #[test]
    fn faults_are_told_by_kind_and_lost() {
        let mut records = games(&[2, 2]);
        records[1].end = End::Fault {
            by: Seat::First,
            kind: FaultKind::Timeout,
        };
        let tally = Tally::of(&records);
        assert_eq!((tally.won, tally.lost), (1, 1));
        assert!(
            tally.to_string().contains("first  lost 1 by timeout"),
            "{tally}"
        );
        assert_eq!(tally.difference.mean, 2.0);
    }

    #[test]
    fn nothing_played_is_no_fault() {
        let tally = Tally::of(&[]);
        assert_eq!((tally.score.low, tally.score.high), (0.0, 1.0));
        assert!(!tally.to_string().is_empty());
    }
}
