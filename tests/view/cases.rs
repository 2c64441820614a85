//! Real users' bugs (`cases.md`) against the cells of frames.

use e::model::text::clean::Clean;
use e::model::text::row::Token;
use e::model::tool::Outcome;
use e::model::tui::block::{Body, Words};
use e::model::tui::draft::Draft;
use e::model::tui::modal::{Field, Modal, Owner};
use e::model::tui::status::Phase;
use e::model::tui::viewer::{Reader, Search};
use e::view::Painted;
use ratatui::style::Color;

use super::scene::*;

fn column(painted: &Painted) -> u16 {
    painted.cursor.unwrap().0
}

fn left(draft: &mut Draft, times: usize) {
    for _ in 0..times {
        if let Some(to) = draft.unit_before(draft.cursor()).map(|unit| unit.start) {
            draft.go(to, false);
        }
    }
}

#[test]
fn g01_the_cursor_counts_columns_in_every_input() {
    let steps = |show: &dyn Fn(&Draft) -> u16| {
        let c = show(&draft(""));
        let mut draft = Draft::default();
        draft.insert(e::model::tui::draft::Fragment::text("가나다 xyz"), e::model::tui::draft::Group::Alone);
        let mut seen = vec![show(&draft) - c];
        for times in [4, 1] {
            left(&mut draft, times);
            seen.push(show(&draft) - c);
        }
        draft.go(0, false);
        seen.push(show(&draft) - c);
        seen
    };
    let composer = |draft: &Draft| {
        let mut model = model(80, 24);
        tui(&mut model).composer.draft = draft.clone();
        column(&frame(&model))
    };
    let question = |draft: &Draft| {
        let mut model = model(80, 24);
        let field = Field { draft: draft.clone(), ..Field::default() };
        tui(&mut model).modals.ask(Modal::input(Owner::Tree, "Name", field));
        tui(&mut model).modals.settle(true);
        column(&frame(&model))
    };
    let search = |draft: &Draft| {
        let mut model = model(80, 24);
        let search = Search { draft: draft.clone(), typing: true, missed: false, hit: None };
        tui(&mut model).reader = Some(Reader { search: Some(search), ..Reader::default() });
        column(&frame(&model))
    };
    for show in [&composer as &dyn Fn(&Draft) -> u16, &question, &search] {
        assert_eq!(steps(show), [10, 6, 4, 0]);
    }
}

#[test]
fn g02_the_cursor_stays_at_the_insertion_point_while_a_reply_streams() {
    let mut model = model(80, 24);
    type_in(&mut model, "ab");
    turn(&mut model, Phase::Thinking);
    let id = push_open(&mut model, streaming(""));
    for at in 0..60 {
        if let Body::Text(prose) = tui(&mut model).transcript.get_mut(id).unwrap().edit() {
            prose.push(&format!("word {at} \n\n"));
        }
        let painted = frame(&model);
        let (column, row) = painted.cursor.expect("visible");
        assert_eq!((column, row), (4, row_of(&painted, "› ab")));
    }
}

#[test]
fn g03_a_joined_emoji_takes_the_cells_it_is_counted_for() {
    let mut model = model(60, 20);
    push(&mut model, text("A\u{1F469}\u{200D}\u{1F680}B\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}C"));
    let painted = frame(&model);
    let y = row_of(&painted, "B");
    let symbols: Vec<&str> = (0..7).map(|x| painted.cells[(x, y)].symbol()).collect();
    assert_eq!(symbols, ["A", "👩\u{200D}🚀", " ", "B", "🏳\u{FE0F}\u{200D}🌈", " ", "C"]);
}

#[test]
fn g04_a_draft_with_wide_and_odd_characters_paints_at_any_width() {
    for cols in 1..40 {
        let mut model = model(cols, 24);
        type_in(&mut model, "q\u{202F}r — “s”");
        left(&mut tui(&mut model).composer.draft, 5);
        let painted = frame(&model);
        if cols >= 10 {
            assert!(painted.cursor.is_some());
        }
    }
}

