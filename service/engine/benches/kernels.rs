//! How fast the kernels are: `cargo bench -p reversi-engine --bench kernels [-- FILTER]`.
//!
//! Every figure is checked before it is timed. The kernels take turns, each figure is the best of
//! many rounds, and the ratio is to the portable kernel: on a busy machine read the ratios.
#![allow(clippy::print_stdout, reason = "the figures are the output")]

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use reversi_engine::bulk::{self, Children};
use reversi_engine::kernel::Kernel;
use reversi_engine::{Bitboard, Board, PerftConvention, PerftOptions, Position, Square, perft_run};

/// How long each figure is measured.
const TIME: Duration = Duration::from_millis(800);

/// Positions of a batch in the first-level cache, and of one that a server is sent.
const IN_CACHE: usize = 1024;
const BATCH: usize = 16_384;

/// As many batches as do not fit the caches of one core: 25 MiB in and 8 MiB out.
const BATCHES: usize = 64;

fn main() {
    let filter = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    let bench = Bench {
        filter: filter.unwrap_or_default(),
        positions: Positions::of_playouts(BATCH),
    };
    bench.single();
    bench.batches();
    bench.memory();
    bench.perft();
}

/// Positions of random games, in the order of play.
struct Positions {
    player: Vec<u64>,
    opponent: Vec<u64>,
    /// A legal move of each.
    squares: Vec<Square>,
}

impl Positions {
    fn of_playouts(count: usize) -> Self {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut positions = Self {
            player: Vec::new(),
            opponent: Vec::new(),
            squares: Vec::new(),
        };
        let mut board = Board::STANDARD;
        while positions.player.len() < count {
            let moves: Vec<Square> = board.legal_moves().iter().collect();
            if moves.is_empty() {
                board = if board.is_over() {
                    Board::STANDARD
                } else {
                    board.pass()
                };
                continue;
            }
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let square = moves[usize::try_from(state >> 33).expect("31 bits") % moves.len()];
            positions.player.push(board.player.0);
            positions.opponent.push(board.opponent.0);
            positions.squares.push(square);
            board = board.play(square).expect("a legal move");
        }
        positions
    }

    fn boards(&self) -> impl Iterator<Item = Board> {
        let pairs = self.player.iter().zip(&self.opponent);
        pairs.map(|(&player, &opponent)| Board {
            player: Bitboard(player),
            opponent: Bitboard(opponent),
        })
    }
}

struct Bench {
    filter: String,
    positions: Positions,
}

impl Bench {
    /// Times a piece of work for each kernel, which take turns, and prints a line for each.
    fn figure(&self, name: &str, unit: &str, count: usize, mut work: impl FnMut(Kernel)) {
        if !name.contains(&self.filter) {
            return;
        }
        let kernels: Vec<Kernel> = Kernel::available().collect();
        let mut best = vec![Duration::MAX; kernels.len()];
        let start = Instant::now();
        while start.elapsed() < TIME * u32::try_from(kernels.len()).expect("few") {
            for (&kernel, best) in kernels.iter().zip(&mut best) {
                let start = Instant::now();
                work(kernel);
                *best = start.elapsed().min(*best);
            }
        }
        for (kernel, time) in kernels.iter().zip(&best) {
            let each = time.as_secs_f64() / count as f64;
            let ratio = best[0].as_secs_f64() / time.as_secs_f64();
            let name = format!("{name}, {}", kernel.name());
            println!("{name:<52} {:>7.1} M {unit}/s  x{ratio:.2}", 1e-6 / each);
        }
    }

    fn single(&self) {
        let Positions {
            player, opponent, ..
        } = &self.positions;
        let some = || player[..4096].iter().zip(&opponent[..4096]);
        let children = |kernel: Kernel| -> (usize, u64) {
            let (mut count, mut sum) = (0, 0_u64);
            for (&player, &opponent) in some() {
                kernel.for_each_move(player, opponent, |_, flips| {
                    count += 1;
                    sum = sum.wrapping_add(flips);
                });
            }
            (count, sum)
        };
        let flips = |kernel: Kernel| -> (usize, u64) {
            some().fold((0, 0), |(count, sum), (&player, &opponent)| {
                let moves = Bitboard(kernel.legal_moves(player, opponent));
                let flips = moves
                    .iter()
                    .map(|square| kernel.flips(player, opponent, square));
                let sum = flips.fold(sum, u64::wrapping_add);
                (count + usize::try_from(moves.count()).expect("few"), sum)
            })
        };
        let moves = |kernel: Kernel| -> u64 {
            let moves = some().map(|(&player, &opponent)| kernel.legal_moves(player, opponent));
            moves.fold(0, u64::wrapping_add)
        };
        let expected = (children(Kernel::PORTABLE), moves(Kernel::PORTABLE));
        for kernel in Kernel::available() {
            assert_eq!((children(kernel), moves(kernel)), expected, "{kernel:?}");
            assert_eq!(flips(kernel), expected.0, "{kernel:?}");
        }
        self.figure("legal moves, one by one", "positions", 4096, |kernel| {
            black_box(moves(kernel));
        });
        let count = expected.0.0;
        self.figure("all moves of a board", "children", count, |kernel| {
            black_box(children(kernel));
        });
        self.figure("moves and flips, one by one", "children", count, |kernel| {
            black_box(flips(kernel));
        });
    }

