//! Games of the engine against itself, for the positions that are learned from.

use std::path::PathBuf;

use clap::Args;
use indicatif::ProgressBar;
use reversi_engine::eval::{PHASES, phase};
use reversi_engine::search::{Engine, Evaluation};
use reversi_engine::{Board, Random};

use crate::file;
use crate::game::{self, Play};
use crate::run::{self, Run};
use crate::{Objective, Outcome, progress};

/// Which games.
#[derive(Clone, Debug, Args)]
pub(crate) struct SelfPlay {
    #[arg(long, default_value = "most")]
    pub(crate) objective: Objective,
    /// The number of positions of each phase, before those that occur twice are left out.
    #[arg(long, default_value_t = 1_500_000)]
    pub(crate) positions: usize,
    /// The weights that play; without, those built in.
    #[arg(long)]
    teacher: Option<PathBuf>,
    /// Players know nothing: they choose moves that leave few replies.
    #[arg(long, conflicts_with = "teacher")]
    no_teacher: bool,
    /// How many discs players look ahead.
    #[arg(long, default_value_t = 2)]
    play_depth: u32,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A table of this many bytes for each thread: what a second-level cache holds.
const TABLE_BYTES: usize = 1 << 18;

impl SelfPlay {
    /// Makes the positions of a run, unless they are there.
    pub(crate) fn run(&self, run: &Run, threads: usize) -> Outcome {
        let teacher = self.teacher()?;
        let header = format!(
            "positions objective={:?} positions={} teacher={:?} play-depth={} seed={} threads={threads}",
            self.objective,
            self.positions,
            teacher.as_ref().map_or("none", |teacher| &teacher.name),
            self.play_depth,
            self.seed,
        );
        // The last phase is written last.
        if run.has(&run::positions(PHASES - 1), &header)? {
            return Ok(());
        }
        let bar = progress::bar("games", self.positions / 2);
        let phases = self.collect(teacher.as_ref(), threads, &bar);
        bar.finish_and_clear();
        eprintln!(
            "{} positions of {} games",
            phases.iter().map(Vec::len).sum::<usize>(),
            self.positions / 2
        );
        for (phase, boards) in phases.iter().enumerate() {
            run.put(
                &run::positions(phase),
                &header,
                &run::bytes_of_boards(boards),
            )?;
        }
        Ok(())
    }

    fn teacher(&self) -> Result<Option<Evaluation>, Box<dyn std::error::Error>> {
        if self.no_teacher {
            return Ok(None);
        }
        Ok(Some(match &self.teacher {
            Some(path) => file::evaluation(path)?,
            None => Evaluation::of(self.objective.into()).clone(),
        }))
    }

    /// Positions by phase, in an order that says nothing of them, so that any part is like the
    /// whole.
    fn collect(
        &self,
        teacher: Option<&Evaluation>,
        threads: usize,
        bar: &ProgressBar,
    ) -> Vec<Vec<Board>> {
        // Phases have two positions of a game each.
        let games = (self.positions / 2).div_ceil(threads);
        let parts: Vec<Vec<Vec<Board>>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads as u64)
                .map(|thread| {
                    scope.spawn(move || self.play(teacher, games, self.seed * 1000 + thread, bar))
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
                shuffle(&mut boards, self.seed);
                boards
            })
            .collect()
    }

    fn play(
        &self,
        teacher: Option<&Evaluation>,
        games: usize,
        seed: u64,
        bar: &ProgressBar,
    ) -> Vec<Vec<Board>> {
        let mut random = Random::new(seed);
        let mut engine = Engine::new(TABLE_BYTES, 1);
        let mut by_phase = vec![Vec::new(); PHASES];
        for game in 0..games {
            let play = Play {
                evaluation: teacher,
                objective: self.objective.into(),
                depth: self.play_depth,
                random_discs: if game % 5 < 4 { (2, 24) } else { (25, 48) },
                slip: 0.02,
            };
            for board in game::play(&play, &mut engine, &mut random) {
                by_phase[phase(board.empties_count())].push(board.canonical());
            }
            bar.inc(1);
        }
        by_phase
    }
}

fn shuffle(boards: &mut [Board], seed: u64) {
    let mut random = Random::new(seed);
    for index in (1..boards.len()).rev() {
        let other = random.below(u32::try_from(index + 1).unwrap_or(u32::MAX));
        boards.swap(index, other as usize);
    }
}
