//! Learning the weights of all phases, from the end of the game to its beginning: positions near
//! the end are solved, those before are searched with what has been learned of the phases behind
//! them (the method of Michael Buro's and of many programs since).

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use reversi_engine::eval::{PHASES, phase};
use reversi_engine::search::{Engine, Evaluation, ProbCut};
use reversi_engine::{Board, Objective, Random};

use crate::fit::{self, Fit, Sharing, Target};
use crate::game::{self, Play};
use crate::model::Model;

/// How to learn.
#[derive(Clone, Debug)]
pub(crate) struct Learn {
    pub(crate) objective: Objective,
    /// The number of positions of each phase.
    pub(crate) positions: usize,
    /// Positions with at most so many empty squares are solved.
    pub(crate) solve: u32,
    /// How deep the others are searched.
    pub(crate) depth: u32,
    /// What plays the games; without it, moves are chosen by the number of replies.
    pub(crate) from: Option<PathBuf>,
    /// Whether to forget what the teacher thinks of the positions.
    pub(crate) fresh: bool,
    pub(crate) play_depth: u32,
    pub(crate) out: PathBuf,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
}

/// A table of this many bytes for each thread: what a second-level cache holds.
const TABLE_BYTES: usize = 1 << 18;

/// Until it is measured, no shallow search is trusted while learning.
const NO_PROBCUT: ProbCut = ProbCut {
    coefficients: [10.0, 0.0, 0.0, 0.0],
    to_the_end: [10.0, 0.0, 0.0, 0.0],
};

pub(crate) fn evaluation(model: &Model, objective: Objective) -> Evaluation {
    Evaluation {
        objective,
        name: String::new(),
        weights: model.weights(),
        probcut: NO_PROBCUT,
    }
}

impl Learn {
    pub(crate) fn run(&self) -> Result<(), Box<dyn std::error::Error>> {
        let begun = Instant::now();
        let teacher = self.from.as_deref().map(Model::load).transpose()?;
        let mut model = teacher.clone().unwrap_or_else(Model::new);
        let teacher = teacher.map(|model| evaluation(&model, self.objective));
        let by_phase = self.collect(teacher.as_ref());
        eprintln!("{:6.0?} s: positions", begun.elapsed().as_secs_f64());
        let sharing = Sharing::new();
        // Half of the positions of the phase behind: what is worth much there is here, too.
        let mut behind: Vec<Target> = Vec::new();
        for (phase, boards) in by_phase.iter().enumerate() {
            let evaluation = evaluation(&model, self.objective);
            let labelled = Instant::now();
            let targets = self.label(&evaluation, boards);
            let label_time = labelled.elapsed();
            let (test, training) = targets.split_at(targets.len() / 20);
            let start = if (self.from.is_some() && !self.fresh) || phase == 0 {
                model.phase(phase)
            } else {
                model.phase(phase - 1)
            };
            let fit = Fit {
                pull: 8.0,
                steps: 40,
                threads: self.threads,
            };
            let before = fit::errors(&sharing, test, start);
            let mut all = training.to_vec();
            all.append(&mut behind);
            let weights = fit.run(&sharing, &all, start);
            behind = training.iter().step_by(2).copied().collect();
            let (train, test) = (
                fit::errors(&sharing, training, &weights),
                fit::errors(&sharing, test, &weights),
            );
            eprintln!(
                "{:6.0?} s: phase {phase:2}, {:7} positions, label {:6.1} s, mean error {:.2} -> {:.2} (training {:.2}), rms {:.2}",
                begun.elapsed().as_secs_f64(),
                targets.len(),
                label_time.as_secs_f64(),
                before.mean,
                test.mean,
                train.mean,
                test.root_mean_square,
            );
            model.set_phase(phase, weights);
            model.save(&self.out)?;
        }
        Ok(())
    }

    /// Positions of games, by phase.
    fn collect(&self, teacher: Option<&Evaluation>) -> Vec<Vec<Board>> {
        let part = self.positions.div_ceil(self.threads);
        let parts: Vec<Vec<Vec<Board>>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads as u64)
                .map(|thread| {
                    scope.spawn(move || self.collect_part(teacher, part, self.seed * 1000 + thread))
                })
                .collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().expect("invariant: playing does not panic")
            };
            threads.into_iter().map(join).collect()
        });
        (0..PHASES)
            .map(|phase| {
                let mut boards: Vec<Board> = parts
                    .iter()
                    .flat_map(|part| part[phase].iter().copied())
                    .collect();
                boards.sort_unstable();
                boards.dedup();
                // Not in order of the board any more, so that any part is like the whole.
                let mut random = Random::new(self.seed);
                for index in (1..boards.len()).rev() {
                    boards.swap(
                        index,
                        random.below(u32::try_from(index + 1).unwrap_or(u32::MAX)) as usize,
                    );
                }
                boards
            })
            .collect()
    }

    fn collect_part(
        &self,
        teacher: Option<&Evaluation>,
        positions: usize,
        seed: u64,
    ) -> Vec<Vec<Board>> {
        let mut random = Random::new(seed);
        let mut engine = Engine::new(TABLE_BYTES, 1);
        let mut by_phase = vec![Vec::new(); PHASES];
        // Phases have two positions of a game each.
        let games = positions / 2;
        for game in 0..games {
            let play = Play {
                evaluation: teacher,
                objective: self.objective,
                depth: self.play_depth,
                random_discs: if game % 5 < 4 { (2, 24) } else { (25, 48) },
                slip: 0.02,
            };
            for board in game::play(&play, &mut engine, &mut random) {
                by_phase[phase(board.empties_count())].push(board.canonical());
            }
        }
        by_phase
    }

    /// What a board is worth, in discs.
    fn value(&self, engine: &mut Engine, evaluation: &Evaluation, board: Board) -> f32 {
        let empties = board.empties_count();
        if empties <= self.solve {
            return engine.value(evaluation, board, empties) as f32 / 100.0;
        }
        // Weights are too kind to the side to move, because in the games that they are learned
        // from the move before was not always a good one. A leaf that is evaluated for the mover
        // hands that on to the phase before, and so on to the first one; the mean of an odd and an
        // even depth does not.
        let (even, odd) = (
            engine.value(evaluation, board, self.depth),
            engine.value(evaluation, board, self.depth - 1),
        );
        (even + odd) as f32 / 200.0
    }

    fn label(&self, evaluation: &Evaluation, boards: &[Board]) -> Vec<Target> {
        const CHUNK: usize = 256;
        let next = AtomicUsize::new(0);
        let parts: Vec<Vec<(usize, Vec<Target>)>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads)
                .map(|_| {
                    scope.spawn(|| {
                        let mut engine = Engine::new(TABLE_BYTES, 1);
                        let mut done = Vec::new();
                        loop {
                            let first = next.fetch_add(CHUNK, Relaxed);
                            let Some(rest) = boards.get(first..).filter(|rest| !rest.is_empty())
                            else {
                                return done;
                            };
                            let chunk = &rest[..CHUNK.min(rest.len())];
                            let targets = chunk.iter().map(|&board| Target {
                                board,
                                value: self.value(&mut engine, evaluation, board),
                            });
                            done.push((first, targets.collect()));
                        }
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("invariant: labelling does not panic"))
                .collect()
        });
        let mut chunks: Vec<_> = parts.into_iter().flatten().collect();
        chunks.sort_unstable_by_key(|(first, _)| *first);
        chunks
            .into_iter()
            .flat_map(|(_, targets)| targets)
            .collect()
    }
}
