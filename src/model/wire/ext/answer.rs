//! Answers of extensions to the requests of `e`, each whole or not at all: one wrong type and the answer says nothing.
//! What that means is the asker's business (`extensions-notes.md` 7 to 10).

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::model::text::clean::Clean;
use crate::model::tool::{Display, Format};

use super::get::{self, Strict, format};
use super::ui::Show;
use super::{COMPLETIONS, DISPLAY_BYTES, HookKind};

/// A tool's result.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolAnswer {
    /// For the model, as it came; whoever paints it sanitises it.
    pub content: Arc<str>,
    pub is_error: bool,
    pub session_name: Option<Clean>,
    /// The suffix of the row.
    pub summary: Option<Clean>,
    /// What the reader shows instead of `content`.
    pub display: Option<Display>,
}

/// What a command or a shortcut wants done, in this order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CommandAnswer {
    pub notice: Option<Clean>,
    pub show: Option<Show>,
    pub prompt: Option<Arc<str>>,
    pub session_name: Option<Clean>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// Replaces the typed prefix; never empty.
    pub value: Arc<str>,
    pub label: Clean,
    pub description: Clean,
}

/// A runtime hook's answer. The default of each is the empty answer, which changes nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum HookAnswer {
    Input {
        consume: bool,
        /// Not empty.
        replace: Option<Arc<str>>,
        notice: Option<Clean>,
    },
    BeforeTurn {
        system_suffix: Option<Arc<str>>,
        /// The content and whether it is internal.
        message: Option<(Arc<str>, bool)>,
    },
    ToolCall {
        block: bool,
        reason: Option<Arc<str>>,
    },
    ToolResult {
        content: Option<Arc<str>>,
    },
    CompactSummary {
        summary: Option<Arc<str>>,
    },
    Render(Option<RenderAnswer>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct RenderAnswer {
    pub body: Arc<str>,
    pub format: Format,
}

/// A startup hook's answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StartupAnswer {
    pub argv: Option<Vec<Arc<str>>>,
    pub env: Env,
    pub relaunch: Option<Relaunch>,
}

/// Names and their values; `None` removes the name.
pub type Env = Vec<(Arc<str>, Option<Arc<str>>)>;

#[derive(Debug, Clone, PartialEq)]
pub struct Relaunch {
    /// Not blank.
    pub cwd: Arc<str>,
    pub env: Env,
}

/// A string that is there and not blank.
fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

/// One line of sanitised text that is not blank.
fn line(text: Option<&str>) -> Option<Clean> {
    text.map(Clean::collapsed).filter(|clean| !clean.is_empty())
}

/// A session's name that is not blank.
fn name(text: Option<&str>) -> Option<Clean> {
    text.map(get::title).filter(|clean| !clean.is_empty())
}

/// The answer to `tool_call`. The error says what was wrong with it.
pub fn tool(value: &Value) -> Result<ToolAnswer, String> {
    let answer = Strict::new("the result", value)?;
    let content = answer.text("content")?.unwrap_or_default();
    let format = format(answer.text("format")?);
    // A diff is read from the content when there is no display of its own; other formats are the display's.
    let raw = match (answer.text("display")?, format) {
        (Some(display), _) => Some(display),
        (None, Format::Diff) => Some(content),
        (None, _) => None,
    };
    let shown = raw.map(|raw| get::clipped(get::painted(raw, format), DISPLAY_BYTES));
    Ok(ToolAnswer {
        content: content.into(),
        is_error: answer.flag("is_error")?.unwrap_or(false),
        session_name: name(answer.text("session_name")?),
        summary: line(answer.text("summary")?),
        display: shown.map(|(text, cut)| Display { text: text.as_str().into(), format, cut }),
    })
}

/// The answer to `command` and `shortcut`.
pub fn command(value: &Value) -> Result<CommandAnswer, String> {
    let answer = Strict::new("the result", value)?;
    let show = match answer.any("show") {
        None => None,
        Some(show) => {
            let show = Strict::new("`show`", show)?;
            Show::new(show.text("title")?, show.text("body")?, format(show.text("format")?))
        }
    };
    let notice = filled(answer.text("notice")?).map(Clean::vanish);
    Ok(CommandAnswer {
        notice: notice.filter(|clean| !clean.as_str().trim().is_empty()).map(get::notice),
        show,
        prompt: filled(answer.text("prompt")?).map(Arc::from),
        session_name: name(answer.text("session_name")?),
    })
}

