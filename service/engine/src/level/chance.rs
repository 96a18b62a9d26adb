//! How likely each move is, given what it loses.
//!
//! The chance of a move is proportional to exp(-λ·loss). The larger λ, the more of it goes to the
//! best moves, so the expected loss falls with λ and the λ for a given loss is found by bisection.
//! Where even chances lose less than what is to be lost, λ is below zero: worse moves are then
//! likelier than better ones.

/// λ is looked for between minus and plus this: beyond, a move that loses a tenth of a disc less
/// has practically all of the chance.
const STEEPEST: f64 = 100.0;
/// Halvings of that range: down to the last bits of λ that make a difference.
const STEPS: u32 = 50;

/// The chance of each move so that the expected loss is `budget`, or as near to it as the losses
/// allow. They add up to 1. Without moves there are no chances.
pub(super) fn chances(losses: &[f64], budget: f64) -> Vec<f64> {
    let (mut low, mut high) = (-STEEPEST, STEEPEST);
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if expected(losses, &at(losses, middle)) > budget {
            low = middle;
        } else {
            high = middle;
        }
    }
    at(losses, high)
}

/// The move on which a number of at least 0 and less than 1 falls.
pub(super) fn pick(chances: &[f64], lot: f64) -> usize {
    let mut left = lot;
    for (index, chance) in chances.iter().enumerate() {
        left -= chance;
        if left < 0.0 {
            return index;
        }
    }
    // What rounding leaves over goes to the first, which is the best.
    0
}

/// The loss to expect.
fn expected(losses: &[f64], chances: &[f64]) -> f64 {
    losses.iter().zip(chances).map(|(loss, p)| loss * p).sum()
}

/// The chance of each move at this λ.
fn at(losses: &[f64], lambda: f64) -> Vec<f64> {
    let exponents = losses.iter().map(|loss| -lambda * loss);
    // Only differences matter: without the largest nothing can overflow.
    let largest = exponents.clone().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = exponents.map(|e| (e - largest).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_what_is_lost_on_average() {
        let losses = [0.0, 0.5, 3.0, 11.0];
        for budget in [0.1, 1.0, 3.625, 6.0, 10.0] {
            let chances = chances(&losses, budget);
            assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let lost = expected(&losses, &chances);
            assert!((lost - budget).abs() < 1e-6, "{budget}: {lost}");
        }
    }

    #[test]
    fn a_larger_loss_is_less_likely_while_the_budget_is_small() {
        let chances = chances(&[0.0, 1.0, 2.0, 8.0], 1.0);
        assert!(chances.is_sorted_by(|a, b| a > b), "{chances:?}");
    }

    #[test]
    fn what_cannot_be_lost_is_not_lost() {
        assert_eq!(chances(&[], 1.0), []);
        assert_eq!(chances(&[0.0], 5.0), [1.0]);
        let most = chances(&[0.0, 2.0], 5.0);
        assert!(most[1] > 0.999, "{most:?}");
        let none = chances(&[0.0, 2.0], 0.0);
        assert!(none[0] > 0.999, "{none:?}");
        assert_eq!(chances(&[0.0, 0.0], 1.0), [0.5, 0.5]);
    }

    #[test]
    fn a_lot_falls_on_every_move_in_proportion() {
        let chances = [0.5, 0.0, 0.3, 0.2];
        let picked = [0.0, 0.49, 0.51, 0.79, 0.81, 0.999].map(|lot| pick(&chances, lot));
        assert_eq!(picked, [0, 0, 2, 2, 3, 3]);
        assert_eq!(pick(&[0.3, 0.3], 0.9), 0);
    }
}
