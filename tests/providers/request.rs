//! Requests: valid for strict servers whatever the history went through, and as each dialect wants them.

use std::collections::BTreeSet;
use std::sync::Arc;

use e::effects::dialect::{Leave, Wire, encode, image_key};
use e::model::provider::{
    Assistant, Dialect, Message, ModelInfo, ModelRef, Part, Purpose, Request, Thinking, ToolResult, User,
    UserKind, UserPart,
};
use e::model::tool::{Image, Label, Outcome, Owner, ToolSpec};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::fixture::ALL;
use super::strict;

pub fn model(name: &str, dialect: Dialect) -> ModelInfo {
    ModelInfo::new(ModelRef::parse(name).unwrap(), dialect, "http://127.0.0.1:9")
}

pub fn request(model: ModelInfo, messages: Vec<Message>) -> Request {
    Request {
        model: Arc::new(model),
        effort: None,
        system: "be good".into(),
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: Arc::new([]),
        purpose: Purpose::Turn,
        attempt: 1,
        session: "s1".into(),
    }
}

pub fn tool(name: &str, parameters: Value) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: "does things".into(),
        parameters: Arc::new(parameters),
        label: Label { category: "t".into(), running: "r".into(), completed: "c".into(), target: None },
        owner: Owner::Builtin,
    }
}

fn image(name: &str) -> Image {
    Image {
        mime: "image/png".into(),
        data: format!("aGk{name}").into(),
        width: 1,
        height: 1,
        name: name.into(),
    }
}

fn reply(origin: &str, parts: Vec<Part>) -> Message {
    Message::Assistant(Assistant { parts, origin: ModelRef::parse(origin) })
}

fn call(id: &str, name: &str, arguments: &str) -> Part {
    Part::ToolCall { id: id.into(), name: name.into(), arguments: arguments.into(), signature: None }
}

fn thought(text: &str, signature: Option<&str>) -> Part {
    Part::Reasoning { text: text.into(), signature: signature.map(Into::into), sealed: None }
}

fn result(call: &str, content: &str) -> Message {
    Message::Tool(ToolResult {
        call: call.into(),
        name: "read".into(),
        outcome: Outcome::Completed,
        content: content.into(),
        summary: None,
        display: None,
        images: Vec::new(),
    })
}

fn sent(request: &Request) -> Wire {
    let wire = encode(request, &Leave::default()).unwrap();
    strict::check(&wire.path, &wire.body, &own_seals(request));
    wire
}

/// Every seal in the history that the asked model made itself.
fn own_seals(request: &Request) -> BTreeSet<String> {
    let mut own = BTreeSet::new();
    for message in &request.messages {
        let Message::Assistant(a) = &**message else { continue };
        if a.origin.as_ref() != Some(&request.model.reference) {
            continue;
        }
        for part in &a.parts {
            if let Part::Reasoning { signature, sealed, .. } = part {
                own.extend(signature.iter().map(|s| s.to_string()));
                let data = sealed.as_deref().and_then(|s| serde_json::from_str::<Value>(s).ok());
                own.extend(
                    data.and_then(|v| {
                        v["data"].as_str().or(v["encrypted_content"].as_str()).map(str::to_owned)
                    }),
                );
            }
        }
    }
    own
}

