//! A server that starts.

use std::net::TcpListener;

use clap::Parser;
use reversi_proto::v1::{self, StoreKind};
use reversi_service::config::Config;
use serde_json::Value;

use crate::process::{Process, command, output};

async fn info(process: &Process) -> v1::GetServerInfoResponse {
    let response = process
        .rules()
        .get_server_info(v1::GetServerInfoRequest {})
        .await;
    response.unwrap().into_inner()
}

#[tokio::test]
async fn one_command_starts_a_working_service() {
    let mut process = Process::start(&[]).await;
    assert_eq!(info(&process).await.store(), StoreKind::Memory);
    let game = process.play_all(process.game().await, "f5d6").await;
    assert_eq!(process.get(&game.name).await, game);
    // It says that games are lost when it stops.
    let warning = process.logged("games are kept in memory and are lost when the server stops");
    assert_eq!(warning.await["level"], "WARN");
    assert_eq!(process.probe("/livez").await, 200);
    assert_eq!(process.probe("/readyz").await, 200);
    assert_eq!(process.stop().await, Some(0));
}

#[test]
fn defaults_are_what_the_help_says() {
    let config = Config::try_parse_from(["reversi-service"]).unwrap();
    assert_eq!(config.listen, "127.0.0.1:50051");
    assert_eq!(config.admin, None);
    assert_eq!(config.store.to_string(), "memory");
    assert!(!config.insecure);
}

#[tokio::test]
async fn help_and_version_are_answered() {
    let help = output(&["--help"], &[]).await;
    assert_eq!(help.status.code(), Some(0));
    let text = String::from_utf8(help.stdout).unwrap();
    for part in [
        "127.0.0.1:50051",
        "127.0.0.1:9090",
        "REVERSI_STORE",
        "--game-ttl",
        "Examples:",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let version = output(&["--version"], &[]).await;
    assert_eq!(version.status.code(), Some(0));
    let text = String::from_utf8(version.stdout).unwrap();
    assert_eq!(
        text.trim(),
        format!("reversi-service {}", env!("CARGO_PKG_VERSION"))
    );
}

/// The URL of a store with a password is in the environment where it is set there.
#[tokio::test]
async fn help_shows_no_password_of_the_environment() {
    let variables = [("REVERSI_STORE", "redis://user:secret@127.0.0.1:1")];
    let help = output(&["--help"], &variables).await;
    assert!(!String::from_utf8(help.stdout).unwrap().contains("secret"));
}

#[tokio::test]
async fn variables_do_what_flags_do() {
    let mut command = command();
    command.envs([
        ("REVERSI_LISTEN", "127.0.0.1:0"),
        ("REVERSI_ADMIN", "off"),
        ("REVERSI_GAME_TTL", "2h"),
        ("REVERSI_LOG", "info,reversi_service=debug"),
    ]);
    let process = Process::start_command(command).await;
    assert!(!process.has_admin());
    assert_eq!(
        info(&process)
            .await
            .limits
            .unwrap()
            .game_ttl
            .unwrap()
            .seconds,
        7200
    );
}

#[tokio::test]
async fn a_switch_in_a_variable_is_read_as_people_write_it() {
    for (value, open) in [
        ("true", true),
        ("1", true),
        ("yes", true),
        ("false", false),
        ("0", false),
    ] {
        let flags = [
            "--admin",
            "off",
            "--log-format",
            "json",
            "--listen",
            "0.0.0.0:0",
        ];
        if open {
            let mut command = command();
            command.args(flags).env("REVERSI_INSECURE", value);
            Process::start_command(command).await;
        } else {
            let refused = output(&flags, &[("REVERSI_INSECURE", value)]).await;
            assert_eq!(refused.status.code(), Some(64), "{value}: {refused:?}");
        }
    }
}

#[tokio::test]
async fn beyond_this_machine_is_served_when_it_is_meant() {
    let process = Process::start(&["--listen", "0.0.0.0:0", "--insecure"]).await;
    assert!(process.address().starts_with("0.0.0.0:"));
    info(&process).await;
}

#[tokio::test]
async fn a_host_name_is_resolved() {
    let process = Process::start(&["--listen", "localhost:0"]).await;
    info(&process).await;
}

#[tokio::test]
async fn the_usual_admin_port_may_be_taken() {
    // Held here or by somebody else: it is taken either way.
    let _held = TcpListener::bind("127.0.0.1:9090");
    let mut command = command();
    command.args(["--listen", "127.0.0.1:0", "--log-format", "json"]);
    let mut process = Process::start_command(command).await;
    assert!(!process.has_admin());
    let warning = process.logged("going on without the admin port").await;
    assert_eq!(warning["level"], "WARN");
    assert!(
        warning["error"]
            .as_str()
            .unwrap()
            .contains("127.0.0.1:9090"),
        "{warning}"
    );
    info(&process).await;
}

#[tokio::test]
async fn every_line_of_the_log_is_a_json_object() {
    let mut process = Process::start(&["--log", "trace"]).await;
    let game = process.play_all(process.game().await, "f5d6").await;
    process.try_play(&game, "a1").await.unwrap_err();
    process.stop().await;
    let log = process.log();
    for line in &log {
        let line: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        for key in ["timestamp", "level", "target"] {
            assert!(line[key].is_string(), "{key} in {line}");
        }
        let own = line["target"]
            .as_str()
            .unwrap()
            .starts_with("reversi_service");
        assert!(!own || line["message"].is_string(), "{line}");
    }
    assert!(log.len() > 3, "{log:?}");
}

#[tokio::test]
async fn the_log_is_json_where_nobody_reads_it_and_text_where_it_is_asked_for() {
    let mut command = command();
    command.args(["--listen", "127.0.0.1:0", "--admin", "off"]);
    Process::start_command(command).await;

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    let flags = ["--listen", &taken, "--admin", "off", "--log-format", "text"];
    let refused = output(&flags, &[]).await;
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(text.contains("WARN"), "{text}");
    assert!(!text.contains('{') && !text.contains('\u{1b}'), "{text}");
}
