//! scaffold.mjs: the rules its users build on.

use e::model::tool::Pipe;
use e::model::wire::ext::{Call, Event, Incoming, Note, Reply, ToolUpdate};
use serde_json::{Map, Value, json};
use std::sync::Arc;

use super::answers::tool_call;
use super::rig::{Bundle, Ext, here, text};

/// An extension of these lines on the scaffold.
fn js(source: &str) -> Bundle {
    Bundle::written(
        "index.mjs",
        &format!("#!/usr/bin/env node\nimport {{ connect }} from './scaffold.mjs';\n{source}\n"),
    )
}

const COMMANDS: &str = "commands: [{ name: 'a', completions: true }], events: []";

fn a(args: &str) -> Call {
    Call::Command { name: text("a"), args: text(args) }
}

fn flags(value: Value) -> Note {
    Note::Flags(Arc::new(value.as_object().unwrap().clone()))
}

/// One of each request, but for the handshake.
fn calls() -> Vec<Call> {
    let none = || text("");
    let arguments = || Arc::new(json!({}));
    vec![
        Call::Startup { cwd: none(), argv: vec![], flags: Arc::new(Map::new()) },
        a(""),
        Call::Complete { name: text("a"), prefix: none() },
        Call::Shortcut { key: "ctrl+alt+g".parse().unwrap() },
        Call::ToolCall { name: text("t"), arguments: arguments() },
        Call::HookToolCall { name: text("t"), arguments: arguments() },
        Call::HookInput { text: none() },
        Call::HookBeforeTurn { prompt: none() },
        Call::HookToolResult { name: text("t"), content: none(), is_error: false },
        Call::HookCompactSummary { summary: none() },
        Call::HookRender { kind: text("tool"), name: text("t"), content: none() },
    ]
}

const HANDLERS: [&str; 11] = [
    "startup",
    "command",
    "complete",
    "shortcut",
    "tool",
    "hookToolCall",
    "hookInput",
    "beforeTurn",
    "toolResult",
    "compactSummary",
    "render",
];

/// One of each notification that somebody can handle.
fn notes() -> Vec<Note> {
    let (pane, section, id) = (text("p"), text("s"), text("i"));
    vec![
        Note::Event(Event::TurnEnd { aborted: false }),
        Note::Key("down".parse().unwrap()),
        Note::PanelClosed,
        Note::PaneSelect { pane: pane.clone(), section: section.clone(), id: id.clone() },
        Note::PaneActivate { pane: pane.clone(), section, id },
        Note::PaneKey { pane: pane.clone(), key: "x".parse().unwrap() },
        Note::PaneClosed { pane },
    ]
}

const LISTENERS: [&str; 7] =
    ["event", "key", "panelClosed", "paneSelect", "paneActivate", "paneKey", "paneClosed"];

/// Handlers of these names, each with this body, in which `name` is its own name.
fn handlers(names: &[&str], body: &str) -> String {
    names.iter().map(|name| format!("{name}(params) {{ const name = '{name}'; {body} }}, ")).collect()
}

#[test]
fn scaffold_gives_each_request_to_its_handler() {
    if !here("node") {
        return;
    }
    let source =
        format!("connect({{ handlers: {{ {} }} }}).run();", handlers(&HANDLERS, "return { name, params };"));
    let (mut ext, _) = js(&source).greeted();
    for (call, name) in calls().into_iter().zip(HANDLERS) {
        let line: Value = serde_json::from_str(&call.line(1, &Default::default())).unwrap();
        assert_eq!(ext.ask(call).unwrap(), json!({"name": name, "params": line["params"]}));
    }
    ext.shutdown();
}

#[test]
fn scaffold_answers_nothing_as_an_empty_object_and_a_throw_as_an_error() {
    if !here("node") {
        return;
    }
    let source = format!("connect({{ handlers: {{ {} }} }}).run();", handlers(&HANDLERS, ""));
    let (mut ext, _) = js(&source).greeted();
    for call in calls() {
        assert_eq!(ext.ask(call), Ok(json!({})));
    }
    ext.shutdown();
    for (body, error) in [
        ("throw new Error('no ' + name);", "no NAME"),
        ("return Promise.reject(new Error('no ' + name));", "no NAME"),
        ("throw 'plain';", "plain"),
        ("throw new TypeError();", "TypeError"),
        ("const a = {}; a.a = a; return a;", ""),
    ] {
        let source = format!("connect({{ handlers: {{ {} }} }}).run();", handlers(&HANDLERS, body));
        let (mut ext, _) = js(&source).greeted();
        for (call, name) in calls().into_iter().zip(HANDLERS) {
            let got = ext.ask(call).unwrap_err();
            match error {
                "" => assert!(got.contains("circular"), "{got}"),
                error => assert_eq!(&*got, error.replace("NAME", name)),
            }
        }
        ext.shutdown();
    }
}

