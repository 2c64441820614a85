//! Models to paint: a small language for conversations, and frames as text.

use std::sync::Arc;

use e::effects::themes::BUILTIN;
use e::model::Model;
use e::model::boot::BootFacts;
use e::model::config::theme::{Base, choose};
use e::model::front::Front;
use e::model::id::{BlockId, CallId};
use e::model::provider::{ModelRef, Usage};
use e::model::session::notice::Tone;
use e::model::term::{Caps, ColorDepth, Size};
use e::model::text::clean::Clean;
use e::model::time::{At, Span};
use e::model::tool::{Display, Format, Label, Outcome};
use e::model::tui::Tui;
use e::model::tui::block::{Block, Body, Call, CallState, Prose, Tools, Words};
use e::model::tui::draft::{Draft, Fragment, Group};
use e::model::tui::status::{Phase, Running};
use e::view::cache::Cache;
use e::view::{Painted, paint};

pub const NOW: At = At { mono: 100_000, wall: 1_764_590_000_000 };

/// An empty conversation on a screen of that size.
pub fn model(cols: u16, rows: u16) -> Model {
    let mut model = Model::empty();
    model.now = NOW;
    let caps = Caps { colors: ColorDepth::True, ..Caps::default() };
    let facts = BootFacts {
        cwd: Arc::from("/home/ann/parser"),
        user_home: Arc::from("/home/ann"),
        caps,
        ..BootFacts::default()
    };
    model.boot = Arc::new(facts);
    model.config.theme = theme("dark");
    let mut tui = Tui::default();
    tui.screen.size = Size::new(cols, rows);
    tui.screen.tab = 4;
    tui.status.front.model = ModelRef::parse("anthropic/claude-sonnet-4");
    tui.status.front.effort = Some(Arc::from("high"));
    tui.status.front.context = (24_000, 200_000);
    model.front = Front::Tui(Box::new(tui));
    model
}

pub fn theme(name: &str) -> e::model::config::theme::Theme {
    let files: Vec<(Arc<str>, Arc<str>)> = BUILTIN
        .iter()
        .map(|(name, text)| (Arc::from(format!("themes/{name}.json")), Arc::from(*text)))
        .collect();
    choose(name, Base::Dark, &files).0
}

pub fn set_depth(model: &mut Model, depth: ColorDepth) {
    let mut facts = (*model.boot).clone();
    facts.caps.colors = depth;
    model.boot = Arc::new(facts);
}

pub fn tui(model: &mut Model) -> &mut Tui {
    match &mut model.front {
        Front::Tui(tui) => tui,
        Front::Print(_) => panic!("no terminal front"),
    }
}

pub fn tui_of(model: &Model) -> &Tui {
    match &model.front {
        Front::Tui(tui) => tui,
        Front::Print(_) => panic!("no terminal front"),
    }
}

pub fn push(model: &mut Model, body: Body) -> BlockId {
    let id = model.ids.block();
    tui(model).transcript.push(Block::done(id, body, NOW));
    id
}

pub fn push_open(model: &mut Model, body: Body) -> BlockId {
    let id = model.ids.block();
    tui(model).transcript.push(Block::open(id, body));
    id
}

pub fn user(text: &str) -> Body {
    Body::User { text: Words::Raw(Arc::from(text)), attachments: Vec::new() }
}

pub fn text(markdown: &str) -> Body {
    Body::Text(Prose::whole(Arc::from(markdown)))
}

pub fn streaming(markdown: &str) -> Body {
    let mut prose = Prose::open();
    prose.push(markdown);
    Body::Text(prose)
}

pub fn notice(tone: Tone, text: &str) -> Body {
    Body::Notice { tone, text: Words::Raw(Arc::from(text)) }
}

fn label(running: &str, completed: &str, category: &str) -> Label {
    Label {
        category: Arc::from(category),
        running: Arc::from(running),
        completed: Arc::from(completed),
        target: None,
    }
}

pub fn call(model: &mut Model, name: &str, target: &str, state: CallState) -> Call {
    let label = match name {
        "read" => label("Reading", "Read", "file"),
        "edit" => label("Editing", "Edited", "file"),
        "grep" => label("Searching", "Searched", "search"),
        _ => label("Running", "Ran", "command"),
    };
    let mut call = Call::new(CallId(model.ids.number()), Arc::from(name), label, Some(target));
    call.state = state;
    call
}

pub fn ended(outcome: Outcome) -> CallState {
    CallState::Ended { outcome, took: Some(Span(1_200)) }
}

