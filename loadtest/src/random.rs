//! Numbers that look random and are the same for the same seed.

/// SplitMix64 (Steele, Lea, Flood 2014): any seed will do.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of this seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The numbers of one of many parts that share a seed.
    pub(crate) fn for_part(seed: u64, part: u64) -> Self {
        let mut random = Self(seed ^ part.wrapping_mul(0xd1b5_4a32_d192_ed03));
        random.next();
        random
    }

    /// The next 64 bits.
    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`, which must not be zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        // The upper half of the product: even to 2^-64 per value (Lemire 2019).
        let product = u128::from(self.next()) * bound as u128;
        usize::try_from(product >> 64).expect("invariant: below the bound")
    }

    /// A number from 0 on and below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        // The 53 bits that a double holds exactly.
        #[allow(clippy::cast_precision_loss)]
        let bits = (self.next() >> 11) as f64;
        bits / 9_007_199_254_740_992.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            [random.next(), random.next()]
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
    }

    #[test]
    fn numbers_are_spread_evenly() {
        let mut random = Random::new(1);
        let mut counts = [0_u32; 10];
        for _ in 0..100_000 {
            counts[random.below(10)] += 1;
        }
        assert!(
            counts.iter().all(|count| (9_500..10_500).contains(count)),
            "{counts:?}"
        );
        let mean = (0..100_000).map(|_| random.unit()).sum::<f64>() / 100_000.0;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
    }
}