#[test]
fn g05_tabs_go_to_their_stops_in_output_and_diffs() {
    let mut model = model(80, 24);
    tui(&mut model).screen.fullscreen = true;
    let mut read = call(&mut model, "bash", "cat a.py", ended(Outcome::Failed));
    read.content = Words::Raw("\tif a:\n\t\treturn\t# x\ntop\n".into());
    let mut edit = call(&mut model, "edit", "a.py", ended(Outcome::Completed));
    let diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n \tif a:\n-\t\treturn\t# x\n+\t\treturn\t# y\n";
    edit.display =
        Some(e::model::tool::Display { text: diff.into(), format: e::model::tool::Format::Diff, cut: false });
    push(&mut model, tools(vec![read, edit]));
    let shown = plain(&frame(&model));
    for row in [
        "│     if a:",
        "│         return  # x",
        "│ top",
        "      1       if a:",
        "      2 +         return  # y",
    ] {
        assert!(shown.lines().any(|line| line.starts_with(row)), "{row:?} is not in\n{shown}");
    }
}

const ATTACK: &str =
    "\u{1b}]0;owned\u{7}\u{1b}]52;c;b3duZWQ=\u{7}\u{1b}[2J\u{1b}[?1049l\u{1b}[3;1Hhi\u{8}\u{8}\u{9b}K";

#[test]
fn g11_sequences_in_output_prose_and_code_leave_no_bytes() {
    let mut model = model(80, 40);
    tui(&mut model).screen.fullscreen = true;
    let mut bash = call(&mut model, "bash", ATTACK, running());
    bash.tail.push(ATTACK);
    let mut ended = call(&mut model, "bash", ATTACK, ended(Outcome::Failed));
    ended.content = Words::Raw(ATTACK.into());
    push(&mut model, tools(vec![ended, bash]));
    push(
        &mut model,
        text(&format!("{ATTACK}\n\n```\n{ATTACK}\n```\n\n`{ATTACK}` [{ATTACK}](https://a.b/{ATTACK})")),
    );
    push(&mut model, user(ATTACK));
    let shown = plain(&frame(&model));
    assert!(!shown.contains("owned"), "{shown}");
    assert!(shown.contains("hi<U+0008><U+0008>"), "the output shows that something was there:\n{shown}");
    // In the draft every character stays and is seen.
    type_in(&mut model, ATTACK);
    let painted = frame(&model);
    assert!(plain(&painted).contains("\u{FFFD}]0;owned\u{FFFD}"));
    for cell in &painted.cells.content {
        assert!(!cell.symbol().chars().any(char::is_control));
    }
    for link in &painted.links {
        assert!(!link.target.chars().any(char::is_control));
    }
}

#[test]
fn g12_odd_file_names_stay_on_one_row_with_visible_escapes() {
    let mut model = model(80, 24);
    let mut names = Vec::new();
    for name in ["a\u{1b}[41m\u{1b}]0;t\u{7}b.txt", "c\nd.txt", "e\u{202E}f"] {
        let mut read = call(&mut model, "read", "", ended(Outcome::Completed));
        read.label.target = Some("path".into());
        let named =
            e::model::tui::block::Call::new(read.id, read.name.clone(), read.label.clone(), Some(name));
        read.target = named.target;
        names.push(read);
    }
    push(&mut model, tools(names));
    let shown = plain(&frame(&model));
    for seen in ["Read ab.txt", "Read c<U+000A>d.txt", "Read e<U+202E>f"] {
        assert!(shown.contains(seen), "{seen:?} is not in\n{shown}");
    }
}

