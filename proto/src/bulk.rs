//! The messages of the bulk calls, kept as the bytes that travel.
//!
//! `repeated fixed64` is on the wire a run of eight little-endian bytes a number. Reading one
//! takes that range of the received bytes as it is, and writing one copies it out again:
//! no number is decoded on the way. To other languages they are ordinary messages.

use std::fmt;

use prost::DecodeError;
use prost::bytes::{Buf, BufMut, Bytes, BytesMut};
use prost::encoding::{
    DecodeContext, WireType, decode_varint, encode_key, encode_varint, encoded_len_varint, key_len,
    skip_field, uint32,
};

/// The bytes of a number.
const WIDTH: usize = 8;

/// 64-bit numbers as little-endian bytes.
///
/// ```
/// use reversi_proto::Packed64;
///
/// let numbers = Packed64::from(vec![1, 2]);
/// assert_eq!(numbers.len(), 2);
/// assert_eq!(numbers.as_bytes()[8], 2);
/// assert_eq!(numbers.iter().collect::<Vec<_>>(), [1, 2]);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Packed64(Bytes);

/// Bytes that are no whole number of 64-bit numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPacked64;

impl Packed64 {
    /// The numbers in these bytes.
    ///
    /// # Errors
    ///
    /// [`NotPacked64`] if the length is no multiple of eight.
    pub fn from_le_bytes(bytes: impl Into<Bytes>) -> Result<Self, NotPacked64> {
        let bytes = bytes.into();
        if bytes.len().is_multiple_of(WIDTH) {
            Ok(Self(bytes))
        } else {
            Err(NotPacked64)
        }
    }

    /// The little-endian bytes, eight a number.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// How many numbers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len() / WIDTH
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The numbers.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        let (numbers, _) = self.0.as_chunks();
        numbers.iter().map(|number| u64::from_le_bytes(*number))
    }

    fn encode(&self, tag: u32, out: &mut impl BufMut) {
        if !self.is_empty() {
            encode_key(tag, WireType::LengthDelimited, out);
            encode_varint(self.0.len() as u64, out);
            out.put_slice(&self.0);
        }
    }

    fn encoded_len(&self, tag: u32) -> usize {
        if self.is_empty() {
            return 0;
        }
        key_len(tag) + encoded_len_varint(self.0.len() as u64) + self.0.len()
    }

    fn merge(&mut self, wire_type: WireType, input: &mut impl Buf) -> Result<(), DecodeError> {
        let length = match wire_type {
            WireType::LengthDelimited => usize::try_from(decode_varint(input)?).ok(),
            // One number by itself: a writer may leave the numbers unpacked.
            WireType::SixtyFourBit => Some(WIDTH),
            WireType::Varint
            | WireType::StartGroup
            | WireType::EndGroup
            | WireType::ThirtyTwoBit => None,
        };
        let length = length
            .filter(|length| *length <= input.remaining() && length.is_multiple_of(WIDTH))
            .ok_or_else(malformed)?;
        let more = input.copy_to_bytes(length);
        if self.0.is_empty() {
            self.0 = more;
        } else {
            // Taken back without a copy where nothing else holds these bytes.
            let mut bytes = BytesMut::from(std::mem::take(&mut self.0));
            bytes.put_slice(&more);
            self.0 = bytes.freeze();
        }
        Ok(())
    }
}

/// prost makes errors of its own kinds only; this reads a field that cannot be.
fn malformed() -> DecodeError {
    let nothing: &[u8] = &[];
    decode_varint(&mut { nothing }).expect_err("invariant: nothing is no number")
}

impl From<Vec<u64>> for Packed64 {
    fn from(numbers: Vec<u64>) -> Self {
        numbers.into_iter().collect()
    }
}

impl From<&[u64]> for Packed64 {
    fn from(numbers: &[u64]) -> Self {
        numbers.iter().copied().collect()
    }
}

impl FromIterator<u64> for Packed64 {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Self {
        let bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
        Self(bytes.into())
    }
}

impl fmt::Debug for Packed64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The request of BatchListLegalMoves and StreamLegalMoves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionBatch {
    /// The discs of the side to move.
    pub player: Packed64,
    /// The discs of the other side.
    pub opponent: Packed64,
}

