//! `reversi-service nboard` as a graphical program sees it: a child with two pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use reversi_engine::{Game, Move, PassMode, RuleSet};

use crate::process::command;

#[test]
fn a_whole_game_is_played_over_the_pipe() {
    let mut command = command();
    command.args(["nboard", "--threads", "1", "--table-size", "1MiB"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let rules = RuleSet {
        pass_mode: PassMode::Explicit,
        ..RuleSet::default()
    };
    let mut game = Game::new(rules).unwrap();
    writeln!(
        input,
        "nboard 2\nset depth 3\nset game (;GM[Othello]TY[8];)"
    )
    .unwrap();
    while !game.turn().is_over() {
        writeln!(input, "ping {}\ngo", game.ply()).unwrap();
        let pong = format!("pong {}", game.ply());
        let answer = lines
            .by_ref()
            .map(|line| line.unwrap())
            .skip_while(|line| *line != pong)
            .find_map(|line| line.strip_prefix("=== ").map(str::to_owned))
            .unwrap();
        let mv: Move = answer.split('/').next().unwrap().parse().unwrap();
        let before = *game.position();
        if let Err(fault) = game.play(mv) {
            panic!("{answer}: {fault}\n{before}");
        }
        writeln!(input, "move {answer}").unwrap();
    }
    assert!(game.discs_placed() > 50, "{}", game.position());
    writeln!(input, "quit").unwrap();
    assert!(child.wait().unwrap().success());
    // Nothing else is ever on the pipe than lines of the protocol.
    assert!(lines.all(|line| line.unwrap().starts_with("status")));
}

#[tokio::test]
async fn flags_that_make_no_sense_are_refused_like_those_of_the_server() {
    let refused = crate::process::output(&["nboard", "--threads", "0"], &[]).await;
    assert_eq!(refused.status.code(), Some(64));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
}
