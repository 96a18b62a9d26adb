//! The rules in a stored value.

use reversi_engine::{
    BalancedStart, Bitboard, Color, Objective, PassMode, RuleSet, Scoring, Setup, Square, Start,
};

use super::UnreadableValue;
use super::bytes::{Reader, put_number};
use crate::session::{GameRecord, LegalMovesDisplay};

/// What the first bytes of the rules say.
pub(super) struct Settings {
    pub(super) rules: RuleSet,
    pub(super) legal_moves: LegalMovesDisplay,
    pub(super) has_creation: bool,
    pub(super) has_extras: bool,
}

impl GameRecord {
    pub(super) fn put_settings(&self, out: &mut Vec<u8>) {
        let rules = &self.rules;
        let objective = u8::from(rules.objective == Objective::FewestDiscs);
        let pass_mode = u8::from(rules.pass_mode == PassMode::Explicit);
        let hidden = u8::from(self.legal_moves == LegalMovesDisplay::Hidden);
        let creation = u8::from(self.creation.is_some());
        let extras = u8::from(self.has_extras());
        let scoring = match rules.scoring {
            Scoring::Discs => 0,
            Scoring::EmptiesToMajority => 1,
            Scoring::EmptiesToMajorityTiesSplit => 2,
        };
        let flags = objective | pass_mode << 1 | hidden << 2 | creation << 3;
        out.push(flags | scoring << 4 | extras << 6);
        match rules.start {
            Start::Standard => out.push(0),
            Start::Mirrored => out.push(1),
            Start::ParallelWhiteAbove => out.push(2),
            Start::ParallelBlackAbove => out.push(3),
            Start::Free => out.push(4),
            Start::Balanced(start) => {
                out.push(6);
                out.extend(start.moves().map(Square::index));
                put_number(out, start.list_version().into());
            }
            Start::Custom(setup) => {
                out.push(5);
                out.extend_from_slice(&setup.black.0.to_le_bytes());
                out.extend_from_slice(&setup.white.0.to_le_bytes());
                out.push(u8::from(setup.side_to_move == Color::White));
            }
        }
    }
}

impl Reader<'_> {
    pub(super) fn settings(&mut self) -> Result<Settings, UnreadableValue> {
        let [flags, start] = self.array()?;
        let is_set = |bit: u8| flags >> bit & 1 == 1;
        let rules = RuleSet {
            objective: if is_set(0) {
                Objective::FewestDiscs
            } else {
                Objective::MostDiscs
            },
            pass_mode: if is_set(1) {
                PassMode::Explicit
            } else {
                PassMode::Automatic
            },
            scoring: match flags >> 4 & 3 {
                0 => Scoring::Discs,
                1 => Scoring::EmptiesToMajority,
                2 => Scoring::EmptiesToMajorityTiesSplit,
                _ => return Err(UnreadableValue::Malformed),
            },
            start: match start {
                0 => Start::Standard,
                1 => Start::Mirrored,
                2 => Start::ParallelWhiteAbove,
                3 => Start::ParallelBlackAbove,
                4 => Start::Free,
                5 => Start::Custom(self.setup()?),
                6 => Start::Balanced(self.balanced()?),
                _ => return Err(UnreadableValue::Malformed),
            },
        };
        if is_set(7) {
            return Err(UnreadableValue::Malformed);
        }
        Ok(Settings {
            rules,
            legal_moves: if is_set(2) {
                LegalMovesDisplay::Hidden
            } else {
                LegalMovesDisplay::Shown
            },
            has_creation: is_set(3),
            has_extras: is_set(6),
        })
    }

    fn balanced(&mut self) -> Result<BalancedStart, UnreadableValue> {
        let mut moves = [Square::A1; BalancedStart::PLIES];
        for (square, index) in moves
            .iter_mut()
            .zip(self.array::<{ BalancedStart::PLIES }>()?)
        {
            *square = Square::new(index).ok_or(UnreadableValue::Malformed)?;
        }
        let list_version = self.small()?;
        BalancedStart::new(moves, list_version).ok_or(UnreadableValue::ImpossibleEvents)
    }

    fn setup(&mut self) -> Result<Setup, UnreadableValue> {
        Ok(Setup {
            black: Bitboard(u64::from_le_bytes(self.array()?)),
            white: Bitboard(u64::from_le_bytes(self.array()?)),
            side_to_move: match self.byte()? {
                0 => Color::Black,
                1 => Color::White,
                _ => return Err(UnreadableValue::Malformed),
            },
        })
    }
}
