//! `read`: pages, encodings, images, and what it refuses.

use std::process::Command;
use std::time::Duration;

use base64::Engine as _;
use e::model::id::CallId;
use e::model::tool::{FileKey, Outcome, ToolFx, ToolMsg, limit};
use serde_json::json;

use super::Rig;

/// A PNG of one pixel.
pub const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

pub fn png() -> Vec<u8> {
    base64::engine::general_purpose::STANDARD.decode(PNG).unwrap()
}

/// The header of a PNG of any size.
fn png_of(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = png();
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    bytes
}

fn read(rig: &mut Rig, arguments: serde_json::Value) -> e::model::tool::ToolOutput {
    rig.call("read", arguments)
}

#[test]
fn lines_are_numbered() {
    let mut rig = Rig::new();
    rig.put("f", "one\n\nthree");
    let output = read(&mut rig, json!({"path": "f"}));
    assert_eq!(&*output.content, "1\tone\n2\t\n3\tthree\n");
    assert_eq!(output.summary.as_deref(), Some("3 lines"));
    rig.put("empty", "");
    assert_eq!(&*read(&mut rig, json!({"path": "empty"})).content, "[empty is empty]");
}

#[test]
fn a_page_says_its_range_the_total_and_the_next_offset() {
    let mut rig = Rig::new();
    rig.put("f", (1..=50).map(|n| format!("l{n}\n")).collect::<String>());
    let output = read(&mut rig, json!({"path": "f", "offset": "10", "limit": 2.0}));
    assert_eq!(&*output.content, "10\tl10\n11\tl11\n[lines 10-11 of 50; go on with offset 12]");
    let tail = read(&mut rig, json!({"path": "f", "offset": 50}));
    assert_eq!(&*tail.content, "50\tl50\n[lines 50-50 of 50]");
    let past = read(&mut rig, json!({"path": "f", "offset": 51}));
    assert_eq!(past.outcome, Outcome::Failed);
    assert_eq!(&*past.content, "f has 50 lines; line 51 is past its end.");
}

#[test]
fn a_long_file_is_cut_at_a_whole_line() {
    let mut rig = Rig::new();
    rig.put("f", (1..=20_000).map(|n| format!("this is line {n}\n")).collect::<String>());
    let output = read(&mut rig, json!({"path": "f"}));
    assert!(output.content.len() <= limit::MODEL);
    let (body, last) = output.content.rsplit_once('\n').unwrap();
    let shown = body.lines().count();
    assert!(body.ends_with(&format!("{shown}\tthis is line {shown}")));
    assert_eq!(last, format!("[lines 1-{shown} of 20000; go on with offset {}]", shown + 1));
}

#[test]
fn a_line_too_long_for_a_page_is_cut_and_said_so() {
    let mut rig = Rig::new();
    rig.put("min.js", format!("{}\nshort\n", "x".repeat(3_000_000)));
    let output = read(&mut rig, json!({"path": "min.js"}));
    assert!(output.content.len() <= limit::MODEL);
    assert!(output.content.contains("line 1 is too long and was cut"), "{:?}", &output.content[32000..]);
    assert!(output.content.contains("lines 1-1 of 2; go on with offset 2"));
    assert_eq!(
        &*read(&mut rig, json!({"path": "min.js", "offset": 2})).content,
        "2\tshort\n[lines 2-2 of 2]"
    );
}

#[test]
fn line_ends_and_encodings_are_told() {
    let mut rig = Rig::new();
    rig.put("crlf", "a\r\nb\r\n");
    assert_eq!(&*read(&mut rig, json!({"path": "crlf"})).content, "1\ta\n2\tb\n[line ends are CRLF]");
    rig.put("mixed", "a\r\nb\n");
    assert!(
        read(&mut rig, json!({"path": "mixed"})).content.ends_with("[line ends are mixed, 1 CRLF and 1 LF]")
    );
    rig.put("marked", "\u{FEFF}a\n");
    assert_eq!(&*read(&mut rig, json!({"path": "marked"})).content, "1\ta\n[begins with a byte-order mark]");
    rig.put("latin", b"caf\xe9\n");
    assert!(read(&mut rig, json!({"path": "latin"})).content.starts_with("1\tcaf\u{FFFD}\n[not UTF-8"));
    rig.put("wide", "\u{FEFF}hé\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    assert_eq!(
        &*read(&mut rig, json!({"path": "wide"})).content,
        "1\thé\n[line ends are CRLF; the file is UTF-16LE]"
    );
}

