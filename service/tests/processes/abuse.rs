//! Clients that mean harm: what they do costs them their connection, and nobody else anything.

use std::net::SocketAddr;
use std::time::Duration;

use reversi_proto::v1;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{LIMIT, soon};
use crate::process::Process;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The kinds of frames, and flags, of RFC 9113.
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;
/// `:method: POST`, `:scheme: http`, `:path: /`, by their numbers in the static table of HPACK.
const HEADER_BLOCK: &[u8] = &[0x83, 0x86, 0x84];
/// ENHANCE_YOUR_CALM.
const CALM: u32 = 11;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A connection on which anything can be said.
struct Bare(TcpStream);

impl Bare {
    async fn open(process: &Process) -> Self {
        let address = process.address().trim_start_matches("http://");
        let address: SocketAddr = address.parse().unwrap();
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(PREFACE).await.unwrap();
        let settings = frame(SETTINGS, 0, 0, &[]);
        stream.write_all(&settings).await.unwrap();
        Self(stream)
    }

    /// Says something as long as the server listens.
    async fn say(&mut self, bytes: &[u8]) -> bool {
        self.0.write_all(bytes).await.is_ok()
    }

    /// Reads until the server closes the connection; the code that it closes with, if it says one.
    async fn farewell(&mut self) -> Option<u32> {
        let mut told = Vec::new();
        // A connection may also be reset.
        let _ = soon(self.0.read_to_end(&mut told)).await;
        let mut rest = &told[..];
        let mut code = None;
        while rest.len() >= 9 {
            let length =
                usize::from(rest[0]) << 16 | usize::from(rest[1]) << 8 | usize::from(rest[2]);
            let payload = rest.get(9..9 + length)?;
            if rest[3] == GOAWAY {
                code = Some(u32::from_be_bytes(payload[4..8].try_into().unwrap()));
            }
            rest = &rest[9 + length..];
        }
        code
    }
}

async fn assert_serves(process: &Process) {
    let asked = v1::ListLegalMovesRequest::default();
    let mut rules = process.rules();
    soon(rules.list_legal_moves(asked)).await.unwrap();
}

#[tokio::test]
async fn streams_that_are_reset_at_once_end_the_connection() {
    let process = Process::start(&[]).await;
    let mut bare = Bare::open(&process).await;
    let is_heard = async |bare: &mut Bare| {
        for stream in (1..2_000_001).step_by(2) {
            let opened = frame(HEADERS, END_HEADERS, stream, HEADER_BLOCK);
            let reset = frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes());
            if !bare.say(&[opened, reset].concat()).await {
                return false;
            }
        }
        true
    };
    assert!(!soon(is_heard(&mut bare)).await, "it hears them all");
    let _ = bare.farewell().await;
    assert_serves(&process).await;
}

#[tokio::test]
async fn headers_without_an_end_end_the_connection() {
    let process = Process::start(&[]).await;
    let mut bare = Bare::open(&process).await;
    let begun = frame(HEADERS, 0, 1, HEADER_BLOCK);
    bare.say(&begun).await;
    // A literal header that nobody indexes: `x` with 1,000 bytes.
    let header = [&[0x00, 1, b'x', 0x7f, 0xe9, 0x06][..], &[b'y'; 1000]].concat();
    let mut heard = 0;
    while heard < 10_000 && bare.say(&frame(CONTINUATION, 0, 1, &header)).await {
        heard += 1;
    }
    assert!(heard < 10_000, "it hears them all");
    if let Some(code) = bare.farewell().await {
        assert_eq!(code, CALM);
    }
    assert_serves(&process).await;
}

#[tokio::test]
async fn headers_that_are_too_large_are_refused_and_the_connection_goes_on() {
    let process = Process::start(&[]).await;
    let mut rules = process.rules();
    let mut request = tonic::Request::new(v1::ListLegalMovesRequest::default());
    let large = "y".repeat(20_000).parse().unwrap();
    request.metadata_mut().insert("x", large);
    assert!(soon(rules.list_legal_moves(request)).await.is_err());
    let asked = v1::ListLegalMovesRequest::default();
    soon(rules.list_legal_moves(asked)).await.unwrap();
}

#[tokio::test]
async fn a_client_that_never_begins_loses_its_connection() {
    let process = Process::start(&[]).await;
    let address = process.address().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&PREFACE[..5]).await.unwrap();
    let mut told = Vec::new();
    let begun = std::time::Instant::now();
    let _ = soon(stream.read_to_end(&mut told)).await;
    assert!(begun.elapsed() < LIMIT && told.is_empty());
}

#[tokio::test]
async fn a_thousand_idle_connections_cost_little() {
    let process = Process::start(&[]).await;
    assert_serves(&process).await;
    process.unpacked().await;
    let before = process.memory_kib();
    let mut idle = Vec::new();
    for _ in 0..1000 {
        let mut bare = Bare::open(&process).await;
        // The server has spoken: the connection is served.
        let mut settings = [0; 9];
        soon(bare.0.read_exact(&mut settings)).await.unwrap();
        idle.push(bare);
    }
    let grown = process.memory_kib().saturating_sub(before);
    assert!(grown < 64 << 10, "{grown} KiB");
    let begun = std::time::Instant::now();
    assert_serves(&process).await;
    assert!(begun.elapsed() < Duration::from_secs(5));
    drop(idle);
}
