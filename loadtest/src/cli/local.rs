//! `reversi-loadtest local`.

use std::io::Write;
use std::num::NonZeroUsize;
use std::time::Duration;

use clap::Args;

use super::connection::{positive, threads};
use super::failure::Failure;
use crate::environment;
use crate::local::{Task, measure};
use crate::report::number;

/// Measures the engine in this process: the ceiling of what a server can reach
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reversi-loadtest local --threads 1,2")]
pub(crate) struct Local {
    /// Threads, one column each [default: 1 and the number of processors]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = threads)]
    threads: Vec<NonZeroUsize>,
    /// How long each figure is measured
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = positive)]
    duration: Duration,
}

impl Local {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let mut threads = self.threads;
        if threads.is_empty() {
            threads.push(NonZeroUsize::MIN);
            threads.extend(std::thread::available_parallelism().ok());
            threads.dedup();
        }
        let here = environment::here();
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "{}, {} processors, kernel {}, {} build\n",
            here.cpu.as_deref().unwrap_or("unknown processor"),
            here.processors,
            reversi_engine::kernel::name(),
            here.generator_build
        )?;
        write!(out, "{:<38}", "")?;
        for count in &threads {
            write!(out, "{:>24}", format!("{count} threads"))?;
        }
        writeln!(out)?;
        for task in Task::ALL {
            write!(out, "{:<38}", task.title())?;
            for count in &threads {
                let rate = measure(task, *count, self.duration);
                let text = format!("{} {}/s", number::grouped(rate), task.unit());
                write!(out, "{text:>24}")?;
                out.flush()?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