fn part() -> impl Strategy<Value = Part> {
    let arguments = prop::sample::select(vec![
        "",
        "null",
        "{}",
        "{\"path\":\"a",
        "{\"path\":\"a\"}",
        "[1]",
        "\"x\"",
        "\"{}\"",
    ]);
    let names = prop::sample::select(vec!["read", "x.y/z", "x_y_z", "名前"]);
    prop_oneof![
        prop::sample::select(vec!["", " \n", "hello", "日本"]).prop_map(|t| Part::Text(t.into())),
        ("[a-z]{0,4}", prop::option::of("[a-z]{6}"), any::<bool>()).prop_map(|(text, seal, redacted)| {
            match seal {
                Some(seal) if redacted && text.len() > 2 => Part::Reasoning {
                    text: text.into(),
                    signature: None,
                    sealed: Some(
                        json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": seal})
                            .to_string()
                            .into(),
                    ),
                },
                Some(seal) if redacted => Part::Reasoning {
                    text: "".into(),
                    signature: None,
                    sealed: Some(json!({"type": "redacted_thinking", "data": seal}).to_string().into()),
                },
                seal => thought(&text, seal.as_deref()),
            }
        }),
        (prop::sample::select(vec!["1", "2", "toolu_a", "a:b", "", "日"]), names, arguments)
            .prop_map(|(id, name, args)| call(id, name, args)),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let origin = prop::sample::select(vec!["p/a", "p/b", "q/a"]);
    prop_oneof![
        2 => prop::collection::vec(prop::sample::select(vec!["", "  ", "do it", "go on", "#image"]), 0..3).prop_map(|texts| {
            let content = texts.iter().map(|t| match *t {
                "#image" => UserPart::Image(image("i")),
                text => UserPart::Text(text.into()),
            });
            Message::User(User { content: content.collect(), internal: false, kind: UserKind::Prompt })
        }),
        3 => (origin, prop::collection::vec(part(), 0..5)).prop_map(|(origin, parts)| reply(origin, parts)),
        3 => (prop::sample::select(vec!["1", "2", "toolu_a", "a:b", "", "日", "none"]), prop::sample::select(vec!["", "out"]), any::<bool>())
            .prop_map(|(call, content, pictured)| match result(call, content) {
                Message::Tool(mut t) if pictured => {
                    t.images.push(image("t"));
                    t.outcome = Outcome::Failed;
                    Message::Tool(t)
                }
                other => other,
            }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn n6_any_history_makes_a_request_that_strict_servers_take(
        messages in prop::collection::vec(message(), 0..12),
        dialect in prop::sample::select(ALL.to_vec()),
        images in any::<bool>(),
        nine in any::<bool>(),
        effort in prop::option::of(prop::sample::select(vec!["low", "high", "off"])),
    ) {
        let mut info = model("p/a", dialect);
        info.image_input = images;
        info.quirks.short_call_ids = nine;
        info.efforts = vec!["low".into(), "high".into()];
        let mut request = request(info, messages.clone());
        request.effort = effort.map(Into::into);
        request.tools = Arc::new([tool("x.y/z", json!({})), tool("read", json!({"type": "object"}))]);
        let wire = sent(&request);
        // A longer history begins as the shorter one did, or the provider's cache is worth nothing.
        let mut longer = request.clone();
        longer.messages.push(Arc::new(reply("p/a", vec![Part::Text("ok".into())])));
        longer.messages.push(Arc::new(Message::prompt("more")));
        let plain = |body: &Value| -> Vec<Value> {
            let list = ["messages", "input", "contents"].iter().find_map(|k| body.get(*k)).unwrap();
            let text = list.to_string().replace(",\"cache_control\":{\"type\":\"ephemeral\"}", "");
            serde_json::from_str(&text).unwrap()
        };
        let (short, long) = (plain(&wire.body), plain(&sent(&longer).body));
        let ended_with_words = matches!(messages.last(), Some(Message::User(u)) if !u.text().trim().is_empty());
        if ended_with_words {
            prop_assert_eq!(&long[..short.len()], &short[..]);
        }
    }
}

#[test]
fn g56_an_interrupted_call_gets_a_result_and_the_next_request_is_accepted() {
    let two = vec![
        Part::Text("looking".into()),
        call("c1", "bash", "{\"command\":\"sleep 60\"}"),
        call("c2", "bash", "{\"comma"),
    ];
    for dialect in ALL {
        for kept in 0..3 {
            let mut messages = vec![Message::prompt("run"), reply("p/a", two.clone())];
            // Results settle in any order and the process may end between them.
            messages.extend(["c2", "c1"].iter().take(kept).map(|c| result(c, "done")));
            messages.push(Message::prompt("go on"));
            let wire = sent(&request(model("p/a", dialect), messages));
            let text = wire.body.to_string();
            assert_eq!(text.matches("interrupted").count(), 2 - kept, "{text}");
            assert!(text.contains("invalid_arguments") && text.contains("go on"), "{text}");
        }
    }
}

#[test]
fn g60_reasoning_goes_back_to_its_own_maker_only_and_byte_for_byte() {
    let signed = "sig+/= \u{e9}";
    let history = vec![
        Message::prompt("one"),
        reply("anthropic/a", vec![thought("deep", Some(signed)), call("c", "read", "{}")]),
        result("c", "x"),
        reply("anthropic/a", vec![Part::Text("done".into())]),
        Message::prompt("two"),
        reply("deepseek/r", vec![thought("other", None), call("d", "read", "{}")]),
        result("d", "x"),
        Message::prompt("three"),
    ];
    let with = |name: &str, dialect| sent(&request(model(name, dialect), history.clone())).body.to_string();
    let own = with("anthropic/a", Dialect::AnthropicMessages);
    assert!(
        own.contains(&json!({"type": "thinking", "thinking": "deep", "signature": signed}).to_string()),
        "{own}"
    );
    assert!(!own.contains("other"));
    for (name, dialect) in
        [("anthropic/b", Dialect::AnthropicMessages), ("openai/g", Dialect::OpenaiCompletions)]
    {
        let body = with(name, dialect);
        assert!(!body.contains("deep") && !body.contains("other") && !body.contains("sig+"), "{body}");
    }
    // A vendor that demands its reasoning back gets it under its own name.
    let mut info = model("deepseek/r", Dialect::OpenaiCompletions);
    info.quirks.reasoning_replay = Some("reasoning_content".into());
    let body = encode(&request(info, history.clone()), &Leave::default()).unwrap().body.to_string();
    assert!(body.contains("\"reasoning_content\":\"other\"") && !body.contains("deep"), "{body}");
}

#[test]
fn g60_a_run_of_calls_begun_by_another_model_is_asked_without_a_budget() {
    let mut info = model("p/a", Dialect::AnthropicMessages);
    info.efforts = vec!["high".into()];
    info.max_output = 64_000;
    info.context_window = 200_000;
    let ask = |origin: &str, info: &ModelInfo| {
        let messages = vec![
            Message::prompt("x"),
            reply(origin, vec![thought("t", Some("s")), call("c", "read", "{}")]),
            result("c", "y"),
        ];
        let mut request = request(info.clone(), messages);
        request.effort = Some("high".into());
        sent(&request).body
    };
    assert_eq!(ask("p/a", &info)["thinking"], json!({"type": "enabled", "budget_tokens": 20_000}));
    assert_eq!(ask("p/b", &info)["thinking"], Value::Null);
    info.quirks.thinking = Thinking::Adaptive;
    let adaptive = ask("p/b", &info);
    assert_eq!(adaptive["thinking"]["type"], "adaptive");
    assert_eq!(adaptive["output_config"], json!({"effort": "high"}));
}

#[test]
fn g69_odd_tool_names_are_mapped_and_mapped_back() {
    let long = "n".repeat(120);
    let names = ["x.y/z", "x_y_z", "名前", &long, "x.y.z", "前名", "x_y_z"];
    for dialect in ALL {
        let mut request = request(model("p/a", dialect), vec![Message::prompt("hi")]);
        request.tools = names.iter().map(|n| tool(n, json!({"type": "object"}))).collect();
        let wire = sent(&request);
        let tools = &wire.body["tools"];
        let offered: Vec<String> = tools[0]
            .get("functionDeclarations")
            .unwrap_or(tools)
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t.get("function").unwrap_or(t)["name"].as_str().unwrap().to_owned())
            .collect();
        // The second tool of one name can't be told from the first and is left out.
        assert_eq!(offered.len(), names.len() - 1);
        for (wire_name, real) in offered.iter().zip(names) {
            assert_eq!(&*wire.names.real(wire_name), real);
        }
        assert_eq!(offered[1], "x_y_z");
        // Stable: the same tool alone, or in the history, has the same name.
        request.tools = Arc::new([tool("名前", json!({"type": "object"}))]);
        request.messages.push(Arc::new(reply("p/a", vec![call("c", "x.y/z", "{}")])));
        let body = sent(&request).body.to_string();
        assert!(body.contains(&offered[2]) && body.contains(&offered[0]), "{body}");
    }
}

#[test]
fn g69_schemas_pass_as_given_are_reduced_or_drop_their_tool_with_one_notice() {
    let given = json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"oneOf": [{"type": "string"}, {"type": "number"}]},
        "c": {"$ref": "#/$defs/c"}}, "required": ["a"], "$defs": {"c": {"type": "string"}}, "additionalProperties": false});
    let tools = vec![
        tool("as_given", given.clone()),
        tool("untyped", json!({"properties": {"p": {}}})),
        tool("empty", json!({})),
        tool(
            "choice",
            json!({"oneOf": [{"properties": {"a": {}, "b": {}}, "required": ["a", "b"]}, {"properties": {"b": {}}, "required": ["b"]}]}),
        ),
        tool(
            "by_ref",
            json!({"$ref": "#/$defs/x", "$defs": {"x": {"type": "object", "properties": {"q": {}}}}}),
        ),
        tool("nullable", json!({"type": ["object", "null"], "properties": {}})),
        tool("text", json!({"type": "string"})),
        tool("not_a_schema", json!("x")),
        tool("lost", json!({"$ref": "#/$defs/none"})),
    ];
    for dialect in [Dialect::AnthropicMessages, Dialect::OpenaiCompletions] {
        let mut request = request(model("p/a", dialect), vec![Message::prompt("hi")]);
        request.tools = tools.clone().into();
        let wire = sent(&request);
        let parameters = |at: usize| {
            let tool = &wire.body["tools"][at];
            tool.get("function").map_or(&tool["input_schema"], |f| &f["parameters"]).clone()
        };
        assert_eq!(parameters(0), given);
        assert_eq!(parameters(1)["properties"], json!({"p": {}}));
        assert_eq!(parameters(3)["required"], json!(["b"]));
        assert_eq!(parameters(4)["properties"], json!({"q": {}}));
        assert_eq!(wire.body["tools"].as_array().unwrap().len(), 6);
        let notice = wire.notice.unwrap();
        for word in ["choice", "by_ref", "nullable", "text", "not_a_schema", "lost"] {
            assert!(notice.contains(word), "{notice}");
        }
        for word in ["as_given", "untyped", "empty"] {
            assert!(!notice.contains(word), "{notice}");
        }
    }
}

