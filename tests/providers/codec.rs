//! The codecs: streams cut anywhere, and every oddity that servers are known for.

use std::sync::Arc;

use e::effects::dialect::{Decoder, names::ToolNames};
use e::model::provider::{Cause, Dialect, ModelRef, Stop, StreamMsg, Usage};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::fixture::{self, ALL, Call, calls_of, chat_chunk, events as reply, sse, text_of};

fn decoder(dialect: Dialect) -> Decoder {
    Decoder::new(dialect, ModelRef::parse("prov/model").unwrap(), Arc::new(ToolNames::default()))
}

fn decode(dialect: Dialect, bytes: &[u8], cuts: &[usize]) -> Vec<StreamMsg> {
    let mut decoder = decoder(dialect);
    let mut out = Vec::new();
    let mut last = 0;
    for cut in cuts.iter().copied().chain([bytes.len()]) {
        out.extend(decoder.feed(&bytes[last..cut]));
        last = cut;
    }
    out.extend(decoder.end(None));
    out
}

fn whole(dialect: Dialect, bytes: &[u8]) -> Vec<StreamMsg> {
    decode(dialect, bytes, &[])
}

const BOTH: [Dialect; 2] = [Dialect::AnthropicMessages, Dialect::OpenaiCompletions];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn x11_any_chunking_gives_the_same_pieces(
        dialect in prop::sample::select(ALL.to_vec()),
        text in "\\PC{0,30}",
        reasoning in "[a-zé日🦀\\n\"]{0,20}",
        arguments in "[a-z日🦀\"\\\\]{0,20}",
        end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        mark in any::<bool>(),
        comments in any::<bool>(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let arguments = json!({"path": arguments}).to_string();
        let calls = [Call::new("c1", "read", &arguments), Call::new("c2", "bash", "")];
        let mut bytes = if mark { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
        if comments {
            bytes.extend(format!(": hi{end}{end}event: odd{end}retry: 5{end}data:{end}{end}").bytes());
        }
        bytes.extend(reply(dialect, &text, &reasoning, &calls, end));
        let mut cuts: Vec<usize> = cuts.iter().map(|c| c.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        let expected = whole(dialect, &bytes);
        prop_assert_eq!(decode(dialect, &bytes, &cuts), expected.clone());
        let every: Vec<usize> = (1..bytes.len()).collect();
        prop_assert_eq!(decode(dialect, &bytes, &every), expected.clone());
        prop_assert_eq!(text_of(&expected), text);
        prop_assert_eq!(fixture::reasoning_of(&expected), reasoning);
        let got = calls_of(&expected);
        prop_assert_eq!(got, vec![("c1".into(), "read".into(), arguments), ("c2".into(), "bash".into(), "{}".into())]);
        prop_assert_eq!(expected.last(), Some(&StreamMsg::Done(Stop::End)));
    }

    #[test]
    fn x11_any_bytes_end_in_exactly_one_done_or_failed(
        dialect in prop::sample::select(ALL.to_vec()),
        noise in prop::collection::vec(any::<u8>(), 0..200),
        at in any::<prop::sample::Index>(),
        kept in any::<prop::sample::Index>(),
    ) {
        let mut bytes = reply(dialect, "hello", "hm", &[Call::new("c", "read", "{\"a\":1}")], "\n");
        bytes.truncate(kept.index(bytes.len() + 1));
        let at = at.index(bytes.len() + 1);
        bytes.splice(at..at, noise);
        let out = whole(dialect, &bytes);
        let ends = out.iter().filter(|m| matches!(m, StreamMsg::Done(_) | StreamMsg::Failed(_))).count();
        prop_assert_eq!(ends, 1);
        prop_assert!(matches!(out.last(), Some(StreamMsg::Done(_) | StreamMsg::Failed(_))));
    }
}

#[test]
fn g52_characters_cut_by_the_network_stay_whole() {
    let text = "日本語 🦀 é";
    for dialect in ALL {
        for end in ["\n", "\r\n", "\r"] {
            let bytes = reply(dialect, text, "", &[], end);
            let every: Vec<usize> = (1..bytes.len()).collect();
            assert_eq!(text_of(&decode(dialect, &bytes, &every)), text, "{dialect:?} {end:?}");
        }
    }
}

#[test]
fn g53_comments_and_keep_alives_are_no_data_but_a_beat() {
    for dialect in ALL {
        let mut decoder = decoder(dialect);
        let mut out = Vec::new();
        for _ in 0..20 {
            let before = decoder.beats();
            out.extend(decoder.feed(b": working\n\n"));
            assert!(decoder.beats() > before, "a keep-alive must count as life");
        }
        let before = decoder.beats();
        out.extend(decoder.feed(b"data: {\"unfin"));
        assert_eq!(decoder.beats(), before, "half an event is no life");
        out.extend(decoder.feed(b"ished\":1}\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\ndata:\n\nretry: 500\n\nevent: odd\ndata: {\"type\":\"odd\"}\n\n"));
        assert_eq!(out, []);
        out.extend(decoder.feed(&reply(dialect, "fine", "", &[], "\n")));
        assert_eq!(text_of(&out), "fine");
        assert_eq!(out.last(), Some(&StreamMsg::Done(Stop::End)));
    }
}

#[test]
fn g54_empty_arguments_are_no_arguments_and_broken_ones_come_as_they_are() {
    for dialect in BOTH {
        for (sent, got) in [
            ("", "{}"),
            ("null", "{}"),
            ("  ", "{}"),
            ("{}", "{}"),
            ("{\"path\":\"a", "{\"path\":\"a"),
            ("{\"path\":\"a\"}{\"path\":\"b\"}", "{\"path\":\"a\"}{\"path\":\"b\"}"),
            ("nul", "nul"),
        ] {
            let out = whole(dialect, &reply(dialect, "", "", &[Call::new("c", "nope", sent)], "\n"));
            assert_eq!(calls_of(&out), [("c".into(), "nope".into(), got.to_owned())], "{dialect:?} {sent:?}");
        }
        let big = json!({"content": "x".repeat(1_000_000)}).to_string();
        let out = whole(dialect, &reply(dialect, "", "", &[Call::new("c", "write", &big)], "\n"));
        assert_eq!(calls_of(&out)[0].2, big);
    }
}

#[test]
fn g54_arguments_as_an_object_are_text_again() {
    let piece = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "read", "arguments": {"path": "x"}}}]});
    let out = whole(
        Dialect::OpenaiCompletions,
        &[chat_chunk(piece, None), chat_chunk(json!({}), Some("tool_calls"))].concat(),
    );
    assert_eq!(calls_of(&out), [("a".into(), "read".into(), "{\"path\":\"x\"}".into())]);
    let block = json!({"type": "content_block_start", "index": 0,
        "content_block": {"type": "tool_use", "id": "t", "name": "read", "input": {"path": "x"}}});
    let bytes = [
        sse(&block),
        sse(&json!({"type": "content_block_stop", "index": 0})),
        sse(&json!({"type": "message_stop"})),
    ];
    let out = whole(Dialect::AnthropicMessages, &bytes.concat());
    assert_eq!(calls_of(&out), [("t".into(), "read".into(), "{\"path\":\"x\"}".into())]);
}

