//! The window's width changes while a long block streams: in a real tmux, which re-wraps what stands on its screen, and
//! on a terminal that does not.

use serde_json::{Value, json};
use std::time::{Duration, Instant};

use super::rig::{QUIET, Rig, over, ready, submit, times};
use crate::term::pty::{Pty, Spawn};
use crate::term::tmux::{Tmux, present};

/// Rows of the long block.
const LINES: usize = 70;

/// A reply that fills the screen, then one with a long code block that streams for some seconds.
fn script(pause_ms: u64) -> Value {
    let first: String = (0..12).map(|n| format!("Early paragraph {n:02}.\n\n")).collect();
    let mut long = vec![json!("| a | b |\n|---|---|\n| cell | other |\n\n```text\n")];
    for n in 0..LINES {
        long.push(json!(format!("line{n:03} = call({n}) {}\n", "x".repeat(n * 7 % 70))));
        // The drag begins while nothing is written: bytes that are on their way when a terminal changes end up anywhere.
        long.push(json!({"pause_ms": if n == 10 { pause_ms } else { 40 }}));
    }
    long.push(json!("```\n\nThe very end."));
    json!([[first, "The first end."], long])
}

/// Sixty widths between 60 and 120, the last one 80, all in about a second.
fn drag(mut resize: impl FnMut(u16)) {
    let began = Instant::now();
    for step in 0..60u16 {
        resize(if step == 59 { 80 } else { 60 + step * 37 % 61 });
        let until = began + Duration::from_millis(16) * u32::from(step + 1);
        std::thread::sleep(until.saturating_duration_since(Instant::now()));
    }
}

/// What stands more or less than once of all that is to stand once.
fn wrong(history: &[String]) -> Vec<String> {
    let lines = (0..LINES).map(|n| format!("line{n:03} ="));
    let early = (0..12).map(|n| format!("Early paragraph {n:02}."));
    let once = ["tell me first", "tell me more", "The first end.", "The very end.", "cell", "› my draft"];
    let count = |text: &str| history.iter().filter(|row| row.contains(text)).count();
    let mut wrong: Vec<String> = lines
        .chain(early)
        .chain(once.map(str::to_owned))
        .filter(|text| count(text) != 1)
        .map(|text| format!("{} times {text:?}", count(&text)))
        .collect();
    let rules = history.iter().filter(|row| row.starts_with("────────")).count();
    if rules != 2 {
        wrong.push(format!("{rules} rules"));
    }
    let order: Vec<&str> = history.iter().filter_map(|row| row.trim_start().get(..9)).collect();
    let order: Vec<&str> = order.into_iter().filter(|start| start.starts_with("line0")).collect();
    if !order.is_sorted() {
        wrong.push(format!("out of order: {order:?}"));
    }
    wrong
}

/// What a terminal can promise of two final screens: from the last row that shows upwards they are equal, the cursor
/// with it. The last block may go to scrollback before the activity row goes or together with it, as the frames fall.
/// Before, one blank row is left at the end of the screen: no terminal gives back a row that has scrolled away.
#[track_caller]
fn same_end(mut one: Vec<String>, mut other: Vec<String>, cursors: [(usize, usize); 2]) {
    for rows in [&mut one, &mut other] {
        let shown = rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1);
        rows.truncate(shown);
        assert!((23..=24).contains(&shown), "{}", rows.join("\n"));
    }
    let above = |rows: &[String], (col, row): (usize, usize)| (col, rows.len().checked_sub(row));
    assert_eq!(above(&one, cursors[0]), above(&other, cursors[1]));
    let common = one.len().min(other.len());
    assert_eq!(one[one.len() - common..], other[other.len() - common..]);
}

/// A terminal's screen as rows, and its cursor's column and row.
fn end(pty: &Pty) -> (Vec<String>, (usize, usize)) {
    let (row, col) = pty.screen().cursor_position();
    (pty.text().lines().map(|row| row.trim_end().to_owned()).collect(), (col.into(), row.into()))
}

fn in_tmux(spawn: &Spawn, dragged: bool) -> Tmux {
    let tmux = Tmux::start(spawn);
    tmux.wait_for("›");
    tmux.settle();
    tmux.type_text("tell me first");
    tmux.wait_for("tell me first");
    tmux.key("Enter");
    tmux.wait_for("The first end.");
    tmux.settle();
    tmux.type_text("tell me more");
    tmux.wait_for("› tell me more");
    tmux.key("Enter");
    tmux.wait_for("line010 =");
    tmux.type_text("my draft");
    tmux.wait_for("› my draft");
    if dragged {
        std::thread::sleep(Duration::from_millis(200));
        drag(|cols| tmux.resize(cols, 24));
    }
    tmux.wait_for("The very end.");
    tmux.settle();
    tmux
}

#[test]
fn g16_a_storm_of_sixty_resizes_in_tmux_repeats_and_loses_no_row() {
    if !present() {
        return;
    }
    let rig = Rig::new(&script(1500));
    std::fs::create_dir(rig.path("other")).unwrap();
    std::fs::copy(rig.path("home/trust.json"), rig.path("other/trust.json")).unwrap();
    let fresh = in_tmux(&rig.spawn().env("E_HOME", rig.path("other").to_str().unwrap()), false);
    let dragged = in_tmux(&rig.spawn(), true);
    assert_eq!(wrong(&fresh.history()), Vec::<String>::new());
    assert_eq!(wrong(&dragged.history()), Vec::<String>::new(), "{}", dragged.history().join("\n"));
    same_end(dragged.screen(), fresh.screen(), [dragged.cursor(), fresh.cursor()]);
}

#[test]
fn g16_resizes_that_cut_rows_repeat_and_lose_no_row() {
    let rig = Rig::new(&script(4000));
    let play = |dragged: bool| {
        let pty = ready(rig.spawn().start());
        submit(&pty, "tell me first");
        pty.wait_for("The first end.");
        over(&pty);
        submit(&pty, "tell me more");
        pty.wait_for("line010 =");
        pty.send("my draft");
        pty.wait_for("› my draft");
        if dragged {
            // One after another: the emulator wraps a late row that no terminal with its wrapping off would.
            for step in 0..20u16 {
                pty.resize(if step == 19 { 80 } else { 60 + step * 37 % 61 }, 24);
                pty.settle(Duration::from_millis(50));
            }
        }
        pty.wait_for("The very end.");
        over(&pty);
        pty
    };
    let dragged = play(true);
    let found = wrong(&dragged.history());
    assert_eq!(found, Vec::<String>::new(), "{}", dragged.history().join("\n"));
    assert_eq!(times(&dragged, "esc to interrupt"), 0);
    dragged.settle(QUIET);
    let (shown, cursor) = end(&dragged);
    drop(dragged);
    std::fs::remove_dir_all(rig.path("home/drafts")).ok();
    let fresh = play(false);
    let (fresh_shown, fresh_cursor) = end(&fresh);
    same_end(shown, fresh_shown, [cursor, fresh_cursor]);
}
