//! The functions of [`ranks`](super::ranks) compiled for some instructions.

/// Defines them for vectors of a type that takes these target features.
macro_rules! entry_points {
    ($bytes:ty, $features:literal) => {
        /// As [`plies::make_canonical`](crate::kernel::plies::make_canonical).
        ///
        /// # Safety
        ///
        /// The processor must have the features.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn make_canonical(boards: &mut $crate::kernel::plies::Boards) {
            $crate::kernel::plies::make_canonical(boards);
        }

        entry_points! {
            $bytes, $features;
            legal_moves(
                positions: $crate::kernel::ranks::Positions,
                count: usize,
                moves: *mut u8,
                overlapping: Option<&mut Vec<usize>>,
            );
            mobility(
                positions: $crate::kernel::ranks::Positions,
                count: usize,
                counts: *mut u8,
            );
            flips(
                marked: $crate::kernel::ranks::Positions,
                count: usize,
                flips: *mut u8,
            );
            boards_after(
                marked: $crate::kernel::ranks::Positions,
                count: usize,
                player: *mut u8,
                opponent: *mut u8,
            );
            expand(
                boards: &$crate::kernel::plies::Boards,
                children: &mut $crate::kernel::plies::Boards,
                parents: &mut Vec<u32>,
                blocked: &mut dyn FnMut(u32),
            );
            count_two_plies(
                boards: &$crate::kernel::plies::Boards,
                leaves: &mut [u32],
                blocked: &mut dyn FnMut(u32),
                blocked_after: &mut dyn FnMut(u64, u64, u32),
            );
        }
    };
    (
        $bytes:ty, $features:literal;
        $($name:ident($($argument:ident: $type:ty,)*) $(-> $result:ty)?;)*
    ) => {
        $(
            /// As the function of this name in [`ranks`](crate::kernel::ranks).
            ///
            /// # Safety
            ///
            /// As there.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn $name($($argument: $type,)*) $(-> $result)? {
                // SAFETY: the caller's promise.
                unsafe { $crate::kernel::ranks::$name::<$bytes>($($argument,)*) }
            }
        )*
    };
}

pub(super) use entry_points;
