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
//!     let body = #[inline(always)]
//!     |isa, board, depth| count_body(isa, board, depth);
//!     isa.call2(body, board, depth)
//! }
//!
//! #[inline(always)]
//! fn count_body<I: Isa>(isa: I, board: Board, depth: u32) -> u64 {
//!     // isa.legal_moves(…), isa.flips(…), count(isa, …)
//! }
//! ```

use super::{Backend, Kernel, portable};
use crate::square::Square;

/// Declares the ways to call with so many arguments.
macro_rules! declare_calls {
    ($($name:ident($($argument:ident: $type:ident),*);)*) => {$(
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
    )*};
}

/// A set of instructions that this machine has. Values have no size.
pub(crate) trait Isa: Copy + Send + Sync + 'static {
    /// As [`Kernel::legal_moves`].
    fn legal_moves(self, player: u64, opponent: u64) -> u64;

    /// As [`Kernel::flips`].
    fn flips(self, player: u64, opponent: u64, square: Square) -> u64;

    declare_calls! {
        call1(a: A);
        call2(a: A, b: B);
        call3(a: A, b: B, c: C);
        call4(a: A, b: B, c: C, d: D);
        call5(a: A, b: B, c: C, d: D, e: E);
    }
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
            Backend::Portable => visitor.visit(Portable),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 | Backend::Avx512 => visitor.visit(x86::Avx2::of_detected_kernel()),
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Backend::Neon => visitor.visit(Portable),
        }
    }
}

/// What the compiler takes for granted on this architecture. The best there is where one position
/// at a time is left to the portable kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

/// Defines the ways to call for [`Portable`].
macro_rules! portable_calls {
    ($($name:ident($($argument:ident: $type:ident),*);)*) => {$(
        #[inline(always)]
        fn $name<$($type,)* R>(
            self,
            body: impl Fn(Self, $($type),*) -> R,
            $($argument: $type),*
        ) -> R {
            fn compiled<$($type,)* R>(
                body: impl Fn(Portable, $($type),*) -> R,
                $($argument: $type),*
            ) -> R {
                body(Portable, $($argument),*)
            }
            compiled(body, $($argument),*)
        }
    )*};
}

impl Isa for Portable {
    #[inline(always)]
    fn legal_moves(self, player: u64, opponent: u64) -> u64 {
        portable::legal_moves(player, opponent)
    }

    #[inline(always)]
    fn flips(self, player: u64, opponent: u64, square: Square) -> u64 {
        portable::flips(player, opponent, square)
    }

    portable_calls! {
        call1(a: A);
        call2(a: A, b: B);
        call3(a: A, b: B, c: C);
        call4(a: A, b: B, c: C, d: D);
        call5(a: A, b: B, c: C, d: D, e: E);
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![allow(unsafe_code, reason = "calls functions that need these instructions")]

    use super::Isa;
    use crate::kernel::avx2;
    use crate::square::Square;

    /// AVX2 and what every processor with AVX2 has. A value shows that they are there.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Avx2(());

    impl Avx2 {
        /// Only for kernels that exist where the processor has AVX2.
        pub(super) const fn of_detected_kernel() -> Self {
            Self(())
        }
    }

    /// Defines the ways to call for [`Avx2`].
    macro_rules! avx2_calls {
        ($($name:ident($($argument:ident: $type:ident),*);)*) => {$(
            #[inline(always)]
            fn $name<$($type,)* R>(
                self,
                body: impl Fn(Self, $($type),*) -> R,
                $($argument: $type),*
            ) -> R {
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn compiled<$($type,)* R>(
                    isa: Avx2,
                    body: impl Fn(Avx2, $($type),*) -> R,
                    $($argument: $type),*
                ) -> R {
                    body(isa, $($argument),*)
                }
                // SAFETY: the value shows that the processor has the features.
                unsafe { compiled(self, body, $($argument),*) }
            }
        )*};
    }

    impl Isa for Avx2 {
        #[inline(always)]
        fn legal_moves(self, player: u64, opponent: u64) -> u64 {
            // SAFETY: the value shows that the processor has AVX2.
            unsafe { avx2::legal_moves_of_one(player, opponent) }
        }

        #[inline(always)]
        fn flips(self, player: u64, opponent: u64, square: Square) -> u64 {
            // SAFETY: the value shows that the processor has AVX2.
            unsafe { avx2::flips_of_one(player, opponent, square) }
        }

        avx2_calls! {
            call1(a: A);
            call2(a: A, b: B);
            call3(a: A, b: B, c: C);
            call4(a: A, b: B, c: C, d: D);
            call5(a: A, b: B, c: C, d: D, e: E);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    /// Counts the leaves of a board, a pass being free.
    fn leaves<I: Isa>(isa: I, board: Board, depth: u32) -> u64 {
        let body = #[inline(always)]
        |isa, board, depth| leaves_body(isa, board, depth);
        isa.call2(body, board, depth)
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
