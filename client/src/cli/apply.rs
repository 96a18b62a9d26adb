//! `reversi apply`.

use clap::Args;
use reversi_client::proto::{
    ApplyMovesRequest, ApplyMovesResponse, LegalMoves, MoveKind, RuleSet, Scoring, TranscriptSyntax,
};

use super::{
    args::{PositionArgs, StartArgs},
    context::Context,
    failure::Failure,
    output::Output,
    view::{AppliedView, board, outcome_text, side},
};

/// Play a transcript onto a position and show where it leads
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  reversi apply f5d6c3d3c4\n  reversi apply 'F5 D6 C3' --json\n\n\
                  Empty squares are scored for the winner, a tie as 32-32. A bad move exits \
                  with 1 and says which one it is."
)]
pub(crate) struct Apply {
    /// The moves, e.g. f5d6c3; forced passes may be left out
    transcript: String,
    /// Take pairs of characters a1 to h8 only: no blanks, numbers or passes
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    start: StartArgs,
}

impl Apply {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let syntax = if self.strict {
            TranscriptSyntax::Strict
        } else {
            TranscriptSyntax::Lenient
        };
        let applied = client
            .rules()
            .apply_moves(ApplyMovesRequest {
                position: self.position.position(),
                rules: Some(RuleSet {
                    scoring: Scoring::EmptiesToMajorityTiesSplit.into(),
                    ..self.start.rules()
                }),
                transcript: self.transcript,
                syntax: syntax.into(),
            })
            .await?;
        context.output.write(&AppliedView::from(&applied), |_| {
            text(&applied, context.output)
        })?;
        Ok(())
    }
}

fn text(applied: &ApplyMovesResponse, output: Output) -> String {
    let legal: Vec<String> = match &applied.legal_moves {
        Some(LegalMoves { moves, .. }) => moves.iter().map(|m| m.square.clone()).collect(),
        None => Vec::new(),
    };
    let last = applied.moves.iter().rfind(|m| m.kind() != MoveKind::Pass);
    let drawn = board(
        &applied.board_text,
        &legal,
        last.map(|m| m.square.as_str()),
        output.board_style(),
    );
    let score = applied.score.unwrap_or_default();
    let end = match &applied.outcome {
        Some(outcome) => outcome_text(outcome, score.scored.map(|s| (s.black, s.white))),
        None => {
            let to_move = applied
                .position
                .as_ref()
                .and_then(|p| side(p.side_to_move()));
            format!("{} to move", to_move.unwrap_or("nobody"))
        }
    };
    format!(
        "{drawn}\nX {}  O {}  {} empty  {end}",
        score.black, score.white, score.empties
    )
}