/// A piece of a call: index, id, name, arguments.
type Piece<'a> = (Option<u64>, Option<&'a str>, Option<&'a str>, &'a str);

/// The calls that come of the pieces, in one chunk each.
fn pieces(list: &[Piece<'_>]) -> Vec<(String, String, String)> {
    let mut bytes = Vec::new();
    for (index, id, name, arguments) in list {
        let mut call = json!({"function": {"arguments": arguments}});
        if let Some(index) = index {
            call["index"] = json!(index);
        }
        if let Some(id) = id {
            call["id"] = json!(id);
        }
        if let Some(name) = name {
            call["function"]["name"] = json!(name);
        }
        bytes.extend(chat_chunk(json!({"tool_calls": [call]}), None));
    }
    bytes.extend(chat_chunk(json!({}), Some("tool_calls")));
    bytes.extend(b"data: [DONE]\n\n");
    calls_of(&whole(Dialect::OpenaiCompletions, &bytes))
}

#[test]
fn g55_parallel_calls_are_told_apart_whatever_the_server_numbers() {
    let arg = |p: &str| format!("{{\"path\":\"{p}\"}}");
    let (a, b, c) = (arg("a"), arg("b"), arg("c"));
    let paths = |calls: Vec<(String, String, String)>| calls.into_iter().map(|c| c.2).collect::<Vec<_>>();
    let want = vec![a.clone(), b.clone(), c.clone()];
    let r = Some("read");
    // All index 0 with different ids, whole and in pieces.
    let got =
        pieces(&[(Some(0), Some("1"), r, &a), (Some(0), Some("2"), r, &b), (Some(0), Some("3"), r, &c)]);
    assert_eq!(got.iter().map(|c| &*c.0).collect::<Vec<_>>(), ["1", "2", "3"]);
    assert_eq!(paths(got), want);
    let mut cut = Vec::new();
    for (id, args) in [("1", &a), ("2", &b), ("3", &c)] {
        cut.push((Some(0), Some(id), r, ""));
        cut.push((Some(0), None, None, &args[..4]));
        cut.push((Some(0), None, None, &args[4..]));
    }
    assert_eq!(paths(pieces(&cut)), want);
    // All index 0 without ids, whole and in pieces.
    assert_eq!(
        paths(pieces(&[(Some(0), None, r, &a), (Some(0), None, r, &b), (Some(0), None, r, &c)])),
        want
    );
    for piece in &mut cut {
        piece.1 = None;
    }
    let got = pieces(&cut);
    let ids: std::collections::BTreeSet<String> = got.iter().map(|c| c.0.clone()).collect();
    assert_eq!((ids.len(), paths(got)), (3, want.clone()));
    // No index at all, with ids and without.
    assert_eq!(
        paths(pieces(&[(None, Some("1"), r, &a), (None, Some("2"), r, &b), (None, Some("3"), r, &c)])),
        want
    );
    assert_eq!(paths(pieces(&[(None, None, r, &a), (None, None, r, &b), (None, None, r, &c)])), want);
    // Interleaved with right indexes.
    let got = pieces(&[
        (Some(0), Some("1"), r, &a[..3]),
        (Some(1), Some("2"), r, &b[..5]),
        (Some(0), None, None, &a[3..]),
        (Some(2), Some("3"), r, ""),
        (Some(1), None, None, &b[5..]),
        (Some(2), None, None, &c),
    ]);
    assert_eq!(paths(got), want);
    // The same id twice, on two indexes and on one.
    for index in [1, 0] {
        let got = pieces(&[(Some(0), Some("x"), r, &a), (Some(index), Some("x"), r, &b)]);
        assert_ne!(got[0].0, got[1].0);
        assert_eq!(paths(got), want[..2]);
        let got = pieces(&[
            (Some(0), Some("x"), r, ""),
            (Some(0), None, None, &a),
            (Some(index), Some("x"), r, ""),
            (Some(index), None, None, &b),
        ]);
        assert_ne!(got[0].0, got[1].0);
        assert_eq!(paths(got), want[..2]);
    }
    // A server that repeats id and name in each piece, and once more at the end.
    let got = pieces(&[
        (Some(0), Some("x"), r, &a[..3]),
        (Some(0), Some("x"), r, &a[3..]),
        (Some(0), Some("x"), r, ""),
    ]);
    assert_eq!(paths(got), want[..1]);
}

#[test]
fn reasoning_under_both_names_and_in_parts() {
    let both = json!({"reasoning": "think", "reasoning_content": "think"});
    for delta in [
        json!({"reasoning": "think"}),
        json!({"reasoning_content": "think", "content": ""}),
        both,
        json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "think"}]}]}),
    ] {
        let bytes = [
            chat_chunk(delta, None),
            chat_chunk(json!({"content": "done"}), None),
            chat_chunk(json!({}), Some("stop")),
        ]
        .concat();
        let out = whole(Dialect::OpenaiCompletions, &bytes);
        assert_eq!(
            out,
            [
                StreamMsg::Reasoning("think".into()),
                StreamMsg::ReasoningEnd { signature: None, sealed: None },
                StreamMsg::Text("done".into()),
                StreamMsg::Done(Stop::End),
            ]
        );
    }
}

