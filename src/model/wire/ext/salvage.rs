//! What can be saved of a line that is too long or not UTF-8: a leading `id`, so that whoever waits hears at once.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::{LEADING, WireId};

/// Who is to hear that the line was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Salvaged {
    /// The extension: its request gets an error.
    Request(WireId),
    /// Whoever waits for this call of `e`'s.
    Response(u64),
}

/// Reads the first KiB of a lost line. Behind a leading `id` the first key tells which it is: a response has neither
/// `method` nor `params`, and an id that is no unsigned integer can only be a request's.
pub fn salvage(line: &[u8]) -> Option<Salvaged> {
    let head = &line[..line.len().min(LEADING)];
    let mut scan = Scan { rest: head };
    scan.take(b'{')?;
    if scan.string()? != "id" {
        return None;
    }
    scan.take(b':')?;
    let id = scan.value()?;
    let request = || Some(Salvaged::Request(WireId(Arc::from(id))));
    while scan.take(b',').is_some() {
        let Some(key) = scan.string() else { break };
        if scan.take(b':').is_none() {
            break;
        }
        match key.as_str() {
            "method" => {
                return match scan.value().map(serde_json::from_str::<String>) {
                    Some(Ok(method)) if method == "notify" || method == "tool.update" => None,
                    Some(Ok(_)) => request(),
                    _ => None,
                };
            }
            "params" => return request(),
            "result" | "error" => break,
            _ => {
                if scan.value().is_none() {
                    break;
                }
            }
        }
    }
    match id.parse::<u64>() {
        Ok(number) => Some(Salvaged::Response(number)),
        Err(_) => request(),
    }
}

/// JSON tokens from the start of a text that may be cut off anywhere.
struct Scan<'b> {
    rest: &'b [u8],
}

impl<'b> Scan<'b> {
    fn blank(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        self.blank();
        self.rest = self.rest.strip_prefix(&[byte])?;
        Some(())
    }

    /// A whole value as it is written. A number at the very end may go on behind the cut, so it is none.
    fn value(&mut self) -> Option<&'b str> {
        self.blank();
        let mut stream = serde_json::Deserializer::from_slice(self.rest).into_iter::<&'b RawValue>();
        let value = stream.next()?.ok()?.get();
        let behind = stream.byte_offset();
        self.rest = self.rest.get(behind..)?;
        (!self.rest.is_empty()).then_some(value)
    }

    fn string(&mut self) -> Option<String> {
        serde_json::from_str(self.value()?).ok()
    }
}