#[test]
fn scaffold_gives_notifications_to_their_handlers_and_swallows_what_they_throw() {
    if !here("node") {
        return;
    }
    for end in ["", "throw new Error('lost');", "return Promise.reject(new Error('lost'));"] {
        let body =
            format!("ui.notify({{ message: name + ' ' + JSON.stringify(params) }}).catch(() => {{}}); {end}");
        let source = format!(
            "const {{ ui, run }} = connect({{ handlers: {{ {} }} }}); run();",
            handlers(&LISTENERS, &body)
        );
        let (mut ext, _) = js(&source).greeted();
        for (note, name) in notes().into_iter().zip(LISTENERS) {
            let line: Value = serde_json::from_str(&note.line(&Default::default())).unwrap();
            ext.tell(note);
            let params = ext.done("ui.notify");
            assert_eq!(params["message"], format!("{name} {}", line["params"]));
        }
        ext.shutdown();
    }
}

#[test]
fn scaffold_takes_handlers_beside_the_manifest() {
    if !here("node") {
        return;
    }
    let source = format!(
        "connect({{ manifest: {{ name: 'x', {COMMANDS} }}, command: () => ({{ notice: 'here' }}), complete() {{}} }}).run();"
    );
    let (mut ext, manifest) = js(&source).greeted();
    assert_eq!((&*manifest.name, ext.command("a", "").notice.unwrap().as_str()), ("x", "here"));
    ext.shutdown();
}

#[test]
fn scaffold_has_defaults_for_a_manifest_and_initialize_lays_over_it() {
    if !here("node") {
        return;
    }
    let (ext, manifest) = js("connect({}).run();").greeted();
    assert_eq!((&*manifest.name, manifest.version.unwrap().as_str()), ("scaffold", "1.0"));
    ext.shutdown();
    let source = "connect({ manifest: { name: 'x', version: '2' }, handlers: { \
                  async initialize({ cwd }) { return { version: '3', events: [cwd] }; } } }).run();";
    let (ext, manifest) = js(source).greeted();
    assert_eq!((&*manifest.name, manifest.version.unwrap().as_str()), ("x", "3"));
    assert_eq!(manifest.events.len(), 1);
    ext.shutdown();
}

#[test]
fn scaffold_fails_the_handshake_when_initialize_throws_or_a_handler_is_missing() {
    if !here("node") {
        return;
    }
    for (source, error) in [
        ("connect({ initialize() { throw new Error('no config'); } }).run();", "no config"),
        ("connect({ initialize: async () => Promise.reject('later') }).run();", "later"),
        ("connect({ manifest: { tools: [{ name: 't' }] } }).run();", "handler tool,"),
        (
            "connect({ manifest: { commands: [{ name: 'c', completions: true }] }, command() {} }).run();",
            "handler complete,",
        ),
        ("connect({ manifest: { shortcuts: [{ key: 'ctrl+alt+g' }] } }).run();", "handler shortcut,"),
        ("connect({ manifest: { hooks: ['tool_result'] } }).run();", "handler toolResult,"),
        ("connect({ manifest: { hooks: ['startup'] } }).run();", "handler startup,"),
    ] {
        let mut ext = js(source).start();
        let got = ext.ask(ext.init(true)).unwrap_err();
        assert!(got.contains(error), "{source}: {got}");
        ext.shutdown();
    }
    // A hook of tomorrow is none of today's handlers.
    let (ext, _) = js("connect({ manifest: { hooks: ['of_tomorrow'] } }).run();").greeted();
    ext.shutdown();
}

