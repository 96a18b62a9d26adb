//! Memory asked for before it is needed.
#![allow(
    unsafe_code,
    reason = "the instruction takes an address; it reads nothing that a program can see"
)]

/// Starts to bring an element into the caches; an index outside the slice does nothing.
#[inline]
pub(crate) fn prefetch<T>(slice: &[T], index: usize) {
    let Some(element) = slice.get(index) else {
        return;
    };
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction, and it faults nowhere.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>((&raw const *element).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = element;
}
