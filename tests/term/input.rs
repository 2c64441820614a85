//! The terminal's bytes read into messages: tables of real sequences, cut, late and hostile ones.

use e::effects::term::input::{Batch, Input, Reply, Wait};
use e::model::config::chord::Mods;
use e::model::term::{Mouse, MouseButton, MouseKind, Rgb, Scheme, TermMsg};
use proptest::prelude::*;
use std::time::Duration;

fn key(name: &str) -> TermMsg {
    TermMsg::Key(name.parse().unwrap_or_else(|error| panic!("{name:?}: {error}")))
}

/// The keys of space-separated names.
fn keys(names: &str) -> Vec<TermMsg> {
    names.split_whitespace().map(key).collect()
}

fn read(bytes: impl AsRef<[u8]>) -> Vec<TermMsg> {
    Input::default().feed(bytes.as_ref()).msgs
}

/// Reads several reads one after the other and flushes at the end.
fn reads(pieces: &[&str]) -> Vec<TermMsg> {
    let mut input = Input::default();
    let mut msgs: Vec<TermMsg> = pieces.iter().flat_map(|piece| input.feed(piece.as_bytes()).msgs).collect();
    msgs.extend(input.flush().msgs);
    msgs
}

#[test]
fn keys_of_every_known_encoding() {
    let table = [
        ("a", "a"),
        ("A", "shift+a"),
        ("é", "é"),
        ("漢", "漢"),
        (" ", "space"),
        ("\r", "enter"),
        ("\n", "ctrl+j"),
        ("\t", "tab"),
        ("\x7f", "backspace"),
        ("\x08", "ctrl+h"),
        ("\x01", "ctrl+a"),
        ("\x1a", "ctrl+z"),
        ("\0", "ctrl+space"),
        ("\x1f", "ctrl+_"),
        ("\x1c", "ctrl+\\"),
        ("\x1b[A", "up"),
        ("\x1bOA", "up"),
        ("\x1b[1;5C", "ctrl+right"),
        ("\x1b[1;2D", "shift+left"),
        ("\x1b[1;4H", "alt+shift+home"),
        ("\x1b[F", "end"),
        ("\x1b[3~", "delete"),
        ("\x1b[3;5~", "ctrl+delete"),
        ("\x1b[2~", "insert"),
        ("\x1b[5~", "pageup"),
        ("\x1b[6~", "pagedown"),
        ("\x1b[1~", "home"),
        ("\x1b[8~", "end"),
        ("\x1bOP", "f1"),
        ("\x1b[11~", "f1"),
        ("\x1b[[A", "f1"),
        ("\x1b[15~", "f5"),
        ("\x1b[17~", "f6"),
        ("\x1b[24;2~", "shift+f12"),
        ("\x1b[13~", "f3"),
        ("\x1b[1;5R", "ctrl+f3"),
        ("\x1b[Z", "shift+tab"),
        ("\x1b[9;2u", "shift+tab"),
        ("\x1ba", "alt+a"),
        ("\x1bA", "alt+shift+a"),
        ("\x1bé", "alt+é"),
        ("\x1b\x7f", "alt+backspace"),
        ("\x1b^", "alt+^"),
        ("\x1bX", "alt+shift+x"),
        ("\x1b\x01", "ctrl+alt+a"),
        ("\x1b\x1b[A", "alt+up"),
        ("\x1b[5^", "ctrl+pageup"),
        ("\x1b[a", "shift+up"),
        ("\x1bOa", "ctrl+up"),
        ("\x1bOM", "enter"),
        ("\x1bOp", "0"),
        ("\x1b[27u", "esc"),
        ("\x1b[97;5u", "ctrl+a"),
        ("\x1b[112:80;6u", "ctrl+shift+p"),
        ("\x1b[112;6u", "ctrl+shift+p"),
        ("\x1b[45:95;6u", "ctrl+_"),
        ("\x1b[45;6u", "ctrl+_"),
        ("\x1b[127;3u", "alt+backspace"),
        ("\x1b[57414u", "enter"),
        ("\x1b[57400u", "1"),
        ("\x1b[57419;5u", "ctrl+up"),
        ("\x1b[1089::99;5u", "ctrl+c"),
        ("\x1b[97;69u", "ctrl+a"),
        ("\x1b[97;2;65u", "shift+a"),
        ("\x1b[27;5;9~", "ctrl+tab"),
        ("\x1b[27;6;80~", "ctrl+shift+p"),
        ("\x1b[27;5;46~", "ctrl+."),
        ("\x1b[32;2u", "shift+space"),
    ];
    for (bytes, name) in table {
        assert_eq!(read(bytes), vec![key(name)], "{bytes:?}");
        let mut around = keys("x");
        around.extend(keys(name));
        around.extend(keys("y"));
        if !bytes.starts_with('\r') {
            assert_eq!(read(format!("x{bytes}y")), around, "{bytes:?} between letters");
        }
    }
}

