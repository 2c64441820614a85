//! Line ends: matching without regard to them, and giving new lines the ends of the file they join (case G44).

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// A line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Lf,
    CrLf,
}

impl End {
    pub fn text(self) -> &'static str {
        match self {
            End::Lf => "\n",
            End::CrLf => "\r\n",
        }
    }
}

/// The end most lines of a text have; a text without any has LF.
pub fn prevailing(text: &str) -> End {
    let (crlf, all) = count(text);
    if crlf * 2 > all { End::CrLf } else { End::Lf }
}

/// How many lines end in CRLF, and how many end at all.
pub fn count(text: &str) -> (usize, usize) {
    (text.matches("\r\n").count(), text.matches('\n').count())
}

/// Every CRLF as LF.
pub fn plain(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// A text with its CRLFs as LFs, and the way back from its offsets to the original's.
#[derive(Debug)]
pub struct Plain {
    pub text: String,
    /// For each CR taken out, in order: the offset in `text` of the LF that followed it.
    gone: Vec<usize>,
}

impl Plain {
    pub fn new(original: &str) -> Self {
        let mut text = String::with_capacity(original.len());
        let mut gone = Vec::new();
        let mut pieces = original.split("\r\n");
        text.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            gone.push(text.len());
            text.push('\n');
            text.push_str(piece);
        }
        Plain { text, gone }
    }

    /// The original's offset of an offset in `text`; that of a line end points before its CR.
    pub fn original(&self, at: usize) -> usize {
        at + self.gone.partition_point(|lf| *lf < at)
    }
}

/// `new` with line ends: a line it shares with `old` keeps the end it has there, every other line takes `fresh`.
/// CRLFs in `new` count as plain line ends.
pub fn adopt(old: &str, new: &str, fresh: End) -> String {
    let new = plain(new);
    let (crlf, all) = count(old);
    if crlf == 0 && (fresh == End::Lf || !new.contains('\n')) {
        return new;
    }
    if crlf == all && fresh == End::CrLf {
        return new.replace('\n', "\r\n");
    }
    let bare = plain(old);
    let before: Vec<&str> = bare.split_inclusive('\n').collect();
    let after: Vec<&str> = new.split_inclusive('\n').collect();
    // Of each line of `new`: which line of `old` it is, when it is one.
    let mut same: Vec<Option<usize>> = vec![None; after.len()];
    for op in capture_diff_slices(Algorithm::Myers, &before, &after) {
        if op.tag() == DiffTag::Equal {
            for (was, is) in op.old_range().zip(op.new_range()) {
                if let Some(slot) = same.get_mut(is) {
                    *slot = Some(was);
                }
            }
        }
    }
    let own: Vec<bool> = old.split_inclusive('\n').map(|line| line.ends_with("\r\n")).collect();
    let mut out = String::with_capacity(old.len() + 16);
    for (line, was) in after.iter().zip(same) {
        let body = line.strip_suffix('\n');
        out.push_str(body.unwrap_or(line));
        if body.is_some() {
            let kept = was.and_then(|row| own.get(row)).map(|crlf| if *crlf { End::CrLf } else { End::Lf });
            out.push_str(kept.unwrap_or(fresh).text());
        }
    }
    out
}
