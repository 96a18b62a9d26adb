//! Doing the same for many positions on several threads.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use indicatif::ProgressBar;
use reversi_engine::Board;
use reversi_engine::search::Engine;

/// How many positions a thread takes at a time.
const CHUNK: usize = 16;

/// What `work` makes of each board, in their order. Each thread has an engine with a table of so
/// many bytes.
pub(crate) fn map<R: Send>(
    boards: &[Board],
    threads: usize,
    table_bytes: usize,
    bar: &ProgressBar,
    work: impl Fn(&mut Engine, Board) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let one_thread = || {
        let mut engine = Engine::new(table_bytes, 1);
        let mut done = Vec::new();
        loop {
            let first = next.fetch_add(CHUNK, Relaxed);
            let rest = boards.get(first..).unwrap_or_default();
            let chunk = &rest[..CHUNK.min(rest.len())];
            if chunk.is_empty() {
                return done;
            }
            let results: Vec<R> = chunk
                .iter()
                .map(|&board| work(&mut engine, board))
                .collect();
            done.push((first, results));
            bar.inc(chunk.len() as u64);
        }
    };
    let mut chunks: Vec<(usize, Vec<R>)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(one_thread)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("invariant: searching does not panic"))
            .collect()
    });
    chunks.sort_unstable_by_key(|(first, _)| *first);
    chunks
        .into_iter()
        .flat_map(|(_, results)| results)
        .collect()
}

#[cfg(test)]
mod tests {
    use reversi_engine::Bitboard;

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_boards() {
        let boards: Vec<Board> = (1..100)
            .map(|bits| Board::new(Bitboard(bits), Bitboard::EMPTY).unwrap())
            .collect();
        for threads in [1, 3] {
            let bar = ProgressBar::hidden();
            let same = map(&boards, threads, 1 << 10, &bar, |_, board| board);
            assert_eq!(same, boards);
            assert_eq!(bar.position(), boards.len() as u64);
        }
    }
}
