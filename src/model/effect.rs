//! core → world: everything the core wants done, as plain comparable values.

use std::sync::Arc;

use super::ext::ExtFx;
use super::id::{StreamId, Ticket, TimerId};
use super::provider::Request;
use super::session::export::Page;
use super::time::Span;
use super::tool::ToolFx;

/// What one update wants done, in order.
#[must_use]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Effects(pub Vec<Effect>);

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    Stream(StreamFx),
    Tool(ToolFx),
    Store(StoreFx),
    Files(FilesFx),
    Auth(AuthFx),
    Timer(TimerFx),
    Term(TermFx),
    Ext(ExtFx),
    /// Text for stdout, exactly as it is (headless).
    Out(Arc<str>),
    /// A line for stderr; with a screen it is written when the screen is given back.
    Err(Arc<str>),
    /// Ends the process with this status, after everything before it is done.
    Exit(u8),
}

#[derive(Debug, Clone, PartialEq)]
pub enum StreamFx {
    Open {
        id: StreamId,
        request: Arc<Request>,
    },
    /// No message of this stream follows.
    Abort(StreamId),
}

#[derive(Debug, Clone, PartialEq)]
pub enum TimerFx {
    Set { id: TimerId, after: Span },
    Drop(TimerId),
}

/// The session logs.
#[derive(Debug, Clone, PartialEq)]
pub enum StoreFx {
    /// Makes and locks a new log whose first lines are these; answered `Created` or `Failed`.
    Create { ticket: Ticket, cwd: Arc<str>, id: Arc<str>, lines: Vec<Arc<str>> },
    /// Adds one record to the open log; silent on success, `Msg::Store(ticket, AppendFailed)` otherwise.
    Append { ticket: Ticket, line: Arc<str> },
    /// Lets go of the open log and its lock.
    Close,
    /// Locks and reads a log; answered `Opened`, `Busy`, `Missing` or `Failed`, and before that perhaps with its `Ending`.
    Open { ticket: Ticket, which: Which },
    /// Reads a log without taking it, also one that is open elsewhere; answered `Opened` or `Failed`.
    Read { ticket: Ticket, path: Arc<str> },
    /// Heads of the saved sessions, newest first; answered `Listed`.
    List { ticket: Ticket, cwd: Option<Arc<str>> },
    /// One line for `<session>.errors.jsonl`.
    ErrorDetails { line: Arc<str> },
}

#[derive(Debug, Clone, PartialEq)]
pub enum Which {
    /// The newest session of this directory.
    Latest {
        cwd: Arc<str>,
    },
    Path(Arc<str>),
}

/// The home's other files, the workspace's, and what the person points at.
#[derive(Debug, Clone, PartialEq)]
pub enum FilesFx {
    /// Built-in and user's models with what is usable; answered `Catalog`.
    LoadCatalog {
        ticket: Ticket,
    },
    /// Asks the local backends for their models; answered `Catalog`, also when nothing changed.
    ProbeLocal {
        ticket: Ticket,
    },
    /// Sets keys of `settings.json` (`null` removes), merged into what is on disk; silent or `Failed`.
    WriteSettings {
        ticket: Ticket,
        entries: Vec<(Arc<str>, serde_json::Value)>,
    },
    /// Records trust in a directory; silent or `Failed`.
    WriteTrust {
        ticket: Ticket,
        dir: Arc<str>,
        trusted: bool,
    },
    /// `AGENTS.md` of the home and of the workspace, and a `system_prompt` file; answered `Instructions`.
    LoadInstructions {
        ticket: Ticket,
        cwd: Arc<str>,
        trusted: bool,
    },
    /// Prompt templates and skills; answered `Templates`.
    LoadTemplates {
        ticket: Ticket,
        cwd: Arc<str>,
        trusted: bool,
    },
    /// Files of the workspace for the `@` picker, in batches; answered `Found` until `done`.
    Walk {
        ticket: Ticket,
        cwd: Arc<str>,
    },
    StopWalk(Ticket),
    /// Reads an image for the draft; answered `Image` or `Failed`.
    ReadImage {
        ticket: Ticket,
        path: Arc<str>,
    },
    /// The clipboard's image or text; answered `Image`, `Text` or `Failed`.
    ReadClipboard {
        ticket: Ticket,
    },
    /// The newest prompts of all sessions; answered `History`.
    LoadHistory {
        ticket: Ticket,
    },
    /// One more prompt for Up to recall.
    AppendHistory {
        cwd: Arc<str>,
        text: Arc<str>,
    },
    /// Keeps (or with `None` forgets) the unsent draft of this directory.
    KeepDraft {
        cwd: Arc<str>,
        draft: Option<Arc<str>>,
    },
    /// The draft a crash or quit left behind; answered `Draft`.
    LoadDraft {
        ticket: Ticket,
        cwd: Arc<str>,
    },
    /// Colours for code blocks, off the frame's path; answered `Coloured`.
    Highlight {
        ticket: Ticket,
        language: Arc<str>,
        text: Arc<str>,
        from_line: usize,
    },
    /// Writes a session's page; without a path under a name of its own in the workspace, and never over a file that is
    /// there. Answered `Exported` or `Failed`.
    Export {
        ticket: Ticket,
        cwd: Arc<str>,
        path: Option<Arc<str>>,
        page: Arc<Page>,
    },
    /// Reads again what a person writes by hand, as at the start; answered `Config`.
    ReadConfig {
        ticket: Ticket,
    },
    /// Counts what the saved sessions used since then (wall milliseconds; all of them without); answered `Usage`.
    CountUsage {
        ticket: Ticket,
        since: Option<u64>,
    },
    /// Nobody waits for this count any more.
    StopUsage(Ticket),
    /// The branch of the workspace's repository; answered `Branch`.
    ReadBranch {
        ticket: Ticket,
        cwd: Arc<str>,
    },
}

/// Sign-in. Keys pass through on their way to `auth.json` and are kept nowhere in the core.
#[derive(Clone, PartialEq)]
pub enum AuthFx {
    /// Stores a key; answered `Stored` or `Failed`, then a new `Catalog`.
    Store {
        ticket: Ticket,
        provider: Arc<str>,
        key: Secret,
    },
    Remove {
        ticket: Ticket,
        provider: Arc<str>,
    },
}

/// A key on its way from the field it was typed into to the file that keeps it. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub Arc<str>);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl std::fmt::Debug for AuthFx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AuthFx::Store { provider, .. } => write!(f, "Store({provider})"),
            AuthFx::Remove { provider, .. } => write!(f, "Remove({provider})"),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum TermFx {
    Title(Arc<str>),
    Bell,
    /// Copies text to the person's clipboard; a notice says which way was taken.
    Copy(Arc<str>),
    /// Enters or leaves the alternate screen (fullscreen, reader, panes).
    Alternate(bool),
    Mouse(bool),
    /// Stops the process until `fg`.
    Suspend,
    /// Lends the terminal to the editor; answered `Msg::Files(ticket, Edited)`.
    Editor {
        ticket: Ticket,
        text: Arc<str>,
        command: Arc<str>,
    },
    /// Paints everything anew.
    Redraw,
    /// Takes what is on the screen away: the process ends before it began, and leaves the terminal as it found it.
    Erase,
    /// Whether the terminal shows what is typed, where it edits the lines itself (accessible look).
    Echo(bool),
    /// A finished block leaves the live region for the terminal's scrollback, once.
    Print(super::id::BlockId),
}
