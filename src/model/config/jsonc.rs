//! JSON as people write it (byte-order mark, comments, trailing commas), read into a tree that knows where each value stands,
//! and typed getters that complain at that place and leave the caller its default.

use std::sync::Arc;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

use super::complaint::{Complaint, nearest};

/// A place in a file; line and column from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pos {
    pub line: u32,
    pub column: u32,
}

/// A value and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub at: Pos,
    pub json: Json,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    /// As written.
    Number(String),
    String(String),
    Array(Vec<Node>),
    Object(Vec<Member>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub key: String,
    /// Where the key stands.
    pub at: Pos,
    pub value: Node,
}

/// Reads a file's bytes; an empty one is an empty object.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Node, Complaint> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let pos = Locator::new(std::str::from_utf8(good).unwrap_or_default()).locate(good.len());
            return Err(complaint(file, pos, "this is not UTF-8 text; save the file as UTF-8".into()));
        }
    };
    match parse_to_ast(text, &CollectOptions::default(), &options()) {
        Ok(parsed) => Ok(match parsed.value {
            Some(value) => convert(&value, &mut Locator::new(text)),
            None => Node { at: Pos { line: 1, column: 1 }, json: Json::Object(Vec::new()) },
        }),
        Err(error) => {
            let pos = Locator::new(text).locate(error.range().start);
            Err(complaint(file, pos, format!("this is not JSON: {}", lower_first(&error.kind().to_string()))))
        }
    }
}

/// What is accepted: JSON, comments and trailing commas, nothing looser.
pub fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn complaint(file: &str, at: Pos, message: String) -> Complaint {
    Complaint { file: Arc::from(file), line: at.line, column: at.column, message: Arc::from(message) }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_lowercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}

/// Byte offsets to lines and columns, asked in rising order so that the whole file is walked once.
struct Locator<'a> {
    rest: &'a str,
    offset: usize,
    pos: Pos,
}

impl<'a> Locator<'a> {
    fn new(text: &'a str) -> Self {
        Locator { rest: text, offset: 0, pos: Pos { line: 1, column: 1 } }
    }

    fn locate(&mut self, offset: usize) -> Pos {
        let mut chars = self.rest.chars();
        while self.offset < offset {
            let Some(c) = chars.next() else { break };
            self.offset += c.len_utf8();
            if c == '\n' {
                self.pos = Pos { line: self.pos.line + 1, column: 1 };
            } else {
                self.pos.column += 1;
            }
        }
        self.rest = chars.as_str();
        self.pos
    }
}

/// Depth is bounded by the parser.
fn convert(value: &ast::Value<'_>, places: &mut Locator<'_>) -> Node {
    let at = places.locate(value.range().start);
    let json = match value {
        ast::Value::NullKeyword(_) => Json::Null,
        ast::Value::BooleanLit(b) => Json::Bool(b.value),
        ast::Value::NumberLit(n) => Json::Number(n.value.to_owned()),
        ast::Value::StringLit(s) => Json::String(s.value.to_string()),
        ast::Value::Array(list) => Json::Array(list.elements.iter().map(|e| convert(e, places)).collect()),
        ast::Value::Object(object) => Json::Object(
            object
                .properties
                .iter()
                .map(|p| Member {
                    key: p.name.as_str().to_owned(),
                    at: places.locate(p.range.start),
                    value: convert(&p.value, places),
                })
                .collect(),
        ),
    };
    Node { at, json }
}

impl Node {
    /// The last member of that name, as JSON readers do.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.json {
            Json::Object(members) => members.iter().rev().find(|m| m.key == key).map(|m| &m.value),
            _ => None,
        }
    }

    /// The same value without places.
    pub fn to_value(&self) -> Value {
        match &self.json {
            Json::Null => Value::Null,
            Json::Bool(b) => Value::Bool(*b),
            Json::Number(n) => serde_json::from_str(n).unwrap_or(Value::Null),
            Json::String(s) => Value::String(s.clone()),
            Json::Array(list) => Value::Array(list.iter().map(Node::to_value).collect()),
            Json::Object(members) => {
                Value::Object(members.iter().map(|m| (m.key.clone(), m.value.to_value())).collect())
            }
        }
    }

    /// What the value is, for a complaint: `a string`, `42`, `"hig"`.
    fn describe(&self) -> String {
        match &self.json {
            Json::Null => "null".into(),
            Json::Bool(b) => b.to_string(),
            Json::Number(n) if n.len() <= 24 => n.clone(),
            Json::Number(_) => "a number".into(),
            Json::String(s) if s.chars().count() <= 40 => format!("{s:?}"),
            Json::String(_) => "a long string".into(),
            Json::Array(_) => "a list".into(),
            Json::Object(_) => "an object".into(),
        }
    }
}