#[test]
fn sealed_reasoning_comes_whole() {
    let bytes = [
        sse(
            &json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
        ),
        sse(
            &json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}}),
        ),
        sse(
            &json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "ab"}}),
        ),
        sse(
            &json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "cd"}}),
        ),
        sse(&json!({"type": "content_block_stop", "index": 0})),
        sse(
            &json!({"type": "content_block_start", "index": 1, "content_block": {"type": "redacted_thinking", "data": "xyz"}}),
        ),
        sse(&json!({"type": "content_block_stop", "index": 1})),
        sse(&json!({"type": "message_stop"})),
    ];
    let out = whole(Dialect::AnthropicMessages, &bytes.concat());
    assert_eq!(
        out,
        [
            StreamMsg::Reasoning("hm".into()),
            StreamMsg::ReasoningEnd { signature: Some("abcd".into()), sealed: None },
            StreamMsg::ReasoningEnd {
                signature: None,
                sealed: Some("{\"type\":\"redacted_thinking\",\"data\":\"xyz\"}".into())
            },
            StreamMsg::Done(Stop::End),
        ]
    );
}

#[test]
fn usage_counts_are_disjoint() {
    let usage = |value: Value| {
        let mut chunk = json!({"choices": []});
        chunk["usage"] = value;
        let bytes =
            [chat_chunk(json!({"content": "x"}), Some("stop")), sse(&chunk), b"data: [DONE]\n\n".to_vec()]
                .concat();
        last_usage(&whole(Dialect::OpenaiCompletions, &bytes))
    };
    let expected = Usage { input: 70, output: 20, cache_read: 30, ..Usage::default() };
    assert_eq!(
        usage(
            json!({"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 30}})
        ),
        expected
    );
    assert_eq!(
        usage(json!({"prompt_tokens": 100, "completion_tokens": 20, "prompt_cache_hit_tokens": 30})),
        expected
    );
    assert_eq!(
        usage(json!({"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 120, "cached_tokens": 30,
        "completion_tokens_details": {"reasoning_tokens": 15}})),
        expected
    );
    assert_eq!(
        usage(
            json!({"prompt_tokens": 10, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 99}})
        ),
        Usage { input: 0, output: 1, cache_read: 10, ..Usage::default() }
    );

    let start = json!({"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1,
        "cache_read_input_tokens": 11, "cache_creation_input_tokens": 30,
        "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20}}}});
    let delta = json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": {"output_tokens": 42}});
    let bytes = [sse(&start), sse(&delta), sse(&json!({"type": "message_stop"}))].concat();
    let out = whole(Dialect::AnthropicMessages, &bytes);
    assert_eq!(
        last_usage(&out),
        Usage { input: 7, output: 42, cache_read: 11, cache_write_5m: 10, cache_write_1h: 20 }
    );
    assert_eq!(out.last(), Some(&StreamMsg::Done(Stop::Length)));
}

fn last_usage(out: &[StreamMsg]) -> Usage {
    out.iter().rev().find_map(|m| if let StreamMsg::Usage(u) = m { Some(*u) } else { None }).unwrap()
}

fn failure(out: &[StreamMsg]) -> &e::model::provider::Fault {
    match out.last() {
        Some(StreamMsg::Failed(fault)) => fault,
        other => panic!("no failure but {other:?}"),
    }
}

#[test]
fn an_end_before_the_last_frame_is_stalled_and_keeps_what_came() {
    for dialect in ALL {
        let bytes = reply(dialect, "one two three four", "", &[], "\n");
        let cut = bytes.windows(3).position(|w| w == b"fou").unwrap() + 3;
        let out = whole(dialect, &bytes[..cut]);
        assert_eq!(failure(&out).cause, Cause::Stalled);
        assert!(text_of(&out).starts_with("one"), "{out:?}");
    }
}

#[test]
fn a_missing_done_after_a_finish_reason_is_forgiven() {
    let bytes = [chat_chunk(json!({"content": "hi"}), None), chat_chunk(json!({}), Some("length"))].concat();
    assert_eq!(whole(Dialect::OpenaiCompletions, &bytes).last(), Some(&StreamMsg::Done(Stop::Length)));
    let only_done = [chat_chunk(json!({"content": "hi"}), None), b"data: [DONE]".to_vec()].concat();
    assert_eq!(whole(Dialect::OpenaiCompletions, &only_done).last(), Some(&StreamMsg::Done(Stop::End)));
}

#[test]
fn errors_inside_a_stream_keep_their_class() {
    let anthropic = |kind: &str, message: &str| {
        let bytes = sse(&json!({"type": "error", "error": {"type": kind, "message": message}}));
        failure(&whole(Dialect::AnthropicMessages, &bytes)).cause
    };
    assert_eq!(anthropic("overloaded_error", "Overloaded"), Cause::Unavailable);
    assert_eq!(anthropic("rate_limit_error", "slow down"), Cause::RateLimited);
    assert_eq!(
        anthropic("invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"),
        Cause::Overflow
    );
    assert_eq!(anthropic("authentication_error", "invalid x-api-key"), Cause::Auth);
    let chat = |error: Value| failure(&whole(Dialect::OpenaiCompletions, &sse(&error))).clone();
    assert_eq!(chat(json!({"error": {"code": 502, "message": "Upstream failed"}})).cause, Cause::Unavailable);
    assert_eq!(
        chat(json!({"error": {"code": 429, "message": "insufficient_quota"}})).cause,
        Cause::QuotaExhausted
    );
    let vllm = chat(json!({"object": "error", "message": "boom at the server", "code": 500}));
    assert!(vllm.summary.contains("boom at the server"), "{}", vllm.summary);
    let odd = failure(&whole(Dialect::OpenaiCompletions, b"data: {not json\n\n")).clone();
    assert!(odd.summary.contains("models.json"), "{}", odd.summary);
}

#[test]
fn an_event_over_the_limit_is_refused_and_one_below_is_read_in_linear_time() {
    for dialect in BOTH {
        let text = "y".repeat(7 * 1024 * 1024);
        let bytes = match dialect {
            Dialect::AnthropicMessages => [
                sse(&json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})),
                sse(&json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})),
                sse(&json!({"type": "message_stop"})),
            ].concat(),
            _ => [chat_chunk(json!({"content": text}), None), b"data: [DONE]\n\n".to_vec()].concat(),
        };
        let cuts: Vec<usize> = (4096..bytes.len()).step_by(4096).collect();
        assert_eq!(text_of(&decode(dialect, &bytes, &cuts)).len(), text.len());
        let mut decoder = decoder(dialect);
        let line = vec![b'z'; 9 * 1024 * 1024];
        let out: Vec<StreamMsg> = line.chunks(65536).flat_map(|c| decoder.feed(c)).collect();
        assert!(failure(&out).summary.contains("8 MiB"));
    }
}

