//! The guard on a real pseudo-terminal: what it switches on it switches off, from every state and only once.

use super::emulator::cutting;
use super::pty::pair;
use super::written::foreign;
use e::effects::term::guard::{Guard, Modes, Tty, switch_off, switch_on};
use e::effects::term::screen::{Frame, Screen, ScreenMode};
use e::model::term::{Caps, Size};
use ratatui::buffer::Buffer;
use ratatui::style::Style;
use rustix::termios::{LocalModes, tcgetattr};
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

/// A terminal's side and the program's.
struct Rig {
    master: pty_process::blocking::Pty,
    slave: File,
    tty: Tty,
    terminal: vt100::Parser,
}

impl Rig {
    fn new() -> Rig {
        let (master, slave) = pair(40, 8);
        let tty = Tty::new(slave.try_clone().unwrap(), slave.try_clone().unwrap());
        Rig { master, slave, tty, terminal: cutting(40, 8) }
    }

    /// Takes what was written so far; a mark is written behind it so that the read knows its end.
    fn written(&mut self) -> String {
        use std::io::Write;
        self.slave.write_all(b"\x1b_").unwrap();
        let mut bytes = Vec::new();
        let mut piece = [0; 1024];
        while !bytes.ends_with(b"\x1b_") {
            let count = self.master.read(&mut piece).unwrap();
            bytes.extend_from_slice(&piece[..count]);
        }
        bytes.truncate(bytes.len() - 2);
        // Until it is raw, the kernel makes CR LF of LF.
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(foreign(text.as_bytes()), None);
        self.terminal.process(text.as_bytes());
        text
    }

    fn is_raw(&self) -> bool {
        !tcgetattr(&self.slave).unwrap().local_modes.intersects(LocalModes::ICANON | LocalModes::ECHO)
    }
}

fn frame(lines: &[&str], cursor: Option<(u16, u16)>) -> Frame {
    let mut cells = Buffer::empty(ratatui::layout::Rect::new(0, 0, 40, u16::try_from(lines.len()).unwrap()));
    for (y, line) in (0..).zip(lines) {
        cells.set_string(0, y, line, Style::new());
    }
    Frame { live: cells.into(), cursor, ..Frame::default() }
}

#[test]
fn g19_everything_switched_on_is_switched_off_once() {
    let mut rig = Rig::new();
    let before = tcgetattr(&rig.slave).unwrap();
    let guard = Guard::enter(&rig.tty, Caps::default(), Arc::default()).unwrap();
    assert!(rig.is_raw());
    assert!(rig.written().ends_with("\x1b]11;?\x1b\\\x1b[>q\x1b[c"));
    assert!(rig.terminal.screen().bracketed_paste());
    let clone = guard.clone();
    guard.restore();
    assert!(!rig.written().is_empty());
    assert!(!rig.is_raw() && !rig.terminal.screen().bracketed_paste());
    assert_eq!(tcgetattr(&rig.slave).unwrap().local_modes, before.local_modes);
    clone.restore();
    drop((guard, clone));
    assert_eq!(rig.written(), "");
}

#[test]
fn g19_dropping_the_last_guard_restores() {
    let mut rig = Rig::new();
    let guard = Guard::enter(&rig.tty, Caps::default(), Arc::default()).unwrap();
    drop(guard.clone());
    assert!(rig.is_raw());
    drop(guard);
    assert!(!rig.is_raw());
    rig.written();
    assert!(!rig.terminal.screen().bracketed_paste());
}

#[test]
fn g19_a_sudden_end_leaves_the_last_rows_and_the_cursor_below_them() {
    for alternate in [false, true] {
        let mut rig = Rig::new();
        let mut screen =
            Screen::new(rig.tty.writer().unwrap(), Caps::default(), ScreenMode::Inline, Size::new(40, 8));
        let guard = Guard::enter(&rig.tty, Caps::default(), screen.modes()).unwrap();
        screen.draw(&frame(&["answer", "> draft", "status"], Some((3, 1)))).unwrap();
        if alternate {
            screen.set_mouse(true);
            screen.set_mode(ScreenMode::Alternate);
            screen.draw(&frame(&["reader"], None)).unwrap();
            rig.written();
            assert!(rig.terminal.screen().alternate_screen() && rig.terminal.screen().hide_cursor());
        }
        guard.restore();
        rig.written();
        rig.terminal.process(b"panicked: see /tmp/report");
        let screen = rig.terminal.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        assert_eq!(screen.contents(), "answer\n> draft\nstatus\npanicked: see /tmp/report");
    }
}

#[test]
fn the_terminal_is_lent_as_it_was_and_taken_back() {
    let mut rig = Rig::new();
    let guard = Guard::enter(&rig.tty, Caps::default(), Arc::default()).unwrap();
    rig.written();
    let raw = guard.lend(|| rig.is_raw()).unwrap();
    assert!(!raw && rig.is_raw());
    let text = rig.written();
    assert!(text.ends_with("\x1b[>5u") && !text.contains("\x1b[c"), "nothing is asked twice: {text:?}");
    assert!(rig.terminal.screen().bracketed_paste());
}

#[test]
fn g18_a_dumb_terminal_is_sent_nothing() {
    let caps = Caps { dumb: true, osc: false, ..Caps::default() };
    let mut rig = Rig::new();
    drop(Guard::enter(&rig.tty, caps, Arc::default()).unwrap());
    assert_eq!(rig.written(), "");
}

#[test]
fn g23_richer_key_reports_are_taken_back_on_both_screens() {
    for caps in [
        Caps::default(),
        Caps { modify_other_keys: true, ..Caps::default() },
        Caps { kitty_keys: false, osc: false, ..Caps::default() },
    ] {
        for alternate in [false, true] {
            let mut out: Vec<u8> = Vec::new();
            let mut screen = Screen::new(&mut out, caps, ScreenMode::Inline, Size::new(40, 8));
            let modes = screen.modes();
            if alternate {
                screen.set_mode(ScreenMode::Alternate);
            }
            screen.draw(&frame(&["x"], None)).unwrap();
            let off = switch_off(caps, &modes);
            let all = format!("{}{}{off}", switch_on(caps), String::from_utf8(out).unwrap());
            assert_eq!(all.matches("\x1b[>5u").count(), all.matches("\x1b[<1u").count(), "{all:?}");
            assert_eq!(all.matches("\x1b[>4;1m").count(), all.matches("\x1b[>4m").count(), "{all:?}");
            assert_eq!(all.matches("\x1b[22;2t").count(), all.matches("\x1b[23;2t").count(), "{all:?}");
            for mode in ["1049", "2004", "2031", "25"] {
                let last = |end: &str| all.rfind(&format!("\x1b[?{mode}{end}"));
                let (on, off) = if mode == "25" { (last("l"), last("h")) } else { (last("h"), last("l")) };
                assert!(off >= on, "{mode} in {all:?}");
            }
        }
    }
}

#[test]
fn modes_of_a_screen_that_never_drew_need_no_undoing() {
    let off = switch_off(Caps::default(), &Modes::default());
    assert!(!off.contains("1049") && !off.contains("1000") && !off.contains('\n'));
}