#[test]
fn g59_images_that_a_model_or_provider_refuses_become_notes() {
    for dialect in [Dialect::AnthropicMessages, Dialect::OpenaiCompletions] {
        let picture = image("shot.png");
        let mut with_image = match result("c", "an image") {
            Message::Tool(t) => t,
            _ => unreachable!(),
        };
        with_image.images.push(image("tool.png"));
        let user = User {
            content: vec![UserPart::Text("see".into()), UserPart::Image(picture.clone())],
            internal: false,
            kind: UserKind::Prompt,
        };
        let messages = vec![
            Message::User(user),
            reply("p/a", vec![call("c", "read", "{}")]),
            Message::Tool(with_image),
            Message::prompt("and?"),
        ];
        let mut info = model("p/a", dialect);
        let blind = sent(&request(info.clone(), messages.clone())).body.to_string();
        assert!(
            blind.contains("shot.png") && blind.contains("takes no images") && !blind.contains("aGk"),
            "{blind}"
        );
        info.image_input = true;
        let seeing = request(info, messages);
        let body = sent(&seeing).body.to_string();
        assert!(body.contains("aGkshot.png") && body.contains("aGktool.png"), "{body}");
        let leave = Leave { images: [image_key(&picture)].into(), ..Leave::default() };
        let body = encode(&seeing, &leave).unwrap().body.to_string();
        assert!(
            !body.contains("aGkshot.png") && body.contains("refused it") && body.contains("aGktool.png"),
            "{body}"
        );
    }
}

