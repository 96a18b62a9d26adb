//! Balanced starts that are refused.

use reversi_proto::v1::{self, ErrorReason as Reason, Start};

use super::{MALFORMED, Table, refused_start, starting};

/// Openings that are not in the list, or none.
pub(super) async fn refused(table: &mut Table) {
    let invalid = Reason::FieldInvalid;
    let balanced = |balanced| v1::RuleSet {
        balanced: Some(balanced),
        ..starting(Start::Balanced)
    };
    let choosing = |choice| v1::BalancedStart {
        choice: Some(choice),
        ..Default::default()
    };
    let index = v1::OpeningChoice {
        pick: Some(v1::opening_choice::Pick::Index(4_000_000)),
        ..Default::default()
    };
    let rules = balanced(choosing(index));
    let row = refused_start(table, "an index beyond the list", rules, invalid).await;
    row.says("value", "4000000")
        .blames(&["rules.balanced.choice.index"]);
    let version = v1::OpeningChoice {
        list_version: 4_000_000,
        ..Default::default()
    };
    let rules = balanced(choosing(version));
    let row = refused_start(table, "another version of the list", rules, invalid).await;
    row.blames(&["rules.balanced.choice.list_version"]);
    for (name, moves) in [
        ("seven moves", "f5d6c3d3c4f4e3"),
        ("an illegal opening", "f5d6c3d3c4f4e3a1"),
        ("no squares", "é5d6c3d3c4f4e3f"),
    ] {
        let rules = balanced(v1::BalancedStart {
            moves: moves.to_owned(),
            ..Default::default()
        });
        let row = refused_start(table, name, rules, invalid).await;
        row.blames(&["rules.balanced.moves"]);
    }
    let rules = v1::RuleSet {
        balanced: Some(v1::BalancedStart::default()),
        ..Default::default()
    };
    let row = refused_start(table, "an opening too much", rules, invalid).await;
    row.blames(&["rules.balanced"]);
    let request = v1::ListLegalMovesRequest {
        rules: Some(starting(Start::Balanced)),
        ..Default::default()
    };
    let listed = table.api.rules().list_legal_moves(request).await;
    let required = Reason::FieldRequired;
    let row = table.row("an opening left open", listed, MALFORMED, required);
    row.await.blames(&["rules.balanced.choice"]);
    let request = v1::DrawBalancedOpeningRequest {
        choice: Some(index),
    };
    let drawn = table.api.openings().draw_balanced_opening(request).await;
    let row = table.row("no such opening", drawn, MALFORMED, invalid);
    row.await.blames(&["choice.index"]);
}
