//! A panic gives the terminal back first, then leaves a report in a file that the last line names. A panic that its owner
//! catches (a tool's, the highlighter's) is that owner's matter and leaves no trace here.

use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

use super::home::Home;

/// Exit status of a bug (`cli.md`).
pub const STATUS: u8 = 70;

thread_local! {
    /// What the last panic of this thread said, until somebody needs it.
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `body`; a panic that reaches this far ends in status 70 (as `end` has it) with everything `body` owned dropped,
/// the terminal included.
pub fn guarded<T>(home: &Home, end: impl FnOnce(u8) -> T, body: impl FnOnce() -> T) -> T {
    std::panic::set_hook(Box::new(|info| LAST.with(|last| last.replace(describe(info)).clear())));
    if let Ok(ended) = catch_unwind(AssertUnwindSafe(body)) {
        return ended;
    }
    let text = LAST.with(RefCell::take);
    let place = text.lines().nth(1).unwrap_or_default();
    let line = match report(home, &text) {
        Ok(path) => format!("a bug ended this program. The report is in {path}"),
        Err(error) => format!("a bug ended this program ({place}), and no report could be written: {error}"),
    };
    end(super::cli::refuse(STATUS, &line))
}

/// What happened and where; nothing of the conversation is in it but what the panic itself said.
fn describe(info: &PanicHookInfo<'_>) -> String {
    let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
    let said = info
        .payload()
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| info.payload().downcast_ref::<String>().cloned())
        .unwrap_or_default();
    format!("e {}\n{place}\n{said}\n\n{}\n", env!("CARGO_PKG_VERSION"), Backtrace::force_capture())
}

fn report(home: &Home, text: &str) -> Result<String, String> {
    let folder = home.folder("crashes").map_err(|e| e.to_string())?;
    let path = folder.join(format!("{}.txt", jiff::Timestamp::now().as_millisecond()));
    std::fs::write(&path, text).map_err(|e| e.to_string())?;
    Ok(path.display().to_string())
}
