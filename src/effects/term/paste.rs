//! A marked paste while it arrives: found its end in linear time, bounded, its line ends made line feeds.

/// What ends a marked paste.
const END: &[u8] = b"\x1b[201~";

/// A paste longer than this is handed on in parts, so that a lost end mark cannot fill the memory. Bytes.
const MAX_BYTES: usize = 64 << 20;

/// The bytes of the paste so far.
#[derive(Debug, Default)]
pub(super) struct Paste {
    bytes: Vec<u8>,
    /// How many bytes of the end mark have been seen.
    matched: usize,
    /// Nothing has come for so long that the end mark may be lost.
    stale: bool,
}

/// What a piece of input meant to the paste.
pub(super) struct Taken {
    /// How many bytes belonged to the paste or its end mark.
    pub used: usize,
    /// Text to hand on: all of it at the end, a part of it when it grew past its bound.
    pub text: Option<String>,
    pub ended: bool,
}

impl Paste {
    pub fn take(&mut self, bytes: &[u8]) -> Taken {
        self.stale = false;
        let mut used = 0;
        while let Some(&byte) = bytes.get(used) {
            if self.matched == 0 {
                let rest = bytes.get(used..).unwrap_or_default();
                let plain = rest.iter().position(|b| *b == 0x1b).unwrap_or(rest.len());
                self.bytes.extend_from_slice(rest.get(..plain).unwrap_or_default());
                used += plain;
                if plain < rest.len() {
                    self.matched = 1;
                    used += 1;
                }
            } else if END.get(self.matched) == Some(&byte) {
                self.matched += 1;
                used += 1;
                if self.matched == END.len() {
                    self.matched = 0;
                    let text = into_text(std::mem::take(&mut self.bytes));
                    return Taken { used, text: Some(text), ended: true };
                }
            } else {
                // The mark's first byte occurs in it once, so nothing that was matched can start another.
                self.bytes.extend_from_slice(END.get(..self.matched).unwrap_or_default());
                self.matched = 0;
            }
        }
        let text = if self.bytes.len() > MAX_BYTES { self.part() } else { None };
        Taken { used, text, ended: false }
    }

    /// Nothing came for a while: hands on what there is. Whatever comes next is still the paste.
    pub fn flush(&mut self) -> Option<String> {
        self.stale = true;
        self.part()
    }

    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// The text so far, but for a character or a line end that may be cut.
    fn part(&mut self) -> Option<String> {
        let mut keep = match std::str::from_utf8(&self.bytes) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.bytes.len(),
        };
        if keep == self.bytes.len() && self.bytes.last() == Some(&b'\r') {
            keep -= 1;
        }
        if keep == 0 {
            return None;
        }
        let tail = self.bytes.split_off(keep);
        Some(into_text(std::mem::replace(&mut self.bytes, tail)))
    }
}

/// CR LF and CR become LF, in place; bytes that are no UTF-8 become replacement characters.
fn into_text(mut bytes: Vec<u8>) -> String {
    if bytes.contains(&b'\r') {
        let mut after_cr = false;
        bytes.retain_mut(|byte| {
            let drop = after_cr && *byte == b'\n';
            after_cr = *byte == b'\r';
            if after_cr {
                *byte = b'\n';
            }
            !drop
        });
    }
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
