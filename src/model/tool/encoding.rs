//! How a text file's bytes and its text go over into each other, exactly in both directions, so that an edit changes
//! no byte outside its place (case G45).

/// How a text file is written. A byte-order mark is not part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    /// UTF-8 behind a byte-order mark.
    Utf8Mark,
    /// UTF-16 behind its byte-order mark.
    Utf16Le,
    Utf16Be,
    /// One byte a character, ASCII below 128, of a code page that is not known (Windows-1252 mostly): bytes above 127
    /// stand as the characters U+0080 to U+00FF and may be kept or removed, but not written.
    Bytes,
}

/// Why bytes are not a text that can be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotText {
    /// NUL bytes or many control characters.
    Binary,
    /// A UTF-16 mark, but unpaired surrogates or an odd number of bytes behind it.
    BrokenUtf16,
}

const MARK8: &[u8] = b"\xEF\xBB\xBF";
const MARK_LE: &[u8] = b"\xFF\xFE";
const MARK_BE: &[u8] = b"\xFE\xFF";

/// The text of a file, and how to write it back.
pub fn decode(bytes: &[u8]) -> Result<(Encoding, String), NotText> {
    if let Some(rest) = bytes.strip_prefix(MARK_LE) {
        return utf16(rest, u16::from_le_bytes).map(|text| (Encoding::Utf16Le, text));
    }
    if let Some(rest) = bytes.strip_prefix(MARK_BE) {
        return utf16(rest, u16::from_be_bytes).map(|text| (Encoding::Utf16Be, text));
    }
    if is_binary(bytes) {
        return Err(NotText::Binary);
    }
    let (encoding, rest) = match bytes.strip_prefix(MARK8) {
        Some(rest) => (Encoding::Utf8Mark, rest),
        None => (Encoding::Utf8, bytes),
    };
    match std::str::from_utf8(rest) {
        Ok(text) => Ok((encoding, text.to_owned())),
        Err(_) => Ok((Encoding::Bytes, bytes.iter().map(|byte| char::from(*byte)).collect())),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, NotText> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    if !odd.is_empty() {
        return Err(NotText::BrokenUtf16);
    }
    let units = pairs.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).collect::<Result<String, _>>().map_err(|_| NotText::BrokenUtf16)
}

/// The bytes of a text in an encoding; the error is the first character that the encoding can't write.
pub fn encode(encoding: Encoding, text: &str) -> Result<Vec<u8>, char> {
    match encoding {
        Encoding::Utf8 => Ok(text.as_bytes().to_vec()),
        Encoding::Utf8Mark => Ok([MARK8, text.as_bytes()].concat()),
        Encoding::Utf16Le => Ok(wide(MARK_LE, text, u16::to_le_bytes)),
        Encoding::Utf16Be => Ok(wide(MARK_BE, text, u16::to_be_bytes)),
        Encoding::Bytes => text.chars().map(|c| u8::try_from(u32::from(c)).map_err(|_| c)).collect(),
    }
}

fn wide(mark: &[u8], text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    mark.iter().copied().chain(text.encode_utf16().flat_map(bytes)).collect()
}

/// Whether bytes are no text: a NUL anywhere in the first 8 KiB (without a UTF-16 mark), or more than one control
/// character in ten.
pub fn is_binary(bytes: &[u8]) -> bool {
    if bytes.starts_with(MARK_LE) || bytes.starts_with(MARK_BE) {
        return false;
    }
    let start = bytes.get(..8192).unwrap_or(bytes);
    let controls = start.iter().filter(|b| matches!(b, 0..=8 | 14..=26 | 28..=31 | 127)).count();
    start.contains(&0) || controls * 10 > start.len()
}

impl Encoding {
    /// What a person calls it.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "UTF-8",
            Encoding::Utf8Mark => "UTF-8 with a byte-order mark",
            Encoding::Utf16Le => "UTF-16LE",
            Encoding::Utf16Be => "UTF-16BE",
            Encoding::Bytes => "not UTF-8",
        }
    }
}
