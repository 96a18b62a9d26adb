//! A set of squares as it lies in memory.

/// Eight bytes that hold a set of squares, bit 0 = a1.
pub(crate) trait Word: Copy {
    /// The set.
    fn get(self) -> u64;

    /// The word for a set.
    fn of(set: u64) -> Self;
}

impl Word for u64 {
    #[inline]
    fn get(self) -> u64 {
        self
    }

    #[inline]
    fn of(set: u64) -> Self {
        set
    }
}

/// In little-endian order, at any alignment.
impl Word for [u8; 8] {
    #[inline]
    fn get(self) -> u64 {
        u64::from_le_bytes(self)
    }

    #[inline]
    fn of(set: u64) -> Self {
        set.to_le_bytes()
    }
}
