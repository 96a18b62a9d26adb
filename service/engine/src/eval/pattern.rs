//! The patterns: groups of squares whose joint state is looked up in a table of weights.
//!
//! A *shape* is a group of squares that stands for all its images under the symmetries of the
//! board; each image is an *instance*. The instances of a shape share one table. The state of a
//! square is a digit: 0 empty, 1 a disc of the mover, -1 a disc of the other side. The digits of
//! an instance make a number in balanced ternary, the *state*, so swapping the sides negates it.
//! Counted from where the state 0 is in its table, it is the place of its weight.
//!
//! The idea is Michael Buro's (Logistello, 1997); the choice of shapes is our own.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "numbers of patterns, squares and weights"
)]

use crate::bitboard::symmetry::Symmetry;
use crate::square::Square;

/// The most squares of a shape.
const MOST_SQUARES: usize = 10;
/// The number of shapes.
const SHAPES: usize = 15;
/// The number of instances.
pub(crate) const INSTANCES: usize = 62;
/// [`INSTANCES`] rounded up to whole vectors of 16 numbers.
pub(crate) const LANES: usize = 64;
/// The number of tables of a phase.
pub(crate) const TABLES: usize = 9;
/// The number of weights of a table: all that a number of 16 bits can ask for, so that no question
/// is out of bounds. A table is shared by as many shapes as have room in it.
pub(crate) const TABLE: usize = 1 << 16;
/// The number of weights of a phase. Some of them belong to no state.
pub(crate) const WEIGHTS: usize = TABLES * TABLE;

/// A group of squares.
#[derive(Clone, Copy, Debug)]
struct Shape {
    squares: [Square; MOST_SQUARES],
    len: usize,
}

impl Shape {
    const fn new<const N: usize>(squares: [Square; N]) -> Self {
        let mut padded = [Square::A1; MOST_SQUARES];
        let mut index = 0;
        while index < N {
            padded[index] = squares[index];
            index += 1;
        }
        Self {
            squares: padded,
            len: N,
        }
    }

    /// The number of states.
    const fn states(&self) -> usize {
        3_usize.pow(self.len as u32)
    }

    /// The shape after a symmetry.
    const fn image(&self, symmetry: Symmetry) -> Self {
        let mut image = *self;
        let mut index = 0;
        while index < self.len {
            image.squares[index] = symmetry.apply_square(self.squares[index]);
            index += 1;
        }
        image
    }

    const fn set(&self) -> u64 {
        let mut set = 0;
        let mut index = 0;
        while index < self.len {
            set |= self.squares[index].bit();
            index += 1;
        }
        set
    }
}

use Square as S;
#[rustfmt::skip]
const ALL_SHAPES: [Shape; SHAPES] = [
    // An edge with both its X-squares.
    Shape::new([S::A1, S::B1, S::C1, S::D1, S::E1, S::F1, S::G1, S::H1, S::B2, S::G2]),
    // The corners of an edge, and the block between them.
    Shape::new([S::A1, S::C1, S::D1, S::E1, S::F1, S::H1, S::C2, S::D2, S::E2, S::F2]),
    // An edge without its corners, and the inside of the line next to it.
    Shape::new([S::B1, S::C1, S::D1, S::E1, S::F1, S::G1, S::C2, S::D2, S::E2, S::F2]),
    // The middle of an edge, narrowing towards the centre.
    Shape::new([S::C1, S::D1, S::E1, S::F1, S::C2, S::D2, S::E2, S::F2, S::D3, S::E3]),
    // A corner of two by five.
    Shape::new([S::A1, S::B1, S::C1, S::D1, S::E1, S::A2, S::B2, S::C2, S::D2, S::E2]),
    // A triangle in the corner.
    Shape::new([S::A1, S::B1, S::C1, S::D1, S::A2, S::B2, S::C2, S::A3, S::B3, S::A4]),
    // A corner and the three by three squares inside of it.
    Shape::new([S::A1, S::B2, S::C2, S::D2, S::B3, S::C3, S::D3, S::B4, S::C4, S::D4]),
    // A corner of three by three.
    Shape::new([S::A1, S::B1, S::C1, S::A2, S::B2, S::C2, S::A3, S::B3, S::C3]),
    // The diagonal of seven with the corners that its ends touch.
    Shape::new([S::A1, S::B1, S::C2, S::D3, S::E4, S::F5, S::G6, S::H7, S::H8]),
    // The diagonals of five and of four, side by side.
    Shape::new([S::D1, S::E2, S::F3, S::G4, S::H5, S::E1, S::F2, S::G3, S::H4]),
    // The diagonal of six with the C-squares that its ends touch.
    Shape::new([S::B1, S::C1, S::D2, S::E3, S::F4, S::G5, S::H6, S::H7]),
    // The long diagonal.
    Shape::new([S::A1, S::B2, S::C3, S::D4, S::E5, S::F6, S::G7, S::H8]),
    // The lines inside the edges.
    Shape::new([S::A2, S::B2, S::C2, S::D2, S::E2, S::F2, S::G2, S::H2]),
    Shape::new([S::A3, S::B3, S::C3, S::D3, S::E3, S::F3, S::G3, S::H3]),
    Shape::new([S::A4, S::B4, S::C4, S::D4, S::E4, S::F4, S::G4, S::H4]),
];