#[test]
fn the_erase_character_of_the_terminal_is_backspace() {
    assert_eq!(Input::new(true).feed(b"\x08").msgs, keys("backspace"));
}

#[test]
fn keys_without_a_name_type_nothing() {
    for bytes in [
        "\x1b[57358u", // caps lock
        "\x1b[57441u", // left shift
        "\x1b[57428u", // media play
        "\x1b[97;9u",  // super+a
        "\x1b[1;9A",   // super+up
        "\x1b[57376u", // F13
        "\x1b[25~",
        "\x1b[E",
        "\x1b[99~",
        "\x1b[12;40R", // a cursor report nobody asked for
        "\x1b[?1;2$y",
        "\x1b[M !!",
        "\x1b]4;1;rgb:00/00/00\x07",
        "\x1bP1$r0m\x1b\\",
    ] {
        assert_eq!(read(bytes), vec![], "{bytes:?}");
        assert_eq!(read(format!("{bytes}x")), keys("x"), "{bytes:?}");
    }
}

#[test]
fn g22_alt_gr_characters_are_text() {
    for c in "@{}[]\\|~€".chars() {
        for bytes in [format!("\x1b[{};7u", u32::from(c)), format!("\x1b[113;7;{}u", u32::from(c))] {
            assert_eq!(read(&bytes), vec![key(&c.to_string())], "{bytes:?}");
        }
    }
    assert_eq!(read("\x1b[103;7u"), keys("ctrl+alt+g"));
    assert_eq!(read("\x1b[55;7u"), keys("ctrl+alt+7"));
}

#[test]
fn g23_every_form_of_shift_enter_breaks_the_line() {
    for bytes in ["\x1b[13;2u", "\x1b[13;2:1u", "\x1b[13;2;10u", "\x1b[27;2;13~"] {
        assert_eq!(read(bytes), keys("shift+enter"), "{bytes:?}");
        assert_eq!(read(format!("ab{bytes}ab")), keys("a b shift+enter a b"), "{bytes:?}");
    }
    assert_eq!(read("ab\x1b\rab"), keys("a b alt+enter a b"));
    assert_eq!(read("ab\nab"), keys("a b ctrl+j a b"));
    assert_eq!(read("\x1b[13;2:3u"), vec![]);
    assert_eq!(read("\r"), keys("enter"));
}

#[test]
fn g24_releases_are_dropped_and_repeats_count() {
    assert_eq!(
        read("\x1b[104;1:1u\x1b[104;1:3u\x1b[105;1:1u\x1b[105;1:2u\x1b[105;1:2u\x1b[105;1:3u"),
        keys("h i i i")
    );
    assert_eq!(read("\x1b[27;1:1u\x1b[27;1:3u"), keys("esc"));
    assert_eq!(read("\x1b[1;1:1A\x1b[1;1:3A\x1b[3;1:3~"), keys("up"));
}

#[test]
fn text_of_an_input_method_is_one_piece() {
    assert_eq!(read("\x1b[0;;28450:23383u"), vec![TermMsg::Text("漢字".into())]);
    assert_eq!(read("\x1b[0;;233u"), keys("é"));
}

#[test]
fn g07_a_paste_without_marks_breaks_lines_and_sends_nothing() {
    let mut wanted = keys("u n o");
    for line in ["d o s", "t r e s", "c u a t r o"] {
        wanted.push(TermMsg::Text("\n".into()));
        wanted.extend(keys(line));
    }
    let mut input = Input::default();
    assert_eq!(input.feed(b"uno\rdos\rtres\rcuatro").msgs, wanted);
    assert_eq!(input.feed(b"\r").msgs, keys("enter"));
    // Whole lines end with a break: the last one sends no more than the others.
    let last = Input::default().feed(b"uno\rdos\r").msgs;
    assert_eq!(last.last(), Some(&TermMsg::Text("\n".into())));
    assert!(!last.contains(&key("enter")));
    // A single line that ends with it sends; CR LF is one break.
    assert_eq!(read("a\r"), keys("a enter"));
    assert_eq!(read("a\r\nb"), vec![key("a"), TermMsg::Text("\n".into()), key("b")]);
    assert_eq!(read("a\r\x1b"), vec![key("a"), TermMsg::Text("\n".into())]);
}