#[test]
fn a_server_that_does_not_stream_is_understood() {
    let body = json!({"choices": [{"message": {"role": "assistant", "content": "hello",
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
        "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 5, "completion_tokens": 2}});
    let out = decoder(Dialect::OpenaiCompletions).whole(&body.to_string()).unwrap();
    assert_eq!(text_of(&out), "hello");
    assert_eq!(calls_of(&out), [("a".into(), "read".into(), "{}".into())]);
    assert_eq!(out.last(), Some(&StreamMsg::Done(Stop::End)));
    assert_eq!(decoder(Dialect::OpenaiCompletions).whole("{\"hello\":1}"), None);
}

#[test]
fn responses_text_and_arguments_are_recovered_from_snapshots() {
    let message = json!({"type": "message", "content": [{"type": "output_text", "text": "whole text"}]});
    let call =
        json!({"type": "function_call", "call_id": "c", "name": "read", "arguments": "{\"path\":\"a\"}"});
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "why"}], "encrypted_content": "seal"});
    let completed = json!({"type": "response.completed", "response": {"output": [reasoning, message, call],
        "usage": {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 60}, "output_tokens": 7}}});
    // Nothing but the last frame; and with half of the text and the arguments as deltas before it.
    let half = [
        sse(&json!({"type": "response.output_text.delta", "output_index": 1, "delta": "whole"})),
        sse(&json!({"type": "response.output_item.added", "output_index": 2, "item": {"type": "function_call", "call_id": "c", "name": "read"}})),
        sse(&json!({"type": "response.function_call_arguments.delta", "output_index": 2, "delta": "{\"pa"})),
    ].concat();
    for before in [Vec::new(), half] {
        let out = whole(Dialect::OpenaiResponses, &[before, sse(&completed)].concat());
        assert_eq!(text_of(&out), "whole text");
        assert_eq!(fixture::reasoning_of(&out), "why");
        assert_eq!(calls_of(&out), [("c".into(), "read".into(), "{\"path\":\"a\"}".into())]);
        assert!(out.contains(&StreamMsg::ReasoningEnd {
            signature: None,
            sealed: Some(reasoning.to_string().into())
        }));
        assert_eq!(last_usage(&out), Usage { input: 40, output: 7, cache_read: 60, ..Usage::default() });
        assert_eq!(out.last(), Some(&StreamMsg::Done(Stop::End)));
    }
    let cut = json!({"type": "response.incomplete", "response": {"output": [], "incomplete_details": {"reason": "max_output_tokens"}}});
    assert_eq!(whole(Dialect::OpenaiResponses, &sse(&cut)), [StreamMsg::Done(Stop::Length)]);
    let failed = json!({"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded", "message": "Rate limit reached. Please try again in 2s."}}});
    let fault = failure(&whole(Dialect::OpenaiResponses, &sse(&failed))).clone();
    assert_eq!((fault.cause, fault.retry_after), (Cause::RateLimited, Some(2)));
    let error = json!({"type": "error", "code": "server_error", "message": "Sorry"});
    assert_eq!(failure(&whole(Dialect::OpenaiResponses, &sse(&error))).cause, Cause::Unavailable);
}