#[test]
fn scaffold_leaves_unknown_methods_unanswered() {
    if !here("node") {
        return;
    }
    let (mut ext, _) = js("connect({ manifest: { events: [] } }).run();").greeted();
    ext.raw(
        b"{\"id\":900,\"method\":\"of.tomorrow\",\"params\":{}}\n{\"id\":901,\"method\":\"constructor\"}\n",
    );
    ext.raw(b"{\"method\":\"news\"}\n{\"id\":\"nobody\",\"result\":{}}\n{\"id\":902,\"error\":null}\nnull\n7\n{]\n\n");
    assert_eq!(ext.settled(), []);
    ext.shutdown();
}

#[test]
fn scaffold_s_own_ids_are_prefixed_strings_and_errors_reject_with_e_s_words() {
    if !here("node") {
        return;
    }
    let source = format!(
        "const {{ ui, session, run }} = connect({{ manifest: {{ {COMMANDS} }}, complete() {{}}, \
         async command({{ args }}) {{ const [family, name] = args.split('.'); \
           const got = await {{ ui, session }}[family][name]({{ title: 't', options: ['a'], content: 'c', names: null, sections: [{{ kind: 'text' }}] }}); \
           return {{ notice: JSON.stringify(got) }}; }} }}); run();"
    );
    let (mut ext, _) = js(&source).greeted();
    let methods = [
        "ui.notify",
        "ui.show",
        "ui.select",
        "ui.confirm",
        "ui.input",
        "ui.editor",
        "ui.status",
        "ui.activity",
        "ui.compose",
        "ui.panel",
        "ui.widget",
        "ui.pane",
        "session.send",
        "session.info",
        "session.name",
        "session.model",
        "session.effort",
        "session.tools",
        "session.interrupt",
        "session.compact",
    ];
    let mut ids = std::collections::BTreeSet::new();
    for method in methods {
        let call = ext.call(a(method));
        let request = ext.request();
        assert_eq!(&*request.method, method);
        assert!(request.id.0.starts_with("\"scaffold-"), "{:?}", request.id);
        assert!(ids.insert(request.id.clone()));
        ext.reply(&request, Reply::Confirmed(true));
        assert_eq!(ext.answer(call).unwrap(), json!({"notice": "{\"confirmed\":true}"}));
        let call = ext.call(a(method));
        let request = ext.request();
        ext.reply(&request, Reply::no_ui());
        assert_eq!(ext.answer(call), Err(text("no ui")));
    }
    // Answers find their askers in any order.
    let (one, two) = (ext.call(a("ui.input")), ext.call(a("ui.select")));
    let (first, second) = (ext.request(), ext.request());
    ext.reply(&second, Reply::Cancelled);
    assert_eq!(ext.answer(two).unwrap(), json!({"notice": "{\"cancelled\":true}"}));
    ext.reply(&first, Reply::Text(text("x")));
    assert_eq!(ext.answer(one).unwrap(), json!({"notice": "{\"text\":\"x\"}"}));
    ext.shutdown();
}

#[test]
fn scaffold_run_alone_only_answers_initialize() {
    if !here("node") {
        return;
    }
    let (mut ext, manifest) = Bundle::shipped(&["scaffold.mjs"]).greeted();
    assert_eq!(&*manifest.name, "scaffold");
    assert!(manifest.tools.is_empty() && manifest.hooks.is_empty() && manifest.events.is_empty());
    for call in calls() {
        ext.call(call);
    }
    notes().into_iter().for_each(|note| ext.tell(note));
    assert_eq!(ext.settled(), []);
    ext.shutdown();
}

#[test]
fn scaffold_s_update_makes_strings_and_does_nothing_outside_tool_calls() {
    if !here("node") {
        return;
    }
    let source = format!(
        "let late; connect({{ manifest: {{ tools: [{{ name: 't' }}], {COMMANDS} }}, complete() {{}}, \
         tool(params, {{ update }}) {{ late = update; update('a\\n'); update('b', 'stderr'); update(7); update(null); \
           update(undefined); update(false); update({{}}.x); return {{ content: 'c' }}; }}, \
         command(params, {{ update }}) {{ update('never'); late('never'); return {{}}; }} }}).run();"
    );
    let (mut ext, _) = js(&source).greeted();
    let call = ext.call(tool_call("t", json!({})));
    assert_eq!(ext.answer(call).unwrap(), json!({"content": "c"}));
    ext.command("a", "");
    let update = |pipe, chunk: &str| Incoming::ToolUpdate(ToolUpdate { call, pipe, chunk: text(chunk) });
    assert_eq!(
        ext.settled(),
        [
            update(Pipe::Stdout, "a\n"),
            update(Pipe::Stderr, "b"),
            update(Pipe::Stdout, "7"),
            update(Pipe::Stdout, "false")
        ]
    );
    ext.shutdown();
}