/// Takes values out of one file and gathers complaints; a getter that complains returns `None`.
#[derive(Debug)]
pub struct Reader {
    file: Arc<str>,
    complaints: Vec<Complaint>,
}

impl Reader {
    pub fn new(file: &str) -> Self {
        Reader { file: Arc::from(file), complaints: Vec::new() }
    }

    pub fn finish(self) -> Vec<Complaint> {
        self.complaints
    }

    pub fn complain(&mut self, at: Pos, message: impl Into<String>) {
        self.complaints.push(complaint(&self.file, at, message.into()));
    }

    /// `name` must be `wanted`, but is something else.
    pub fn wrong(&mut self, name: &str, node: &Node, wanted: &str) {
        self.complain(node.at, format!("{name} must be {wanted}, not {}", node.describe()));
    }

    /// A key that is not one of `known`: says so, with the nearest known one.
    pub fn unknown_key(&mut self, member: &Member, known: &[&str]) {
        let hint = match nearest(&member.key, known.iter().copied()) {
            Some(near) => format!("; did you mean {near:?}?"),
            None => String::new(),
        };
        self.complain(member.at, format!("unknown key {:?}{hint}", member.key));
    }

    pub fn object<'n>(&mut self, name: &str, node: &'n Node) -> Option<&'n [Member]> {
        match &node.json {
            Json::Object(members) => Some(members),
            _ => self.none(name, node, "an object"),
        }
    }

    pub fn array<'n>(&mut self, name: &str, node: &'n Node) -> Option<&'n [Node]> {
        match &node.json {
            Json::Array(list) => Some(list),
            _ => self.none(name, node, "a list"),
        }
    }

    pub fn string<'n>(&mut self, name: &str, node: &'n Node) -> Option<&'n str> {
        match &node.json {
            Json::String(s) => Some(s),
            _ => self.none(name, node, "a string"),
        }
    }

    pub fn boolean(&mut self, name: &str, node: &Node) -> Option<bool> {
        match &node.json {
            Json::Bool(b) => Some(*b),
            _ => self.none(name, node, "true or false"),
        }
    }

    /// `"on"` or `"off"`; plain `true` and `false` are understood too.
    pub fn switch(&mut self, name: &str, node: &Node) -> Option<bool> {
        match &node.json {
            Json::Bool(b) => Some(*b),
            _ => self.choice(name, node, &["on", "off"]).map(|word| word == "on"),
        }
    }

    /// A whole number in the range; `4.0` counts as 4.
    pub fn integer(&mut self, name: &str, node: &Node, least: u64, most: u64) -> Option<u64> {
        let number = match &node.json {
            Json::Number(n) => n.parse::<u64>().ok().or_else(|| whole(n)),
            _ => None,
        };
        match number {
            Some(n) if (least..=most).contains(&n) => Some(n),
            _ if most == u64::MAX => self.none(name, node, &format!("a whole number from {least}")),
            _ => self.none(name, node, &format!("a whole number from {least} to {most}")),
        }
    }

    /// A finite number that is not negative.
    pub fn number(&mut self, name: &str, node: &Node) -> Option<f64> {
        let number = match &node.json {
            Json::Number(n) => n.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0),
            _ => None,
        };
        number.or_else(|| self.none(name, node, "a number that is not negative"))
    }

    /// One of the words in `known`.
    pub fn choice<'k>(&mut self, name: &str, node: &Node, known: &[&'k str]) -> Option<&'k str> {
        if let Json::String(s) = &node.json {
            if let Some(word) = known.iter().find(|k| *k == s) {
                return Some(word);
            }
            if let Some(near) = nearest(s, known.iter().copied()) {
                let wanted = one_of(known);
                self.complain(node.at, format!("{name} must be {wanted}, not {s:?}; did you mean {near:?}?"));
                return None;
            }
        }
        self.none(name, node, &one_of(known))
    }

    /// A list of strings; a wrong element is left out with a complaint.
    pub fn strings(&mut self, name: &str, node: &Node) -> Option<Vec<String>> {
        let list = self.array(name, node)?;
        let each = format!("each of {name}");
        Some(list.iter().filter_map(|n| self.string(&each, n)).map(str::to_owned).collect())
    }

    fn none<T>(&mut self, name: &str, node: &Node, wanted: &str) -> Option<T> {
        self.wrong(name, node, wanted);
        None
    }
}

/// `"a", "b" or "c"`.
pub fn one_of(words: &[&str]) -> String {
    match words {
        [] => "nothing".into(),
        [only] => format!("{only:?}"),
        [head @ .., last] => {
            let head: Vec<String> = head.iter().map(|w| format!("{w:?}")).collect();
            format!("{} or {last:?}", head.join(", "))
        }
    }
}

fn whole(text: &str) -> Option<u64> {
    let n: f64 = text.parse().ok()?;
    (n.fract() == 0.0 && (0.0..9e15).contains(&n)).then_some(n as u64)
}
