//! The span grammar of panels, widgets and pane rows: a line is a string or a list of spans (`extensions-notes.md` 15).

use serde_json::Value;

use crate::model::text::clean::Clean;
use crate::model::text::row::{Row, Span, Token};

use super::{LINE_COLUMNS, get};

/// The lines of a panel or a widget.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lines {
    pub rows: Vec<Row>,
    /// Lines past the limit; one more row counts them.
    pub more: usize,
}

impl Lines {
    /// The first `limit` of a list; anything but a list has no lines.
    pub fn read(lines: Option<&Value>, limit: usize) -> Self {
        let list = lines.and_then(Value::as_array).map_or(&[] as &[Value], Vec::as_slice);
        let rows = list.iter().take(limit).map(|line| row(line).cut(LINE_COLUMNS)).collect();
        Lines { rows, more: list.len().saturating_sub(limit) }
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// One line. What is neither a string nor a list shows as its JSON text.
pub fn row(line: &Value) -> Row {
    match line {
        Value::String(text) => Row::of(Clean::one_line(text), Token::Plain),
        Value::Array(spans) => spans.iter().filter_map(span).fold(Row::empty(), Row::with),
        other => Row::of(Clean::one_line(&other.to_string()), Token::Plain),
    }
}

/// One span; without text there is none.
fn span(value: &Value) -> Option<Span> {
    let text = value.as_str().or_else(|| get::text(value, "text"))?;
    Some(Span::new(Clean::one_line(text), token(value)))
}

/// The colour a value names; an unknown one is plain.
pub fn token(value: &Value) -> Token {
    get::text(value, "token").and_then(Token::parse).unwrap_or_default()
}
