//! Streams as providers send them, and what a decoded one amounts to.

use e::model::provider::StreamMsg;
use serde_json::{Value, json};

pub struct Call {
    pub id: String,
    pub name: String,
    pub arguments: String,
}

impl Call {
    pub fn new(id: &str, name: &str, arguments: &str) -> Self {
        Call { id: id.into(), name: name.into(), arguments: arguments.into() }
    }
}

/// One event, with LF.
pub fn sse(data: &Value) -> Vec<u8> {
    format!("data: {data}\n\n").into_bytes()
}

pub fn chat_chunk(delta: Value, finish: Option<&str>) -> Vec<u8> {
    sse(
        &json!({"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}),
    )
}

/// Pieces of a few characters.
fn cut(text: &str, size: usize) -> Vec<String> {
    text.chars().collect::<Vec<_>>().chunks(size).map(|c| c.iter().collect()).collect()
}

/// With the given line end.
fn ended(events: Vec<Vec<u8>>, end: &str) -> Vec<u8> {
    String::from_utf8(events.concat()).unwrap().replace('\n', end).into_bytes()
}

pub fn completions_events(text: &str, reasoning: &str, calls: &[Call], end: &str) -> Vec<u8> {
    let mut events = vec![chat_chunk(json!({"role": "assistant", "content": ""}), None)];
    for piece in cut(reasoning, 5) {
        events.push(chat_chunk(json!({"reasoning_content": piece}), None));
    }
    for piece in cut(text, 7) {
        events.push(chat_chunk(json!({"content": piece}), None));
    }
    for (index, call) in calls.iter().enumerate() {
        let start = json!({"index": index, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}});
        events.push(chat_chunk(json!({"tool_calls": [start]}), None));
        for piece in cut(&call.arguments, 7) {
            events.push(chat_chunk(
                json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}),
                None,
            ));
        }
    }
    events.push(chat_chunk(json!({}), Some(if calls.is_empty() { "stop" } else { "tool_calls" })));
    events.push(sse(&json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 3}})));
    events.push(b"data: [DONE]\n\n".to_vec());
    ended(events, end)
}

pub fn anthropic_events(text: &str, reasoning: &str, calls: &[Call], end: &str) -> Vec<u8> {
    let mut events =
        vec![sse(&json!({"type": "message_start", "message": {"role": "assistant", "content": [],
        "usage": {"input_tokens": 10, "output_tokens": 1}}}))];
    let mut index = 0;
    let mut block = |start: Value, deltas: Vec<Value>| {
        events.push(sse(&json!({"type": "content_block_start", "index": index, "content_block": start})));
        for delta in deltas {
            events.push(sse(&json!({"type": "content_block_delta", "index": index, "delta": delta})));
        }
        events.push(sse(&json!({"type": "content_block_stop", "index": index})));
        index += 1;
    };
    if !reasoning.is_empty() {
        let mut deltas: Vec<Value> =
            cut(reasoning, 5).iter().map(|p| json!({"type": "thinking_delta", "thinking": p})).collect();
        deltas.push(json!({"type": "signature_delta", "signature": "sig"}));
        block(json!({"type": "thinking", "thinking": "", "signature": ""}), deltas);
    }
    if !text.is_empty() {
        let deltas = cut(text, 7).iter().map(|p| json!({"type": "text_delta", "text": p})).collect();
        block(json!({"type": "text", "text": ""}), deltas);
    }
    for call in calls {
        let deltas = cut(&call.arguments, 7)
            .iter()
            .map(|p| json!({"type": "input_json_delta", "partial_json": p}))
            .collect();
        block(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}), deltas);
    }
    let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
    events.push(sse(
        &json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 3}}),
    ));
    events.push(sse(&json!({"type": "message_stop"})));
    ended(events, end)
}

pub fn text_of(out: &[StreamMsg]) -> String {
    out.iter().filter_map(|m| if let StreamMsg::Text(t) = m { Some(&**t) } else { None }).collect()
}

pub fn reasoning_of(out: &[StreamMsg]) -> String {
    out.iter().filter_map(|m| if let StreamMsg::Reasoning(t) = m { Some(&**t) } else { None }).collect()
}

/// `(id, name, arguments)` of each call; panics when a call is not begun once and ended once.
pub fn calls_of(out: &[StreamMsg]) -> Vec<(String, String, String)> {
    let mut calls: Vec<(String, String, String)> = Vec::new();
    let mut ended = 0;
    for message in out {
        match message {
            StreamMsg::CallStart { index, id, name } => {
                assert_eq!(*index, calls.len());
                calls.push((id.to_string(), name.to_string(), String::new()));
            }
            StreamMsg::CallArgs { index, delta } => calls[*index].2.push_str(delta),
            StreamMsg::CallEnd { .. } => ended += 1,
            _ => {}
        }
    }
    assert_eq!(ended, calls.len());
    calls
}
