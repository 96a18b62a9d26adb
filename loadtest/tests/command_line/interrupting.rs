//! Ctrl-C while something else than a load goes on.

use std::fs;
use std::path::Path;
use std::time::Duration;

use reversi_service::testing::TestServer;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

use super::support::{LIMIT, command, end};

/// Waits until something is so.
async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < LIMIT, "{what} takes too long");
        sleep(Duration::from_millis(5)).await;
    }
}

/// A bench of one figure that takes an hour.
fn bench(endpoint: &str, figure: &str, path: &str) -> Child {
    command(&[
        "bench",
        "--endpoint",
        endpoint,
        "--h2load",
        "--only",
        figure,
    ])
    .args(["--duration=1h", "--rounds=1"])
    .env("PATH", path)
    .spawn()
    .unwrap()
}

async fn interrupt(process: u32) {
    let interrupted = Command::new("kill")
        .args(["-INT", &process.to_string()])
        .status()
        .await;
    assert!(interrupted.unwrap().success());
}

/// The names of a process's threads.
fn threads(process: u32) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{process}/task"));
    let names = tasks.into_iter().flatten().flatten();
    names
        .filter_map(|task| fs::read_to_string(task.path().join("comm")).ok())
        .map(|name| name.trim().to_owned())
        .collect()
}

#[tokio::test]
async fn a_bench_in_process_ends_at_once() {
    let server = TestServer::start().await;
    let bench = bench(&server.endpoint(), "kernel in this process", "");
    let process = bench.id().unwrap();
    until("the measurement", || {
        threads(process).contains(&"local".to_owned())
    })
    .await;
    interrupt(process).await;
    end(bench).await.expect(130);
}

#[tokio::test]
async fn a_bench_by_h2load_ends_at_once_and_so_does_h2load() {
    let server = TestServer::start().await;
    let directory = tempfile::tempdir().unwrap();
    let (program, started) = (
        directory.path().join("h2load"),
        directory.path().join("started"),
    );
    let script = format!(
        "#!/bin/sh\necho $$ > {0}.new\nmv {0}.new {0}\nexec sleep 3600\n",
        started.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(
        &program,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let path = format!("{}:/usr/bin:/bin", directory.path().display());
    let bench = bench(&server.endpoint(), "by h2load", &path);
    until("h2load", || started.exists()).await;
    interrupt(bench.id().unwrap()).await;
    end(bench).await.expect(130);
    let process = fs::read_to_string(&started).unwrap();
    let process = Path::new("/proc").join(process.trim());
    until("the end of h2load", || !process.exists()).await;
}
