//! Sets of instructions that whole functions are compiled for.
//!
//! Asking a [`Kernel`] costs a branch and a call for every operation, and the code around is
//! compiled for the oldest processor. A search is therefore written once, generic over an [`Isa`],
//! and its functions call each other through [`Isa::call3`] and its kin, so that each is compiled
//! with the instructions of the token and the operations are inlined. [`Kernel::with_isa`] is the
//! way in.
//!
//! A function is two: a body that is always inlined, and what callers call.
//!
//! ```ignore
//! fn count<I: Isa>(isa: I, board: Board, depth: u32) -> u64 {
//!     isa.call2(
//!         #[inline(always)]
//!         |isa, board, depth| count_body(isa, board, depth),
//!         board,
//!         depth,
//!     )
//! }
//!
//! #[inline(always)]
//! fn count_body<I: Isa>(isa: I, board: Board, depth: u32) -> u64 {
//!     // isa.legal_moves(…), isa.flips(…), count(isa, …)
//! }
//! ```
#![allow(unsafe_code, reason = "calls functions that need these instructions")]

pub(crate) use super::last::LastFlips;
use super::{Backend, Kernel, last, portable};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::square::Square;

/// Expands a macro for each way to call, after what else it takes.
macro_rules! for_each_call {
    ($macro:ident! $($first:tt)*) => {
        $macro!($($first)* call1(a: A));
        $macro!($($first)* call2(a: A, b: B));
        $macro!($($first)* call3(a: A, b: B, c: C));
        $macro!($($first)* call4(a: A, b: B, c: C, d: D));
        $macro!($($first)* call5(a: A, b: B, c: C, d: D, e: E));
    };
}

/// Declares a way to call.
macro_rules! declare_call {
    ($name:ident($($argument:ident: $type:ident),*)) => {
        /// Calls a body as a function of its own that is compiled for the instructions. The
        /// arguments travel in registers as far as they would in any call.
        ///
        /// The body must be a closure that is `#[inline(always)]` and captures nothing. Handed over
        /// by name, a function would be called by a piece of code in between that need not be
        /// inlined.
        fn $name<$($type,)* R>(
            self,
            body: impl Fn(Self, $($type),*) -> R,
            $($argument: $type),*
        ) -> R;
    };
}

/// A set of instructions that this machine has. Values have no size.
pub(crate) trait Isa: Copy + Send + Sync + 'static {
    /// As [`Kernel::legal_moves`].
    fn legal_moves(self, player: u64, opponent: u64) -> u64;

    /// As [`Kernel::flips`].
    fn flips(self, player: u64, opponent: u64, square: Square) -> u64;

    /// The flips of two moves.
    fn flips_of_two(self, player: u64, opponent: u64, squares: [Square; 2]) -> [u64; 2];

    /// What the two sides would turn on the only square that is left empty.
    fn last_flips(self, player: u64, square: Square) -> LastFlips;

    for_each_call!(declare_call!);
}

/// What is to be done with the best instructions of a [`Kernel`].
pub(crate) trait IsaVisitor {
    /// What comes out.
    type Output;

    /// Does it.
    fn visit<I: Isa>(self, isa: I) -> Self::Output;
}

impl Kernel {
    /// Does something with the instructions of this kernel.
    #[inline]
    pub(crate) fn with_isa<V: IsaVisitor>(self, visitor: V) -> V::Output {
        match self.0 {
            Backend::Portable => visitor.visit(Portable(())),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 => visitor.visit(Avx2(())),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => visitor.visit(Avx512(())),
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Backend::Neon => visitor.visit(Portable(())),
        }
    }
}