#[test]
fn google_signatures_finish_reasons_and_missing_ids() {
    let chunk = |parts: Value, finish: Value| {
        sse(&json!({"candidates": [{"content": {"parts": parts}, "finishReason": finish}]}))
    };
    let parts = json!([{"text": "hm", "thought": true}, {"functionCall": {"name": "read", "args": {"path": "a"}}, "thoughtSignature": "S+/="},
        {"functionCall": {"name": "read"}}]);
    let out = whole(Dialect::GoogleGenerativeAi, &chunk(parts, json!("STOP")));
    assert_eq!(
        out,
        [
            StreamMsg::Reasoning("hm".into()),
            StreamMsg::ReasoningEnd { signature: None, sealed: None },
            StreamMsg::CallStart { index: 0, id: "call_0".into(), name: "read".into() },
            StreamMsg::CallArgs { index: 0, delta: "{\"path\":\"a\"}".into() },
            StreamMsg::CallEnd { index: 0, signature: Some("S+/=".into()) },
            StreamMsg::CallStart { index: 1, id: "call_1".into(), name: "read".into() },
            StreamMsg::CallArgs { index: 1, delta: "{}".into() },
            StreamMsg::CallEnd { index: 1, signature: None },
            StreamMsg::Done(Stop::End),
        ]
    );
    for (reason, stop) in [("MAX_TOKENS", Stop::Length), ("SAFETY", Stop::Refused)] {
        assert_eq!(
            whole(Dialect::GoogleGenerativeAi, &chunk(json!([]), json!(reason))),
            [StreamMsg::Done(stop)]
        );
    }
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}});
    assert_eq!(whole(Dialect::GoogleGenerativeAi, &sse(&blocked)), [StreamMsg::Done(Stop::Refused)]);
    let malformed = whole(Dialect::GoogleGenerativeAi, &chunk(json!([]), json!("MALFORMED_FUNCTION_CALL")));
    assert!(failure(&malformed).cause.retryable());
    let usage = json!({"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 100, "cachedContentTokenCount": 60,
        "candidatesTokenCount": 5, "thoughtsTokenCount": 4}});
    assert_eq!(
        last_usage(&whole(Dialect::GoogleGenerativeAi, &sse(&usage))),
        Usage { input: 40, output: 9, cache_read: 60, ..Usage::default() }
    );
}
