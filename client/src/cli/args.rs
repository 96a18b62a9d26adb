//! Arguments that several commands share, and what they are in the API.

use std::time::Duration;

use clap::{Args, ValueEnum};
use reversi_client::proto::{
    self, BalancedStart, Color, OpeningChoice, Position, RuleSet, opening_choice::Pick,
};

/// A side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Side {
    /// Black
    #[value(name = "X", aliases = ["black", "b"])]
    Black,
    /// White
    #[value(name = "O", aliases = ["white", "w"])]
    White,
}

impl Side {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    pub(crate) fn color(self) -> Color {
        match self {
            Self::Black => Color::Black,
            Self::White => Color::White,
        }
    }
}

/// A position given as text. Without it the start position.
#[derive(Debug, Args)]
pub(crate) struct PositionArgs {
    /// A board of 64 characters X, O and -, a1 first, then b1
    #[arg(
        long,
        value_name = "TEXT64",
        requires = "side",
        allow_hyphen_values = true
    )]
    board: Option<String>,
    /// The side to move on that board
    #[arg(
        long,
        value_name = "X|O",
        requires = "board",
        ignore_case = true,
        hide_possible_values = true
    )]
    side: Option<Side>,
}

impl PositionArgs {
    pub(crate) fn position(&self) -> Option<Position> {
        position(self.board.as_deref()?, self.side?)
    }
}

fn position(board: &str, side: Side) -> Option<Position> {
    Some(Position {
        board: Some(proto::position::Board::Text(board.to_owned())),
        side_to_move: side.color().into(),
    })
}

/// The set-up, for commands that need no other rule.
#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    /// The set-up before the first move
    #[arg(long, value_enum, default_value_t = Start::Standard)]
    start: Start,
    #[command(flatten)]
    opening: OpeningArgs,
}

impl StartArgs {
    pub(crate) fn rules(&self) -> RuleSet {
        RuleSet {
            start: self.start.proto().into(),
            balanced: self.opening.start(self.start),
            ..Default::default()
        }
    }
}

/// Which balanced opening.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OpeningArgs {
    /// How near to a draw a balanced opening is to be
    #[arg(long, value_enum, value_name = "BALANCE")]
    balance: Option<Balance>,
    /// Take the balanced opening with this index
    #[arg(long, value_name = "N")]
    opening_index: Option<u32>,
    /// Draw the balanced opening by lot from this seed
    #[arg(long, value_name = "N", conflicts_with = "opening_index")]
    opening_seed: Option<u64>,
}

impl OpeningArgs {
    /// The choice; `None` if nothing was said.
    pub(crate) fn choice(&self) -> Option<OpeningChoice> {
        let pick = match (self.opening_index, self.opening_seed) {
            (Some(index), _) => Some(Pick::Index(index)),
            (None, Some(seed)) => Some(Pick::Seed(seed)),
            (None, None) => None,
        };
        if pick.is_none() && self.balance.is_none() {
            return None;
        }
        let balance = self.balance.map(Balance::proto).unwrap_or_default();
        Some(OpeningChoice {
            balance: balance.into(),
            pick,
            list_version: 0,
        })
    }

    /// What goes with the start. A choice that goes with another is sent too, to be refused.
    fn start(&self, start: Start) -> Option<BalancedStart> {
        let choice = self.choice();
        (start == Start::Balanced || choice.is_some()).then(|| BalancedStart {
            choice,
            ..Default::default()
        })
    }
}

/// The rules that bear on a position: all but who enters passes.
#[derive(Debug, Args)]
pub(crate) struct PositionRuleArgs {
    /// Who wins
    #[arg(long, value_enum, default_value_t = Objective::MostDiscs)]
    objective: Objective,
    /// The set-up before the first move (a board makes it custom)
    #[arg(long, value_enum, default_value_t = Start::Standard)]
    start: Start,
    /// How the discs are counted at the end
    #[arg(long, value_enum, default_value_t = Scoring::Discs)]
    scoring: Scoring,
    #[command(flatten)]
    opening: OpeningArgs,
}

impl PositionRuleArgs {
    pub(crate) fn rules(&self) -> RuleSet {
        RuleSet {
            objective: self.objective.proto().into(),
            start: self.start.proto().into(),
            scoring: self.scoring.proto().into(),
            balanced: self.opening.start(self.start),
            ..Default::default()
        }
    }
}

/// The rules but for a custom start.
#[derive(Debug, Args)]
pub(crate) struct RuleArgs {
    #[command(flatten)]
    position_rules: PositionRuleArgs,
    /// Who enters forced passes: the service, or the player
    #[arg(long, value_enum, default_value_t = PassMode::Automatic)]
    pass_mode: PassMode,
}

