//! Numbers without a pattern that follow from a seed: the same on every machine and in every
//! version.

/// SplitMix64 (Steele, Lea and Flood, 2014). Any seed will do. Not for secrets.
///
/// ```
/// use reversi_engine::Random;
///
/// let mut random = Random::new(7);
/// assert!(random.below(6) < 6);
/// assert_eq!(Random::new(7).below(6), Random::new(7).below(6));
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    #[inline]
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`, all nearly equally likely; 0 if `limit` is 0.
    #[inline]
    pub const fn below(&mut self, limit: u32) -> u32 {
        // The high half of a product of two 32-bit numbers (Lemire, 2019).
        (((self.bits() >> 32) * limit as u64) >> 32) as u32
    }

    /// A number of at least 0 and less than 1.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        // 53 bits are what an `f64` holds.
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // The first outputs for seed 1234567, as in the generator's test vectors.
        let mut random = Random::new(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn numbers_stay_below_their_limit_and_reach_all_of_it() {
        let mut random = Random::new(1);
        let mut seen = [false; 5];
        for _ in 0..1000 {
            seen[random.below(5) as usize] = true;
            assert!((0.0..1.0).contains(&random.unit()));
        }
        assert_eq!(seen, [true; 5]);
        assert_eq!(random.below(0), 0);
    }
}
