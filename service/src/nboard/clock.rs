//! The time that a player has left, by what the game says of clocks and moves.

use std::time::Duration;

use reversi_engine::Color;
use reversi_engine::notation::GgfRecord;

/// What is never spent: the program and the pipe take their time, too.
const RESERVE: Duration = Duration::from_millis(50);
/// Even a lost clock leaves time for a move.
const LEAST: Duration = Duration::from_millis(10);

/// How long the side to move should think at most; `None` if the game tells no time.
pub(super) fn share(record: &GgfRecord) -> Option<Duration> {
    let side = record.game.position().side_to_move();
    let left = left(record, side)?.saturating_sub(RESERVE);
    // The last third of the moves is solved before it is played.
    let moves = record.game.position().empties().count().div_ceil(2) * 2 / 3 + 2;
    Some((left / moves).max(LEAST))
}

/// The time on a side's clock.
fn left(record: &GgfRecord, side: Color) -> Option<Duration> {
    let own = match side {
        Color::Black => "TB",
        Color::White => "TW",
    };
    let (start, increment) = parse(record.tag(own).or_else(|| record.tag("TI"))?)?;
    let moves = record.game.history().iter().zip(&record.notes);
    let mut left = start;
    for (_, note) in moves.filter(|(played, _)| played.side == side) {
        let spent = Duration::try_from_secs_f64(note.seconds.unwrap_or_default());
        left = left.saturating_sub(spent.unwrap_or_default());
        left = left.saturating_add(increment);
    }
    Some(left)
}

/// Reads the time for the game and what each move adds, as in `15:00/0:10/2:00`. What is left
/// when the time is up, the third part, is not counted on.
fn parse(text: &str) -> Option<(Duration, Duration)> {
    let mut parts = text.split('/').map(str::trim);
    let start = parse_time(parts.next()?)?;
    let increment = parts.next().and_then(parse_time).unwrap_or_default();
    (!start.is_zero()).then_some((start, increment))
}

/// Reads `minutes:seconds` or `hours:minutes:seconds`.
fn parse_time(text: &str) -> Option<Duration> {
    // The increment may be followed by moves, as in `0:10,1`.
    let text = text.split(',').next()?;
    let mut fields = text.split(':');
    let mut seconds: f64 = fields.next()?.parse().ok()?;
    let mut count = 1;
    for field in fields {
        seconds = seconds * 60.0 + field.parse::<f64>().ok()?;
        count += 1;
    }
    // A number alone could be minutes or seconds.
    (count > 1)
        .then(|| Duration::try_from_secs_f64(seconds).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_of(tags: &str) -> Option<Duration> {
        let record = format!("(;{tags}B[F5//10]W[D6//20]B[C3//5.5];)");
        let record: GgfRecord = record.parse().unwrap();
        left(&record, Color::Black)
    }

    #[test]
    fn moves_take_time_and_may_add_some() {
        let seconds = |seconds| Some(Duration::from_secs_f64(seconds));
        assert_eq!(left_of("TI[5:00]"), seconds(284.5));
        assert_eq!(left_of("TI[5:00//2:00]"), seconds(284.5));
        assert_eq!(left_of("TI[1:00:00/0:10]"), seconds(3604.5));
        assert_eq!(left_of("TI[5:00]TB[1:00]TW[2:00]"), seconds(44.5));
        assert_eq!(left_of("TI[0:08]"), seconds(0.0));
    }

    #[test]
    fn a_game_without_a_clock_has_no_time_to_share() {
        for tags in [
            "",
            "TI[]",
            "TI[long]",
            "TI[15]",
            "TI[0:00]",
            "TI[1:x]",
            "TI[-1:00]",
        ] {
            assert_eq!(left_of(tags), None, "{tags}");
        }
    }

    #[test]
    fn no_move_may_take_all_that_is_left() {
        let record: GgfRecord = "(;TI[1:00];)".parse().unwrap();
        let share = share(&record).unwrap();
        assert!(share > Duration::from_secs(2) && share < Duration::from_secs(5));
        let lost: GgfRecord = "(;TI[0:01]B[F5//9]W[D6//9];)".parse().unwrap();
        assert_eq!(super::share(&lost), Some(LEAST));
    }
}
