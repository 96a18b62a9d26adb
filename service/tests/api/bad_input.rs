//! What is refused, with which code, and what the refusal says: a table.

mod balanced_input;

use std::collections::BTreeSet;

use prost::Message;
use reversi_proto::PositionBatch;
use reversi_proto::v1::play_move_request::Expected;
use reversi_proto::v1::position::Board;
use reversi_proto::v1::suggest_move_request::Subject;
use reversi_proto::v1::{self, Color, ErrorReason as Reason, PassMode, Start, TranscriptSyntax};
use reversi_service::reason_name;
use tonic::{Code, Status};

use crate::client::{DEAD, SHORTEST_GAME, START, UNTIL_BLACK_MUST_PASS, a_move, text_position};
use crate::edge::raw;
use crate::failure::Failure;
use crate::server::Api;

/// Reasons that other tests see, since they need a server in a state of its own.
const ELSEWHERE: &[(Reason, &str)] = &[
    (Reason::StoreUnavailable, "processes: Redis is killed"),
    (Reason::StoredValueUnreadable, "processes: a corrupt value"),
    (Reason::CredentialRequired, "access: no token"),
    (Reason::CredentialRefused, "access: a wrong token"),
    (Reason::QuotaExceeded, "access: beyond a limit"),
    (Reason::NotReplicated, "processes: too few replicas"),
    (Reason::Internal, "processes: a key of another type"),
    (Reason::ComputeBusy, "analysis: a full queue"),
    (Reason::DeadlineExceeded, "analysis: a passed deadline"),
    (Reason::TooManyEmpties, "solving: more than the limit"),
    (Reason::TooManyGames, "games: a full store"),
    (Reason::ShuttingDown, "stopping: a watch"),
    (Reason::GameWaiting, "seats: a move before a seat is taken"),
    (Reason::GamePaused, "engine_seats: both have left"),
    (Reason::TimeExpired, "clocks: a late move"),
    (Reason::SeatIsEngine, "engine_seats: a move for the engine"),
    (Reason::SeatNotOpen, "seats: a taken seat"),
    (Reason::SeatIsOpen, "seats: nobody leaves"),
    (Reason::SeatIsPerson, "engine_seats: back twice"),
    (Reason::GameNotOver, "rematches: a game that goes on"),
    (Reason::TakeBackPending, "seats: two proposals"),
    (Reason::NoTakeBackPending, "seats: an own proposal"),
    (Reason::CannotTakeBackTo, "seats: too far back"),
    (Reason::SeatTokenRequired, "seats: no token"),
    (Reason::SeatTokenWrong, "seats: another token"),
    (Reason::Unspecified, "nowhere: it is never sent"),
];

const NO_GAME: &str = "games/aaaaaaaaaaaaaaaaaaaa";
const ILLEGAL: Code = Code::FailedPrecondition;
const MALFORMED: Code = Code::InvalidArgument;

/// The games that the rows are about. None of them may change.
struct Table {
    api: Api,
    /// After f5, White to move.
    running: v1::Game,
    /// Over, by the board.
    ended: v1::Game,
    /// Explicit passes; Black must pass.
    passing: v1::Game,
    /// In the placement phase, after d4.
    free: v1::Game,
    /// All of them, as they have to stay.
    all: Vec<v1::Game>,
    /// The reasons seen.
    seen: BTreeSet<String>,
}

impl Table {
    async fn new() -> Self {
        let api = Api::start().await;
        let explicit = v1::RuleSet {
            pass_mode: PassMode::Explicit.into(),
            ..Default::default()
        };
        let passing = api.game_of(explicit).await;
        let free = api.game_of(starting(Start::Free)).await;
        let mut table = Self {
            running: api.play(&api.game().await, "f5").await,
            ended: api.play_all(api.game().await, SHORTEST_GAME).await,
            passing: api.play_all(passing, UNTIL_BLACK_MUST_PASS).await,
            free: api.play(&free, "d4").await,
            api,
            all: Vec::new(),
            seen: BTreeSet::new(),
        };
        table.all = table.games().await;
        table
    }

