//! Reading logs: the end first, the whole without what nobody is sent, whatever is wrong with them.

use std::fs::{self, OpenOptions};
use std::sync::Arc;

use e::effects::store::read::{Limits, Log, Torn, ending, whole};
use e::effects::store::shorten::Shortener;
use e::model::provider::{Assistant, Message, Part, ToolResult, User, UserKind, UserPart};
use e::model::session::load::{Loaded, load};
use e::model::tool::{Display, Format, Image, Outcome};
use e::model::wire::log::Record;
use proptest::prelude::*;

use super::logs::session;

/// Everything is large, and an end is a few lines.
const TINY: Limits =
    Limits { long: 3_000, kept: 200, large: 8_000, whole: 6_000, old: 40, ends: [600, 2_000, 6_000] };

fn result(content: &str) -> Message {
    Message::Tool(ToolResult {
        call: "c".into(),
        name: "bash".into(),
        outcome: Outcome::Completed,
        content: content.into(),
        summary: Some("sum".into()),
        display: Some(Display { text: content.into(), format: Format::Text, cut: false }),
        images: Vec::new(),
    })
}

fn record(id: &str, parent: Option<&str>, message: Message) -> String {
    Record::message(id.into(), parent.map(Arc::from), 1, Arc::new(message), None).print()
}

fn message() -> impl Strategy<Value = Message> {
    let words = prop_oneof![4 => "[a-z \"\\\\\n\u{1b}é😀]{0,40}", 1 => ".{0,30}"];
    let image = || Image {
        mime: "image/png".into(),
        data: "A".repeat(300).into(),
        width: 1,
        height: 1,
        name: "shot".into(),
    };
    (words, 0usize..60, 0u8..6).prop_map(move |(words, times, kind)| {
        let text: Arc<str> = words.repeat(times).into();
        match kind {
            0 => Message::prompt(&*text),
            1 | 2 => Message::Assistant(Assistant { parts: vec![Part::Text(text)], origin: None }),
            3 => Message::User(User {
                content: vec![UserPart::Text(text), UserPart::Image(image())],
                internal: false,
                kind: UserKind::Prompt,
            }),
            _ => result(&text),
        }
    })
}

/// A log of messages that mostly follow one another, and sometimes branch off.
fn lines() -> impl Strategy<Value = Vec<String>> {
    let back = prop_oneof![6 => Just(0usize), 1 => 0usize..40];
    proptest::collection::vec((message(), back), 1..40).prop_map(|all| {
        let mut lines = vec![session("x", "/w").to_string()];
        for (n, (message, back)) in all.into_iter().enumerate() {
            let parent = n.checked_sub(1 + back).map(|p| format!("m{p}"));
            lines.push(record(&format!("m{n}"), parent.as_deref(), message));
        }
        lines
    })
}

#[derive(Debug, Clone)]
enum Damage {
    Zeros,
    Half,
    Twice,
    Gone,
    NotText,
}

fn damage() -> impl Strategy<Value = Vec<(prop::sample::Index, Damage)>> {
    let kind = prop_oneof![
        Just(Damage::Zeros),
        Just(Damage::Half),
        Just(Damage::Twice),
        Just(Damage::Gone),
        Just(Damage::NotText)
    ];
    proptest::collection::vec((any::<prop::sample::Index>(), kind), 0..5)
}

/// The file's bytes; the first line stays.
fn damaged(mut lines: Vec<String>, damage: &[(prop::sample::Index, Damage)], twice: bool) -> Vec<u8> {
    let mut raw = Vec::new();
    for (at, kind) in damage {
        let at = at.index(lines.len());
        match kind {
            _ if at == 0 => {}
            Damage::Zeros => lines[at] = "\0".repeat(300),
            Damage::Half => lines[at] = lines[at].chars().take(lines[at].chars().count() / 2).collect(),
            Damage::Twice if twice => lines.push(lines[at].clone()),
            Damage::Gone => drop(lines.remove(at)),
            Damage::NotText | Damage::Twice => raw.push(at),
        }
    }
    let mut bytes = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        bytes.extend_from_slice(line.as_bytes());
        if raw.contains(&at) {
            bytes.extend_from_slice(b"\xff\xfe");
        }
        bytes.push(b'\n');
    }
    bytes
}

