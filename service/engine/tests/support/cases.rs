//! Test cases in tables: some kept beside the tests, many more in the folder that the variable
//! `REVERSI_TEST_DATA` names (absolute, or relative to the root of the workspace).

use std::path::Path;

/// The lines of a table, without comments, split at the tabs.
pub(crate) fn rows(table: &str) -> Vec<Vec<&str>> {
    table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
        .collect()
}

/// Runs `check` on each row of a table of the test data, which must hold `count` of them. Without
/// the test data, says what was skipped.
pub(crate) fn for_each_row(file: &str, count: usize, mut check: impl FnMut(&[&str])) {
    let Some(folder) = std::env::var_os("REVERSI_TEST_DATA") else {
        eprintln!("skipped 1 file, {count} cases: {file} (REVERSI_TEST_DATA is not set)");
        return;
    };
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = workspace.join(folder).join(file);
    let table = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("reading {}: {error}", path.display()));
    let rows = rows(&table);
    assert_eq!(rows.len(), count, "rows of {}", path.display());
    for row in rows {
        check(&row);
    }
}