#[test]
fn what_is_no_text_is_refused_at_once() {
    let mut rig = Rig::new();
    rig.put("d/x", "");
    rig.put("bin", [b"\x7fELF\x02\x01\x01".as_slice(), &[0; 60]].concat());
    assert!(Command::new("mkfifo").arg(rig.path("pipe")).status().unwrap().success());
    for (path, why) in [
        ("d", "d is a folder, not a file. It holds: x"),
        ("pipe", "pipe is a named pipe, not a file; it was not opened."),
        ("/dev/zero", "/dev/zero is a device, not a file; it was not opened."),
        ("bin", "bin is a binary file (application/x-executable), 67 bytes"),
        ("none", "none does not exist."),
    ] {
        let call = rig.start("read", json!({"path": path}));
        let output = rig.wait_at_most(call, Duration::from_secs(10)).expect("it waited");
        assert_eq!(output.outcome, Outcome::Failed);
        assert!(output.content.contains(why), "{}", output.content);
    }
}

#[test]
fn images_are_told_by_content_and_returned() {
    let mut rig = Rig::new();
    rig.put("a.txt", png());
    let output = read(&mut rig, json!({"path": "a.txt"}));
    assert_eq!(&*output.content, "[image a.txt: image/png, 1×1 pixels, 70 bytes]");
    let image = &output.images[0];
    assert_eq!((&*image.mime, image.width, image.height, &*image.data), ("image/png", 1, 1, PNG));
}

#[test]
fn g59_an_image_no_provider_takes_is_refused_before_it_is_sent() {
    let mut rig = Rig::new();
    let mut large = png();
    large.resize(9_000_000, 0);
    rig.put("large.png", &large);
    let output = read(&mut rig, json!({"path": "large.png"}));
    assert!(output.content.contains("large.png is 8.5 MiB, too large to send"), "{}", output.content);
    rig.put("wide.png", png_of(9000, 50));
    let output = read(&mut rig, json!({"path": "wide.png"}));
    assert!(output.content.contains("wide.png is 9000×50 pixels"), "{}", output.content);
    assert_eq!((output.outcome, output.images.len()), (Outcome::Failed, 0));
    rig.put("text.png", "just words\n");
    let output = read(&mut rig, json!({"path": "text.png"}));
    assert_eq!((&*output.content, output.images.len()), ("1\tjust words\n", 0));
    let refused = e::effects::tool::images::load(&rig.path("text.png"), "text.png").unwrap_err();
    assert!(refused.contains("text.png is not a PNG, JPEG, GIF or WebP image"), "{refused}");
    rig.put("cut.png", &png()[..12]);
    assert!(read(&mut rig, json!({"path": "cut.png"})).content.contains("cut.png"));
}

#[test]
fn nested_instructions_come_outermost_first() {
    let mut rig = Rig::new();
    rig.put("AGENTS.md", "root");
    rig.put("a/AGENTS.md", "of a");
    rig.put("a/b/AGENTS.md", "x".repeat(40_000));
    rig.put("a/b/f", "text\n");
    let output = read(&mut rig, json!({"path": "a/b/f"}));
    let found: Vec<(&str, usize)> = output.instructions.iter().map(|(p, t)| (&**p, t.len())).collect();
    let path = |name: &str| rig.path(name).to_str().unwrap().to_owned();
    assert_eq!(found[0], (&*path("a/AGENTS.md"), 4));
    assert_eq!(found[1].0, path("a/b/AGENTS.md"));
    assert!(output.instructions[1].1.ends_with("only the first 32 KiB of this file are used]"));
    assert_eq!(found.len(), 2);
    assert_eq!(read(&mut rig, json!({"path": "a/AGENTS.md"})).instructions.len(), 0);
    let outside = rig.home.join("f");
    std::fs::write(&outside, "x").unwrap();
    assert!(read(&mut rig, json!({"path": outside})).instructions.is_empty());
}

#[test]
fn one_file_has_one_key_by_all_its_paths() {
    let mut rig = Rig::new();
    rig.put("d/f", "");
    std::os::unix::fs::symlink("d", rig.path("link")).unwrap();
    let mut key = |path: &str| {
        let (call, cwd) = (CallId(900), rig.cwd.to_str().unwrap().into());
        rig.handle(ToolFx::Identify { call, cwd, path: path.into() });
        match rig.message() {
            (CallId(900), ToolMsg::Identified(key)) => key.unwrap(),
            other => panic!("{other:?}"),
        }
    };
    let of_f = key("d/f");
    assert!(matches!(of_f, FileKey::Inode { .. }));
    assert_eq!(key("./link/../d/f"), of_f);
    assert_eq!(key("link/f"), of_f);
    assert!(matches!(key("d/new"), FileKey::Path(_)));
    assert_eq!(key("link/new"), key("d/./new"));
    assert_ne!(key("d/new"), key("d/newer"));
}
