//! A session from its log: the tree with every good line in it, and what was lost by name (N4, case G61).
//!
//! A log is read twice. First its end alone, backwards from the last line along the parents ([`ending`]): enough for a
//! screen, shown while the rest is still on its way. Then the whole, record by record ([`Loader`]). What the first reading
//! found is for the eyes only: it is part of no conversation, is never written to scrollback, and the second reading takes
//! its place whatever it was, so a session that was shown early and one that was not are the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::tree::{Branch, Node, NodeId, Tree};
use crate::model::provider::{ModelRef, Usage};
use crate::model::wire::log::{self, BadLine, Extra, MessageRecord, Record};

/// What a log says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    pub tree: Tree,
    pub uuid: Option<Arc<str>>,
    pub name: Option<Arc<str>>,
    /// The model that answered last, or the session began with.
    pub model: Option<ModelRef>,
    /// Every response that was paid for.
    pub responses: Vec<(ModelRef, Usage)>,
    /// The first log of a chain that compaction made.
    pub first: Option<Arc<str>>,
    pub bad: Vec<BadLine>,
    /// The log is of a version this program does not know.
    pub newer: Option<u64>,
}

/// Reads a log's lines. A bad line costs itself; its children hang on what stood before it.
pub fn load<'a>(lines: impl IntoIterator<Item = &'a str>) -> Loaded {
    let mut loader = Loader::default();
    for line in lines {
        loader.line(line);
    }
    loader.finish()
}

/// Takes a log's records one by one, in their order, so that nothing of the file need be held.
#[derive(Debug, Default)]
pub struct Loader {
    loaded: Loaded,
    /// What the children of a lost message hang on.
    adopted: BTreeMap<Arc<str>, Option<NodeId>>,
    /// The head when the newest bad line was met.
    before_bad: Option<NodeId>,
    /// Lines so far.
    lines: usize,
}

impl Loader {
    /// One line as it stands in the file.
    pub fn line(&mut self, line: &str) {
        match line.trim().is_empty() {
            true => self.lines += 1,
            false => drop(self.record(Record::parse(line))),
        }
    }

    /// One line that was read already. Whether it is a message that found its place.
    pub fn record(&mut self, record: Result<Record, String>) -> bool {
        self.lines += 1;
        match record {
            Ok(Record::Session(session)) => {
                if session.format_version > log::FORMAT_VERSION {
                    self.loaded.newer = Some(session.format_version);
                }
                self.loaded.first = first_of(&session.extra);
                self.loaded.uuid = Some(session.id);
                self.loaded.model = session.model;
            }
            Ok(Record::Message(message)) => return self.message(message),
            Ok(Record::Response(r)) => self.pay(r.response.model, r.response.usage),
            Ok(Record::Name(name)) => self.loaded.name = name.name,
            Ok(Record::Other(_)) => {}
            Err(why) => {
                self.before_bad = self.loaded.tree.head_id();
                self.loaded.bad.push(BadLine { line: self.lines, why: why.into() });
            }
        }
        false
    }

    fn pay(&mut self, model: ModelRef, usage: Usage) {
        // A long log names few models: their names are kept once.
        let model = match self.loaded.responses.last() {
            Some((last, _)) if *last == model => last.clone(),
            _ => model,
        };
        self.loaded.responses.push((model, usage));
    }

    fn message(&mut self, record: MessageRecord) -> bool {
        let mut response = None;
        if let Some(r) = record.response {
            self.pay(r.model, r.usage);
            response = self.loaded.responses.last().cloned();
            self.loaded.model = response.as_ref().map(|(model, _)| model.clone());
        }
        let tree = &mut self.loaded.tree;
        let parent = match record.parent {
            Some(id) if !tree.contains(&id) && !tree.contains(&record.id) => {
                let instead = || self.before_bad.clone().or_else(|| tree.head_id());
                self.adopted.entry(id).or_insert_with(instead).clone()
            }
            known => known,
        };
        let node = Node { id: record.id, parent, at: record.timestamp, message: record.message, response };
        let fresh = tree.push(node);
        if !fresh {
            let why = "its id was there before".into();
            self.loaded.bad.push(BadLine { line: self.lines, why });
        }
        fresh
    }

    pub fn finish(self) -> Loaded {
        self.loaded
    }
}

/// The messages that the last lines of a log end with, oldest first: what `load` would give as the end of the branch, as
/// far as these lines hold it, unless an id stands twice in the log.
pub fn ending<'a>(lines: impl DoubleEndedIterator<Item = &'a str>) -> Branch {
    let mut found = Vec::new();
    let mut wanted: Option<NodeId> = None;
    for line in lines.rev() {
        let Ok(Record::Message(record)) = Record::parse(line) else { continue };
        if !found.is_empty() && wanted.as_ref() != Some(&record.id) {
            continue;
        }
        found.push((record.id, record.message));
        wanted = record.parent;
        if wanted.is_none() {
            break;
        }
    }
    found.reverse();
    found
}

const CONTINUES: &str = "continues";
const FIRST: &str = "first";

/// Says in a log's first line which log it goes on from, and which was the first of all.
pub fn link(continues: &str, first: &str) -> Extra {
    let mut map = Map::new();
    map.insert(CONTINUES.into(), Value::from(continues));
    map.insert(FIRST.into(), Value::from(first));
    Extra(Some(Box::new(map)))
}

fn first_of(extra: &Extra) -> Option<Arc<str>> {
    extra.0.as_ref()?.get(FIRST)?.as_str().map(Arc::from)
}

/// The notice about lines that could not be read.
pub fn report(bad: &[BadLine], path: &str) -> Option<String> {
    let first = bad.first()?;
    let places: Vec<String> = bad.iter().take(8).map(|b| b.line.to_string()).collect();
    let more = if bad.len() > 8 { ", …" } else { "" };
    Some(match bad.len() {
        1 => format!("Line {} of {path} could not be read and was skipped: {}.", first.line, first.why),
        n => format!(
            "{n} lines of {path} could not be read and were skipped: {}{more}. Line {}: {}.",
            places.join(", "),
            first.line,
            first.why
        ),
    })
}
