//! Charts as SVG. The colours are classes, so that a page sets them for light and dark.
//!
//! Knows numbers and pixels; nothing of what they mean.

mod scale;

use std::fmt::{self, Display, Formatter};

pub(crate) use scale::Scale;

use super::html::Escaped;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 240.0;
/// Room for the labels of the axes.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 34.0;
/// Half the width of a letter, for labels at the edge.
const LETTER: f64 = 3.5;

/// A chart.
#[derive(Debug)]
pub(crate) struct Chart {
    /// What it shows, for those who do not see it.
    pub(crate) label: String,
    /// The horizontal axis.
    pub(crate) x: Axis,
    /// The vertical axis.
    pub(crate) y: Axis,
    /// What is drawn, the first thing at the bottom.
    pub(crate) layers: Vec<Layer>,
}

/// An axis.
pub(crate) struct Axis {
    /// Where a value lies.
    pub(crate) scale: Scale,
    /// The values that are labelled.
    pub(crate) ticks: Vec<f64>,
    /// The label of a value.
    pub(crate) text: fn(f64) -> String,
}

impl fmt::Debug for Axis {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Axis").field(&self.scale).finish()
    }
}

/// Something drawn.
#[derive(Clone, Debug)]
pub(crate) enum Layer {
    /// A line through points.
    Line {
        /// The class of its colour.
        class: &'static str,
        /// The points.
        points: Vec<(f64, f64)>,
    },
    /// Bars from the bottom.
    Bars {
        /// The class of their colour.
        class: &'static str,
        /// The bars.
        bars: Vec<Bar>,
    },
}

/// A bar.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    /// Where it begins and ends.
    pub(crate) x: (f64, f64),
    /// How high it is.
    pub(crate) y: f64,
    /// What it says when pointed at.
    pub(crate) title: String,
}

impl Display for Chart {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
            Escaped(&self.label)
        )?;
        self.grid(f)?;
        for layer in &self.layers {
            match layer {
                Layer::Line { class, points } => self.line(f, class, points)?,
                Layer::Bars { class, bars } => self.bars(f, class, bars)?,
            }
        }
        f.write_str("</svg>")
    }
}

impl Chart {
    fn x(&self, value: f64) -> f64 {
        LEFT + self.x.scale.at(value) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        let bottom = HEIGHT - BOTTOM;
        bottom - self.y.scale.at(value) * (bottom - TOP)
    }

    fn grid(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let bottom = HEIGHT - BOTTOM;
        for tick in &self.y.ticks {
            let (y, text) = (self.y(*tick), (self.y.text)(*tick));
            write!(
                f,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{:.1}\"/>\
                 <text class=\"tick\" text-anchor=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 8.0,
                y + 4.0,
                Escaped(&text)
            )?;
        }
        for tick in &self.x.ticks {
            let (x, text) = (self.x(*tick), (self.x.text)(*tick));
            #[allow(clippy::cast_precision_loss)]
            let half = text.chars().count() as f64 * LETTER;
            write!(
                f,
                "<path class=\"grid\" d=\"M{x:.1} {TOP}V{bottom:.1}\"/>\
                 <text class=\"tick\" text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                x.min(WIDTH - half),
                bottom + 18.0,
                Escaped(&text)
            )?;
        }
        write!(
            f,
            "<path class=\"axis\" d=\"M{LEFT} {TOP}V{bottom:.1}H{:.1}\"/>",
            WIDTH - RIGHT
        )
    }

    fn line(&self, f: &mut Formatter<'_>, class: &str, points: &[(f64, f64)]) -> fmt::Result {
        if let [(x, y)] = points {
            // A path needs two points to be seen.
            return write!(
                f,
                "<circle class=\"dot {class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"/>",
                self.x(*x),
                self.y(*y)
            );
        }
        write!(f, "<path class=\"line {class}\" d=\"")?;
        for (index, (x, y)) in points.iter().enumerate() {
            let command = if index == 0 { 'M' } else { 'L' };
            write!(f, "{command}{:.1} {:.1}", self.x(*x), self.y(*y))?;
        }
        f.write_str("\"/>")
    }

    fn bars(&self, f: &mut Formatter<'_>, class: &str, bars: &[Bar]) -> fmt::Result {
        let bottom = HEIGHT - BOTTOM;
        for bar in bars {
            let (from, to, top) = (self.x(bar.x.0), self.x(bar.x.1), self.y(bar.y));
            write!(
                f,
                "<rect class=\"bar {class}\" x=\"{from:.1}\" y=\"{top:.1}\" width=\"{:.1}\" \
                 height=\"{:.1}\"><title>{}</title></rect>",
                (to - from - 1.0).max(1.0),
                (bottom - top).max(0.0),
                Escaped(&bar.title)
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(scale: Scale) -> Axis {
        Axis {
            ticks: scale.ticks(4),
            scale,
            text: |value| format!("<{value}>"),
        }
    }

    fn chart(layers: Vec<Layer>) -> String {
        let chart = Chart {
            label: "a \"chart\"".to_owned(),
            x: axis(Scale::linear(0.0, 10.0)),
            y: axis(Scale::linear(0.0, 100.0)),
            layers,
        };
        chart.to_string()
    }

    #[test]
    fn points_lie_where_the_axes_say() {
        let points = vec![(0.0, 0.0), (5.0, 50.0), (10.0, 100.0)];
        let svg = chart(vec![Layer::Line { class: "a", points }]);
        assert!(
            svg.contains("d=\"M64.0 206.0L384.0 109.0L704.0 12.0\""),
            "{svg}"
        );
    }

    #[test]
    fn values_beyond_the_axes_are_drawn_at_their_ends() {
        let bars = vec![Bar {
            x: (0.0, 20.0),
            y: 500.0,
            title: "much".to_owned(),
        }];
        let svg = chart(vec![Layer::Bars { class: "a", bars }]);
        assert!(
            svg.contains("x=\"64.0\" y=\"12.0\" width=\"639.0\" height=\"194.0\""),
            "{svg}"
        );
    }

    #[test]
    fn texts_are_escaped_and_numbers_finite() {
        let svg = chart(vec![Layer::Line {
            class: "a",
            points: vec![(f64::NAN, f64::INFINITY)],
        }]);
        assert!(svg.contains("aria-label=\"a &quot;chart&quot;\""), "{svg}");
        assert!(svg.contains("&lt;50&gt;"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
