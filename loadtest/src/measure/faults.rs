//! Failed calls, by what failed.

use std::collections::BTreeMap;

use crate::wire::{Failure, Rpc};

/// The most kinds told apart. A server could put anything into its reasons.
const MOST_KINDS: usize = 100;

/// What failed calls are counted by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FaultKind {
    /// The method.
    pub(crate) rpc: Rpc,
    /// The name of the status code.
    pub(crate) code: &'static str,
    /// The reason of the error's details, or in parentheses what the generator saw.
    pub(crate) reason: String,
}

/// Failed calls by method, code and reason.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    kinds: BTreeMap<FaultKind, FaultCount>,
}

/// How often, and the first of them in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FaultCount {
    /// How often.
    pub(crate) count: u64,
    /// The message of the first.
    pub(crate) example: String,
}

impl Faults {
    /// Counts a failed call.
    pub(crate) fn count(&mut self, rpc: Rpc, failure: &Failure) {
        let kind = FaultKind {
            rpc,
            code: failure.code(),
            reason: failure.reason().into_owned(),
        };
        self.add_kind(kind, 1, || failure.to_string());
    }

    /// Adds what another one has counted.
    pub(crate) fn add(&mut self, other: &Self) {
        for (kind, FaultCount { count, example }) in &other.kinds {
            self.add_kind(kind.clone(), *count, || example.clone());
        }
    }

    /// All kinds in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&FaultKind, &FaultCount)> {
        self.kinds.iter()
    }

    fn add_kind(&mut self, mut kind: FaultKind, more: u64, example: impl FnOnce() -> String) {
        if self.kinds.len() >= MOST_KINDS && !self.kinds.contains_key(&kind) {
            "(other)".clone_into(&mut kind.reason);
        }
        let entry = self.kinds.entry(kind).or_insert_with(|| FaultCount {
            count: 0,
            example: example(),
        });
        entry.count += more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transport(cause: &dyn ToString) -> Failure {
        Failure::Transport(cause.to_string())
    }

    #[test]
    fn equal_failures_are_one_kind() {
        let mut faults = Faults::default();
        faults.count(Rpc::PlayMove, &transport(&"a"));
        faults.count(Rpc::PlayMove, &transport(&"a"));
        faults.count(Rpc::CreateGame, &transport(&"a"));
        let counts: Vec<_> = faults.iter().map(|(_, count)| count.count).collect();
        assert_eq!(counts, [1, 2]);
    }

    #[test]
    fn the_number_of_kinds_is_bounded() {
        let mut faults = Faults::default();
        for number in 0..10_000 {
            faults.count(Rpc::PlayMove, &transport(&number));
        }
        assert_eq!(faults.iter().count(), MOST_KINDS + 1);
        assert_eq!(
            faults.iter().map(|(_, count)| count.count).sum::<u64>(),
            10_000
        );
    }
}
