//! Searching a board to a depth, or to the end of the game.
//!
//! Principal variation search (Marsland and Campbell, 1982): the first move of a node on the best
//! line is searched with an open window ([`open`]); all others only have to be shown to be no
//! better, which a window without room inside does cheaply ([`null`]). Values are in hundredths of
//! a disc, for the mover. A depth is a number of discs: passes do not count. A depth of all empty
//! squares is a search to the end.
//!
//! Several threads search the same tree and meet in the table. To not do the same work twice, a
//! thread puts off the moves that another one is busy with (Kerrigan's simplification of ABDADA;
//! Weill, 1996).

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::eval::{DISC, Mobility, final_value};
use crate::kernel::isa::Isa;
use crate::moves::Move;
use crate::square::Square;

use super::endgame;
use super::hash::{Hash, Known, Result as Found};
use super::node::Node;
use super::order::{By, Candidates};
use super::probcut::{LEAST_DEPTH, shallow_depth};
use super::selectivity::Selectivity;
use super::worker::{Stopped, Worker};

/// Below every value.
pub(super) const WORST: i32 = -65 * DISC;

/// Searches at least so deep use the table.
const TABLE_DEPTH: u32 = 3;
/// Searches at least so deep order moves by what they evaluate to.
const EVALUATE_DEPTH: u32 = 3;
/// Searches at least so deep order moves by what they evaluate to after the best reply. Of 9 to 14,
/// all take as long for 13 discs ahead from hard-25.
const REPLY_DEPTH: u32 = 12;
/// The same for searches to the end. FFO 40 to 44 take two thirds longer with 9 than with 18, and
/// as long with 16, 20 and 24.
const REPLY_DEPTH_TO_THE_END: u32 = 18;
/// Searches at least so deep first ask the table whether a reply refutes the node.
const LOOK_UP_DEPTH: u32 = 5;
/// Searches at least so deep put off moves that another thread is busy with.
const DEFER_DEPTH: u32 = 5;
/// A node on the best line without a known best move is searched this much less deep first.
const FIND_FIRST: u32 = 3;

/// The value of a node, if it is at most `alpha` an upper bound, otherwise a lower bound.
pub(super) fn null<I: Isa>(
    isa: I,
    worker: &mut Worker<'_>,
    node: &Node,
    depth: u32,
    alpha: i32,
) -> Result<i32, Stopped> {
    isa.call4(
        #[inline(always)]
        |isa, worker: &mut Worker<'_>, node: &Node, depth, alpha| {
            null_body(isa, worker, node, depth, alpha)
        },
        worker,
        node,
        depth,
        alpha,
    )
}

#[inline(always)]
fn null_body<I: Isa>(
    isa: I,
    worker: &mut Worker<'_>,
    node: &Node,
    depth: u32,
    alpha: i32,
) -> Result<i32, Stopped> {
    let board = node.board;
    let empties = board.empties_count();
    if depth >= empties && empties <= endgame::MOST_EMPTIES {
        let value = endgame::null(isa, worker, board, alpha.div_euclid(DISC))?;
        return Ok(value * DISC);
    }
    match depth {
        0 => return Ok(leaf(isa, worker, node)),
        1 => return last_disc(isa, worker, node, alpha),
        _ => {}
    }
    worker.visit()?;
    let moves = legal_moves(isa, board);
    if moves.is_empty() {
        if legal_moves(isa, board.pass()).is_empty() {
            return Ok(DISC * final_value(board, worker.shared.objective));
        }
        return Ok(-null(isa, worker, &node.pass(), depth, -alpha - 1)?);
    }
    let hash = Hash::of(board);
    let known = if depth >= TABLE_DEPTH {
        worker.shared.table.get(hash)
    } else {
        None
    };
    if let Some(value) =
        known.and_then(|known| cutoff(&known, depth, worker.task.selectivity, alpha))
    {
        return Ok(value);
    }
    if depth >= LOOK_UP_DEPTH
        && let Some(value) = refuted_already(isa, worker, node, moves, depth, alpha)
    {
        return Ok(value);
    }
    if worker.task.selectivity != Selectivity::NONE
        && depth >= LEAST_DEPTH
        && let Some(value) = probable(isa, worker, node, empties, depth, alpha)?
    {
        return Ok(value);
    }
    let best = known.map_or([None, None], |known| known.best);
    let by = ordering(depth, empties);
    let mut candidates = Candidates::of(isa, worker, node, moves, best, by);
    let parallel = worker.shared.threads > 1 && depth >= DEFER_DEPTH;
    let (mut value, mut best_move) = (WORST, None);
    while let Some(candidate) = candidates.next() {
        let child = node.play(candidate.square, candidate.flips);
        let child_hash = Hash::of(child.board);
        if parallel
            && value > WORST
            && !candidate.is_deferred()
            && worker.shared.is_busy(child_hash)
        {
            candidates.defer(candidate);
            continue;
        }
        if depth > TABLE_DEPTH {
            worker.shared.table.prefetch(child_hash);
        }
        if parallel {
            worker.shared.mark(child_hash, true);
        }
        let result = null(isa, worker, &child, depth - 1, -alpha - 1);
        if parallel {
            worker.shared.mark(child_hash, false);
        }
        let child_value = -result?;
        if child_value > value {
            value = child_value;
            best_move = Some(candidate.square);
            if value > alpha {
                break;
            }
        }
    }
    if depth >= TABLE_DEPTH {
        keep(worker, hash, depth, (alpha, alpha + 1), value, best_move);
    }
    Ok(value)
}

