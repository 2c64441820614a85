//! Frames on terminals: what is shown, what goes to the scrollback, how many bytes it takes, and what a resize leaves.

use super::emulator::{Terminal, Wrapping, cutting};
use super::pty::all_rows;
use super::written::foreign;
use e::effects::term::screen::{Frame, LinkSpan, Rows, Screen, ScreenMode};
use e::model::term::{Caps, ColorDepth, Multiplexer, Size};
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

#[derive(Clone, Debug, Default)]
struct Bytes(Rc<RefCell<Vec<u8>>>, Rc<RefCell<usize>>);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        *self.1.borrow_mut() += 1;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A screen and the terminal it writes to.
struct Rig<T> {
    screen: Screen<Bytes>,
    bytes: Bytes,
    terminal: T,
    cols: u16,
}

impl<T: Terminal> Rig<T> {
    fn new(terminal: T, caps: Caps, mode: ScreenMode, cols: u16, rows: u16) -> Rig<T> {
        let bytes = Bytes::default();
        let screen = Screen::new(bytes.clone(), caps, mode, Size::new(cols, rows));
        Rig { screen, bytes, terminal, cols }
    }

    /// What was written since last asked, which the terminal has then shown.
    fn shown(&mut self) -> Vec<u8> {
        let bytes = std::mem::take(&mut *self.bytes.0.borrow_mut());
        assert_eq!(foreign(&bytes), None);
        self.terminal.process(&bytes);
        bytes
    }

    fn draw(&mut self, history: &[String], live: &[String], cursor: Option<(u16, u16)>) -> Vec<u8> {
        let history = if history.is_empty() { vec![] } else { vec![rows(history, self.cols)] };
        self.draw_frame(&Frame { history, live: rows(live, self.cols), cursor })
    }

    fn draw_frame(&mut self, frame: &Frame) -> Vec<u8> {
        *self.bytes.1.borrow_mut() = 0;
        self.screen.draw(frame).unwrap();
        assert!(*self.bytes.1.borrow() <= 1, "a frame is one write");
        self.shown()
    }
}

fn inline(cols: u16, rows: u16) -> Rig<vt100::Parser> {
    Rig::new(cutting(cols, rows), Caps::default(), ScreenMode::Inline, cols, rows)
}

fn rows(lines: &[String], cols: u16) -> Rows {
    let mut buffer = Buffer::empty(Rect::new(0, 0, cols, u16::try_from(lines.len()).unwrap()));
    for (y, line) in lines.iter().enumerate() {
        buffer.set_string(0, u16::try_from(y).unwrap(), line, Style::new());
    }
    buffer.into()
}

fn lines(text: &[&str]) -> Vec<String> {
    text.iter().map(|line| line.to_string()).collect()
}

fn numbered(name: &str, count: usize) -> Vec<String> {
    (0..count).map(|n| format!("{name} {n}")).collect()
}

#[test]
fn finished_rows_go_to_the_scrollback_once_and_stay() {
    let mut rig = inline(40, 6);
    rig.terminal.process(b"$ e\r\n");
    let composer = lines(&["----", "> hello", "status"]);
    rig.draw(&[], &composer, Some((7, 1)));
    for turn in 0..10 {
        rig.draw(&numbered(&format!("turn {turn}"), 3), &composer, Some((7, 1)));
    }
    let mut wanted = lines(&["$ e"]);
    wanted.extend((0..10).flat_map(|turn| numbered(&format!("turn {turn}"), 3)));
    wanted.extend(composer);
    assert_eq!(rig.terminal.rows(), wanted);
    assert_eq!(rig.terminal.screen().cursor_position(), (4, 7));
    assert!(!rig.terminal.screen().hide_cursor());
}