impl prost::Message for PositionBatch {
    fn encode_raw(&self, out: &mut impl BufMut) {
        self.player.encode(1, out);
        self.opponent.encode(2, out);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        input: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        match tag {
            1 => self.player.merge(wire_type, input),
            2 => self.opponent.merge(wire_type, input),
            _ => skip_field(wire_type, tag, input, context),
        }
    }

    fn encoded_len(&self) -> usize {
        self.player.encoded_len(1) + self.opponent.encoded_len(2)
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

/// The response of BatchListLegalMoves and StreamLegalMoves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LegalMovesBatch {
    /// The legal squares of each position.
    pub legal_moves: Packed64,
    /// The positions whose discs overlap.
    pub overlapping: Vec<u32>,
}

impl prost::Message for LegalMovesBatch {
    fn encode_raw(&self, out: &mut impl BufMut) {
        self.legal_moves.encode(1, out);
        uint32::encode_packed(2, &self.overlapping, out);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        input: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        match tag {
            1 => self.legal_moves.merge(wire_type, input),
            2 => uint32::merge_repeated(wire_type, &mut self.overlapping, input, context),
            _ => skip_field(wire_type, tag, input, context),
        }
    }

    fn encoded_len(&self) -> usize {
        self.legal_moves.encoded_len(1) + uint32::encoded_len_packed(2, &self.overlapping)
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

/// A [`LegalMovesBatch`] as the frame that travels, with room for the moves where they belong:
/// they are written once, and sent from there.
///
/// ```
/// use reversi_proto::LegalMovesFrame;
///
/// let mut frame = LegalMovesFrame::with_room(1);
/// frame.moves_mut().copy_from_slice(&7_u64.to_le_bytes());
/// // No compression, the length, field 1 of so many bytes, and the number.
/// assert_eq!(&frame.finish(&[])[..], b"\0\0\0\0\x0a\x0a\x08\x07\0\0\0\0\0\0\0");
/// ```
#[derive(Clone, Debug)]
pub struct LegalMovesFrame {
    bytes: Vec<u8>,
    /// Where the moves begin.
    moves: usize,
}

/// The flag and the length before each gRPC message.
const PREFIX: usize = 5;

impl LegalMovesFrame {
    /// A frame for so many positions. All moves are zero.
    #[must_use]
    pub fn with_room(positions: usize) -> Self {
        let length = positions * WIDTH;
        let head = PREFIX + key_len(1) + encoded_len_varint(length as u64);
        let mut bytes = vec![0; head + length];
        let mut field = &mut bytes[PREFIX..head];
        encode_key(1, WireType::LengthDelimited, &mut field);
        encode_varint(length as u64, &mut field);
        Self { bytes, moves: head }
    }

    /// The moves, eight little-endian bytes a position.
    pub fn moves_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.moves..]
    }