    async fn games(&self) -> Vec<v1::Game> {
        let request = v1::ListGamesRequest::default();
        let list = self.api.games().list_games(request).await;
        list.unwrap().into_inner().games
    }

    /// A row: a call with its result and what it has to be.
    async fn row<'a, T>(
        &mut self,
        name: &'a str,
        result: Result<T, Status>,
        code: Code,
        reason: Reason,
    ) -> Row<'a> {
        let status = result.err();
        let status = status.unwrap_or_else(|| panic!("{name}: was not refused"));
        let failure = Failure::of(&status);
        assert!(
            failure.is(code, reason),
            "{name}: expected {code:?} {reason:?}, found {failure:#?}"
        );
        assert_eq!(self.games().await, self.all, "{name}: something changed");
        self.seen.insert(failure.reason.clone());
        let row = Row { name, failure };
        row.has_the_details_of_its_code();
        row
    }

    async fn play<'a>(
        &mut self,
        name: &'a str,
        request: v1::PlayMoveRequest,
        code: Code,
        reason: Reason,
    ) -> Row<'a> {
        let played = self.api.games().play_move(request).await;
        self.row(name, played, code, reason).await
    }
}

struct Row<'a> {
    name: &'a str,
    failure: Failure,
}

impl Row<'_> {
    fn says(self, key: &str, value: &str) -> Self {
        let said = self.failure.metadata.get(key).map(String::as_str);
        assert_eq!(
            said,
            Some(value),
            "{}: {key} in {:#?}",
            self.name,
            self.failure
        );
        self
    }

    /// All fields at fault, in any order, and no other.
    fn blames(self, fields: &[&str]) -> Self {
        let found: BTreeSet<_> = self.failure.fields.iter().map(String::as_str).collect();
        let expected: BTreeSet<_> = fields.iter().copied().collect();
        assert_eq!(found, expected, "{}: {:#?}", self.name, self.failure);
        self
    }

    /// Says where the game is and what may be played there.
    fn tells(self, game: &v1::Game) -> Self {
        let legal = game.legal_moves.as_ref().map_or(String::new(), |legal| {
            let squares: Vec<_> = legal.moves.iter().map(|mv| &mv.square[..]).collect();
            if legal.turn() == v1::Turn::Pass {
                "pass".to_owned()
            } else {
                squares.join(" ")
            }
        });
        let (_, subject) = self.failure.precondition.clone().unwrap();
        assert_eq!(subject, game.name, "{}", self.name);
        self.says("etag", &game.etag).says("legal_moves", &legal)
    }

    fn has_the_details_of_its_code(&self) {
        let Self { name, failure } = self;
        let code = failure.code;
        // A message that cannot be read as a whole has no field to blame.
        let whole = ["MALFORMED_MESSAGE", "TOO_LARGE"].contains(&&failure.reason[..]);
        if !(whole && failure.fields.is_empty()) {
            let blames = !failure.fields.is_empty();
            assert_eq!(code == MALFORMED, blames, "{name}: {failure:#?}");
        }
        let precondition = failure.precondition.as_ref().map(|(kind, _)| &kind[..]);
        let expected = (code == ILLEGAL).then_some(&failure.reason[..]);
        assert_eq!(precondition, expected, "{name}: {failure:#?}");
        let resource = failure.resource.is_some();
        assert_eq!(code == Code::NotFound, resource, "{name}: {failure:#?}");
        let retry = [Code::Unavailable, Code::ResourceExhausted].contains(&code);
        let retries = failure.retry_after.is_some();
        assert_eq!(retry, retries, "{name}: {failure:#?}");
    }
}

fn starting(start: Start) -> v1::RuleSet {
    v1::RuleSet {
        start: start.into(),
        ..Default::default()
    }
}