#[test]
fn the_live_part_grows_and_shrinks() {
    let mut rig = inline(40, 8);
    rig.terminal.process(b"$ e\r\n");
    for height in [1, 5, 8, 2, 3, 8, 1] {
        let live = numbered("live", height);
        rig.draw(&[], &live, Some((2, u16::try_from(height - 1).unwrap())));
        let rows = rig.terminal.rows();
        assert_eq!(rows.first().map(String::as_str), Some("$ e"));
        assert_eq!(rows[1..], live[..]);
    }
    // A row that was live and is finished where it stands is not written again.
    rig.draw(&[], &lines(&["answer", "> "]), Some((2, 1)));
    let bytes = rig.draw(&lines(&["answer"]), &lines(&["> "]), Some((2, 0)));
    assert!(!String::from_utf8(bytes).unwrap().contains("answer"));
    assert_eq!(rig.terminal.rows(), ["$ e", "answer", ">"]);
}

#[test]
fn of_a_live_part_taller_than_the_screen_the_end_is_shown() {
    let mut rig = inline(40, 4);
    rig.draw(&lines(&["past"]), &numbered("live", 9), Some((1, 8)));
    assert_eq!(rig.terminal.rows(), ["past", "live 5", "live 6", "live 7", "live 8"]);
    assert_eq!(rig.terminal.screen().cursor_position(), (3, 1));
}

#[test]
fn many_finished_rows_at_once() {
    let mut rig = inline(40, 5);
    rig.draw(&[], &numbered("live", 5), Some((0, 4)));
    rig.draw(&numbered("past", 500), &numbered("live", 5), Some((0, 4)));
    let mut wanted = numbered("past", 500);
    wanted.extend(numbered("live", 5));
    assert_eq!(rig.terminal.rows(), wanted);
}

#[test]
fn finished_rows_of_a_wider_screen_are_broken_and_not_cut() {
    let mut rig = inline(40, 6);
    rig.draw(&[], &lines(&["> "]), Some((2, 0)));
    rig.screen.set_mode(ScreenMode::Alternate);
    rig.draw(&lines(&["0123456789 漢字 abcdefghij", "short"]), &lines(&["reader"]), None);
    rig.terminal.resize(13, 6);
    rig.screen.resize(Size::new(13, 6));
    rig.cols = 13;
    rig.screen.set_mode(ScreenMode::Inline);
    rig.draw(&[], &lines(&["> "]), Some((2, 0)));
    assert_eq!(rig.terminal.rows(), ["0123456789 漢", "字 abcdefghij", "short", ">"]);
}

#[test]
fn with_nothing_live_the_cursor_stands_below_the_finished_rows() {
    let mut rig = inline(40, 5);
    rig.draw(&numbered("past", 3), &[], None);
    assert_eq!(rig.terminal.screen().cursor_position(), (3, 0));
    assert!(rig.terminal.screen().hide_cursor());
    rig.draw(&numbered("more", 1), &lines(&["> "]), Some((2, 0)));
    assert_eq!(rig.terminal.rows(), ["past 0", "past 1", "past 2", "more 0", ">"]);
}

#[test]
fn g74_nothing_is_written_when_nothing_changed() {
    for mode in [ScreenMode::Inline, ScreenMode::Alternate] {
        let mut rig = Rig::new(cutting(80, 24), Caps::default(), mode, 80, 24);
        let live = lines(&["one", "two 漢字 \u{1f469}\u{200d}\u{1f680}", "three"]);
        assert!(!rig.draw(&[], &live, Some((3, 1))).is_empty());
        assert_eq!(rig.draw(&[], &live, Some((3, 1))), b"");
        assert_eq!(rig.draw(&[], &live, Some((3, 1))), b"");
    }
}

#[test]
fn g14_a_small_change_takes_few_bytes_and_never_clears() {
    for mode in [ScreenMode::Inline, ScreenMode::Alternate] {
        let mut rig = Rig::new(cutting(80, 24), Caps::default(), mode, 80, 24);
        let mut live: Vec<String> = (0..20).map(|n| format!("{n} {}", "x".repeat(70))).collect();
        rig.draw(&[], &live, Some((0, 19)));
        for n in 0..200 {
            live[n % 20].replace_range(40..41, &(n / 20).to_string());
            let bytes = rig.draw(&[], &live, Some((0, 19)));
            assert!(bytes.len() < 70, "{} bytes: {:?}", bytes.len(), String::from_utf8_lossy(&bytes));
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.starts_with("\x1b[?2026h") && text.ends_with("\x1b[?2026l"), "{text:?}");
            assert!(!text.contains("\x1b[2J") && !text.contains("\x1b[J"), "{text:?}");
        }
        assert_eq!(rig.terminal.screen().contents().lines().count(), 20);
    }
}

