//! What a frame costs: `cargo bench --bench frame`. Budgets: a warm frame at most 1 ms and, with 10,000 blocks, at most
//! 1.2 times that with 10; a cold resize at most 8 ms; a token taken in at most 20 µs.

use std::sync::Arc;

use divan::{Bencher, black_box};
use e::effects::highlight::{Colourist, Job};
use e::effects::themes::BUILTIN;
use e::model::Model;
use e::model::boot::BootFacts;
use e::model::config::theme::{Base, choose};
use e::model::front::Front;
use e::model::id::{BlockId, CallId, ExtId, Ticket};
use e::model::term::{Caps, ColorDepth, Size};
use e::model::text::clean::Clean;
use e::model::text::diff::unified;
use e::model::text::markdown::{self, Options, Uncoloured};
use e::model::time::At;
use e::model::tool::{Display, Format, Label, Outcome};
use e::model::tui::Tui;
use e::model::tui::block::{Block, Body, Call, CallState, Prose, Tools, Words};
use e::model::tui::draft::{Fragment, Group};
use e::model::tui::pane::{Pane, Step};
use e::model::tui::viewer::{Depth, Reader};
use e::model::wire::ext::{Ask, UiAsk};
use e::view::cache::Cache;
use e::view::{cells, history, paint};

fn main() {
    divan::main();
}

const REPLY: &str = "Only `' '` is skipped, so a **tab** is neither consumed nor refused; see [the notes](https://a.example/n).\n\n\
    ```rust\nif next.is_whitespace() {\n    rest = rest.trim_start();\n}\n```\n\n- one thing and another\n- a second\n\n\
    | name | time |\n|---|---:|\n| hand-written | 12 ms |\n| generated | 31 ms |\n";

const DIFF: &str = "--- a/src/p.rs\n+++ b/src/p.rs\n@@ -40,4 +40,5 @@ fn expression(input: &str)\n     let mut rest = \
    input;\n-    if next == ' ' {\n+    if next.is_whitespace() {\n+        rest = rest.trim_start();\n         continue;\n     }\n";

fn body(at: usize) -> Body {
    match at % 4 {
        0 => Body::User {
            text: Words::Raw(Arc::from("Find out why, fix it, and add a test.")),
            attachments: Vec::new(),
        },
        1 => Body::Text(Prose::whole(Arc::from(REPLY))),
        2 => {
            let label = Label {
                category: Arc::from("file"),
                running: Arc::from("Editing"),
                completed: Arc::from("Edited"),
                target: None,
            };
            let mut call = Call::new(CallId(at as u64), Arc::from("edit"), label, Some("src/p.rs"));
            call.state = CallState::Ended { outcome: Outcome::Completed, took: None };
            call.display = Some(Display { text: Arc::from(DIFF), format: Format::Diff, cut: false });
            Body::Tools(Tools { calls: vec![call] })
        }
        _ => Body::Text(Prose::whole(Arc::from("A closing sentence of a few words."))),
    }
}

fn model(blocks: usize) -> Model {
    let mut model = Model::empty();
    let files: Vec<(Arc<str>, Arc<str>)> = BUILTIN
        .iter()
        .map(|(name, text)| (Arc::from(format!("themes/{name}.json")), Arc::from(*text)))
        .collect();
    model.config.theme = choose("dark", Base::Dark, &files).0;
    let caps = Caps { colors: ColorDepth::True, ..Caps::default() };
    model.boot = Arc::new(BootFacts { caps, ..BootFacts::default() });
    let mut tui = Tui::default();
    tui.screen.size = Size::new(120, 40);
    tui.screen.fullscreen = true;
    for at in 0..blocks {
        tui.transcript.push(Block::done(BlockId(at as u64 + 1), body(at), At::default()));
    }
    model.front = Front::Tui(Box::new(tui));
    model
}

