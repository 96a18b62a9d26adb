//! Client library of the Reversi service: one [`Client`] for all its services, with what a
//! caller over a network needs and generated stubs leave out.
//!
//! - **Deadlines.** Every call has one (10 s unless configured). It is sent to the server
//!   and kept here too, so a call always ends.
//! - **Retries.** A call that the service could not take (`UNAVAILABLE`, a lost connection)
//!   is repeated where that is safe: reads always, writes because the client gives each a
//!   `request_id` of its own when the caller has not. All within the deadline.
//! - **Typed errors.** [`Error`] tells what went wrong, [`ApiError`] why the service
//!   refused: its reason, its metadata, the faults of each field.
//! - **Seat tokens.** Creations, claims and rematches answer them beside the message
//!   ([`Seated`]); [`Client::with_seat_token`] acts for a seat.
//! - **Watching.** [`GameWatch`] and [`GamesWatch`] go on where they were when a connection
//!   drops.
//!
//! It knows nothing of the rules: what is legal is the service's business.
//!
//! # Example
//!
//! ```no_run
//! use reversi_client::{Client, proto};
//!
//! # async fn example() -> Result<(), reversi_client::Error> {
//! let client = Client::connect("http://127.0.0.1:50051").await?;
//! let created = client
//!     .games()
//!     .create_game(proto::CreateGameRequest::default())
//!     .await?;
//! let game = created.into_answer().game.unwrap_or_default();
//!
//! let played = client
//!     .games()
//!     .play_move(proto::PlayMoveRequest {
//!         name: game.name,
//!         side: proto::Color::Black.into(),
//!         square: "f5".to_owned(),
//!         expected: Some(proto::play_move_request::Expected::Etag(game.etag)),
//!         ..Default::default()
//!     })
//!     .await;
//! match played {
//!     Ok(played) => println!("{}", played.game.unwrap_or_default().board_text),
//!     Err(error) if error.reason() == Some(proto::ErrorReason::StaleEtag) => {
//!         println!("somebody else moved: the etag is now {:?}", error.metadata("etag"));
//!     }
//!     Err(error) => return Err(error),
//! }
//! # Ok(())
//! # }
//! ```

mod board_text;
mod client;
mod config;
mod connections;
mod credentials;
mod deadline;
mod error;
mod name;
mod reopened;
mod replies;
mod request_id;
mod retry;
mod seated;
mod target;
mod watch;
mod watch_games;

pub use board_text::{
    BoardDrawing, BoardStyle, BoardText, BoardTextError, Cell, square_index, square_name, squares,
};
pub use client::{Analysis, Client, Games, Openings, Rules};
pub use config::ClientConfig;
pub use credentials::{Tls, Token};
pub use error::{ApiError, Error, FieldViolation, Reason, code_name};
pub use name::game_name;
pub use replies::Replies;
pub use retry::RetryPolicy;
pub use reversi_proto::v1 as proto;
pub use seated::Seated;
pub use tonic::Code;
pub use watch::GameWatch;
pub use watch_games::GamesWatch;
