//! Compiles `reversi/v1/*.proto` with protox: no protoc is needed.

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message;

const SERVICES: [&str; 4] = [
    "rules_service",
    "game_service",
    "analysis_service",
    "opening_service",
];
const MESSAGES: [&str; 6] = ["analysis", "error", "game", "opening", "position", "rules"];

/// Messages that are not generated, and the types that stand for them.
const BY_HAND: [(&str, &str); 4] = [
    ("BatchListLegalMovesRequest", "PositionBatch"),
    ("BatchListLegalMovesResponse", "LegalMovesBatch"),
    ("StreamLegalMovesRequest", "PositionBatch"),
    ("StreamLegalMovesResponse", "LegalMovesBatch"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    println!("cargo::rerun-if-changed={}", root.join("reversi").display());

    let files = SERVICES
        .iter()
        .chain(&MESSAGES)
        .map(|name| root.join(format!("reversi/v1/{name}.proto")));
    let descriptors = protox::compile(files, [&root])?;

    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;

    let mut builder = tonic_prost_build::configure();
    for (message, by_hand) in BY_HAND {
        builder = builder.extern_path(
            format!(".reversi.v1.{message}"),
            format!("crate::{by_hand}"),
        );
    }
    builder.compile_fds(descriptors)?;
    Ok(())
}
