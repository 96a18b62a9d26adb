//! What is refused, with which code, and what the refusal says: a table.

use std::collections::BTreeSet;

use prost::Message;
use reversi_proto::PositionBatch;
use reversi_proto::v1::play_move_request::Expected;
use reversi_proto::v1::position::Board;
use reversi_proto::v1::suggest_move_request::Subject;
use reversi_proto::v1::{self, Color, ErrorReason, GameState, PassMode, Start, TranscriptSyntax};
use reversi_service::reason_name;
use tonic::{Code, Status};

use crate::client::{DEAD, SHORTEST_GAME, START, UNTIL_BLACK_MUST_PASS, a_move, text_position};
use crate::edge::raw;
use crate::failure::Failure;
use crate::server::Api;

/// Reasons that other tests see, since they need a server in a state of its own.
const ELSEWHERE: [(ErrorReason, &str); 8] = [
    (ErrorReason::StoreUnavailable, "processes: Redis is killed"),
    (
        ErrorReason::StoredValueUnreadable,
        "processes: a stored value is corrupt",
    ),
    (
        ErrorReason::Internal,
        "processes: a stored value is of another type",
    ),
    (ErrorReason::ComputeBusy, "analysis: a full queue"),
    (
        ErrorReason::DeadlineExceeded,
        "analysis: a deadline that has passed",
    ),
    (ErrorReason::TooManyGames, "games: a full store"),
    (ErrorReason::ShuttingDown, "stopping: a watch"),
    (ErrorReason::Unspecified, "nowhere: it is never sent"),
];

/// The games that the rows are about. None of them may change.
struct Fixture {
    api: Api,
    /// After f5, White to move.
    running: v1::Game,
    /// Over, by the board.
    ended: v1::Game,
    /// Explicit passes; Black must pass.
    passing: v1::Game,
    /// In the placement phase.
    free: v1::Game,
    /// The reasons seen.
    seen: BTreeSet<String>,
    all: Vec<v1::Game>,
}

impl Fixture {
    async fn new() -> Self {
        let api = Api::start().await;
        let rules = |start: Start, pass_mode: PassMode| v1::RuleSet {
            start: start.into(),
            pass_mode: pass_mode.into(),
            ..Default::default()
        };
        let explicit = rules(Start::Standard, PassMode::Explicit);
        let free = rules(Start::Free, PassMode::Automatic);
        let mut fixture = Self {
            running: api.play(&api.game().await, "f5").await,
            ended: api.play_all(api.game().await, SHORTEST_GAME).await,
            passing: api
                .play_all(api.game_of(explicit).await, UNTIL_BLACK_MUST_PASS)
                .await,
            free: api.play(&api.game_of(free).await, "d4").await,
            api,
            seen: BTreeSet::new(),
            all: Vec::new(),
        };
        fixture.all = fixture.games().await;
        fixture
    }

    async fn games(&self) -> Vec<v1::Game> {
        let list = self
            .api
            .games()
            .list_games(v1::ListGamesRequest::default())
            .await;
        list.unwrap().into_inner().games
    }

    /// A row of the table: what a call was refused with.
    async fn row<T: std::fmt::Debug>(
        &mut self,
        name: &'static str,
        call: impl Future<Output = Result<T, Status>>,
        code: Code,
        reason: ErrorReason,
    ) -> Row {
        let Err(status) = call.await else {
            panic!("{name}: was not refused");
        };
        assert_ne!(status.code(), Code::Unknown, "{name}: {status:?}");
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

    async fn play(
        &mut self,
        name: &'static str,
        request: v1::PlayMoveRequest,
        code: Code,
        reason: ErrorReason,
    ) -> Row {
        let mut games = self.api.games();
        self.row(
            name,
            async move { games.play_move(request).await },
            code,
            reason,
        )
        .await
    }
}

struct Row {
    name: &'static str,
    failure: Failure,
}

impl Row {
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

