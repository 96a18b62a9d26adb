//! The yardstick: an alpha-beta search that knows only moves, those to come and corners, for both
//! objectives.

use std::time::Instant;

use reversi_engine::{Bitboard, Board, Game, Move, Objective, Square};

use super::pace::Pace;
use super::player::{Choice, Fault, Player};

/// What a finished game is worth a disc; more than any estimate is worth in all.
const FINAL_DISC: i32 = 10_000;

/// What a board is worth, for each that one side has more than the other.
#[derive(Clone, Copy, Debug)]
struct Weights {
    moves: i32,
    /// Discs next to an empty square: the other side's future moves.
    frontier: i32,
    corner: i32,
    disc: i32,
}

/// Chosen, as those below, by matches against the engine among some ten others.
const MOST: Weights = Weights {
    moves: 10,
    frontier: -5,
    corner: 70,
    disc: 0,
};
const FEWEST: Weights = Weights {
    moves: 10,
    frontier: -5,
    corner: -70,
    disc: -6,
};

/// The search plays to the end from where it would leave at most this many squares empty.
const PLAY_OUT: u32 = 6;
/// A look at the clock every so many boards, well below a millisecond.
const POLL_NODES: u64 = 256;
/// Entries of the table, 4 MiB of them.
const TABLE: usize = 1 << 17;
/// Above every value.
const INFINITY: i32 = i32::MAX;

/// A player that looks for many moves, few replies and corners; where the fewest discs win, for
/// no corners and few discs.
#[derive(Debug)]
pub(crate) struct Mobility {
    objective: Objective,
    pace: Pace,
    table: Vec<Option<Entry>>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    board: Board,
    depth: u32,
    lower: i32,
    upper: i32,
    best: Square,
}

/// The time or the nodes are used up.
struct Stopped;

struct Search<'a> {
    objective: Objective,
    weights: Weights,
    table: &'a mut [Option<Entry>],
    deadline: Option<Instant>,
    most_nodes: u64,
    nodes: u64,
}

impl Mobility {
    pub(crate) fn new(objective: Objective, pace: Pace) -> Self {
        Self {
            objective,
            pace,
            table: vec![None; TABLE],
        }
    }
}

impl Player for Mobility {
    fn begin(&mut self, _game: &Game, _seed: u64) -> Result<(), Fault> {
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Choice, Fault> {
        self.table.fill(None);
        let deadline = self.pace.time.map(|time| Instant::now() + time);
        let most_nodes = self.pace.nodes.unwrap_or(u64::MAX);
        let mut search = Search::new(self.objective, &mut self.table, deadline, most_nodes);
        let best = search.deepen(game.position().board(), self.pace.depth);
        Ok(Choice {
            mv: best.map_or(Move::Pass, Move::Place),
            nodes: search.nodes,
        })
    }
}

impl<'a> Search<'a> {
    const fn new(
        objective: Objective,
        table: &'a mut [Option<Entry>],
        deadline: Option<Instant>,
        most_nodes: u64,
    ) -> Self {
        Self {
            objective,
            weights: match objective {
                Objective::MostDiscs => MOST,
                Objective::FewestDiscs => FEWEST,
            },
            table,
            deadline,
            most_nodes,
            nodes: 0,
        }
    }

    /// The best move of the last search that came to its end.
    fn deepen(&mut self, board: Board, depth: Option<u32>) -> Option<Square> {
        let empties = board.empties_count();
        let most = depth.unwrap_or(empties).clamp(1, empties);
        let mut best = self.ordered(board, None, 0).first().map(|&(_, to, _)| to)?;
        let mut depth = 0;
        while depth < most {
            depth += 1;
            if most == empties && depth + PLAY_OUT >= empties {
                depth = empties;
            }
            match self.best_move(board, depth) {
                Ok(found) => best = found,
                Err(Stopped) => break,
            }
        }
        Some(best)
    }

    /// The root keeps its move itself: in the table it may be overwritten.
    fn best_move(&mut self, board: Board, depth: u32) -> Result<Square, Stopped> {
        let known = self.entry(board).map(|entry| entry.best);
        let mut best = None;
        let mut alpha = -INFINITY;
        for (_, to, child) in self.ordered(board, known, depth) {
            let value = -self.value(child, depth - 1, -INFINITY, -alpha)?;
            if best.is_none() || value > alpha {
                (best, alpha) = (Some(to), value);
            }
        }
        let best = best.ok_or(Stopped)?;
        self.keep(Entry {
            board,
            depth,
            lower: alpha,
            upper: alpha,
            best,
        });
        Ok(best)
    }

