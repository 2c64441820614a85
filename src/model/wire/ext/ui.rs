//! What an extension asks of the screen: `ui.*` requests as typed, sanitised and clipped values. Params are read field by
//! field, and a wrong type is as if nothing were there (`extensions-notes.md` 12 to 17).

use std::sync::Arc;

use serde_json::Value;

use crate::model::text::clean::Clean;
use crate::model::text::tone::Tone;
use crate::model::tool::Format;

use super::get::{flag, format, key, painted, text, titled};
use super::lines::Lines;
use super::pane::Pane;
use super::session::SessionAsk;
use super::{PANEL_LINES, SHOW_BYTES, TITLE_CHARS, get};

/// A request by subject.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    Ui(UiAsk),
    Session(SessionAsk),
    /// A known method that cannot be served with these params, and the error to answer.
    Refused(Arc<str>),
    /// A method that `e` does not know.
    Unknown,
}

#[derive(Debug, Clone, PartialEq)]
pub enum UiAsk {
    /// A blank message shows nothing.
    Notify {
        tone: Tone,
        message: Clean,
    },
    Show(Show),
    /// Never without a choice.
    Select {
        title: Clean,
        choices: Vec<Choice>,
    },
    /// Title and message show what is hidden in them.
    Confirm {
        title: Clean,
        message: Clean,
    },
    Input {
        title: Clean,
        placeholder: Clean,
        prefill: Clean,
        secret: bool,
    },
    Editor {
        title: Clean,
        text: Clean,
        placeholder: Clean,
    },
    Status(Slot),
    Activity(Slot),
    Compose {
        text: Clean,
    },
    /// `None` closes the caller's own.
    Panel(Option<Panel>),
    /// No lines remove the slot.
    Widget {
        key: Option<Arc<str>>,
        lines: Lines,
    },
    /// `None` closes the caller's own.
    Pane(Option<Pane>),
}

/// A block in the transcript.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Show {
    pub title: Clean,
    pub body: Clean,
    pub format: Format,
    /// The body's end was left out: a last row says so.
    pub cut: bool,
}

/// One option of a select.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// What is answered: an object's own value as it was sent.
    pub value: Arc<str>,
    /// What is shown and answered beside the value.
    pub label: Clean,
    pub description: Clean,
}

/// A slot of the status or activity row; no text clears it. The row cuts it to its columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    pub key: Option<Arc<str>>,
    pub text: Clean,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Panel {
    /// The extension's name when empty.
    pub title: Clean,
    pub lines: Lines,
    /// It gets the keyboard.
    pub interactive: bool,
}

impl Ask {
    /// The request of a method and its params.
    pub fn read(method: &str, params: &Value) -> Ask {
        let ui = match method {
            "ui.notify" => {
                UiAsk::Notify { tone: tone(params), message: get::notice(vanished(params, "message")) }
            }
            "ui.show" => match Show::lenient(params) {
                Some(show) => UiAsk::Show(show),
                None => return Ask::Refused("ui.show: give a title or a body".into()),
            },
            "ui.select" => match select(params) {
                Some(select) => select,
                None => {
                    return Ask::Refused("ui.select: give options: strings, or objects with a label".into());
                }
            },
            "ui.confirm" => {
                UiAsk::Confirm { title: reviewed(params, "title"), message: reviewed(params, "message") }
            }
            "ui.input" => UiAsk::Input {
                title: titled(params, "title"),
                placeholder: titled(params, "placeholder"),
                prefill: text(params, "prefill").map(Clean::one_line).unwrap_or_default(),
                secret: flag(params, "secret").unwrap_or(false),
            },
            "ui.editor" => UiAsk::Editor {
                title: titled(params, "title"),
                text: vanished(params, "text"),
                placeholder: titled(params, "placeholder"),
            },
            "ui.status" => UiAsk::Status(slot(params)),
            "ui.activity" => UiAsk::Activity(slot(params)),
            "ui.compose" => UiAsk::Compose { text: vanished(params, "text") },
            "ui.panel" => UiAsk::Panel(params.is_object().then(|| Panel {
                title: titled(params, "title"),
                lines: Lines::read(params.get("lines"), PANEL_LINES),
                interactive: flag(params, "interactive").unwrap_or(false),
            })),
            "ui.widget" => UiAsk::Widget {
                key: key(params, "key"),
                lines: Lines::read(params.get("lines"), PANEL_LINES),
            },
            "ui.pane" if !params.is_object() => UiAsk::Pane(None),
            "ui.pane" => match Pane::read(params) {
                Some(pane) => UiAsk::Pane(Some(pane)),
                None => {
                    let why = "ui.pane: give sections of the kinds list, diff, text, markdown or rows";
                    return Ask::Refused(why.into());
                }
            },
            other => return SessionAsk::read(other, params),
        };
        Ask::Ui(ui)
    }
}

