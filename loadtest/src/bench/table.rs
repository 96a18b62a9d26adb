//! The result, as a table.

use std::fmt::{self, Display, Formatter};

use serde::Serialize;

use super::Options;
use super::figure::{self, Figure, Sample};
use crate::environment;
use crate::report::model::Environment;
use crate::report::number;

/// Which figure is compared with which.
const RATIOS: [(&str, &str); 14] = [
    (figure::START, BEST_ECHO),
    (figure::MIDGAME, BEST_ECHO),
    (figure::MASK, BEST_ECHO),
    (figure::PLAY, BEST_ECHO),
    (figure::START, figure::ECHO_MAIN),
    (figure::MIDGAME, figure::ECHO_MAIN),
    (figure::MASK, figure::ECHO_MAIN),
    (figure::BATCHES, figure::COPIES),
    (figure::BATCHES, figure::GENERATED),
    (figure::BATCHES, figure::KERNEL),
    (figure::STREAM, figure::SMALL_BATCHES),
    (figure::ECHO, figure::ECHO_MAIN),
    (figure::START, figure::H2LOAD),
    (figure::PLAY_ON_REDIS, figure::BARE_ON_REDIS),
];

/// What bare tonic reaches on this machine: the better of its runtimes in each round.
const BEST_ECHO: &str = "bare tonic echo on its better runtime";

/// All figures and their ratios. Shows as Markdown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Table {
    environment: Environment,
    rounds: usize,
    seconds: f64,
    connections: usize,
    in_flight: usize,
    figures: Vec<Row>,
    ratios: Vec<Ratio>,
}

/// A figure over all rounds.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Row {
    title: &'static str,
    unit: &'static str,
    rate_per_s: Spread,
    generator_us: Option<f64>,
    server_us: Option<f64>,
}

/// A figure and its limit. Each round has a ratio of its own, of two runs within a minute.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Ratio {
    figure: &'static str,
    limit: &'static str,
    /// The rate in times that of the limit.
    ratio: Spread,
    /// The server's processor time for each call of the limit in times that of the figure, where
    /// both are known. A busy machine changes it less than the rates.
    server_time: Option<Spread>,
}

/// The middle of several values, and the least and the most.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Spread {
    median: f64,
    least: f64,
    most: f64,
}

impl Spread {
    fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let (upper, lower) = (sorted.len() / 2, sorted.len().checked_sub(1)? / 2);
        Some(Self {
            median: f64::midpoint(sorted[lower], sorted[upper]),
            least: *sorted.first()?,
            most: *sorted.last()?,
        })
    }
}

impl Display for Spread {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            median,
            least,
            most,
        } = self;
        write!(f, "**{median:.2}** ({least:.2} to {most:.2})")
    }
}