#[test]
fn scaffold_s_flags_tell_what_was_passed_from_what_was_declared() {
    if !here("node") {
        return;
    }
    let source = format!(
        "const {{ flag, flagPassed, run }} = connect({{ manifest: {{ flags: [{{ name: 'mode', type: 'string', default: 'slow' }}, \
         {{ name: 'deep' }}], {COMMANDS} }}, complete() {{}}, \
         command() {{ return {{ notice: JSON.stringify([flag('mode'), flagPassed('mode'), flag('deep') === undefined, flagPassed('deep'), flag('toString') === undefined]) }}; }} }}); run();"
    );
    let (mut ext, _) = js(&source).greeted();
    let mut said = |passed: Option<Value>| {
        passed.into_iter().for_each(|passed| ext.tell(flags(passed)));
        ext.command("a", "").notice.unwrap().as_str().to_owned()
    };
    assert_eq!(said(None), r#"["slow",false,true,false,true]"#);
    assert_eq!(said(Some(json!({"mode": "fast"}))), r#"["fast",true,true,false,true]"#);
    assert_eq!(said(Some(json!({"mode": null, "deep": false}))), r#"[null,true,false,true,true]"#);
    assert_eq!(said(Some(json!({}))), r#"["slow",false,true,false,true]"#);
    ext.shutdown();
}

#[test]
fn scaffold_knows_whether_somebody_is_there() {
    if !here("node") {
        return;
    }
    let source = format!(
        "const {{ hasUI, run }} = connect({{ manifest: {{ {COMMANDS} }}, complete() {{}}, command: () => ({{ notice: String(hasUI()) }}) }}); run();"
    );
    for ui in [true, false] {
        let mut ext = js(&source).start();
        ext.greet(ui);
        assert_eq!(ext.command("a", "").notice.unwrap().as_str(), ui.to_string());
        ext.shutdown();
    }
}

/// Lines come in any pieces, and U+2028 inside a string ends none.
#[test]
fn scaffold_reads_lines_however_they_come() {
    if !here("node") {
        return;
    }
    let source = format!(
        "connect({{ manifest: {{ {COMMANDS} }}, complete() {{}}, command: ({{ args }}) => ({{ notice: args }}) }}).run();"
    );
    let (mut ext, _) = js(&source).greeted();
    let args = format!("a\u{2028}b\u{2029}ü\u{85}c{}", "x".repeat(300_000));
    let line = format!("{}\n", a(&args).line(500, &Default::default()));
    let (head, tail) = line.as_bytes().split_at(line.find('ü').unwrap() + 1);
    ext.raw(head);
    ext.raw(tail);
    assert_eq!(ext.answer(500).unwrap()["notice"], args);
    let two: String = (501..503).map(|id| format!("{}\n", a("q").line(id, &Default::default()))).collect();
    ext.raw(two.as_bytes());
    assert!(ext.answer(502).is_ok() && ext.answer(501).is_ok());
    ext.shutdown();
}

#[test]
fn scaffold_keeps_console_off_the_wire_and_ends_with_the_pipe() {
    if !here("node") {
        return;
    }
    let source = format!(
        "connect({{ manifest: {{ {COMMANDS} }}, complete() {{}}, command() {{ console.log('debugging'); }} }}).run();"
    );
    let (mut ext, _) = js(&source).greeted();
    ext.command("a", "");
    ext.tell(Note::Shutdown);
    assert_eq!(ext.ended(), "debugging\n");
    let (ext, _) = js("setInterval(() => {}, 1000); connect({}).run();").greeted();
    ext.abandoned();
    let (ext, _) = js("setInterval(() => {}, 1000); connect({}).run();").greeted();
    ext.shutdown();
}

/// The whole conversation of `Ext` with a program that never answers would hang: this keeps the rig honest.
#[test]
fn the_rig_refuses_stray_output() {
    let printing = "#!/bin/sh\necho hello\nread line\n";
    let mut ext: Ext = Bundle::written("index.sh", printing).start();
    let heard = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| ext.request()));
    assert!(heard.is_err());
}