impl UiAsk {
    /// Whether a person answers it; all others are answered at once.
    pub fn is_question(&self) -> bool {
        matches!(
            self,
            UiAsk::Select { .. } | UiAsk::Confirm { .. } | UiAsk::Input { .. } | UiAsk::Editor { .. }
        )
    }
}

impl Show {
    /// `None` when there is nothing to show.
    fn lenient(params: &Value) -> Option<Show> {
        let [title, body, word] = ["title", "body", "format"].map(|key| text(params, key));
        Show::new(title, body, format(word))
    }

    /// Sanitised and clipped; `None` when title and body are blank.
    pub fn new(title: Option<&str>, body: Option<&str>, format: Format) -> Option<Show> {
        let title = Clean::collapsed(title.unwrap_or_default());
        let (body, cut) = get::clipped(painted(body.unwrap_or_default(), format), SHOW_BYTES);
        let (title, _) = get::clipped(title, SHOW_BYTES);
        let blank = title.is_empty() && body.as_str().trim().is_empty();
        (!blank).then_some(Show { title, body, format, cut })
    }
}

fn vanished(params: &Value, key: &str) -> Clean {
    text(params, key).map(Clean::vanish).unwrap_or_default()
}

/// A title in which nothing stays hidden, for what a person decides on.
fn reviewed(params: &Value, key: &str) -> Clean {
    let seen = text(params, key).map(Clean::review).unwrap_or_default();
    Clean::collapsed(seen.as_str()).chars(TITLE_CHARS)
}

fn tone(params: &Value) -> Tone {
    match text(params, "tone") {
        Some("warning") => Tone::Warning,
        Some("error") => Tone::Error,
        _ => Tone::Info,
    }
}

fn slot(params: &Value) -> Slot {
    let text = text(params, "text").map(Clean::collapsed).unwrap_or_default();
    Slot { key: key(params, "key"), text: text.ellipsis(SLOT_KEPT) }
}

/// Columns of a slot's text that are kept; its row shows fewer and says so with an ellipsis.
const SLOT_KEPT: usize = 256;

fn select(params: &Value) -> Option<UiAsk> {
    let title = match titled(params, "title") {
        blank if blank.is_empty() => Clean::from("Choose"),
        title => title,
    };
    let options = params.get("options")?.as_array()?;
    let choices: Vec<Choice> = options.iter().filter_map(choice).collect();
    (!choices.is_empty()).then_some(UiAsk::Select { title, choices })
}

fn choice(option: &Value) -> Option<Choice> {
    let raw = option.as_str().or_else(|| text(option, "label"))?;
    let full = || Arc::from(Clean::vanish(raw).as_str());
    let value = match option.get("value") {
        None => full(),
        Some(Value::String(value)) => Arc::from(value.as_str()),
        Some(other) => other.to_string().into(),
    };
    Some(Choice { value, label: get::title(raw), description: titled(option, "description") })
}