fn on_disk(bytes: &[u8], read: impl FnOnce(&fs::File)) -> Vec<u8> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    read(&OpenOptions::new().read(true).append(true).open(file.path()).unwrap());
    fs::read(file.path()).unwrap()
}

fn read_whole(bytes: &[u8], limits: &Limits) -> (Log, Vec<u8>) {
    let mut log = None;
    let left = on_disk(bytes, |file| log = whole(file, Torn::Repair, limits).ok());
    (log.unwrap(), left)
}

/// The same, but for the messages.
fn without_messages(loaded: &Loaded) -> String {
    let nodes: Vec<_> = loaded.tree.nodes().iter().map(|n| (&n.id, &n.parent, n.at, &n.response)).collect();
    let bad: Vec<_> = loaded.bad.iter().map(|b| b.line).collect();
    let rest = (&loaded.uuid, &loaded.name, &loaded.model, &loaded.responses, bad, loaded.tree.head_id());
    format!("{nodes:?} {rest:?}")
}

/// A text that lost its middle, or nothing.
fn shortened(short: &str, text: &str) -> bool {
    let Some((head, rest)) = short.split_once("\n[").filter(|_| short != text) else { return short == text };
    let tail = rest.split_once("file]\n").map_or("", |(_, tail)| tail);
    text.starts_with(head) && text.ends_with(tail) && head.len() + tail.len() < text.len()
}

