//! The properties of frames (architecture, V): the same model gives the same cells, warm or cold, each part stays in
//! its region, and every colour is a token's.

use std::sync::Arc;

use e::model::Model;
use e::model::config::theme::Theme;
use e::model::session::notice::Tone;
use e::model::term::{ColorDepth, Size};
use e::model::text::clean::Clean;
use e::model::text::row::Token;
use e::model::tool::Outcome;
use e::model::tui::block::{Body, Call, Prose, Words};
use e::model::tui::list::{Item, List, Order};
use e::model::tui::look::{self, Look};
use e::model::tui::modal::{Field, Modal, Owner};
use e::model::tui::picker::{Picker, PickerKind};
use e::model::tui::scroll::Scroll;
use e::model::tui::status::{Phase, Steer};
use e::model::tui::viewer::{Depth, Reader, Search};
use e::view::cache::Cache;
use e::view::{LEAST, paint};
use proptest::prelude::*;
use proptest::sample::select;
use ratatui::style::Color;

use super::scene::*;
use crate::text::nasty;

fn cases(count: u32) -> ProptestConfig {
    ProptestConfig { cases: count, failure_persistence: None, ..ProptestConfig::default() }
}

/// A part of a conversation, still to be given its ids.
#[derive(Debug, Clone)]
enum Part {
    User(String),
    Text(String, bool),
    Thinking(String),
    Notice(Tone, String),
    Error(String),
    Tool(&'static str, String, String, Option<Outcome>),
    Edit,
    Summary(String),
}

fn part() -> impl Strategy<Value = Part> {
    let markdown = prop_oneof![
        nasty::text(),
        Just("# Title\n\n- one\n- two\n\n```rs\nfn a() {}\n```\n".to_owned()),
        Just(
            "| a | b |\n|---|---|\n| 漢字 | `x` |\n\nand **more** words [here](https://a.example/b)"
                .to_owned()
        ),
    ];
    let outcome = select(vec![None, Some(Outcome::Completed), Some(Outcome::Failed), Some(Outcome::Blocked)]);
    prop_oneof![
        nasty::text().prop_map(Part::User),
        (markdown, any::<bool>()).prop_map(|(text, open)| Part::Text(text, open)),
        nasty::text().prop_map(Part::Thinking),
        (select(vec![Tone::Info, Tone::Warning, Tone::Error]), nasty::text())
            .prop_map(|(t, s)| Part::Notice(t, s)),
        nasty::text().prop_map(Part::Error),
        (select(vec!["read", "bash"]), nasty::text(), nasty::text(), outcome)
            .prop_map(|(n, t, o, s)| Part::Tool(n, t, o, s)),
        Just(Part::Edit),
        nasty::text().prop_map(Part::Summary),
    ]
}

fn add(model: &mut Model, part: &Part) {
    let words = |text: &str| Words::Raw(Arc::from(text));
    match part {
        Part::User(text) => push(model, user(text)),
        Part::Text(markdown, false) => push(model, text(markdown)),
        Part::Text(markdown, true) => push_open(model, streaming(markdown)),
        Part::Thinking(text) => push(model, Body::Thinking(Prose::whole(Arc::from(&**text)))),
        Part::Notice(tone, text) => push(model, notice(*tone, text)),
        Part::Error(text) => {
            push(model, Body::Error { headline: Clean::collapsed(text), detail: words(text) })
        }
        Part::Tool(name, target, output, outcome) => {
            let state = outcome.map_or(running(), ended);
            let mut one: Call = call(model, name, target, state);
            one.tail.push(output);
            one.content = words(output);
            push(model, tools(vec![one]))
        }
        Part::Edit => {
            let one = call(model, "edit", "a.rs", ended(Outcome::Completed));
            push(model, tools(vec![edited(one)]))
        }
        Part::Summary(text) => push(model, Body::Summary { text: words(text) }),
    };
}

/// What lies in front of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Front {
    Composer,
    Picker,
    Select,
    Confirm,
    Secret,
    Reader,
    Page,
    Search,
}

