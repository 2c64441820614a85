//! Only the sequences that `escape::WRITTEN` lists may ever be written.

use e::effects::term::escape::WRITTEN;

/// How many bytes at the start of `bytes` one form takes.
fn takes(form: &str, bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    for wanted in form.bytes() {
        let rest = &bytes[at.min(bytes.len())..];
        match wanted {
            b'#' => {
                let count = rest.iter().take_while(|b| matches!(b, b'0'..=b'9' | b';' | b':')).count();
                if count == 0 {
                    return None;
                }
                at += count;
            }
            b'*' => at += rest.iter().take_while(|b| **b >= 0x20 && **b != 0x7f).count(),
            wanted if rest.first() == Some(&wanted) => at += 1,
            _ => return None,
        }
    }
    Some(at)
}

/// The first bytes that are neither printable text nor a sequence of the list.
pub fn foreign(bytes: &[u8]) -> Option<String> {
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] >= 0x20 && bytes[at] != 0x7f {
            at += 1;
            continue;
        }
        match WRITTEN.iter().filter_map(|form| takes(form.bytes, &bytes[at..])).max() {
            Some(count) => at += count,
            None => {
                let end = bytes.len().min(at + 20);
                return Some(format!("at {at}: {:?}", String::from_utf8_lossy(&bytes[at..end])));
            }
        }
    }
    let text = String::from_utf8_lossy(bytes);
    text.chars().find(|c| ('\u{80}'..='\u{9f}').contains(c)).map(|c| format!("{c:?}"))
}

#[test]
fn the_list_allows_its_own_forms_and_nothing_else() {
    for form in WRITTEN {
        let sample = form.bytes.replace('#', "12;3").replace('*', "some text");
        assert_eq!(foreign(format!("a{sample}b").as_bytes()), None, "{form:?}");
    }
    for hostile in
        ["\x1b[3;1r", "\x1b[?1049s", "\x1bc", "\x1b]0;owned\x07", "\u{9b}31m", "\x1b[3J", "\x08", "\t"]
    {
        assert!(foreign(hostile.as_bytes()).is_some(), "{hostile:?}");
    }
}
