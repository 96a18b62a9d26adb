//! What games begin with.

use std::path::{Path, PathBuf};

use reversi_engine::notation::{Syntax, TranscriptError, replay};
use reversi_engine::search::{Engine, Evaluation};
use reversi_engine::{Game, Move, Objective, Random, RuleSet};

/// Where openings come from.
#[derive(Clone, Debug)]
pub(crate) enum Openings {
    /// From a list, in an order that the seed decides.
    Listed(Vec<Game>),
    /// So many discs placed at random.
    Random {
        discs: u32,
        rules: RuleSet,
        /// Drawn again until the engine takes it to be worth at most so many discs to either side,
        /// but not more often than [`EVEN_TRIES`]: then the most even one it is.
        even: Option<u32>,
    },
}

/// How many discs the engine looks ahead to know what an opening is worth: that, and one less.
const EVEN_DEPTH: u32 = 10;
/// How many openings are looked at for an even one.
const EVEN_TRIES: usize = 100;
/// A table of this many bytes, for that.
const EVEN_TABLE_BYTES: usize = 1 << 20;

/// Why a file is no list of openings.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpeningsError {
    #[error("{path}: {source}")]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{path}, line {line}: {source}")]
    Line {
        path: PathBuf,
        line: usize,
        source: TranscriptError,
    },
    #[error("{path}, line {line}: the game is over")]
    Over { path: PathBuf, line: usize },
    #[error("{path}: no openings")]
    None { path: PathBuf },
}

pub(crate) fn rules(objective: Objective) -> RuleSet {
    RuleSet {
        objective,
        ..RuleSet::default()
    }
}

impl Openings {
    /// Reads a transcript a line; what follows a tab, and lines that begin with `#`, is comment.
    pub(crate) fn read(
        path: &Path,
        objective: Objective,
        seed: u64,
    ) -> Result<Self, OpeningsError> {
        let text = std::fs::read_to_string(path).map_err(|source| OpeningsError::Io {
            path: path.to_owned(),
            source,
        })?;
        let mut games = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let moves = line.split('\t').next().unwrap_or_default().trim();
            if moves.is_empty() || moves.starts_with('#') {
                continue;
            }
            let start = Game::from_position(rules(objective), reversi_engine::Position::standard());
            let game =
                replay(start, moves, Syntax::Lenient).map_err(|source| OpeningsError::Line {
                    path: path.to_owned(),
                    line: index + 1,
                    source,
                })?;
            if game.turn().is_over() {
                return Err(OpeningsError::Over {
                    path: path.to_owned(),
                    line: index + 1,
                });
            }
            games.push(game);
        }
        if games.is_empty() {
            return Err(OpeningsError::None {
                path: path.to_owned(),
            });
        }
        shuffle(&mut games, seed);
        Ok(Self::Listed(games))
    }

    /// How many pairs of games begin differently.
    pub(crate) const fn distinct(&self) -> Option<usize> {
        match self {
            Self::Listed(games) => Some(games.len()),
            Self::Random { .. } => None,
        }
    }

    /// The opening of a pair of games.
    pub(crate) fn of_pair(&self, pair: usize, seed: u64) -> Game {
        match self {
            Self::Listed(games) => games[pair % games.len()].clone(),
            Self::Random { discs, rules, even } => {
                let mut random = Random::new(seed ^ Random::new(pair as u64).bits());
                match even {
                    None => random_opening(*rules, *discs, &mut random),
                    Some(even) => even_opening(*rules, *discs, *even, &mut random),
                }
            }
        }
    }
}

fn random_game(rules: RuleSet, discs: u32, random: &mut Random) -> Game {
    let mut game = Game::from_position(rules, reversi_engine::Position::standard());
    for _ in 0..discs {
        let moves = game.legal_moves();
        let drawn = random.below(moves.count()) as usize;
        match moves.iter().nth(drawn) {
            Some(square) if game.play(Move::Place(square)).is_ok() => {}
            _ => break,
        }
    }
    game
}

