//! Tool schemas: as given where the dialect allows, reduced where it does not, with a notice; one that can't be sent drops its tool.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::names::ToolNames;
use crate::model::tool::ToolSpec;

/// Top-level keywords that the big providers refuse in a tool's parameters.
const REFUSED: [&str; 5] = ["oneOf", "anyOf", "allOf", "not", "enum"];

/// One tool as it can be sent.
#[derive(Debug)]
pub struct Offer<'a> {
    pub name: &'a str,
    pub description: &'a str,
    pub parameters: Value,
}

/// The tools that can be sent, and what was done to those that could not be sent as given: `None` when nothing.
pub fn offers<'a>(
    tools: &'a [ToolSpec],
    names: &'a ToolNames,
    strict_keys: bool,
) -> (Vec<Offer<'a>>, Option<Arc<str>>) {
    let mut offers: Vec<Offer<'a>> = Vec::new();
    let (mut reduced, mut dropped) = (Vec::new(), Vec::new());
    for tool in tools {
        let name = names.wire(&tool.name);
        if offers.iter().any(|o| o.name == name) {
            continue;
        }
        match fit(&tool.parameters, strict_keys) {
            Fit::AsGiven(parameters) => {
                offers.push(Offer { name, description: &tool.description, parameters })
            }
            Fit::Reduced(parameters) => {
                reduced.push(&*tool.name);
                offers.push(Offer { name, description: &tool.description, parameters });
            }
            Fit::No(why) => dropped.push(format!("{} ({why})", tool.name)),
        }
    }
    (offers, notice(&reduced, &dropped))
}

fn notice(reduced: &[&str], dropped: &[String]) -> Option<Arc<str>> {
    let mut said = Vec::new();
    if !reduced.is_empty() {
        said.push(format!(
            "the provider takes simpler schemas only, so these tools are offered with reduced ones: {}",
            reduced.join(", ")
        ));
    }
    if !dropped.is_empty() {
        said.push(format!(
            "these tools have schemas that can't be sent and are left out: {}",
            dropped.join(", ")
        ));
    }
    (!said.is_empty()).then(|| Arc::from(said.join("; ")))
}

enum Fit {
    AsGiven(Value),
    Reduced(Value),
    No(&'static str),
}

fn fit(schema: &Value, strict_keys: bool) -> Fit {
    let Some(given) = schema.as_object() else { return Fit::No("not an object") };
    let mut map = given.clone();
    let mut reduced = false;
    if let Some(target) = map.get("$ref").and_then(Value::as_str) {
        let Some(found) = local(given, target).and_then(Value::as_object) else {
            return Fit::No("$ref leads nowhere");
        };
        let found = found.clone();
        map.shift_remove("$ref");
        for (key, value) in found {
            map.entry(key).or_insert(value);
        }
        reduced = true;
    }
    if REFUSED.iter().any(|k| map.contains_key(*k)) {
        flatten(&mut map, given);
        reduced = true;
    }
    match map.get("type") {
        None => {}
        Some(Value::String(kind)) if kind == "object" => {}
        Some(Value::Array(kinds)) if kinds.iter().any(|k| k == "object") => reduced = true,
        Some(_) => return Fit::No("its type is not object"),
    }
    if map.get("type") != Some(&json!("object")) {
        // First, as the documentation of every provider shows it.
        map.shift_remove("type");
        map.shift_insert(0, "type".into(), json!("object"));
    }
    match map.get("properties") {
        None => drop(map.insert("properties".into(), json!({}))),
        Some(Value::Object(properties)) if strict_keys && !properties.keys().all(|k| plain_key(k)) => {
            return Fit::No("a parameter's name has characters the provider refuses");
        }
        Some(Value::Object(_)) => {}
        Some(_) => return Fit::No("its properties are not an object"),
    }
    let value = Value::Object(map);
    if reduced { Fit::Reduced(value) } else { Fit::AsGiven(value) }
}

fn plain_key(key: &str) -> bool {
    (1..=64).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
}

/// `#/$defs/name` inside the schema itself.
fn local<'a>(root: &'a Map<String, Value>, target: &str) -> Option<&'a Value> {
    let mut steps = target.strip_prefix("#/")?.split('/').map(|s| s.replace("~1", "/").replace("~0", "~"));
    let first = root.get(&steps.next()?)?;
    steps.try_fold(first, |value, step| value.get(&step))
}

/// Alternatives at the top become one object: all their properties, required what all require.
fn flatten(map: &mut Map<String, Value>, root: &Map<String, Value>) {
    let mut properties = map.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut required: Vec<Value> = map.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for key in REFUSED {
        let Some(Value::Array(branches)) = map.shift_remove(key) else { continue };
        let mut common: Option<Vec<Value>> = None;
        for branch in &branches {
            let branch =
                branch.get("$ref").and_then(Value::as_str).and_then(|t| local(root, t)).unwrap_or(branch);
            for (name, value) in branch.get("properties").and_then(Value::as_object).into_iter().flatten() {
                properties.entry(name.clone()).or_insert_with(|| value.clone());
            }
            let needs = branch.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            common = Some(match common {
                None => needs,
                Some(so_far) if key == "allOf" => so_far.into_iter().chain(needs).collect(),
                Some(so_far) => so_far.into_iter().filter(|n| needs.contains(n)).collect(),
            });
        }
        for name in common.unwrap_or_default() {
            if !required.contains(&name) {
                required.push(name);
            }
        }
    }
    map.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        map.insert("required".into(), Value::Array(required));
    }
}
