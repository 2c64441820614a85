//! Every sample line of the guide, as it stands there: what `e` writes is written so, what an extension writes is read.

use std::sync::Arc;

use e::model::text::tone::Tone;
use e::model::tool::Format;
use e::model::wire::ext::{
    Ask, Call, Event, Heard, HookAnswer, HookKind, Incoming, Init, Note, Reply, Scope, Send, SessionAsk,
    UiAsk, WireId, command, completions, hook, manifest, read, startup, tool,
};
use serde_json::{Map, Value, json};

fn text(s: &str) -> Arc<str> {
    s.into()
}

fn written(id: u64, call: Call, line: &str) {
    assert_eq!(call.line(id, &Scope::ONLY), line);
    assert_eq!(Heard::read(line), Some(Heard::Call { id, call, scope: Scope::ONLY }));
}

fn told(note: Note, line: &str) {
    assert_eq!(note.line(&Scope::ONLY), line);
    assert_eq!(Heard::read(line), Some(Heard::Note { note, scope: Scope::ONLY }));
}

#[test]
fn requests_from_e() {
    let object = || Arc::new(json!({}));
    let init = Init { ui: true, version: text("0.0.1"), cwd: text("/path"), config: object() };
    written(
        1,
        Call::Initialize(init),
        r#"{"id":1,"method":"initialize","params":{"protocol":1,"capabilities":["tool.update","events","hooks","display","ui","session","shortcuts","pane","widget","render"],"ui":true,"e_version":"0.0.1","cwd":"/path","extensions_config":{}}}"#,
    );
    let flags = Arc::new(Map::from_iter([("project".to_owned(), Value::from("../app"))]));
    let argv = vec![text("--project"), text("../app")];
    written(
        2,
        Call::Startup { cwd: text("/path"), argv, flags },
        r#"{"id":2,"method":"hook.startup","params":{"cwd":"/path","argv":["--project","../app"],"flags":{"project":"../app"}}}"#,
    );
    written(
        3,
        Call::ToolCall { name: text("greet"), arguments: object() },
        r#"{"id":3,"method":"tool_call","params":{"name":"greet","arguments":{}}}"#,
    );
    written(
        4,
        Call::Command { name: text("ping"), args: text("rest of the line") },
        r#"{"id":4,"method":"command","params":{"name":"ping","args":"rest of the line"}}"#,
    );
    written(
        5,
        Call::HookToolCall { name: text("bash"), arguments: object() },
        r#"{"id":5,"method":"hook.tool_call","params":{"name":"bash","arguments":{}}}"#,
    );
    written(
        6,
        Call::HookInput { text: text("a submitted line") },
        r#"{"id":6,"method":"hook.input","params":{"text":"a submitted line"}}"#,
    );
    written(
        7,
        Call::HookBeforeTurn { prompt: text("the user's message") },
        r#"{"id":7,"method":"hook.before_turn","params":{"prompt":"the user's message"}}"#,
    );
    written(
        8,
        Call::HookToolResult { name: text("bash"), content: text("…"), is_error: false },
        r#"{"id":8,"method":"hook.tool_result","params":{"name":"bash","content":"…","is_error":false}}"#,
    );
    written(
        9,
        Call::HookCompactSummary { summary: text("…") },
        r#"{"id":9,"method":"hook.compact_summary","params":{"summary":"…"}}"#,
    );
    written(
        11,
        Call::HookRender { kind: text("tool"), name: text("bash"), content: text("…") },
        r#"{"id":11,"method":"hook.render","params":{"kind":"tool","name":"bash","content":"…"}}"#,
    );
    written(
        10,
        Call::Shortcut { key: "ctrl+alt+g".parse().unwrap() },
        r#"{"id":10,"method":"shortcut","params":{"key":"ctrl+alt+g"}}"#,
    );
    written(
        12,
        Call::Complete { name: text("name"), prefix: text("pre") },
        r#"{"id":12,"method":"command.complete","params":{"name":"name","prefix":"pre"}}"#,
    );
}

