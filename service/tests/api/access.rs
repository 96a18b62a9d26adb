//! Who gets in: bearer tokens, JSON Web Tokens, TLS and client certificates, limits of tenants.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use reversi_proto::v1::analysis_service_client::AnalysisServiceClient;
use reversi_proto::v1::game_service_client::GameServiceClient;
use reversi_proto::v1::rules_service_client::RulesServiceClient;
use reversi_proto::v1::{self, ErrorReason};
use reversi_service::testing::TestServer;
use serde_json::{Value, json};
use tempfile::TempDir;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Code, Request, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use crate::client::{soon, until, watch_games};
use crate::failure::{Failure, assert_fails};

/// The SHA-256 of `secret` and of `other`.
const SECRET: &str = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
const OTHER: &str = "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa";

/// A call that anybody in may make.
async fn call(channel: &Channel, authorization: &[&str]) -> Result<(), Status> {
    let mut request = Request::new(v1::ListLegalMovesRequest::default());
    for value in authorization {
        let metadata = request.metadata_mut();
        metadata.append("authorization", value.parse().unwrap());
    }
    let mut client = RulesServiceClient::new(channel.clone());
    soon(client.list_legal_moves(request)).await.map(drop)
}

fn channel(server: &TestServer) -> Channel {
    Endpoint::new(server.endpoint()).unwrap().connect_lazy()
}

/// Files of a test.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn refused(result: Result<(), Status>, reason: ErrorReason, why: &str) {
    let failure = assert_fails(result, Code::Unauthenticated, reason);
    assert_eq!(failure.metadata.get("why").map(String::as_str), Some(why));
}

#[tokio::test]
async fn only_known_tokens_get_in() {
    let files = Files::new();
    let tokens = files.put("tokens", format!("acme {SECRET}\n"));
    let server = TestServer::start_with(&["--tokens", text(&tokens)]).await;
    let channel = channel(&server);
    call(&channel, &["Bearer secret"]).await.unwrap();
    let none = call(&channel, &[]).await;
    refused(none, ErrorReason::CredentialRequired, "missing");
    for (shown, why) in [
        (&["Bearer wrong"][..], "unknown"),
        (&[&format!("Bearer {SECRET}")], "unknown"),
        (&["secret"], "malformed"),
        (&["Basic c2VjcmV0"], "malformed"),
        (&["Bearer secret", "Bearer secret"], "malformed"),
    ] {
        let result = call(&channel, shown).await;
        refused(result, ErrorReason::CredentialRefused, why);
    }
    // A token in another place is none.
    let mut request = Request::new(v1::ListLegalMovesRequest::default());
    request
        .metadata_mut()
        .insert("token", "secret".parse().unwrap());
    let mut client = RulesServiceClient::new(channel.clone());
    let called = client.list_legal_moves(request).await.map(drop);
    refused(called, ErrorReason::CredentialRequired, "missing");
    // The bulk call, which is answered below tonic, asks too.
    let batch = reversi_proto::PositionBatch::default();
    let called = client.batch_list_legal_moves(batch).await.map(drop);
    refused(called, ErrorReason::CredentialRequired, "missing");
}

#[tokio::test]
async fn health_is_told_to_everybody() {
    let files = Files::new();
    let tokens = files.put("tokens", format!("acme {SECRET}\n"));
    let server = TestServer::start_with(&["--tokens", text(&tokens)]).await;
    let request = HealthCheckRequest::default();
    let answer = HealthClient::new(channel(&server)).check(request).await;
    assert!(answer.is_ok());
}

#[tokio::test]
async fn tokens_change_without_a_restart() {
    let files = Files::new();
    let tokens = files.put("tokens", format!("acme {SECRET}\n"));
    let server = TestServer::start_with(&["--tokens", text(&tokens)]).await;
    let channel = channel(&server);
    assert!(call(&channel, &["Bearer other"]).await.is_err());
    files.put("tokens", format!("# changed\nacme {OTHER}\n"));
    until(async || call(&channel, &["Bearer other"]).await.is_ok()).await;
    assert!(call(&channel, &["Bearer secret"]).await.is_err());
    // Nonsense changes nothing.
    files.put("tokens", "nonsense");
    assert!(call(&channel, &["Bearer other"]).await.is_ok());
}

