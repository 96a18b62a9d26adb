//! The table that is printed.

use crate::check::Tally;

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) fault: &'static str,
    pub(crate) count: usize,
    pub(crate) tally: Tally,
}

pub(crate) fn print(title: &str, rows: &[Row]) {
    println!("\n{title}\n");
    println!(
        "| fault | times | games | moves acknowledged | calls repeated | lost | doubled | clocks run out | wrongly | longest wait |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for Row {
        fault,
        count,
        tally,
    } in rows
    {
        println!(
            "| {fault} | {count} | {} | {} | {} | {} | {} | {} | {} | {:.1} s |",
            tally.games,
            tally.acknowledged,
            tally.failures,
            tally.lost,
            tally.doubled,
            tally.run_out,
            tally.wrong_clocks,
            tally.longest.as_secs_f64()
        );
    }
}
