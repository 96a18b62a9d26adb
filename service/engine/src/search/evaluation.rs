//! What an engine knows, and the file that it is kept in.

#![allow(
    clippy::cast_possible_truncation,
    reason = "the length of a name is cut to a byte"
)]

use std::sync::LazyLock;

use crate::eval::Weights;
use crate::rules::Objective;

use super::probcut::ProbCut;

/// What an engine knows of the game under one objective: made by `reversi-train`.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Which discs are to be had.
    pub objective: Objective,
    /// A name for people, such as the date and round of the training.
    pub name: String,
    /// What boards are worth.
    pub weights: Weights,
    /// How far shallow searches can be trusted.
    pub probcut: ProbCut,
}

/// Why bytes are no [`Evaluation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    /// They begin differently.
    #[error("not a file of weights")]
    Foreign,
    /// They are of another version of the format or of the patterns.
    #[error("weights of format {found}, {FORMAT} expected")]
    Format {
        /// The number of the format.
        found: u16,
    },
    /// They are damaged or incomplete.
    #[error("damaged weights: {bytes} bytes do not fit their checksum")]
    Damaged {
        /// How many there are.
        bytes: usize,
    },
}

const MAGIC: &[u8; 4] = b"RVWT";
/// Changes with the format and with the patterns.
const FORMAT: u16 = 2;
/// Magic, format, objective, step, eight numbers of the error of shallow searches, length of the
/// name.
const HEADER: usize = 4 + 2 + 1 + 1 + 8 * 4 + 1;
/// A CRC-32 of everything before.
const CHECKSUM: usize = 4;
/// The precision that weights are kept in, in hundredths of a disc. The sum of some 50 of them is then
/// rounded by about a tenth of a disc.
const STEP: u8 = 5;

static MOST_DISCS: LazyLock<Evaluation> =
    LazyLock::new(|| Evaluation::built_in(Objective::MostDiscs));
static FEWEST_DISCS: LazyLock<Evaluation> =
    LazyLock::new(|| Evaluation::built_in(Objective::FewestDiscs));

const fn built_in_bytes(objective: Objective) -> &'static [u8] {
    match objective {
        Objective::MostDiscs => include_bytes!("../../weights/most_discs.rvw"),
        Objective::FewestDiscs => include_bytes!("../../weights/fewest_discs.rvw"),
    }
}

impl Evaluation {
    /// The one that comes with the engine. Unpacked when first used, which takes a moment.
    #[must_use]
    pub fn of(objective: Objective) -> &'static Self {
        match objective {
            Objective::MostDiscs => &MOST_DISCS,
            Objective::FewestDiscs => &FEWEST_DISCS,
        }
    }

    /// The name of the one that comes with the engine, without unpacking it.
    #[must_use]
    pub fn name_of(objective: Objective) -> String {
        let bytes = built_in_bytes(objective);
        let length = bytes.get(HEADER - 1).copied().map_or(0, usize::from);
        let name = bytes.get(HEADER..HEADER + length).unwrap_or_default();
        String::from_utf8_lossy(name).into_owned()
    }

    fn built_in(objective: Objective) -> Self {
        Self::from_bytes(built_in_bytes(objective))
            .expect("invariant: the weights that are built in are sound")
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`EvaluationError`] if the bytes are not a whole file of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, EvaluationError> {
        if !bytes.starts_with(MAGIC) {
            return Err(EvaluationError::Foreign);
        }
        let damaged = EvaluationError::Damaged { bytes: bytes.len() };
        if bytes.len() < HEADER + CHECKSUM {
            return Err(damaged);
        }
        let found = u16::from_le_bytes([bytes[4], bytes[5]]);
        if found != FORMAT {
            return Err(EvaluationError::Format { found });
        }
        let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
        if crc32fast::hash(content).to_le_bytes() != checksum {
            return Err(damaged);
        }
        let objective = match content[6] {
            0 => Objective::MostDiscs,
            1 => Objective::FewestDiscs,
            _ => return Err(damaged),
        };
        let step = content[7];
        let (numbers, _) = content[8..].as_chunks::<4>();
        let number = |index: usize| f32::from_le_bytes(numbers[index]);
        let name_end = HEADER + usize::from(content[HEADER - 1]);
        let name = content.get(HEADER..name_end).ok_or(damaged)?;
        Ok(Self {
            objective,
            name: String::from_utf8_lossy(name).into_owned(),
            weights: Weights::unpack(&content[name_end..], step),
            probcut: ProbCut {
                coefficients: std::array::from_fn(number),
                to_the_end: std::array::from_fn(|index| number(index + 4)),
            },
        })
    }

    /// The file of this evaluation; weights are rounded, names cut off after 255 bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let name = &self.name.as_bytes()[..self.name.len().min(255)];
        let mut bytes = MAGIC.to_vec();
        bytes.extend(FORMAT.to_le_bytes());
        bytes.push(match self.objective {
            Objective::MostDiscs => 0,
            Objective::FewestDiscs => 1,
        });
        bytes.push(STEP);
        let ProbCut {
            coefficients,
            to_the_end,
        } = self.probcut;
        for number in coefficients.into_iter().chain(to_the_end) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.push(name.len() as u8);
        bytes.extend(name);
        bytes.extend(self.weights.pack(STEP));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Board;

    #[test]
    fn an_evaluation_reads_back_as_it_was_written() {
        for objective in [Objective::MostDiscs, Objective::FewestDiscs] {
            let evaluation = Evaluation::of(objective);
            let read = Evaluation::from_bytes(&evaluation.to_bytes()).unwrap();
            assert_eq!((read.objective, &read.name), (objective, &evaluation.name));
            assert_eq!(read.probcut, evaluation.probcut);
            let worth = |weights: &Weights| weights.of_board(Board::STANDARD);
            assert_eq!(worth(&read.weights), worth(&evaluation.weights));
        }
    }

    #[test]
    fn damage_is_noticed_wherever_it_is() {
        let bytes = Evaluation::of(Objective::MostDiscs).to_bytes();
        let damaged = |bytes: &[u8]| Evaluation::from_bytes(bytes).unwrap_err();
        for at in [6, 20, HEADER + 3, bytes.len() / 2, bytes.len() - 1] {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            let expected = EvaluationError::Damaged { bytes: bytes.len() };
            assert_eq!(damaged(&bytes), expected, "byte {at}");
        }
        assert!(matches!(
            damaged(&bytes[..bytes.len() / 2]),
            EvaluationError::Damaged { .. }
        ));
        assert_eq!(damaged(b""), EvaluationError::Foreign);
        assert_eq!(damaged(b"RVM1...."), EvaluationError::Foreign);
        let mut newer = bytes;
        newer[4] = 9;
        assert_eq!(damaged(&newer), EvaluationError::Format { found: 9 });
    }
}
