//! plan.mjs: a narrowed toolset, a plan in a pane, a question, and a panel while it is carried out.

use e::model::wire::ext::{
    Ask, Body, Call, CommandAnswer, Event, HookAnswer, HookKind, Manifest, Note, Pane, Panel, Reply, Request,
    SessionAsk, UiAsk, command,
};
use serde_json::{Value, json};
use std::sync::Arc;

use super::rig::{Bundle, Ext, here, text};

fn started(words: Value) -> (Ext, Manifest) {
    let (mut ext, manifest) = Bundle::shipped(&["plan.mjs", "scaffold.mjs"]).greeted();
    ext.tell(Note::Flags(Arc::new(words.as_object().unwrap().clone())));
    session(&mut ext, "startup");
    (ext, manifest)
}

fn session(ext: &mut Ext, reason: &str) {
    ext.tell(Note::Event(Event::SessionStart { reason: text(reason), path: None }));
}

fn ended(ext: &mut Ext, aborted: bool) {
    ext.tell(Note::Event(Event::TurnEnd { aborted }));
}

fn before_turn(ext: &mut Ext) -> Option<Arc<str>> {
    match ext.hook(Call::HookBeforeTurn { prompt: text("do it") }) {
        HookAnswer::BeforeTurn { system_suffix, message: None } => system_suffix,
        other => panic!("{other:?}"),
    }
}

/// Answers the next request and gives it.
fn granted(ext: &mut Ext) -> Ask {
    let request = ext.request();
    ext.reply(&request, Reply::Done);
    request.ask
}

fn narrowed(ext: &mut Ext) -> Option<Vec<Arc<str>>> {
    match granted(ext) {
        Ask::Session(SessionAsk::Tools(names)) => names,
        other => panic!("{other:?}"),
    }
}

fn slot(ext: &mut Ext) -> String {
    match granted(ext) {
        Ask::Ui(UiAsk::Status(slot)) => slot.text.as_str().to_owned(),
        other => panic!("{other:?}"),
    }
}

fn pane(ext: &mut Ext) -> Option<Pane> {
    match granted(ext) {
        Ask::Ui(UiAsk::Pane(pane)) => pane,
        other => panic!("{other:?}"),
    }
}

fn panel(ext: &mut Ext) -> Option<Panel> {
    match granted(ext) {
        Ask::Ui(UiAsk::Panel(panel)) => panel,
        other => panic!("{other:?}"),
    }
}

fn finished(ext: &mut Ext, call: u64) -> CommandAnswer {
    command(&ext.answer(call).unwrap()).unwrap()
}

fn looking() -> Option<Vec<Arc<str>>> {
    Some(["read", "grep", "read_result", "plan"].map(Arc::from).to_vec())
}

fn typed(args: &str) -> Call {
    Call::Command { name: text("plan"), args: text(args) }
}

fn entered(ext: &mut Ext) {
    let call = ext.call(typed(""));
    assert_eq!(narrowed(ext), looking());
    assert_eq!(slot(ext), "plan mode");
    assert!(finished(ext, call).notice.unwrap().as_str().contains("changes nothing"));
}

fn steps(done: [bool; 2]) -> Value {
    json!({"title": "Faster parser", "steps": [
        {"step": "Measure", "detail": "with `benches/`", "done": done[0]},
        {"step": "Cache", "done": done[1]},
    ]})
}

fn shown(ext: &mut Ext, arguments: Value) -> u64 {
    ext.call(Call::ToolCall { name: text("plan"), arguments: Arc::new(arguments) })
}

/// Turns plan mode on, has a plan made and its turn ended; the question that follows.
fn planned() -> (Ext, Request) {
    let (mut ext, _) = started(json!({}));
    entered(&mut ext);
    let call = shown(&mut ext, steps([false, false]));
    let pane = pane(&mut ext).unwrap();
    assert_eq!((pane.id.as_deref(), pane.title.as_str()), (Some("plan"), "Faster parser"));
    let Body::List { items, .. } = &pane.sections[0].body else { panic!("{pane:?}") };
    let labels: Vec<(&str, &str)> = items.iter().map(|item| (&*item.id, item.label.as_str())).collect();
    assert_eq!(labels, [("0", "1. Measure"), ("1", "2. Cache")]);
    let Body::Markdown(details) = &pane.sections[1].body else { panic!("{pane:?}") };
    assert!(details.as_str().contains("with `benches/`"));
    assert_eq!(slot(&mut ext), "plan mode");
    let answer = ext.answer(call).unwrap();
    assert_eq!(answer["summary"], "2 steps");
    ended(&mut ext, false);
    let question = ext.request();
    let Ask::Ui(UiAsk::Select { title, choices }) = &question.ask else { panic!("{question:?}") };
    let values: Vec<&str> = choices.iter().map(|choice| &*choice.value).collect();
    assert_eq!((title.as_str(), values), ("Faster parser", vec!["go", "stay", "leave"]));
    (ext, question)
}