/// A key that tokens are signed with.
struct Signer {
    id: &'static str,
    algorithm: Algorithm,
    key: EncodingKey,
    jwk: Value,
}

fn base64url(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

impl Signer {
    fn es256(id: &'static str) -> Self {
        let pair = KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256).unwrap();
        let point = pair.public_key_raw();
        let (x, y) = point[1..].split_at(32);
        let jwk = json!({"kty": "EC", "crv": "P-256", "kid": id,
            "x": base64url(x), "y": base64url(y)});
        Self {
            id,
            algorithm: Algorithm::ES256,
            key: EncodingKey::from_ec_pem(pair.serialize_pem().as_bytes()).unwrap(),
            jwk,
        }
    }

    fn eddsa(id: &'static str) -> Self {
        let pair = KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
        let jwk = json!({"kty": "OKP", "crv": "Ed25519", "kid": id,
            "x": base64url(pair.public_key_raw())});
        Self {
            id,
            algorithm: Algorithm::EdDSA,
            key: EncodingKey::from_ed_der(&pair.serialize_der()),
            jwk,
        }
    }

    /// The RSA key of `tests/cases/rsa_key.pem`, which signs nothing else.
    fn rs256(id: &'static str) -> Self {
        let modulus = include_str!("../cases/rsa_modulus.txt").trim();
        Self {
            id,
            algorithm: Algorithm::RS256,
            key: EncodingKey::from_rsa_pem(include_bytes!("../cases/rsa_key.pem")).unwrap(),
            jwk: json!({"kty": "RSA", "kid": id, "n": modulus, "e": "AQAB"}),
        }
    }

    fn sign(&self, claims: &Value) -> String {
        let mut header = Header::new(self.algorithm);
        header.kid = Some(self.id.to_owned());
        let token = encode(&header, claims, &self.key).unwrap();
        format!("Bearer {token}")
    }
}

fn jwks(signers: &[&Signer]) -> String {
    let keys: Vec<&Value> = signers.iter().map(|signer| &signer.jwk).collect();
    json!({"keys": keys}).to_string()
}

/// Claims of a token that is valid from and until so many seconds from now.
fn claims(from: i64, until: i64) -> Value {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = i64::try_from(now.unwrap().as_secs()).unwrap();
    json!({"sub": "acme", "iss": "us", "aud": "reversi",
        "nbf": now + from, "exp": now + until})
}

async fn asking_for_jwts(files: &Files, signers: &[&Signer]) -> TestServer {
    let keys = files.put("jwks.json", jwks(signers));
    let flags = ["--jwt-issuer", "us", "--jwt-audience", "reversi"];
    let flags = [&["--jwks", text(&keys)][..], &flags].concat();
    TestServer::start_with(&flags).await
}

#[tokio::test]
async fn signed_tokens_get_in_by_each_algorithm() {
    let files = Files::new();
    let signers = [Signer::es256("a"), Signer::eddsa("b"), Signer::rs256("c")];
    let server = asking_for_jwts(&files, &signers.each_ref()).await;
    let channel = channel(&server);
    for signer in &signers {
        let token = signer.sign(&claims(-60, 60));
        call(&channel, &[&token]).await.unwrap();
    }
}

