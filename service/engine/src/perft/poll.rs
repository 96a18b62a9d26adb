//! Asking now and then whether to stop.

/// How many boards are expanded between two looks at the stop: some 0.2 ms, for most of them have
/// two plies to go and ten moves.
const BOARDS_PER_POLL: usize = 4096;

/// Asks a question after every so many boards.
pub(super) struct Poll<'s> {
    stop: &'s dyn Fn() -> bool,
    boards_left: usize,
}

impl<'s> Poll<'s> {
    pub(super) fn new(stop: &'s dyn Fn() -> bool) -> Self {
        Self {
            stop,
            boards_left: BOARDS_PER_POLL,
        }
    }

    /// To be called with each expansion of boards. `None` once it is time to stop.
    pub(super) fn expanded(&mut self, boards: usize) -> Option<()> {
        self.boards_left = self.boards_left.saturating_sub(boards);
        if self.boards_left == 0 {
            self.boards_left = BOARDS_PER_POLL;
            if (self.stop)() {
                return None;
            }
        }
        Some(())
    }
}
