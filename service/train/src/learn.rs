//! All steps of a run, from the games to the weights of the first phase: positions near the end are
//! solved, those before are searched with what has been learned of the phases behind them (the
//! method of Michael Buro's and of many programs since).

use std::time::Instant;

use clap::Args;
use reversi_engine::eval::PHASES;

use crate::Outcome;
use crate::fit::Fit;
use crate::label::Label;
use crate::run::Run;
use crate::selfplay::SelfPlay;

/// How to learn.
#[derive(Clone, Debug, Args)]
pub(crate) struct Learn {
    #[command(flatten)]
    games: SelfPlay,
    #[command(flatten)]
    label: Label,
    #[command(flatten)]
    fit: Fit,
}

impl Learn {
    /// Does what is not done yet.
    pub(crate) fn run(&self, run: &Run, threads: usize) -> Outcome {
        let begun = Instant::now();
        self.games.run(run, threads)?;
        for phase in 0..PHASES {
            self.label.run(run, self.games.objective, phase, threads)?;
            self.fit.run(run, phase, threads)?;
        }
        eprintln!("{:.0} s", begun.elapsed().as_secs_f64());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use clap::Parser;

    use super::*;
    use crate::run;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        learn: Learn,
    }

    fn learn(folder: &Path, options: &str) {
        let small = "learn --positions 60 --solve 4 --depth 2 --steps 3";
        let arguments = small.split(' ').chain(options.split_whitespace());
        let Command { learn } = Command::parse_from(arguments);
        learn.run(&Run::open(folder).unwrap(), 2).unwrap();
    }

    fn last_weights(folder: &Path) -> Vec<u8> {
        fs::read(folder.join(run::weights(PHASES - 1))).unwrap()
    }

    #[test]
    fn a_run_that_was_stopped_ends_like_one_that_was_not() {
        let (whole, stopped) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        learn(whole.path(), "--no-teacher");
        learn(stopped.path(), "--no-teacher");
        for lost in [run::labels(9), run::weights(9), run::weights(PHASES - 1)] {
            fs::remove_file(stopped.path().join(lost)).unwrap();
        }
        let kept = stopped.path().join(run::labels(8));
        let before = fs::metadata(&kept).unwrap().modified().unwrap();
        learn(stopped.path(), "--no-teacher");
        assert_eq!(last_weights(stopped.path()), last_weights(whole.path()));
        assert_eq!(fs::metadata(&kept).unwrap().modified().unwrap(), before);
    }

    #[test]
    fn other_settings_make_again_what_depends_on_them() {
        let folder = tempfile::tempdir().unwrap();
        learn(folder.path(), "--no-teacher");
        let before = last_weights(folder.path());
        let games = fs::read(folder.path().join(run::positions(5))).unwrap();
        learn(folder.path(), "--no-teacher --pull 20");
        assert_ne!(last_weights(folder.path()), before);
        assert_eq!(
            fs::read(folder.path().join(run::positions(5))).unwrap(),
            games
        );
        learn(folder.path(), "--no-teacher --seed 2");
        assert_ne!(
            fs::read(folder.path().join(run::positions(5))).unwrap(),
            games
        );
    }
}