pub fn running() -> CallState {
    CallState::Running { since: At { mono: NOW.mono - 4_000, ..NOW } }
}

pub const DIFF: &str = "--- a/src/parser.rs\n+++ b/src/parser.rs\n@@ -40,6 +40,7 @@ fn expression(input: &str)\n     let mut \
                        rest = input;\n     while let Some(next) = rest.chars().next() {\n-        if next == ' ' {\n+        if \
                        next.is_whitespace() {\n+            rest = rest.trim_start();\n             continue;\n         \
                        }\n     }\n";

pub fn tools(calls: Vec<Call>) -> Body {
    Body::Tools(Tools { calls })
}

pub fn edited(mut call: Call) -> Call {
    call.display = Some(Display { text: Arc::from(DIFF), format: Format::Diff, cut: false });
    call.summary = Some(Clean::from("+2 -1"));
    call
}

pub fn type_in(model: &mut Model, text: &str) {
    tui(model).composer.draft.insert(Fragment::text(text), Group::Alone);
}

pub fn draft(text: &str) -> Draft {
    Draft::of(text)
}

pub fn turn(model: &mut Model, phase: Phase) {
    let usage = Usage { input: 1_200, output: 340, ..Usage::default() };
    let since = At { mono: NOW.mono - 12_000, ..NOW };
    tui(model).status.running = Some(Running { phase, since, now: NOW, usage, streamed: 0 });
}

/// A whole session: what a person sees in the middle of a day.
pub fn session(cols: u16, rows: u16) -> Model {
    let mut model = model(cols, rows);
    let m = &mut model;
    push(
        m,
        Body::Banner {
            version: Clean::from("0.1.0"),
            cwd: Clean::from("~/parser"),
            model: Clean::from("claude-sonnet-4"),
        },
    );
    push(m, user("The parser loops forever on a tab. Find out why, fix it, and add a test."));
    push(m, Body::Thinking(Prose::whole(Arc::from("The loop only skips blanks."))));
    push(m, text("I'll look at how white space is skipped, then run the tests.\n"));
    let read = call(m, "read", "src/parser.rs", ended(Outcome::Completed));
    let grep = call(m, "grep", "fn skip_blank", ended(Outcome::Completed));
    let (mut read, mut grep) = (read, grep);
    read.summary = Some(Clean::from("212 lines"));
    grep.summary = Some(Clean::from("3 matches"));
    push(m, tools(vec![read, grep]));
    push(
        m,
        text(
            "Only `' '` is skipped, so a tab is neither consumed nor refused. The fix:\n\n```rust\nif next.is_whitespace() {\n    \
         rest = rest.trim_start();\n}\n```\n\n- **`expression`** takes every white space\n- a test with `\"1\\t+ 2\"`\n",
        ),
    );
    let edit = call(m, "edit", "src/parser.rs", ended(Outcome::Completed));
    let mut test = call(m, "bash", "cargo test -q parser", ended(Outcome::Failed));
    test.summary = Some(Clean::from("exit 101"));
    test.content =
        Words::Raw(Arc::from("running 4 tests\ntest tabs ... FAILED\n\nassertion failed: left == right\n"));
    push(m, tools(vec![edited(edit), test]));
    push(m, notice(Tone::Warning, "The context is 80% full."));
    let mut again = call(m, "bash", "cargo test -q", running());
    again.tail.push("running 31 tests\ntest blanks ... ok\ntest tabs ... ok\n");
    push_open(m, tools(vec![again]));
    turn(m, Phase::Tools);
    model
}

pub fn frame(model: &Model) -> Painted {
    paint(model, &mut Cache::default())
}

/// The frame's rows as text, wide cells once, without trailing blanks; the cursor's place below.
pub fn plain(painted: &Painted) -> String {
    let area = painted.cells.area;
    let mut out = String::new();
    for y in 0..area.height {
        let mut line = String::new();
        let mut skip = 0;
        for x in 0..area.width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = painted.cells[(x, y)].symbol();
            skip = e::model::text::width::width(symbol).saturating_sub(1);
            line.push_str(symbol);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    match painted.cursor {
        Some((column, row)) => out.push_str(&format!("cursor: column {column}, row {row}\n")),
        None => out.push_str("cursor: hidden\n"),
    }
    out
}

/// The row that holds a text.
pub fn row_of(painted: &Painted, text: &str) -> u16 {
    let plain = plain(painted);
    let found = plain.lines().position(|line| line.contains(text));
    found.unwrap_or_else(|| panic!("{text:?} is not on the screen:\n{plain}")) as u16
}
