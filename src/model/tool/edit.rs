//! The edit planner: which bytes a file has after an exact replacement, or why there is none. Pure; no guessing.

use super::encoding::{self, Encoding, NotText};
use super::ends::{self, Plain};
use super::near;

/// What is to be replaced by what.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub old: &'a str,
    pub new: &'a str,
    pub all: bool,
}

/// A planned edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The file's bytes afterwards.
    pub bytes: Vec<u8>,
    /// Its text before and after, for showing the difference.
    pub before: String,
    pub after: String,
    /// The lines, counted from 1, where the replaced places begin.
    pub lines: Vec<usize>,
}

/// Most line numbers that a refusal lists.
const LISTED: usize = 20;

/// Plans an edit of a file's bytes; the error is what the model reads.
pub fn plan(file: &[u8], request: Request<'_>) -> Result<Plan, String> {
    let (encoding, before) = encoding::decode(file).map_err(not_text)?;
    let old = ends::plain(request.old);
    let new = ends::plain(request.new);
    if old.is_empty() {
        return Err(
            "`old_string` is empty. Give the text to replace; use write to fill an empty file.".into()
        );
    }
    if old == new {
        return Err(same(request));
    }
    let plain = Plain::new(&before);
    let found = occurrences(&plain.text, &old);
    let places: Vec<usize> = match found.as_slice() {
        [] => return Err(missing(encoding, &plain.text, &old)),
        [one] => vec![*one],
        many if !request.all => return Err(doubles(&plain.text, many)),
        _ => plain.text.match_indices(old.as_str()).map(|(at, _)| at).collect(),
    };
    if encoding == Encoding::Bytes && !new.is_ascii() {
        return Err(
            "The file is not UTF-8 and its encoding is not known, so only ASCII text can be put into it. \
                    Nothing was changed."
                .into(),
        );
    }
    let after = replace(&before, &plain, &places, old.len(), &new);
    let bytes = encoding::encode(encoding, &after).map_err(|c| {
        format!(
            "{} can't be written in this file, which is {}. Nothing was changed.",
            near::name(c),
            encoding.name()
        )
    })?;
    let lines = line_numbers(&plain.text, &places);
    Ok(Plan { bytes, before, after, lines })
}

fn replace(before: &str, plain: &Plain, places: &[usize], length: usize, new: &str) -> String {
    let fresh = ends::prevailing(before);
    let mut after = String::with_capacity(before.len() + new.len());
    let mut done = 0;
    for place in places {
        let (from, to) = (plain.original(*place), plain.original(place + length));
        after.push_str(before.get(done..from).unwrap_or_default());
        after.push_str(&ends::adopt(before.get(from..to).unwrap_or_default(), new, fresh));
        done = to;
    }
    after.push_str(before.get(done..).unwrap_or_default());
    after
}

/// Every place where the text occurs, overlapping ones too: two that overlap are two readings of one request.
fn occurrences(text: &str, wanted: &str) -> Vec<usize> {
    let step = wanted.chars().next().map_or(1, char::len_utf8);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(wanted)) {
        found.push(from + at);
        from += at + step;
    }
    found
}

/// The lines, counted from 1, of ascending offsets.
fn line_numbers(text: &str, places: &[usize]) -> Vec<usize> {
    let (mut line, mut from) = (1, 0);
    places
        .iter()
        .map(|at| {
            line += text.get(from..*at).unwrap_or_default().matches('\n').count();
            from = *at;
            line
        })
        .collect()
}

fn not_text(why: NotText) -> String {
    match why {
        NotText::Binary => "This is not a text file; edit changes text only.".into(),
        NotText::BrokenUtf16 => {
            "The file says that it is UTF-16, but it is not valid UTF-16, so its bytes could not be kept. Nothing was \
             changed."
                .into()
        }
    }
}

fn same(request: Request<'_>) -> String {
    if request.old == request.new {
        "`old_string` and `new_string` are the same: there is nothing to change.".into()
    } else {
        "`old_string` and `new_string` differ only in line ends. edit keeps a file's line ends; change them with bash."
            .into()
    }
}

fn doubles(text: &str, places: &[usize]) -> String {
    let lines = line_numbers(text, places);
    let mut listed: Vec<String> = lines.iter().take(LISTED).map(usize::to_string).collect();
    if lines.len() > LISTED {
        listed.push("…".into());
    }
    format!(
        "`old_string` occurs {} times, at lines {}. Nothing was changed. Add lines around the place you mean until it \
         is unique, or set replace_all to change all.",
        lines.len(),
        listed.join(", ")
    )
}

fn missing(encoding: Encoding, text: &str, old: &str) -> String {
    let mut why =
        format!("`old_string` is not in the file. Nothing was changed.\n{}", near::explain(text, old));
    if encoding == Encoding::Bytes && !old.is_ascii() {
        why.push_str(
            "\nThe file is not UTF-8 and its encoding is not known: text in it that is not ASCII can't be matched. Use \
             an `old_string` without such characters.",
        );
    }
    why
}
