//! Ids as members of an index: 13 bytes instead of 20, in the same order.

use crate::session::GameId;

/// The characters of ids in the order of their bytes, which is that of ids.
const DIGITS: &[u8; 32] = b"234567abcdefghijklmnopqrstuvwxyz";
/// The bits of an id.
const BITS: usize = 100;
/// The bytes of a member: 20 digits of five bits, and four bits that are zero.
pub(super) const BYTES: usize = 13;

/// The member that stands for an id.
pub(super) fn of(id: GameId) -> [u8; BYTES] {
    let digit = |character: u8| match character {
        b'a'..=b'z' => character - b'a' + 6,
        _ => character - b'2',
    };
    let number = id.as_str().bytes().fold(0, |number, character| {
        (number << 5) | u128::from(digit(character))
    });
    let bytes = (number << (8 * BYTES - BITS)).to_be_bytes();
    let mut member = [0; BYTES];
    member.copy_from_slice(&bytes[bytes.len() - BYTES..]);
    member
}

/// The id that a member stands for.
pub(super) fn id(member: &[u8]) -> Option<GameId> {
    let member: [u8; BYTES] = member.try_into().ok()?;
    let number = member
        .iter()
        .fold(0, |number, byte| (number << 8) | u128::from(*byte));
    let number = number >> (8 * BYTES - BITS);
    let text: Vec<u8> = (0..BITS / 5)
        .rev()
        .map(|place| DIGITS[usize::try_from((number >> (5 * place)) & 31).unwrap_or_default()])
        .collect();
    std::str::from_utf8(&text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_in_the_order_of_ids() {
        let mut ids: Vec<GameId> = (0..1000u128)
            .map(|number| {
                GameId::from_bits(number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
            })
            .collect();
        ids.sort_unstable();
        assert!(ids.is_sorted_by(|a, b| of(*a) < of(*b)));
        for there in ids {
            assert_eq!(id(&of(there)), Some(there));
        }
    }

    /// A running system depends on it.
    #[test]
    fn members_stay_what_they_are() {
        assert_eq!(of("2222222222222222222z".parse().unwrap())[11..], [1, 0xf0]);
        assert_eq!(
            of("z7222222222222222222".parse().unwrap())[..2],
            [0xf9, 0x40]
        );
        assert_eq!(id(b"stranger"), None);
    }
}
