//! Large tables that take no memory before they are used.
#![allow(
    unsafe_code,
    reason = "zeros that the system hands out need not be written again"
)]

use std::sync::atomic::AtomicU64;

/// A line of the caches: four pairs of words.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct CacheLine {
    pub(crate) pairs: [[AtomicU64; 2]; 4],
}

/// So many lines of zeros. Where the system hands out memory page by page, each page is taken when
/// something is first written to it.
pub(crate) fn zeroed(lines: usize) -> Box<[CacheLine]> {
    let lines = Box::<[CacheLine]>::new_zeroed_slice(lines);
    // SAFETY: a line is made of atomic integers, for which zero bytes are a value.
    unsafe { lines.assume_init() }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    #[test]
    fn lines_are_zeros_where_the_caches_have_theirs() {
        let lines = zeroed(1000);
        let words = lines.iter().flat_map(|line| line.pairs.as_flattened());
        assert!(words.clone().all(|word| word.load(Relaxed) == 0));
        assert_eq!(words.count(), 8000);
        assert_eq!(size_of::<CacheLine>(), 64);
        assert!(lines.as_ptr().addr().is_multiple_of(64));
    }
}