/// An image of a shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instance {
    shape: usize,
    image: Shape,
}

/// The instances, those of a shape one after another.
pub(crate) const ALL_INSTANCES: [Instance; INSTANCES] = instances();

const fn instances() -> [Instance; INSTANCES] {
    let mut instances = [Instance {
        shape: 0,
        image: ALL_SHAPES[0],
    }; INSTANCES];
    let mut count = 0;
    let mut shape = 0;
    while shape < SHAPES {
        let first = count;
        let mut symmetry = 0;
        while symmetry < Symmetry::ALL.len() {
            let image = ALL_SHAPES[shape].image(Symmetry::ALL[symmetry]);
            let mut earlier = first;
            while earlier < count && instances[earlier].image.set() != image.set() {
                earlier += 1;
            }
            if earlier == count {
                instances[count] = Instance { shape, image };
                count += 1;
            }
            symmetry += 1;
        }
        shape += 1;
    }
    assert!(count == INSTANCES);
    instances
}

/// Where the states of each shape begin in the weights of a phase.
const OFFSETS: [usize; SHAPES] = {
    let mut offsets = [0; SHAPES];
    let mut free = 0;
    let mut shape = 0;
    while shape < SHAPES {
        let states = ALL_SHAPES[shape].states();
        if free % TABLE + states > TABLE {
            free = free.next_multiple_of(TABLE);
        }
        offsets[shape] = free;
        free += states;
        shape += 1;
    }
    assert!(free.div_ceil(TABLE) == TABLES);
    offsets
};

/// Which table each instance asks.
pub(crate) const TABLE_OF: [usize; INSTANCES] = {
    let mut tables = [0; INSTANCES];
    let mut index = 0;
    while index < INSTANCES {
        tables[index] = OFFSETS[ALL_INSTANCES[index].shape] / TABLE;
        index += 1;
    }
    tables
};

/// Where the state 0 of each instance is in its table.
pub(crate) static CENTRES: [u16; LANES] = {
    let mut centres = [0; LANES];
    let mut index = 0;
    while index < INSTANCES {
        let shape = ALL_INSTANCES[index].shape;
        centres[index] = (OFFSETS[shape] % TABLE + ALL_SHAPES[shape].states() / 2) as u16;
        index += 1;
    }
    centres
};

/// What a disc of the mover on each square adds to the state of every instance.
pub(crate) static DIGITS: [[u16; LANES]; 64] = {
    let mut digits = [[0; LANES]; 64];
    let mut index = 0;
    while index < INSTANCES {
        let image = &ALL_INSTANCES[index].image;
        let mut place = 0;
        while place < image.len {
            digits[image.squares[place].index() as usize][index] = 3_u16.pow(place as u32);
            place += 1;
        }
        index += 1;
    }
    digits
};

/// For each weight of a phase the one that it has to be equal to, since a symmetry of its shape
/// maps their states onto each other; the least of them. Those that belong to no state are one.
pub(crate) fn twins() -> Vec<u32> {
    let mut twins = vec![None; WEIGHTS];
    for (shape, &offset) in ALL_SHAPES.iter().zip(&OFFSETS) {
        let symmetry = Symmetry::ALL[1..]
            .iter()
            .find(|symmetry| shape.image(**symmetry).set() == shape.set());
        let places: Vec<usize> = (0..shape.len)
            .map(|place| {
                let square = shape.squares[place];
                let there = symmetry.map_or(square, |symmetry| symmetry.apply_square(square));
                shape.squares[..shape.len]
                    .iter()
                    .position(|&other| other == there)
                    .unwrap_or(place)
            })
            .collect();
        // The digits of a state as counted from the lowest: 0, 1 and 2 stand for -1, 0 and 1.
        for state in 0..shape.states() {
            let mut mirrored = 0;
            let mut rest = state;
            for &place in &places {
                mirrored += rest % 3 * 3_usize.pow(place as u32);
                rest /= 3;
            }
            twins[offset + state] = Some((offset + state.min(mirrored)) as u32);
        }
    }
    let mut unused = None;
    let places = twins.into_iter().zip(0..);
    places
        .map(|(twin, place)| twin.unwrap_or_else(|| *unused.get_or_insert(place)))
        .collect()
}