#[tokio::test]
async fn tokens_with_a_fault_do_not_get_in() {
    let files = Files::new();
    let signer = Signer::es256("a");
    let server = asking_for_jwts(&files, &[&signer]).await;
    let channel = channel(&server);
    let with = |name: &str, value: Value| {
        let mut claims = claims(-60, 60);
        claims[name] = value;
        signer.sign(&claims)
    };
    let without = |name: &str| {
        let mut claims = claims(-60, 60);
        claims.as_object_mut().unwrap().remove(name);
        signer.sign(&claims)
    };
    let right = signer.sign(&claims(-60, 60));
    let tampered = format!("{}x", &right[..right.len() - 1]);
    // Signed by the same key by name, but another one.
    let impostor = Signer::es256("a").sign(&claims(-60, 60));
    // The algorithm that asks for no signature, and a key of our own as a secret.
    let none = format!(
        "Bearer {}.{}.",
        base64url(br#"{"alg":"none","kid":"a"}"#),
        base64url(claims(-60, 60).to_string().as_bytes())
    );
    let mut header = Header::new(Algorithm::HS256);
    header.kid = Some("a".to_owned());
    let secret = EncodingKey::from_secret(signer.jwk.to_string().as_bytes());
    let by_secret = encode(&header, &claims(-60, 60), &secret).unwrap();
    for (token, why) in [
        (signer.sign(&claims(-120, -60)), "expired"),
        (signer.sign(&claims(60, 120)), "not_yet_valid"),
        (with("iss", json!("them")), "not_for_this"),
        (with("aud", json!("chess")), "not_for_this"),
        (without("exp"), "not_for_this"),
        (without("iss"), "not_for_this"),
        (without("sub"), "no_tenant"),
        (with("sub", json!("two words")), "no_tenant"),
        (tampered, "unknown"),
        (impostor, "unknown"),
        (none, "unknown"),
        (format!("Bearer {by_secret}"), "unknown"),
        (Signer::eddsa("z").sign(&claims(-60, 60)), "unknown"),
        ("Bearer a.b.c".to_owned(), "unknown"),
    ] {
        let result = call(&channel, &[&token]).await;
        refused(result, ErrorReason::CredentialRefused, why);
    }
    // Clocks may differ a little.
    let late = signer.sign(&claims(-60, -10));
    call(&channel, &[&late]).await.unwrap();
}

/// An authority and what it has signed.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    /// A certificate for this name, and its key.
    fn certify(&self, name: &str) -> (String, String) {
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        (certificate.pem(), key.serialize_pem())
    }
}

async fn over_tls(
    server: &TestServer,
    authority: &Authority,
    identity: Option<(String, String)>,
) -> Result<Channel, tonic::transport::Error> {
    let mut tls = ClientTlsConfig::new()
        .ca_certificate(Certificate::from_pem(authority.0.pem()))
        .domain_name("localhost");
    if let Some((certificate, key)) = identity {
        tls = tls.identity(Identity::from_pem(certificate, key));
    }
    let endpoint = server.endpoint().replace("http://", "https://");
    let endpoint = Endpoint::new(endpoint).unwrap().tls_config(tls).unwrap();
    soon(endpoint.connect()).await
}

#[tokio::test]
async fn calls_come_over_tls_and_not_in_the_clear() {
    let (files, authority) = (Files::new(), Authority::new());
    let (certificate, key) = authority.certify("localhost");
    let certificate = files.put("cert.pem", certificate);
    let key = files.put("key.pem", key);
    let flags = ["--tls-cert", text(&certificate), "--tls-key", text(&key)];
    let server = TestServer::start_with(&flags).await;
    let channel = over_tls(&server, &authority, None).await.unwrap();
    call(&channel, &[]).await.unwrap();
    let clear = self::channel(&server);
    assert!(call(&clear, &[]).await.is_err());

    // A new certificate is taken without a restart; the connection goes on.
    let next = Authority::new();
    let (certificate, key) = next.certify("localhost");
    files.put("key.pem", key);
    files.put("cert.pem", certificate);
    until(async || over_tls(&server, &next, None).await.is_ok()).await;
    call(&channel, &[]).await.unwrap();
}