const FRONTS: [Front; 8] = [
    Front::Composer,
    Front::Picker,
    Front::Select,
    Front::Confirm,
    Front::Secret,
    Front::Reader,
    Front::Page,
    Front::Search,
];

fn open(model: &mut Model, front: Front, words: &str) {
    let item = |at: usize| Item { indent: at as u16 % 3, ..Item::new(words, words, format!("{at}")) };
    let list = || List::new((0..9).map(item).collect(), Order::Given);
    let ask = |model: &mut Model, modal: Modal| {
        tui(model).modals.ask(modal);
        tui(model).modals.settle(true);
    };
    match front {
        Front::Composer => {}
        Front::Picker => tui(model).picker = Some(Picker::new(PickerKind::Commands, list(), 0..0)),
        Front::Select => ask(model, Modal::select(Owner::Model, words, list())),
        Front::Confirm => ask(model, Modal::confirm(Owner::Quit, words, words)),
        Front::Secret => {
            let field = Field { draft: draft(words), secret: true, ..Field::default() };
            ask(model, Modal::input(Owner::LoginKey { provider: "p".into() }, words, field));
        }
        Front::Reader => tui(model).reader = Some(Reader { depth: Depth::Whole, ..Reader::default() }),
        Front::Page => tui(model).reader = Some(Reader::text(words, words)),
        Front::Search => {
            let search = Search { draft: draft(words), typing: true, missed: false, hit: None };
            tui(model).reader = Some(Reader { search: Some(search), ..Reader::default() });
        }
    }
}

#[derive(Debug, Clone)]
struct World {
    size: (u16, u16),
    parts: Vec<Part>,
    printed: usize,
    fullscreen: bool,
    running: bool,
    queue: usize,
    draft: String,
    front: Front,
    words: String,
    depth: ColorDepth,
}

fn sizes() -> impl Strategy<Value = (u16, u16)> {
    prop_oneof![(0u16..14, 0u16..9), (10u16..130, 3u16..50), Just((300, 1)), Just((46, 10)), Just((10, 2))]
}

fn world() -> impl Strategy<Value = World> {
    let depths = [ColorDepth::None, ColorDepth::Ansi16, ColorDepth::Ansi256, ColorDepth::True];
    let state = (
        any::<bool>(),
        any::<bool>(),
        0usize..7,
        nasty::text(),
        select(&FRONTS[..]),
        nasty::text(),
        select(depths.to_vec()),
    );
    (sizes(), prop::collection::vec(part(), 0..8), 0usize..4, state).prop_map(
        |(size, parts, printed, (fullscreen, running, queue, draft, front, words, depth))| World {
            size,
            parts,
            printed,
            fullscreen,
            running,
            queue,
            draft,
            front,
            words,
            depth,
        },
    )
}