fn chosen(value: &str) -> Reply {
    Reply::Chosen { value: text(value), label: text("") }
}

#[test]
fn plan_declares_its_surfaces() {
    if !here("node") {
        return;
    }
    let (mut ext, manifest) = started(json!({}));
    assert_eq!((&*manifest.tools[0].name, &*manifest.commands[0].name), ("plan", "plan"));
    assert_eq!(manifest.shortcuts[0].chord.to_string(), "ctrl+alt+p");
    assert_eq!(&*manifest.flags[0].name, "plan");
    assert!(manifest.hooks.contains(&HookKind::BeforeTurn));
    assert_eq!(before_turn(&mut ext), None);
    assert!(ext.settled().is_empty(), "plan mode is off and says nothing");
    ext.shutdown();
}

#[test]
fn plan_mode_goes_on_and_off_by_command_and_shortcut() {
    if !here("node") {
        return;
    }
    let (mut ext, _) = started(json!({}));
    entered(&mut ext);
    assert!(before_turn(&mut ext).unwrap().contains("change nothing"));
    let call = ext.call(Call::Shortcut { key: "ctrl+alt+p".parse().unwrap() });
    assert_eq!((narrowed(&mut ext), slot(&mut ext)), (None, String::new()));
    assert_eq!(finished(&mut ext, call).notice.unwrap().as_str(), "plan mode is off");
    assert_eq!(before_turn(&mut ext), None);
    let call = ext.call(typed(" make it faster "));
    assert_eq!((narrowed(&mut ext), slot(&mut ext)), (looking(), "plan mode".into()));
    assert_eq!(finished(&mut ext, call).prompt.as_deref(), Some("make it faster"));
    let call = ext.call(typed("off"));
    assert_eq!((narrowed(&mut ext), slot(&mut ext)), (None, String::new()));
    finished(&mut ext, call);
    ext.shutdown();
}

#[test]
fn plan_mode_begins_with_its_flag_before_the_first_turn() {
    if !here("node") {
        return;
    }
    let (mut ext, _) = started(json!({"plan": true}));
    let turn = ext.call(Call::HookBeforeTurn { prompt: text("do it") });
    assert_eq!(narrowed(&mut ext), looking());
    assert_eq!(slot(&mut ext), "plan mode");
    assert!(ext.answer(turn).unwrap()["system_suffix"].is_string(), "the turn waited for it");
    ext.shutdown();
    let (mut ext, _) = started(json!({"plan": false}));
    assert!(ext.settled().is_empty(), "--no-plan");
    ext.shutdown();
}

#[test]
fn plan_is_carried_out_with_all_tools_and_a_panel() {
    if !here("node") {
        return;
    }
    let (mut ext, question) = planned();
    ext.reply(&question, chosen("go"));
    assert_eq!((narrowed(&mut ext), slot(&mut ext)), (None, "plan 0/2".into()));
    assert_eq!(pane(&mut ext), None);
    let rows = |panel: Option<Panel>| -> Vec<String> {
        let panel = panel.unwrap();
        assert_eq!((panel.title.as_str(), panel.interactive), ("Faster parser", false));
        panel.lines.rows.iter().map(|row| row.plain()).collect()
    };
    assert_eq!(rows(panel(&mut ext)), ["▸ Measure", "· Cache"]);
    let Ask::Session(SessionAsk::Send(send)) = granted(&mut ext) else { panic!() };
    assert!(send.run && !send.internal && send.content.as_str().starts_with("Carry out the plan."));

    let call = shown(&mut ext, steps([true, false]));
    assert_eq!(rows(panel(&mut ext)), ["✓ Measure", "▸ Cache"]);
    assert_eq!(slot(&mut ext), "plan 1/2");
    assert_eq!(ext.answer(call).unwrap(), json!({"content": "1/2 done", "summary": "1/2 done"}));
    // Closed by its reader: it stays closed, and what is done still counts.
    ext.tell(Note::PanelClosed);
    let call = shown(&mut ext, steps([true, false]));
    assert_eq!(slot(&mut ext), "plan 1/2");
    ext.answer(call).unwrap();
    let call = shown(&mut ext, steps([true, true]));
    assert_eq!((panel(&mut ext), slot(&mut ext)), (None, String::new()));
    ext.answer(call).unwrap();
    ended(&mut ext, false);
    assert!(ext.settled().is_empty(), "nothing is asked outside plan mode");
    ext.shutdown();
}

#[test]
fn plan_does_nothing_without_a_yes() {
    if !here("node") {
        return;
    }
    for reply in [Reply::Cancelled, chosen("stay"), Reply::no_ui()] {
        let (mut ext, question) = planned();
        ext.reply(&question, reply);
        assert!(ext.settled().is_empty());
        assert!(before_turn(&mut ext).is_some(), "it is still planning");
        ended(&mut ext, false);
        assert!(ext.settled().is_empty(), "an old plan is not asked about again");
        ext.shutdown();
    }
    let (mut ext, question) = planned();
    ext.reply(&question, chosen("leave"));
    assert_eq!((narrowed(&mut ext), slot(&mut ext)), (None, "plan 0/2".into()));
    assert!(ext.settled().is_empty());
    ext.shutdown();
}

