//! `reversi replay`: whole games through the service, many at once.

mod game;
mod line;
mod summary;

use std::{
    fs,
    io::{self, IsTerminal, Read},
    num::NonZeroUsize,
    time::Instant,
};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use reversi_client::Client;
use tokio::task::JoinSet;

use self::{
    game::{Ending, Keep, replay},
    line::Line,
    summary::Summary,
};
use super::{context::Context, failure::Failure};

/// Play transcripts from a file through the service as stored games
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  reversi replay games.tsv\n  \
                        echo f5d6c3 | reversi replay - --json\n\nA line is a transcript and, \
                        after a tab, black's final score 0 to 64 (empty squares to the winner, a \
                        tie 32) to compare with. Passes may be left out. Lines that begin with # \
                        are comments. Lines that are no games are told and passed over. Exits with 1 when there is one, a \
                        move is rejected or a score differs.")]
pub(crate) struct Replay {
    /// The file; - is standard input
    file: String,
    /// How many games to play at a time
    #[arg(long, default_value = "16", value_name = "N")]
    jobs: NonZeroUsize,
    /// Leave the games on the service, and tell their names
    #[arg(long)]
    keep: bool,
}

impl Replay {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let text = read(&self.file).map_err(|source| Failure::File {
            path: self.file.clone(),
            source,
        })?;
        let mut summary = Summary::default();
        let mut lines = Vec::new();
        for line in line::lines(&text) {
            match line {
                Ok(line) => lines.push(line),
                Err(bad) => summary.add_bad_line(&bad),
            }
        }
        let client = context.connect().await?;
        let keep = if self.keep { Keep::Yes } else { Keep::No };
        let bar = progress_bar(lines.len());

        let start = Instant::now();
        let interrupted = play_all(&client, lines, self.jobs.get(), keep, &bar, &mut summary).await;
        summary.finish(start.elapsed());
        bar.finish_and_clear();

        context.output.write(&summary, ToString::to_string)?;
        if interrupted {
            Err(Failure::Interrupted)
        } else if summary.is_clean() {
            Ok(())
        } else {
            Err(Failure::Reported)
        }
    }
}

/// Plays the lines, `jobs` at a time, until all are played, a call fails for another reason
/// than the rules, or the user interrupts. Games that have begun are played to their ends,
/// and deleted. Whether it was interrupted.
async fn play_all(
    client: &Client,
    lines: Vec<Line>,
    jobs: usize,
    keep: Keep,
    bar: &ProgressBar,
    summary: &mut Summary,
) -> bool {
    let mut waiting = lines.into_iter().fuse();
    let mut running = JoinSet::new();
    let mut stopping = false;
    let mut interrupted = false;
    let interrupt = tokio::signal::ctrl_c();
    tokio::pin!(interrupt);
    loop {
        while !stopping && running.len() < jobs {
            let Some(line) = waiting.next() else { break };
            let client = client.clone();
            running.spawn(async move { replay(&client, line, keep).await });
        }
        let ended = tokio::select! {
            ended = running.join_next() => ended,
            _ = &mut interrupt, if !interrupted => {
                interrupted = true;
                stopping = true;
                continue;
            }
        };
        match ended {
            None => return interrupted,
            Some(Ok(replayed)) => {
                stopping |= matches!(replayed.ending, Ending::Failed(_));
                summary.add(replayed);
                bar.inc(1);
            }
            // Nothing cancels the tasks; one that panicked has said so itself.
            Some(Err(_panicked)) => stopping = true,
        }
    }
}

fn read(file: &str) -> io::Result<Vec<u8>> {
    if file == "-" {
        let mut text = Vec::new();
        io::stdin().lock().read_to_end(&mut text)?;
        Ok(text)
    } else {
        fs::read(file)
    }
}

/// A progress bar on standard error, if that is a terminal.
fn progress_bar(games: usize) -> ProgressBar {
    let target = if io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} games, {per_sec}, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let length = u64::try_from(games).unwrap_or(u64::MAX);
    ProgressBar::with_draw_target(Some(length), target).with_style(style)
}