#[test]
fn limits_efforts_and_options_are_asked_for_as_the_model_wants() {
    let mut info = model("p/a", Dialect::OpenaiCompletions);
    info.max_output = 100_000;
    info.context_window = 128_000;
    info.efforts = vec!["low".into(), "high".into()];
    let mut asked = request(info.clone(), vec![Message::prompt("hi")]);
    asked.effort = Some("high".into());
    let body = sent(&asked).body;
    assert_eq!((&body["max_tokens"], &body["reasoning_effort"]), (&json!(100_000), &json!("high")));
    assert_eq!(body["stream_options"], json!({"include_usage": true}));
    assert_eq!(body.get("tools"), None);
    info.quirks.max_completion_tokens = true;
    info.quirks.cache_key = true;
    asked.model = Arc::new(info.clone());
    let body = sent(&asked).body;
    assert_eq!((&body["max_completion_tokens"], body.get("max_tokens")), (&json!(100_000), None));
    assert_eq!(body["prompt_cache_key"], "s1");
    let leave =
        Leave { stream_options: true, reasoning_effort: true, cache_key: true, images: BTreeSet::new() };
    let body = encode(&asked, &leave).unwrap().body;
    assert!(
        body.get("stream_options").is_none()
            && body.get("reasoning_effort").is_none()
            && body.get("prompt_cache_key").is_none()
    );
    // Input and output share the window.
    asked.messages = vec![Arc::new(Message::prompt("x".repeat(300_000)))];
    let limit = sent(&asked).body["max_completion_tokens"].as_u64().unwrap();
    assert!((20_000..30_000).contains(&limit), "{limit}");
    // Nothing known: completions say nothing, anthropic must say something.
    let body = sent(&request(model("p/a", Dialect::OpenaiCompletions), vec![Message::prompt("hi")])).body;
    assert!(body.get("max_tokens").is_none());
    sent(&request(model("p/a", Dialect::AnthropicMessages), vec![Message::prompt("hi")]));
}

