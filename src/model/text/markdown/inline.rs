//! The line being written: spans in the look of the marks around them, links, and bare addresses found in text.

use std::sync::Arc;

use crate::model::text::clean::Clean;
use crate::model::text::row::{Attrs, Row, Span, Token};

/// How deep each mark is open.
#[derive(Default)]
pub(super) struct Inline {
    pub row: Row,
    /// Byte offset in the source where the line begins.
    pub start: Option<usize>,
    pub bold: usize,
    pub italic: usize,
    pub strike: usize,
    links: Vec<Link>,
}

struct Link {
    address: Clean,
    target: Option<Arc<str>>,
    /// The text written so far.
    text: String,
}

impl Inline {
    pub fn text(&mut self, text: &Clean, token: Token, look: Attrs) {
        self.write(text.clone(), token, look);
    }

    pub fn code(&mut self, code: &str) {
        self.write(Clean::one_line(code), Token::MdCode, Attrs::NONE);
    }

    fn write(&mut self, text: Clean, token: Token, look: Attrs) {
        let mut span = Span::new(text, token).attrs(look).attrs(Attrs {
            bold: self.bold > 0,
            italic: self.italic > 0,
            strikethrough: self.strike > 0,
            ..Attrs::NONE
        });
        if let Some(link) = self.links.last_mut() {
            link.text.push_str(span.text.as_str());
            span.link.clone_from(&link.target);
            span.attrs.underline = true;
            if token != Token::MdCode {
                span.token = Token::MdLink;
            }
        }
        self.row.push(span);
    }

    pub fn open_link(&mut self, address: &str) {
        let address = Clean::collapsed(address);
        let target = target(address.as_str());
        self.links.push(Link { address, target, text: String::new() });
    }

    /// Ends a link, with its address behind it where that is wanted and says more than the text.
    pub fn close_link(&mut self, show: bool) {
        let Some(link) = self.links.pop() else { return };
        if let Some(outer) = self.links.last_mut() {
            outer.text.push_str(&link.text);
        }
        let address = link.address.as_str();
        let told = [address, address.trim_end_matches('/'), address.trim_start_matches("mailto:")];
        if !show || address.is_empty() || told.contains(&link.text.trim()) {
            return;
        }
        let lead = if link.text.is_empty() { "" } else { " " };
        let shown = Clean::trusted(format!("{lead}({address})"));
        self.row.push(Span { link: link.target, ..Span::new(shown, Token::MdLinkUrl).attrs(Attrs::DIM) });
    }

    /// Takes the line, with the bare addresses in it made links.
    pub fn take(&mut self) -> Row {
        self.start = None;
        let row = std::mem::take(&mut self.row);
        if row.spans.iter().any(|span| is_bare(span) && find_address(span.text.as_str()).is_some()) {
            linked(row)
        } else {
            row
        }
    }
}

fn is_bare(span: &Span) -> bool {
    span.link.is_none() && span.token != Token::MdCode
}

fn linked(row: Row) -> Row {
    let mut out = Row { spans: Vec::new(), ..row };
    for span in row.spans {
        if !is_bare(&span) {
            out.push(span);
            continue;
        }
        let mut rest = span.text.as_str();
        while let Some(range) = find_address(rest) {
            out.push(span.like(&rest[..range.start]));
            let address = &rest[range.clone()];
            let look = Attrs { underline: true, ..Attrs::NONE };
            out.push(Span { token: Token::MdLink, link: target(address), ..span.like(address).attrs(look) });
            rest = &rest[range.end..];
        }
        out.push(span.like(rest));
    }
    out
}

/// The first bare web address in a text: up to white space, without the punctuation that ends a sentence.
fn find_address(text: &str) -> Option<std::ops::Range<usize>> {
    let mut from = 0;
    loop {
        let colon = from + text[from..].find("://")?;
        let start =
            ["https", "http"].into_iter().find(|s| text[..colon].ends_with(s)).map(|s| colon - s.len());
        from = colon + 3;
        let Some(start) = start else { continue };
        let end = text[from..]
            .find(|c: char| c.is_whitespace() || "<>\"`|".contains(c))
            .map_or(text.len(), |n| from + n);
        let mut address =
            text[start..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '…']);
        while let Some(shorter) = address.strip_suffix(')') {
            if address.matches('(').count() >= address.matches(')').count() {
                break;
            }
            address = shorter.trim_end_matches(['.', ',', ';', ':', '!', '?']);
        }
        if start + address.len() > from {
            return Some(start..start + address.len());
        }
    }
}

/// The target of a hyperlink: only of schemes that are safe to follow, percent-encoded as terminals want it.
fn target(address: &str) -> Option<Arc<str>> {
    const SCHEMES: [&str; 4] = ["https://", "http://", "mailto:", "file://"];
    let known = |scheme: &str| address.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme));
    SCHEMES.into_iter().find(|scheme| known(scheme))?;
    let mut out = String::with_capacity(address.len());
    for byte in address.bytes() {
        match byte {
            b'!'..=b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(out.into())
}