/// The value of a node: exact between `alpha` and `beta`, otherwise a bound. The best line is left
/// in the worker's lines.
pub(super) fn open<I: Isa>(
    isa: I,
    worker: &mut Worker<'_>,
    node: &Node,
    depth: u32,
    window: (i32, i32),
    ply: usize,
) -> Result<i32, Stopped> {
    let (alpha, beta) = window;
    worker.lines.clear(ply);
    if depth == 0 {
        return Ok(leaf(isa, worker, node));
    }
    worker.visit()?;
    let board = node.board;
    let moves = legal_moves(isa, board);
    if moves.is_empty() {
        if legal_moves(isa, board.pass()).is_empty() {
            return Ok(DISC * final_value(board, worker.shared.objective));
        }
        let value = -open(isa, worker, &node.pass(), depth, (-beta, -alpha), ply + 1)?;
        worker.lines.prepend(ply, Move::Pass);
        return Ok(value);
    }
    let without = if ply == 0 {
        worker.task.without
    } else {
        Bitboard::EMPTY
    };
    let moves = moves & !without;
    let empties = board.empties_count();
    let hash = Hash::of(board);
    let mut known = worker.shared.table.get(hash);
    if known.is_none() && depth > 2 * FIND_FIRST {
        open(isa, worker, node, depth - FIND_FIRST, window, ply)?;
        worker.lines.clear(ply);
        known = worker.shared.table.get(hash);
    }
    let best = known.map_or([None, None], |known| known.best);
    let by = ordering(depth, empties);
    let mut candidates = Candidates::of(isa, worker, node, moves, best, by);
    let (mut value, mut best_move) = (WORST, None);
    while let Some(candidate) = candidates.next() {
        let child = node.play(candidate.square, candidate.flips);
        let floor = alpha.max(value);
        worker.lines.clear(ply + 1);
        let mut child_value = floor;
        if value > WORST {
            child_value = -null(isa, worker, &child, depth - 1, -floor - 1)?;
        }
        if value == WORST || (child_value > floor && child_value < beta) {
            child_value = -open(isa, worker, &child, depth - 1, (-beta, -floor), ply + 1)?;
        }
        if child_value > value {
            value = child_value;
            best_move = Some(candidate.square);
            if value > alpha {
                worker.lines.prepend(ply, Move::Place(candidate.square));
                worker.note_root(ply, depth, value);
            }
            if value >= beta {
                break;
            }
        }
    }
    if without.is_empty() {
        keep(worker, hash, depth, window, value, best_move);
    }
    Ok(value)
}

/// The squares where the mover turns a disc.
#[inline(always)]
fn legal_moves<I: Isa>(isa: I, board: Board) -> Bitboard {
    Bitboard(isa.legal_moves(board.player.0, board.opponent.0))
}

