//! Answers that come with the tokens of seats.

use std::ops::Deref;

use tonic::Response;

const TOKEN: &str = "reversi-seat-token";
const BLACK_TOKEN: &str = "reversi-black-seat-token";
const WHITE_TOKEN: &str = "reversi-white-seat-token";

/// An answer with the tokens of seats that came with it, in games that have such tokens. It stands
/// for the answer itself, and shows no token in its debug output.
#[derive(Clone)]
pub struct Seated<T> {
    answer: T,
    own: Option<String>,
    black: Option<String>,
    white: Option<String>,
}

impl<T> Seated<T> {
    /// The answer alone.
    pub fn into_answer(self) -> T {
        self.answer
    }

    /// The token of the caller's own seat: of a claim, and of a rematch.
    #[must_use]
    pub fn seat_token(&self) -> Option<&str> {
        self.own.as_deref()
    }

    /// The token of Black's seat: of a creation.
    #[must_use]
    pub fn black_seat_token(&self) -> Option<&str> {
        self.black.as_deref()
    }

    /// The token of White's seat: of a creation.
    #[must_use]
    pub fn white_seat_token(&self) -> Option<&str> {
        self.white.as_deref()
    }
}

impl<T> From<Response<T>> for Seated<T> {
    fn from(response: Response<T>) -> Self {
        let token = |key| {
            let token = response.metadata().get(key)?;
            token.to_str().ok().map(str::to_owned)
        };
        let (own, black, white) = (token(TOKEN), token(BLACK_TOKEN), token(WHITE_TOKEN));
        Self {
            own,
            black,
            white,
            answer: response.into_inner(),
        }
    }
}

impl<T> Deref for Seated<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.answer
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Seated<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.answer.fmt(f)
    }
}

/// The token of a seat, ready for the metadata of a call.
#[derive(Clone)]
pub(crate) struct SeatToken(tonic::metadata::AsciiMetadataValue);

impl SeatToken {
    /// `None` for a text that cannot stand in metadata.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let mut value: tonic::metadata::AsciiMetadataValue = text.parse().ok()?;
        value.set_sensitive(true);
        Some(Self(value))
    }

    pub(crate) fn show<T>(&self, request: &mut tonic::Request<T>) {
        request.metadata_mut().insert(TOKEN, self.0.clone());
    }
}

impl std::fmt::Debug for SeatToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SeatToken(…)")
    }
}
