//! Streams as providers send them, and what a decoded one amounts to.

use e::model::provider::{Dialect, StreamMsg};
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

pub fn responses_events(text: &str, reasoning: &str, calls: &[Call], end: &str) -> Vec<u8> {
    let mut events = vec![sse(&json!({"type": "response.created", "response": {"status": "in_progress"}}))];
    let mut output: Vec<Value> = Vec::new();
    let mut add = |events: &mut Vec<Vec<u8>>, added: Value, kind: &str, deltas: Vec<String>, done: Value| {
        let at = output.len();
        events.push(sse(&json!({"type": "response.output_item.added", "output_index": at, "item": added})));
        for delta in deltas {
            events.push(sse(&json!({"type": kind, "output_index": at, "delta": delta})));
        }
        events.push(sse(&json!({"type": "response.output_item.done", "output_index": at, "item": done})));
        output.push(done);
    };
    if !reasoning.is_empty() {
        let item = json!({"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": reasoning}], "encrypted_content": "seal"});
        add(
            &mut events,
            json!({"type": "reasoning", "id": "rs"}),
            "response.reasoning_summary_text.delta",
            cut(reasoning, 5),
            item,
        );
    }
    if !text.is_empty() {
        let item = json!({"type": "message", "content": [{"type": "output_text", "text": text}]});
        add(
            &mut events,
            json!({"type": "message", "content": []}),
            "response.output_text.delta",
            cut(text, 7),
            item,
        );
    }
    for call in calls {
        let item = |arguments: &str| json!({"type": "function_call", "id": "fc", "call_id": call.id, "name": call.name, "arguments": arguments});
        add(
            &mut events,
            item(""),
            "response.function_call_arguments.delta",
            cut(&call.arguments, 7),
            item(&call.arguments),
        );
    }
    let usage = json!({"input_tokens": 10, "output_tokens": 3});
    events.push(sse(&json!({"type": "response.completed", "response": {"status": "completed", "output": output, "usage": usage}})));
    ended(events, end)
}

/// Arguments must be JSON here: this dialect sends objects.
pub fn google_events(text: &str, reasoning: &str, calls: &[Call], end: &str) -> Vec<u8> {
    let chunk = |parts: Value| {
        sse(&json!({"candidates": [{"content": {"role": "model", "parts": parts}}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 3}}))
    };
    let mut events: Vec<Vec<u8>> =
        cut(reasoning, 5).iter().map(|p| chunk(json!([{"text": p, "thought": true}]))).collect();
    events.extend(cut(text, 7).iter().map(|p| chunk(json!([{"text": p}]))));
    for call in calls {
        let mut part =
            json!({"functionCall": {"id": call.id, "name": call.name}, "thoughtSignature": "seal"});
        if let Ok(args) = serde_json::from_str::<Value>(&call.arguments) {
            part["functionCall"]["args"] = args;
        }
        events.push(chunk(json!([part])));
    }
    events.push(sse(&json!({"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 3}})));
    ended(events, end)
}

pub fn events(dialect: Dialect, text: &str, reasoning: &str, calls: &[Call], end: &str) -> Vec<u8> {
    match dialect {
        Dialect::AnthropicMessages => anthropic_events(text, reasoning, calls, end),
        Dialect::OpenaiResponses => responses_events(text, reasoning, calls, end),
        Dialect::GoogleGenerativeAi => google_events(text, reasoning, calls, end),
        _ => completions_events(text, reasoning, calls, end),
    }
}

pub const ALL: [Dialect; 4] = [
    Dialect::AnthropicMessages,
    Dialect::OpenaiCompletions,
    Dialect::OpenaiResponses,
    Dialect::GoogleGenerativeAi,
];

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