/// Moves of stored games.
async fn moves(table: &mut Table) {
    let (running, ended) = (table.running.clone(), table.ended.clone());
    let (passing, free) = (table.passing.clone(), table.free.clone());
    let mut wrong_side = a_move(&running, "d6");
    wrong_side.side = Color::Black.into();
    let rows = [
        ("no flip", &running, "a1", Reason::IllegalNoFlip),
        ("an occupied square", &running, "D4", Reason::SquareOccupied),
        ("a false pass", &running, "pass", Reason::FalsePass),
        ("off the centre", &free, "d3", Reason::OutsideCentre),
        ("an occupied centre", &free, "d4", Reason::SquareOccupied),
        ("no placement", &free, "--", Reason::FalsePass),
        ("a disc for a pass", &passing, "b5", Reason::MustPass),
        ("a move after the end", &ended, "a1", Reason::GameOver),
        ("a pass after the end", &ended, "pass", Reason::GameOver),
    ];
    for (name, game, square, reason) in rows {
        let played = table.api.try_play(game, square).await;
        let row = table.row(name, played, ILLEGAL, reason).await.tells(game);
        if ![Reason::FalsePass, Reason::GameOver].contains(&reason) {
            row.says("square", &square.to_lowercase());
        }
    }
    let row = table.play("the wrong side", wrong_side, ILLEGAL, Reason::NotYourTurn);
    row.await.says("side_to_move", "white").tells(&running);
    for (name, square, value) in [
        ("no square", "i9", "i9"),
        ("half a square", "d", "d"),
        ("two squares", "d3d4", "d3d4"),
        ("a blank behind", "d3 ", "d3 "),
        ("a long text", "abcdefghijklm", "abcdefgh"),
        ("letters of two bytes", "éééééééééé", "éééééééé"),
        ("a control character", "\u{0}", "\u{0}"),
    ] {
        let played = table.api.try_play(&running, square).await;
        let row = table.row(name, played, MALFORMED, Reason::NotASquare).await;
        row.says("field", "square")
            .says("value", value)
            .blames(&["square"]);
    }
}

/// What comes with a write.
async fn writes(table: &mut Table) {
    let (running, ended) = (table.running.clone(), table.ended.clone());
    let etag = |etag: &str| Some(Expected::Etag(etag.to_owned()));
    let ply = |ply| Some(Expected::ExpectedPly(ply));
    let expecting = |expected| v1::PlayMoveRequest {
        expected,
        ..a_move(&running, "d6")
    };
    for (name, expected) in [
        ("an older etag", etag("0")),
        ("a later etag", etag("2")),
        ("an etag of another service", etag("W/\"1\"")),
        ("an etag in another form", etag("01")),
        ("an older ply", ply(0)),
        ("a later ply", ply(i32::MAX)),
    ] {
        let request = expecting(expected);
        let row = table.play(name, request, Code::Aborted, Reason::StaleEtag);
        row.await.says("etag", "1").says("ply", "1");
    }
    for (name, expected, field, reason) in [
        ("no expectation", None, "expected", Reason::FieldRequired),
        ("an empty etag", etag(""), "etag", Reason::FieldRequired),
        (
            "a long etag",
            etag(&"1".repeat(65)),
            "etag",
            Reason::TooLarge,
        ),
        (
            "a negative ply",
            ply(-1),
            "expected_ply",
            Reason::FieldInvalid,
        ),
    ] {
        let row = table.play(name, expecting(expected), MALFORMED, reason);
        row.await.says("field", field).blames(&[field]);
    }
    let mut request = a_move(&running, "d6");
    request.request_id = "i".repeat(65);
    let row = table.play("a long request id", request, MALFORMED, Reason::TooLarge);
    row.await
        .says("limit", "64")
        .says("found", "65")
        .blames(&["request_id"]);

    let resigned = table.api.resign(&ended.name, Color::Black).await;
    let row = table.row("giving up when over", resigned, ILLEGAL, Reason::GameOver);
    row.await.tells(&ended);
    let taken = table.api.take_back(&ended.name, Color::Black).await;
    let row = table.row("taking back when over", taken, ILLEGAL, Reason::GameOver);
    row.await.tells(&ended);
    let taken = table.api.take_back(&running.name, Color::White).await;
    let nothing = Reason::NothingToTakeBack;
    let row = table.row("nothing to take back", taken, ILLEGAL, nothing);
    row.await.tells(&running);

    let name = running.name.clone();
    let (side, stale) = (Color::Black.into(), Reason::StaleEtag);
    let request = v1::TakeBackRequest {
        name: name.clone(),
        side,
        etag: "0".to_owned(),
        ..Default::default()
    };
    let taken = table.api.games().take_back(request).await;
    let row = table.row("a stale TakeBack", taken, Code::Aborted, stale);
    row.await.says("etag", "1").says("ply", "1");
    let request = v1::ResignRequest {
        name: name.clone(),
        side,
        etag: "9".to_owned(),
        ..Default::default()
    };
    let resigned = table.api.games().resign(request).await;
    let row = table.row("a stale Resign", resigned, Code::Aborted, stale);
    row.await.says("etag", "1").says("ply", "1");
    let etag = "x".to_owned();
    let request = v1::DeleteGameRequest {
        name,
        etag,
        ..Default::default()
    };
    let deleted = table.api.games().delete_game(request).await;
    let row = table.row("a stale DeleteGame", deleted, Code::Aborted, stale);
    row.await.says("etag", "1").says("ply", "1");
}

