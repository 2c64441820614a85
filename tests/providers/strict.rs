//! Servers that accept nothing but valid requests: each dialect's rules, as the real ones enforce them.

use std::collections::BTreeSet;

use serde_json::Value;

/// Panics with the rule that is broken.
pub fn check(path: &str, body: &Value, own: &BTreeSet<String>) {
    match path {
        "/chat/completions" => completions(body),
        "/v1/messages" => anthropic(body, own),
        other => panic!("no such path {other}"),
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("{key} is not a list: {value}"))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} is not a string: {value}"))
}

fn tool_name(name: &str) {
    assert!((1..=64).contains(&name.len()), "name's length: {name:?}");
    assert!(
        name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'),
        "name's characters: {name:?}"
    );
}

fn schema(schema: &Value) {
    assert_eq!(schema["type"], "object", "top type: {schema}");
    assert!(schema["properties"].is_object(), "properties: {schema}");
    for key in ["oneOf", "anyOf", "allOf", "enum", "not"] {
        assert!(schema.get(key).is_none(), "{key} at the top: {schema}");
    }
}

fn unique(names: impl Iterator<Item = String>) {
    let mut seen = BTreeSet::new();
    for name in names {
        assert!(seen.insert(name.clone()), "twice: {name}");
    }
}

fn completions(body: &Value) {
    for tool in body["tools"].as_array().into_iter().flatten() {
        assert_eq!(tool["type"], "function");
        tool_name(text(&tool["function"], "name"));
        schema(&tool["function"]["parameters"]);
    }
    unique(body["tools"].as_array().into_iter().flatten().map(|t| text(&t["function"], "name").to_owned()));
    let mut waiting: Vec<String> = Vec::new();
    let mut ids = BTreeSet::new();
    let mut last = "";
    for (at, message) in list(body, "messages").iter().enumerate() {
        let role = text(message, "role");
        if role != "tool" {
            assert!(waiting.is_empty(), "calls without a result: {waiting:?}");
        }
        match role {
            "system" => assert_eq!(at, 0, "system comes first"),
            "user" => {
                assert_ne!(last, "user", "two user turns in a row");
                user_content(&message["content"]);
            }
            "assistant" => {
                assert!(matches!(last, "user" | "tool"), "a reply after {last:?}");
                assert!(
                    message.get("reasoning_content").is_none() && message.get("reasoning").is_none(),
                    "foreign reasoning"
                );
                let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
                match &message["content"] {
                    Value::Null => assert!(!calls.is_empty(), "an empty reply"),
                    Value::String(text) => assert!(!text.trim().is_empty(), "an empty text"),
                    other => panic!("content: {other}"),
                }
                assert!(
                    message.get("tool_calls").is_none_or(|c| c.as_array().is_some_and(|c| !c.is_empty()))
                );
                for call in &calls {
                    let id = text(call, "id").to_owned();
                    assert!((1..=40).contains(&id.len()), "id's length: {id:?}");
                    assert!(ids.insert(id.clone()), "id twice: {id}");
                    tool_name(text(&call["function"], "name"));
                    let arguments: Value = serde_json::from_str(text(&call["function"], "arguments"))
                        .expect("arguments are JSON");
                    assert!(arguments.is_object(), "arguments are an object");
                    waiting.push(id);
                }
            }
            "tool" => {
                assert!(!waiting.is_empty(), "a result without a call");
                assert_eq!(
                    waiting.remove(0),
                    text(message, "tool_call_id"),
                    "results in the order of the calls"
                );
                assert!(!text(message, "content").is_empty());
            }
            other => panic!("role {other}"),
        }
        last = role;
    }
    assert!(waiting.is_empty(), "calls without a result: {waiting:?}");
    assert!(matches!(last, "user" | "tool"), "ends with {last:?}");
}