#[test]
fn an_answer_behind_a_carriage_return_is_no_paste() {
    let mut input = Input::default();
    let batch = input.feed(b"\r\x1b]11;rgb:0000/0000/0000\x07\x1b[?62;4c");
    assert_eq!(batch.msgs, vec![key("enter"), TermMsg::Background(Rgb(0, 0, 0))]);
    assert_eq!(batch.replies, vec![Reply::Attributes]);
}

#[test]
fn g08_a_marked_paste_has_line_feeds_only() {
    assert_eq!(read("\x1b[200~p\r\n\r\nq\r\nr\x1b[201~"), vec![TermMsg::Paste("p\n\nq\nr".into())]);
    assert_eq!(
        read("a\x1b[200~x\ry\n\x07\x1b[31mz\x1b[201~\r"),
        vec![key("a"), TermMsg::Paste("x\ny\n\x07\x1b[31mz".into()), key("enter")]
    );
    assert_eq!(read("\x1b[200~\x1b[201~"), vec![TermMsg::Paste(String::new())]);
    assert_eq!(read("\x1b[200~\x1b[20\x1b[201~"), vec![TermMsg::Paste("\x1b[20".into())]);
    assert_eq!(read(b"\x1b[200~\xff\x1b[201~"), vec![TermMsg::Paste("\u{fffd}".into())]);
}

#[test]
fn g10_a_huge_paste_is_one_message() {
    let line = "a line of forty-nine characters of ordinary text\r";
    let text = line.repeat(2 << 20 >> 5);
    let mut input = Input::default();
    let mut msgs = input.feed(b"\x1b[200~").msgs;
    for piece in text.as_bytes().chunks(4095) {
        msgs.extend(input.feed(piece).msgs);
    }
    msgs.extend(input.feed(b"\x1b[201~").msgs);
    assert!(matches!(&msgs[..], [TermMsg::Paste(paste)] if *paste == text.replace('\r', "\n")));
}

#[test]
fn a_paste_whose_end_is_lost_neither_vanishes_nor_locks_the_keyboard() {
    let mut input = Input::default();
    assert_eq!(input.feed(b"\x1b[200~caf\xc3").msgs, vec![]);
    assert_eq!(input.pending(), Some(Wait::Paste));
    assert_eq!(input.flush().msgs, vec![TermMsg::Paste("caf".into())]);
    assert_eq!(input.pending(), None);
    assert_eq!(input.feed(b"\xa9 au lait").msgs, vec![]);
    assert_eq!(input.flush().msgs, vec![TermMsg::Paste("\u{e9} au lait".into())]);
    assert_eq!(input.feed(b"\x03").msgs, keys("ctrl+c"));
    assert_eq!(input.feed(b"x").msgs, keys("x"));
}

#[test]
fn g25_an_escape_waits_for_its_rest() {
    assert_eq!(reads(&["\x1b", "\r"]), keys("alt+enter"));
    assert_eq!(reads(&["\x1b", "[A"]), keys("up"));
    assert_eq!(reads(&["\x1b", "[", "1;5", "A"]), keys("ctrl+up"));
    assert_eq!(reads(&["\x1b"]), keys("esc"));
    assert_eq!(reads(&["\x1b\x1b"]), keys("esc esc"));
    assert_eq!(reads(&["\x1b["]), keys("alt+["));
    assert_eq!(reads(&["\x1bO"]), keys("alt+shift+o"));
    assert_eq!(reads(&["\x1b]"]), keys("alt+]"));
    assert_eq!(reads(&["\x1bP"]), keys("alt+shift+p"));
    assert_eq!(reads(&["\x1bPx"]), keys("alt+shift+p x"));
    let mut input = Input::default();
    input.feed(b"\x1b");
    let wait = input.pending().unwrap();
    assert!(wait.timeout(false) <= Duration::from_millis(50));
    assert!(
        wait.timeout(true) >= Duration::from_millis(100) && wait.timeout(true) < Duration::from_millis(200)
    );
    assert_eq!(input.flush().msgs, keys("esc"));
    assert_eq!(input.pending(), None);
}

