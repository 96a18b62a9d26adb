//! The two operations that everything else is made of: which squares a side may play, and which
//! discs a move turns. Works on bare words (bit 0 = a1) from the mover's view, and knows nothing of
//! colours, passes or the end of a game.
//!
//! There is an implementation, a [`Kernel`], for each kind of processor. The functions here use the
//! best one that this machine has; [`bulk`](crate::bulk) has those for many positions at a time.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod batch;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little")
))]
mod bytes;
mod each_move;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little")
))]
mod entry;
#[allow(dead_code, reason = "the search does not call all of it yet")]
pub(crate) mod isa;
mod last;
mod mark;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod plies;
pub(crate) mod portable;
mod prefetch;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little")
))]
mod ranks;
mod word;
mod zeroed;

pub(crate) use mark::Marked;
pub(crate) use plies::Boards;
pub(crate) use prefetch::prefetch;
pub(crate) use zeroed::{CacheLine, zeroed};

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::square::Square;

/// Calls a function of the kernel, or does what stands for the portable one.
macro_rules! dispatch {
    ($kernel:expr, $name:ident($($argument:expr),* $(,)?), $portable:expr) => {
        match $kernel.0 {
            Backend::Portable => $portable,
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            // SAFETY: a `Kernel` exists only where the processor can run it; the arrays are slices
            // of the lengths that are given.
            Backend::Avx2 => unsafe { $crate::kernel::avx2::$name($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            // SAFETY: as above.
            Backend::Avx512 => unsafe { $crate::kernel::avx512::$name($($argument),*) },
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            #[allow(unsafe_code)]
            // SAFETY: as above.
            Backend::Neon => unsafe { $crate::kernel::neon::$name($($argument),*) },
        }
    };
}
use dispatch;

/// The name of the implementation in use on this machine.
#[must_use]
pub fn name() -> &'static str {
    Kernel::best().name()
}

/// The empty squares where `player` would turn at least one disc of `opponent`.
///
/// The two sets must not overlap; if they do, the answer means nothing.
///
/// ```
/// use reversi_engine::kernel;
///
/// let (black, white) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
/// assert_eq!(kernel::legal_moves(black, white), 0x0000_1020_0408_0000);
/// ```
#[inline]
#[must_use]
pub fn legal_moves(player: u64, opponent: u64) -> u64 {
    Kernel::best().legal_moves(player, opponent)
}

/// The discs of `opponent` that `player` turns by playing on `square`; 0 if it turns none.
///
/// The two sets must not overlap and the square must be empty; otherwise the answer means nothing.
///
/// ```
/// use reversi_engine::{Square, kernel};
///
/// let (black, white) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
/// assert_eq!(kernel::flips(black, white, Square::D3), Square::D4.bit());
/// assert_eq!(kernel::flips(black, white, Square::A1), 0);
/// ```
#[inline]
#[must_use]
pub fn flips(player: u64, opponent: u64, square: Square) -> u64 {
    Kernel::best().flips(player, opponent, square)
}

/// An implementation that this machine can run.
///
/// ```
/// use reversi_engine::kernel::Kernel;
///
/// let names: Vec<_> = Kernel::available().map(Kernel::name).collect();
/// assert_eq!(names[0], "portable");
/// assert_eq!(names.last(), Some(&Kernel::best().name()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Kernel(Backend);

/// A kernel that has not been shown to run here. From slow to fast.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Backend {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    Neon,
}

impl Backend {
    const ALL: &[Self] = &[
        Self::Portable,
        #[cfg(target_arch = "x86_64")]
        Self::Avx2,
        // On Zen 5 half as fast again as AVX2 in most of what the bench of the kernels times.
        #[cfg(target_arch = "x86_64")]
        Self::Avx512,
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        Self::Neon,
    ];

    /// Whether the processor has the instructions.
    fn runs_here(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                // Every processor with AVX2 that is made has the others, too.
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.runs_here()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512cd")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
        }
    }
}

/// The number of the best kernel in [`Backend::ALL`], once it is known.
static BEST: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = u8::MAX;

impl Kernel {
    /// The one for every machine: plain 64-bit arithmetic.
    pub const PORTABLE: Self = Self(Backend::Portable);

    /// The fastest one. The processor is asked once; from then on this is a load.
    #[inline]
    #[must_use]
    pub fn best() -> Self {
        match Backend::ALL.get(usize::from(BEST.load(Ordering::Relaxed))) {
            Some(backend) => Self(*backend),
            None => Self::find_best(),
        }
    }

    #[cold]
    fn find_best() -> Self {
        let found = (0..)
            .zip(Backend::ALL)
            .filter(|(_, backend)| backend.runs_here())
            .last();
        let (number, backend) = found.unwrap_or((0, &Backend::Portable));
        BEST.store(number, Ordering::Relaxed);
        Self(*backend)
    }

    /// All that this machine can run, from slow to fast.
    pub fn available() -> impl Iterator<Item = Self> {
        let backends = Backend::ALL.iter().copied();
        backends.filter(|backend| backend.runs_here()).map(Self)
    }

    /// The name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            Backend::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => "avx512",
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Backend::Neon => "neon",
        }
    }

    /// As [`legal_moves`], with this kernel.
    #[inline]
    #[must_use]
    pub fn legal_moves(self, player: u64, opponent: u64) -> u64 {
        dispatch!(
            self,
            legal_moves_of_one(player, opponent),
            portable::legal_moves(player, opponent)
        )
    }

    /// As [`flips`], with this kernel.
    #[inline]
    #[must_use]
    pub fn flips(self, player: u64, opponent: u64, square: Square) -> u64 {
        dispatch!(
            self,
            flips_of_one(player, opponent, square),
            portable::flips(player, opponent, square)
        )
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({})", self.name())
    }
}
