//! How fast endgames are solved: `cargo bench -p reversi-engine --bench endgame [-- FILTER]`.
//!
//! Every value is checked while it is timed. Each endgame is solved several times, by the kernels
//! in turn, and its best time counts; a figure is the sum over its endgames. On a busy machine read
//! the ratios, which are to the portable kernel, and the nodes, which depend on the search alone. A
//! node is a board that is looked at, down to the board before the last disc.
//!
//! FFO 1–19 are read from the folder that `REVERSI_TEST_DATA` names (absolute, or relative to the
//! root of the workspace) and left out without it.
#![allow(clippy::print_stdout, reason = "the figures are the output")]

use std::path::Path;
use std::time::{Duration, Instant};

use reversi_engine::kernel::Kernel;
use reversi_engine::search::Solver;
use reversi_engine::{Board, Objective, Square};

/// How long each figure is measured for each kernel, once every endgame was solved twice.
const TIME: Duration = Duration::from_secs(2);

/// Endgames and what their values must be.
struct Endgames {
    name: String,
    objective: Objective,
    boards: Vec<Board>,
    expected: Expected,
}

enum Expected {
    /// The value of each.
    Values(Vec<i32>),
    /// The sum of all.
    Sum(i32),
}

fn main() {
    let filter = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'))
        .unwrap_or_default();
    let table = include_str!("../tests/cases/endgames.tsv");
    let mut sets = vec![known("ten endgames of FFO 1-20", table, 3, |name| {
        name.starts_with("ffo")
    })];
    sets.extend(ffo_1_to_19());
    for (empties, count, sums) in [
        (8, 4000, [17_868, 20_120]),
        (10, 1000, [3898, 4754]),
        (12, 200, [1634, 1070]),
        (14, 40, [256, 114]),
    ] {
        for (objective, sum) in [Objective::MostDiscs, Objective::FewestDiscs]
            .into_iter()
            .zip(sums)
        {
            sets.push(Endgames {
                name: format!("random, {empties} empty squares, {objective:?}"),
                objective,
                boards: random_endgames(empties, count),
                expected: Expected::Sum(sum),
            });
        }
    }
    for set in sets.iter().filter(|set| set.name.contains(&filter)) {
        set.measure();
    }
}

impl Endgames {
    /// Solves all with each kernel as long as there is time, and prints a line for each kernel.
    fn measure(&self) {
        let kernels: Vec<Kernel> = Kernel::available().collect();
        let mut best = vec![vec![Duration::MAX; self.boards.len()]; kernels.len()];
        let mut nodes = 0;
        let start = Instant::now();
        let mut rounds = 0;
        while rounds < 2 || start.elapsed() < TIME * u32::try_from(kernels.len()).expect("few") {
            rounds += 1;
            for (&kernel, best) in kernels.iter().zip(&mut best) {
                nodes = self.solve(kernel, best);
            }
        }
        let totals: Vec<f64> = best
            .iter()
            .map(|times| times.iter().sum::<Duration>().as_secs_f64())
            .collect();
        let count = self.boards.len() as f64;
        for (kernel, total) in kernels.iter().zip(&totals) {
            println!(
                "{:<46} {:>9.1} nodes each {:>9.1} solved/s {:>6.1} M nodes/s {:>8.3} ms  x{:.2}",
                format!("{}, {}", self.name, kernel.name()),
                nodes as f64 / count,
                count / total,
                nodes as f64 / total * 1e-6,
                total * 1e3,
                totals[0] / total,
            );
        }
    }

    /// Solves all, keeps each time that is better than before, and answers the number of nodes.
    fn solve(&self, kernel: Kernel, best: &mut [Duration]) -> u64 {
        let mut solver = Solver::with_kernel(self.objective, kernel);
        let mut values = Vec::new();
        for (&board, best) in self.boards.iter().zip(best) {
            let start = Instant::now();
            values.push(solver.value(board));
            *best = start.elapsed().min(*best);
        }
        match &self.expected {
            Expected::Values(expected) => assert_eq!(&values, expected, "{}", self.name),
            Expected::Sum(sum) => assert_eq!(values.iter().sum::<i32>(), *sum, "{}", self.name),
        }
        solver.nodes()
    }
}

/// The endgames of a table whose rows hold a name, board, side and value, and are `wanted`.
fn known(name: &str, table: &str, value: usize, wanted: impl Fn(&str) -> bool) -> Endgames {
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Vec<&str>> = rows
        .map(|line| line.split('\t').collect())
        .filter(|row: &Vec<&str>| wanted(row[0]))
        .collect();
    let values = rows.iter().map(|row| row[value].parse().expect("a value"));
    Endgames {
        name: name.to_owned(),
        objective: Objective::MostDiscs,
        boards: rows.iter().map(|row| board_of(row[1], row[2])).collect(),
        expected: Expected::Values(values.collect()),
    }
}

fn ffo_1_to_19() -> Option<Endgames> {
    let folder = std::env::var_os("REVERSI_TEST_DATA")?;
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = workspace.join(folder).join("endgame/ffo_1_79.tsv");
    let table = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("reading {}: {error}", path.display()));
    let wanted = |name: &str| name.parse::<u32>().is_ok_and(|number| number <= 19);
    Some(known("FFO 1-19", &table, 4, wanted))
}

/// The board of 64 characters, X or O being the side to move.
fn board_of(discs: &str, side: &str) -> Board {
    let of = |wanted: bool| {
        Square::all()
            .zip(discs.chars())
            .filter(|(_, disc)| *disc != '-' && side.starts_with(*disc) == wanted)
            .map(|(square, _)| square)
            .collect()
    };
    Board::new(of(true), of(false)).expect("one disc a square")
}

/// Boards of random games, from the same seed each time, on which somebody can move.
fn random_endgames(empties: u32, count: usize) -> Vec<Board> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut boards = Vec::new();
    let mut board = Board::STANDARD;
    while boards.len() < count {
        if board.is_over() {
            board = Board::STANDARD;
        }
        if board.empties_count() == empties {
            boards.push(board);
            board = Board::STANDARD;
        }
        let moves: Vec<Square> = board.legal_moves().iter().collect();
        if moves.is_empty() {
            board = board.pass();
            continue;
        }
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let chosen = usize::try_from(state >> 33).expect("31 bits") % moves.len();
        board = board.play(moves[chosen]).expect("a legal move");
    }
    boards
}
