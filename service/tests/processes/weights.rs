//! A server with weights of its own.

use std::path::Path;

use reversi_engine::Objective;
use reversi_engine::search::Evaluation;
use reversi_proto::v1::suggest_move_request::Subject;
use reversi_proto::v1::{self};

use crate::process::{Process, output};

/// The file of the weights that come with the engine, under another name.
fn weights_file(objective: Objective) -> Vec<u8> {
    let mut evaluation = Evaluation::of(objective).clone();
    "another name".clone_into(&mut evaluation.name);
    evaluation.to_bytes()
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

#[tokio::test]
async fn weights_of_a_file_take_the_place_of_those_for_its_objective() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = weights_file(Objective::FewestDiscs);
    let path = write(folder.path(), "weights", &bytes);
    let process = Process::start(&["--weights", &path]).await;
    let info = process
        .rules()
        .get_server_info(v1::GetServerInfoRequest {})
        .await;
    let names: Vec<String> = info
        .unwrap()
        .into_inner()
        .weights
        .into_iter()
        .map(|w| w.name)
        .collect();
    assert_eq!(names[1], "another name");
    assert_eq!(names[0], Evaluation::name_of(Objective::MostDiscs));

    let line = v1::Line {
        rules: Some(v1::RuleSet {
            objective: v1::Objective::FewestDiscs.into(),
            ..Default::default()
        }),
        ..Default::default()
    };
    let request = v1::SuggestMoveRequest {
        subject: Some(Subject::Line(line)),
        budget: Some(v1::Budget {
            depth: 3,
            ..Default::default()
        }),
        ..Default::default()
    };
    let found = process.analysis().suggest_move(request).await.unwrap();
    assert_eq!(found.into_inner().weights, "another name");
}

#[tokio::test]
async fn a_file_that_holds_no_weights_is_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let sound = weights_file(Objective::MostDiscs);
    let mut damaged = sound.clone();
    damaged[sound.len() / 2] ^= 1;
    let mut newer = sound.clone();
    newer[4] = 99;
    for (name, bytes, said) in [
        ("empty", &[][..], "not a file of weights"),
        ("foreign", b"these are no weights", "not a file of weights"),
        ("damaged", &damaged, "damaged weights"),
        ("cut", &sound[..sound.len() - 100], "damaged weights"),
        ("newer", &newer, "format 99"),
    ] {
        let path = write(folder.path(), name, bytes);
        let refused = output(&["--weights", &path], &[]).await;
        let text = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(64), "{name}: {text}");
        assert_eq!(text.lines().count(), 1, "{name}: {text}");
        for part in ["--weights", &path, said] {
            assert!(text.contains(part), "{name}: {part} in {text}");
        }
    }
    let missing = folder.path().join("missing");
    let refused = output(&["--weights", missing.to_str().unwrap()], &[]).await;
    assert_eq!(refused.status.code(), Some(64));
}