#[tokio::test]
async fn a_client_certificate_is_asked_for_and_names_the_tenant() {
    let (files, authority) = (Files::new(), Authority::new());
    let (certificate, key) = authority.certify("localhost");
    let certificate = files.put("cert.pem", certificate);
    let key = files.put("key.pem", key);
    let clients = files.put("clients.pem", authority.0.pem());
    let flags = [
        &["--tls-cert", text(&certificate)][..],
        &["--tls-key", text(&key)],
        &["--tls-client-ca", text(&clients)],
        &["--tenant-calls", "1"],
    ]
    .concat();
    let server = TestServer::start_with(&flags).await;
    let of = async |name: &str| {
        let identity = Some(authority.certify(name));
        over_tls(&server, &authority, identity).await.unwrap()
    };
    let (acme, other) = (of("acme.example").await, of("other.example").await);
    // The limit of one is not the limit of the other.
    while call(&acme, &[]).await.is_ok() {}
    call(&other, &[]).await.unwrap();
    let limited = call(&acme, &[]).await;
    assert_fails(limited, Code::ResourceExhausted, ErrorReason::QuotaExceeded);

    let stranger = Some(Authority::new().certify("acme.example"));
    for identity in [None, stranger] {
        // The refusal comes with the first call at the latest.
        if let Ok(channel) = over_tls(&server, &authority, identity).await {
            assert!(call(&channel, &[]).await.is_err());
        }
    }
}

#[tokio::test]
async fn a_tenant_beyond_its_limit_is_told_when_to_come_again() {
    let files = Files::new();
    let tokens = files.put("tokens", format!("acme {SECRET}\nother {OTHER}\n"));
    let flags = ["--tokens", text(&tokens), "--tenant-calls", "2"];
    let server = TestServer::start_with(&flags).await;
    let channel = channel(&server);
    let mut let_in = 0;
    let failure: Failure = loop {
        match call(&channel, &["Bearer secret"]).await {
            Ok(()) => let_in += 1,
            refused => {
                let (code, reason) = (Code::ResourceExhausted, ErrorReason::QuotaExceeded);
                break assert_fails(refused, code, reason);
            }
        }
    };
    assert!((4..8).contains(&let_in), "{let_in}");
    assert_eq!(failure.metadata["limit"], "calls");
    assert!(failure.retry_after.unwrap() <= Duration::from_millis(501));
    call(&channel, &["Bearer other"]).await.unwrap();
}

#[tokio::test]
async fn reflection_can_be_switched_off() {
    let server = TestServer::start_with(&["--no-reflection"]).await;
    let mut client =
        tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient::new(channel(
            &server,
        ));
    let asked = client
        .server_reflection_info(tokio_stream::empty())
        .await
        .unwrap_err();
    assert_eq!(asked.code(), Code::Unimplemented);
}

/// A request of the bearer of a token.
fn of<T>(token: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    let value = format!("Bearer {token}").parse().unwrap();
    request.metadata_mut().insert("authorization", value);
    request
}