fn user_content(content: &Value) {
    match content {
        Value::String(text) => assert!(!text.trim().is_empty(), "an empty user text"),
        Value::Array(parts) => {
            assert!(!parts.is_empty());
            for part in parts {
                match text(part, "type") {
                    "text" => assert!(!text(part, "text").trim().is_empty(), "an empty part"),
                    "image_url" => assert!(text(&part["image_url"], "url").starts_with("data:image/")),
                    other => panic!("part {other}"),
                }
            }
        }
        other => panic!("content: {other}"),
    }
}

fn anthropic(body: &Value, own: &BTreeSet<String>) {
    let limit = body["max_tokens"].as_u64().expect("max_tokens");
    assert!(limit > 0);
    if let Some(budget) = body["thinking"]["budget_tokens"].as_u64() {
        assert!((1024..limit).contains(&budget), "budget {budget} of {limit}");
    }
    for tool in body["tools"].as_array().into_iter().flatten() {
        tool_name(text(tool, "name"));
        schema(&tool["input_schema"]);
    }
    unique(body["tools"].as_array().into_iter().flatten().map(|t| text(t, "name").to_owned()));
    let messages = list(body, "messages");
    let mut waiting: Vec<String> = Vec::new();
    let mut ids = BTreeSet::new();
    for (at, message) in messages.iter().enumerate() {
        let role = text(message, "role");
        assert_eq!(role, ["user", "assistant"][at % 2], "roles alternate, the user first");
        let blocks = list(message, "content");
        assert!(!blocks.is_empty(), "an empty turn");
        if role == "user" {
            user_blocks(blocks, &mut waiting);
        } else {
            let last = blocks.last().unwrap();
            assert!(!text(last, "type").contains("thinking"), "a reply ends with thinking");
            for block in blocks {
                assistant_block(block, own, &mut ids, &mut waiting);
            }
        }
    }
    assert_eq!(messages.len() % 2, 1, "ends with a reply");
    assert!(waiting.is_empty());
    let marked = body.to_string().matches("cache_control").count();
    assert!((1..=4).contains(&marked), "{marked} cache marks");
    assert!(
        messages.last().unwrap()["content"].as_array().unwrap().last().unwrap()["cache_control"].is_object()
    );
}

fn user_blocks(blocks: &[Value], waiting: &mut Vec<String>) {
    let mut said = false;
    for block in blocks {
        match text(block, "type") {
            "tool_result" => {
                assert!(!said, "results come before words");
                assert!(!waiting.is_empty(), "a result without a call");
                assert_eq!(
                    waiting.remove(0),
                    text(block, "tool_use_id"),
                    "results in the order of the calls"
                );
                for part in block["content"].as_array().into_iter().flatten() {
                    assert!(part["text"].as_str().is_none_or(|t| !t.is_empty()));
                }
                continue;
            }
            "text" => assert!(!text(block, "text").trim().is_empty(), "an empty text"),
            "image" => assert!(!text(&block["source"], "data").is_empty()),
            other => panic!("user block {other}"),
        }
        said = true;
        assert!(waiting.is_empty(), "calls without a result: {waiting:?}");
    }
    assert!(waiting.is_empty(), "calls without a result: {waiting:?}");
}

fn assistant_block(
    block: &Value,
    own: &BTreeSet<String>,
    ids: &mut BTreeSet<String>,
    waiting: &mut Vec<String>,
) {
    match text(block, "type") {
        "text" => assert!(!text(block, "text").trim().is_empty(), "an empty text"),
        "thinking" => {
            assert!(own.contains(text(block, "signature")), "a signature of another model: {block}")
        }
        "redacted_thinking" => assert!(own.contains(text(block, "data")), "a seal of another model: {block}"),
        "tool_use" => {
            let id = text(block, "id").to_owned();
            assert!(
                id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') && !id.is_empty(),
                "id {id:?}"
            );
            assert!(ids.insert(id.clone()), "id twice: {id}");
            tool_name(text(block, "name"));
            assert!(block["input"].is_object(), "input is an object");
            waiting.push(id);
        }
        other => panic!("assistant block {other}"),
    }
}
