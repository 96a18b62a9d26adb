//! Where a value lies on an axis.

/// A range of values laid out from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    kind: Kind,
    from: f64,
    to: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Linear,
    Logarithmic,
}

impl Scale {
    /// Equal differences are equally wide.
    pub(crate) fn linear(from: f64, to: f64) -> Self {
        Self {
            kind: Kind::Linear,
            from,
            // An empty range has a width all the same.
            to: if to > from { to } else { from + 1.0 },
        }
    }

    /// Equal factors are equally wide. The range is taken as positive.
    pub(crate) fn logarithmic(from: f64, to: f64) -> Self {
        let from = from.max(f64::MIN_POSITIVE);
        Self {
            kind: Kind::Logarithmic,
            from,
            to: if to > from { to } else { from * 10.0 },
        }
    }

    /// From 0 at the beginning to 1 at the end; never beyond.
    pub(crate) fn at(self, value: f64) -> f64 {
        let share = match self.kind {
            Kind::Linear => (value - self.from) / (self.to - self.from),
            Kind::Logarithmic => {
                let value = value.max(self.from);
                (value / self.from).ln() / (self.to / self.from).ln()
            }
        };
        // Not a number lies at the beginning.
        if share.is_nan() {
            0.0
        } else {
            share.clamp(0.0, 1.0)
        }
    }

    /// Round values within the range, about so many.
    pub(crate) fn ticks(self, about: u32) -> Vec<f64> {
        match self.kind {
            Kind::Linear => {
                let step = round_step((self.to - self.from) / f64::from(about));
                let first = (self.from / step).ceil();
                (0..=4 * about)
                    .map(|index| (first + f64::from(index)) * step)
                    .take_while(|tick| *tick <= self.to * (1.0 + 1e-9))
                    .collect()
            }
            Kind::Logarithmic => {
                let decades = (self.to / self.from).log10();
                let within: &[f64] = match decades / f64::from(about) {
                    share if share < 0.3 => &[1.0, 2.0, 5.0],
                    share if share < 0.5 => &[1.0, 3.0],
                    _ => &[1.0],
                };
                let (first, last) = (self.from.log10().floor(), self.to.log10().ceil());
                let mut ticks = Vec::new();
                let mut decade = first;
                while decade <= last {
                    ticks.extend(within.iter().map(|factor| factor * 10_f64.powf(decade)));
                    decade += 1.0;
                }
                let inside = self.from * (1.0 - 1e-9)..=self.to * (1.0 + 1e-9);
                ticks.retain(|tick| inside.contains(tick));
                ticks
            }
        }
    }
}

/// The next of 1, 2, 5, 10, 20, ...
fn round_step(step: f64) -> f64 {
    let decade = 10_f64.powf(step.log10().floor());
    let rounded = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|factor| factor * decade >= step * 0.999);
    rounded.unwrap_or(10.0) * decade
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_laid_out_from_0_to_1() {
        let linear = Scale::linear(10.0, 20.0);
        assert_eq!(
            [0.0, 10.0, 15.0, 20.0, 99.0].map(|value| linear.at(value)),
            [0.0, 0.0, 0.5, 1.0, 1.0]
        );
        let logarithmic = Scale::logarithmic(0.1, 10.0);
        assert!((logarithmic.at(1.0) - 0.5).abs() < 1e-12);
        assert_eq!(logarithmic.at(0.0), 0.0);
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(Scale::linear(0.0, 97.0).ticks(4), [0.0, 50.0]);
        assert_eq!(
            Scale::linear(0.0, 1_000.0).ticks(5),
            [0.0, 200.0, 400.0, 600.0, 800.0, 1_000.0]
        );
        let ticks = Scale::logarithmic(0.1, 1_000.0).ticks(5);
        assert_eq!(ticks.len(), 5);
        let close = Scale::logarithmic(1.0, 9.0).ticks(5);
        assert_eq!(close, [1.0, 2.0, 5.0]);
    }

    #[test]
    fn an_empty_range_is_laid_out_too() {
        assert!(Scale::linear(5.0, 5.0).at(5.0).is_finite());
        assert!(Scale::logarithmic(0.0, 0.0).at(0.0).is_finite());
        assert!(Scale::linear(0.0, 0.0).ticks(5).len() > 1);
    }
}
