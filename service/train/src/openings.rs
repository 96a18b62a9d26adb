//! Searching every opening of a few moves: which are balanced, and what is best before them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use reversi_engine::opening::{self, Balanced, Book, BookMove, PLIES, distinct, position_after};
use reversi_engine::search::{Engine, Evaluation, Limits, Query, Unlimited};
use reversi_engine::{Board, Square};

const TABLE_BYTES: usize = 1 << 24;

/// How to search.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// How deep every opening is searched first.
    pub(crate) first_depth: u32,
    /// How deep those are searched again that are nearly balanced.
    pub(crate) depth: u32,
    /// How many discs from balance is nearly balanced.
    pub(crate) near: f32,
    pub(crate) threads: usize,
    /// Where results are kept: what stands there is not searched again.
    pub(crate) log: PathBuf,
}

/// An opening and what it is worth for the side to move after it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Opening {
    pub(crate) moves: Vec<Square>,
    pub(crate) depth: u32,
    pub(crate) value: f32,
}

impl Search {
    /// Searches all openings, going on where the log ends.
    pub(crate) fn run(&self, evaluation: &Evaluation) -> Result<(), Box<dyn std::error::Error>> {
        let openings = distinct(PLIES);
        let mut known = read_log(&self.log)?;
        eprintln!("{} openings, {} results", openings.len(), known.len());
        let depth_of = |known: &HashMap<Vec<Square>, Opening>, moves: &Vec<Square>| {
            known.get(moves).map_or(0, |opening| opening.depth)
        };
        let first: Vec<_> = openings
            .iter()
            .filter(|moves| depth_of(&known, moves) < self.first_depth)
            .cloned()
            .collect();
        self.search(evaluation, &first, self.first_depth, &mut known)?;
        let near: Vec<_> = openings
            .iter()
            .filter(|moves| {
                depth_of(&known, moves) < self.depth
                    && known
                        .get(*moves)
                        .is_some_and(|o| o.value.abs() <= self.near)
            })
            .cloned()
            .collect();
        self.search(evaluation, &near, self.depth, &mut known)
    }

    fn search(
        &self,
        evaluation: &Evaluation,
        openings: &[Vec<Square>],
        depth: u32,
        known: &mut HashMap<Vec<Square>, Opening>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        use std::io::Write as _;
        let begun = Instant::now();
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.log)?;
        let log = Mutex::new((std::io::BufWriter::new(log), 0_usize));
        let next = AtomicUsize::new(0);
        let found: Vec<Opening> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads)
                .map(|_| {
                    scope.spawn(|| {
                        let mut engine = Engine::new(TABLE_BYTES, 1);
                        let mut found = Vec::new();
                        while let Some(moves) = openings.get(next.fetch_add(1, Relaxed)) {
                            let Some(opening) = value(&mut engine, evaluation, moves, depth) else {
                                continue;
                            };
                            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
                            // What cannot be written is searched again next time.
                            let _ = writeln!(log.0, "{}", line(&opening));
                            log.1 += 1;
                            if log.1 % 1000 == 0 {
                                eprintln!(
                                    "{:6.0} s: depth {depth}, {} of {}",
                                    begun.elapsed().as_secs_f64(),
                                    log.1,
                                    openings.len()
                                );
                                let _ = log.0.flush();
                            }
                            found.push(opening);
                        }
                        found
                    })
                })
                .collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().expect("invariant: searching does not panic"))
                .collect()
        });
        known.extend(
            found
                .into_iter()
                .map(|opening| (opening.moves.clone(), opening)),
        );
        Ok(())
    }
}

/// The files of the engine's list and book, from the results of all openings.
pub(crate) fn files(
    version: u32,
    known: &HashMap<Vec<Square>, Opening>,
) -> Option<(Vec<u8>, Vec<u8>)> {
    let balanced: Vec<opening::Opening> = distinct(PLIES)
        .iter()
        .filter_map(|moves| known.get(moves))
        .filter(|opening| opening.value.abs() <= 2.0)
        .map(|opening| {
            Some(opening::Opening {
                moves: opening.moves.clone().try_into().ok()?,
                value: opening.value,
                depth: opening.depth,
            })
        })
        .collect::<Option<_>>()?;
    // From the last moves to the first: what a position is worth is what its best move leads to.
    let mut values: HashMap<Board, f32> = HashMap::new();
    for (moves, opening) in known {
        values.insert(position_after(moves)?.board().canonical(), opening.value);
    }
    let mut book = Vec::new();
    for plies in (0..PLIES).rev() {
        let mut layer = Vec::new();
        for moves in distinct(plies) {
            let board = position_after(&moves)?.board();
            let best = board
                .legal_moves()
                .iter()
                .filter_map(|square| {
                    let child = board.play(square)?.canonical();
                    Some(BookMove {
                        square,
                        value: -*values.get(&child)?,
                    })
                })
                .max_by(|a, b| a.value.total_cmp(&b.value))?;
            values.insert(board.canonical(), best.value);
            layer.push(best);
        }
        layer.append(&mut book);
        book = layer;
    }
    Some((
        Balanced::to_bytes(version, &balanced),
        Book::to_bytes(&book),
    ))
}

fn value(
    engine: &mut Engine,
    evaluation: &Evaluation,
    moves: &[Square],
    depth: u32,
) -> Option<Opening> {
    let query = Query {
        limits: Limits {
            depth: Some(depth),
            nodes: None,
        },
        lines: 1,
    };
    let position = position_after(moves)?;
    let analysis = engine.analyze(evaluation, &position, &query, &Unlimited, &mut |_| {})?;
    Some(Opening {
        moves: moves.to_vec(),
        depth,
        value: analysis.lines.first()?.value,
    })
}

fn line(opening: &Opening) -> String {
    let moves: String = opening.moves.iter().map(ToString::to_string).collect();
    format!("{moves} {} {:.2}", opening.depth, opening.value)
}

/// The deepest result of every opening in a log; a last line that is cut off is left out.
pub(crate) fn read_log(path: &Path) -> std::io::Result<HashMap<Vec<Square>, Opening>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    let mut known: HashMap<Vec<Square>, Opening> = HashMap::new();
    for opening in text.lines().filter_map(parse) {
        let kept = known
            .entry(opening.moves.clone())
            .or_insert_with(|| opening.clone());
        if opening.depth > kept.depth {
            *kept = opening;
        }
    }
    Ok(known)
}

fn parse(line: &str) -> Option<Opening> {
    let mut parts = line.split(' ');
    let moves = parts.next()?;
    let squares = moves.as_bytes().chunks(2).map(|name| {
        std::str::from_utf8(name)
            .ok()
            .and_then(|name| name.parse().ok())
    });
    Some(Opening {
        moves: squares.collect::<Option<_>>()?,
        depth: parts.next()?.parse().ok()?,
        value: parts.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_reads_back_with_the_deepest_results() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "f5d6 8 1.25\nf5d6 12 -0.50\nf5f4 8 3.00\nf5").unwrap();
        let known = read_log(&path).unwrap();
        assert_eq!(known.len(), 2);
        let opening = &known[&vec![Square::F5, Square::D6]];
        assert_eq!((opening.depth, opening.value), (12, -0.5));
        assert!(read_log(&folder.path().join("none")).unwrap().is_empty());
    }
}
