//! What extensions cost: `cargo bench --bench extensions`. Each figure beside the one without them, in one run: the first
//! frame with five of them (at most 1.1 times), what a gate adds to a tool call besides its own time (at most 1 ms), and
//! key echo and memory while one floods (p99 at most twice the idle one, memory at most 20 MiB more).
//!
//! The extensions are this very program under other names, so that their own time hardly counts.

#![allow(clippy::print_stdout, reason = "a bench says its figures")]

#[path = "../tests/term/pty.rs"]
#[allow(clippy::unwrap_used, reason = "the tests' harness, where a failure is one of the machine")]
mod pty;

use std::io::{BufRead, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pty::{Pty, Spawn};

const E: &str = env!("CARGO_BIN_EXE_e");
/// Tool calls of one run with and without a gate.
const CALLS: usize = 200;
/// Key presses of one series.
const KEYS: usize = 150;
const STARTS: usize = 21;

fn main() {
    let name = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    match name.file_name().and_then(|name| name.to_str()) {
        Some(name) if name.starts_with("gate") => {
            return speak(r#"{"name":"gate","hooks":["tool_call"]}"#, false);
        }
        Some(name) if name.starts_with("idle") => return speak(r#"{"name":"idle"}"#, false),
        Some("flood") => return speak(r#"{"name":"flood","commands":[{"name":"flood"}]}"#, true),
        _ => {}
    }
    // `cargo test --benches` only wants to know that it runs.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    first_frame();
    gate();
    flood();
}

/// Plays an extension: says what it is, answers whatever it is asked with nothing, and floods when its command is called.
fn speak(manifest: &str, floods: bool) {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let id: String =
            line.split("\"id\":").nth(1).unwrap_or("").chars().take_while(char::is_ascii_digit).collect();
        if line.contains(r#""method":"shutdown""#) {
            return;
        }
        if id.is_empty() {
            continue;
        }
        let result = if line.contains(r#""method":"initialize""#) { manifest } else { "{}" };
        let _gone = writeln!(out, r#"{{"id":{id},"result":{result}}}"#).and_then(|()| out.flush());
        if floods && line.contains(r#""method":"command""#) {
            let junk = "j".repeat(1023);
            for n in 0..100_000 {
                let notice = format!(r#"{{"method":"notify","params":{{"message":"notice {n}"}}}}"#);
                if writeln!(out, "{notice}").is_err() || (n % 2 == 0 && writeln!(out, "{junk}").is_err()) {
                    return;
                }
            }
            let _gone = writeln!(out, r#"{{"method":"notify","params":{{"message":"flood over"}}}}"#)
                .and_then(|()| out.flush());
        }
    }
}

/// A home with these extensions, and a trusted workspace.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new(extensions: &[&str]) -> Place {
        let dir = tempfile::tempdir().expect("a scratch directory");
        let place = Place { dir };
        std::fs::create_dir_all(place.home().join("extensions")).expect("a scratch home");
        std::fs::create_dir_all(place.work()).expect("a scratch workspace");
        let me = std::env::current_exe().expect("my own path");
        for name in extensions {
            symlink(&me, place.home().join("extensions").join(name)).expect("an extension");
        }
        let trusted = Command::new(E)
            .args(["trust", "."])
            .current_dir(place.work())
            .env("E_HOME", place.home())
            .stdout(Stdio::null())
            .status();
        assert!(trusted.is_ok_and(|status| status.success()), "the workspace cannot be trusted");
        place
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    fn start(&self) -> Pty {
        Spawn::new(self.work())
            .program(E)
            .size(100, 30)
            .env("E_HOME", self.home().to_string_lossy())
            .env("TERM", "xterm-256color")
            .start()
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn p99(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() * 99 / 100]
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

fn first_frame() {
    let places = [Place::new(&[]), Place::new(&["idle1", "idle2", "idle3", "idle4", "idle5"])];
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..STARTS {
        for (place, times) in places.iter().zip(&mut times) {
            let began = Instant::now();
            let mut pty = place.start();
            pty.wait_raw("›");
            times.push(ms(began));
            pty.send([4]);
            let _status = pty.wait_exit();
        }
    }
    let [none, five] = times.map(median);
    println!("first frame: none {none:.2} ms, five {five:.2} ms, ratio {:.2} (at most 1.1)", five / none);
}

fn gate() {
    let places = [Place::new(&[]), Place::new(&["gate"])];
    let mut times = [Vec::new(), Vec::new()];
    let step = serde_json::json!({"tool": "read", "args": {"path": "a.txt"}});
    let mut script: Vec<serde_json::Value> = (0..CALLS).map(|_| serde_json::json!([step])).collect();
    script.push(serde_json::json!(["done"]));
    for place in &places {
        std::fs::write(place.work().join("a.txt"), "hello\n").expect("a file");
        std::fs::write(place.work().join("s.json"), serde_json::to_string(&script).expect("json"))
            .expect("a script");
    }
    for _ in 0..5 {
        for (place, times) in places.iter().zip(&mut times) {
            times.push(run(place));
        }
    }
    let [without, with] = times.map(median);
    let each = (with - without) / CALLS as f64;
    println!(
        "a gate: {CALLS} calls {without:.1} ms without, {with:.1} ms with: {each:.3} ms a call, its start included (at most 1)"
    );
}

fn run(place: &Place) -> f64 {
    let began = Instant::now();
    let status = Command::new(E)
        .args(["-p", "-m", &format!("script/{}", place.work().join("s.json").display()), "go"])
        .current_dir(place.work())
        .env("E_HOME", place.home())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status();
    assert!(status.is_ok_and(|status| status.success()), "a scripted run failed");
    ms(began)
}

/// How long each key takes to its echo; every key is another letter.
fn keys(pty: &Pty, first: u32, until: impl Fn(usize) -> bool) -> Vec<f64> {
    let mut times = Vec::new();
    for n in 0.. {
        if !until(n) {
            break;
        }
        let letter = char::from_u32(first + n as u32).unwrap_or('x').to_string();
        let began = Instant::now();
        let mark = pty.mark();
        pty.send(&letter);
        // Only what came since is looked through: under a flood the whole is megabytes.
        while !pty.raw_since(mark).windows(letter.len()).any(|bytes| bytes == letter.as_bytes()) {
            std::thread::sleep(Duration::from_micros(50));
        }
        times.push(ms(began));
        std::thread::sleep(Duration::from_millis(3));
    }
    times
}

fn peak(pid: u32) -> f64 {
    let status =
        std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    let kib: f64 = line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).unwrap_or_default();
    kib / 1024.0
}

fn flood() {
    let place = Place::new(&["flood"]);
    let mut pty = place.start();
    pty.wait_raw("›");
    std::thread::sleep(Duration::from_millis(500));
    let idle = keys(&pty, 0x4e00, |n| n < KEYS);
    // Clears the draft.
    pty.send([3]);
    let before = peak(pty.pid());
    pty.send("/flood ");
    std::thread::sleep(Duration::from_millis(100));
    pty.send("\r");
    let began = Instant::now();
    pty.wait_raw("notice 1");
    let under = keys(&pty, 0x5e00, |n| n < KEYS);
    let (count, took) = (under.len(), ms(began));
    let after = peak(pty.pid());
    let (idle_p99, idle_p50) = (p99(idle.clone()), median(idle));
    let (under_p99, under_p50) = (p99(under.clone()), median(under));
    println!(
        "a flood of 100,000 notices and 50 MB of junk, {took:.0} ms, {count} keys: echo p50 {under_p50:.2} (idle {idle_p50:.2}), \
         p99 {under_p99:.2} (idle {idle_p99:.2}, at most twice), memory +{:.1} MiB (at most 20)",
        after - before
    );
    pty.send([3, 3]);
    let _status = pty.wait_exit();
}