fn tui(model: &mut Model) -> &mut Tui {
    match &mut model.front {
        Front::Tui(tui) => tui,
        Front::Print(_) => unreachable!("the model above has a terminal front"),
    }
}

#[divan::bench(args = [10, 10_000])]
fn warm_frame(bencher: Bencher<'_, '_>, blocks: usize) {
    let (model, mut cache) = (model(blocks), Cache::default());
    let _ = paint(&model, &mut cache);
    bencher.bench_local(|| paint(black_box(&model), &mut cache));
}

#[divan::bench(args = [10, 10_000])]
fn cold_resize(bencher: Bencher<'_, '_>, blocks: usize) {
    let (model, mut cache) = (std::cell::RefCell::new(model(blocks)), Cache::default());
    let mut wide = false;
    bencher.bench_local(|| {
        wide = !wide;
        cache = Cache::default();
        tui(&mut model.borrow_mut()).screen.size = Size::new(if wide { 160 } else { 90 }, 50);
        paint(&model.borrow(), &mut cache)
    });
}

#[divan::bench(args = [10, 10_000])]
fn composer_key(bencher: Bencher<'_, '_>, blocks: usize) {
    let (mut model, mut cache) = (model(blocks), Cache::default());
    bencher.bench_local(|| {
        let draft = &mut tui(&mut model).composer.draft;
        if draft.text().len() > 200 {
            let _ = draft.take();
        }
        draft.insert(Fragment::text("k"), Group::Typing);
        paint(&model, &mut cache)
    });
}

#[divan::bench]
fn frame_while_a_reply_grows(bencher: Bencher<'_, '_>) {
    let (mut model, mut cache) = (model(10), Cache::default());
    let id = BlockId(1_000_000);
    tui(&mut model).transcript.push(Block::open(id, Body::Text(Prose::open())));
    let mut words = REPLY.split_inclusive(' ').cycle();
    let mut length = 0;
    bencher.bench_local(|| {
        if let (Some(Body::Text(prose)), Some(word)) =
            (tui(&mut model).transcript.get_mut(id).map(Block::edit), words.next())
        {
            length += word.len();
            if length > 4_000 {
                length = 0;
                *prose = Prose::open();
            }
            prose.push(word);
        }
        paint(&model, &mut cache)
    });
}

/// A paragraph, a code block's line or thinking of that many bytes gets a word more, and a frame is drawn.
fn grown(bencher: Bencher<'_, '_>, start: &str, bytes: usize, thinking: bool) {
    let (mut model, mut cache) = (model(10), Cache::default());
    model.config.settings.show_thinking = true;
    let id = BlockId(1_000_000);
    let mut prose = Prose::open();
    prose.push(start);
    prose.push(
        &"Only **blanks** are skipped, so a tab is `neither` consumed nor refused. ".repeat(bytes / 73),
    );
    let body = if thinking { Body::Thinking(prose) } else { Body::Text(prose) };
    tui(&mut model).transcript.push(Block::open(id, body));
    let mut words = "and so on, with *some* more words to ".split_inclusive(' ').cycle();
    bencher.bench_local(|| {
        if let (Some(Body::Text(prose) | Body::Thinking(prose)), Some(word)) =
            (tui(&mut model).transcript.get_mut(id).map(Block::edit), words.next())
        {
            prose.push(word);
        }
        paint(&model, &mut cache)
    });
}

#[divan::bench(args = [10_000, 1_000_000])]
fn paragraph_token(bencher: Bencher<'_, '_>, bytes: usize) {
    grown(bencher, "", bytes, false);
}

#[divan::bench(args = [10_000, 1_000_000])]
fn code_line_token(bencher: Bencher<'_, '_>, bytes: usize) {
    grown(bencher, "```text\n", bytes, false);
}

#[divan::bench(args = [10_000, 1_000_000])]
fn thinking_token(bencher: Bencher<'_, '_>, bytes: usize) {
    grown(bencher, "", bytes, true);
}