    /// All fields at fault, in any order.
    fn blames(self, fields: &[&str]) -> Self {
        let found: BTreeSet<_> = self.failure.fields.iter().map(String::as_str).collect();
        let expected: BTreeSet<_> = fields.iter().copied().collect();
        assert_eq!(found, expected, "{}: {:#?}", self.name, self.failure);
        self
    }

    /// Says where the game is and what may be played there.
    fn tells(self, game: &v1::Game) -> Self {
        let legal = match &game.legal_moves {
            None => String::new(),
            Some(legal) if legal.turn() == v1::Turn::Pass => "pass".to_owned(),
            Some(legal) => {
                let squares: Vec<_> = legal.moves.iter().map(|mv| mv.square.as_str()).collect();
                squares.join(" ")
            }
        };
        let subject = self.failure.precondition.clone().unwrap().1;
        assert_eq!(subject, game.name, "{}", self.name);
        self.says("etag", &game.etag).says("legal_moves", &legal)
    }

    fn has_the_details_of_its_code(&self) {
        let Failure {
            code,
            reason,
            fields,
            precondition,
            resource,
            retry_after,
            ..
        } = &self.failure;
        let name = self.name;
        // A message as a whole that cannot be read has no field to blame.
        let whole = ["MALFORMED_MESSAGE", "TOO_LARGE"].contains(&reason.as_str());
        assert_eq!(
            *code == Code::InvalidArgument,
            !fields.is_empty() || (whole && *code == Code::InvalidArgument),
            "{name}: {:#?}",
            self.failure
        );
        assert_eq!(
            *code == Code::FailedPrecondition,
            precondition.is_some(),
            "{name}: {:#?}",
            self.failure
        );
        if let Some((kind, _)) = precondition {
            assert_eq!(kind, reason, "{name}");
        }
        assert_eq!(
            *code == Code::NotFound,
            resource.is_some(),
            "{name}: {:#?}",
            self.failure
        );
        let retry = [Code::Unavailable, Code::ResourceExhausted].contains(code);
        assert_eq!(retry, retry_after.is_some(), "{name}: {:#?}", self.failure);
    }
}

const NO_GAME: &str = "games/aaaaaaaaaaaaaaaaaaaa";
const ILLEGAL: Code = Code::FailedPrecondition;
const MALFORMED: Code = Code::InvalidArgument;

/// Moves of stored games.
async fn moves(fixture: &mut Fixture) {
    let Fixture {
        running,
        ended,
        passing,
        free,
        ..
    } = fixture;
    let (running, ended) = (running.clone(), ended.clone());
    let (passing, free) = (passing.clone(), free.clone());

    let request = a_move(&running, "a1");
    let row = fixture.play(
        "a disc that turns nothing",
        request,
        ILLEGAL,
        ErrorReason::IllegalNoFlip,
    );
    row.await.says("square", "a1").tells(&running);
    let request = a_move(&running, "D4");
    let row = fixture.play(
        "an occupied square",
        request,
        ILLEGAL,
        ErrorReason::SquareOccupied,
    );
    row.await.says("square", "d4").tells(&running);
    let request = a_move(&free, "d3");
    let row = fixture.play(
        "a placement off the centre",
        request,
        ILLEGAL,
        ErrorReason::OutsideCentre,
    );
    row.await.says("square", "d3").tells(&free);
    for (name, square, value) in [
        ("no square", "i9", "i9"),
        ("half a square", "d", "d"),
        ("two squares", "d3d4", "d3d4"),
        ("a long text", "abcdefghijklm", "abcdefgh"),
        ("letters of more than a byte", "éééééééééé", "éééééééé"),
        ("a control character", "\u{0}", "\u{0}"),
    ] {
        let request = a_move(&running, square);
        let row = fixture.play(name, request, MALFORMED, ErrorReason::NotASquare);
        row.await
            .says("field", "square")
            .says("value", value)
            .blames(&["square"]);
    }
    let mut request = a_move(&running, "d6");
    request.side = Color::Black.into();
    let row = fixture.play("the wrong side", request, ILLEGAL, ErrorReason::NotYourTurn);
    row.await.says("side_to_move", "white").tells(&running);
    let request = a_move(&ended, "a1");
    let row = fixture.play(
        "a move after the end",
        request,
        ILLEGAL,
        ErrorReason::GameOver,
    );
    row.await.tells(&ended);
    let request = a_move(&running, "pass");
    let row = fixture.play(
        "a pass that is not due",
        request,
        ILLEGAL,
        ErrorReason::FalsePass,
    );
    row.await.tells(&running);
    let request = a_move(&free, "--");
    let row = fixture.play(
        "a pass instead of a placement",
        request,
        ILLEGAL,
        ErrorReason::FalsePass,
    );
    row.await.tells(&free);
    let request = a_move(&passing, "b5");
    let row = fixture.play(
        "a disc instead of a pass",
        request,
        ILLEGAL,
        ErrorReason::MustPass,
    );
    row.await.says("square", "b5").tells(&passing);
}

/// What comes with a write.
async fn writes(fixture: &mut Fixture) {
    let running = fixture.running.clone();
    let ended = fixture.ended.clone();
    for (name, expected) in [
        ("an older etag", Expected::Etag("0".to_owned())),
        ("a later etag", Expected::Etag("2".to_owned())),
        (
            "an etag of another service",
            Expected::Etag("W/\"1\"".to_owned()),
        ),
        ("an etag in another form", Expected::Etag("01".to_owned())),
        ("an older ply", Expected::ExpectedPly(0)),
        ("a later ply", Expected::ExpectedPly(i32::MAX)),
    ] {
        let mut request = a_move(&running, "d6");
        request.expected = Some(expected);
        let row = fixture.play(name, request, Code::Aborted, ErrorReason::StaleEtag);
        row.await.says("etag", "1").says("ply", "1");
    }
    for (name, expected, field, reason) in [
        (
            "no expectation",
            None,
            "expected",
            ErrorReason::FieldRequired,
        ),
        (
            "an empty etag",
            Some(Expected::Etag(String::new())),
            "etag",
            ErrorReason::FieldRequired,
        ),
        (
            "a negative ply",
            Some(Expected::ExpectedPly(-1)),
            "expected_ply",
            ErrorReason::FieldInvalid,
        ),
        (
            "a long etag",
            Some(Expected::Etag("1".repeat(65))),
            "etag",
            ErrorReason::TooLarge,
        ),
    ] {
        let mut request = a_move(&running, "d6");
        request.expected = expected;
        let row = fixture.play(name, request, MALFORMED, reason);
        row.await.says("field", field).blames(&[field]);
    }
    let mut request = a_move(&running, "d6");
    request.request_id = "i".repeat(65);
    let row = fixture.play(
        "a long request id",
        request,
        MALFORMED,
        ErrorReason::TooLarge,
    );
    row.await
        .says("field", "request_id")
        .says("limit", "64")
        .says("found", "65");

    let mut games = fixture.api.games();
    let request = v1::ResignRequest {
        name: ended.name.clone(),
        side: Color::Black.into(),
        ..Default::default()
    };
    let call = async move { games.resign(request).await };
    let row = fixture.row(
        "giving up a game that is over",
        call,
        ILLEGAL,
        ErrorReason::GameOver,
    );
    row.await.tells(&ended);
    let mut games = fixture.api.games();
    let request = v1::TakeBackRequest {
        name: running.name.clone(),
        side: Color::White.into(),
        ..Default::default()
    };
    let call = async move { games.take_back(request).await };
    let row = fixture.row(
        "nothing to take back",
        call,
        ILLEGAL,
        ErrorReason::NothingToTakeBack,
    );
    row.await.tells(&running);
    let mut games = fixture.api.games();
    let request = v1::TakeBackRequest {
        name: running.name.clone(),
        side: Color::Black.into(),
        etag: "0".to_owned(),
        ..Default::default()
    };
    let call = async move { games.take_back(request).await };
    let row = fixture.row(
        "taking back from an older etag",
        call,
        Code::Aborted,
        ErrorReason::StaleEtag,
    );
    row.await.says("etag", "1").says("ply", "1");
    let mut games = fixture.api.games();
    let request = v1::DeleteGameRequest {
        name: running.name.clone(),
        etag: "7".to_owned(),
    };
    let call = async move { games.delete_game(request).await };
    let row = fixture.row(
        "deleting a later etag",
        call,
        Code::Aborted,
        ErrorReason::StaleEtag,
    );
    row.await.says("etag", "1");
}

/// A request id that was used.
async fn used_ids(fixture: &mut Fixture) {
    let mut request = a_move(&fixture.running, "d6");
    request.request_id = "used".to_owned();
    let response = fixture
        .api
        .games()
        .play_move(request.clone())
        .await
        .unwrap();
    fixture.running = response.into_inner().game.unwrap();
    fixture.all = fixture.games().await;
    request.square = "f4".to_owned();
    let row = fixture.play(
        "a request id used for another move",
        request,
        MALFORMED,
        ErrorReason::RequestIdReused,
    );
    row.await.says("request_id", "used").blames(&["request_id"]);
}

/// Names of games, at every method that takes one.
async fn names(fixture: &mut Fixture) {
    let long = format!("games/{}", "a".repeat(5000));
    for (name, game, code, reason) in [
        (
            "an unknown name",
            NO_GAME,
            Code::NotFound,
            ErrorReason::GameNotFound,
        ),
        ("no name", "", MALFORMED, ErrorReason::FieldRequired),
        (
            "an id alone",
            "aaaaaaaaaaaaaaaaaaaa",
            MALFORMED,
            ErrorReason::MalformedName,
        ),
        (
            "a short id",
            "games/aaa",
            MALFORMED,
            ErrorReason::MalformedName,
        ),
        (
            "an id with other letters",
            "games/AAAAAAAAAAAAAAAAAAAA",
            MALFORMED,
            ErrorReason::MalformedName,
        ),
        (
            "a name of something else",
            "players/aaaaaaaaaaaaaaaaaaaa",
            MALFORMED,
            ErrorReason::MalformedName,
        ),
        (
            "a name with more behind",
            "games/aaaaaaaaaaaaaaaaaaaa/moves",
            MALFORMED,
            ErrorReason::MalformedName,
        ),
        ("a long name", &long, MALFORMED, ErrorReason::MalformedName),
        (
            "a name of many bytes",
            "games/éééééééééé",
            MALFORMED,
            ErrorReason::MalformedName,
        ),
    ] {
        let game = game.to_owned();
        let play = v1::PlayMoveRequest {
            name: game.clone(),
            ..a_move(&fixture.running, "c3")
        };
        let side = i32::from(Color::Black);
        let mut rows = vec![fixture.play(name, play, code, reason).await];
        let mut games = fixture.api.games();
        let request = v1::GetGameRequest { name: game.clone() };
        rows.push(
            fixture
                .row(
                    name,
                    async move { games.get_game(request).await },
                    code,
                    reason,
                )
                .await,
        );
        let mut games = fixture.api.games();
        let request = v1::DeleteGameRequest {
            name: game.clone(),
            ..Default::default()
        };
        rows.push(
            fixture
                .row(
                    name,
                    async move { games.delete_game(request).await },
                    code,
                    reason,
                )
                .await,
        );
        let mut games = fixture.api.games();
        let request = v1::TakeBackRequest {
            name: game.clone(),
            side,
            ..Default::default()
        };
        rows.push(
            fixture
                .row(
                    name,
                    async move { games.take_back(request).await },
                    code,
                    reason,
                )
                .await,
        );
        let mut games = fixture.api.games();
        let request = v1::ResignRequest {
            name: game.clone(),
            side,
            ..Default::default()
        };
        rows.push(
            fixture
                .row(
                    name,
                    async move { games.resign(request).await },
                    code,
                    reason,
                )
                .await,
        );
        let mut games = fixture.api.games();
        let request = v1::WatchGameRequest {
            name: game.clone(),
            ..Default::default()
        };
        rows.push(
            fixture
                .row(
                    name,
                    async move { games.watch_game(request).await },
                    code,
                    reason,
                )
                .await,
        );
        let mut analysis = fixture.api.analysis();
        let request = v1::SuggestMoveRequest {
            subject: Some(Subject::Game(game.clone())),
            ..Default::default()
        };
        let row = fixture
            .row(
                name,
                async move { analysis.suggest_move(request).await },
                code,
                reason,
            )
            .await;
        let shown: String = game.chars().take(64).collect();
        for row in rows {
            let row = if reason == ErrorReason::GameNotFound {
                row.blames(&[])
            } else {
                row.says("field", "name").blames(&["name"])
            };
            if reason != ErrorReason::FieldRequired {
                row.says("name", &shown);
            }
        }
        if code == MALFORMED {
            row.says("field", "game").blames(&["game"]);
        } else {
            row.says("name", &shown);
        }
    }
    let names = vec![
        NO_GAME.to_owned(),
        "x".to_owned(),
        fixture.running.name.clone(),
        String::new(),
    ];
    let mut games = fixture.api.games();
    let call = async move {
        games
            .batch_get_games(v1::BatchGetGamesRequest { names })
            .await
    };
    let row = fixture.row(
        "bad names in a batch",
        call,
        MALFORMED,
        ErrorReason::MalformedName,
    );
    row.await
        .says("field", "names[1]")
        .says("name", "x")
        .blames(&["names[1]", "names[3]"]);
}

/// Lists and batches of games.
async fn lists(fixture: &mut Fixture) {
    for (name, names, reason) in [
        ("a batch of none", vec![], ErrorReason::FieldRequired),
        (
            "a batch of too many",
            vec![NO_GAME.to_owned(); 501],
            ErrorReason::TooLarge,
        ),
    ] {
        let mut games = fixture.api.games();
        let call = async move {
            games
                .batch_get_games(v1::BatchGetGamesRequest { names })
                .await
        };
        let row = fixture
            .row(name, call, MALFORMED, reason)
            .await
            .blames(&["names"]);
        if reason == ErrorReason::TooLarge {
            row.says("limit", "500").says("found", "501");
        }
    }
    let mut games = fixture.api.games();
    let request = v1::ListGamesRequest {
        page_size: -1,
        page_token: String::new(),
        state: 3,
    };
    let call = async move { games.list_games(request).await };
    let row = fixture.row(
        "a negative page and an unknown state",
        call,
        MALFORMED,
        ErrorReason::FieldInvalid,
    );
    row.await
        .says("field", "page_size")
        .says("value", "-1")
        .blames(&["page_size", "state"]);
    let mut games = fixture.api.games();
    let request = v1::ListGamesRequest {
        page_token: format!("{:068x}", 7),
        ..Default::default()
    };
    let call = async move { games.list_games(request).await };
    let row = fixture.row(
        "a forged page token",
        call,
        MALFORMED,
        ErrorReason::MalformedPageToken,
    );
    row.await
        .says("field", "page_token")
        .blames(&["page_token"]);
}

/// Games that cannot be created.
async fn creations(fixture: &mut Fixture) {
    let custom = |position: Option<v1::Position>| v1::RuleSet {
        start: Start::Custom.into(),
        custom_position: position,
        ..Default::default()
    };
    let bits = |black, white, side: Color| v1::Position {
        board: Some(Board::Bitboards(v1::Bitboards { black, white })),
        side_to_move: side.into(),
    };
    const CUSTOM: &str = "rules.custom_position";
    let text = |text: &str| Some(text_position(text, Color::Black));
    let short = &START[1..];
    let long = format!("{START}-");
    let foreign = START.replacen('X', "#", 1);
    let accented = START.replacen('X', "é", 1);
    let no_side = v1::Position {
        side_to_move: 0,
        ..bits(1, 2, Color::Black)
    };
    let unknown_side = v1::Position {
        side_to_move: 3,
        ..bits(1, 2, Color::Black)
    };
    let no_board = v1::Position {
        board: None,
        side_to_move: Color::Black.into(),
    };
    let standard_with_custom = v1::RuleSet {
        start: Start::Standard.into(),
        ..custom(text(START))
    };
    let invalid = ErrorReason::FieldInvalid;
    let required = ErrorReason::FieldRequired;
    let board = ErrorReason::MalformedBoard;
    type Metadata<'a> = &'a [(&'a str, &'a str)];
    let rows: [(&str, v1::RuleSet, ErrorReason, &str, Metadata<'_>); 14] = [
        ("no custom position", custom(None), required, CUSTOM, &[]),
        (
            "a custom position with another start",
            standard_with_custom,
            invalid,
            CUSTOM,
            &[],
        ),
        (
            "overlapping boards",
            custom(Some(bits(7, 14, Color::Black))),
            ErrorReason::OverlappingDiscs,
            CUSTOM,
            &[("squares", "b1 c1")],
        ),
        (
            "a dead position",
            custom(text(DEAD)),
            ErrorReason::NoLegalMoves,
            CUSTOM,
            &[],
        ),
        (
            "an empty board",
            custom(Some(bits(0, 0, Color::Black))),
            ErrorReason::NoLegalMoves,
            CUSTOM,
            &[],
        ),
        (
            "a board of 63 squares",
            custom(text(short)),
            board,
            "rules.custom_position.text",
            &[("found", "63")],
        ),
        (
            "a board of 65 squares",
            custom(text(&long)),
            board,
            "rules.custom_position.text",
            &[("found", "65")],
        ),
        (
            "an empty text",
            custom(text("")),
            board,
            "rules.custom_position.text",
            &[("found", "0")],
        ),
        (
            "a board with another letter",
            custom(text(&foreign)),
            board,
            "rules.custom_position.text",
            &[("offset", "28"), ("found", "#")],
        ),
        (
            "a board with a letter of two bytes",
            custom(text(&accented)),
            board,
            "rules.custom_position.text",
            &[("offset", "28"), ("found", "é")],
        ),
        (
            "no side to move",
            custom(Some(no_side)),
            required,
            "rules.custom_position.side_to_move",
            &[],
        ),
        (
            "an unknown side to move",
            custom(Some(unknown_side)),
            invalid,
            "rules.custom_position.side_to_move",
            &[("value", "3")],
        ),
        (
            "no board",
            custom(Some(no_board)),
            required,
            "rules.custom_position.board",
            &[],
        ),
        (
            "an unknown start",
            v1::RuleSet {
                start: 99,
                ..Default::default()
            },
            invalid,
            "rules.start",
            &[("value", "99")],
        ),
    ];
    for (name, rules, reason, field, metadata) in rows {
        let mut games = fixture.api.games();
        let request = v1::CreateGameRequest {
            rules: Some(rules.clone()),
            ..Default::default()
        };
        let call = async move { games.create_game(request).await };
        let mut row = fixture.row(name, call, MALFORMED, reason).await;
        for (key, value) in metadata {
            row = row.says(key, value);
        }
        row.says("field", field).blames(&[field]);
    }

    let mut games = fixture.api.games();
    let rules = v1::RuleSet {
        start: Start::Balanced.into(),
        ..Default::default()
    };
    let request = v1::CreateGameRequest {
        rules: Some(rules),
        ..Default::default()
    };
    let call = async move { games.create_game(request).await };
    let row = fixture.row(
        "a balanced start",
        call,
        Code::Unimplemented,
        ErrorReason::NotSupported,
    );
    row.await.says("feature", "START_BALANCED");

    let mut games = fixture.api.games();
    let seat = v1::Seat {
        player_id: "p".repeat(65),
        display_name: "é".repeat(33),
    };
    let request = v1::CreateGameRequest {
        rules: Some(v1::RuleSet {
            objective: 3,
            start: Start::Balanced.into(),
            scoring: 4,
            pass_mode: -1,
            custom_position: None,
        }),
        black_seat: Some(seat.clone()),
        white_seat: Some(seat),
        legal_moves_display: 3,
        request_id: "é".repeat(33),
    };
    let call = async move { games.create_game(request).await };
    let row = fixture.row(
        "everything at once",
        call,
        MALFORMED,
        ErrorReason::FieldInvalid,
    );
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
}

/// Required fields and unknown enum values of the other requests.
async fn fields(fixture: &mut Fixture) {
    let mut games = fixture.api.games();
    let request = v1::PlayMoveRequest::default();
    let call = async move { games.play_move(request).await };
    let row = fixture.row(
        "an empty PlayMove",
        call,
        MALFORMED,
        ErrorReason::FieldRequired,
    );
    row.await.blames(&["name", "side", "square", "expected"]);
    let mut games = fixture.api.games();
    let call = async move { games.take_back(v1::TakeBackRequest::default()).await };
    let row = fixture.row(
        "an empty TakeBack",
        call,
        MALFORMED,
        ErrorReason::FieldRequired,
    );
    row.await.blames(&["name", "side"]);
    let mut games = fixture.api.games();
    let request = v1::ResignRequest {
        name: "x".to_owned(),
        side: 3,
        etag: "e".repeat(65),
        request_id: "r".repeat(65),
    };
    let call = async move { games.resign(request).await };
    let row = fixture.row("a bad Resign", call, MALFORMED, ErrorReason::MalformedName);
    row.await.blames(&["name", "side", "etag", "request_id"]);
    let mut rules = fixture.api.rules();
    let call = async move {
        rules
            .score_position(v1::ScorePositionRequest::default())
            .await
    };
    let row = fixture.row(
        "an empty ScorePosition",
        call,
        MALFORMED,
        ErrorReason::FieldRequired,
    );
    row.await.says("field", "position").blames(&["position"]);
    let mut rules = fixture.api.rules();
    let request = v1::ListLegalMovesRequest {
        view: 3,
        ..Default::default()
    };
    let call = async move { rules.list_legal_moves(request).await };
    let row = fixture.row(
        "an unknown view",
        call,
        MALFORMED,
        ErrorReason::FieldInvalid,
    );
    row.await.says("value", "3").blames(&["view"]);
    let mut analysis = fixture.api.analysis();
    let call = async move {
        analysis
            .suggest_move(v1::SuggestMoveRequest::default())
            .await
    };
    let row = fixture.row(
        "an empty SuggestMove",
        call,
        MALFORMED,
        ErrorReason::FieldRequired,
    );
    row.await.says("field", "subject").blames(&["subject"]);

    let one_disc = |square: u32, side: Color| v1::Position {
        board: Some(Board::Bitboards(v1::Bitboards {
            black: 1 << square,
            white: 0,
        })),
        side_to_move: side.into(),
    };
    for (name, position) in [
        ("a placement off the centre", one_disc(0, Color::White)),
        ("a placement of the wrong side", one_disc(27, Color::Black)),
    ] {
        let mut rules = fixture.api.rules();
        let free = v1::RuleSet {
            start: Start::Free.into(),
            ..Default::default()
        };
        let request = v1::ListLegalMovesRequest {
            position: Some(position),
            rules: Some(free),
            view: 0,
        };
        let call = async move { rules.list_legal_moves(request).await };
        let row = fixture.row(name, call, MALFORMED, ErrorReason::MalformedPlacement);
        row.await.says("field", "position").blames(&["position"]);
    }
}

/// Transcripts.
async fn transcripts(fixture: &mut Fixture) {
    let strict = TranscriptSyntax::Strict;
    let lenient = TranscriptSyntax::Lenient;
    for (name, text, syntax, code, reason, index) in [
        (
            "garbage",
            "hello",
            lenient,
            MALFORMED,
            ErrorReason::NotASquare,
            "0",
        ),
        (
            "garbage after moves",
            "f5d6??",
            lenient,
            MALFORMED,
            ErrorReason::NotASquare,
            "2",
        ),
        (
            "half a move",
            "f5d",
            strict,
            MALFORMED,
            ErrorReason::OddLength,
            "1",
        ),
        (
            "a pass that is not due",
            "f5pa",
            lenient,
            ILLEGAL,
            ErrorReason::FalsePass,
            "1",
        ),
        (
            "a move after the end",
            "e6f4e3f6g5d6e7f5c5a1",
            strict,
            ILLEGAL,
            ErrorReason::GameOver,
            "9",
        ),
    ] {
        let mut rules = fixture.api.rules();
        let request = v1::ApplyMovesRequest {
            transcript: text.to_owned(),
            syntax: syntax.into(),
            ..Default::default()
        };
        let call = async move { rules.apply_moves(request).await };
        let row = fixture.row(name, call, code, reason).await;
        row.says("index", index).says("field", "transcript");
    }
}

/// Messages as such.
async fn messages(fixture: &mut Fixture) {
    let channel = fixture.api.channel.clone();
    let path = "/reversi.v1.GameService/PlayMove";
    let call = async move { raw(&channel, path, &[0x0a, 0xff]).await };
    fixture
        .row(
            "bytes that are no message",
            call,
            MALFORMED,
            ErrorReason::MalformedMessage,
        )
        .await;
    let channel = fixture.api.channel.clone();
    let call = async move { raw(&channel, "/reversi.v1.GameService/Castle", &[]).await };
    let row = fixture.row(
        "an unknown method",
        call,
        Code::Unimplemented,
        ErrorReason::NotSupported,
    );
    row.await.says("feature", "/reversi.v1.GameService/Castle");
    let mut games = fixture.api.games();
    let large = v1::GetGameRequest {
        name: "x".repeat(2 << 20),
    };
    assert!(large.encoded_len() > 2 << 20);
    let call = async move { games.get_game(large).await };
    let row = fixture.row(
        "a message of more than 2 MiB",
        call,
        MALFORMED,
        ErrorReason::TooLarge,
    );
    row.await.says("limit", "2097152");
    for (name, player, opponent, reason, field) in [
        ("an empty batch", 0, 0, ErrorReason::FieldRequired, "player"),
        (
            "a batch of too many",
            65_537,
            65_537,
            ErrorReason::TooLarge,
            "player",
        ),
        (
            "an uneven batch",
            3,
            2,
            ErrorReason::LengthMismatch,
            "opponent",
        ),
    ] {
        let mut rules = fixture.api.rules();
        let batch = PositionBatch {
            player: vec![0; player].into(),
            opponent: vec![0; opponent].into(),
        };
        let call = async move { rules.batch_list_legal_moves(batch).await };
        let row = fixture.row(name, call, MALFORMED, reason).await;
        row.says("field", field).blames(&[field]);
    }
}

#[tokio::test]
async fn every_bad_input_is_refused_with_its_code_reason_and_details_and_changes_nothing() {
    let mut fixture = Fixture::new().await;
    assert_eq!(fixture.passing.state(), GameState::InProgress);
    moves(&mut fixture).await;
    writes(&mut fixture).await;
    names(&mut fixture).await;
    lists(&mut fixture).await;
    creations(&mut fixture).await;
    fields(&mut fixture).await;
    transcripts(&mut fixture).await;
    messages(&mut fixture).await;
    used_ids(&mut fixture).await;

    // Every reason of the API is in a row, or is seen elsewhere.
    let elsewhere = ELSEWHERE.iter().map(|(reason, _)| reason_name(*reason));
    let elsewhere: BTreeSet<_> = elsewhere.map(str::to_owned).collect();
    let twice: Vec<_> = elsewhere.intersection(&fixture.seen).collect();
    assert!(
        twice.is_empty(),
        "listed as seen elsewhere, but in the table: {twice:?}"
    );
    let all = (0..1000).filter_map(|number| ErrorReason::try_from(number).ok());
    for reason in all {
        let name = reason_name(reason);
        assert!(
            fixture.seen.contains(name) || elsewhere.contains(name),
            "{name} is in no row"
        );
    }
}