    /// The value of a board for its mover, fail-soft.
    fn value(&mut self, board: Board, depth: u32, alpha: i32, beta: i32) -> Result<i32, Stopped> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(POLL_NODES) || self.nodes >= self.most_nodes {
            let late = self.deadline.is_some_and(|end| Instant::now() >= end);
            if late || self.nodes >= self.most_nodes {
                return Err(Stopped);
            }
        }
        if !board.has_legal_move() {
            return if board.pass().has_legal_move() {
                Ok(-self.value(board.pass(), depth, -beta, -alpha)?)
            } else {
                Ok(FINAL_DISC * self.result(board))
            };
        }
        if depth == 0 {
            return Ok(self.estimate(board));
        }
        let (mut alpha, mut beta) = (alpha, beta);
        let entry = self.entry(board);
        if let Some(entry) = entry.filter(|entry| entry.depth == depth) {
            if entry.lower >= beta || entry.lower == entry.upper {
                return Ok(entry.lower);
            }
            if entry.upper <= alpha {
                return Ok(entry.upper);
            }
            alpha = alpha.max(entry.lower);
            beta = beta.min(entry.upper);
        }
        let mut best: Option<(i32, Square)> = None;
        for (_, to, child) in self.ordered(board, entry.map(|entry| entry.best), depth) {
            let from = best.map_or(alpha, |(value, _)| value.max(alpha));
            let value = -self.value(child, depth - 1, -beta, -from)?;
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, to));
                if value >= beta {
                    break;
                }
            }
        }
        let (value, to) = best.ok_or(Stopped)?;
        self.keep(Entry {
            board,
            depth,
            lower: if value > alpha { value } else { -INFINITY },
            upper: if value < beta { value } else { INFINITY },
            best: to,
        });
        Ok(value)
    }

    /// The moves with the boards after them, the most promising first.
    fn ordered(
        &self,
        board: Board,
        first: Option<Square>,
        depth: u32,
    ) -> Vec<(i32, Square, Board)> {
        let mut moves: Vec<_> = board
            .legal_moves()
            .iter()
            .map(|to| {
                let child = board.play_unchecked(to, board.flips(to));
                let rank = match depth {
                    _ if first == Some(to) => -INFINITY,
                    // Not worth sorting: the children are estimated at once.
                    1 => 0,
                    _ => {
                        let replies = child.legal_moves().count().cast_signed();
                        let corners = child.opponent & Bitboard::CORNERS;
                        self.weights.moves * replies
                            - self.weights.corner * corners.count().cast_signed()
                    }
                };
                (rank, to, child)
            })
            .collect();
        moves.sort_by_key(|&(rank, ..)| rank);
        moves
    }

    fn estimate(&self, board: Board) -> i32 {
        let weights = self.weights;
        let count = |squares: Bitboard| squares.count().cast_signed();
        let beside_empty = beside(board.empties());
        let more = |of: &dyn Fn(Board) -> i32| of(board) - of(board.pass());
        weights.moves * more(&|board| count(board.legal_moves()))
            + weights.frontier * more(&|board| count(board.player & beside_empty))
            + weights.corner * more(&|board| count(board.player & Bitboard::CORNERS))
            + weights.disc * board.disc_difference()
    }

    /// The result of a finished game for the mover, the empty squares given to the majority.
    fn result(&self, board: Board) -> i32 {
        let difference = board.disc_difference();
        let result = difference + difference.signum() * board.empties_count().cast_signed();
        match self.objective {
            Objective::MostDiscs => result,
            Objective::FewestDiscs => -result,
        }
    }

    fn entry(&self, board: Board) -> Option<Entry> {
        self.table[slot(board)].filter(|entry| entry.board == board)
    }

    fn keep(&mut self, entry: Entry) {
        self.table[slot(entry.board)] = Some(entry);
    }
}

/// The squares next to these, in all eight directions, and these themselves.
const fn beside(squares: Bitboard) -> Bitboard {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    let own = squares.0;
    let wide = own | (own << 1) & NOT_A | (own & NOT_A) >> 1;
    Bitboard(wide | wide << 8 | wide >> 8)
}

/// Where a board is kept: the high bits of products with odd numbers (Knuth's multiplicative
/// hashing).
fn slot(board: Board) -> usize {
    let mixed = board.player.0.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ board.opponent.0.wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    usize::try_from(mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 47).unwrap_or_default() % TABLE
}

#[cfg(test)]
mod tests {
    use reversi_engine::Random;

    use super::*;

    /// A board with so many empty squares where the mover can move.
    fn board(random: &mut Random, empties: u32) -> Board {
        loop {
            let mut board = Board::STANDARD;
            while board.empties_count() > empties && !board.is_over() {
                let moves = board.legal_moves();
                let chosen = random.below(moves.count()) as usize;
                board = match moves.iter().nth(chosen) {
                    Some(to) => board.play_unchecked(to, board.flips(to)),
                    None => board.pass(),
                };
            }
            if board.empties_count() == empties && board.has_legal_move() {
                return board;
            }
        }
    }

    /// The result of best play, by looking at everything.
    fn solve(search: &Search<'_>, board: Board) -> i32 {
        if board.is_over() {
            return search.result(board);
        }
        let children = board.legal_moves().iter();
        let best = children
            .filter_map(|to| board.play(to))
            .map(|child| -solve(search, child));
        best.max().unwrap_or_else(|| -solve(search, board.pass()))
    }

    #[test]
    fn the_end_of_the_game_is_played_without_loss_under_both_objectives() {
        let mut random = Random::new(3);
        for objective in [Objective::MostDiscs, Objective::FewestDiscs] {
            let mut player = Mobility::new(objective, Pace::default());
            for _ in 0..20 {
                let board = board(&mut random, 7);
                player.table.fill(None);
                let mut search = Search::new(objective, &mut player.table, None, u64::MAX);
                let to = search.deepen(board, None).unwrap();
                let child = board.play(to).unwrap();
                assert_eq!(
                    -solve(&search, child),
                    solve(&search, board),
                    "{board}\n{to}"
                );
            }
        }
    }

    #[test]
    fn neighbours_do_not_go_around_the_edge() {
        let beside = |square: Square| beside(square.into()).to_string();
        assert_eq!(beside(Square::A1), "a1 b1 a2 b2");
        assert_eq!(beside(Square::H4), "g3 h3 g4 h4 g5 h5");
        assert_eq!(beside(Square::D8), "c7 d7 e7 c8 d8 e8");
    }

    #[test]
    fn there_is_a_move_however_few_nodes_it_may_visit() {
        let board = board(&mut Random::new(5), 30);
        let mut player = Mobility::new(Objective::MostDiscs, Pace::default());
        let late = Some(Instant::now());
        let mut search = Search::new(Objective::MostDiscs, &mut player.table, late, 1);
        let to = search.deepen(board, None).unwrap();
        assert!(board.legal_moves().contains(to));
    }
}
