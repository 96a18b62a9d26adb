//! Plain 64-bit arithmetic, for every machine.

use crate::square::Square;

/// Files b–g: the discs that a line along a rank or a diagonal can turn. A disc on an edge file
/// has no square behind it in those directions, and leaving the edge files out keeps the shifts
/// from wrapping into the next rank.
const INNER_FILES: u64 = 0x7E7E_7E7E_7E7E_7E7E;

/// The empty squares where `player` turns at least one disc.
///
/// Parallel-prefix fill (Kogge and Stone, 1973): each direction grows runs of the opponent's discs
/// that touch a disc of the player by 1, 2, 4 and 6 squares, and steps once more onto the square
/// behind.
#[inline]
pub(crate) const fn legal_moves(player: u64, opponent: u64) -> u64 {
    let inner = opponent & INNER_FILES;
    (behind_runs(player, inner, 1)
        | behind_runs(player, opponent, 8)
        | behind_runs(player, inner, 7)
        | behind_runs(player, inner, 9))
        & !(player | opponent)
}

/// The squares behind runs of `turnable` discs that touch `player`, along one line both ways.
#[inline]
const fn behind_runs(player: u64, turnable: u64, step: u32) -> u64 {
    let mut up = turnable & (player << step);
    let mut down = turnable & (player >> step);
    up |= turnable & (up << step);
    down |= turnable & (down >> step);
    let pairs_up = turnable & (turnable << step);
    let pairs_down = pairs_up >> step;
    up |= pairs_up & (up << (2 * step));
    down |= pairs_down & (down >> (2 * step));
    up |= pairs_up & (up << (2 * step));
    down |= pairs_down & (down >> (2 * step));
    (up << step) | (down >> step)
}

/// The squares seen from one square: four rays towards h8, four towards a1, without the square.
struct Rays {
    up: [u64; 4],
    down: [u64; 4],
}

/// The rays of every square: 4 KiB, computed by the compiler.
static RAYS: [Rays; 64] = all_rays();

/// The discs that a move on `square` turns.
///
/// Upward rays: adding one to the word in which everything off the ray and every opponent's disc
/// is set carries to the first other square of the ray. Downward rays: that square is the highest
/// one left. If it holds a disc of the player, everything between is turned. No branches.
#[inline]
pub(crate) const fn flips(player: u64, opponent: u64, square: Square) -> u64 {
    let rays = &RAYS[(square.index() & 63) as usize];
    up(player, opponent, rays.up[0])
        | up(player, opponent, rays.up[1])
        | up(player, opponent, rays.up[2])
        | up(player, opponent, rays.up[3])
        | down(player, opponent, rays.down[0])
        | down(player, opponent, rays.down[1])
        | down(player, opponent, rays.down[2])
        | down(player, opponent, rays.down[3])
}

/// The flips of two moves.
#[inline]
pub(super) const fn flips_of_two(player: u64, opponent: u64, squares: [Square; 2]) -> [u64; 2] {
    let [one, other] = squares;
    [flips(player, opponent, one), flips(player, opponent, other)]
}

#[inline]
const fn up(player: u64, opponent: u64, ray: u64) -> u64 {
    let end = (opponent | !ray).wrapping_add(1) & player & ray;
    end.wrapping_sub((end != 0) as u64) & ray
}

#[inline]
const fn down(player: u64, opponent: u64, ray: u64) -> u64 {
    // With no square left `| 1` answers a1, which is then off the ray or the opponent's.
    let end = (1 << 63) >> ((ray & !opponent) | 1).leading_zeros() & player & ray;
    (end << 1).wrapping_neg() & ray
}

const fn all_rays() -> [Rays; 64] {
    const NONE: Rays = Rays {
        up: [0; 4],
        down: [0; 4],
    };
    let mut rays = [NONE; 64];
    let mut index = 0;
    while index < 64 {
        rays[index as usize] = Rays {
            up: [
                ray(index, 1, 0),
                ray(index, -1, 1),
                ray(index, 0, 1),
                ray(index, 1, 1),
            ],
            down: [
                ray(index, -1, 0),
                ray(index, 1, -1),
                ray(index, 0, -1),
                ray(index, -1, -1),
            ],
        };
        index += 1;
    }
    rays
}

pub(super) const fn ray(from: u8, file_step: i8, rank_step: i8) -> u64 {
    let mut bits = 0;
    // A step below 0 wraps to 255, which is off the board like 8.
    let mut file = (from % 8).wrapping_add_signed(file_step);
    let mut rank = (from / 8).wrapping_add_signed(rank_step);
    while file < 8 && rank < 8 {
        bits |= 1 << (rank * 8 + file);
        file = file.wrapping_add_signed(file_step);
        rank = rank.wrapping_add_signed(rank_step);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_legal_exactly_where_it_turns_a_disc() {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut word = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for _ in 0..2000 {
            let (occupied, colour) = (word() | word(), word());
            let (player, opponent) = (occupied & colour, occupied & !colour);
            let moves = legal_moves(player, opponent);
            for square in Square::all().filter(|square| occupied & square.bit() == 0) {
                let turned = flips(player, opponent, square);
                assert_eq!(turned & !opponent, 0);
                assert_eq!(moves & square.bit() != 0, turned != 0, "{square}");
            }
        }
    }

    #[test]
    fn lines_do_not_wrap_over_the_edge() {
        // h1 is the opponent's and a2 the player's: neighbours in the word, not on the board.
        let (player, opponent) = (Square::A2.bit(), Square::H1.bit());
        assert_eq!(legal_moves(player, opponent), 0);
        assert_eq!(flips(player, opponent, Square::G1), 0);
    }
}
