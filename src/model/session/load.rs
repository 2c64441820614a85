//! A session from its log: the tree with every good line in it, and what was lost by name (N4, case G61).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::tree::{Node, NodeId, Tree};
use crate::model::provider::{ModelRef, Usage};
use crate::model::wire::log::{self, BadLine, Extra, MessageRecord, Record};

/// What a log says.
#[derive(Debug, Default, PartialEq)]
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
    let log = log::read(lines);
    let mut loaded = Loaded { bad: log.bad, ..Loaded::default() };
    let mut adopted: BTreeMap<Arc<str>, Option<NodeId>> = BTreeMap::new();
    let mut bad = loaded.bad.iter().map(|b| b.line).collect::<Vec<_>>().into_iter().peekable();
    let mut before_bad: Option<NodeId> = None;
    for (line, record) in log.records {
        while bad.next_if(|b| *b < line).is_some() {
            before_bad = loaded.tree.head_id();
        }
        match record {
            Record::Session(session) => {
                if session.format_version > log::FORMAT_VERSION {
                    loaded.newer = Some(session.format_version);
                }
                loaded.first = first_of(&session.extra);
                loaded.uuid = Some(session.id);
                loaded.model = session.model;
            }
            Record::Message(message) => take(&mut loaded, message, line, &before_bad, &mut adopted),
            Record::Response(r) => loaded.responses.push((r.response.model, r.response.usage)),
            Record::Name(name) => loaded.name = name.name,
            Record::Other(_) => {}
        }
    }
    loaded.bad.sort_by_key(|b| b.line);
    loaded
}

fn take(
    loaded: &mut Loaded,
    record: MessageRecord,
    line: usize,
    before_bad: &Option<NodeId>,
    adopted: &mut BTreeMap<Arc<str>, Option<NodeId>>,
) {
    let response = record.response.map(|r| (r.model, r.usage));
    if let Some((model, usage)) = &response {
        loaded.model = Some(model.clone());
        loaded.responses.push((model.clone(), *usage));
    }
    if loaded.tree.contains(&record.id) {
        loaded.bad.push(BadLine { line, why: "its id was there before".into() });
        return;
    }
    let parent = match record.parent {
        Some(id) if !loaded.tree.contains(&id) => {
            adopted.entry(id).or_insert_with(|| before_bad.clone().or_else(|| loaded.tree.head_id())).clone()
        }
        known => known,
    };
    let node = Node { id: record.id, parent, at: record.timestamp, message: record.message, response };
    let _fresh_and_known = loaded.tree.push(node);
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