#[test]
fn g13_direction_overrides_are_visible_where_people_review() {
    let mut model = model(100, 30);
    tui(&mut model).screen.fullscreen = true;
    let mut bash = call(&mut model, "bash", "mv notes \u{202E}txt.wen\u{202C} ./out", ended(Outcome::Failed));
    bash.content = Words::Raw("out \u{2066}x\u{200B}\nשלום עולם\nمرحبا".into());
    let mut edit = call(&mut model, "edit", "a", ended(Outcome::Completed));
    let diff = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\u{2066}\u{200B}\n";
    edit.display =
        Some(e::model::tool::Display { text: diff.into(), format: e::model::tool::Format::Diff, cut: false });
    push(&mut model, tools(vec![bash, edit]));
    let painted = frame(&model);
    let shown = plain(&painted);
    for seen in [
        "mv notes <U+202E>txt.wen<U+202C> ./out",
        "out <U+2066>x<U+200B>",
        "+ b<U+2066><U+200B>",
        "שלום עולם",
        "مرحبا",
    ] {
        assert!(shown.contains(seen), "{seen:?} is not in\n{shown}");
    }
    let y = row_of(&painted, "out <U+2066>");
    let x = (0..100).find(|x| painted.cells[(*x, y)].symbol() == "<").unwrap();
    let warning = model.config.theme.colour(Token::Warning).map(|colour| colour.rgb());
    let Color::Rgb(r, g, b) = painted.cells[(x, y)].fg else { panic!() };
    assert_eq!(Some((r, g, b)), warning);
}

#[test]
fn g35_rows_of_a_growing_reply_never_move_up_and_no_half_fence_shows() {
    let code: String = (0..30).map(|at| format!("let x{at} = {at};\n")).collect();
    let reply = format!(
        "A paragraph of words that is long enough to wrap around at sixty columns, surely.\n\n```rust\n{code}```\n\nDone."
    );
    let mut model = model(60, 60);
    let id = push_open(&mut model, streaming(""));
    let mut before: Vec<String> = Vec::new();
    for (_, c) in reply.char_indices() {
        if let Body::Text(prose) = tui(&mut model).transcript.get_mut(id).unwrap().edit() {
            prose.push(&c.to_string());
        }
        let painted = frame(&model);
        let shown = plain(&painted);
        assert!(!shown.contains('`') && !shown.contains("rust"), "{shown}");
        let mut rows: Vec<String> =
            shown.lines().take_while(|line| !line.starts_with('─')).map(str::to_owned).collect();
        assert_eq!(rows.pop().as_deref(), Some(""), "a blank row stands above the composer");
        let finished = before.len().saturating_sub(1);
        assert!(rows.len() >= finished, "a row moved up:\n{shown}");
        assert_eq!(rows[..finished], before[..finished]);
        before = rows;
    }
    assert!(before.iter().any(|row| row == "  let x29 = 29;") && before.last().unwrap() == "Done.");
}

#[test]
fn g36_wide_tables_line_up_and_their_links_stay_whole() {
    let link = format!("https://example.org/{}", "a".repeat(100));
    let prose = "many words ".repeat(14);
    let table = format!(
        "| id | name | text | link |\n|---|---|---|---|\n| 1 | 漢字 | {prose} | [text]({link}) |\n| 2 | 名前 | short | [other]({link}2) |\n\nAfter the table words wrap as always, at the width of the window and not of the table.\n"
    );
    let mut model = model(60, 60);
    push(&mut model, text(&table));
    let painted = frame(&model);
    let y = row_of(&painted, "漢字");
    let at = |y: u16| -> Vec<u16> {
        (0..60).filter(|x| matches!(painted.cells[(*x, y)].symbol(), "│" | "┼")).collect()
    };
    let borders = at(y);
    assert_eq!(borders.len(), 3, "{}", plain(&painted));
    for other in [y - 1, y + 1, y + 2] {
        assert_eq!(at(other), borders, "{}", plain(&painted));
    }
    assert!(painted.links.iter().any(|found| *found.target == *link));
    let many: Vec<String> = (0..14).map(|at| format!("column{at}")).collect();
    let wide = format!("|{}|\n|{}\n|{}|\n", many.join("|"), "---|".repeat(14), many.join("|"));
    let id = push(&mut model, text(&wide));
    let painted = frame(&model);
    assert!(plain(&painted).contains("column13"), "records instead of columns: {id:?}\n{}", plain(&painted));
}