#[divan::bench(args = [10_000, 1_000_000])]
fn table_token(bencher: Bencher<'_, '_>, bytes: usize) {
    grown(bencher, "| a | b |\n|---|---|\n| one | ", bytes, false);
}

/// A change of that many lines, each replaced by another.
fn rewritten(lines: usize) -> String {
    let text = |word: &str| {
        (0..lines)
            .map(|n| format!("    let {word} = value({n}); // as long as lines are\n"))
            .collect::<String>()
    };
    unified("src/p.rs", Some(&text("before")), Some(&text("after")))
}

fn with_diff(text: String) -> Model {
    let mut model = model(10);
    let Body::Tools(mut group) = body(2) else { unreachable!("the third body is an edit") };
    group.calls[0].display = Some(Display { text: Arc::from(text), format: Format::Diff, cut: false });
    tui(&mut model).transcript.push(Block::done(BlockId(1_000_000), Body::Tools(group), At::default()));
    model
}

/// The reader at the end of a diff of that many rows.
#[divan::bench(args = [10, 10_000, 100_000])]
fn diff_rows(bencher: Bencher<'_, '_>, rows: usize) {
    let (mut model, mut cache) = (with_diff(rewritten(rows / 2)), Cache::default());
    tui(&mut model).reader = Some(Reader { depth: Depth::Whole, ..Reader::default() });
    let _ = paint(&model, &mut cache);
    bencher.bench_local(|| paint(black_box(&model), &mut cache));
}

/// The first frame of the transcript that shows such a diff, and the reader's.
#[divan::bench(args = [10, 10_000, 100_000])]
fn diff_arrives(bencher: Bencher<'_, '_>, rows: usize) {
    let model = with_diff(rewritten(rows / 2));
    bencher.bench_local(|| paint(black_box(&model), &mut Cache::default()));
}

#[divan::bench(args = [10, 10_000, 100_000])]
fn diff_opens_in_the_reader(bencher: Bencher<'_, '_>, rows: usize) {
    let mut model = with_diff(rewritten(rows / 2));
    tui(&mut model).reader = Some(Reader { depth: Depth::Whole, ..Reader::default() });
    bencher.bench_local(|| paint(black_box(&model), &mut Cache::default()));
}

#[divan::bench(args = [500, 50_000])]
fn diff_of_a_file_rewritten(bencher: Bencher<'_, '_>, lines: usize) {
    bencher.bench(|| rewritten(black_box(lines)));
}

/// A pane with a diff of that many rows beside the conversation.
fn with_pane(model: &mut Model, body: &str) {
    let params = serde_json::json!({"title": "Changes", "sections": [
        {"kind": "list", "items": ["src/p.rs", "src/q.rs"]},
        {"kind": "diff", "title": "Patch", "body": body},
    ]});
    let Ask::Ui(UiAsk::Pane(Some(asked))) = Ask::read("ui.pane", &params) else { unreachable!("a pane") };
    let mut pane = Pane::open(ExtId(1), &Arc::from("review"), asked, true);
    pane.settle(&model.config.layout);
    pane.turn(true);
    tui(model).pane = Some(pane);
    lay(model);
}

fn lay(model: &mut Model) {
    let tui = tui(model);
    let (area, columns) = tui.pane_area();
    if let Some(pane) = &mut tui.pane {
        pane.lay(area, columns, 4);
    }
}

/// The cursor moves up and down in the middle of a diff, and a frame is drawn.
#[divan::bench(args = [10, 10_000])]
fn pane_cursor(bencher: Bencher<'_, '_>, rows: usize) {
    pane_cursor_in(bencher, rows);
}

/// The same where both diffs fill the rows: only what is out of view differs.
#[divan::bench(args = [100, 10_000])]
fn pane_cursor_in_a_full_section(bencher: Bencher<'_, '_>, rows: usize) {
    pane_cursor_in(bencher, rows);
}