/// The answer to `command.complete`. One badly typed item voids it.
pub fn completions(value: &Value) -> Result<Vec<Completion>, String> {
    let mut items = Vec::new();
    for value in Strict::new("the result", value)?.list("items")? {
        let item = Strict::new("an item", value)?;
        let (raw, label, description) =
            (item.needed("value")?, item.text("label")?, item.text("description")?);
        let value = Clean::one_line(raw);
        if !value.is_empty() && items.len() < COMPLETIONS {
            items.push(Completion {
                label: get::title(label.unwrap_or(raw)),
                description: get::title(description.unwrap_or_default()),
                value: value.as_str().into(),
            });
        }
    }
    Ok(items)
}

impl HookAnswer {
    /// The answer that changes nothing; also what an error, a timeout and a badly typed answer count as.
    pub fn empty(kind: HookKind) -> HookAnswer {
        match kind {
            HookKind::Input => HookAnswer::Input { consume: false, replace: None, notice: None },
            HookKind::BeforeTurn => HookAnswer::BeforeTurn { system_suffix: None, message: None },
            HookKind::ToolCall => HookAnswer::ToolCall { block: false, reason: None },
            HookKind::ToolResult => HookAnswer::ToolResult { content: None },
            HookKind::CompactSummary => HookAnswer::CompactSummary { summary: None },
            HookKind::Render => HookAnswer::Render(None),
        }
    }
}

/// The answer to a runtime hook. The error says what was wrong with it, for diagnostics.
pub fn hook(kind: HookKind, value: &Value) -> Result<HookAnswer, String> {
    let answer = Strict::new("the result", value)?;
    let owned = |text: Option<&str>| text.map(Arc::from);
    Ok(match kind {
        HookKind::Input => HookAnswer::Input {
            consume: answer.flag("consume")?.unwrap_or(false),
            replace: owned(answer.text("replace")?.filter(|text| !text.is_empty())),
            notice: answer
                .text("notice")?
                .map(Clean::vanish)
                .filter(|notice| !notice.as_str().trim().is_empty())
                .map(get::notice),
        },
        HookKind::BeforeTurn => HookAnswer::BeforeTurn {
            system_suffix: owned(filled(answer.text("system_suffix")?)),
            message: match answer.any("message") {
                None => None,
                Some(message) => {
                    let message = Strict::new("`message`", message)?;
                    let internal = message.flag("internal")?.unwrap_or(true);
                    filled(message.text("content")?).map(|content| (content.into(), internal))
                }
            },
        },
        HookKind::ToolCall => HookAnswer::ToolCall {
            block: answer.flag("block")?.unwrap_or(false),
            reason: owned(filled(answer.text("reason")?)),
        },
        HookKind::ToolResult => HookAnswer::ToolResult { content: owned(answer.text("content")?) },
        HookKind::CompactSummary => {
            HookAnswer::CompactSummary { summary: owned(filled(answer.text("summary")?)) }
        }
        HookKind::Render => {
            let format = format(answer.text("format")?);
            HookAnswer::Render(answer.text("body")?.map(|body| RenderAnswer { body: body.into(), format }))
        }
    })
}

/// The answer to `hook.startup`. An error stops the launch.
pub fn startup(value: &Value) -> Result<StartupAnswer, String> {
    let answer = Strict::new("the result", value)?;
    let argv = match answer.texts("argv")? {
        None => None,
        Some(words) if words.iter().any(|word| word.contains('\0')) => {
            return Err("an argument in `argv` holds a NUL".into());
        }
        Some(words) => Some(words.into_iter().map(Arc::from).collect()),
    };
    let relaunch = match answer.any("relaunch") {
        None => None,
        Some(relaunch) => {
            let relaunch = Strict::new("`relaunch`", relaunch)?;
            let cwd = relaunch.needed("cwd")?;
            if cwd.trim().is_empty() || cwd.contains('\0') {
                return Err("`cwd` of `relaunch` is blank or holds a NUL".into());
            }
            Some(Relaunch { cwd: cwd.into(), env: env("`relaunch.env`", relaunch.object("env")?)? })
        }
    };
    Ok(StartupAnswer { argv, env: env("`env`", answer.object("env")?)?, relaunch })
}

fn env(what: &str, names: Option<&Map<String, Value>>) -> Result<Env, String> {
    let mut out = Env::new();
    for (name, value) in names.into_iter().flatten() {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(format!("{what} has a name that no variable can have: {name:?}"));
        }
        let value = match value {
            Value::Null => None,
            Value::String(value) if value.contains('\0') => {
                return Err(format!("the value of {name} in {what} holds a NUL"));
            }
            Value::String(value) => Some(Arc::from(value.as_str())),
            other => {
                return Err(format!("{name} in {what} must be a string or null, not {}", get::kind(other)));
            }
        };
        out.push((name.as_str().into(), value));
    }
    Ok(out)
}
