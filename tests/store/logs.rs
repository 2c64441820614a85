//! Session logs on real files: locks, torn lines, crashes, full disks.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use e::effects::home::Home;
use e::effects::store::logs::{Logs, Opened, workspace_key};
use e::effects::store::work;
use e::model::effect::{StoreFx, Which};
use e::model::id::Ticket;
use e::model::msg::StoreMsg;
use e::model::provider::Message;
use e::model::session::load;
use e::model::wire::log::{Record, read};
use proptest::prelude::*;

use super::child;
use super::home::scratch;

fn line(record: Record) -> Arc<str> {
    record.print().into()
}

pub fn session(id: &str, cwd: &str) -> Arc<str> {
    line(Record::session(id.into(), cwd.into(), 1, None))
}

pub fn prompt(id: &str, text: &str) -> Arc<str> {
    line(Record::message(id.into(), None, 2, Arc::new(Message::prompt(text)), None))
}

/// A log with these lines, closed.
pub fn saved(home: &Home, cwd: &str, id: &str, lines: &[Arc<str>]) -> Arc<str> {
    Logs::new(home.clone()).create(cwd, id, lines).unwrap()
}

/// The lines of the file as opening left it; what was loaded is what they say.
fn lines(opened: Opened) -> Vec<Arc<str>> {
    let Opened::Log { path, session } = opened else { panic!("it opens, not {opened:?}") };
    let bytes = fs::read(&*path).unwrap();
    assert!(bytes.ends_with(b"\n"), "the last line is whole");
    let lines: Vec<Arc<str>> = String::from_utf8_lossy(&bytes).lines().map(Arc::from).collect();
    assert_eq!(*session, load::load(lines.iter().map(|l| &**l)));
    lines
}

fn open(home: &Home, path: &str) -> Vec<Arc<str>> {
    lines(Logs::new(home.clone()).open(&Which::Path(path.into()), &mut drop))
}

#[test]
fn a_log_is_made_appended_to_and_opened_again() {
    let (_dir, home) = scratch();
    let mut logs = Logs::new(home.clone());
    let path = logs.create("/w", "0193-a", &[session("0193-a", "/w"), prompt("a1", "hi")]).unwrap();
    logs.append(&prompt("a2", "more")).unwrap();
    logs.error_details("{\"summary\":\"x\"}");
    logs.close();
    assert!(
        path.starts_with(&*home.path("sessions").to_string_lossy()) && path.ends_with("_0193-a.jsonl"),
        "{path}"
    );
    let errors = path.replace(".jsonl", ".errors.jsonl");
    for file in [&*path, errors.as_str()] {
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600, "{file}");
    }
    fs::set_permissions(&*path, fs::Permissions::from_mode(0o644)).unwrap();
    let opened = lines(logs.open(&Which::Latest { cwd: "/w".into() }, &mut drop));
    assert_eq!(opened, [session("0193-a", "/w"), prompt("a1", "hi"), prompt("a2", "more")]);
    assert_eq!(fs::metadata(&*path).unwrap().permissions().mode() & 0o777, 0o600);
    logs.append(&prompt("a3", "again")).unwrap();
    drop(logs);
    assert_eq!(open(&home, &path).len(), 4);
    let left = fs::read_dir(Path::new(&*path).parent().unwrap()).unwrap().count();
    assert_eq!(left, 2, "the log and its errors; no lock stays behind");
}

