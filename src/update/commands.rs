//! A built-in command and its arguments as what they ask for.

use std::sync::Arc;

use crate::model::ask::{Ask, SessionAsk, UiAsk};
use crate::model::id::SessionId;
use crate::model::provider::ModelRef;
use crate::model::session::commands::Command;

/// What a command asks for, and of whom.
pub fn read(session: SessionId, command: &Command, arguments: &str) -> Ask {
    let words = arguments.trim();
    let text = || -> Arc<str> { words.into() };
    let given = || -> Option<Arc<str>> { (!words.is_empty()).then(|| words.into()) };
    let told = |ask: SessionAsk| Ask::Session(session, ask);
    match command.name {
        "new" => told(SessionAsk::New),
        "fork" => told(SessionAsk::Fork),
        "undo" => told(SessionAsk::Undo),
        "name" => told(SessionAsk::Name(text())),
        "compact" => told(SessionAsk::Compact { focus: given() }),
        "model" => match ModelRef::parse(words) {
            Some(model) => told(SessionAsk::Model(model)),
            None => Ask::Ui(UiAsk::ModelPicker { query: text() }),
        },
        "effort" => match given() {
            Some(level) => told(SessionAsk::Effort(level)),
            None => Ask::Ui(UiAsk::EffortPicker),
        },
        "resume" => Ask::Ui(UiAsk::ResumePicker),
        "tree" => Ask::Ui(UiAsk::Tree),
        "login" => Ask::Ui(UiAsk::Login { provider: given() }),
        "logout" => Ask::Ui(UiAsk::Logout { provider: given() }),
        "copy" => Ask::Ui(UiAsk::Copy),
        "export" => Ask::Ui(UiAsk::Export { path: given() }),
        "scoped-models" => Ask::Ui(UiAsk::ScopedModels { arguments: text() }),
        "usage" => Ask::Ui(UiAsk::Usage { period: text() }),
        "context" => Ask::Ui(UiAsk::Context),
        "settings" => Ask::Ui(UiAsk::Settings),
        "theme" => Ask::Ui(UiAsk::Theme),
        "keys" => Ask::Ui(UiAsk::Keys),
        "layout" => Ask::Ui(UiAsk::Layout),
        "extensions" => Ask::Ui(UiAsk::Extensions),
        "reload" => Ask::Ui(UiAsk::Reload),
        "trust" => Ask::Ui(UiAsk::Trust),
        "quit" => Ask::Ui(UiAsk::Quit),
        _ => Ask::Ui(UiAsk::Help),
    }
}