/// A random game that is not over.
fn random_opening(rules: RuleSet, discs: u32, random: &mut Random) -> Game {
    loop {
        let game = random_game(rules, discs, random);
        if !game.turn().is_over() {
            return game;
        }
    }
}

/// The first that is worth at most so many discs to either side, or the most even of many.
fn even_opening(rules: RuleSet, discs: u32, even: u32, random: &mut Random) -> Game {
    let mut most_even = random_opening(rules, discs, random);
    let mut least = worth(&most_even);
    for _ in 1..EVEN_TRIES {
        if least <= 100 * even {
            break;
        }
        let game = random_opening(rules, discs, random);
        let found = worth(&game);
        if found < least {
            (most_even, least) = (game, found);
        }
    }
    most_even
}

/// How far a game is from even, in hundredths of a disc, as the engine sees it with the weights built
/// in.
fn worth(game: &Game) -> u32 {
    let evaluation = Evaluation::of(game.rules().objective);
    let mut engine = Engine::new(EVEN_TABLE_BYTES, 1);
    let values = engine.values(evaluation, game.position().board(), EVEN_DEPTH);
    match values[..] {
        [.., one, other] => i32::midpoint(one, other).unsigned_abs(),
        _ => u32::MAX,
    }
}

/// Every order equally likely (Fisher and Yates).
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut random = Random::new(seed);
    for last in (1..items.len()).rev() {
        let limit = u32::try_from(last + 1).unwrap_or(u32::MAX);
        items.swap(last, random.below(limit) as usize);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(text: &str) -> Result<Openings, OpeningsError> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        Openings::read(file.path(), Objective::MostDiscs, 1)
    }

    #[test]
    fn a_list_may_have_comments_and_names() {
        let openings = read("# some\n\nf5d6c3\tTiger\nf5f6\n").unwrap();
        assert_eq!(openings.distinct(), Some(2));
        let mut discs = [0, 1].map(|pair| openings.of_pair(pair, 1).discs_placed());
        discs.sort_unstable();
        assert_eq!(discs, [2, 3]);
        assert_eq!(openings.of_pair(0, 1), openings.of_pair(2, 1));
    }

    #[test]
    fn a_fault_is_named_by_its_line() {
        let error = read("f5d6\nf5f5\n").unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
        assert!(matches!(
            read("# nothing\n"),
            Err(OpeningsError::None { .. })
        ));
        let over = read("e6f4e3f6g5d6e7f5c5\n");
        assert!(matches!(over, Err(OpeningsError::Over { line: 1, .. })));
    }

    #[test]
    fn random_openings_follow_from_seed_and_pair() {
        let rules = rules(Objective::MostDiscs);
        let openings = Openings::Random {
            discs: 8,
            rules,
            even: None,
        };
        let of = |pair, seed| openings.of_pair(pair, seed);
        assert_eq!(of(3, 9), of(3, 9));
        assert_ne!(of(3, 9), of(4, 9));
        assert_ne!(of(3, 9), of(3, 10));
        assert_eq!(of(3, 9).discs_placed(), 8);
    }

    #[test]
    fn even_openings_are_even() {
        let openings = Openings::Random {
            discs: 8,
            rules: rules(Objective::FewestDiscs),
            even: Some(1),
        };
        let all = Openings::Random {
            discs: 8,
            rules: rules(Objective::FewestDiscs),
            even: None,
        };
        let even = |openings: &Openings| {
            let of = |pair| openings.of_pair(pair, 1);
            (0..4).filter(|&pair| worth(&of(pair)) <= 100).count()
        };
        assert_eq!(even(&openings), 4);
        assert!(even(&all) < 4);
    }

    #[test]
    fn where_all_openings_are_alike_one_is_taken() {
        // All first moves are symmetric, and none is worth nothing.
        let openings = Openings::Random {
            discs: 1,
            rules: rules(Objective::MostDiscs),
            even: Some(0),
        };
        assert_eq!(openings.of_pair(0, 1).discs_placed(), 1);
    }
}
