//! The values of games that this server has read or written lately.
//!
//! They spare a write the read before it: a value from here that is out of date is one that the
//! store refuses to replace, and then hands out the value that is there. What does not end in a
//! replacement is never decided by them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::session::GameId;

/// How many values are kept at most: some 20 MB of them.
pub(super) const CAPACITY: usize = 65_536;

/// The last values, shared by all who write.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    capacity: usize,
    values: Arc<Mutex<Values>>,
}

/// Two generations: when the younger is full, it becomes the elder, and what was in the elder and
/// was not asked for meanwhile is forgotten.
#[derive(Debug, Default)]
struct Values {
    young: HashMap<GameId, Vec<u8>>,
    old: HashMap<GameId, Vec<u8>>,
}

impl Recent {
    /// Keeps so many values at most; none where to read is as good as to remember.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            values: Arc::default(),
        }
    }

    /// Takes the value of a game out: whoever has it puts back what becomes of it.
    pub(super) fn take(&self, id: GameId) -> Option<Vec<u8>> {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let Values { young, old } = &mut *values;
        young.remove(&id).or_else(|| old.remove(&id))
    }

    /// Keeps the value of a game.
    pub(super) fn put(&self, id: GameId, value: Vec<u8>) {
        if self.capacity == 0 {
            return;
        }
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if values.young.len() >= self.capacity / 2 {
            values.old = std::mem::take(&mut values.young);
        }
        values.old.remove(&id);
        values.young.insert(id, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> GameId {
        GameId::from_bits(u128::try_from(number).unwrap())
    }

    #[test]
    fn the_last_values_are_kept() {
        const CAPACITY: usize = 1000;
        let recent = Recent::new(CAPACITY);
        for number in 0..2 * CAPACITY {
            recent.put(id(number), vec![1]);
            // One that is asked for again and again stays.
            let first = recent.take(id(0)).unwrap();
            recent.put(id(0), first);
        }
        assert_eq!(recent.take(id(1)), None);
        assert_eq!(recent.take(id(2 * CAPACITY - 1)), Some(vec![1]));
        assert_eq!(recent.take(id(2 * CAPACITY - 1)), None);
        let values = recent.values.lock().unwrap();
        assert!(values.young.len() + values.old.len() <= CAPACITY);
    }
}
