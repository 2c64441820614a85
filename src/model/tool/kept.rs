//! Long results kept whole for `read_result`, and that tool itself: it pages and searches what is kept, without IO.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;

use super::args::{Args, Refusal};
use super::limit;
use super::{Outcome, ToolOutput, spec};

/// How many results are kept, and how many bytes of them; the oldest go first.
pub const COUNT: usize = 32;
pub const BYTES: usize = 16 * 1024 * 1024;
/// Room that a page leaves for its last line.
const FOOTER: usize = 512;

/// The results of one session that were too long to show whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Kept {
    last: u32,
    bytes: usize,
    results: VecDeque<(Arc<str>, Arc<str>)>,
}

impl Kept {
    /// An empty store whose first id is `r<first>`: a resumed session starts past the ids its history may name.
    pub fn starting_at(first: u32) -> Self {
        Kept { last: first.saturating_sub(1), ..Kept::default() }
    }

    /// Keeps a text and names it.
    pub fn keep(&mut self, text: Arc<str>) -> Arc<str> {
        self.last += 1;
        let id: Arc<str> = format!("r{}", self.last).into();
        self.bytes += text.len();
        self.results.push_back((Arc::clone(&id), text));
        while self.results.len() > 1 && (self.results.len() > COUNT || self.bytes > BYTES) {
            if let Some((_, gone)) = self.results.pop_front() {
                self.bytes -= gone.len();
            }
        }
        id
    }

    /// The id of the last text kept.
    pub fn newest(&self) -> Option<&Arc<str>> {
        self.results.back().map(|(id, _)| id)
    }

    pub fn get(&self, id: &str) -> Option<&Arc<str>> {
        self.results.iter().find(|(known, _)| &**known == id).map(|(_, text)| text)
    }

    pub fn len(&self) -> usize {
        self.results.len()
    }

    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// Bytes kept now.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Runs a `read_result` call.
    pub fn run(&self, arguments: &Value) -> ToolOutput {
        match self.answer(arguments) {
            Ok(text) => ToolOutput::new(Outcome::Completed, text),
            Err(Refusal(why)) => ToolOutput::new(Outcome::Failed, why),
        }
    }

    fn answer(&self, arguments: &Value) -> Result<String, Refusal> {
        let Some(tool) = spec::builtin(spec::READ_RESULT) else { return Err(Refusal(String::new())) };
        let args = Args::new(&tool, arguments);
        let id = args.filled("id")?.trim();
        let offset = args.opt_int("offset", 1, u64::MAX)?.unwrap_or(1);
        let limit = args.opt_int("limit", 1, u64::MAX)?.unwrap_or(u64::MAX);
        let query = args.opt_text("query")?.filter(|query| !query.is_empty());
        let text = self.get(id).ok_or_else(|| Refusal(self.missing(id)))?;
        let (offset, limit) = (usize::try_from(offset), usize::try_from(limit));
        let page = Page { id, offset: offset.unwrap_or(usize::MAX), limit: limit.unwrap_or(usize::MAX) };
        Ok(match query {
            Some(query) => page.search(text, query),
            None => page.lines(text),
        })
    }

    fn missing(&self, id: &str) -> String {
        let known: Vec<&str> = self.results.iter().map(|(id, _)| &**id).collect();
        match known.is_empty() {
            true => format!("No result {id} is kept: nothing is kept now. Run the tool again."),
            false => format!(
                "No result {id} is kept. Kept now: {}. Older ones are gone; run the tool again.",
                known.join(", ")
            ),
        }
    }
}

struct Page<'a> {
    id: &'a str,
    offset: usize,
    limit: usize,
}

impl Page<'_> {
    fn lines(&self, text: &str) -> String {
        let total = limit::rows(text).count();
        if self.offset > total {
            return format!("[{} has {total} lines; line {} is past its end]", self.id, self.offset);
        }
        let room = limit::MODEL - FOOTER;
        let mut out = String::new();
        let mut next = self.offset;
        for row in limit::rows(text).skip(self.offset - 1).take(self.limit) {
            if out.len() + row.len() > room {
                break;
            }
            out.push_str(row);
            next += 1;
        }
        end_line(&mut out);
        let more = if next <= total { format!("; go on with offset {next}") } else { String::new() };
        out.push_str(&format!("[{}: lines {}-{} of {total}{more}]", self.id, self.offset, next - 1));
        out
    }

    /// Numbered lines that contain the query; `offset` is the line to search from.
    fn search(&self, text: &str, query: &str) -> String {
        let room = limit::MODEL - FOOTER;
        let mut out = String::new();
        let (mut shown, mut found, mut next) = (0, 0, None);
        let mut first = 1;
        for line in text.split_inclusive('\n') {
            // Rows are pieces of lines; the search looks at whole lines, so that no border hides a match.
            let (row, rows) = (first, limit::rows(line).count());
            first += rows;
            let Some(at) = line.find(query) else { continue };
            let row = row + limit::rows(line.get(..at).unwrap_or_default()).count().saturating_sub(1);
            if row < self.offset {
                continue;
            }
            found += 1;
            let line = format!("{row}\t{}\n", around(line.trim_end_matches(['\n', '\r']), at, query.len()));
            if next.is_some() || shown == self.limit || out.len() + line.len() > room {
                next.get_or_insert(row);
                continue;
            }
            out.push_str(&line);
            shown += 1;
        }
        let wanted: String = query.chars().take(60).collect();
        let more = next.map(|line| format!("; go on with offset {line}")).unwrap_or_default();
        match found {
            0 => out.push_str(&format!("[{}: no line from {} on contains {wanted:?}]", self.id, self.offset)),
            _ => out.push_str(&format!("[{}: {shown} of {found} lines with {wanted:?}{more}]", self.id)),
        }
        out
    }
}

/// A long row is cut around the place of interest.
fn around(row: &str, at: usize, len: usize) -> String {
    const SIDE: usize = 200;
    if row.len() <= 2 * SIDE + len {
        return row.to_owned();
    }
    let from = limit::floor(row, at.saturating_sub(SIDE));
    let to = limit::ceil(row, at + len + SIDE);
    let (lead, tail) = (if from > 0 { "…" } else { "" }, if to < row.len() { "…" } else { "" });
    format!("{lead}{}{tail}", row.get(from..to).unwrap_or_default())
}

fn end_line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}
