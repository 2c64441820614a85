//! The reading thread on a real pseudo-terminal.

use super::pty::pair;
use e::effects::term::guard::{Guard, Tty};
use e::effects::term::reader::{Reader, TtyEvent};
use e::model::term::{Caps, Size, TermMsg};
use std::fs::File;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

struct Rig {
    master: pty_process::blocking::Pty,
    slave: File,
    events: Receiver<TtyEvent>,
    reader: Reader,
    _guard: Guard,
}

fn rig(remote: bool) -> Rig {
    let (master, slave) = pair(80, 24);
    let tty = Tty::new(slave.try_clone().unwrap(), slave.try_clone().unwrap());
    let guard = Guard::enter(&tty, Caps::default(), Arc::default()).unwrap();
    let (send, events) = channel();
    let reader = Reader::start(&tty, remote, Arc::default(), move |event| send.send(event).is_ok()).unwrap();
    Rig { master, slave, events, reader, _guard: guard }
}

impl Rig {
    /// Waits for so many messages. The signal of a new size reaches every test of this process, so that sizes do not
    /// count here.
    fn messages(&self, count: usize) -> Vec<TermMsg> {
        self.messages_but(count, |msg| matches!(msg, TermMsg::Resize(_)))
    }

    fn messages_but(&self, count: usize, unwanted: impl Fn(&TermMsg) -> bool) -> Vec<TermMsg> {
        let mut msgs = Vec::new();
        while msgs.len() < count {
            match self.events.recv_timeout(Duration::from_secs(20)).unwrap() {
                TtyEvent::Batch(batch) => msgs.extend(batch.msgs.into_iter().filter(|msg| !unwanted(msg))),
                TtyEvent::Closed => panic!("closed after {msgs:?}"),
            }
        }
        msgs
    }
}

fn keys(names: &str) -> Vec<TermMsg> {
    names.split_whitespace().map(|name| TermMsg::Key(name.parse().unwrap())).collect()
}

#[test]
fn keys_arrive_and_a_lone_escape_resolves() {
    let mut rig = rig(false);
    rig.master.write_all("aé\x1b[A".as_bytes()).unwrap();
    assert_eq!(rig.messages(3), keys("a é up"));
    rig.master.write_all(b"\x1b").unwrap();
    assert_eq!(rig.messages(1), keys("esc"));
    rig.master.write_all(b"\r").unwrap();
    assert_eq!(rig.messages(1), keys("enter"));
}

#[test]
fn g25_over_a_slow_link_the_bytes_of_a_key_may_come_apart() {
    let mut rig = rig(true);
    for (rest, name) in [("\r", "alt+enter"), ("[A", "up")] {
        rig.master.write_all(b"\x1b").unwrap();
        std::thread::sleep(Duration::from_millis(40));
        rig.master.write_all(rest.as_bytes()).unwrap();
        assert_eq!(rig.messages(1), keys(name));
    }
    rig.master.write_all(b"\x1b").unwrap();
    assert_eq!(rig.messages(1), keys("esc"));
}

#[test]
fn g10_a_paste_of_two_megabytes_arrives_whole() {
    let rig = rig(false);
    let text = "forty thousand lines of about fifty characters  \r".repeat(40_000);
    let Rig { mut master, events, reader, slave, _guard } = rig;
    let wanted = text.replace('\r', "\n");
    let typing = std::thread::spawn(move || {
        master.write_all(format!("\x1b[200~{text}\x1b[201~").as_bytes()).unwrap();
        master
    });
    let paste = loop {
        match events.recv_timeout(Duration::from_secs(30)).unwrap() {
            TtyEvent::Batch(batch) if matches!(&batch.msgs[..], [TermMsg::Resize(_)]) => {}
            event => break event,
        }
    };
    let TtyEvent::Batch(batch) = paste else { panic!("closed") };
    assert!(matches!(&batch.msgs[..], [TermMsg::Paste(paste)] if *paste == wanted));
    drop((typing.join().unwrap(), reader, slave));
}

#[test]
fn a_new_size_is_told() {
    let rig = rig(false);
    rig.master.resize(pty_process::Size::new(30, 100)).unwrap();
    signal_hook::low_level::raise(signal_hook::consts::SIGWINCH).unwrap();
    assert_eq!(rig.messages_but(1, |_| false), [TermMsg::Resize(Size::new(100, 30))]);
}

#[test]
fn while_paused_another_program_gets_the_keys() {
    let mut rig = rig(false);
    rig.master.write_all(b"a").unwrap();
    assert_eq!(rig.messages(1), keys("a"));
    rig.reader.pause();
    rig.master.write_all(b"xyz").unwrap();
    let mut bytes = [0; 3];
    rig.slave.read_exact(&mut bytes).unwrap();
    assert_eq!(&bytes, b"xyz");
    rig.reader.resume();
    rig.master.write_all(b"b").unwrap();
    assert_eq!(rig.messages(1), keys("b"));
}

#[test]
fn a_window_that_is_closed_is_told_once_and_ends_the_thread() {
    let rig = rig(false);
    let Rig { master, events, reader, .. } = rig;
    drop(master);
    // The signal of a new size may come first.
    while events.recv_timeout(Duration::from_secs(20)).unwrap() != TtyEvent::Closed {}
    assert!(events.recv_timeout(Duration::from_secs(20)).is_err());
    reader.pause();
}
