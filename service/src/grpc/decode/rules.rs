//! Rule sets.

use reversi_engine::{Objective, PassMode, RuleSet, Scoring, Start};
use reversi_proto::v1;

use super::Faults;
use super::opening::balanced_start;
use super::position::{setup, setup_faults};

/// The rules of a field; the defaults where it is left out.
pub(in crate::grpc) fn rule_set(
    faults: &mut Faults,
    message: Option<v1::RuleSet>,
) -> Option<RuleSet> {
    let message = message.unwrap_or_default();
    let objective = faults
        .known("rules.objective", message.objective)
        .map(|objective| match objective {
            v1::Objective::Unspecified | v1::Objective::MostDiscs => Objective::MostDiscs,
            v1::Objective::FewestDiscs => Objective::FewestDiscs,
        });
    let scoring = faults
        .known("rules.scoring", message.scoring)
        .map(|scoring| match scoring {
            v1::Scoring::Unspecified | v1::Scoring::Discs => Scoring::Discs,
            v1::Scoring::EmptiesToMajority => Scoring::EmptiesToMajority,
            v1::Scoring::EmptiesToMajorityTiesSplit => Scoring::EmptiesToMajorityTiesSplit,
        });
    let pass_mode = faults
        .known("rules.pass_mode", message.pass_mode)
        .map(|mode| match mode {
            v1::PassMode::Unspecified | v1::PassMode::Automatic => PassMode::Automatic,
            v1::PassMode::Explicit => PassMode::Explicit,
        });
    let start = start(
        faults,
        message.start,
        message.custom_position,
        message.balanced,
    );
    Some(RuleSet {
        objective: objective?,
        start: start?,
        scoring: scoring?,
        pass_mode: pass_mode?,
    })
}

fn start(
    faults: &mut Faults,
    start: i32,
    custom: Option<v1::Position>,
    balanced: Option<v1::BalancedStart>,
) -> Option<Start> {
    const FIELD: &str = "rules.custom_position";
    const BALANCED: &str = "rules.balanced";
    let start: v1::Start = faults.known("rules.start", start)?;
    if custom.is_some() && start != v1::Start::Custom {
        faults.invalid(FIELD, start.as_str_name(), "goes with START_CUSTOM only");
    }
    if balanced.is_some() && start != v1::Start::Balanced {
        faults.invalid(
            BALANCED,
            start.as_str_name(),
            "goes with START_BALANCED only",
        );
    }
    match start {
        v1::Start::Unspecified | v1::Start::Standard => Some(Start::Standard),
        v1::Start::Mirrored => Some(Start::Mirrored),
        v1::Start::ParallelWhiteAbove => Some(Start::ParallelWhiteAbove),
        v1::Start::ParallelBlackAbove => Some(Start::ParallelBlackAbove),
        v1::Start::Free => Some(Start::Free),
        v1::Start::Balanced => {
            let start = balanced_start(faults, BALANCED, &balanced.unwrap_or_default())?;
            Some(Start::Balanced(start))
        }
        v1::Start::Custom => {
            let Some(custom) = custom else {
                faults.required(FIELD);
                return None;
            };
            let setup = setup(faults, FIELD, custom)?;
            match setup.into_start() {
                Ok(_) => Some(Start::Custom(setup)),
                Err(error) => {
                    setup_faults(faults, FIELD, &error);
                    None
                }
            }
        }
    }
}