#[test]
fn g21_a_late_answer_cut_by_a_key_types_only_the_key() {
    let colour = "\x1b]11;rgb:1010/2020/3030\x07";
    for cut in 3..colour.len() {
        let mut input = Input::default();
        let mut msgs = input.feed(&colour.as_bytes()[..cut]).msgs;
        msgs.extend(input.feed(b"k").msgs);
        msgs.extend(input.feed(&colour.as_bytes()[cut..]).msgs);
        assert_eq!(msgs, vec![key("k"), TermMsg::Background(Rgb(16, 32, 48))], "cut at {cut}");
    }
    let attributes = "\x1b[?62;4c";
    for cut in 3..attributes.len() {
        let mut input = Input::default();
        let mut batch = input.feed(&attributes.as_bytes()[..cut]);
        for piece in [b"k", &attributes.as_bytes()[cut..]] {
            let next = input.feed(piece);
            batch.msgs.extend(next.msgs);
            batch.replies.extend(next.replies);
        }
        assert_eq!(batch, Batch { msgs: keys("k"), replies: vec![Reply::Attributes] }, "cut at {cut}");
    }
}

#[test]
fn answers_and_reports() {
    let background = |bytes: &str| read(bytes);
    assert_eq!(background("\x1b]11;rgb:ffff/ffff/ffff\x1b\\"), vec![TermMsg::Background(Rgb(255, 255, 255))]);
    assert_eq!(background("\x1b]11;rgb:0/8/f\x07"), vec![TermMsg::Background(Rgb(0, 136, 255))]);
    assert_eq!(
        background("\x1b]11;rgba:1e1e/1e1e/2e2e/ffff\x07"),
        vec![TermMsg::Background(Rgb(30, 30, 46))]
    );
    assert_eq!(read("\x1b[?997;1n"), vec![TermMsg::ColorScheme(Scheme::Dark)]);
    assert_eq!(read("\x1b[?997;2nx"), vec![TermMsg::ColorScheme(Scheme::Light), key("x")]);
    assert_eq!(read("\x1b[I\x1b[O"), vec![TermMsg::FocusGained, TermMsg::FocusLost]);
    let replies = |bytes: &str| Input::default().feed(bytes.as_bytes()).replies;
    assert_eq!(replies("\x1b[?2026;2$y"), vec![Reply::Mode { mode: 2026, state: 2 }]);
    assert_eq!(replies("\x1b[?5u"), vec![Reply::KittyFlags(5)]);
    assert_eq!(replies("\x1b[>41;354;0c"), vec![Reply::Kind(vec![41, 354, 0])]);
    assert_eq!(replies("\x1bP>|kitty(0.36.1)\x1b\\"), vec![Reply::Name("kitty(0.36.1)".into())]);
}

#[test]
fn g27_mouse_reports() {
    let mouse = |kind, col, row, mods| vec![TermMsg::Mouse(Mouse { kind, col, row, mods })];
    assert_eq!(read("\x1b[<0;10;5M"), mouse(MouseKind::Down(MouseButton::Left), 9, 4, Mods::NONE));
    assert_eq!(read("\x1b[<2;1;1m"), mouse(MouseKind::Up(MouseButton::Right), 0, 0, Mods::NONE));
    assert_eq!(read("\x1b[<32;300;2M"), mouse(MouseKind::Drag(MouseButton::Left), 299, 1, Mods::NONE));
    assert_eq!(read("\x1b[<35;3;3M"), mouse(MouseKind::Moved, 2, 2, Mods::NONE));
    assert_eq!(read("\x1b[<64;3;3M"), mouse(MouseKind::WheelUp, 2, 2, Mods::NONE));
    assert_eq!(read("\x1b[<81;3;3M"), mouse(MouseKind::WheelDown, 2, 2, Mods::CTRL));
    assert_eq!(read("\x1b[<99999;3;3M"), vec![]);
}

#[test]
fn bytes_that_are_no_text_show_as_such() {
    assert_eq!(read(b"a\xffb"), keys("a \u{fffd} b"));
    assert_eq!(read(b"\xe6\xbcx"), keys("\u{fffd} x"));
    let mut input = Input::default();
    assert_eq!(input.feed(b"\xe6").msgs, vec![]);
    assert_eq!(input.feed(b"\xbc").msgs, vec![]);
    assert_eq!(input.feed(b"\xa2").msgs, keys("漢"));
    input.feed(b"\xe6");
    assert_eq!(input.flush().msgs, keys("\u{fffd}"));
}

