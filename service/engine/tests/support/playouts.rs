//! Seeded random games, and positions out of them.

use reversi_engine::{Move, Position, RuleSet, Start, Turn};

/// The starts that need no further choice.
pub(crate) const STARTS: [Start; 5] = [
    Start::Standard,
    Start::Mirrored,
    Start::ParallelWhiteAbove,
    Start::ParallelBlackAbove,
    Start::Free,
];

/// Marsaglia's xorshift generator of 64 bits; the seed must not be 0.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    /// A legal move; `None` if the game is over.
    pub(crate) fn legal_move(&mut self, position: &Position) -> Option<Move> {
        match position.turn() {
            Turn::Over(_) => None,
            Turn::Pass => Some(Move::Pass),
            Turn::Move => {
                let moves: Vec<Move> = position.legal_moves().iter().map(Move::Place).collect();
                Some(moves[self.below(moves.len())])
            }
        }
    }
}

/// The position that a game from this start begins with.
pub(crate) fn beginning(start: Start) -> Position {
    let rules = RuleSet {
        start,
        ..RuleSet::default()
    };
    Position::start(&rules).expect("the named starts are sound")
}

/// The positions of a random game in order, the finished one included.
pub(crate) fn random_game(start: Start, random: &mut Random) -> Vec<Position> {
    let mut positions = vec![beginning(start)];
    while let Some(mv) = random.legal_move(&positions[positions.len() - 1]) {
        let next = positions[positions.len() - 1].play(mv);
        positions.push(next.expect("a legal move"));
    }
    positions
}
