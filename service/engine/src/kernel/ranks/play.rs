//! Moves played on a block of boards.
//!
//! A board and a move are one *marked* board: the move's square is set on both sides, which no
//! board has. A line from the square turns the discs that two runs share, one that grows from the
//! square and one that grows towards it from the player's discs. Files and diagonals take three
//! passes over the ranks: runs towards rank 1 from the player; runs towards rank 8, from the square
//! within those, and from the player; runs towards rank 1 from the square within these. One rank of
//! a board holds the square, so that rank is taken out, and the lines along the ranks of all boards
//! are done at once.
//!
//! 376 operations on vectors a block, of which 24 shift.

use super::super::bytes::Bytes;
use super::moves::{grow_to_a, inner_files};
use super::{Ranks, Sides, settle};

/// What is kept between the passes.
pub(super) struct Scratch<V> {
    /// The turned discs.
    turned: Ranks<V>,
    /// The runs from the player's discs: straight on, towards h, towards a.
    runs: [[V; 3]; 8],
}

/// What becomes of the turned discs.
pub(super) trait Turn<V> {
    /// Takes those of a rank, and the square of the move if it is there.
    fn turn(&mut self, sides: &mut Sides<V>, rank: usize, square: V, turned: V);
}

impl<V: Bytes> Scratch<V> {
    #[inline(always)]
    pub(super) fn new(any: V) -> Self {
        Self {
            turned: [any; 8],
            runs: [[any; 3]; 8],
        }
    }

    /// Finds the discs that the moves of a block of marked boards turn.
    #[inline(always)]
    pub(super) fn play<T: Turn<V>>(&mut self, sides: &mut Sides<V>, turn: &mut T) {
        settle(sides);
        self.pass_down(sides);
        settle(sides);
        settle(self);
        let along = self.pass_up(sides);
        settle(sides);
        settle(self);
        self.last_pass_down(sides, along, turn);
        settle(sides);
    }

    /// Runs towards rank 1 from the player.
    #[inline(always)]
    fn pass_down(&mut self, sides: &Sides<V>) {
        let mut towards = Runs::of(player(sides, 7));
        self.runs[6] = towards.step_from_player(sides, 6);
        self.runs[5] = towards.step_from_player(sides, 5);
        self.runs[4] = towards.step_from_player(sides, 4);
        self.runs[3] = towards.step_from_player(sides, 3);
        self.runs[2] = towards.step_from_player(sides, 2);
        self.runs[1] = towards.step_from_player(sides, 1);
    }

    /// Runs towards rank 8, from the square and from the player. Returns what is turned in the rank
    /// of the square.
    #[inline(always)]
    fn pass_up(&mut self, sides: &Sides<V>) -> V {
        let mut towards = Runs::of(player(sides, 0));
        let mut from = Runs::of(square(sides, 0));
        let rank = RankOfSquare::of(sides, 0);
        let rank = self.up(sides, 1, &mut from, &mut towards, rank);
        let rank = self.up(sides, 2, &mut from, &mut towards, rank);
        let rank = self.up(sides, 3, &mut from, &mut towards, rank);
        let rank = self.up(sides, 4, &mut from, &mut towards, rank);
        let rank = self.up(sides, 5, &mut from, &mut towards, rank);
        let rank = self.up(sides, 6, &mut from, &mut towards, rank);
        rank.or(sides, 7).turned(sides)
    }

    #[inline(always)]
    fn up(
        &mut self,
        sides: &Sides<V>,
        rank: usize,
        from: &mut Runs<V>,
        towards: &mut Runs<V>,
        found: RankOfSquare<V>,
    ) -> RankOfSquare<V> {
        self.turned[rank] = from.step_from_square(self.runs[rank], sides, rank);
        self.runs[rank] = towards.step_from_player(sides, rank);
        found.or(sides, rank)
    }

    /// Runs towards rank 1 from the square.
    #[inline(always)]
    fn last_pass_down<T: Turn<V>>(&mut self, sides: &mut Sides<V>, along: V, turn: &mut T) {
        let mut from = Runs::of(square(sides, 7));
        // The first rank and the last are turned along the rank alone.
        self.last(sides, 7, along, None, turn);
        self.last(sides, 6, along, Some(&mut from), turn);
        self.last(sides, 5, along, Some(&mut from), turn);
        self.last(sides, 4, along, Some(&mut from), turn);
        self.last(sides, 3, along, Some(&mut from), turn);
        self.last(sides, 2, along, Some(&mut from), turn);
        self.last(sides, 1, along, Some(&mut from), turn);
        self.last(sides, 0, along, None, turn);
    }