#[tokio::test]
async fn a_game_of_another_tenant_is_not_found() {
    let files = Files::new();
    let tokens = files.put("tokens", format!("acme {SECRET}\nother {OTHER}\n"));
    let server = TestServer::start_with(&["--tokens", text(&tokens)]).await;
    let channel = channel(&server);
    let mut games = GameServiceClient::new(channel.clone());
    let created = games.create_game(of("secret", v1::CreateGameRequest::default()));
    let name = created.await.unwrap().into_inner().game.unwrap().name;

    let get = |name: &str| v1::GetGameRequest {
        name: name.to_owned(),
    };
    assert!(games.get_game(of("secret", get(&name))).await.is_ok());
    let not_found = |status: Result<(), Status>| {
        assert_fails(status, Code::NotFound, ErrorReason::GameNotFound);
    };
    not_found(games.get_game(of("other", get(&name))).await.map(drop));
    let mv = v1::PlayMoveRequest {
        name: name.clone(),
        side: v1::Color::Black.into(),
        square: "f5".to_owned(),
        expected: Some(v1::play_move_request::Expected::ExpectedPly(0)),
        ..Default::default()
    };
    not_found(games.play_move(of("other", mv.clone())).await.map(drop));
    let watch = v1::WatchGameRequest {
        name: name.clone(),
        ..Default::default()
    };
    not_found(games.watch_game(of("other", watch)).await.map(drop));
    let delete = v1::DeleteGameRequest {
        name: name.clone(),
        ..Default::default()
    };
    not_found(games.delete_game(of("other", delete)).await.map(drop));
    let rematch = v1::RematchRequest {
        name: name.clone(),
        ..Default::default()
    };
    not_found(games.rematch(of("other", rematch)).await.map(drop));
    let suggest = v1::SuggestMoveRequest {
        subject: Some(v1::suggest_move_request::Subject::Game(name.clone())),
        ..Default::default()
    };
    let mut analysis = AnalysisServiceClient::new(channel);
    not_found(analysis.suggest_move(of("other", suggest)).await.map(drop));
    let batch = v1::BatchGetGamesRequest {
        names: vec![name.clone()],
    };
    let batch = games.batch_get_games(of("other", batch)).await.unwrap();
    assert_eq!(batch.into_inner().missing, std::slice::from_ref(&name));
    let list = v1::ListGamesRequest::default();
    let list = v1::ListGamesRequest {
        page_size: 1,
        ..list
    };
    let listed = games.list_games(of("other", list.clone())).await.unwrap();
    // Not even where the next page would begin.
    assert_eq!(listed.into_inner(), v1::ListGamesResponse::default());
    let mut lister = games.clone();
    until(async || {
        let listed = lister.list_games(of("secret", list.clone())).await.unwrap();
        listed.into_inner().games.len() == 1
    })
    .await;

    assert!(games.play_move(of("secret", mv)).await.is_ok());
}

#[tokio::test]
async fn who_watches_games_is_told_of_those_of_the_tenant_alone() {
    let files = Files::new();
    let tokens = files.put("tokens", format!("acme {SECRET}\nother {OTHER}\n"));
    let server = TestServer::start_with(&["--tokens", text(&tokens)]).await;
    let mut games = GameServiceClient::new(channel(&server));
    let watch = async |token: &str, label: &str, cursor: &str| {
        let request = v1::WatchGamesRequest {
            label: label.to_owned(),
            cursor: cursor.to_owned(),
            ..Default::default()
        };
        let games = GameServiceClient::new(channel(&server));
        watch_games(games, of(token, request)).await.unwrap().0
    };
    let mut all = watch("secret", "", "").await;
    let mut cup = watch("secret", "cup", "").await;
    let others = watch("other", "", "").await;
    let mut created = Vec::new();
    for token in ["other", "secret", "other"] {
        let request = v1::CreateGameRequest {
            labels: vec!["cup".to_owned()],
            ..Default::default()
        };
        let answer = games.create_game(of(token, request)).await.unwrap();
        created.push(answer.into_inner().game.unwrap().name);
    }
    assert_eq!(all.change().await.name, created[1]);
    assert_eq!(cup.change().await.name, created[1]);
    // A cursor opens nothing that is another's.
    let mut taken = watch("secret", "", &others.cursor).await;
    assert_eq!(taken.change().await.name, created[1]);
    let mut taken = watch("other", "cup", &others.cursor).await;
    assert_eq!(taken.change().await.name, created[0]);
    assert_eq!(taken.change().await.name, created[2]);
}

#[tokio::test]
async fn the_same_request_id_of_two_tenants_makes_two_games() {
    let files = Files::new();
    let tokens = files.put("tokens", format!("acme {SECRET}\nother {OTHER}\n"));
    let server = TestServer::start_with(&["--tokens", text(&tokens)]).await;
    let mut games = GameServiceClient::new(channel(&server));
    let request = v1::CreateGameRequest {
        request_id: "one".to_owned(),
        ..Default::default()
    };
    let mut names = Vec::new();
    for (token, replayed) in [("secret", false), ("other", false), ("secret", true)] {
        let created = games.create_game(of(token, request.clone())).await.unwrap();
        let created = created.into_inner();
        assert_eq!(created.replayed, replayed);
        names.push(created.game.unwrap().name);
    }
    assert_eq!(names[0], names[2]);
    assert_ne!(names[0], names[1]);
}
