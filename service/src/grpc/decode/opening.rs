//! Which opening a game is to begin with.

use reversi_engine::opening::{Balance, Balanced, Opening, PLIES};
use reversi_engine::{BalancedStart, Square};
use reversi_proto::v1::{self, opening_choice::Pick};

use super::Faults;

/// An opening that was chosen.
#[derive(Clone, Copy, Debug)]
pub(in crate::grpc) struct Chosen {
    pub(in crate::grpc) balance: Balance,
    pub(in crate::grpc) index: usize,
    pub(in crate::grpc) opening: &'static Opening,
}

/// The opening of a field. Where the caller leaves it to the service, `lot` decides.
pub(in crate::grpc) fn opening_choice(
    faults: &mut Faults,
    field: &str,
    choice: &v1::OpeningChoice,
    lot: u64,
) -> Option<Chosen> {
    let balance = faults.known(&format!("{field}.balance"), choice.balance)?;
    let balance = match balance {
        v1::Balance::Unspecified | v1::Balance::WithinOneDisc => Balance::WithinOneDisc,
        v1::Balance::WithinTwoDiscs => Balance::WithinTwoDiscs,
    };
    let list = Balanced::of(balance);
    let version = list.version();
    if choice.list_version != 0 && choice.list_version != version {
        let field = format!("{field}.list_version");
        faults.invalid(&field, choice.list_version, format!("is not {version}"));
        return None;
    }
    let drawn = match choice.pick {
        Some(Pick::Index(index)) => usize::try_from(index)
            .ok()
            .and_then(|index| Some((index, list.get(index)?))),
        Some(Pick::Seed(seed)) => list.draw(seed),
        None => list.draw(lot),
    };
    let Some((index, opening)) = drawn else {
        let index = match choice.pick {
            Some(Pick::Index(index)) => index,
            Some(Pick::Seed(_)) | None => 0,
        };
        let size = list.openings().len();
        faults.invalid(
            &format!("{field}.index"),
            index,
            format!("is beyond the list of {size}"),
        );
        return None;
    };
    Some(Chosen {
        balance,
        index,
        opening,
    })
}

/// Draws an opening with this seed where rules leave that to the service.
pub(in crate::grpc) fn draw_lots(rules: Option<&mut v1::RuleSet>, seed: u64) {
    let Some(rules) = rules.filter(|rules| rules.start == v1::Start::Balanced as i32) else {
        return;
    };
    let balanced = rules.balanced.get_or_insert_default();
    let choice = balanced.choice.get_or_insert_default();
    choice.pick.get_or_insert(Pick::Seed(seed));
}

/// The start of a field: its moves, or those of the opening chosen there.
pub(super) fn balanced_start(
    faults: &mut Faults,
    field: &str,
    start: &v1::BalancedStart,
) -> Option<BalancedStart> {
    if !start.moves.is_empty() {
        let found =
            moves(&start.moves).and_then(|moves| BalancedStart::new(moves, start.list_version));
        if found.is_none() {
            let field = format!("{field}.moves");
            let shown: String = start.moves.chars().take(2 * PLIES).collect();
            faults.invalid(
                &field,
                shown,
                "are not eight legal discs from the standard start",
            );
        }
        return found;
    }
    let chosen = match &start.choice {
        Some(choice @ v1::OpeningChoice { pick: Some(_), .. }) => {
            opening_choice(faults, &format!("{field}.choice"), choice, 0)?
        }
        Some(_) | None => {
            faults.required(&format!("{field}.choice"));
            return None;
        }
    };
    Some(Balanced::of(chosen.balance).start(chosen.opening))
}

fn moves(text: &str) -> Option<[Square; PLIES]> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let squares: Option<Vec<Square>> = pairs
        .iter()
        .map(|pair| std::str::from_utf8(pair).ok()?.parse().ok())
        .collect();
    squares?.try_into().ok()
}
