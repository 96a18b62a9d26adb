//! A beginner: turns as many discs as possible, or as few where the fewest win.

use reversi_engine::{Game, Move, Objective, Random};

use super::player::{Choice, Fault, Player};

/// Looks one disc ahead at the number of discs; draws lots among equals.
#[derive(Debug)]
pub(crate) struct Greedy {
    objective: Objective,
    random: Random,
}

impl Greedy {
    pub(crate) const fn new(objective: Objective) -> Self {
        Self {
            objective,
            random: Random::new(0),
        }
    }
}

impl Player for Greedy {
    fn begin(&mut self, _game: &Game, seed: u64) -> Result<(), Fault> {
        self.random = Random::new(seed);
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Choice, Fault> {
        let position = game.position();
        let turned = |square| {
            let count = i64::from(position.flips(square).count());
            match self.objective {
                Objective::MostDiscs => count,
                Objective::FewestDiscs => -count,
            }
        };
        let scored: Vec<_> = position
            .legal_moves()
            .iter()
            .map(|to| (turned(to), to))
            .collect();
        let most = scored.iter().map(|&(score, _)| score).max();
        let best = scored.iter().filter(|&&(score, _)| Some(score) == most);
        let count = u32::try_from(best.clone().count()).unwrap_or_default();
        let drawn = self.random.below(count) as usize;
        let mv = best.map(|&(_, to)| Move::Place(to)).nth(drawn);
        Ok(Choice {
            mv: mv.unwrap_or(Move::Pass),
            nodes: scored.len() as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use reversi_engine::RuleSet;
    use reversi_engine::notation::{Syntax, replay};

    use super::*;

    #[test]
    fn turns_the_most_or_the_fewest() {
        let game = Game::new(RuleSet::default()).unwrap();
        let game = replay(game, "f5d6c3d3c4f4", Syntax::Strict).unwrap();
        let flips = |objective| {
            let mut player = Greedy::new(objective);
            player.begin(&game, 7).unwrap();
            let square = player.choose(&game).unwrap().mv.square().unwrap();
            game.position().flips(square).count()
        };
        let all = game.legal_moves().iter();
        let counts: Vec<u32> = all.map(|to| game.position().flips(to).count()).collect();
        assert_eq!(
            Some(flips(Objective::MostDiscs)),
            counts.iter().copied().max()
        );
        assert_eq!(
            Some(flips(Objective::FewestDiscs)),
            counts.iter().copied().min()
        );
    }
}