impl RuleArgs {
    /// The rules, with `board` and its side to move as the start where one is given.
    pub(crate) fn rules(&self, custom: Option<Position>) -> RuleSet {
        let mut rules = self.position_rules.rules();
        if custom.is_some() {
            rules.set_start(proto::Start::Custom);
        }
        RuleSet {
            pass_mode: self.pass_mode.proto().into(),
            custom_position: custom,
            ..rules
        }
    }
}

/// A custom start, for a command in which `--side` means something else.
#[derive(Debug, Args)]
pub(crate) struct CustomStartArgs {
    /// Start from a board of 64 characters X, O and -, a1 first, then b1
    #[arg(
        long,
        value_name = "TEXT64",
        requires = "to_move",
        allow_hyphen_values = true
    )]
    board: Option<String>,
    /// The side to move on that board
    #[arg(
        long,
        value_name = "X|O",
        requires = "board",
        ignore_case = true,
        hide_possible_values = true
    )]
    to_move: Option<Side>,
}

impl CustomStartArgs {
    pub(crate) fn position(&self) -> Option<Position> {
        position(self.board.as_deref()?, self.to_move?)
    }
}

macro_rules! choices {
    ($(#[$doc:meta])* $name:ident { $($variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name { $(#[allow(missing_docs)] $variant),+ }

        impl $name {
            pub(crate) fn proto(self) -> proto::$name {
                match self { $(Self::$variant => proto::$name::$variant),+ }
            }
        }
    };
}

choices! {
    /// Who wins.
    Objective { MostDiscs, FewestDiscs }
}
choices! {
    /// The set-up, of those that the service has.
    Start { Standard, Mirrored, ParallelWhiteAbove, ParallelBlackAbove, Free, Balanced }
}
choices! {
    /// How near to a draw an opening is.
    Balance { WithinOneDisc, WithinTwoDiscs }
}
choices! {
    /// How discs are counted.
    Scoring { Discs, EmptiesToMajority, EmptiesToMajorityTiesSplit }
}
choices! {
    /// Who enters forced passes.
    PassMode { Automatic, Explicit }
}

/// The longest time taken: a year. What is longer is a slip of the hand.
const LONGEST_TIME: Duration = Duration::from_secs(365 * 24 * 3600);

/// A time as the API has it.
pub(crate) fn api_duration(time: Duration) -> prost_types::Duration {
    prost_types::Duration {
        seconds: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        nanos: i32::try_from(time.subsec_nanos()).unwrap_or(0),
    }
}

/// Reads a time: `250ms`, `10s`, `1.5s`, `2m`, `1h`; without a unit it is seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let unit = text.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("a time is a number with ms, s, m or h".to_owned()),
    };
    let number: f64 = text[..text.len() - unit.len()]
        .parse()
        .map_err(|_| "a time is a number with ms, s, m or h".to_owned())?;
    match Duration::try_from_secs_f64(number * seconds) {
        Ok(time) if time.is_zero() => Err("a time must be longer than nothing".to_owned()),
        Ok(time) if time <= LONGEST_TIME => Ok(time),
        // The number has no sign: what does not fit is too great.
        Ok(_) | Err(_) => Err("a time can be 8760h (a year) at most".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_units() {
        for (text, milliseconds) in [
            ("250ms", 250),
            ("10s", 10_000),
            ("10", 10_000),
            ("1.5s", 1_500),
            ("2m", 120_000),
            ("1h", 3_600_000),
        ] {
            assert_eq!(
                duration(text),
                Ok(Duration::from_millis(milliseconds)),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "s",
            "-1s",
            "0",
            "1d",
            "1.2.3",
            "99999999999999999999999h",
            "é",
        ] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_that_is_too_long_is_told_the_longest() {
        assert_eq!(duration("8760h"), Ok(LONGEST_TIME));
        for text in ["8761h", "99999999999999999999s"] {
            let refused = duration(text).unwrap_err();
            assert_eq!(refused, "a time can be 8760h (a year) at most", "{text}");
        }
    }

    #[test]
    fn a_board_makes_the_start_custom() {
        let rules = RuleArgs {
            position_rules: PositionRuleArgs {
                objective: Objective::FewestDiscs,
                start: Start::Standard,
                scoring: Scoring::Discs,
                opening: OpeningArgs::default(),
            },
            pass_mode: PassMode::Explicit,
        };
        assert_eq!(rules.rules(None).start(), proto::Start::Standard);
        let custom = rules.rules(position("X", Side::White));
        assert_eq!(custom.start(), proto::Start::Custom);
        assert_eq!(custom.objective(), proto::Objective::FewestDiscs);
        assert_eq!(custom.custom_position.unwrap().side_to_move(), Color::White);
    }
}