#[test]
fn responses_and_google_carry_their_own_seals_back() {
    let item =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "seal"}).to_string();
    let sealed = Part::Reasoning { text: "".into(), signature: None, sealed: Some(item.as_str().into()) };
    let signed = Part::ToolCall {
        id: "c".into(),
        name: "read".into(),
        arguments: "{}".into(),
        signature: Some("thought".into()),
    };
    let history =
        || vec![Message::prompt("x"), reply("p/a", vec![sealed.clone(), signed.clone()]), result("c", "y")];
    let mut info = model("p/a", Dialect::OpenaiResponses);
    info.efforts = vec!["high".into()];
    let mut asked = request(info.clone(), history());
    asked.effort = Some("high".into());
    let body = sent(&asked).body;
    assert_eq!(body["input"][1].to_string(), item);
    assert_eq!(
        (&body["reasoning"]["effort"], &body["include"]),
        (&json!("high"), &json!(["reasoning.encrypted_content"]))
    );
    assert!(
        !sent(&request(model("p/b", Dialect::OpenaiResponses), history())).body.to_string().contains("seal")
    );

    info.dialect = Dialect::GoogleGenerativeAi;
    let body = sent(&request(info.clone(), history())).body;
    assert_eq!(body["contents"][1]["parts"][0]["thoughtSignature"], "thought");
    let foreign = |info: ModelInfo| {
        sent(&request(info, vec![Message::prompt("x"), reply("q/b", vec![signed.clone()]), result("c", "y")]))
            .body
    };
    assert!(foreign(info.clone())["contents"][1]["parts"][0].get("thoughtSignature").is_none());
    info.quirks.thinking = Thinking::Adaptive;
    assert_eq!(
        foreign(info)["contents"][1]["parts"][0]["thoughtSignature"],
        "skip_thought_signature_validator"
    );
}
