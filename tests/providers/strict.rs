//! Servers that accept nothing but valid requests: each dialect's rules, as the real ones enforce them.

use std::collections::BTreeSet;

use serde_json::Value;

/// Panics with the rule that is broken.
pub fn check(path: &str, body: &Value, own: &BTreeSet<String>) {
    match path {
        "/chat/completions" => completions(body),
        "/v1/messages" => anthropic(body, own),
        "/responses" => responses(body, own),
        path if path.starts_with("/models/") && path.ends_with(":streamGenerateContent?alt=sse") => {
            google(body)
        }
        other => panic!("no such path {other}"),
    }
}

fn responses(body: &Value, own: &BTreeSet<String>) {
    assert_eq!(body["store"], false);
    for tool in body["tools"].as_array().into_iter().flatten() {
        assert_eq!(tool["type"], "function");
        tool_name(text(tool, "name"));
        schema(&tool["parameters"]);
    }
    unique(body["tools"].as_array().into_iter().flatten().map(|t| text(t, "name").to_owned()));
    let mut waiting: Vec<String> = Vec::new();
    let mut ids = BTreeSet::new();
    // `user`, `output`, `reasoning` or `result`: what came last.
    let mut last = "";
    for item in list(body, "input") {
        let kind = item["type"].as_str().unwrap_or("user");
        if kind == "user" || (kind != "function_call_output" && last == "result") {
            assert!(waiting.is_empty(), "calls without a result: {waiting:?}");
        }
        if last == "reasoning" {
            assert!(
                matches!(kind, "message" | "function_call" | "reasoning"),
                "reasoning without its output"
            );
        }
        last = match kind {
            "user" => {
                assert_ne!(last, "user", "two user turns in a row");
                assert!(!list(item, "content").is_empty());
                for part in list(item, "content") {
                    match text(part, "type") {
                        "input_text" => assert!(!text(part, "text").trim().is_empty(), "an empty part"),
                        "input_image" => assert!(text(part, "image_url").starts_with("data:image/")),
                        other => panic!("part {other}"),
                    }
                }
                "user"
            }
            "message" => {
                assert_ne!(last, "", "the user speaks first");
                assert!(!text(&item["content"][0], "text").trim().is_empty(), "an empty text");
                "output"
            }
            "reasoning" => {
                assert!(own.contains(text(item, "encrypted_content")), "a seal of another model: {item}");
                "reasoning"
            }
            "function_call" => {
                let id = text(item, "call_id").to_owned();
                assert!(ids.insert(id.clone()), "id twice: {id}");
                tool_name(text(item, "name"));
                assert!(serde_json::from_str::<Value>(text(item, "arguments")).unwrap().is_object());
                waiting.push(id);
                "output"
            }
            "function_call_output" => {
                assert!(!waiting.is_empty(), "a result without a call");
                assert_eq!(waiting.remove(0), text(item, "call_id"), "results in the order of the calls");
                assert!(!text(item, "output").is_empty());
                "result"
            }
            other => panic!("item {other}"),
        };
    }
    assert!(waiting.is_empty(), "calls without a result: {waiting:?}");
    assert!(matches!(last, "user" | "result"), "ends with {last:?}");
}

fn google(body: &Value) {
    for tool in body["tools"].as_array().into_iter().flatten() {
        let declared = list(tool, "functionDeclarations");
        unique(declared.iter().map(|f| text(f, "name").to_owned()));
        for function in declared {
            let name = text(function, "name");
            tool_name(name);
            assert!(name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'), "begins with {name}");
            if let Some(parameters) = function.get("parametersJsonSchema") {
                schema(parameters);
                assert!(!parameters["properties"].as_object().unwrap().is_empty());
            }
        }
    }
    let contents = list(body, "contents");
    let mut waiting: Vec<String> = Vec::new();
    for (at, content) in contents.iter().enumerate() {
        assert_eq!(text(content, "role"), ["user", "model"][at % 2], "roles alternate, the user first");
        let parts = list(content, "parts");
        assert!(!parts.is_empty(), "an empty turn");
        for part in parts {
            if let Some(response) = part.get("functionResponse") {
                assert_eq!(at % 2, 0);
                assert!(!waiting.is_empty(), "a result without a call");
                assert_eq!(waiting.remove(0), text(response, "name"), "results in the order of the calls");
                assert!(response["response"].is_object());
            } else if let Some(call) = part.get("functionCall") {
                assert_eq!(at % 2, 1);
                tool_name(text(call, "name"));
                assert!(call["args"].is_object());
                waiting.push(text(call, "name").to_owned());
            } else if at % 2 == 0 {
                assert!(waiting.is_empty(), "calls without a result: {waiting:?}");
            }
            if part.get("text").is_some() {
                assert!(!text(part, "text").trim().is_empty(), "an empty text");
            }
            assert!(part.get("thought").is_none(), "thoughts are not sent back");
        }
        assert!(at % 2 == 1 || waiting.is_empty(), "calls without a result: {waiting:?}");
    }
    assert_eq!(contents.len() % 2, 1, "ends with a reply");
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