    fn batches(&self) {
        let Positions {
            player,
            opponent,
            squares,
        } = &self.positions;
        let (player, opponent) = (&player[..IN_CACHE], &opponent[..IN_CACHE]);
        let squares = &squares[..IN_CACHE];
        let boards: Vec<Board> = self.positions.boards().take(IN_CACHE).collect();
        let bytes = |words: &[u64]| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let expected: Vec<u64> = boards.iter().map(|board| board.legal_moves().0).collect();
        let (player_bytes, opponent_bytes) = (bytes(player), bytes(opponent));
        let mut words = vec![0; IN_CACHE];
        let mut moves_bytes = vec![0; 8 * IN_CACHE];
        let mut counts = vec![0; IN_CACHE];
        let mut children = Children::default();
        for kernel in Kernel::available() {
            bulk::legal_moves_with(kernel, player, opponent, &mut words).expect("equal lengths");
            assert_eq!(words, expected, "{kernel:?}");
            let overlapping =
                bulk::legal_moves_le_with(kernel, &player_bytes, &opponent_bytes, &mut moves_bytes);
            assert_eq!(
                (overlapping, &moves_bytes),
                (Ok(vec![]), &bytes(&expected)),
                "{kernel:?}"
            );
            bulk::mobility_with(kernel, player, opponent, &mut counts).expect("equal lengths");
            let mobility = expected.iter().map(|moves| moves.count_ones());
            assert!(
                counts.iter().map(|&count| u32::from(count)).eq(mobility),
                "{kernel:?}"
            );
            bulk::flips_with(kernel, player, opponent, squares, &mut words).expect("equal lengths");
            let flips = boards
                .iter()
                .zip(squares)
                .map(|(board, &square)| board.flips(square).0);
            assert!(words.iter().copied().eq(flips), "{kernel:?}");
            bulk::children_with(kernel, player, opponent, &mut children).expect("equal lengths");
            let next: Vec<Board> = boards
                .iter()
                .flat_map(|board| {
                    board
                        .legal_moves()
                        .iter()
                        .filter_map(|square| board.play(square))
                })
                .collect();
            assert!(
                next.iter()
                    .map(|board| board.player.0)
                    .eq(children.player.iter().copied())
            );
            assert!(
                next.iter()
                    .map(|board| board.opponent.0)
                    .eq(children.opponent.iter().copied())
            );
        }
        self.figure(
            "legal moves, batch in cache",
            "positions",
            IN_CACHE,
            |kernel| {
                bulk::legal_moves_with(kernel, player, opponent, &mut words)
                    .expect("equal lengths");
                black_box(&mut words);
            },
        );
        self.figure(
            "legal moves of bytes, batch in cache",
            "positions",
            IN_CACHE,
            |kernel| {
                let found = bulk::legal_moves_le_with(
                    kernel,
                    &player_bytes,
                    &opponent_bytes,
                    &mut moves_bytes,
                );
                black_box((found.expect("whole words"), &mut moves_bytes));
            },
        );
        self.figure(
            "mobility, batch in cache",
            "positions",
            IN_CACHE,
            |kernel| {
                bulk::mobility_with(kernel, player, opponent, &mut counts).expect("equal lengths");
                black_box(&mut counts);
            },
        );
        self.figure("flips, batch in cache", "moves", IN_CACHE, |kernel| {
            bulk::flips_with(kernel, player, opponent, squares, &mut words).expect("equal lengths");
            black_box(&mut words);
        });
        let count = children.player.len();
        self.figure("children, batch in cache", "children", count, |kernel| {
            bulk::children_with(kernel, player, opponent, &mut children).expect("equal lengths");
            black_box(&mut children);
        });
    }

    fn memory(&self) {
        let Positions {
            player, opponent, ..
        } = &self.positions;
        let (player, opponent) = (player.repeat(BATCHES), opponent.repeat(BATCHES));
        let mut moves = vec![0; player.len()];
        self.figure(
            "legal moves, batches of 16,384 from memory",
            "positions",
            player.len(),
            |kernel| {
                let batches = player.chunks(BATCH).zip(opponent.chunks(BATCH));
                for ((player, opponent), moves) in batches.zip(moves.chunks_mut(BATCH)) {
                    bulk::legal_moves_with(kernel, player, opponent, moves).expect("equal lengths");
                }
                black_box(&mut moves);
            },
        );
        let boards = self.positions.boards().map(|board| board.legal_moves().0);
        let expected: Vec<u64> = boards.collect();
        if "legal moves, batches of 16,384 from memory".contains(&self.filter) {
            assert!(moves.chunks(BATCH).all(|moves| moves == expected));
        }
    }

    fn perft(&self) {
        for (depth, convention, threads, table_bytes, leaves) in [
            (9, PerftConvention::PassIsFree, 1, 0, 3_005_320),
            (11, PerftConvention::PassIsPly, 1, 0, 212_258_800),
            (11, PerftConvention::DropFinished, 1, 0, 212_258_216),
            (11, PerftConvention::PassIsFree, 1, 0, 212_260_880),
            (11, PerftConvention::PassIsFree, 2, 0, 212_260_880),
            (
                12,
                PerftConvention::DropFinished,
                1,
                128 << 20,
                1_939_879_668,
            ),
            (
                12,
                PerftConvention::DropFinished,
                2,
                128 << 20,
                1_939_879_668,
            ),
        ] {
            let name = format!(
                "perft {depth}, {convention}, {threads} thread(s), {} MiB",
                table_bytes >> 20
            );
            let count = usize::try_from(leaves).expect("64 bits");
            self.figure(&name, "leaves", count, |kernel| {
                let options = PerftOptions {
                    threads: NonZeroUsize::new(threads).expect("not 0"),
                    table_bytes,
                    kernel,
                };
                let counted = perft_run(
                    &Position::standard(),
                    depth,
                    convention,
                    &options,
                    &mut |_| {},
                    &|| false,
                );
                assert_eq!(counted, Some(leaves));
            });
        }
    }
}