fn pane_cursor_in(bencher: Bencher<'_, '_>, rows: usize) {
    let (mut model, mut cache) = (model(10), Cache::default());
    with_pane(&mut model, &short_rewritten(rows / 2));
    let mut down = false;
    bencher.bench_local(|| {
        down = !down;
        if let Some(section) = tui(&mut model).pane.as_mut().and_then(Pane::section_mut) {
            section.step(if down { Step::Down } else { Step::Up }, false);
        }
        lay(&mut model);
        paint(&model, &mut cache)
    });
}

/// A line of 256 KiB comes from an extension, is read, laid out and drawn.
#[divan::bench]
fn pane_of_256_kib_arrives(bencher: Bencher<'_, '_>) {
    let (mut model, mut cache) = (model(10), Cache::default());
    let body = rewritten(2_000);
    assert!(body.len() > 200 * 1024, "{}", body.len());
    bencher.bench_local(|| {
        with_pane(&mut model, black_box(&body));
        paint(&model, &mut cache)
    });
}

/// Rows so short that 10,000 of them fit into a pane.
fn short_rewritten(lines: usize) -> String {
    let text = |word: &str| (0..lines).map(|n| format!("{word} = {n};\n")).collect::<String>();
    unified("src/p.rs", Some(&text("aa")), Some(&text("bb")))
}

#[divan::bench]
fn paste_of_2_mb_sent(bencher: Bencher<'_, '_>) {
    let mut model = model(10);
    let text = Words::Raw(Arc::from("a line of a log file\n".repeat(100_000)));
    let body = Body::User { text, attachments: Vec::new() };
    tui(&mut model).transcript.push(Block::done(BlockId(1_000_000), body, At::default()));
    let mut cache = Cache::default();
    bencher.bench_local(|| history(&model, &mut cache, BlockId(1_000_000), 100).len());
}

#[divan::bench]
fn token_ingest(bencher: Bencher<'_, '_>) {
    let mut model = model(10);
    let id = BlockId(1_000_000);
    tui(&mut model).transcript.push(Block::open(id, Body::Text(Prose::open())));
    bencher.bench_local(|| {
        if let Some(Body::Text(prose)) = tui(&mut model).transcript.get_mut(id).map(Block::edit) {
            prose.push(black_box("and so on, "));
        }
    });
}

#[divan::bench]
fn markdown_of_200_kb(bencher: Bencher<'_, '_>) {
    let text = REPLY.repeat(200_000 / REPLY.len());
    bencher.bench(|| markdown::render(black_box(&text), Options::new(100), &Uncoloured));
}

#[divan::bench]
fn history_of_200_kb(bencher: Bencher<'_, '_>) {
    let mut model = model(0);
    let text = REPLY.repeat(200_000 / REPLY.len());
    let prose = Prose::whole(Arc::from(text));
    tui(&mut model).transcript.push(Block::done(BlockId(1), Body::Text(prose), At::default()));
    let mut cache = Cache::default();
    bencher.bench_local(|| {
        let rows = history(&model, &mut cache, BlockId(1), 100);
        rows.chunks(e::view::PIECE)
            .map(|piece| cells(&model, &mut cache, piece, 100).cells.area.height)
            .sum::<u16>()
    });
}

#[divan::bench]
fn highlight_1000_lines_of_rust(bencher: Bencher<'_, '_>) {
    let text: Arc<str> =
        Arc::from(include_str!("frame.rs").lines().cycle().take(1_000).collect::<Vec<_>>().join("\n"));
    let mut colourist = Colourist::default();
    bencher.bench_local(|| {
        colourist.colours(&Job {
            ticket: Ticket(1),
            language: Arc::from("rust"),
            text: text.clone(),
            from_line: 0,
        })
    });
}

#[divan::bench]
fn sanitise_200_kb(bencher: Bencher<'_, '_>) {
    let text = REPLY.repeat(200_000 / REPLY.len());
    bencher.bench(|| Clean::vanish(black_box(&text)));
}