#[test]
fn g02_the_cursor_is_at_the_insertion_point_after_every_frame() {
    let mut rig = inline(80, 24);
    for n in 0..50 {
        let spinner = format!("{} working", ["|", "/", "-"][n % 3]);
        rig.draw(&[], &lines(&["reply ".repeat(n % 9).trim_end(), &spinner, "> ab", "status"]), Some((4, 2)));
        assert_eq!(rig.terminal.screen().cursor_position(), (2, 4));
        assert!(!rig.terminal.screen().hide_cursor());
    }
    rig.draw(&[], &lines(&["> ab"]), None);
    assert!(rig.terminal.screen().hide_cursor());
}

#[test]
fn g03_the_column_is_set_absolutely_behind_clusters_of_disputed_width() {
    let line = "A\u{1f469}\u{200d}\u{1f680}B\u{1f3f3}\u{fe0f}\u{200d}\u{1f308}C";
    let mut rig = inline(60, 5);
    let mut buffer = rows(&lines(&["row above", line, "row below"]), 60).cells;
    for y in 0..3 {
        buffer.set_string(30, y, "|", Style::new());
    }
    let text = String::from_utf8(rig.draw_frame(&Frame { live: buffer.into(), ..Frame::default() })).unwrap();
    // A(0) rocket(1,2) B(3) flag(4,5) C(6): each narrow one behind an emoji is placed by number.
    for placed in ["\x1b[4GB", "\x1b[7GC"] {
        assert!(text.contains(placed), "{placed:?} in {text:?}");
    }
    // The emulator counts these clusters its own way; the border stands where it should nonetheless.
    for row in 0..3 {
        assert_eq!(
            rig.terminal.screen().cell(row, 30).map(|cell| cell.contents().to_string()).as_deref(),
            Some("|")
        );
    }
}

#[test]
fn wide_characters_replace_and_are_replaced() {
    let mut rig = inline(20, 3);
    for text in ["漢字かな", "a漢字bc", "ab漢c", "abcdef", "漢", "a", "한a글b", "xx漢字"] {
        rig.draw(&[], &lines(&[text]), Some((0, 0)));
        assert_eq!(rig.terminal.rows(), [text]);
    }
    // A wide character never hangs over the edge.
    let mut rig = inline(4, 2);
    rig.draw(&[], &lines(&["abc漢"]), Some((0, 0)));
    assert_eq!(rig.terminal.rows(), ["abc"]);
}

#[test]
fn control_characters_in_a_cell_are_not_written() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 10, 1));
    for (x, symbol) in ["\x1b[31m", "\u{9b}", "\n", "a\x07"].iter().enumerate() {
        buffer[(u16::try_from(x).unwrap(), 0)].set_symbol(symbol);
    }
    let mut rig = inline(10, 2);
    let bytes = rig.draw_frame(&Frame { live: buffer.into(), ..Frame::default() });
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("\u{fffd}\u{fffd}\u{fffd}\u{fffd}"), "{text:?}");
}

