//! One game of a file, played move by move as a stored game.

use reversi_client::{
    Client, Code, Error,
    proto::{
        CreateGameRequest, DeleteGameRequest, Game, GameState, PlayMoveRequest, RuleSet, Scoring,
        play_move_request::Expected,
    },
};

use super::line::Line;
use crate::cli::{
    failure::{ErrorBody, Failure},
    play_move::side_to_move,
};

/// Whether games are left on the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Yes,
    No,
}

/// A line that was replayed.
#[derive(Debug)]
pub(super) struct Replayed {
    pub(super) line: usize,
    /// Discs placed.
    pub(super) moves: usize,
    /// The game's name, if it was left on the service.
    pub(super) kept: Option<String>,
    pub(super) ending: Ending,
}

/// How a replay ended.
#[derive(Debug)]
pub(super) enum Ending {
    /// All moves were played, and the score is as recorded or none was.
    Agrees,
    /// All moves were played, but the score is not the recorded one.
    Differs {
        recorded: i32,
        /// Black's total; nothing where the game was not over.
        found: Option<i32>,
    },
    /// The move after those played was refused.
    Rejected(ErrorBody),
    /// A call failed for a reason that is not in the line.
    Failed(Failure),
}

/// Plays a line.
pub(super) async fn replay(client: &Client, line: Line, keep: Keep) -> Replayed {
    let mut moves = 0;
    let mut kept = None;
    let ending = match create(client).await {
        Err(failure) => Ending::Failed(failure),
        Ok(mut game) => {
            let ending = play(client, &line, &mut game, &mut moves).await;
            let deleted = match keep {
                Keep::Yes => {
                    kept = Some(game.name);
                    Ok(())
                }
                Keep::No => delete(client, game.name).await,
            };
            match (ending, deleted) {
                (Ending::Failed(failure), _) => Ending::Failed(failure),
                (_, Err(error)) => Ending::Failed(error.into()),
                (ending, Ok(())) => ending,
            }
        }
    };
    Replayed {
        line: line.number,
        moves,
        kept,
        ending,
    }
}

async fn create(client: &Client) -> Result<Game, Failure> {
    let created = client
        .games()
        .create_game(CreateGameRequest {
            rules: Some(RuleSet {
                scoring: Scoring::EmptiesToMajorityTiesSplit.into(),
                ..Default::default()
            }),
            ..Default::default()
        })
        .await?;
    created.into_answer().game.ok_or(Failure::Lacking("game"))
}

/// Deletes the game. It is gone as well when it was deleted or expired before.
async fn delete(client: &Client, name: String) -> Result<(), Error> {
    let request = DeleteGameRequest {
        name,
        ..Default::default()
    };
    match client.games().delete_game(request).await {
        Err(error) if error.code() != Some(Code::NotFound) => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

async fn play(client: &Client, line: &Line, game: &mut Game, moves: &mut usize) -> Ending {
    for square in &line.moves {
        let played = client
            .games()
            .play_move(PlayMoveRequest {
                name: game.name.clone(),
                side: side_to_move(game).into(),
                square: square.clone(),
                expected: Some(Expected::Etag(std::mem::take(&mut game.etag))),
                ..Default::default()
            })
            .await;
        match played.map(|played| played.game) {
            Ok(Some(next)) => *game = next,
            Ok(None) => return Ending::Failed(Failure::Lacking("game")),
            Err(error) if is_refusal(&error) => {
                let mut body = ErrorBody::new(&error);
                body.index = u64::try_from(*moves).ok();
                return Ending::Rejected(body);
            }
            Err(error) => return Ending::Failed(error.into()),
        }
        *moves += 1;
    }
    compare(line, game)
}

/// Whether the fault is the move's.
fn is_refusal(error: &Error) -> bool {
    matches!(
        error.code(),
        Some(Code::FailedPrecondition | Code::InvalidArgument)
    )
}

fn compare(line: &Line, game: &Game) -> Ending {
    let found = (game.state() == GameState::Finished)
        .then(|| Some(game.score?.scored?.black))
        .flatten();
    match line.score {
        Some(recorded) if Some(recorded) != found => Ending::Differs { recorded, found },
        Some(_) | None => Ending::Agrees,
    }
}
