//! Tool calls put together from pieces: interleaved by index, or with the indexes and ids that servers get wrong (case G55).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::super::args::{Args, ReplyIds};
use super::super::names::ToolNames;
use crate::model::provider::StreamMsg;

#[derive(Debug, Deserialize)]
pub struct ToolCall {
    #[serde(default)]
    index: Value,
    #[serde(default)]
    id: Value,
    function: Option<Function>,
}

#[derive(Debug, Deserialize, Default)]
struct Function {
    #[serde(default)]
    name: Value,
    #[serde(default)]
    arguments: Value,
}

#[derive(Debug)]
pub struct Calls {
    names: Arc<ToolNames>,
    open: Vec<Open>,
    /// The server's index → the call that its next piece belongs to.
    slots: BTreeMap<u64, usize>,
    ids: ReplyIds,
    closed: bool,
}

#[derive(Debug)]
struct Open {
    /// As the server gave it; may be empty.
    id: String,
    name: String,
    args: Args,
    /// Its name came again after its arguments were whole: if more arguments follow, they are another call's.
    named_again: bool,
}

/// Where a piece belongs.
enum Found {
    /// To this call.
    Goes(usize),
    /// It begins a call.
    Begins,
    /// It begins one of the same name and id as this one, which was announced without arguments.
    Follows(usize),
}

impl Calls {
    pub fn new(names: Arc<ToolNames>) -> Self {
        Calls { names, open: Vec::new(), slots: BTreeMap::new(), ids: ReplyIds::default(), closed: false }
    }

    pub fn piece(&mut self, piece: ToolCall, out: &mut Vec<StreamMsg>) {
        if self.closed {
            return;
        }
        let function = piece.function.unwrap_or_default();
        let slot = piece.index.as_u64().or_else(|| piece.index.as_str()?.parse().ok());
        let id = match &piece.id {
            Value::String(id) => id.trim().to_owned(),
            Value::Number(id) => id.to_string(),
            _ => String::new(),
        };
        let name = function.name.as_str().unwrap_or_default().trim();
        let arguments = match function.arguments {
            Value::String(text) => text,
            Value::Null => String::new(),
            // An object, where a string of JSON should be.
            other => other.to_string(),
        };
        let at = match self.belongs_to(slot, &id, name, &arguments) {
            Found::Goes(at) => at,
            Found::Begins => self.begin(id, name, out),
            Found::Follows(at) => {
                let (id, name) =
                    self.open.get(at).map(|c| (c.id.clone(), c.name.clone())).unwrap_or_default();
                self.begin(id, &name, out)
            }
        };
        if let Some(slot) = slot {
            self.slots.insert(slot, at);
        }
        if let Some(call) = self.open.get_mut(at)
            && let Some(delta) = call.args.push(&arguments)
        {
            out.push(StreamMsg::CallArgs { index: at, delta });
        }
    }

    fn belongs_to(&mut self, slot: Option<u64>, id: &str, name: &str, arguments: &str) -> Found {
        let at = match slot {
            Some(slot) => self.slots.get(&slot).copied(),
            None => match self.open.iter().rposition(|c| !id.is_empty() && c.id == id) {
                None if id.is_empty() || name.is_empty() => self.open.len().checked_sub(1),
                found => found,
            },
        };
        let Some((at, call)) = at.and_then(|at| self.open.get_mut(at).map(|call| (at, call))) else {
            return Found::Begins;
        };
        let other_id = !id.is_empty() && !call.id.is_empty() && id != call.id;
        if !name.is_empty() && (other_id || name != call.name) {
            return Found::Begins;
        }
        if !call.args.whole() {
            return Found::Goes(at);
        }
        let more = !arguments.trim().is_empty();
        if !name.is_empty() && more {
            Found::Begins
        } else if call.named_again && more {
            Found::Follows(at)
        } else {
            call.named_again |= !name.is_empty();
            Found::Goes(at)
        }
    }

    fn begin(&mut self, id: String, name: &str, out: &mut Vec<StreamMsg>) -> usize {
        let index = self.open.len();
        let given = self.ids.unique(&id, index);
        out.push(StreamMsg::CallStart { index, id: given, name: self.names.real(name) });
        self.open.push(Open { id, name: name.to_owned(), args: Args::default(), named_again: false });
        index
    }

    /// All calls are complete.
    pub fn close(&mut self, out: &mut Vec<StreamMsg>) {
        if std::mem::replace(&mut self.closed, true) {
            return;
        }
        for (index, call) in self.open.iter_mut().enumerate() {
            if let Some(delta) = call.args.finish() {
                out.push(StreamMsg::CallArgs { index, delta });
            }
            out.push(StreamMsg::CallEnd { index, signature: None });
        }
    }
}
