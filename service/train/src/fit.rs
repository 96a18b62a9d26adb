//! The weights of a phase, from the labels of its positions.

use std::sync::LazyLock;

use clap::Args;
use reversi_engine::eval::WEIGHTS_PER_PHASE;

use crate::Outcome;
use crate::regression::{self, Errors, Regression, Sharing, Target};
use crate::run::{self, Run, RunError};

/// How to fit.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Fit {
    /// How strongly weights are held to those of the phase behind, in positions.
    #[arg(long, default_value_t = 8.0)]
    pull: f32,
    /// A position that is worth so many discs to either side by the weights of the phase behind
    /// counts half: what decided games are worth matters less than who wins an even one.
    #[arg(long, default_value_t = 16.0)]
    even: f32,
    /// The number of steps.
    #[arg(long, default_value_t = 32)]
    steps: u32,
}

/// The same for all phases.
static SHARING: LazyLock<Sharing> = LazyLock::new(Sharing::new);

/// Of so many positions one is kept to measure by.
const TEST: usize = 20;

impl Fit {
    /// Makes the weights of a phase, unless they are there.
    pub(crate) fn run(&self, run: &Run, phase: usize, threads: usize) -> Outcome {
        let here = run.need(&run::labels(phase), "label")?;
        let behind = match phase.checked_sub(1) {
            Some(behind) => run.need(&run::labels(behind), "label")?.header,
            None => String::new(),
        };
        let header = format!(
            "weights phase={phase} pull={} even={} steps={} labels={} behind={}",
            self.pull,
            self.even,
            self.steps,
            run::checksum(here.header.as_bytes()),
            run::checksum(behind.as_bytes()),
        );
        if run.has(&run::weights(phase), &header)? {
            return Ok(());
        }
        let sharing = &*SHARING;
        let (test, mut training) = targets(run, phase)?;
        let start = match phase.checked_sub(1) {
            Some(behind) => {
                // Half of the positions of the phase behind: what is worth much there is here, too.
                let (_, behind) = targets(run, behind)?;
                training.extend(behind.iter().step_by(2));
                run.weights(phase - 1)?
            }
            None => vec![0.0; WEIGHTS_PER_PHASE],
        };
        let regression = Regression {
            pull: self.pull,
            even: self.even,
            steps: self.steps,
            threads,
        };
        let weights = regression.run(sharing, &training, &start);
        let errors = |targets, weights: &[f32]| regression::errors(sharing, targets, weights);
        let (before, after) = (errors(&test, &start), errors(&test, &weights));
        let Errors {
            mean,
            root_mean_square,
        } = after;
        eprintln!(
            "phase {phase:2}: {:7} positions, mean error {:.2} -> {mean:.2} discs (training {:.2}), root mean square {root_mean_square:.2}",
            training.len() + test.len(),
            before.mean,
            errors(&training, &weights).mean,
        );
        run.put(
            &run::weights(phase),
            &header,
            &run::bytes_of_floats(&weights),
        )?;
        Ok(())
    }
}

/// The positions of a phase with their values: those to measure by, and those to learn from.
fn targets(run: &Run, phase: usize) -> Result<(Vec<Target>, Vec<Target>), RunError> {
    let boards = run.positions(phase)?.into_iter();
    let values = run.values(phase)?;
    let mut test: Vec<Target> = boards
        .zip(values)
        .map(|(board, value)| Target { board, value })
        .collect();
    let training = test.split_off(test.len() / TEST);
    Ok((test, training))
}
