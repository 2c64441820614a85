//! A bug while drawing, in a real terminal: the library with a painter that breaks, run as a process of its own.

use std::ffi::OsString;

use e::effects::cli::{Decision, decide};
use e::effects::start;
use e::effects::term::screen::Rows;
use e::effects::terminal::Painter;
use e::model::Model;
use e::model::front::Front;
use e::model::id::BlockId;
use e::view::cache::Cache;
use e::view::paint;
use rustix::termios::LocalModes;
use serde_json::json;

use super::rig::{Rig, ready};
use crate::term::written::foreign;

/// Names the script; the part of the test that is a program of its own does nothing without it.
const SCRIPT: &str = "PANICKING_SCRIPT";

/// Draws as ever until a word is typed.
#[derive(Debug, Default)]
struct Breaking(Cache);

impl Painter for Breaking {
    fn frame(&mut self, model: &Model) -> (Rows, Option<(u16, u16)>) {
        if let Front::Tui(tui) = &model.front {
            assert_ne!(tui.composer.draft.text(), "boom", "the painter broke");
        }
        let painted = paint(model, &mut self.0);
        (painted.cells.into(), painted.cursor)
    }

    fn block(&mut self, _: &Model, _: BlockId, _: u16, _: &mut dyn FnMut(&mut Self, Rows)) {}
}

#[test]
#[ignore = "the other test starts this as a program"]
fn as_a_program() {
    let Ok(script) = std::env::var(SCRIPT) else { return };
    let args = ["e".to_owned(), "-m".to_owned(), format!("script/{script}")].map(OsString::from);
    let status = match decide(args, start::environment()) {
        Decision::Done(status) => status,
        Decision::Run(start) => start::run(*start, e::update::update, Breaking::default),
    };
    std::process::exit(status.into());
}

#[test]
fn g19_a_panic_while_drawing_gives_the_terminal_back_and_names_its_report() {
    for mode in ["inline", "fullscreen"] {
        let rig = Rig::new(&json!([]));
        rig.settings(&json!({"tui_mode": mode}));
        let mut spawn = rig.spawn().program(std::env::current_exe().unwrap());
        spawn.args = ["screen::panicking::as_a_program", "--exact", "--ignored", "--nocapture", "--quiet"]
            .map(str::to_owned)
            .to_vec();
        let mut pty = ready(spawn.env(SCRIPT, rig.path("script.json").to_str().unwrap()).start());
        let raw = |pty: &crate::term::pty::Pty| {
            !pty.termios().local_modes.intersects(LocalModes::ICANON | LocalModes::ECHO)
        };
        assert!(raw(&pty), "{mode}");
        pty.send("boom");
        pty.wait_for("a bug ended this program");
        assert_eq!(pty.wait_exit().code(), Some(70), "{mode}");
        assert!(!raw(&pty), "{mode}");
        let screen = pty.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste(), "{mode}");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "{mode}");
        let reports: Vec<_> = std::fs::read_dir(rig.path("home/crashes")).unwrap().flatten().collect();
        assert_eq!(reports.len(), 1, "{mode}");
        let said = pty.text().replace('\n', "");
        assert!(said.contains(reports[0].path().to_str().unwrap()), "{mode}: {said}");
        let report = std::fs::read_to_string(reports[0].path()).unwrap();
        assert!(report.contains("the painter broke") && report.contains("panicking.rs"), "{report}");
        // A bug in one frame leaves what was on the main screen before it.
        assert_eq!(foreign(&pty.raw()), None, "{mode}");
    }
}