impl World {
    fn model(&self) -> Model {
        let mut model = model(self.size.0, self.size.1);
        set_depth(&mut model, self.depth);
        self.parts.iter().for_each(|part| add(&mut model, part));
        if self.running {
            turn(&mut model, Phase::Thinking);
        }
        type_in(&mut model, &self.draft);
        let front = tui(&mut model);
        front.screen.fullscreen = self.fullscreen;
        for _ in 0..self.printed {
            let _ = front.transcript.print_next();
        }
        front.status.queue =
            vec![Steer { shown: Clean::collapsed(&self.words), ..Steer::default() }; self.queue];
        open(&mut model, self.front, &self.words);
        model
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn v1_the_same_model_gives_the_same_cells(world in world()) {
        prop_assert_eq!(frame(&world.model()), frame(&world.model()));
    }

    #[test]
    fn v2_a_warm_cache_gives_what_a_cold_one_does(world in world(), other in sizes(), more in part(), tiny: bool) {
        let mut cache = if tiny { Cache::with_limit(2_000) } else { Cache::default() };
        let mut model = world.model();
        let mut check = |model: &Model| {
            let warm = paint(model, &mut cache);
            prop_assert_eq!(warm, frame(model));
            Ok(())
        };
        check(&model)?;
        check(&model)?;
        tui(&mut model).screen.size = Size::new(other.0, other.1);
        check(&model)?;
        add(&mut model, &more);
        check(&model)?;
        if let Some(id) = tui(&mut model).transcript.blocks().first().map(|block| block.id()) {
            if let Body::Text(prose) = tui(&mut model).transcript.get_mut(id).unwrap().edit() {
                prose.push(" and more");
            }
            check(&model)?;
        }
        model.config.settings.show_thinking = true;
        check(&model)?;
        tui(&mut model).screen.size = Size::new(world.size.0, world.size.1);
        check(&model)?;
        model.config.theme = theme("light");
        check(&model)?;
    }

    #[test]
    fn v3_what_is_appended_never_moves_the_rows_at_an_anchor(
        parts in prop::collection::vec(part(), 1..8), more in prop::collection::vec(part(), 1..5), at: prop::sample::Index, row in 0usize..6,
    ) {
        let mut model = model(60, 20);
        parts.iter().for_each(|part| add(&mut model, part));
        // Enough below the anchor for a full viewport.
        push(&mut model, text(&"line\n\n".repeat(40)));
        let front = tui(&mut model);
        front.screen.fullscreen = true;
        front.transcript.scroll = Scroll::at(front.transcript.blocks()[at.index(parts.len())].id(), row);
        let before = frame(&model);
        more.iter().for_each(|part| add(&mut model, part));
        let after = frame(&model);
        let area = tui(&mut model).regions(0).transcript;
        for y in area.y..area.bottom() {
            for x in area.x..area.right() {
                prop_assert_eq!(&before.cells[(x, y)], &after.cells[(x, y)]);
            }
        }
    }

    #[test]
    fn v4_the_tail_shows_the_last_row(world in world(), more in part()) {
        let mut model = world.model();
        tui(&mut model).reader = None;
        for _ in 0..2 {
            push(&mut model, text("the-end"));
            let painted = frame(&model);
            let Size { cols, rows } = tui(&mut model).screen.size;
            if cols >= 12 && rows >= LEAST.rows && tui(&mut model).regions(1).transcript.height > 0 {
                prop_assert!(plain(&painted).contains("the-end"), "{}", plain(&painted));
            }
            add(&mut model, &more);
        }
    }

    /// Each part is given letters of its own; no letter may stand in another part's region.
    #[test]
    fn v6_no_part_leaves_its_region(size in sizes(), fullscreen: bool, lines in 0usize..40, long in 1usize..300, front in select(&FRONTS[..5])) {
        let mut model = model(size.0, size.1);
        for _ in 0..lines {
            push(&mut model, text(&"T".repeat(long)));
        }
        type_in(&mut model, &"C".repeat(long));
        turn(&mut model, Phase::Hook { name: Clean::from("AAAA") });
        model.config.layout.activity = Arc::from("AAAA");
        model.config.layout.left = vec![Arc::from("SSSS")];
        model.config.settings.words.interrupt_hint = Arc::from("AAA");
        tui(&mut model).screen.fullscreen = fullscreen;
        tui(&mut model).status.queue = vec![Steer { shown: Clean::from("QQQQQQ"), ..Steer::default() }; 6];
        open(&mut model, front, "PPPP PPPP");
        let painted = frame(&model);
        if size.0 < LEAST.cols || size.1 < LEAST.rows {
            return Ok(());
        }
        let look = Look { columns: size.0.into(), depth: Depth::Brief, settings: &model.config.settings, now: NOW, links: true };
        let live: usize = tui_of(&model).transcript.live().iter().map(|block| look::rows(block, look).len()).sum();
        let live = if fullscreen { 0 } else { live.min(size.1.into()) };
        let regions = tui_of(&model).regions(live as u16);
        prop_assert_eq!((painted.cells.area.width, painted.cells.area.height), (regions.screen.width, regions.screen.height));
        let modal = matches!(front, Front::Select | Front::Confirm | Front::Secret);
        let owners = [
            ('T', vec![regions.transcript]),
            ('A', vec![regions.activity]),
            ('Q', vec![regions.queue]),
            ('C', vec![regions.composer]),
            ('S', vec![regions.status]),
            ('P', vec![if modal { regions.composer } else { regions.footer }]),
        ];
        for y in 0..painted.cells.area.height {
            for x in 0..painted.cells.area.width {
                let symbol = painted.cells[(x, y)].symbol();
                for (letter, regions) in &owners {
                    let inside = regions.iter().any(|region| region.contains(x, y));
                    prop_assert!(inside || !symbol.starts_with(*letter), "{letter} at {x},{y}:\n{}", plain(&painted));
                }
            }
        }
    }

    #[test]
    fn v7_every_colour_is_a_tokens(world in world()) {
        // A theme in which every token has a colour of its own.
        let colours: Vec<String> =
            Token::ALL.iter().enumerate().map(|(at, token)| format!("\"{}\": \"#{:06x}\"", token.name(), 0x10_0000 + at)).collect();
        let file = format!("{{\"vars\": {{}}, \"colors\": {{{}}}}}", colours.join(","));
        let mut model = World { depth: ColorDepth::True, ..world.clone() }.model();
        model.config.theme = Theme::parse("t.json", "t", file.as_bytes()).0.unwrap();
        for cell in &frame(&model).cells.content {
            for colour in [cell.fg, cell.bg] {
                let known = match colour {
                    Color::Reset => true,
                    Color::Rgb(0x10, 0, at) => usize::from(at) < Token::ALL.len(),
                    _ => false,
                };
                prop_assert!(known, "{colour:?}");
            }
        }
        // And none where the theme names none.
        model.config.theme = Theme::default();
        for cell in &frame(&model).cells.content {
            prop_assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset));
        }
    }

    #[test]
    fn g11_no_cell_holds_a_control_character(world in world()) {
        for cell in &frame(&world.model()).cells.content {
            prop_assert!(!cell.symbol().chars().any(char::is_control), "{:?}", cell.symbol());
        }
    }

    #[test]
    fn l10_the_cursor_is_where_typing_goes(world in world()) {
        let mut model = world.model();
        let painted = frame(&model);
        let small = world.size.0 < LEAST.cols || world.size.1 < LEAST.rows;
        let live = painted.cells.area.height;
        let front = tui(&mut model);
        match painted.cursor {
            Some((column, row)) => {
                prop_assert!(column < painted.cells.area.width && row < painted.cells.area.height);
                if front.reader.is_none() && front.screen.fullscreen {
                    prop_assert!(front.regions(0).composer.contains(column, row), "{}", plain(&painted));
                }
                prop_assert!(live > 0);
            }
            None => prop_assert!(
                small || matches!(world.front, Front::Reader | Front::Page | Front::Confirm),
                "{}", plain(&painted)
            ),
        }
    }
}

/// Every surface at every tiny size (G17), and the state intact afterwards.
#[test]
fn g17_no_size_is_too_small_to_paint() {
    for front in FRONTS {
        for fullscreen in [false, true] {
            let mut model = session(80, 24);
            type_in(&mut model, "half a draft 漢字");
            tui(&mut model).screen.fullscreen = fullscreen;
            open(&mut model, front, "words 漢字");
            let before = frame(&model);
            let mut cache = Cache::default();
            let tiny = (0..16).flat_map(|cols| (0..10).map(move |rows| (cols, rows)));
            for (cols, rows) in tiny.chain([(46, 10), (300, 1), (300, 2), (1, 300)]) {
                tui(&mut model).screen.size = Size::new(cols, rows);
                let painted = paint(&model, &mut cache);
                assert!(painted.cells.area.width <= cols && painted.cells.area.height <= rows);
                if (cols < LEAST.cols || rows < LEAST.rows) && cols >= 9 && rows > 0 {
                    assert!(plain(&painted).starts_with("too small"), "{cols}x{rows}: {}", plain(&painted));
                }
            }
            tui(&mut model).screen.size = Size::new(80, 24);
            assert_eq!(paint(&model, &mut cache), before, "{front:?}");
        }
    }
}