impl Table {
    pub(super) fn new(figures: &[Figure], samples: &[Vec<Sample>], options: &Options) -> Self {
        let measured = |title: &str| -> &[Sample] {
            let (_, samples) = figures
                .iter()
                .zip(samples)
                .find(|(figure, _)| figure.title == title)
                .expect("invariant: the ratios are between figures");
            samples
        };
        let rounds = |title: &str| -> Vec<Sample> {
            if title != BEST_ECHO {
                return measured(title).to_vec();
            }
            let both = measured(figure::ECHO)
                .iter()
                .zip(measured(figure::ECHO_MAIN));
            both.map(|(one, other)| *if one.rate > other.rate { one } else { other })
                .collect()
        };
        let ratios = RATIOS.iter().filter_map(|(figure, limit)| {
            let pairs: Vec<_> = rounds(figure).into_iter().zip(rounds(limit)).collect();
            let times = pairs
                .iter()
                .filter_map(|(one, other)| Some(other.server_us? / one.server_us?));
            Some(Ratio {
                figure,
                limit,
                // A figure that was not measured has no rounds, and then there is no ratio.
                ratio: Spread::of(pairs.iter().map(|(one, other)| one.rate / other.rate))?,
                server_time: Spread::of(times),
            })
        });
        let ratios = ratios.collect();
        let rows = figures.iter().zip(samples).filter_map(|(figure, samples)| {
            let median = |value: fn(&Sample) -> Option<f64>| {
                Some(Spread::of(samples.iter().filter_map(value))?.median)
            };
            Some(Row {
                title: figure.title,
                unit: figure.unit,
                rate_per_s: Spread::of(samples.iter().map(|sample| sample.rate))?,
                generator_us: median(|sample| sample.generator_us),
                server_us: median(|sample| sample.server_us),
            })
        });
        Self {
            environment: environment::here(),
            rounds: options.rounds.get(),
            seconds: options.duration.as_secs_f64(),
            connections: options.connections.get(),
            in_flight: options.in_flight.get(),
            figures: rows.collect(),
            ratios,
        }
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let environment = &self.environment;
        writeln!(
            f,
            "{} x {}, {}. Generator and server share it. {} connections x {} in flight (bulk \
             calls: 4 x 2), {} rounds of {} s, medians; least and most in parentheses.\n",
            environment.processors,
            environment.cpu.as_deref().unwrap_or("unknown processor"),
            environment.kernel.as_deref().unwrap_or("unknown system"),
            self.connections,
            self.in_flight,
            self.rounds,
            self.seconds
        )?;
        writeln!(
            f,
            "| figure | rate | generator µs/call | server µs/call |\n|---|---|---|---|"
        )?;
        for row in &self.figures {
            let Spread {
                median,
                least,
                most,
            } = row.rate_per_s;
            let time = |us: Option<f64>| us.map_or("-".to_owned(), |us| format!("{us:.1}"));
            writeln!(
                f,
                "| {} | {} {}/s ({} to {}) | {} | {} |",
                row.title,
                number::grouped(median),
                row.unit,
                number::grouped(least),
                number::grouped(most),
                time(row.generator_us),
                time(row.server_us)
            )?;
        }
        writeln!(
            f,
            "\n| figure | measured against | ratio of rates | ratio of server time a call |\n\
             |---|---|---|---|"
        )?;
        for ratio in &self.ratios {
            let Ratio { figure, limit, .. } = ratio;
            let time = ratio
                .server_time
                .map_or("-".to_owned(), |time| time.to_string());
            writeln!(f, "| {figure} | {limit} | {} | {time} |", ratio.ratio)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::time::Duration;

    use super::*;
    use crate::bench::{H2load, Service};

    fn options() -> Options {
        Options {
            service: Service::Start {
                program: None,
                port: None,
            },
            h2load: H2load::Skip,
            redis: None,
            only: Vec::new(),
            duration: Duration::from_secs(1),
            rounds: NonZeroUsize::MIN,
            connections: NonZeroUsize::MIN,
            in_flight: NonZeroUsize::MIN,
            threads: NonZeroUsize::MIN,
        }
    }

    fn samples(rates: &[f64]) -> Vec<Sample> {
        let sample = |rate: &f64| Sample {
            rate: *rate,
            generator_us: Some(5.0),
            server_us: Some(1e3 / rate),
        };
        rates.iter().map(sample).collect()
    }

    #[test]
    fn a_ratio_is_that_of_the_same_round() {
        let figures = figure::FIGURES;
        let all = figures.iter().map(|figure| match figure.title {
            figure::ECHO => samples(&[100.0, 40.0, 200.0]),
            figure::ECHO_MAIN => samples(&[60.0, 50.0, 90.0]),
            figure::START => samples(&[80.0, 45.0, 140.0]),
            _ => samples(&[1.0, 1.0, 1.0]),
        });
        let all: Vec<_> = all.collect();
        let table = Table::new(figures, &all, &options());
        let ratio = &table.ratios[0];
        let expected = Spread {
            median: 0.8,
            least: 0.7,
            most: 0.9,
        };
        assert_eq!((ratio.figure, ratio.ratio), (figure::START, expected));
        // Half the time is twice as good.
        let time = ratio.server_time.unwrap();
        assert!((time.median - 0.8).abs() < 1e-9, "{time:?}");
    }

    #[test]
    fn every_ratio_is_between_figures_that_are_measured() {
        let titles: Vec<_> = figure::FIGURES.iter().map(|figure| figure.title).collect();
        for (figure, limit) in RATIOS {
            let limit = if limit == BEST_ECHO {
                figure::ECHO
            } else {
                limit
            };
            assert!(
                titles.contains(&figure) && titles.contains(&limit),
                "{figure}, {limit}"
            );
        }
    }
}