    /// The frame with the positions whose discs overlap.
    ///
    /// # Panics
    ///
    /// If the message has more than 4 GiB.
    #[must_use]
    pub fn finish(mut self, overlapping: &[u32]) -> Bytes {
        uint32::encode_packed(2, overlapping, &mut self.bytes);
        let length = u32::try_from(self.bytes.len() - PREFIX);
        let length = length.expect("invariant: messages are far below 4 GiB");
        self.bytes[1..PREFIX].copy_from_slice(&length.to_be_bytes());
        self.bytes.into()
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;

    /// The request as the code generator would have written it.
    #[derive(Clone, PartialEq, Message)]
    struct GeneratedRequest {
        #[prost(fixed64, repeated, tag = "1")]
        player: Vec<u64>,
        #[prost(fixed64, repeated, tag = "2")]
        opponent: Vec<u64>,
    }

    /// The response as the code generator would have written it.
    #[derive(Clone, PartialEq, Message)]
    struct GeneratedResponse {
        #[prost(fixed64, repeated, tag = "1")]
        legal_moves: Vec<u64>,
        #[prost(uint32, repeated, tag = "2")]
        overlapping: Vec<u32>,
    }

    /// The request with every number written by itself.
    #[derive(Clone, PartialEq, Message)]
    struct UnpackedRequest {
        #[prost(fixed64, repeated, packed = "false", tag = "1")]
        player: Vec<u64>,
        #[prost(fixed64, repeated, packed = "false", tag = "2")]
        opponent: Vec<u64>,
    }

    const PLAYER: [u64; 3] = [1, u64::MAX, 0x0123_4567_89ab_cdef];
    const OPPONENT: [u64; 3] = [2, 0, 0xfedc_ba98_7654_3210];

    fn batch() -> PositionBatch {
        PositionBatch {
            player: PLAYER.as_slice().into(),
            opponent: OPPONENT.as_slice().into(),
        }
    }

    #[test]
    fn request_is_written_as_generated_code_writes_it() {
        let generated = GeneratedRequest {
            player: PLAYER.into(),
            opponent: OPPONENT.into(),
        };
        assert_eq!(batch().encode_to_vec(), generated.encode_to_vec());
        assert_eq!(batch().encoded_len(), generated.encoded_len());
    }

    #[test]
    fn response_is_written_as_generated_code_writes_it() {
        let generated = GeneratedResponse {
            legal_moves: PLAYER.into(),
            overlapping: vec![0, 2, 70_000],
        };
        let response = LegalMovesBatch {
            legal_moves: PLAYER.as_slice().into(),
            overlapping: vec![0, 2, 70_000],
        };
        assert_eq!(response.encode_to_vec(), generated.encode_to_vec());
        assert_eq!(response.encoded_len(), generated.encoded_len());
        let read = LegalMovesBatch::decode(generated.encode_to_vec().as_slice());
        assert_eq!(read, Ok(response));
    }

    #[test]
    fn a_frame_is_the_prefix_and_the_response() {
        for overlapping in [vec![], vec![0, 2, 70_000]] {
            let mut frame = LegalMovesFrame::with_room(PLAYER.len());
            let moves = PLAYER.map(u64::to_le_bytes);
            frame.moves_mut().copy_from_slice(moves.as_flattened());
            let frame = frame.finish(&overlapping);
            let response = LegalMovesBatch {
                legal_moves: PLAYER.as_slice().into(),
                overlapping,
            };
            let message = response.encode_to_vec();
            let length = u32::try_from(message.len()).unwrap().to_be_bytes();
            assert_eq!(frame, [&[0][..], &length, &message].concat());
        }
    }

    #[test]
    fn unpacked_and_split_numbers_are_read() {
        let unpacked = UnpackedRequest {
            player: PLAYER.into(),
            opponent: OPPONENT.into(),
        };
        let bytes = unpacked.encode_to_vec();
        assert_eq!(PositionBatch::decode(bytes.as_slice()), Ok(batch()));
        let twice = [bytes, batch().encode_to_vec()].concat();
        let read = PositionBatch::decode(twice.as_slice()).unwrap();
        assert_eq!(
            read.player.iter().collect::<Vec<_>>(),
            [PLAYER, PLAYER].concat()
        );
    }

    #[test]
    fn unknown_fields_are_skipped() {
        let mut bytes = batch().encode_to_vec();
        encode_key(15, WireType::Varint, &mut bytes);
        encode_varint(7, &mut bytes);
        assert_eq!(PositionBatch::decode(bytes.as_slice()), Ok(batch()));
    }

    #[test]
    fn numbers_cut_short_are_refused() {
        let whole = batch().encode_to_vec();
        for length in [1, 2, 9, 25, whole.len() - 1] {
            assert!(PositionBatch::decode(&whole[..length]).is_err(), "{length}");
        }
        // A length that is no multiple of eight, and one beyond the end.
        for bytes in [&[10, 7, 0, 0, 0, 0, 0, 0, 0][..], &[10, 16, 0], &[8, 1]] {
            assert!(PositionBatch::decode(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn reading_shares_the_received_bytes() {
        let received = Bytes::from(batch().encode_to_vec());
        let player = PositionBatch::decode(received.clone()).unwrap().player;
        assert!(
            received
                .as_ptr_range()
                .contains(&player.as_bytes().as_ptr())
        );
    }
}