#[test]
fn what_is_not_there_or_no_log_is_said() {
    let (dir, home) = scratch();
    let mut logs = Logs::new(home.clone());
    assert_eq!(logs.open(&Which::Latest { cwd: "/w".into() }, &mut drop), Opened::Missing);
    assert_eq!(logs.open(&Which::Path("/no/such.jsonl".into()), &mut drop), Opened::Missing);
    let folder = dir.path().to_string_lossy().into_owned();
    assert!(matches!(logs.open(&Which::Path(folder.into()), &mut drop), Opened::Failed(_)));
    let empty = dir.path().join("empty.jsonl");
    fs::write(&empty, "").unwrap();
    assert!(matches!(logs.open(&Which::Path(empty.to_string_lossy().into()), &mut drop), Opened::Failed(_)));
    assert!(logs.append(&prompt("a", "x")).is_err());
    let mut said = Vec::new();
    let append = StoreFx::Append { ticket: Ticket(7), line: prompt("a", "x") };
    work(&mut logs, append, &mut |ticket, msg| said.push((ticket, msg)));
    assert!(matches!(said[..], [(Ticket(7), StoreMsg::AppendFailed { .. })]));
}

#[test]
fn the_workspace_key_is_safe_and_follows_the_real_path() {
    let (dir, _home) = scratch();
    let odd = dir.path().join("my app! ".to_owned() + &"x".repeat(60));
    fs::create_dir_all(&odd).unwrap();
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&odd, &link).unwrap();
    let key = workspace_key(&odd);
    assert_eq!(key, workspace_key(&link));
    let (name, hash) = key.rsplit_once('-').unwrap();
    assert_eq!((name.len(), hash.len()), (40, 16));
    assert!(name.starts_with("my-app--xxx") && hash.chars().all(|c| c.is_ascii_hexdigit()), "{key}");
    // SHA-256 of "/", for a fixed point.
    assert_eq!(workspace_key(Path::new("/")), "root-8a5edab282632443");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn n4_a_torn_last_line_loads_as_the_log_without_it(at in any::<prop::sample::Index>(), text in ".{0,30}") {
        let (_dir, home) = scratch();
        let all = [session("x", "/w"), prompt("a1", "hi"), prompt("a2", &text)];
        let path = saved(&home, "/w", "x", &all);
        let whole = fs::read(&*path).unwrap();
        let last = all[2].len() + 1;
        let cut = whole.len() - 1 - at.index(last);
        fs::write(&*path, &whole[..cut]).unwrap();
        // Only the line end can be missing without the record being torn.
        let expected = if cut == whole.len() - 1 { &all[..] } else { &all[..2] };
        prop_assert_eq!(&open(&home, &path)[..], expected);
        // The file itself is whole again, and what is appended next stands on a line of its own.
        let mut logs = Logs::new(home.clone());
        logs.open(&Which::Path(path.clone()), &mut drop);
        logs.append(&prompt("a9", "next")).unwrap();
        drop(logs);
        let again = open(&home, &path);
        prop_assert_eq!(again.len(), expected.len() + 1);
        prop_assert_eq!(&again[again.len() - 1], &prompt("a9", "next"));
    }
}

#[test]
fn g61_a_bad_line_inside_stays_in_the_file_and_new_messages_are_appended() {
    let (_dir, home) = scratch();
    let mut all: Vec<Arc<str>> = (0..80).map(|n| prompt(&format!("m{n}"), "hi")).collect();
    all[0] = session("x", "/w");
    let path = saved(&home, "/w", "x", &all);
    let text = fs::read_to_string(&*path).unwrap();
    let mut broken: Vec<Vec<u8>> = text.lines().map(|l| l.as_bytes().to_vec()).collect();
    broken[39] = vec![0; 300];
    broken[50] = b"\xff\xfe not text".to_vec();
    let bytes = [broken.join(&b'\n'), b"\n".to_vec()].concat();
    fs::write(&*path, &bytes).unwrap();
    let mut logs = Logs::new(home);
    let opened = lines(logs.open(&Which::Path(path.clone()), &mut drop));
    let log = read(opened.iter().map(|l| &**l));
    assert_eq!(log.records.len(), 78);
    assert_eq!(log.bad.iter().map(|b| b.line).collect::<Vec<_>>(), [40, 51]);
    logs.append(&prompt("new", "on")).unwrap();
    drop(logs);
    let after = fs::read(&*path).unwrap();
    assert!(after.starts_with(&bytes), "not a byte of the old file is rewritten");
}

