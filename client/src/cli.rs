//! The command line: what it takes, and one file a command.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.

mod acting;
mod analyze;
mod answer;
mod apply;
mod args;
mod claim;
mod context;
mod delete;
mod failure;
mod filter;
mod info;
mod legal;
mod list;
mod new;
mod opening;
mod output;
mod perft;
mod play;
mod play_move;
mod rematch;
mod replay;
mod resign;
mod score;
mod set_seat;
mod show;
mod solve;
mod subject;
mod suggest;
mod take_back;
mod update;
mod view;
mod watch;
mod watch_games;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use self::{
    context::{Context, Global},
    failure::Failure,
    output::Output,
};

/// Play, watch and examine Reversi games on a Reversi service.
#[derive(Debug, Parser)]
#[command(
    name = "reversi",
    version,
    max_term_width = 100,
    after_help = "Examples:\n  reversi play --side O\n  reversi apply f5d6c3\n  \
                  reversi legal --json | jq -r '.moves[].square'"
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Play(play::Play),
    New(new::New),
    Show(show::Show),
    List(list::List),
    Move(play_move::Move),
    #[command(name = "takeback")]
    TakeBack(take_back::TakeBack),
    Answer(answer::Answer),
    Resign(resign::Resign),
    Claim(claim::Claim),
    SetSeat(set_seat::SetSeat),
    Rematch(rematch::Rematch),
    Update(update::Update),
    Delete(delete::Delete),
    Watch(watch::Watch),
    WatchGames(watch_games::WatchGames),
    Replay(replay::Replay),
    Legal(legal::Legal),
    Apply(apply::Apply),
    Score(score::Score),
    Suggest(suggest::Suggest),
    Analyze(analyze::Analyze),
    Solve(solve::Solve),
    Opening(opening::Opening),
    Perft(perft::Perft),
    Info(info::Info),
}

impl Command {
    async fn run(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Play(command) => command.run(context).await,
            Self::New(command) => command.run(context).await,
            Self::Show(command) => command.run(context).await,
            Self::List(command) => command.run(context).await,
            Self::Move(command) => command.run(context).await,
            Self::TakeBack(command) => command.run(context).await,
            Self::Answer(command) => command.run(context).await,
            Self::Resign(command) => command.run(context).await,
            Self::Claim(command) => command.run(context).await,
            Self::SetSeat(command) => command.run(context).await,
            Self::Rematch(command) => command.run(context).await,
            Self::Update(command) => command.run(context).await,
            Self::Delete(command) => command.run(context).await,
            Self::Watch(command) => command.run(context).await,
            Self::WatchGames(command) => command.run(context).await,
            Self::Replay(command) => command.run(context).await,
            Self::Legal(command) => command.run(context).await,
            Self::Apply(command) => command.run(context).await,
            Self::Score(command) => command.run(context).await,
            Self::Suggest(command) => command.run(context).await,
            Self::Analyze(command) => command.run(context).await,
            Self::Solve(command) => command.run(context).await,
            Self::Opening(command) => command.run(context).await,
            Self::Perft(command) => command.run(context).await,
            Self::Info(command) => command.run(context).await,
        }
    }
}

/// Reads the arguments, runs the command, and says how it went.
pub(crate) fn main() -> ExitCode {
    let Cli { global, command } = Cli::parse();
    let output = Output::new(global.json);
    // One thread is enough: the work is done by the service, and replies multiplex best on
    // a single-threaded runtime.
    let result = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::Io)
        .and_then(|runtime| runtime.block_on(command.run(&Context::new(global, output))));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(output),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example_in_its_help() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string);
            assert!(
                help.is_some_and(|help| help.contains("reversi ")),
                "{}",
                command.get_name()
            );
            assert!(command.get_about().is_some(), "{}", command.get_name());
        }
    }

    #[test]
    fn a_heading_of_the_help_is_over_what_belongs_to_it() {
        let mut cli = Cli::command();
        cli.build();
        let new = cli.find_subcommand("new").unwrap();
        for (option, heading) in [
            ("label", None),
            ("scoring", None),
            ("open", Some("Seats")),
            ("increment", Some("Clock")),
            ("endpoint", Some("Options of every command")),
        ] {
            let found = new.get_arguments().find(|found| found.get_id() == option);
            assert_eq!(found.unwrap().get_help_heading(), heading, "{option}");
        }
    }

    #[test]
    fn a_board_may_begin_with_a_dash() {
        let board = "-".repeat(64);
        let arguments = [
            "reversi", "legal", "--board", &board, "--side", "o", "--json",
        ];
        assert!(Cli::try_parse_from(arguments).is_ok());
    }

    #[test]
    fn a_board_without_a_side_is_wrong_usage() {
        let board = "-".repeat(64);
        for command in [
            &["legal"][..],
            &["apply", "f5"],
            &["perft", "--depth", "1"],
            &["score"],
            &["suggest"],
            &["analyze"],
            &["solve"],
            &["new"],
        ] {
            let mut arguments = vec!["reversi"];
            arguments.extend(command);
            arguments.extend(["--board", &board]);
            assert!(Cli::try_parse_from(arguments).is_err(), "{command:?}");
        }
    }
}
