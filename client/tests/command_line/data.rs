//! The project's files of games.

use std::fs;

use reversi_client::{
    Client, Reason,
    proto::{ApplyMovesRequest, ErrorReason, TranscriptSyntax},
};
use serde_json::json;

use crate::bench::{Bench, test_data};

#[tokio::test]
async fn every_recorded_game_is_replayed_to_its_recorded_score() {
    let Some(path) = test_data("games/wthor_sample_2200.tsv", 2200) else {
        return;
    };
    let bench = Bench::start().await;
    let ran = bench
        .run(&["replay", path.to_str().unwrap(), "--json"])
        .await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let summary = ran.json();
    assert_eq!(summary["games"], 2200);
    assert_eq!(summary["mismatches"], json!([]));
    assert_eq!(summary["rejected"], json!([]));
    assert_eq!(summary["failed"], json!([]));
}

#[tokio::test]
async fn every_bad_transcript_is_refused_at_its_index() {
    let Some(path) = test_data("games/bad_transcripts.tsv", 276) else {
        return;
    };
    let bench = Bench::start().await;
    let client = Client::connect(bench.server.endpoint()).await.unwrap();
    let text = fs::read_to_string(path).unwrap();
    let mut cases = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('\t');
        let (Some(transcript), Some(kind), Some(index)) =
            (columns.next(), columns.next(), columns.next())
        else {
            panic!("no case: {line}");
        };
        let reason = match kind {
            "occupied" => ErrorReason::SquareOccupied,
            "illegal" => ErrorReason::IllegalNoFlip,
            "gameover" => ErrorReason::GameOver,
            "badsquare" => ErrorReason::NotASquare,
            "oddlen" => ErrorReason::OddLength,
            other => panic!("no kind: {other}"),
        };
        let error = client
            .rules()
            .apply_moves(ApplyMovesRequest {
                transcript: transcript.to_owned(),
                syntax: TranscriptSyntax::Strict.into(),
                ..Default::default()
            })
            .await
            .unwrap_err();
        let api = error
            .api()
            .unwrap_or_else(|| panic!("{transcript}: {error}"));
        assert_eq!(
            api.reason,
            Some(Reason::Known(reason)),
            "{transcript}: {error}"
        );
        assert_eq!(
            error.metadata("index"),
            Some(index),
            "{transcript}: {error}"
        );
        cases += 1;
    }
    assert_eq!(cases, 276);
}
