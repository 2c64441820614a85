//! Cases that users of other programs reported, as far as the front decides them.

use std::sync::Arc;

use e::model::effect::FilesFx;
use e::model::msg::FilesMsg;
use e::model::term::{Size, TermMsg};
use e::model::tui::Due;

use super::stage::Stage;

#[test]
fn g01_the_cursor_column_counts_double_width() {
    let mut stage = Stage::new(80, 24);
    stage.typed("가나다 xyz");
    assert_eq!(stage.cursor(), (0, 10));
    stage.keys("left left left left");
    assert_eq!(stage.cursor(), (0, 6));
    stage.keys("left");
    assert_eq!(stage.cursor(), (0, 4));
    stage.keys("home");
    assert_eq!(stage.cursor(), (0, 0));
}

#[test]
fn g04_multibyte_text_survives_every_edit_at_every_width() {
    for cols in [80, 7, 3, 1] {
        let mut stage = Stage::new(cols, 10);
        stage.typed("q\u{202F}r \u{2014} \u{201C}s\u{201D}");
        stage.keys("left left left left left backspace").typed("z").keys("delete ctrl+w up down");
        let draft = &stage.tui.composer.draft;
        assert!(draft.text().is_char_boundary(draft.cursor()));
        assert!(draft.text().ends_with("\u{201C}s\u{201D}"), "{:?}", draft.text());
    }
}

#[test]
fn g06_backspace_takes_the_last_mark_and_pictures_whole() {
    let mut stage = Stage::new(80, 24);
    let thai = "\u{0E1B}\u{0E39}\u{0E49}";
    stage.term(TermMsg::Text(thai.to_owned())).keys("backspace");
    assert_eq!(stage.draft(), "\u{0E1B}\u{0E39}");
    stage.keys("left");
    assert_eq!(stage.tui.composer.draft.cursor(), 0, "left goes over the whole cluster");
    stage.keys("ctrl+e ctrl+u");
    stage.term(TermMsg::Text("\u{1F1F3}\u{1F1F1}\u{1F44D}\u{1F3FD}".to_owned()));
    stage.keys("backspace");
    assert_eq!(stage.draft(), "\u{1F1F3}\u{1F1F1}");
    stage.keys("backspace");
    assert_eq!(stage.draft(), "");
}

#[test]
fn g07_a_paste_without_marks_breaks_lines_and_sends_nothing() {
    let mut stage = Stage::new(80, 24);
    for (n, word) in ["uno", "dos", "tres", "cuatro"].into_iter().enumerate() {
        if n > 0 {
            stage.term(TermMsg::Text("\n".to_owned()));
        }
        stage.typed(word);
    }
    assert_eq!((stage.draft(), stage.sent()), ("uno\ndos\ntres\ncuatro", None));
    stage.keys("enter");
    assert_eq!(stage.sent(), Some("uno\ndos\ntres\ncuatro"));
}

#[test]
fn g08_line_ends_of_a_paste_are_line_feeds() {
    let mut stage = Stage::new(80, 24);
    stage.paste("p\r\n\r\nq\r\nr").keys("enter");
    assert_eq!(stage.sent(), Some("p\n\nq\nr"));
}

#[test]
fn g09_collapsed_pastes_expand_where_they_stand() {
    let lines =
        |n: usize| (1..=n).map(|i| format!("{i}: {}", "x".repeat(120))).collect::<Vec<_>>().join("\n");
    let (first, second) = (lines(14), lines(9));
    let mut stage = Stage::new(80, 24);
    stage.typed("漢字 before ").paste(&first).keys("ctrl+j").typed(" after");
    stage.keys("up home").typed("START ").keys("down end").paste(&second);
    let whole = format!("START 漢字 before {first}\n after{second}");
    assert_eq!(stage.tui.composer.draft.body().expanded(), whole);
    // The first chip goes with one Backspace and comes back with its content.
    let end = stage.tui.composer.draft.marks()[0].end;
    stage.tui.composer.draft.go(end, false);
    stage.keys("backspace");
    assert_eq!(stage.tui.composer.draft.marks().len(), 1);
    stage.keys("ctrl+_ enter");
    assert_eq!(stage.sent(), Some(whole.as_str()));
}

#[test]
fn g10_a_paste_of_two_megabytes_is_one_marker_and_is_sent_whole() {
    let text: String = (0..40_000).map(|n| format!("{n:>49}\n")).collect();
    let mut stage = Stage::new(80, 24);
    stage.paste(&text);
    assert_eq!(stage.draft(), "[Pasted text #1, 2000000 chars]");
    stage.typed("!").keys("enter");
    assert_eq!(stage.sent().map(str::len), Some(format!("{text}!").trim().len()));
}

