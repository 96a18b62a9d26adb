//! A report as a web page that needs nothing else: no script, no other file.

mod charts;
mod tables;

use std::fmt::{self, Display, Formatter, Write};

use super::model::Report;
use super::number;
use super::summary::{load_line, server_line};

/// Shows as HTML.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Html<'a>(pub(crate) &'a Report);

impl Display for Html<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(report) = self;
        write!(
            f,
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <meta name=\"color-scheme\" content=\"light dark\">\
             <title>{title} · load test</title><style>{}</style><body><main>\
             <header><p class=\"kicker\">Reversi load test</p><h1>{title}</h1>",
            include_str!("html/page.css"),
            title = Escaped(short_name(&report.setup.workload))
        )?;
        self.facts(f)?;
        f.write_str("</header>")?;
        self.notices(f)?;
        self.tiles(f)?;
        charts::write(f, report)?;
        tables::write(f, report)?;
        f.write_str("</main></body></html>\n")
    }
}

impl Html<'_> {
    fn facts(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let report = self.0;
        let environment = &report.environment;
        let machine = format!(
            "{} x {}, {}",
            environment.processors,
            environment.cpu.as_deref().unwrap_or("unknown processor"),
            environment.kernel.as_deref().unwrap_or("unknown system")
        );
        let when = format!(
            "{}, {:.1} s measured after {:.1} s of warm-up",
            report.started_at, report.window_s, report.setup.warm_up_s
        );
        f.write_str("<dl class=\"facts\">")?;
        for (name, value) in [
            ("Workload", report.setup.workload.clone()),
            ("Server", server_line(report)),
            ("Load", load_line(report)),
            ("When", when),
            (
                "Generator",
                format!("version {} on {machine}", environment.generator_version),
            ),
        ] {
            write!(f, "<dt>{name}</dt><dd>{}</dd>", Escaped(&value))?;
        }
        f.write_str("</dl>")
    }

    fn notices(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let report = self.0;
        if let Some(why) = &report.cut_short {
            write!(
                f,
                "<p class=\"notice bad\">Ended before its time: {}</p>",
                Escaped(why)
            )?;
        }
        if report.totals.calls == 0 {
            f.write_str("<p class=\"notice bad\">Nothing was measured.</p>")?;
        }
        for warning in &report.warnings {
            write!(f, "<p class=\"notice\">{}</p>", Escaped(warning))?;
        }
        Ok(())
    }

    fn tiles(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let report = self.0;
        let (totals, latency) = (&report.totals, report.latency.decisive());
        let at = |percentile| {
            latency
                .at(percentile)
                .map_or("-".to_owned(), number::duration)
        };
        let mut tiles = vec![
            ("calls a second", number::grouped(totals.rate_per_s), false),
            ("p50", at(50.0), false),
            ("p99", at(99.0), false),
            ("p99.9", at(99.9), false),
            (
                "failed",
                number::percent(totals.error_rate),
                totals.errors > 0,
            ),
        ];
        if totals.items != totals.ok {
            let positions = number::grouped(totals.items_per_s);
            tiles.insert(1, ("positions a second", positions, false));
        }
        if let Some(unsent) = totals.unsent {
            tiles.push(("due, never sent", number::count(unsent), unsent > 0));
        }
        if let Some(rate) = report
            .search
            .as_ref()
            .and_then(|search| search.highest_rate)
        {
            tiles.insert(0, ("highest rate that holds", number::grouped(rate), false));
        }
        f.write_str("<section class=\"tiles\">")?;
        for (name, value, bad) in tiles {
            let class = if bad { "tile bad" } else { "tile" };
            write!(
                f,
                "<div class=\"{class}\"><b>{}</b><span>{name}</span></div>",
                Escaped(&value)
            )?;
        }
        f.write_str("</section>")
    }
}

/// A workload's name without what distinguishes it.
fn short_name(workload: &str) -> &str {
    workload.split([' ', ':']).next().unwrap_or(workload)
}

/// Text as it may stand in HTML and in its attributes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            other => f.write_char(other),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn the_page_shows_everything_and_loads_nothing() {
        let report = example::report();
        let page = Html(&report).to_string();
        assert_eq!(page.matches("<svg").count(), 4);
        for part in [
            "PlayMove",
            "DEADLINE_EXCEEDED",
            "p99&lt;1h",
            "highest rate that holds",
        ] {
            assert!(page.contains(part), "{part}");
        }
        for part in [
            "<script",
            "http://www",
            "https://",
            "src=",
            "@import",
            "NaN",
        ] {
            assert!(!page.contains(part), "{part}");
        }
    }

    #[test]
    fn what_comes_from_outside_is_escaped() {
        let page = Html(&example::report()).to_string();
        assert!(page.contains("mixed &lt;legal-moves=80"), "{page}");
        assert!(!page.contains("<legal-moves"));
    }

    #[test]
    fn a_run_that_measured_nothing_has_a_page_too() {
        let page = Html(&example::empty()).to_string();
        assert!(page.contains("Nothing was measured"));
        assert!(!page.contains("NaN"));
    }

    #[test]
    fn every_tag_is_closed() {
        for report in [example::report(), example::empty()] {
            let page = Html(&report).to_string();
            for tag in [
                "section", "table", "tr", "td", "th", "div", "figure", "p", "dl", "h2", "svg",
                "text", "rect",
            ] {
                let opened = page.matches(&format!("<{tag}>")).count()
                    + page.matches(&format!("<{tag} ")).count();
                assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
            }
        }
    }
}