#[test]
fn styles_in_every_colour_depth() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 1));
    buffer.set_string(0, 0, "rgb", Style::new().fg(Color::Rgb(1, 2, 3)).add_modifier(Modifier::BOLD));
    buffer.set_string(3, 0, "idx", Style::new().fg(Color::Indexed(200)).bg(Color::Indexed(17)));
    buffer.set_string(6, 0, "red", Style::new().fg(Color::Red).add_modifier(Modifier::UNDERLINED));
    buffer.set_string(9, 0, "lit", Style::new().bg(Color::LightBlue).add_modifier(Modifier::CROSSED_OUT));
    let drawn = |colors| {
        let caps = Caps { colors, synchronized: false, ..Caps::default() };
        let mut rig = Rig::new(cutting(20, 2), caps, ScreenMode::Inline, 20, 2);
        String::from_utf8(rig.draw_frame(&Frame { live: buffer.clone().into(), ..Frame::default() })).unwrap()
    };
    let all = drawn(ColorDepth::True);
    for code in
        ["\x1b[1;38;2;1;2;3mrgb", "\x1b[0;38;5;200;48;5;17midx", "\x1b[4;31;49mred", "\x1b[0;9;104mlit"]
    {
        assert!(all.contains(code), "{code:?} in {all:?}");
    }
    let some = drawn(ColorDepth::Ansi256);
    assert!(!some.contains(";2;1;2;3") && some.contains("38;5;200"), "{some:?}");
    let few = drawn(ColorDepth::Ansi16);
    assert!(!few.contains("38;") && !few.contains("48;") && few.contains("31"), "{few:?}");
    let none = drawn(ColorDepth::None);
    for code in ["\x1b[1mrgb", "\x1b[0midx", "\x1b[4mred", "\x1b[0;9mlit"] {
        assert!(none.contains(code), "{code:?} in {none:?}");
    }
}

#[test]
fn links_are_marked_where_they_are() {
    let mut frame = Frame { live: rows(&lines(&["see docs here"]), 20), ..Frame::default() };
    let url = "https://example.org/a b\u{7}é".to_owned();
    frame.live.links.push(LinkSpan { row: 0, cols: 4..8, url });
    let mut rig = inline(20, 2);
    let text = String::from_utf8(rig.draw_frame(&frame)).unwrap();
    let begin = text.find("\x1b]8;id=e").unwrap();
    let body = &text[begin..];
    assert!(body.contains(";https://example.org/a%20b%07%C3%A9\x1b\\docs\x1b]8;;\x1b\\"), "{text:?}");
    // The same link costs nothing, another one is written.
    assert_eq!(rig.draw_frame(&frame), b"");
    frame.live.links[0].url = "https://example.org/other".into();
    assert!(!rig.draw_frame(&frame).is_empty());
    let caps = Caps { hyperlinks: false, ..Caps::default() };
    let mut rig = Rig::new(cutting(20, 2), caps, ScreenMode::Inline, 20, 2);
    assert!(!String::from_utf8(rig.draw_frame(&frame)).unwrap().contains("\x1b]8"));
}