/// Remembers a result.
#[inline(always)]
fn keep(
    worker: &Worker<'_>,
    hash: Hash,
    depth: u32,
    (alpha, beta): (i32, i32),
    value: i32,
    best: Option<Square>,
) {
    worker.shared.table.put(
        hash,
        &Found {
            depth,
            selectivity: worker.task.selectivity,
            alpha,
            beta,
            value,
            best,
        },
    );
}

/// What a board is worth without looking ahead.
#[inline(always)]
fn leaf<I: Isa>(isa: I, worker: &mut Worker<'_>, node: &Node) -> i32 {
    worker.count();
    let mobility = node.mobility(isa);
    if mobility == Mobility::NONE {
        return DISC * final_value(node.board, worker.shared.objective);
    }
    let empties = node.board.empties_count();
    let weights = worker.shared.weights;
    weights.evaluate(&node.states, mobility, empties)
}

/// A search one disc deep: evaluates what follows.
#[inline(always)]
fn last_disc<I: Isa>(
    isa: I,
    worker: &mut Worker<'_>,
    node: &Node,
    alpha: i32,
) -> Result<i32, Stopped> {
    worker.visit()?;
    let board = node.board;
    let moves = legal_moves(isa, board);
    if moves.is_empty() {
        if legal_moves(isa, board.pass()).is_empty() {
            return Ok(DISC * final_value(board, worker.shared.objective));
        }
        return Ok(-null(isa, worker, &node.pass(), 1, -alpha - 1)?);
    }
    let mut value = WORST;
    for square in moves {
        let flips = Bitboard(isa.flips(board.player.0, board.opponent.0, square));
        let child = node.play(square, flips);
        value = value.max(-leaf(isa, worker, &child));
        if value > alpha {
            break;
        }
    }
    Ok(value)
}

/// The value to answer at once, if what is known settles the window.
#[inline(always)]
fn cutoff(known: &Known, depth: u32, selectivity: Selectivity, alpha: i32) -> Option<i32> {
    if known.depth < depth || known.selectivity < selectivity {
        None
    } else if known.lower > alpha {
        Some(known.lower)
    } else if known.upper <= alpha {
        Some(known.upper)
    } else {
        None
    }
}

/// The value of a move that is known to be worth more than `alpha`, without searching any
/// (enhanced transposition cutoffs; Plaat, Schaeffer, Pijls and de Bruin, 1996).
#[inline(always)]
fn refuted_already<I: Isa>(
    isa: I,
    worker: &Worker<'_>,
    node: &Node,
    moves: Bitboard,
    depth: u32,
    alpha: i32,
) -> Option<i32> {
    let board = node.board;
    moves.iter().find_map(|square| {
        let flips = Bitboard(isa.flips(board.player.0, board.opponent.0, square));
        let child = Hash::of(board.play_unchecked(square, flips));
        let known = worker.shared.table.get(child)?;
        let settled = known.depth >= depth - 1 && known.selectivity >= worker.task.selectivity;
        (settled && -known.upper > alpha).then_some(-known.upper)
    })
}

/// The bound that a shallower search makes probable enough.
#[inline(always)]
fn probable<I: Isa>(
    isa: I,
    worker: &mut Worker<'_>,
    node: &Node,
    empties: u32,
    depth: u32,
    alpha: i32,
) -> Result<Option<i32>, Stopped> {
    let beta = alpha + 1;
    let shallow = shallow_depth(depth);
    let margin = worker
        .shared
        .probcut
        .margin(empties, depth, shallow, worker.task.selectivity);
    let guess = node.evaluate(isa, worker.shared.weights);
    if guess >= beta {
        let bound = beta + margin;
        if bound < 64 * DISC && null(isa, worker, node, shallow, bound - 1)? >= bound {
            return Ok(Some(beta));
        }
    } else {
        let bound = alpha - margin;
        if bound > -64 * DISC && null(isa, worker, node, shallow, bound)? <= bound {
            return Ok(Some(alpha));
        }
    }
    Ok(None)
}

/// How to order the moves of a node.
#[inline(always)]
const fn ordering(depth: u32, empties: u32) -> By {
    let reply_depth = if depth < empties {
        REPLY_DEPTH
    } else {
        REPLY_DEPTH_TO_THE_END
    };
    if depth < EVALUATE_DEPTH {
        By::Replies
    } else if depth < reply_depth {
        By::Evaluation
    } else {
        By::BestReply
    }
}