    #[inline(always)]
    fn last<T: Turn<V>>(
        &mut self,
        sides: &mut Sides<V>,
        rank: usize,
        along: V,
        from: Option<&mut Runs<V>>,
        turn: &mut T,
    ) {
        let square = square(sides, rank);
        let mut turned = along.without(square.zeros());
        if let Some(from) = from {
            let down = from.step_from_square(self.runs[rank], sides, rank);
            turned = turned.or(self.turned[rank]).or(down);
        }
        turn.turn(sides, rank, square, turned);
    }
}

/// The square of the move, where it is in this rank.
#[inline(always)]
fn square<V: Bytes>(sides: &Sides<V>, rank: usize) -> V {
    sides[rank].and(sides[8 + rank])
}

/// The player's discs.
#[inline(always)]
fn player<V: Bytes>(sides: &Sides<V>, rank: usize) -> V {
    sides[rank].without(sides[8 + rank])
}

/// The opponent's discs.
#[inline(always)]
fn opponent<V: Bytes>(sides: &Sides<V>, rank: usize) -> V {
    sides[8 + rank].without(sides[rank])
}

/// Squares of a rank from which runs go on to the next: straight on, towards h, towards a.
struct Runs<V>([V; 3]);

impl<V: Bytes> Runs<V> {
    #[inline(always)]
    fn of(squares: V) -> Self {
        Self([squares; 3])
    }

    /// Steps onto the next rank, on the opponent's discs. Gives the runs.
    #[inline(always)]
    fn step_from_player(&mut self, sides: &Sides<V>, rank: usize) -> [V; 3] {
        let (player, opponent) = (player(sides, rank), opponent(sides, rank));
        // A run on a diagonal ends at the edge files: there is no square behind them.
        let inner = opponent.and(inner_files(sides));
        let [straight, to_h, to_a] = self.0;
        let runs = [
            opponent.and(straight),
            inner.and(to_h.plus(to_h)),
            inner.and(to_a.halve()),
        ];
        self.0 = [player.or(runs[0]), player.or(runs[1]), player.or(runs[2])];
        runs
    }

    /// Steps onto the next rank, within runs that have come the other way: those went towards a
    /// where these go towards h. Gives the discs in all three.
    #[inline(always)]
    fn step_from_square(&mut self, within: [V; 3], sides: &Sides<V>, rank: usize) -> V {
        let square = square(sides, rank);
        let [straight, to_h, to_a] = self.0;
        let runs = [
            within[0].and(straight),
            within[2].and(to_h.plus(to_h)),
            within[1].and(to_a.halve()),
        ];
        self.0 = [square.or(runs[0]), square.or(runs[1]), square.or(runs[2])];
        runs[0].or(runs[1]).or(runs[2])
    }
}

/// Of each board the rank that holds the square of the move, still marked.
#[derive(Clone, Copy)]
struct RankOfSquare<V> {
    player: V,
    opponent: V,
}

impl<V: Bytes> RankOfSquare<V> {
    /// The rank, of the boards whose square is in it.
    #[inline(always)]
    fn of(sides: &Sides<V>, rank: usize) -> Self {
        let elsewhere = square(sides, rank).zeros();
        Self {
            player: sides[rank].without(elsewhere),
            opponent: sides[8 + rank].without(elsewhere),
        }
    }

    #[inline(always)]
    fn or(self, sides: &Sides<V>, rank: usize) -> Self {
        let other = Self::of(sides, rank);
        Self {
            player: self.player.or(other.player),
            opponent: self.opponent.or(other.opponent),
        }
    }

    /// The discs that are turned along the rank.
    #[inline(always)]
    fn turned(self, sides: &Sides<V>) -> V {
        let square = self.player.and(self.opponent);
        let player = self.player.xor(square);
        let inner = self.opponent.xor(square).and(inner_files(sides));
        // Towards h: a carry from the square clears the run, and arrives at a disc of the player or
        // at none.
        let carried = inner.plus(inner.and(square.plus(square)));
        let to_h = inner.without(carried).without(carried.and(player).zeros());
        // Towards a: carries from the player clear the runs that touch it, and the run that touches
        // the square is one of them or not.
        let carried = inner.plus(inner.and(player.plus(player)));
        to_h.or(grow_to_a(inner.without(carried), square))
    }
}
