//! The engine in this process, without any transport: the ceiling of what a server can reach.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

use reversi_engine::{Board, PerftConvention, Position, bulk, kernel, perft};

use crate::workload::Positions;

/// Positions of a batch: 384 KiB of boards and moves, as a bulk call brings them.
const BATCH: usize = 16_384;
/// Work between two looks at the clock.
const CHUNK: usize = 64;
/// A perft that takes about a tenth of a second.
const PERFT_DEPTH: u32 = 9;
/// Its count, the same under every convention that is in use (see the engine's tables).
const PERFT_NODES: u64 = 3_005_288;

/// What the engine can be measured at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Legal moves of one position after the other.
    LegalMoves,
    /// Legal moves of whole batches.
    Batches,
    /// Every move of every position played.
    Children,
    /// Perft from the start.
    Perft,
}

impl Task {
    /// All of them.
    pub(crate) const ALL: [Self; 4] =
        [Self::LegalMoves, Self::Batches, Self::Children, Self::Perft];

    /// What it is, for people.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::LegalMoves => "legal moves, one position at a time",
            Self::Batches => "legal moves, batches of 16,384",
            Self::Children => "every move of a position played",
            Self::Perft => "perft 9 from the start",
        }
    }

    /// What is counted.
    pub(crate) const fn unit(self) -> &'static str {
        match self {
            Self::LegalMoves | Self::Batches => "positions",
            Self::Children => "children",
            Self::Perft => "leaves",
        }
    }
}

/// The rate a second of all threads together, over about that time.
///
/// # Panics
///
/// If the engine's answers are wrong: a wrong engine is not worth measuring.
pub(crate) fn measure(task: Task, threads: NonZeroUsize, time: Duration) -> f64 {
    let positions = Positions::Midgame.list(1);
    let boards: Vec<Board> = positions
        .iter()
        .cycle()
        .take(BATCH)
        .map(Position::board)
        .collect();
    let work = Work::new(&boards);
    work.check();
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads.get())
            .map(|_| scope.spawn(|| work.rate(task, time)))
            .collect();
        running
            .into_iter()
            .map(|thread| thread.join().expect("invariant: the work does not panic"))
            .sum()
    })
}

struct Work {
    boards: Vec<Board>,
    player: Vec<u64>,
    opponent: Vec<u64>,
}

impl Work {
    fn new(boards: &[Board]) -> Self {
        Self {
            boards: boards.to_vec(),
            player: boards.iter().map(|board| board.player.0).collect(),
            opponent: boards.iter().map(|board| board.opponent.0).collect(),
        }
    }

    /// Makes sure that what is measured is right.
    fn check(&self) {
        let mut moves = vec![0; self.player.len()];
        bulk::legal_moves(&self.player, &self.opponent, &mut moves)
            .expect("invariant: the arrays are equally long");
        for (board, moves) in self.boards.iter().zip(moves) {
            assert_eq!(board.legal_moves().0, moves, "{board:?}");
        }
        let nodes = perft(
            &Position::standard(),
            PERFT_DEPTH,
            PerftConvention::PassIsPly,
        );
        assert_eq!(nodes, PERFT_NODES);
    }

    fn rate(&self, task: Task, time: Duration) -> f64 {
        let mut moves = vec![0; self.player.len()];
        // Once unmeasured, for the caches.
        self.round(task, &mut moves);
        let started = Instant::now();
        let mut done = 0;
        while started.elapsed() < time {
            done += self.round(task, &mut moves);
        }
        crate::report::build::float(done) / started.elapsed().as_secs_f64()
    }

    /// Some milliseconds of work at most; how much was done.
    fn round(&self, task: Task, moves: &mut [u64]) -> u64 {
        match task {
            Task::LegalMoves => {
                let boards = self.player.iter().zip(&self.opponent);
                let all = boards.fold(0_u64, |sum, (player, opponent)| {
                    sum.wrapping_add(kernel::legal_moves(black_box(*player), *opponent))
                });
                black_box(all);
                self.player.len() as u64
            }
            Task::Batches => {
                bulk::legal_moves(&self.player, &self.opponent, moves)
                    .expect("invariant: the arrays are equally long");
                black_box(&moves);
                self.player.len() as u64
            }
            Task::Children => self.boards.chunks(CHUNK).map(children).sum(),
            Task::Perft => {
                let start = black_box(Position::standard());
                perft(&start, PERFT_DEPTH, PerftConvention::PassIsPly)
            }
        }
    }
}

fn children(boards: &[Board]) -> u64 {
    let mut count = 0;
    for board in boards {
        for square in board.legal_moves() {
            black_box(board.play_unchecked(square, board.flips(square)));
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_has_a_rate() {
        for task in Task::ALL {
            let rate = measure(task, NonZeroUsize::MIN, Duration::from_millis(1));
            assert!(rate > 0.0, "{task:?}");
        }
    }
}
