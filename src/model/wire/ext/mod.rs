//! The extension protocol, version 1: what crosses the pipes both ways, as data. Reading and writing are pure; the pumps
//! in the world call them, and the core sees typed messages only (`extensions.txt`, `extensions-notes.md`).

mod answer;
mod event;
mod frame;
mod get;
mod heard;
mod incoming;
mod lines;
mod manifest;
mod outgoing;
mod pane;
mod reply;
mod salvage;
mod session;
mod ui;

pub use answer::{
    CommandAnswer, Completion, Env, HookAnswer, Relaunch, RenderAnswer, StartupAnswer, ToolAnswer, command,
    completions, hook, startup, tool,
};
pub use event::Event;
pub use frame::{Frame, Framer};
pub use heard::Heard;
pub use incoming::{Incoming, Lost, Request, Response, ToolUpdate, Why, read, read_frame};
pub use lines::Lines;
pub use manifest::{CommandDecl, FlagDecl, FlagKind, Manifest, Renders, ShortcutDecl, ToolDecl, manifest};
pub use outgoing::{Call, Init, Note, Scope};
pub use pane::{Body, Item, Pane, Section};
pub use reply::{Info, Reply};
pub use salvage::Salvaged;
pub use session::{Send, SessionAsk};
pub use ui::{Ask, Choice, Panel, Show, Slot, UiAsk};

use crate::model::time::Span;

/// What `e` speaks.
pub const PROTOCOL: u64 = 1;
/// The families this `e` speaks, in the order every mode announces them.
pub const CAPABILITIES: [&str; 10] =
    ["tool.update", "events", "hooks", "display", "ui", "session", "shortcuts", "pane", "widget", "render"];
/// Longest line from an extension in bytes, without its newline; exactly that many pass.
pub const LONGEST_LINE: usize = 4 * 1024 * 1024;
/// Bytes of a discarded line that are looked at for an `id`.
pub const LEADING: usize = 1024;
/// Bytes that may wait for one extension's stdin.
pub const BACKLOG: usize = 4 * 1024 * 1024;
/// Unanswered requests of one extension.
pub const UNANSWERED: usize = 32;

/// The answer to `initialize`.
pub const INITIALIZE_TIME: Span = Span::secs(5);
/// One hook of one extension.
pub const HOOK_TIME: Span = Span::secs(5);
pub const TOOL_TIME: Span = Span::secs(300);
/// Commands and shortcuts.
pub const COMMAND_TIME: Span = Span::secs(60);
pub const COMPLETION_TIME: Span = Span::secs(3);

/// Completions kept of one answer.
pub const COMPLETIONS: usize = 50;
/// Characters of a modal's, panel's or pane's title, an option's label and description, a confirm's message, a
/// placeholder and a session name.
pub const TITLE_CHARS: usize = 60;
/// Characters of a pane's hint.
pub const HINT_CHARS: usize = 80;
/// Bytes of a shown text, sanitised.
pub const SHOW_BYTES: usize = 64 * 1024;
/// Bytes of a tool's `display`.
pub const DISPLAY_BYTES: usize = 32 * 1024;
/// Lines of a panel; one more row counts the missing ones.
pub const PANEL_LINES: usize = 200;
/// Columns of a panel's or widget's line that are kept; no screen shows more.
pub const LINE_COLUMNS: usize = 4096;
/// Bytes of a pane's sections as compact JSON.
pub const PANE_BYTES: usize = 256 * 1024;

/// The id of an extension's own request: its JSON text, given back byte for byte. `e`'s ids are integers of their own,
/// so the two cannot be mixed up.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WireId(pub std::sync::Arc<str>);

/// The runtime hooks (`extensions-notes.md` 9), and what a manifest calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookKind {
    Input,
    BeforeTurn,
    ToolCall,
    ToolResult,
    CompactSummary,
    Render,
}

impl HookKind {
    /// In the order a death notice names them.
    pub const ALL: [HookKind; 6] = [
        HookKind::ToolCall,
        HookKind::Input,
        HookKind::BeforeTurn,
        HookKind::ToolResult,
        HookKind::CompactSummary,
        HookKind::Render,
    ];

    pub fn name(self) -> &'static str {
        match self {
            HookKind::Input => "input",
            HookKind::BeforeTurn => "before_turn",
            HookKind::ToolCall => "tool_call",
            HookKind::ToolResult => "tool_result",
            HookKind::CompactSummary => "compact_summary",
            HookKind::Render => "render",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        HookKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