#[test]
fn plan_asks_nothing_after_an_interrupt() {
    if !here("node") {
        return;
    }
    let (mut ext, _) = started(json!({}));
    entered(&mut ext);
    ended(&mut ext, false);
    let call = shown(&mut ext, steps([false, false]));
    pane(&mut ext).unwrap();
    slot(&mut ext);
    ext.answer(call).unwrap();
    ended(&mut ext, true);
    assert!(ext.settled().is_empty());
    ext.shutdown();
}

#[test]
fn plan_comments_on_a_step() {
    if !here("node") {
        return;
    }
    let (mut ext, question) = planned();
    ext.reply(&question, Reply::Cancelled);
    let at = |section: &str, id: &str| Note::PaneActivate {
        pane: text("plan"),
        section: text(section),
        id: text(id),
    };
    ext.tell(at("steps", "1"));
    assert_eq!(ext.done("ui.compose"), json!({"text": "Step 2 of the plan: "}));
    ext.tell(at("steps", "9"));
    ext.tell(at("steps", ""));
    ext.tell(at("details", "0"));
    ext.tell(Note::PaneSelect { pane: text("plan"), section: text("steps"), id: text("0") });
    ext.tell(Note::PaneKey { pane: text("plan"), key: "x".parse().unwrap() });
    ext.tell(Note::PaneClosed { pane: text("plan") });
    assert!(ext.settled().is_empty());
    ext.shutdown();
}

#[test]
fn plan_forgets_with_the_conversation_and_keeps_over_a_fork() {
    if !here("node") {
        return;
    }
    for reason in ["new", "resume"] {
        let (mut ext, question) = planned();
        // e answers what was open, and lifts the narrowing itself.
        ext.reply(&question, Reply::Error("the session was switched".into()));
        session(&mut ext, reason);
        assert_eq!((slot(&mut ext), panel(&mut ext), pane(&mut ext)), (String::new(), None, None));
        assert_eq!(before_turn(&mut ext), None);
        ext.shutdown();
    }
    let (mut ext, question) = planned();
    ext.reply(&question, Reply::Cancelled);
    session(&mut ext, "fork");
    assert!(ext.settled().is_empty() && before_turn(&mut ext).is_some());
    ext.shutdown();
}

#[test]
fn plan_takes_bad_arguments_and_refusals() {
    if !here("node") {
        return;
    }
    let (mut ext, _) = started(json!({}));
    for bad in [
        json!({}),
        json!(null),
        json!("{\"steps\":"),
        json!({"steps": []}),
        json!({"steps": [1, {"step": " "}]}),
    ] {
        let answer = ext.tool("plan", bad.clone());
        assert!(answer.is_error && answer.content.contains("`steps`"), "{bad}");
    }
    // Steps as plain strings will do, and so will a missing title.
    let call = shown(&mut ext, json!({"steps": ["Look", 3, {"step": "Do", "detail": 4, "done": "yes"}]}));
    let panel = panel(&mut ext).unwrap();
    assert_eq!((panel.title.as_str(), panel.lines.rows.len()), ("Plan", 2));
    assert_eq!(slot(&mut ext), "plan 0/2");
    ext.answer(call).unwrap();
    // A narrowing that e refuses is an error of the command, and plan mode stays off.
    let call = ext.call(typed(""));
    let request = ext.request();
    ext.reply(&request, Reply::Error("busy".into()));
    assert_eq!(ext.answer(call), Err(text("busy")));
    assert_eq!(before_turn(&mut ext), None);
    ext.shutdown();
}

/// Under `e -p` the narrowing holds, and everything that would be shown is refused.
#[test]
fn plan_works_where_nothing_can_be_shown() {
    if !here("node") {
        return;
    }
    let mut ext = Bundle::shipped(&["plan.mjs", "scaffold.mjs"]).start();
    ext.greet(false);
    let refused = |ext: &mut Ext| {
        let request = ext.request();
        assert!(request.is_ui(), "{request:?}");
        ext.reply(&request, Reply::no_ui());
    };
    let call = ext.call(typed("look around"));
    assert_eq!(narrowed(&mut ext), looking());
    refused(&mut ext);
    assert_eq!(finished(&mut ext, call).prompt.as_deref(), Some("look around"));
    let call = shown(&mut ext, steps([false, false]));
    refused(&mut ext);
    refused(&mut ext);
    assert_eq!(ext.answer(call).unwrap()["summary"], "2 steps");
    ended(&mut ext, false);
    refused(&mut ext);
    assert!(ext.settled().is_empty() && before_turn(&mut ext).is_some());
    ext.abandoned();
}