/// A request id that was used.
async fn used_ids(table: &mut Table) {
    let mut request = a_move(&table.running, "d6");
    request.request_id = "used".to_owned();
    let played = table.api.games().play_move(request.clone()).await;
    table.running = played.unwrap().into_inner().game.unwrap();
    table.all = table.games().await;
    request.square = "f4".to_owned();
    let row = table.play("a used id", request, MALFORMED, Reason::RequestIdReused);
    row.await.says("request_id", "used").blames(&["request_id"]);
}

/// Names of games, at every method that takes one.
async fn names(table: &mut Table) {
    let long = format!("games/{}", "a".repeat(5000));
    let malformed = Reason::MalformedName;
    for (case, name, code, reason) in [
        ("unknown", NO_GAME, Code::NotFound, Reason::GameNotFound),
        ("none", "", MALFORMED, Reason::FieldRequired),
        ("an id alone", &NO_GAME[6..], MALFORMED, malformed),
        ("a short id", "games/aaa", MALFORMED, malformed),
        (
            "upper case",
            "games/AAAAAAAAAAAAAAAAAAAA",
            MALFORMED,
            malformed,
        ),
        (
            "of others",
            "players/aaaaaaaaaaaaaaaaaaaa",
            MALFORMED,
            malformed,
        ),
        (
            "more behind",
            "games/aaaaaaaaaaaaaaaaaaaa/1",
            MALFORMED,
            malformed,
        ),
        ("long", &long, MALFORMED, malformed),
        (
            "of two bytes a letter",
            "games/éééééééééé",
            MALFORMED,
            malformed,
        ),
    ] {
        let play = v1::PlayMoveRequest {
            name: name.to_owned(),
            ..a_move(&table.running, "d6")
        };
        let suggest = v1::SuggestMoveRequest {
            subject: Some(Subject::Game(name.to_owned())),
            ..Default::default()
        };
        let side = Color::Black;
        let suggested = table.api.analysis().suggest_move(suggest).await;
        let results = [
            ("name", table.api.try_get(name).await.err()),
            ("name", table.api.games().play_move(play).await.err()),
            ("name", table.api.take_back(name, side).await.err()),
            ("name", table.api.resign(name, side).await.err()),
            ("name", table.api.delete(name).await.err()),
            ("name", table.api.try_watch(name, "").await.err()),
            ("game", suggested.err()),
        ];
        let shown: String = name.chars().take(64).collect();
        for (field, status) in results {
            let result = status.map_or(Ok(()), Err);
            let row = table.row(case, result, code, reason).await;
            let row = if code == MALFORMED {
                row.says("field", field).blames(&[field])
            } else {
                row
            };
            if reason != Reason::FieldRequired {
                row.says("name", &shown);
            }
        }
    }
}