/// Whole sequences, none of which ends a read with a carriage return or an open escape.
fn sequence() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => any::<char>().prop_filter("no controls", |c| !c.is_control()).prop_map(|c| c.to_string().into_bytes()),
        4 => prop::sample::select(vec![
            "\x1b[A", "\x1b[1;5C", "\x1bOP", "\x1b[3~", "\x1b[13;2u", "\x1b[13;2:3u", "\x1b[27;2;13~", "\x1b\r", "\n",
            "\x1bx", "\x1b[Z", "\x1b[<0;10;5M", "\x1b[<64;3;3M", "\x1b[I", "\x1b[?997;1n", "\x1b[?62;4c",
            "\x1b]11;rgb:1010/2020/3030\x07", "\x1b]11;rgb:ff/ff/ff\x1b\\", "\x1bP>|xterm(354)\x1b\\", "\x1b[?2026;2$y",
            "\x1b[200~pasted\r\ntext\x1b[201~", "\x1b[112:80;6u", "\x1b[0;;28450:23383u", "\x1b[M !!", "\x1b[[A",
        ]).prop_map(|text| text.as_bytes().to_vec()),
        1 => "[ -~\r\n\t\u{e9}漢]{0,40}".prop_map(|text| format!("\x1b[200~{text}\x1b[201~").into_bytes()),
    ]
}

fn cut(bytes: &[u8], cuts: &[usize]) -> Vec<Vec<u8>> {
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    ends.push(bytes.len());
    ends.sort_unstable();
    let mut from = 0;
    ends.into_iter().map(|end| bytes[std::mem::replace(&mut from, end)..end].to_vec()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_of_any_size_give_the_same_messages(
        sequences in prop::collection::vec(sequence(), 0..12),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let bytes = sequences.concat();
        let whole = Input::default().feed(&bytes);
        let mut input = Input::default();
        let mut pieces = Batch::default();
        for piece in cut(&bytes, &cuts) {
            let batch = input.feed(&piece);
            pieces.msgs.extend(batch.msgs);
            pieces.replies.extend(batch.replies);
        }
        prop_assert_eq!(pieces, whole);
        prop_assert_eq!(input.pending(), None);
    }

    #[test]
    fn any_bytes_in_any_pieces_are_survived(
        pieces in prop::collection::vec((prop::collection::vec(hostile_byte(), 0..30), any::<bool>()), 0..12),
    ) {
        let mut input = Input::default();
        for (piece, flush) in pieces {
            input.feed(&piece);
            if flush {
                input.flush();
            }
        }
        // Whatever came before, the keyboard still works.
        for _ in 0..3 {
            input.flush();
        }
        let msgs = input.feed(b"\x03").msgs;
        prop_assert_eq!(msgs.last(), Some(&key("ctrl+c")));
        prop_assert_eq!(input.feed(b"x").msgs, keys("x"));
    }
}

/// Any byte, those that sequences are made of more often.
fn hostile_byte() -> impl Strategy<Value = u8> {
    prop_oneof![
        2 => any::<u8>(),
        3 => prop::sample::select(b"\x1b\x1b\x1b[[]OP?><;:0123456789~uMmcRAn$y\x07\\\r\n\x03rgb/".to_vec()),
    ]
}

#[test]
fn g21_strings_of_a_terminal_are_swallowed_whole_wherever_they_are_cut() {
    let strings = [
        "\x1b_Gi=31;OK\x1b\\",
        "\x1b_anything at all; even this\x1b\\",
        "\x1bP1+r544e=787465726d\x1b\\",
        "\x1bP>|foot(1.2.3)\x1b\\",
        "\x1b]52;c;w6nmvKI=\x1b\\",
        "\x1b]4;1;rgb:cdcd/0000/0000\x07",
        "\x1b]11;rgb:0000/0000/0000\x1b\\",
    ];
    let typed = |msgs: Vec<TermMsg>| -> Vec<TermMsg> {
        msgs.into_iter().filter(|msg| !matches!(msg, TermMsg::Background(_))).collect()
    };
    for string in strings {
        for cut in 0..string.len() {
            let (head, tail) = string.split_at(cut);
            assert_eq!(
                typed(reads(&[&format!("a{head}"), &format!("{tail}b")])),
                keys("a b"),
                "{string:?} at {cut}"
            );
        }
        let bytes: Vec<String> = string.chars().map(String::from).collect();
        assert_eq!(typed(reads(&bytes.iter().map(String::as_str).collect::<Vec<_>>())), [], "{string:?}");
    }
}

#[test]
fn alt_underscore_is_still_a_key() {
    assert_eq!(reads(&["\x1b_"]), keys("alt+_"));
    assert_eq!(reads(&["\x1b_\x1b_\x1b_"]), keys("alt+_ alt+_ alt+_"));
    assert_eq!(reads(&["\x1b_\r"]), keys("alt+_ enter"));
    // Typed so fast that it looked like a string: it comes late, but it comes.
    assert_eq!(reads(&["\x1b_", "ab"]), keys("alt+_ a b"));
}