#[test]
fn control_characters_show_as_replacements_and_stay() {
    use e::model::tui::wrapped;
    let mut stage = Stage::new(80, 24);
    stage.paste("a\u{7}b\u{1b}[31mc\u{202E}d");
    let frame = stage.tui.frame();
    let draft = &stage.tui.composer.draft;
    let rows = wrapped::rows(draft, &wrapped::lines(draft, frame), frame);
    assert_eq!(rows[0].plain(), "a\u{FFFD}b\u{FFFD}[31mc\u{FFFD}d");
    stage.keys("enter");
    assert_eq!(stage.sent(), Some("a\u{7}b\u{1b}[31mc\u{202E}d"));
}

#[test]
fn g16_a_window_drag_keeps_draft_cursor_and_reading_position() {
    let mut stage = Stage::fullscreen(80, 24);
    for n in 0..60 {
        stage.fact(&super::stage::began(&format!("question {n}")));
    }
    stage.typed("half a draft").keys("left pageup");
    let (draft, scroll) = (stage.tui.composer.draft.clone(), stage.tui.transcript.scroll.clone());
    for n in 0..60u16 {
        stage.term(TermMsg::Resize(Size::new(60 + n, 24 + n % 7)));
    }
    stage.term(TermMsg::Resize(Size::new(80, 24)));
    assert_eq!(stage.tui.composer.draft, draft);
    let (e::model::tui::scroll::Scroll::At(before), e::model::tui::scroll::Scroll::At(after)) =
        (scroll, stage.tui.transcript.scroll.clone())
    else {
        panic!("follows")
    };
    assert_eq!((before.block, before.row), (after.block, after.row));
}

#[test]
fn g22_alt_gr_types_in_composer_search_and_question() {
    let signs = ["@", "{", "}", "[", "]", "\\", "|", "~", "€"];
    let press = |stage: &mut Stage| {
        for sign in signs {
            stage.term(TermMsg::Key(format!("ctrl+alt+{sign}").parse().unwrap()));
        }
    };
    let mut stage = Stage::new(80, 24);
    stage.typed("x");
    press(&mut stage);
    assert_eq!(stage.draft(), "x@{}[]\\|~€");
    stage.keys("ctrl+u ctrl+o /");
    press(&mut stage);
    let search = stage.tui.reader.as_ref().unwrap().search.as_ref().unwrap();
    assert_eq!(search.draft.text(), signs.concat());
    stage.keys("esc esc");
    stage.busy(true).ui(e::model::ask::UiAsk::Quit);
    press(&mut stage);
    assert!(stage.tui.modals.open().is_some() && stage.asks.is_empty(), "nothing is answered");
}

#[test]
fn g23_each_way_to_break_a_line_breaks_one() {
    for chord in ["shift+enter", "alt+enter", "ctrl+j"] {
        let mut stage = Stage::new(80, 24);
        stage.typed("ab").keys(chord).typed("ab");
        assert_eq!((stage.draft(), stage.sent()), ("ab\nab", None), "{chord}");
    }
}

#[test]
fn g26_a_cleared_draft_comes_back_by_undo_and_a_killed_one_is_offered() {
    let mut stage = Stage::new(80, 24);
    stage.typed("line").keys("ctrl+j").paste(&"a".repeat(2000)).paste(&"b".repeat(2000));
    let whole = stage.tui.composer.draft.body().clone();
    stage.keys("ctrl+c");
    assert!(stage.tui.composer.draft.is_empty());
    stage.keys("ctrl+_");
    assert_eq!(stage.tui.composer.draft.body(), &whole);
    stage.fire(Due::Disarm);
    stage.keys("ctrl+c ctrl+s");
    assert_eq!(stage.tui.composer.draft.body(), &whole, "and by the stash");
    stage.fire(Due::KeepDraft);
    let kept = stage.files_fx().filter_map(|fx| match fx {
        FilesFx::KeepDraft { draft, .. } => draft.clone(),
        _ => None,
    });
    let kept = kept.last().unwrap();
    assert_eq!(&*kept, whole.expanded());
    // The next start.
    let mut stage = Stage::new(80, 24);
    stage.effects.clear();
    stage.run(e::update::tui::start);
    let ticket = stage.files_fx().find_map(|fx| match fx {
        FilesFx::LoadDraft { ticket, .. } => Some(*ticket),
        _ => None,
    });
    stage.files(ticket.unwrap(), FilesMsg::Draft(Some(Arc::from(&*kept))));
    assert!(stage.tui.composer.draft.is_empty(), "it is not in the way of what is typed now");
    stage.keys("up");
    assert_eq!(stage.tui.composer.draft.body().expanded(), whole.expanded());
    assert!(stage.files_fx().any(|fx| matches!(fx, FilesFx::AppendHistory { .. })), "and it is kept on disk");
}