/// Lists and batches of games.
async fn lists(table: &mut Table) {
    let names = |names: &[&str]| v1::BatchGetGamesRequest {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
    };
    let running = table.running.name.clone();
    let request = names(&[NO_GAME, "x", &running, ""]);
    let got = table.api.games().batch_get_games(request).await;
    let row = table.row("bad names", got, MALFORMED, Reason::MalformedName);
    row.await
        .says("field", "names[1]")
        .says("name", "x")
        .blames(&["names[1]", "names[3]"]);
    let got = table.api.games().batch_get_games(names(&[])).await;
    let row = table.row("no names", got, MALFORMED, Reason::FieldRequired);
    row.await.blames(&["names"]);
    let request = names(&[NO_GAME; 501]);
    let got = table.api.games().batch_get_games(request).await;
    let row = table.row("too many names", got, MALFORMED, Reason::TooLarge);
    row.await
        .says("limit", "500")
        .says("found", "501")
        .blames(&["names"]);

    let request = v1::ListGamesRequest {
        page_size: -1,
        page_token: String::new(),
        state: 5,
        ..Default::default()
    };
    let listed = table.api.games().list_games(request).await;
    let row = table.row("a negative page", listed, MALFORMED, Reason::FieldInvalid);
    row.await
        .says("field", "page_size")
        .says("value", "-1")
        .blames(&["page_size", "state"]);
    let request = v1::ListGamesRequest {
        page_token: format!("{:068x}", 7),
        ..Default::default()
    };
    let listed = table.api.games().list_games(request).await;
    let forged = Reason::MalformedPageToken;
    let row = table.row("a forged page token", listed, MALFORMED, forged);
    row.await
        .says("field", "page_token")
        .blames(&["page_token"]);
}

/// Starts of games that cannot be created.
async fn starts(table: &mut Table) {
    const POSITION: &str = "rules.custom_position";
    const TEXT: &str = "rules.custom_position.text";
    let bits = |black, white, side| v1::Position {
        board: Some(Board::Bitboards(v1::Bitboards { black, white })),
        side_to_move: side,
    };
    let text = |text: &str| text_position(text, Color::Black);
    let no_board = v1::Position {
        board: None,
        side_to_move: 1,
    };
    let (invalid, required) = (Reason::FieldInvalid, Reason::FieldRequired);
    let (board, dead) = (Reason::MalformedBoard, Reason::NoLegalMoves);
    let overlap = Reason::OverlappingDiscs;
    let foreign = START.replacen('X', "#", 1);
    let accented = START.replacen('X', "é", 1);
    let side = "rules.custom_position.side_to_move";
    for (name, position, reason, field, said) in [
        (
            "overlapping",
            bits(7, 14, 1),
            overlap,
            POSITION,
            "squares=b1 c1",
        ),
        ("dead", text(DEAD), dead, POSITION, ""),
        ("empty", bits(0, 0, 1), dead, POSITION, ""),
        ("63 squares", text(&START[1..]), board, TEXT, "found=63"),
        (
            "65 squares",
            text(&format!("{START}-")),
            board,
            TEXT,
            "found=65",
        ),
        ("no text", text(""), board, TEXT, "found=0"),
        ("a letter", text(&foreign), board, TEXT, "offset=28 found=#"),
        (
            "two bytes",
            text(&accented),
            board,
            TEXT,
            "offset=28 found=é",
        ),
        ("no side", bits(1, 2, 0), required, side, ""),
        ("unknown side", bits(1, 2, 3), invalid, side, "value=3"),
        (
            "no board",
            no_board,
            required,
            "rules.custom_position.board",
            "",
        ),
    ] {
        let rules = v1::RuleSet {
            custom_position: Some(position),
            ..starting(Start::Custom)
        };
        let mut row = refused_start(table, name, rules, reason).await;
        row = row.says("field", field).blames(&[field]);
        if let Some((key, value)) = said.split_once('=') {
            let (value, more) = value.split_once(" found=").unwrap_or((value, ""));
            row = row.says(key, value);
            if !more.is_empty() {
                row.says("found", more);
            }
        }
    }
    let row = refused_start(table, "no position", starting(Start::Custom), required);
    row.await.says("field", POSITION).blames(&[POSITION]);
    let rules = v1::RuleSet {
        custom_position: Some(text(START)),
        ..starting(Start::Standard)
    };
    let row = refused_start(table, "a position too much", rules, invalid);
    row.await.says("field", POSITION).blames(&[POSITION]);
    let rules = v1::RuleSet {
        start: 99,
        ..Default::default()
    };
    let row = refused_start(table, "an unknown start", rules, invalid).await;
    row.says("value", "99").blames(&["rules.start"]);
    balanced_input::refused(table).await;
}