#[test]
fn titles_and_copies_cannot_break_out() {
    let mut rig = inline(20, 2);
    rig.screen.title("a\x1b\\\x07b\u{202e}c\nd\u{9c}").unwrap();
    assert_eq!(rig.shown(), "\x1b]2;a\\bc d\x1b\\".as_bytes());
    rig.screen.bell().unwrap();
    assert_eq!(rig.shown(), b"\x07");
    assert!(rig.screen.copy("é漢").unwrap());
    assert_eq!(rig.shown(), b"\x1b]52;c;w6nmvKI=\x1b\\");
    assert!(!rig.screen.copy(&"x".repeat(100_000)).unwrap());
    assert_eq!(rig.shown(), b"");
    for (multiplexer, wanted) in [
        (Multiplexer::Tmux, "\x1b]52;c;YQ==\x1b\\\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\"),
        (Multiplexer::Screen, "\x1bP\x1b]52;c;YQ==\x07\x1b\\"),
    ] {
        rig.screen.set_caps(Caps { multiplexer, ..Caps::default() });
        assert!(rig.screen.copy("a").unwrap());
        assert_eq!(rig.shown(), wanted.as_bytes());
    }
    assert!(rig.screen.copy(&"long ".repeat(100)).unwrap());
    assert!(rig.shown().split(|b| *b == 0x1b).all(|piece| piece.len() <= 80));
}

#[test]
fn g18_a_dumb_terminal_gets_plain_lines_only() {
    let caps = Caps { dumb: true, colors: ColorDepth::None, osc: false, ..Caps::default() };
    let mut rig = Rig::new(cutting(40, 5), caps, ScreenMode::Alternate, 40, 5);
    let bytes = rig.draw(&lines(&["first", "漢字"]), &lines(&["live"]), Some((0, 0)));
    assert_eq!(bytes, "first\r\n漢字\r\n".as_bytes());
    assert_eq!(rig.draw(&[], &lines(&["more live"]), Some((0, 0))), b"");
    rig.screen.title("t").unwrap();
    rig.screen.bell().unwrap();
    rig.screen.park().unwrap();
    rig.screen.finish().unwrap();
    assert!(!rig.screen.copy("t").unwrap());
    assert_eq!(rig.shown(), b"");
}

#[test]
fn the_alternate_screen_comes_and_goes_without_losing_or_repeating_a_line() {
    let mut rig = inline(40, 6);
    rig.terminal.process(b"$ e\r\n");
    let composer = lines(&["> draft", "status"]);
    rig.draw(&numbered("before", 6), &composer, Some((3, 0)));
    rig.screen.set_mouse(true);
    rig.screen.set_mode(ScreenMode::Alternate);
    let reader = numbered("reader", 6);
    rig.draw(&numbered("while", 4), &reader, None);
    assert!(rig.terminal.screen().alternate_screen());
    assert_eq!(rig.terminal.screen().contents().trim_end(), reader.join("\n"));
    assert_ne!(rig.terminal.screen().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    rig.draw(&numbered("later", 1), &numbered("page", 2), Some((0, 0)));
    assert_eq!(rig.terminal.screen().contents().trim_end(), "page 0\npage 1");
    rig.screen.set_mode(ScreenMode::Inline);
    rig.draw(&[], &composer, Some((3, 0)));
    assert!(!rig.terminal.screen().alternate_screen());
    assert_eq!(rig.terminal.screen().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    let mut wanted = lines(&["$ e"]);
    wanted.extend(numbered("before", 6));
    wanted.extend(numbered("while", 4));
    wanted.extend(numbered("later", 1));
    wanted.extend(composer);
    assert_eq!(rig.terminal.rows(), wanted);
}

#[test]
fn g27_the_mouse_is_captured_on_the_alternate_screen_only_and_only_when_wished() {
    let mut rig = inline(40, 6);
    rig.screen.set_mouse(true);
    rig.draw(&[], &lines(&["> "]), Some((2, 0)));
    assert_eq!(rig.terminal.screen().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    rig.screen.set_mouse(false);
    rig.screen.set_mode(ScreenMode::Alternate);
    let bytes = rig.draw(&[], &lines(&["x"]), None);
    assert!(!String::from_utf8(bytes).unwrap().contains("\x1b[?100"));
    rig.screen.set_mouse(true);
    rig.draw(&[], &lines(&["x"]), None);
    assert_eq!(rig.terminal.screen().mouse_protocol_encoding(), vt100::MouseProtocolEncoding::Sgr);
    rig.screen.set_mouse(false);
    rig.draw(&[], &lines(&["x"]), None);
    assert_eq!(rig.terminal.screen().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
}

#[test]
fn g20_parking_leaves_only_finished_rows_and_starts_anew_below() {
    for mode in [ScreenMode::Inline, ScreenMode::Alternate] {
        let mut rig = inline(40, 8);
        rig.terminal.process(b"$ e\r\n");
        rig.draw(&numbered("past", 2), &lines(&["---", "> draft", "status"]), Some((4, 1)));
        rig.screen.set_mode(mode);
        rig.draw(&[], &lines(&["---", "> draft", "status"]), Some((4, 1)));
        rig.screen.park().unwrap();
        rig.shown();
        assert!(!rig.terminal.screen().alternate_screen());
        assert_eq!(rig.terminal.rows(), ["$ e", "past 0", "past 1"]);
        rig.terminal.process(b"[1]+ Stopped\r\n$ fg\r\n");
        rig.draw(&[], &lines(&["---", "> draft", "status"]), Some((4, 1)));
        assert_eq!(rig.terminal.screen().alternate_screen(), mode == ScreenMode::Alternate);
        rig.screen.set_mode(ScreenMode::Inline);
        rig.draw(&[], &lines(&["---", "> draft", "status"]), Some((4, 1)));
        assert_eq!(
            rig.terminal.rows(),
            ["$ e", "past 0", "past 1", "[1]+ Stopped", "$ fg", "---", "> draft", "status"]
        );
    }
}

#[test]
fn the_end_leaves_the_last_rows_and_the_cursor_below_them() {
    let mut rig = inline(40, 6);
    rig.draw(&numbered("past", 2), &lines(&["bye", "status"]), None);
    rig.screen.finish().unwrap();
    rig.shown();
    rig.terminal.process(b"$ ");
    assert_eq!(rig.terminal.rows(), ["past 0", "past 1", "bye", "status", "$"]);
    assert!(!rig.terminal.screen().hide_cursor());
    let mut rig = inline(40, 6);
    rig.draw(&numbered("past", 2), &lines(&["> draft", "status"]), Some((1, 0)));
    rig.draw(&[], &[], None);
    rig.screen.finish().unwrap();
    rig.shown();
    rig.terminal.process(b"$ ");
    assert_eq!(rig.terminal.rows(), ["past 0", "past 1", "$"]);
}

#[test]
fn redrawing_repairs_what_another_program_wrote() {
    let mut rig = inline(40, 6);
    rig.draw(&numbered("past", 1), &lines(&["> draft", "status"]), Some((3, 0)));
    rig.terminal.process(b"\x1b7GARBAGE\x1b8");
    rig.screen.redraw();
    rig.draw(&[], &lines(&["> draft", "status"]), Some((3, 0)));
    assert_eq!(rig.terminal.rows(), ["past 0", "> draft", "status"]);
}

#[test]
fn g17_tiny_and_odd_sizes() {
    for mode in [ScreenMode::Inline, ScreenMode::Alternate] {
        let mut rig = Rig::new(cutting(80, 24), Caps::default(), mode, 80, 24);
        let live = lines(&["top é", "> 漢字 draft", "status"]);
        rig.draw(&[], &live, Some((5, 1)));
        for (cols, rows) in
            [(1, 1), (2, 2), (5, 3), (10, 2), (46, 10), (300, 1), (0, 0), (0, 5), (7, 0), (80, 24)]
        {
            rig.screen.resize(Size::new(cols, rows));
            if cols > 0 && rows > 0 {
                rig.terminal.resize(cols, rows);
            }
            rig.cols = cols;
            rig.draw(&[], &live, Some((5, 1)));
        }
        let shown = rig.terminal.screen().contents();
        assert!(shown.trim_end().ends_with(&live.join("\n")), "{shown:?}");
    }
    // Without any cell nothing is written, and nothing is lost.
    let mut rig = Rig::new(cutting(10, 3), Caps::default(), ScreenMode::Inline, 0, 0);
    rig.cols = 10;
    assert_eq!(rig.draw(&numbered("past", 5), &lines(&["> "]), None), b"");
    rig.screen.resize(Size::new(10, 3));
    rig.draw(&[], &lines(&["> "]), None);
    assert_eq!(rig.terminal.rows(), ["past 0", "past 1", "past 2", "past 3", "past 4", ">"]);
}

/// A live part as a view would draw it: a rule over the whole width, a draft, another rule, a status row.
fn frame(cols: u16, height: usize, tag: usize) -> Vec<String> {
    let cols = usize::from(cols);
    let mut live: Vec<String> =
        (0..height).map(|n| format!("{tag} live row {n} {}", "~".repeat(n * 7 % 40))).collect();
    live.push(format!("{:-<cols$}", "top "));
    live.push(format!("> draft {tag}"));
    live.push(format!("{:-<cols$}", "bottom "));
    live.push(format!("model{:>1$}", "12%", cols - 5));
    live
}

#[derive(Clone, Debug)]
enum Op {
    Finish(usize),
    Height(usize),
    Cols(u16),
    Tag(usize),
    Draw,
    Redraw,
    Away,
}

fn ops(with_sizes: bool) -> impl Strategy<Value = Vec<Op>> {
    let cols = if with_sizes { 60..=120u16 } else { 80..=80 };
    let op = prop_oneof![
        (1..5usize).prop_map(Op::Finish),
        (0..6usize).prop_map(Op::Height),
        cols.prop_map(Op::Cols),
        (0..3usize).prop_map(Op::Tag),
        Just(Op::Draw),
        Just(Op::Draw),
        Just(Op::Redraw),
        Just(Op::Away),
    ];
    prop::collection::vec(op, 1..40)
}

/// Plays operations on a terminal and checks every row of it after each frame.
fn play<T: Terminal>(
    terminal: T,
    caps: Caps,
    shell: usize,
    ops: &[Op],
    away: bool,
) -> Result<(), TestCaseError> {
    let (mut cols, rows) = (80, 24);
    let mut rig = Rig::new(terminal, caps, ScreenMode::Inline, cols, rows);
    let mut past = numbered("$ shell line", shell);
    rig.terminal.process(past.iter().map(|line| format!("{line}\r\n")).collect::<String>().as_bytes());
    let (mut height, mut tag, mut count) = (0, 0, 0);
    let mut finished: Vec<String> = Vec::new();
    for op in ops.iter().chain([&Op::Draw]) {
        match op {
            Op::Finish(n) => {
                finished.extend((count..count + n).map(|n| format!("finished row {n}")));
                count += n;
            }
            Op::Height(n) => height = *n,
            Op::Tag(n) => tag = *n,
            Op::Cols(n) => {
                cols = *n;
                rig.cols = cols;
                rig.terminal.resize(cols, rows);
                rig.screen.resize(Size::new(cols, rows));
            }
            Op::Redraw => rig.screen.redraw(),
            Op::Away if away => {
                rig.screen.set_mode(ScreenMode::Alternate);
                rig.draw(&[], &numbered("reader", 24), None);
                rig.screen.set_mode(ScreenMode::Inline);
            }
            Op::Away => {}
            Op::Draw => {
                let live = frame(cols, height, tag);
                let cursor = (9, u16::try_from(height + 1).unwrap());
                rig.draw(&finished, &live, Some(cursor));
                past.append(&mut finished);
                let mut wanted = past.clone();
                let first = wanted.len();
                wanted.extend(live.iter().map(|line| line.trim_end().to_owned()));
                prop_assert_eq!(rig.terminal.rows(), wanted);
                prop_assert_eq!(rig.terminal.cursor(), (first + usize::from(cursor.1), 9));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_frames_show_every_row_once(shell in 0..40usize, ops in ops(false)) {
        play(cutting(80, 24), Caps::default(), shell, &ops, true)?;
    }

    #[test]
    fn g16_no_row_is_lost_or_repeated_where_a_resize_cuts_rows(shell in 0..40usize, ops in ops(true)) {
        play(cutting(80, 24), Caps::default(), shell, &ops, false)?;
    }

    #[test]
    fn g16_no_row_is_lost_or_repeated_where_a_resize_wraps_rows(shell in 0..40usize, ops in ops(true)) {
        let caps = Caps { reflow: true, ..Caps::default() };
        play(Wrapping::new(80, 24), caps, shell, &ops, false)?;
    }

    #[test]
    fn g16_a_tall_live_part_leaves_no_copies_where_a_resize_wraps_rows(shell in 0..40usize, ops in ops(true)) {
        let caps = Caps { reflow: true, ..Caps::default() };
        let mut rig = Rig::new(Wrapping::new(80, 24), caps, ScreenMode::Inline, 80, 24);
        let mut past = numbered("$ shell line", shell);
        rig.terminal.process(past.iter().map(|line| format!("{line}\r\n")).collect::<String>().as_bytes());
        let (mut height, mut tag, mut count) = (0, 0, 0);
        for op in ops.iter().chain([&Op::Draw]) {
            let mut finished = Vec::new();
            match op {
                Op::Finish(n) => {
                    finished.extend((count..count + n).map(|n| format!("finished row {n}")));
                    count += n;
                }
                Op::Height(n) => height = n * 8,
                Op::Tag(n) => tag = *n,
                Op::Cols(n) => {
                    rig.cols = *n;
                    rig.terminal.resize(*n, 24);
                    rig.screen.resize(Size::new(*n, 24));
                    continue;
                }
                Op::Draw | Op::Redraw | Op::Away => {}
            }
            let live = frame(rig.cols, height, tag);
            let mut shown = rows(&live, rig.cols);
            shown.spare = u16::try_from(height).unwrap();
            let history = if finished.is_empty() { vec![] } else { vec![rows(&finished, rig.cols)] };
            let cursor = Some((9, u16::try_from(height + 1).unwrap()));
            rig.draw_frame(&Frame { history, live: shown, cursor });
            past.append(&mut finished);
            let all = rig.terminal.rows();
            prop_assert_eq!(&all[..past.len()], &past[..]);
            let kept = all.len() - past.len();
            prop_assert!(kept >= 4 && kept <= live.len(), "{} rows of {}", kept, live.len());
            let wanted: Vec<&str> = live[live.len() - kept..].iter().map(|line| line.trim_end()).collect();
            prop_assert_eq!(&all[past.len()..], &wanted[..]);
        }
    }

    #[test]
    fn any_cells_come_out_as_they_are(
        frames in prop::collection::vec(prop::collection::vec("[a-c 漢字é]{0,14}", 1..5), 1..8),
    ) {
        for mode in [ScreenMode::Inline, ScreenMode::Alternate] {
            let mut rig = Rig::new(cutting(12, 6), Caps::default(), mode, 12, 6);
            for frame in &frames {
                rig.draw(&[], frame, Some((0, 0)));
                let mut fresh = Rig::new(cutting(12, 6), Caps::default(), mode, 12, 6);
                fresh.draw(&[], frame, Some((0, 0)));
                prop_assert_eq!(all_rows(rig.terminal.screen()), all_rows(fresh.terminal.screen()));
            }
        }
    }
}

#[test]
fn g16_a_storm_of_sixty_resizes_ends_as_if_drawn_fresh() {
    let mut rig = inline(80, 24);
    let table = lines(&["| a | b |", "|---|---|", "| 1 | 2 |"]);
    rig.draw(&table, &frame(80, 4, 0), Some((9, 5)));
    for step in 0..60u16 {
        let cols = if step == 59 { 80 } else { 60 + step * 37 % 61 };
        rig.terminal.resize(cols, 24);
        rig.screen.resize(Size::new(cols, 24));
        rig.cols = cols;
        if step % 3 != 1 {
            rig.draw(&[], &frame(cols, 4, 0), Some((9, 5)));
        }
    }
    let mut fresh = inline(80, 24);
    fresh.draw(&table, &frame(80, 4, 0), Some((9, 5)));
    assert_eq!(rig.terminal.rows(), fresh.terminal.rows());
    assert_eq!(rig.terminal.cursor(), fresh.terminal.cursor());
}

#[test]
fn a_window_too_small_for_the_live_part_and_back() {
    let mut rig = inline(80, 24);
    let live = frame(80, 5, 0);
    for (rows, shown) in [(24, 9), (4, 4), (1, 1), (2, 2), (6, 6), (3, 3), (24, 9), (24, 9)] {
        rig.terminal.resize(80, rows);
        rig.screen.resize(Size::new(80, rows));
        rig.draw(&[], &live, Some((9, 6)));
        let wanted: Vec<&str> = live[live.len() - shown..].iter().map(|line| line.trim_end()).collect();
        let screen = rig.terminal.screen().contents();
        assert_eq!(screen.lines().map(str::trim_end).collect::<Vec<_>>(), wanted, "{rows} rows");
    }
}

#[test]
fn a_change_of_height_keeps_every_row() {
    let mut rig = inline(80, 24);
    rig.draw(&numbered("past", 40), &frame(80, 2, 0), Some((9, 3)));
    for rows in [20, 30, 10, 24, 12, 40, 24] {
        rig.terminal.resize(80, rows);
        rig.screen.resize(Size::new(80, rows));
        rig.draw(&[], &frame(80, 2, 0), Some((9, 3)));
        let mut wanted = numbered("past", 40);
        wanted.extend(frame(80, 2, 0).iter().map(|line| line.trim_end().to_owned()));
        assert_eq!(rig.terminal.rows(), wanted, "{rows} rows");
    }
}
