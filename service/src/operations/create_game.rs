//! Creating a game.

use std::time::Duration;

use reversi_engine::{Color, Level, Move, RuleSet};

use super::listed::Listed;
use super::presence::Watched;
use super::{GameError, Games, WriteMode};
use crate::session::{
    ClockRules, ColorPolicy, GameId, GameRecord, LegalMovesDisplay, Occupant, RequestId,
    SeatTokens, Seats, Session, TenantCode, WriteError,
};
use crate::store::Inserted;

/// What a new game is to be.
#[derive(Clone, Debug, Default)]
pub struct CreateGame {
    /// Its rules.
    pub rules: RuleSet,
    /// Who plays.
    pub seats: Seats,
    /// Who gets which colour; for which lots are drawn here is of no account.
    pub color_policy: ColorPolicy,
    /// Whether answers list its legal moves.
    pub legal_moves: LegalMovesDisplay,
    /// How it is timed.
    pub clock: Option<ClockRules>,
    /// How well the engine plays for a person, where that is not the default.
    pub substitute: Option<Level>,
    /// Whether only the holder of a seat moves it.
    pub seat_tokens: SeatTokens,
    /// How long the holder of a seat may be absent.
    pub presence: Option<Duration>,
    /// The caller's words to find it by.
    pub labels: Vec<String>,
    /// The caller's id of it.
    pub external_id: String,
    /// The moves that have been played, which have been checked; automatic passes left out.
    pub moves: Vec<Move>,
    /// How many plies of them nobody takes back.
    pub prelude: usize,
    /// The caller's id of the request; empty for none.
    pub request_id: String,
    /// Whether to create it.
    pub mode: WriteMode,
}

/// A game that was created, now or by an earlier request.
#[derive(Clone, Debug)]
pub struct Created {
    /// Its id.
    pub id: GameId,
    /// The game as it is now.
    pub session: Session,
    /// Whether an earlier request had created it.
    pub replayed: bool,
}

impl Games {
    /// Creates a game. The same request id finds the game of the first attempt.
    ///
    /// # Errors
    ///
    /// [`GameError::Setup`] for a start in which neither side can move;
    /// [`GameError::Refused`] for a request id that created another game;
    /// [`GameError::NotFound`] if the game of the first attempt is deleted;
    /// [`GameError::TooManyLive`]; and the store's.
    pub async fn create(&self, request: CreateGame) -> Result<Created, GameError> {
        let now = self.clock.now();
        let mut record = GameRecord::new(request.rules, now, self.time_to_live);
        record.seats = request.seats;
        record.color_policy = request.color_policy;
        record.legal_moves = request.legal_moves;
        record.clock = request.clock;
        if let Some(substitute) = request.substitute {
            record.substitute = substitute;
        }
        record.seat_tokens = request.seat_tokens;
        record.presence = request.presence;
        record.labels = request.labels;
        record.external_id = request.external_id;
        // Of what was asked for, before lots are drawn.
        let asked = Session::create(record, &request.moves, request.prelude)?;
        let mut record = asked.record().clone();
        let id = if RequestId::new(&request.request_id).is_some() {
            record.creation = Some(record.creation_fingerprint());
            let secret = self.agreed_secret().await?;
            secret.game_id(self.tenant_code(secret), &request.request_id)
        } else {
            random_id(self.tenant_code(self.secret))?
        };
        self.seat(id, &mut record);
        let session = Session::create(record, &request.moves, request.prelude)?;
        if request.mode == WriteMode::ValidateOnly {
            let replayed = false;
            return Ok(Created {
                id,
                session,
                replayed,
            });
        }
        self.insert(id, session).await
    }

    /// Keeps a new game, unless it is there already.
    pub(super) async fn insert(&self, id: GameId, session: Session) -> Result<Created, GameError> {
        let turn = self.turn(id, &session);
        let signs = Watched::default().signs(&session, None, self.clock.now());
        let mut entry = turn.entry(&session, signs);
        entry.notice = Listed::nowhere(self.owner(id)).notice(&session);
        let value = entry.value.clone();
        self.take_place(id, &session).await?;
        match self.store.insert(id, entry).await? {
            Inserted::New => {
                self.recent.put(id, value);
                turn.taken(&session);
                Ok(Created {
                    id,
                    session,
                    replayed: false,
                })
            }
            Inserted::Exists(value) => {
                let existing = self.restore(id, &value)?;
                self.hand_over_place(id, &session, &existing).await?;
                if existing.record().creation != session.record().creation {
                    return Err(GameError::Refused {
                        id,
                        error: WriteError::RequestIdReused,
                        session: Box::new(existing),
                    });
                }
                if existing.is_deleted() {
                    return Err(GameError::NotFound(id));
                }
                self.store.confirm(id).await?;
                Ok(Created {
                    id,
                    session: existing,
                    replayed: true,
                })
            }
        }
    }

    /// Draws lots for a new game, and seats those who are there.
    pub(super) fn seat(&self, id: GameId, record: &mut GameRecord) {
        let lot = self.secret.lot(id);
        let seats = &record.seats;
        let open = |side| seats.of(side).occupant == Occupant::Open;
        let first = match record.color_policy {
            ColorPolicy::AsGiven => return,
            ColorPolicy::FirstToSitIsBlack => Color::Black,
            ColorPolicy::DrawLots(_) => {
                record.color_policy = ColorPolicy::DrawLots(lot);
                lot
            }
        };
        let swap = match (open(Color::Black), open(Color::White)) {
            (true, true) => false,
            (false, false) => first == Color::White,
            // Who is there sits down first.
            (true, false) => first == Color::Black,
            (false, true) => first == Color::White,
        };
        if swap {
            record.seats = std::mem::take(&mut record.seats).swapped();
        }
    }
}

fn random_id(tenant: TenantCode) -> Result<GameId, GameError> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits).map_err(GameError::Random)?;
    Ok(GameId::of_tenant(tenant, u128::from_le_bytes(bits)))
}