fn same_or_shortened(short: &Message, message: &Message) -> bool {
    match (short, message) {
        (Message::Tool(short), Message::Tool(whole)) => {
            let displays = short.display.iter().zip(&whole.display);
            shortened(&short.content, &whole.content)
                && displays.into_iter().all(|(s, w)| shortened(&s.text, &w.text))
                && (&short.call, &short.name, &short.summary) == (&whole.call, &whole.name, &whole.summary)
        }
        (Message::User(short), Message::User(whole)) => {
            short.content.iter().zip(&whole.content).all(|(s, w)| s == w || matches!(w, UserPart::Image(_)))
        }
        _ => short == message,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// N4: whatever is wrong with a log, it is read as its lines say, and is whole again afterwards.
    #[test]
    fn n4_a_log_read_from_its_file_is_what_its_lines_say(
        lines in lines(), damage in damage(), cut in any::<prop::sample::Index>(), torn: bool,
    ) {
        let mut bytes = damaged(lines, &damage, true);
        if torn {
            bytes.truncate(cut.index(bytes.len()) + 1);
        }
        let (log, left) = read_whole(&bytes, &Limits::default());
        prop_assert!(left.is_empty() || left.ends_with(b"\n"));
        prop_assert_eq!(log.length, left.len() as u64);
        let text = String::from_utf8_lossy(&left);
        prop_assert_eq!(&log.loaded, &load(text.lines()));
        prop_assert_eq!(log.lines, text.lines().count());
        // Without leave to repair, the same is read and nothing is written.
        let mut seen = None;
        let same = on_disk(&bytes, |file| seen = whole(file, Torn::LeaveOut, &Limits::default()).ok());
        prop_assert_eq!(same, bytes);
        prop_assert_eq!(seen.unwrap().loaded, log.loaded);
    }

    /// G63: a large log differs from the whole one by the middles of old results and by old images alone.
    #[test]
    fn g63_a_large_log_keeps_its_shape_and_its_newest_messages_whole(lines in lines(), damage in damage()) {
        let bytes = damaged(lines, &damage, true);
        let (log, left) = read_whole(&bytes, &TINY);
        let (all, same) = read_whole(&bytes, &Limits::default());
        prop_assert_eq!(left, same);
        prop_assert_eq!(without_messages(&log.loaded), without_messages(&all.loaded));
        for (short, node) in log.loaded.tree.nodes().iter().zip(all.loaded.tree.nodes()) {
            prop_assert!(same_or_shortened(&short.message, &node.message), "{}", short.id);
        }
        // A line that is no giant is whole at the end of the branch.
        if let (Some(short), Some(node)) = (log.loaded.tree.head(), all.loaded.tree.head())
            && record(&node.id, node.parent.as_deref(), (*node.message).clone()).len() < 2_900
        {
            prop_assert_eq!(short, node);
        }
    }

    /// N4: what is shown first is the end of what comes.
    #[test]
    fn n4_the_end_of_a_log_is_the_end_of_its_branch(lines in lines(), damage in damage()) {
        let bytes = damaged(lines, &damage, false);
        let mut found = None;
        on_disk(&bytes, |file| found = ending(file, &TINY).unwrap());
        let branch = load(String::from_utf8_lossy(&bytes).lines()).tree.shown();
        match found {
            Some(end) => prop_assert!(branch.ends_with(&end), "{end:?}\n{branch:?}"),
            None => prop_assert!(bytes.len() as u64 <= 2 * TINY.ends[0] || branch.is_empty() || giant_end(&bytes)),
        }
    }

    /// G63: a line shortened as it comes is the same record, its result's middle gone, however its bytes arrive.
    #[test]
    fn g63_a_line_shortened_as_it_comes_is_the_same_record(message in message(), piece in 1usize..50) {
        let line = record("m", None, message.clone());
        let mut shortener = Shortener::new(60);
        line.as_bytes().chunks(piece).for_each(|bytes| shortener.push(bytes));
        let short = String::from_utf8(shortener.finish()).expect("characters stay whole");
        let Ok(Record::Message(read)) = Record::parse(&short) else { panic!("no record: {short}") };
        prop_assert!(same_or_shortened(&read.message, &message), "{short}");
        if !matches!(message, Message::Tool(_)) {
            prop_assert_eq!(short, line);
        }
    }

    /// What is no record stays none.
    #[test]
    fn any_bytes_can_be_shortened(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut shortener = Shortener::new(20);
        shortener.push(&bytes);
        let short = shortener.finish();
        prop_assert!(short.len() <= bytes.len() + 200);
        if let Ok(text) = std::str::from_utf8(&bytes)
            && Record::parse(text).is_err()
        {
            prop_assert!(Record::parse(&String::from_utf8_lossy(&short)).is_err());
        }
    }
}

/// The last bytes hold no message.
fn giant_end(bytes: &[u8]) -> bool {
    let tail = &bytes[bytes.len().saturating_sub(6_000)..];
    let text = String::from_utf8_lossy(tail);
    text.split_once('\n').is_none_or(|(_, lines)| lines.lines().all(|l| Record::parse(l).is_err()))
}

#[test]
fn g63_a_giant_result_is_read_without_its_middle_and_stays_whole_on_disk() {
    let giant = record("t", None, result(&format!("begin {} end", "é".repeat(2_000_000))));
    let bytes =
        format!("{}\n{giant}\n{}\n", session("x", "/w"), record("u", Some("t"), Message::prompt("on")));
    let (log, left) = read_whole(bytes.as_bytes(), &Limits::default());
    assert_eq!(left, bytes.as_bytes());
    assert_eq!((log.loaded.tree.len(), log.loaded.bad.len()), (2, 0));
    let Message::Tool(result) = &*log.loaded.tree.nodes()[0].message else { panic!("still a result") };
    for text in [&result.content, &result.display.as_ref().unwrap().text] {
        assert!(
            text.len() < 100_000 && text.starts_with("begin ") && text.ends_with(" end"),
            "{}",
            text.len()
        );
        assert!(text.contains("bytes left out here; they are in the session's file]"));
    }
}

#[test]
fn g63_a_giant_line_that_is_no_record_is_a_bad_line_and_not_held() {
    let bytes = format!(
        "{}\n{}\n{}\n",
        session("x", "/w"),
        "\0".repeat(5_000_000),
        record("a", None, Message::prompt("hi"))
    );
    let (log, _) = read_whole(bytes.as_bytes(), &Limits::default());
    assert_eq!(log.loaded.bad.iter().map(|b| b.line).collect::<Vec<_>>(), [2]);
    assert_eq!(log.loaded.tree.len(), 1);
}

#[test]
fn the_end_of_a_newer_log_is_not_shown() {
    let newer = session("x", "/w").replace("\"format_version\":1", "\"format_version\":2");
    let rest: String =
        (0..2_000).map(|n| record(&format!("m{n}"), None, Message::prompt("hello there")) + "\n").collect();
    for (first, shown) in [(newer.as_str(), false), (&session("x", "/w"), true)] {
        on_disk(format!("{first}\n{rest}").as_bytes(), |file| {
            assert_eq!(ending(file, &Limits::default()).unwrap().is_some(), shown);
        });
    }
}