async fn refused_start<'a>(
    table: &mut Table,
    name: &'a str,
    rules: v1::RuleSet,
    reason: Reason,
) -> Row<'a> {
    let request = v1::CreateGameRequest {
        rules: Some(rules),
        ..Default::default()
    };
    let created = table.api.games().create_game(request).await;
    table.row(name, created, MALFORMED, reason).await
}

/// Required fields, unknown enum values, texts that are too long.
async fn fields(table: &mut Table) {
    let seat = v1::Seat {
        player_id: "p".repeat(65),
        display_name: "é".repeat(33),
        ..Default::default()
    };
    let request = v1::CreateGameRequest {
        rules: Some(v1::RuleSet {
            objective: 3,
            start: Start::Balanced.into(),
            scoring: 4,
            pass_mode: -1,
            custom_position: None,
            balanced: None,
        }),
        black_seat: Some(seat.clone()),
        white_seat: Some(seat),
        legal_moves_display: 3,
        request_id: "é".repeat(33),
        ..Default::default()
    };
    let created = table.api.games().create_game(request).await;
    let row = table.row("all at once", created, MALFORMED, Reason::FieldInvalid);
    row.await
        .says("field", "rules.objective")
        .says("value", "3")
        .blames(&[
            "rules.objective",
            "rules.scoring",
            "rules.pass_mode",
            "black_seat.player_id",
            "black_seat.display_name",
            "white_seat.player_id",
            "white_seat.display_name",
            "legal_moves_display",
            "request_id",
        ]);

    let required = Reason::FieldRequired;
    let row = table.play(
        "PlayMove",
        v1::PlayMoveRequest::default(),
        MALFORMED,
        required,
    );
    row.await.blames(&["name", "side", "square", "expected"]);
    let request = v1::TakeBackRequest::default();
    let taken = table.api.games().take_back(request).await;
    let row = table.row("TakeBack", taken, MALFORMED, required).await;
    row.blames(&["name", "side"]);
    let request = v1::ScorePositionRequest::default();
    let scored = table.api.rules().score_position(request).await;
    let row = table
        .row("ScorePosition", scored, MALFORMED, required)
        .await;
    row.says("field", "position").blames(&["position"]);
    let request = v1::SuggestMoveRequest::default();
    let suggested = table.api.analysis().suggest_move(request).await;
    let row = table
        .row("SuggestMove", suggested, MALFORMED, required)
        .await;
    row.says("field", "subject").blames(&["subject"]);
    let request = v1::ResignRequest {
        name: "x".to_owned(),
        side: 3,
        etag: "e".repeat(65),
        request_id: "r".repeat(65),
    };
    let resigned = table.api.games().resign(request).await;
    let row = table.row("Resign", resigned, MALFORMED, Reason::MalformedName);
    row.await.blames(&["name", "side", "etag", "request_id"]);

    let list = async |api: &Api, request| api.rules().list_legal_moves(request).await;
    let request = v1::ListLegalMovesRequest {
        view: 3,
        ..Default::default()
    };
    let listed = list(&table.api, request).await;
    let row = table
        .row("a view", listed, MALFORMED, Reason::FieldInvalid)
        .await;
    row.says("value", "3").blames(&["view"]);
    for (name, square, side) in [
        ("a placement off the centre", 0, Color::White),
        ("a placement of the wrong side", 27, Color::Black),
    ] {
        let black = 1 << square;
        let request = v1::ListLegalMovesRequest {
            position: Some(v1::Position {
                board: Some(Board::Bitboards(v1::Bitboards { black, white: 0 })),
                side_to_move: side.into(),
            }),
            rules: Some(starting(Start::Free)),
            view: 0,
        };
        let listed = list(&table.api, request).await;
        let row = table.row(name, listed, MALFORMED, Reason::MalformedPlacement);
        row.await.says("field", "position").blames(&["position"]);
    }
}

