//! The rules once more, the slow and obvious way: a mailbox of 10 by 10 cells with a wall around
//! the board. Shares nothing with the crate but the numbers of the squares.

/// What stands on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    Wall,
    Empty,
    Black,
    White,
}

/// The steps to the eight neighbours.
const STEPS: [isize; 8] = [-11, -10, -9, -1, 1, 9, 10, 11];

/// A board with walls.
#[derive(Clone, Debug)]
pub(crate) struct Mailbox {
    cells: [Cell; 100],
}

impl Mailbox {
    /// The board with these discs; bit 0 is a1, bit 63 is h8.
    pub(crate) fn new(black: u64, white: u64) -> Self {
        let mut cells = [Cell::Wall; 100];
        for square in 0..64 {
            cells[cell_of(square)] = match (black >> square & 1, white >> square & 1) {
                (1, 0) => Cell::Black,
                (0, 1) => Cell::White,
                (0, 0) => Cell::Empty,
                _ => panic!("two discs on square {square}"),
            };
        }
        Self { cells }
    }

    /// The discs of one side as bits.
    pub(crate) fn discs(&self, side: Cell) -> u64 {
        bits((0..64).filter(|&square| self.cells[cell_of(square)] == side))
    }

    /// The squares whose discs turn if the side plays there, as bits; 0 if that is illegal.
    pub(crate) fn turned(&self, side: Cell, square: usize) -> u64 {
        let from = cell_of(square);
        if self.cells[from] != Cell::Empty {
            return 0;
        }
        let mut turned = Vec::new();
        for step in STEPS {
            let mut line = Vec::new();
            let mut at = from.wrapping_add_signed(step);
            while self.cells[at] == other(side) {
                line.push(at);
                at = at.wrapping_add_signed(step);
            }
            if self.cells[at] == side {
                turned.extend(line);
            }
        }
        bits(turned.into_iter().map(square_of))
    }

    /// The legal squares of the side as bits.
    pub(crate) fn legal(&self, side: Cell) -> u64 {
        bits((0..64).filter(|&square| self.turned(side, square) != 0))
    }

    /// Puts a disc on the square and turns what it encloses.
    pub(crate) fn play(&mut self, side: Cell, square: usize) {
        let turned = self.turned(side, square);
        for changed in (0..64).filter(|&changed| turned >> changed & 1 == 1) {
            self.cells[cell_of(changed)] = side;
        }
        self.put(side, square);
    }

    /// Puts a disc on the square and turns nothing.
    pub(crate) fn put(&mut self, side: Cell, square: usize) {
        self.cells[cell_of(square)] = side;
    }
}

/// The other side.
pub(crate) fn other(side: Cell) -> Cell {
    match side {
        Cell::Black => Cell::White,
        Cell::White => Cell::Black,
        Cell::Wall | Cell::Empty => panic!("{side:?} is no side"),
    }
}

fn cell_of(square: usize) -> usize {
    (square / 8 + 1) * 10 + square % 8 + 1
}

fn square_of(cell: usize) -> usize {
    (cell / 10 - 1) * 8 + cell % 10 - 1
}

fn bits(squares: impl Iterator<Item = usize>) -> u64 {
    squares.fold(0, |bits, square| bits | 1 << square)
}
