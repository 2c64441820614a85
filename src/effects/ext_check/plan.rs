//! The play itself: the steps of a session with one extension, each under the rule it is about. The first process lives
//! through everything and ends as on a reload; the second has nobody to answer its questions and ends with its stdin.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::child::Event as Heard;
use super::owed::Policy;
use super::play::{PIPES, Play};
use super::report::Outcome;
use super::rules::Rule;
use super::{calls, declared};
use crate::model::config::chord::Chord;
use crate::model::wire::ext::{Call, Event, HookKind, Manifest, Note, Reply, StartupAnswer, WireId, startup};

/// Between `shutdown` and the kill.
const BEAT: Duration = Duration::from_millis(150);

/// Plays everything that the extension declares.
pub fn run(play: &mut Play) {
    let Ok(answer) = play.start(true, Rule::InitializeAnswers) else { return };
    let sent = play.last_sent.clone();
    let (manifest, findings) = declared::judge(&answer);
    play.found(findings, &sent, &answer.to_string());
    let Some(manifest) = manifest else { return };
    play.report.extension = manifest.name.to_string();
    play.probe = probe(&manifest);
    play.report.tried(Rule::LifeStays);
    play.idle(play.grace());
    if play.child.is_none() {
        return;
    }
    first(play, &manifest);
    let asked = play.owed.any;
    let askers = std::mem::take(&mut play.askers);
    let panes = (play.owed.panel, play.owed.pane.clone());
    if play.owed.questions {
        play.again(Rule::UiCancel, Policy::Cancel, askers.clone());
    }
    if asked {
        play.again(Rule::RequestError, Policy::Refuse, askers.clone());
    }
    unknown(play);
    if panes.0 {
        panel(play);
    }
    if let Some(place) = panes.1 {
        pane(play, &place.pane, &place.section, &place.id);
    }
    end(play, &manifest);
    second(play, &manifest, asked, askers);
}

/// A call that shows whether the extension is still at work: the one that does least.
fn probe(manifest: &Manifest) -> Option<Call> {
    let hooks = HookKind::ALL.into_iter().rev().filter(|kind| manifest.hooks.contains(kind));
    let hooked = hooks.filter_map(|kind| calls::hook(manifest, kind).into_iter().next()).next();
    hooked
        .or_else(|| calls::completions(manifest).into_iter().next())
        .or_else(|| calls::commands(manifest, "").into_iter().next())
        .or_else(|| calls::shortcuts(manifest).into_iter().next())
        .or_else(|| calls::tools(manifest, true).into_iter().next())
}

/// Everything declared, as a session would come to it.
fn first(play: &mut Play, manifest: &Manifest) {
    flagged(play, manifest, Map::new());
    started(play, manifest, vec!["a prompt".into()], Map::new());
    events(play, manifest);
    for kind in HookKind::ALL {
        if manifest.hooks.contains(&kind) {
            play.all(Rule::hook(kind).0, calls::hook(manifest, kind));
        }
    }
    for call in calls::tools(manifest, true) {
        play.all(Rule::ToolCallAnswers, vec![call]);
    }
    let mut together = calls::tools(manifest, false);
    together.extend(calls::tools(manifest, true));
    play.all(Rule::ToolCallTogether, together);
    play.all(Rule::ToolCallBadArguments, calls::bad_tools(manifest));
    play.all(Rule::CommandAnswers, calls::commands(manifest, ""));
    play.all(Rule::CommandAnswers, calls::commands(manifest, "some words"));
    play.all(Rule::CompleteAnswers, calls::completions(manifest));
    play.all(Rule::ShortcutAnswers, calls::shortcuts(manifest));
}

/// The flags go to whoever declares one that is parsed, always.
fn flagged(play: &mut Play, manifest: &Manifest, values: Map<String, Value>) {
    let wants = manifest.flags.iter().any(|flag| flag.parsable());
    if !wants || !play.begin(Rule::FlagsNotified) {
        return;
    }
    play.report.tried(Rule::FlagsNotified);
    play.note(&Note::Flags(Arc::new(values)));
    // No hook and no command comes before the startup hook, so nothing else can be asked yet.
    if manifest.startup { play.idle(play.grace()) } else { play.outlives() }
}

/// The startup hook. With no flag of its own on the command line it must answer, and let the launch go on; with made-up
/// values it may refuse.
fn started(play: &mut Play, manifest: &Manifest, argv: Vec<Arc<str>>, values: Map<String, Value>) {
    if !manifest.startup || !play.begin(Rule::StartupAnswers) {
        return;
    }
    let plain = values.is_empty();
    let call = Call::Startup { cwd: play.cwd(), argv, flags: Arc::new(values) };
    let known = play.report.outcome(Rule::StartupAnswers).cloned();
    let id = play.call(call, Rule::StartupAnswers);
    play.settle();
    let sent = play.last_sent.clone();
    match play.results.remove(&id) {
        Some(Ok(value)) if plain => {
            play.report.tried(Rule::StartupCalm);
            if let Ok(StartupAnswer { relaunch: Some(_), .. }) = startup(&value) {
                let why = "it asks for a relaunch, and would again after it";
                play.report.fail(Rule::StartupCalm, why, &sent, &value.to_string());
            }
        }
        Some(Err(_)) if !plain => play.report.restore(Rule::StartupAnswers, known),
        _ => {}
    }
}

/// Every event it declares.
fn events(play: &mut Play, manifest: &Manifest) {
    let wanted: Vec<Event> =
        calls::events().into_iter().filter(|event| manifest.events.contains(event.name())).collect();
    if wanted.is_empty() || !play.begin(Rule::EventsTaken) {
        return;
    }
    for event in wanted {
        play.note(&Note::Event(event));
    }
    play.outlives();
}