/// Transcripts.
async fn transcripts(table: &mut Table) {
    let (strict, lenient) = (TranscriptSyntax::Strict, TranscriptSyntax::Lenient);
    let over = format!("{SHORTEST_GAME}a1");
    for (text, syntax, code, reason, index) in [
        ("hello", lenient, MALFORMED, Reason::NotASquare, "0"),
        ("f5d6??", lenient, MALFORMED, Reason::NotASquare, "2"),
        ("f5 d6", strict, MALFORMED, Reason::NotASquare, "1"),
        ("f5d", strict, MALFORMED, Reason::OddLength, "1"),
        ("f5pa", lenient, ILLEGAL, Reason::FalsePass, "1"),
        (&over, strict, ILLEGAL, Reason::GameOver, "9"),
    ] {
        let request = v1::ApplyMovesRequest {
            transcript: text.to_owned(),
            syntax: syntax.into(),
            ..Default::default()
        };
        let applied = table.api.rules().apply_moves(request).await;
        let row = table.row(text, applied, code, reason).await;
        row.says("index", index).says("field", "transcript");
    }
}

/// Messages as such.
async fn messages(table: &mut Table) {
    let channel = table.api.channel.clone();
    let path = "/reversi.v1.GameService/PlayMove";
    let answer = raw(&channel, path, &[0x0a, 0xff]).await;
    let row = table.row("no message", answer, MALFORMED, Reason::MalformedMessage);
    row.await.blames(&[]);
    let path = "/reversi.v1.GameService/Castle";
    let answer = raw(&channel, path, &[]).await;
    let unsupported = (Code::Unimplemented, Reason::NotSupported);
    let row = table.row("no method", answer, unsupported.0, unsupported.1);
    row.await.says("feature", path);
    let request = v1::GetGameRequest {
        name: "x".repeat(2 << 20),
    };
    assert!(request.encoded_len() > 2 << 20);
    let got = table.api.games().get_game(request).await;
    let row = table.row("2 MiB and more", got, MALFORMED, Reason::TooLarge);
    row.await.says("limit", "2097152");
    for (name, player, opponent, reason, field) in [
        ("an empty batch", 0, 0, Reason::FieldRequired, "player"),
        ("a large batch", 65_537, 65_537, Reason::TooLarge, "player"),
        ("an uneven batch", 3, 2, Reason::LengthMismatch, "opponent"),
    ] {
        let batch = PositionBatch {
            player: vec![0; player].into(),
            opponent: vec![0; opponent].into(),
        };
        let listed = table.api.rules().batch_list_legal_moves(batch).await;
        let row = table.row(name, listed, MALFORMED, reason).await;
        row.says("field", field).blames(&[field]);
    }
}

#[tokio::test]
async fn every_bad_input_is_refused_with_its_code_reason_and_details_and_changes_nothing() {
    let mut table = Table::new().await;
    moves(&mut table).await;
    writes(&mut table).await;
    names(&mut table).await;
    lists(&mut table).await;
    starts(&mut table).await;
    fields(&mut table).await;
    transcripts(&mut table).await;
    messages(&mut table).await;
    used_ids(&mut table).await;

    // Every reason of the API is in a row, or is seen elsewhere.
    let elsewhere = ELSEWHERE.iter().map(|(reason, _)| reason_name(*reason));
    let elsewhere: BTreeSet<_> = elsewhere.map(str::to_owned).collect();
    let twice: Vec<_> = elsewhere.intersection(&table.seen).collect();
    assert!(twice.is_empty(), "in a row and elsewhere: {twice:?}");
    let all = (0..1000).filter_map(|number| Reason::try_from(number).ok());
    for name in all.map(reason_name) {
        let found = table.seen.contains(name) || elsewhere.contains(name);
        assert!(found, "{name} is in no row");
    }
}
