//! One game between two players.

use std::time::Instant;

use reversi_engine::notation::{WrittenPasses, transcript};
use reversi_engine::{Color, Game, Objective, Score, Scoring};

use super::player::{Fault, FaultKind, Player};
use super::record::{End, Record, Seat, Spent};

/// Plays a game to its end, from its opening on. Players by seat.
pub(crate) fn play(
    players: &mut [Box<dyn Player>; 2],
    mut game: Game,
    number: usize,
    color: Color,
    seed: u64,
) -> Record {
    let opening = game.discs_placed();
    let mut spent = [Spent::default(), Spent::default()];
    let fault = play_on(players, &mut game, color, seed, &mut spent).err();
    let end = match &fault {
        Some((by, fault)) => End::Fault {
            by: *by,
            kind: fault.kind,
        },
        None => End::Board {
            difference: difference(&game, color),
        },
    };
    Record {
        game: number,
        color,
        end,
        spent,
        opening,
        moves: transcript(game.history(), WrittenPasses::Omitted),
        detail: fault.map_or_else(String::new, |(_, fault)| fault.detail),
    }
}

fn play_on(
    players: &mut [Box<dyn Player>; 2],
    game: &mut Game,
    color: Color,
    seed: u64,
    spent: &mut [Spent; 2],
) -> Result<(), (Seat, Fault)> {
    for seat in [Seat::First, Seat::Second] {
        let player = &mut players[seat.index()];
        // Two players of one kind draw different lots, and in the other game of the pair the same.
        let is_black = (seat == Seat::First) == (color == Color::Black);
        let seed = seed.wrapping_add(u64::from(is_black));
        player.begin(game, seed).map_err(|fault| (seat, fault))?;
    }
    while !game.turn().is_over() {
        let seat = if game.position().side_to_move() == color {
            Seat::First
        } else {
            Seat::Second
        };
        let begun = Instant::now();
        let chosen = players[seat.index()].choose(game);
        let time = begun.elapsed();
        let chosen = chosen.map_err(|fault| (seat, fault))?;
        let spent = &mut spent[seat.index()];
        spent
            .times_us
            .push(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
        spent.nodes += chosen.nodes;
        if let Err(illegal) = game.play(chosen.mv) {
            let fault = Fault {
                kind: FaultKind::IllegalMove,
                detail: format!("{}: {illegal}", chosen.mv),
            };
            return Err((seat, fault));
        }
    }
    Ok(())
}

/// The result of a finished game for this side, positive if it has won.
fn difference(game: &Game, color: Color) -> i32 {
    let score = Score::of(game.position(), Scoring::EmptiesToMajority);
    let (black, white) = score
        .scored
        .map_or((0, 0), |scored| (scored.black, scored.white));
    let discs = i32::from(black) - i32::from(white);
    let for_most = match color {
        Color::Black => discs,
        Color::White => -discs,
    };
    match game.rules().objective {
        Objective::MostDiscs => for_most,
        Objective::FewestDiscs => -for_most,
    }
}

#[cfg(test)]
mod tests {
    use reversi_engine::{Move, Square};

    use super::super::greedy::Greedy;
    use super::super::openings::rules;
    use super::super::player::Choice;
    use super::*;

    fn greedy() -> Box<dyn Player> {
        Box::new(Greedy::new(Objective::MostDiscs))
    }

    fn game(objective: Objective) -> Game {
        Game::new(rules(objective)).unwrap()
    }

    #[test]
    fn a_game_is_played_to_its_end_and_told_from_the_first_players_side() {
        let mut players = [greedy(), greedy()];
        for objective in [Objective::MostDiscs, Objective::FewestDiscs] {
            let mut play = |color| play(&mut players, game(objective), 0, color, 5);
            let (black, white) = (play(Color::Black), play(Color::White));
            assert_eq!(black.moves, white.moves);
            assert_eq!(black.score(), 1.0 - white.score());
            let End::Board { difference } = black.end else {
                panic!("{black}");
            };
            assert_eq!(
                white.end,
                End::Board {
                    difference: -difference
                }
            );
            let moves = black
                .spent
                .iter()
                .map(|spent| spent.times_us.len())
                .sum::<usize>();
            assert_eq!(moves, black.moves.len() / 2);
        }
    }

    #[test]
    fn an_illegal_move_loses() {
        struct Confused;
        impl Player for Confused {
            fn begin(&mut self, _: &Game, _: u64) -> Result<(), Fault> {
                Ok(())
            }
            fn choose(&mut self, _: &Game) -> Result<Choice, Fault> {
                let mv = Move::Place(Square::A1);
                Ok(Choice { mv, nodes: 0 })
            }
        }
        let mut players = [greedy(), Box::new(Confused)];
        let record = play(&mut players, game(Objective::MostDiscs), 0, Color::Black, 1);
        let kind = FaultKind::IllegalMove;
        let by = Seat::Second;
        assert_eq!(record.end, End::Fault { by, kind });
        assert_eq!((record.score(), record.moves.len()), (1.0, 2));
        assert!(record.detail.starts_with("a1: "), "{}", record.detail);
    }
}