#[test]
fn g73_states_and_changes_can_be_told_apart_without_colour() {
    let mut model = session(100, 50);
    set_depth(&mut model, e::model::term::ColorDepth::None);
    let shown = plain(&frame(&model));
    for seen in ["42 -", "42 +", "✓ Edited", "✗ ", "● Running", "! The context"] {
        assert!(shown.contains(seen), "{seen:?} is not in\n{shown}");
    }
}

#[test]
fn a_secret_is_never_painted() {
    let mut model = model(80, 24);
    let field = Field { draft: draft("sk-secret"), secret: true, ..Field::default() };
    let modal =
        Modal::input(Owner::LoginKey { provider: "x".into() }, "Key", field).saying([Clean::from("m")]);
    tui(&mut model).modals.ask(modal);
    tui(&mut model).modals.settle(true);
    let shown = plain(&frame(&model));
    assert!(!shown.contains("secret") && shown.contains("•••••••••"), "{shown}");
}

#[test]
fn a_found_word_of_the_reader_gets_its_ground() {
    let mut model = model(80, 24);
    push(&mut model, text("One needle, two NEEDLES and 漢needle字."));
    let search = Search { draft: draft("needle"), typing: false, missed: false, hit: None };
    tui(&mut model).reader = Some(Reader { search: Some(search), ..Reader::default() });
    let painted = frame(&model);
    let ground = model.config.theme.colour(Token::SearchMatchBg).map(|colour| colour.rgb());
    let marked: String = painted
        .cells
        .content
        .iter()
        .filter(|cell| matches!(cell.bg, Color::Rgb(r, g, b) if Some((r, g, b)) == ground))
        .map(|cell| cell.symbol())
        .collect();
    assert_eq!(marked, "needleNEEDLEneedle");
}

/// Colours that were on their way when a reply was cut in two are asked for again, on whichever side their code is now.
#[test]
fn colours_survive_the_cut_of_a_growing_reply() {
    use e::model::tui::block::Prose;
    let colour = |from: usize, to: usize| vec![vec![(0..3, Token::SyntaxKeyword)]; to - from];
    let mut prose = Prose::open();
    prose.push("Words.\n\n```rust\nlet a;\nlet b;\n");
    let index = prose.codes.wanting().unwrap();
    prose.codes.all[index].asked = 2;
    // The first answer is about one line only; it came while the second was asked for.
    prose.codes.coloured(index, 0, colour(0, 1));
    assert_eq!(prose.codes.wanting(), Some(0));
    prose.codes.all[0].asked = 2;
    let mut rest = prose.split("Words.\n\n".len());
    assert_eq!(rest.codes.all[0].lines.len(), 1, "what had come is kept");
    assert_eq!(rest.codes.wanting(), Some(0), "what was on its way to the other block is asked for again");
    rest.codes.all[0].asked = 2;
    // A late answer of before changes nothing.
    rest.codes.coloured(0, 0, colour(0, 2));
    assert_eq!(rest.codes.all[0].lines.len(), 1);
    rest.codes.coloured(0, 1, colour(1, 2));
    assert_eq!((rest.codes.all[0].lines.len(), rest.codes.awaiting()), (2, false));
    // Now the code is done and stands in the first of two parts.
    rest.push("```\n\nMore words.");
    let tail = rest.split(rest.text().as_str().find("More").unwrap());
    assert_eq!(rest.codes.all[0].lines.len(), 2);
    assert_eq!((rest.codes.wanting(), tail.codes.wanting()), (None, None));
    // No colours at all end the asking.
    let mut other = Prose::open();
    other.push("```x\na\nb\n");
    other.codes.all[0].asked = 2;
    other.codes.coloured(0, 0, Vec::new());
    assert_eq!((other.codes.all[0].lines.len(), other.codes.wanting()), (2, None));
}