#[test]
fn g62_a_second_process_is_told_and_a_dead_ones_lock_is_free() {
    let (_dir, home) = scratch();
    let path = saved(&home, "/w", "x", &[session("x", "/w"), prompt("a", "hi")]);
    let mut other = child::start(&home, &format!("hold {path}"));
    let mut said = BufReader::new(other.stdout.take().unwrap()).lines();
    assert!(said.any(|l| l.unwrap() == "open"), "the other process has it");
    let mut logs = Logs::new(home.clone());
    assert_eq!(logs.open(&Which::Path(path.clone()), &mut drop), Opened::Busy { path: path.clone() });
    assert_eq!(
        logs.open(&Which::Latest { cwd: "/w".into() }, &mut drop),
        Opened::Busy { path: path.clone() }
    );
    other.kill().unwrap();
    other.wait().unwrap();
    assert!(matches!(logs.open(&Which::Path(path), &mut drop), Opened::Log { .. }));
}

#[test]
fn after_kill_9_in_the_middle_of_writing_every_line_said_to_be_safe_is_there() {
    let (_dir, home) = scratch();
    let mut other = child::start(&home, "write");
    let mut safe = None;
    for said in BufReader::new(other.stdout.take().unwrap()).lines() {
        if let Some(n) = said.unwrap().strip_prefix("safe ") {
            safe = n.parse::<usize>().ok();
            if safe >= Some(40) {
                break;
            }
        }
    }
    other.kill().unwrap();
    other.wait().unwrap();
    let mut logs = Logs::new(home);
    let opened = lines(logs.open(&Which::Latest { cwd: "/w".into() }, &mut drop));
    let log = read(opened.iter().map(|l| &**l));
    assert_eq!(log.bad, []);
    assert!(log.records.len() >= safe.unwrap() + 2, "{} lines, {safe:?} safe", log.records.len());
}

#[test]
fn on_a_full_disk_a_line_is_written_whole_or_not_at_all() {
    let (_dir, home) = scratch();
    let mut other = child::start_with_a_small_disk(&home, "write", 32);
    let said: Vec<String> =
        BufReader::new(other.stdout.take().unwrap()).lines().map(|l| l.unwrap()).collect();
    other.wait().unwrap();
    let stopped = said.iter().find_map(|l| l.strip_prefix("stopped ")).expect("the append failed");
    let mut logs = Logs::new(home);
    let opened = lines(logs.open(&Which::Latest { cwd: "/w".into() }, &mut drop));
    let log = read(opened.iter().map(|l| &**l));
    assert_eq!(log.bad, [], "no half line stays");
    assert_eq!(log.records.len(), stopped.parse::<usize>().unwrap() + 1);
}

#[test]
fn g64_the_log_goes_on_when_the_working_folder_is_gone() {
    let (dir, home) = scratch();
    let cwd = dir.path().join("w");
    fs::create_dir(&cwd).unwrap();
    let name = cwd.to_string_lossy().into_owned();
    let mut logs = Logs::new(home.clone());
    let path = logs.create(&name, "x", &[session("x", &name)]).unwrap();
    fs::remove_dir(&cwd).unwrap();
    logs.append(&prompt("a", "still here")).unwrap();
    logs.close();
    assert_eq!(open(&home, &path).len(), 2);
    assert!(Logs::new(home).create(&name, "y", &[session("y", &name)]).is_ok());
}

#[test]
fn making_a_log_where_nothing_can_be_written_says_why() {
    let (dir, home) = scratch();
    fs::create_dir_all(dir.path().join("user")).unwrap();
    let mut blocker = fs::File::create(home.root()).unwrap();
    blocker.write_all(b"a file in the home's place").unwrap();
    let error = Logs::new(home).create("/w", "x", &[session("x", "/w")]).unwrap_err();
    assert!(error.contains("cannot be saved under ~/.e/sessions"), "{error}");
}