#[test]
fn notifications_from_e() {
    told(
        Note::Event(Event::TurnEnd { aborted: false }),
        r#"{"method":"event","params":{"name":"turn_end","extra":{"aborted":false}}}"#,
    );
    told(Note::Flags(Arc::new(Map::new())), r#"{"method":"flags","params":{"flags":{}}}"#);
    told(Note::Key("down".parse().unwrap()), r#"{"method":"ui.key","params":{"key":"down"}}"#);
    told(Note::PanelClosed, r#"{"method":"ui.panel_closed","params":{}}"#);
    let (pane, section, id) = (text("diff"), text("files"), text("a.rs"));
    told(
        Note::PaneSelect { pane: pane.clone(), section: section.clone(), id: id.clone() },
        r#"{"method":"pane.select","params":{"pane":"diff","section":"files","id":"a.rs"}}"#,
    );
    told(
        Note::PaneActivate { pane: pane.clone(), section, id },
        r#"{"method":"pane.activate","params":{"pane":"diff","section":"files","id":"a.rs"}}"#,
    );
    told(
        Note::PaneKey { pane: pane.clone(), key: "x".parse().unwrap() },
        r#"{"method":"pane.key","params":{"pane":"diff","key":"x"}}"#,
    );
    told(Note::PaneClosed { pane }, r#"{"method":"pane.closed","params":{"pane":"diff"}}"#);
    told(Note::Shutdown, r#"{"method":"shutdown"}"#);
}

#[test]
fn messages_from_an_extension() {
    assert!(
        matches!(read(r#"{"id":1,"result":{}}"#), Incoming::Response(r) if r.id == 1 && r.result == Ok(json!({})))
    );
    assert!(
        matches!(read(r#"{"id":2,"error":"what went wrong"}"#), Incoming::Response(r) if r.result == Err(text("what went wrong")))
    );
    assert!(
        matches!(read(r#"{"method":"notify","params":{"message":"hi"}}"#), Incoming::Notify(m) if m.as_str() == "hi")
    );
    assert!(matches!(
        read(r#"{"method":"tool.update","params":{"id":3,"stream":"stdout","chunk":"working\n"}}"#),
        Incoming::ToolUpdate(u) if u.call == 3 && &*u.chunk == "working\n"
    ));
    let Incoming::Request(asked) =
        read(r#"{"id":"q1","method":"ui.select","params":{"title":"Pick","options":["a"]}}"#)
    else {
        panic!()
    };
    assert_eq!(asked.id, WireId(text("\"q1\"")));
    let answer = Reply::Chosen { value: text("a"), label: text("a") };
    assert_eq!(answer.line(&asked.id), r#"{"id":"q1","result":{"value":"a","label":"a"}}"#);
    assert_eq!(Reply::no_ui().line(&asked.id), r#"{"id":"q1","error":"no ui"}"#);
    assert_eq!(Reply::Cancelled.line(&asked.id), r#"{"id":"q1","result":{"cancelled":true}}"#);
}

/// The guide's manifest, with `startup` among its hooks as the notes say.
pub const MANIFEST: &str = r#"{
  "name": "my-ext",
  "version": "1.0",
  "tools": [
    {
      "name": "greet",
      "description": "say hi",
      "parameters": {"type": "object", "properties": {}},
      "label": {"category": "greet", "running": "Greeting", "completed": "Greeted", "target": "who"}
    }
  ],
  "commands": [{"name": "ping", "description": "check the extension"}],
  "flags": [
    {"name": "project", "type": "string", "description": "relaunch in this directory"},
    {"name": "plan", "type": "boolean", "description": "plan mode"}
  ],
  "hooks": ["tool_call", "input", "before_turn", "tool_result", "compact_summary", "render"],
  "renders": ["tool:bash", "assistant"],
  "events": ["session_start", "turn_start", "tool_end"],
  "shortcuts": [{"key": "ctrl+alt+g", "description": "greet"}]
}"#;

#[test]
fn the_manifest() {
    let (got, notices) = manifest(&serde_json::from_str(MANIFEST).unwrap(), &[]).unwrap();
    assert!(notices.is_empty());
    assert_eq!((&*got.name, got.version.as_ref().unwrap().as_str()), ("my-ext", "1.0"));
    assert_eq!(
        (&*got.tools[0].label.running, got.tools[0].label.target.as_deref()),
        ("Greeting", Some("who"))
    );
    assert_eq!(
        (&*got.commands[0].name, got.flags.len(), got.shortcuts[0].chord.to_string()),
        ("ping", 2, "ctrl+alt+g".into())
    );
    assert_eq!((got.hooks.len(), got.startup), (6, false));
    assert!(got.renders.tool("bash") && !got.renders.tool("read") && got.renders.assistant());
    let events: Vec<&str> = got.events.iter().map(|e| &**e).collect();
    assert_eq!(events, ["session_start", "tool_end", "turn_start"]);
}

#[test]
fn results_of_commands_and_tools() {
    let value = |line: &str| -> Value { serde_json::from_str(line).unwrap() };
    assert_eq!(
        command(&value(r#"{"notice":"line for the transcript"}"#)).unwrap().notice.unwrap().as_str(),
        "line for the transcript"
    );
    let show = command(&value(r#"{"show":{"title":"diff src/main.rs","body":"…","format":"diff"}}"#))
        .unwrap()
        .show
        .unwrap();
    assert_eq!(
        (show.title.as_str(), show.body.as_str(), show.format),
        ("diff src/main.rs", "…", Format::Diff)
    );
    assert_eq!(
        command(&value(r#"{"prompt":"text submitted as the user"}"#)).unwrap().prompt,
        Some(text("text submitted as the user"))
    );
    let named = command(&value(r#"{"session_name":"name shown in /resume"}"#)).unwrap();
    assert_eq!(named.session_name.unwrap().as_str(), "name shown in /resume");
    let items =
        completions(&value(r#"{"items":[{"value":"prefix-match","label":"l","description":"d"}]}"#)).unwrap();
    assert_eq!(&*items[0].value, "prefix-match");
    let answer = tool(&value(
        r#"{"content": "src/main.rs: 2 warnings", "is_error": false, "session_name": "lint the parser", "summary": "2 warnings",
 "display": "--- a/src/main.rs\n+++ b/src/main.rs\n@@ -1 +1 @@\n-old\n+new\n", "format": "diff"}"#,
    )).unwrap();
    assert_eq!((&*answer.content, answer.is_error), ("src/main.rs: 2 warnings", false));
    assert_eq!(answer.session_name.unwrap().as_str(), "lint the parser");
    assert_eq!(answer.summary.unwrap().as_str(), "2 warnings");
    assert_eq!(answer.display.unwrap().format, Format::Diff);
}

#[test]
fn results_of_hooks() {
    let read = |kind, line: &str| hook(kind, &serde_json::from_str(line).unwrap()).unwrap();
    assert_eq!(
        read(
            HookKind::BeforeTurn,
            r#"{"system_suffix": "Plan mode: change no files.", "message": {"content": "Branch main, 3 files changed.", "internal": true}}"#
        ),
        HookAnswer::BeforeTurn {
            system_suffix: Some(text("Plan mode: change no files.")),
            message: Some((text("Branch main, 3 files changed."), true)),
        }
    );
    assert_eq!(
        read(HookKind::ToolResult, r#"{"content":"what the model should read instead"}"#),
        HookAnswer::ToolResult { content: Some(text("what the model should read instead")) }
    );
    assert!(
        matches!(read(HookKind::Render, r#"{"body":"…","format":"markdown"}"#), HookAnswer::Render(Some(r)) if r.format == Format::Markdown)
    );
    assert_eq!(
        read(HookKind::CompactSummary, r#"{"summary":"…"}"#),
        HookAnswer::CompactSummary { summary: Some(text("…")) }
    );
    assert_eq!(
        read(HookKind::ToolCall, r#"{"block":true,"reason":"why"}"#),
        HookAnswer::ToolCall { block: true, reason: Some(text("why")) }
    );
    assert_eq!(read(HookKind::ToolCall, r#"{"block":false}"#), HookAnswer::empty(HookKind::ToolCall));
    assert!(matches!(
        read(HookKind::Input, r#"{"consume":true,"notice":"swallowed, with a notice"}"#),
        HookAnswer::Input { consume: true, notice: Some(_), .. }
    ));
    assert!(matches!(
        read(HookKind::Input, r#"{"replace":"the rewritten line"}"#),
        HookAnswer::Input { replace: Some(_), .. }
    ));
    assert_eq!(
        read(HookKind::Input, r#"{"consume":false,"replace":null}"#),
        HookAnswer::empty(HookKind::Input)
    );
    for kind in HookKind::ALL {
        assert_eq!(read(kind, "{}"), HookAnswer::empty(kind));
    }
    let answer = startup(
        &serde_json::from_str(
            r#"{"argv":["-c"],
 "env":{"REMOVE_ME":null},
 "relaunch":{"cwd":"/path/to/project","env":{"BOOTSTRAPPED":"1"}}}"#,
        )
        .unwrap(),
    )
    .unwrap();
    assert_eq!((answer.argv, answer.env), (Some(vec![text("-c")]), vec![(text("REMOVE_ME"), None)]));
    let relaunch = answer.relaunch.unwrap();
    assert_eq!(
        (&*relaunch.cwd, relaunch.env),
        ("/path/to/project", vec![(text("BOOTSTRAPPED"), Some(text("1")))])
    );
}

#[test]
fn requests_to_e() {
    let ask = |method: &str, params: &str| Ask::read(method, &serde_json::from_str(params).unwrap());
    assert!(matches!(
        ask("ui.notify", r#"{"message":"m","tone":"warning"}"#),
        Ask::Ui(UiAsk::Notify { tone: Tone::Warning, .. })
    ));
    let pane = ask(
        "ui.pane",
        r#"{"id": "diff", "title": "Changes", "side": "right", "sections": [
  {"kind": "list", "id": "files", "selected": "src/main.rs",
   "items": [{"id": "src/main.rs", "label": "src/main.rs", "detail": "+12 -3"}]},
  {"kind": "diff", "id": "patch", "body": "diff --git a/src/main.rs …"}
]}"#,
    );
    let Ask::Ui(UiAsk::Pane(Some(pane))) = pane else { panic!("{pane:?}") };
    assert_eq!((pane.id.as_deref(), pane.title.as_str(), pane.sections.len()), (Some("diff"), "Changes", 2));
    assert_eq!(ask("ui.widget", r#"{"lines": null}"#), ask("ui.widget", "{}"));
    assert_eq!(
        ask("session.tools", r#"{"names": ["read","grep"]}"#),
        Ask::Session(SessionAsk::Tools(Some(vec![text("read"), text("grep")])))
    );
    assert!(matches!(
        ask("session.send", r#"{"content":"c","internal":true,"when":"next_turn"}"#),
        Ask::Session(SessionAsk::Send(Send { internal: true, next_turn: true, .. }))
    ));
}

/// The lines `ping.sh` prints, and the sed expression it finds ids with.
#[test]
fn ping_sh() {
    let Incoming::Response(hello) = read(
        r#"{"id":1,"result":{"name":"ping","version":"1","commands":[{"name":"ping","description":"are you there"}]}}"#,
    ) else {
        panic!()
    };
    let (got, notices) = manifest(&hello.result.unwrap(), &[]).unwrap();
    assert_eq!((&*got.name, &*got.commands[0].name, notices.len()), ("ping", "ping", 0));
    assert_eq!(got.events.iter().map(|e| &**e).collect::<Vec<_>>(), ["turn_end"]);
    assert!(matches!(read(r#"{"id":4,"result":{"notice":"pong"}}"#), Incoming::Response(r) if r.id == 4));
    let line = Call::Command { name: text("ping"), args: text("") }.line(41, &Scope::ONLY);
    let id: String =
        line.rsplit("\"id\":").next().unwrap().chars().take_while(char::is_ascii_digit).collect();
    assert_eq!(id, "41");
}
