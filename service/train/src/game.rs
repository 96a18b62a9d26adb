//! Games of the engine against itself, as a source of positions.

use reversi_engine::search::{Engine, Evaluation};
use reversi_engine::{Bitboard, Board, Objective, Random, Square};

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Play<'a> {
    /// Without it, moves are chosen by how few replies they leave.
    pub(crate) evaluation: Option<&'a Evaluation>,
    pub(crate) objective: Objective,
    /// How many discs players look ahead.
    pub(crate) depth: u32,
    /// The least and the most discs that are placed at random first.
    pub(crate) random_discs: (u32, u32),
    /// How often a later move is random, too.
    pub(crate) slip: f64,
}

/// A game whose random beginning is worth so many discs to either side is played half of the time,
/// otherwise it begins anew: of a game that is decided little is learned.
const EVEN: f64 = 16.0;

/// The boards of a game after its random beginning, with the mover's view, those where the mover
/// has to pass among them. Those right after a random move are left out: it was rarely a good one,
/// and weights that are learned from such boards are too kind to the mover.
pub(crate) fn play(play: &Play<'_>, engine: &mut Engine, random: &mut Random) -> Vec<Board> {
    let mut board = beginning(play, random);
    let mut boards = Vec::with_capacity(60);
    let mut after_random = true;
    loop {
        let moves = board.legal_moves();
        if moves.is_empty() {
            if board.is_over() {
                return boards;
            }
            boards.push(board);
            board = board.pass();
            continue;
        }
        if !after_random {
            boards.push(board);
        }
        after_random = random.unit() < play.slip;
        let square = if after_random {
            any(moves, random)
        } else if let Some(evaluation) = play.evaluation {
            best(board, random, 0.7, |child| {
                let value = if play.depth > 1 {
                    engine.value(evaluation, child, play.depth - 1)
                } else {
                    evaluation.weights.of_board(child)
                };
                -f64::from(value) / 100.0
            })
        } else {
            let sign = match play.objective {
                Objective::MostDiscs => 1.0,
                Objective::FewestDiscs => -1.0,
            };
            best(board, random, 3.0, |child| {
                let replies = child.legal_moves();
                let corners = |set: Bitboard| f64::from((set & Bitboard::CORNERS).count());
                sign * (4.0 * corners(child.opponent) - 3.0 * corners(replies))
                    - f64::from(replies.count())
            })
        };
        board = board.play_unchecked(square, board.flips(square));
    }
}

/// A board after so many random discs, or fewer if the game ends before; seldom a decided one, if
/// there is an evaluation to know it by.
fn beginning(play: &Play<'_>, random: &mut Random) -> Board {
    let (least, most) = play.random_discs;
    let discs = least + random.below(most - least + 1);
    loop {
        let mut board = start(random);
        let mut placed = 0;
        while placed < discs && !board.is_over() {
            let moves = board.legal_moves();
            if moves.is_empty() {
                board = board.pass();
            } else {
                let square = any(moves, random);
                board = board.play_unchecked(square, board.flips(square));
                placed += 1;
            }
        }
        let even = play.evaluation.is_none_or(|evaluation| {
            let value = f64::from(evaluation.weights.of_board(board)) / 100.0;
            random.unit() < 1.0 / (1.0 + (value / EVEN).powi(2))
        });
        if even {
            return board;
        }
    }
}

/// Mostly the standard start, now and then two discs of a colour side by side.
fn start(random: &mut Random) -> Board {
    if random.below(10) > 0 {
        return Board::STANDARD;
    }
    Board {
        player: Bitboard(Square::D4.bit() | Square::E4.bit()),
        opponent: Bitboard(Square::D5.bit() | Square::E5.bit()),
    }
}

fn any(moves: Bitboard, random: &mut Random) -> Square {
    let index = random.below(moves.count()) as usize;
    moves.iter().nth(index).expect("invariant: below the count")
}

/// The move whose board scores best, give or take up to `noise`.
fn best(
    board: Board,
    random: &mut Random,
    noise: f64,
    mut score: impl FnMut(Board) -> f64,
) -> Square {
    let scored = board.legal_moves().iter().map(|square| {
        let child = board.play_unchecked(square, board.flips(square));
        (score(child) + noise * random.unit(), square)
    });
    scored
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .expect("invariant: there are moves")
        .1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean distance from a draw of random beginnings, by the engine's own evaluation.
    fn mean_distance(evaluation: Option<&Evaluation>) -> f64 {
        let objective = Objective::MostDiscs;
        let play = Play {
            evaluation,
            objective,
            depth: 1,
            random_discs: (30, 30),
            slip: 0.0,
        };
        let mut random = Random::new(5);
        let weights = &Evaluation::of(objective).weights;
        let distances = (0..200).map(|_| weights.of_board(beginning(&play, &mut random)).abs());
        f64::from(distances.sum::<i32>()) / 200.0 / 100.0
    }

    #[test]
    fn games_seldom_begin_decided() {
        let (chosen, any) = (
            mean_distance(Some(Evaluation::of(Objective::MostDiscs))),
            mean_distance(None),
        );
        assert!(1.5 * chosen < any, "{chosen} discs, {any} at random");
    }
}