/// What a later `e` may send, and an answer that comes too late.
fn unknown(play: &mut Play) {
    if play.begin(Rule::UnknownMethod) {
        play.foreign("hook.of_tomorrow", &json!({"sample": true}));
        play.foreign("tomorrow", &Value::Null);
        play.outlives();
    }
    if play.begin(Rule::UnknownNote) {
        play.line(&json!({"method": "tomorrow", "params": {"sample": [1, null]}}).to_string());
        play.line(
            &json!({"method": "event", "params": {"name": "tomorrow", "extra": {"sample": 1}}}).to_string(),
        );
        play.outlives();
    }
    if play.begin(Rule::UnknownReply) {
        let id = WireId(r#""nobody-asked""#.into());
        play.line(&Reply::Done.line(&id));
        play.line(&Reply::Error("too late".into()).line(&id));
        play.outlives();
    }
}

fn chords(words: &[&str]) -> Vec<Chord> {
    words.iter().filter_map(|word| word.parse().ok()).collect()
}

fn panel(play: &mut Play) {
    if !play.begin(Rule::PanelNotes) {
        return;
    }
    for key in chords(&["down", "enter", "x", "space", "ctrl+x", "shift+tab"]) {
        play.note(&Note::Key(key));
    }
    play.note(&Note::PanelClosed);
    play.outlives();
}

fn pane(play: &mut Play, pane: &Arc<str>, section: &Arc<str>, id: &Arc<str>) {
    if !play.begin(Rule::PaneNotes) {
        return;
    }
    let (pane, section, none) = (pane.clone(), section.clone(), Arc::from(""));
    for id in [id.clone(), none] {
        play.note(&Note::PaneSelect { pane: pane.clone(), section: section.clone(), id: id.clone() });
        play.note(&Note::PaneActivate { pane: pane.clone(), section: section.clone(), id });
    }
    for key in chords(&["x", "space", "alt+down"]) {
        play.note(&Note::PaneKey { pane: pane.clone(), key });
    }
    play.note(&Note::PaneClosed { pane });
    play.outlives();
}

/// A reload ends this process: the event to those who want it, then `shutdown`, then a beat.
fn end(play: &mut Play, manifest: &Manifest) {
    if !play.begin(Rule::ShutdownExits) {
        return;
    }
    if manifest.events.contains("session_shutdown") {
        play.note(&Note::Event(Event::SessionShutdown { reason: "reload".into() }));
    }
    play.note(&Note::Shutdown);
    // Where starting takes longer than the beat the machine is slow, and ending may take as long.
    let beat = BEAT.max(play.handshake);
    let why = format!("it still ran {} ms later, and e kills it", beat.as_millis());
    exits(play, Rule::ShutdownExits, beat, &why);
}

/// Waits for the process to end by itself.
fn exits(play: &mut Play, rule: Rule, patience: Duration, why: &str) {
    play.report.tried(rule);
    let Some(mut child) = play.child.take() else { return };
    let begun = Instant::now();
    while child.ended().is_none() && begun.elapsed() < patience && !play.stopped() {
        if let Some(Heard::Line(said, raw)) = child.next(Duration::from_millis(2)) {
            play.heard(said, &raw);
        }
    }
    if child.ended().is_none() {
        play.report.fail(rule, why, &play.last_sent, "");
        return;
    }
    play.report.tried(Rule::ShutdownPipes);
    let begun = Instant::now();
    while !(child.out_ended && child.err_ended) && begun.elapsed() < PIPES {
        if let Some(Heard::Line(said, raw)) = child.next(Duration::from_millis(2)) {
            play.heard(said, &raw);
        }
    }
    if !(child.out_ended && child.err_ended) {
        let why = "it is gone, but a process that it started still holds its stdout or stderr";
        play.report.fail(Rule::ShutdownPipes, why, &play.last_sent, "");
    }
}

/// The process behind a reload: nobody answers its questions, its flags were given, and its stdin ends.
fn second(play: &mut Play, manifest: &Manifest, asked: bool, askers: Vec<Call>) {
    let Ok(answer) = play.start(false, Rule::ReloadAgain) else { return };
    match declared::judge(&answer).0 {
        Some(again) if again.name == manifest.name => {}
        Some(again) => {
            let why = format!("it calls itself {:?} now, and {:?} before", again.name, manifest.name);
            play.report.fail(Rule::ReloadAgain, why, &play.last_sent, &answer.to_string());
        }
        None => {
            let why = "its manifest is not valid the second time";
            play.report.fail(Rule::ReloadAgain, why, &play.last_sent, &answer.to_string());
        }
    }
    let (argv, values) = calls::flags(manifest);
    flagged(play, manifest, values.clone());
    if !values.is_empty() {
        started(play, manifest, argv, values);
    }
    if asked {
        play.all(Rule::UiNone, askers);
        none(play, manifest);
    }
    if play.begin(Rule::StdinEnd) {
        if let Some(child) = &mut play.child {
            child.close();
        }
        play.last_sent = "the end of its stdin".into();
        exits(
            play,
            Rule::StdinEnd,
            Duration::from_secs(1).max(play.handshake),
            "it goes on running, though nobody can talk to it",
        );
    }
}

/// Events, for those who ask when they hear one.
fn none(play: &mut Play, manifest: &Manifest) {
    let dies = matches!(play.report.outcome(Rule::EventsTaken), Some(Outcome::Fail(_)));
    if dies || !play.begin(Rule::UiNone) {
        return;
    }
    for event in calls::events().into_iter().filter(|event| manifest.events.contains(event.name())) {
        play.note(&Note::Event(event));
    }
    play.outlives();
}