/// Defines a way to call for a token.
macro_rules! define_call {
    (
        $(#[$compiled_for:meta])* $token:ident
        $name:ident($($argument:ident: $type:ident),*)
    ) => {
        #[inline(always)]
        fn $name<$($type,)* R>(
            self,
            body: impl Fn(Self, $($type),*) -> R,
            $($argument: $type),*
        ) -> R {
            $(#[$compiled_for])*
            fn compiled<$($type,)* R>(
                isa: $token,
                body: impl Fn($token, $($type),*) -> R,
                $($argument: $type),*
            ) -> R {
                body(isa, $($argument),*)
            }
            // SAFETY: the value shows that the processor has the instructions.
            unsafe { compiled(self, body, $($argument),*) }
        }
    };
}

/// Defines a token for the instructions of a kernel. A value shows that the processor has them: it
/// is made of a [`Kernel`] only.
macro_rules! token {
    (
        $(#[$doc:meta])* $token:ident,
        $kernel:ident::{$legal_moves:ident, $flips:ident, $flips_of_two:ident},
        $last:ident::$last_flips:ident,
        $(#[$compiled_for:meta])*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $token(());

        #[allow(unused_unsafe, reason = "the portable kernel is safe")]
        impl Isa for $token {
            #[inline(always)]
            fn legal_moves(self, player: u64, opponent: u64) -> u64 {
                // SAFETY: the value shows that the processor has the instructions.
                unsafe { $kernel::$legal_moves(player, opponent) }
            }

            #[inline(always)]
            fn flips(self, player: u64, opponent: u64, square: Square) -> u64 {
                // SAFETY: the value shows that the processor has the instructions.
                unsafe { $kernel::$flips(player, opponent, square) }
            }

            #[inline(always)]
            fn flips_of_two(self, player: u64, opponent: u64, squares: [Square; 2]) -> [u64; 2] {
                // SAFETY: the value shows that the processor has the instructions.
                unsafe { $kernel::$flips_of_two(player, opponent, squares) }
            }

            #[inline(always)]
            fn last_flips(self, player: u64, square: Square) -> LastFlips {
                // SAFETY: the value shows that the processor has the instructions.
                unsafe { $last::$last_flips(player, square) }
            }

            for_each_call!(define_call! $(#[$compiled_for])* $token);
        }
    };
}

token! {
    /// What the compiler takes for granted on this architecture. The best there is where one
    /// position at a time is left to the portable kernel.
    Portable,
    portable::{legal_moves, flips, flips_of_two},
    last::by_products,
}

#[cfg(target_arch = "x86_64")]
token! {
    /// AVX2 and what every processor with AVX2 has.
    Avx2,
    avx2::{legal_moves_of_one, flips_of_one, flips_of_two},
    last::by_products,
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
}

#[cfg(target_arch = "x86_64")]
token! {
    /// The parts of AVX-512 that all servers with it have.
    Avx512,
    avx512::{legal_moves_of_one, flips_of_one, flips_of_two},
    last::by_extraction,
    #[target_feature(
        enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt"
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    /// Counts the leaves of a board, a pass being free.
    fn leaves<I: Isa>(isa: I, board: Board, depth: u32) -> u64 {
        isa.call2(
            #[inline(always)]
            |isa, board, depth| leaves_body(isa, board, depth),
            board,
            depth,
        )
    }

    #[inline(always)]
    fn leaves_body<I: Isa>(isa: I, board: Board, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let moves = isa.legal_moves(board.player.0, board.opponent.0);
        crate::Bitboard(moves)
            .iter()
            .map(|square| {
                let flips = isa.flips(board.player.0, board.opponent.0, square);
                leaves(isa, board.play_unchecked(square, flips.into()), depth - 1)
            })
            .sum()
    }

    struct Leaves(u32);

    impl IsaVisitor for Leaves {
        type Output = u64;

        fn visit<I: Isa>(self, isa: I) -> u64 {
            assert_eq!(size_of::<I>(), 0);
            leaves(isa, Board::STANDARD, self.0)
        }
    }

    #[test]
    fn every_kernel_has_instructions_that_count_the_same_leaves() {
        for kernel in Kernel::available() {
            assert_eq!(kernel.with_isa(Leaves(8)), 390_216, "{kernel:?}");
        }
    }
}
