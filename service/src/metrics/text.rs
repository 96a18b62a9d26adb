//! The older text format of Prometheus, for those who do not ask for OpenMetrics.

/// Rewrites OpenMetrics text: a counter is described by the name of its sample, `…_total`, an
/// info by `…_info`.
pub(super) fn classic(open_metrics: &str) -> String {
    let mut text = String::with_capacity(open_metrics.len());
    let mut help = None;
    for line in open_metrics.lines() {
        let mut words = line.splitn(4, ' ');
        match (words.next(), words.next(), words.next(), words.next()) {
            (Some("#"), Some("HELP"), Some(name), Some(words)) => help = Some((name, words)),
            (Some("#"), Some("TYPE"), Some(name), Some(kind)) => {
                let (suffix, kind) = match kind {
                    "counter" => ("_total", "counter"),
                    "info" => ("_info", "gauge"),
                    other => ("", other),
                };
                if let Some((_, help)) = help.take().filter(|(of, _)| *of == name) {
                    text.push_str(&format!("# HELP {name}{suffix} {help}\n"));
                }
                text.push_str(&format!("# TYPE {name}{suffix} {kind}\n"));
            }
            // Units and the end mark.
            (Some("#"), ..) => {}
            _ => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_and_infos_are_described_by_the_names_of_their_samples() {
        let open = "# HELP calls Calls that began.\n# TYPE calls counter\ncalls_total 3\n\
                    # HELP build What it is.\n# TYPE build info\nbuild_info{v=\"1\"} 1\n\
                    # HELP open Open now.\n# TYPE open gauge\n# UNIT open files\nopen 2\n# EOF\n";
        let text = "# HELP calls_total Calls that began.\n# TYPE calls_total counter\n\
                    calls_total 3\n\
                    # HELP build_info What it is.\n# TYPE build_info gauge\nbuild_info{v=\"1\"} 1\n\
                    # HELP open Open now.\n# TYPE open gauge\nopen 2\n";
        assert_eq!(classic(open), text);
    }
}
