//! Model, effort and name: what was asked for, what there is, and what is written down.

use std::sync::Arc;

use serde_json::Value;

use super::record;
use crate::model::effect::{Effect, FilesFx};
use crate::model::fact::{Fact, SessionFact};
use crate::model::provider::resolve::resolve;
use crate::model::provider::{Catalog, ModelInfo, ModelRef};
use crate::model::session::notice::Tone;
use crate::model::session::{LogState, Owed, Session, Sessions};
use crate::model::wire::log::Record;
use crate::update::{Cx, Out};

/// The catalogue is new: sessions without a model get one. `probing` says that more models may still come.
pub fn settle(sessions: &mut Sessions, probing: bool, cx: &mut Cx<'_>, out: &mut Out) {
    let headless = sessions.rules.headless;
    for s in sessions.all.values_mut() {
        choose(s, headless, probing, cx, out);
    }
}

fn choose(s: &mut Session, headless: bool, probing: bool, cx: &mut Cx<'_>, out: &mut Out) {
    if let Some(wanted) = s.choice.wanted.clone() {
        match find(cx.catalog, &wanted) {
            Ok(model) => {
                s.choice.wanted = None;
                return adopt(s, &model, cx, out);
            }
            Err(_) if probing => return,
            Err(why) => {
                s.choice.wanted = None;
                out.notice(Tone::Error, why);
                if headless {
                    s.lines.waiting.clear();
                    // A wrong `-m` is bad usage (`cli.md`).
                    out.fact(Fact::Session(s.id, SessionFact::NoTurn { status: 2 }));
                    return;
                }
            }
        }
    }
    if s.choice.model.as_ref().is_some_and(|m| find(cx.catalog, &m.to_string()).is_ok()) {
        return;
    }
    let preferred = match cx.config.settings.model.as_ref().map(|m| find(cx.catalog, m)) {
        Some(Err(_)) if probing => return,
        Some(Err(why)) => {
            out.notice(Tone::Warning, format!("settings.json: {why}"));
            None
        }
        Some(Ok(model)) => Some(model),
        None => None,
    };
    let first = || cx.catalog.models.iter().find(|m| m.usable).cloned();
    if let Some(model) = preferred.or_else(first) {
        adopt(s, &model, cx, out);
    }
}

/// The session uses this model from its next turn on.
fn adopt(s: &mut Session, model: &ModelInfo, cx: &mut Cx<'_>, out: &mut Out) {
    let wanted = s.choice.effort.clone().or_else(|| cx.boot.launch.effort.clone());
    let effort = fit(model, wanted.as_deref().unwrap_or(&cx.config.settings.effort));
    if s.choice.effort.is_none()
        && let Some(asked) = &cx.boot.launch.effort
        && let Some(why) = misfit(model, asked, effort.as_deref())
    {
        out.notice(Tone::Warning, why);
    }
    if s.choice.model.as_ref() != Some(&model.reference) {
        s.choice.model = Some(model.reference.clone());
        out.fact(Fact::Session(s.id, SessionFact::Model { model: model.reference.clone() }));
    }
    if s.choice.effort != effort {
        s.choice.effort.clone_from(&effort);
        out.fact(Fact::Session(s.id, SessionFact::Effort { effort }));
    }
    record::tell_context(s, model.context_window, out);
}

/// What to say about a level that the command line asks for and the model does not have.
fn misfit(model: &ModelInfo, asked: &str, instead: Option<&str>) -> Option<String> {
    let name = &model.reference;
    match instead {
        None => Some(format!("{name} has no effort levels; {asked:?} is left out")),
        Some(effort) if effort.eq_ignore_ascii_case(asked) => None,
        Some(effort) => {
            let known = model.efforts.join(", ");
            Some(format!("{name} has no effort level {asked:?}, only {known}; {effort} is used"))
        }
    }
}

/// The level of a model that comes nearest to a wish: the same word, or its strongest.
pub fn fit(model: &ModelInfo, wanted: &str) -> Option<Arc<str>> {
    model.efforts.iter().find(|e| e.eq_ignore_ascii_case(wanted)).or(model.efforts.last()).cloned()
}

/// The model a person meant; else what to say about it.
pub fn find(catalog: &Catalog, name: &str) -> Result<Arc<ModelInfo>, String> {
    resolve(&catalog.models, name)
}

/// `/model`.
pub fn set_model(sessions: &mut Sessions, s: SessionKey, wanted: &ModelRef, cx: &mut Cx<'_>, out: &mut Out) {
    let model = match find(cx.catalog, &wanted.to_string()) {
        Ok(model) => model,
        Err(why) => return out.notice(Tone::Error, why),
    };
    if !model.usable {
        let provider = &model.reference.provider;
        return out
            .notice(Tone::Error, format!("{provider} has no key yet. Sign in with /login {provider}."));
    }
    let keep = !sessions.rules.headless;
    let Some(session) = sessions.all.get_mut(&s) else { return };
    if session.choice.model.as_ref() == Some(&model.reference) {
        return;
    }
    let busy = session.turn().is_some();
    adopt(session, &model, cx, out);
    later(busy, &format!("Model: {}", model.reference), out);
    if keep {
        write(sessions, "model", model.reference.to_string(), cx, out);
    }
}

/// `/effort`.
pub fn set_effort(sessions: &mut Sessions, s: SessionKey, wanted: &str, cx: &mut Cx<'_>, out: &mut Out) {
    let keep = !sessions.rules.headless;
    let Some(session) = sessions.all.get_mut(&s) else { return };
    let model = session.choice.model.as_ref().and_then(|m| find(cx.catalog, &m.to_string()).ok());
    let levels = model.map(|m| m.efforts.clone()).unwrap_or_default();
    let Some(level) = levels.iter().find(|e| e.eq_ignore_ascii_case(wanted.trim())).cloned() else {
        let known = levels.iter().map(|e| &**e).collect::<Vec<_>>().join(", ");
        return out.notice(
            Tone::Error,
            match levels.is_empty() {
                true => "This model has no effort levels.".to_owned(),
                false => format!("This model has no effort {:?}. It has: {known}.", wanted.trim()),
            },
        );
    };
    if session.choice.effort.as_ref() == Some(&level) {
        return;
    }
    session.choice.effort = Some(level.clone());
    out.fact(Fact::Session(s, SessionFact::Effort { effort: Some(level.clone()) }));
    later(session.turn().is_some(), &format!("Effort: {level}"), out);
    if keep {
        write(sessions, "effort", level.to_string(), cx, out);
    }
}

type SessionKey = crate::model::id::SessionId;

/// Says when a change takes hold.
fn later(busy: bool, what: &str, out: &mut Out) {
    out.flash(if busy { format!("{what}, from the next turn") } else { what.to_owned() });
}

fn write(sessions: &mut Sessions, key: &str, value: String, cx: &mut Cx<'_>, out: &mut Out) {
    let ticket = sessions.owed.issue(cx.ids, Owed::Settings);
    let entries = vec![(Arc::from(key), Value::from(value))];
    out.effect(Effect::Files(FilesFx::WriteSettings { ticket, entries }));
}

/// `/name`: one line of at most 60 characters; blank takes it away. Gives the name when it is another one and not blank.
pub fn set_name(s: &mut Session, text: &str, cx: &mut Cx<'_>, out: &mut Out) -> Option<Arc<str>> {
    let line: String = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    let name: Option<Arc<str>> =
        Some(line.chars().take(60).collect::<String>()).filter(|n| !n.is_empty()).map(Arc::from);
    if s.log.name == name {
        return None;
    }
    s.log.name.clone_from(&name);
    if matches!(s.log.state, LogState::Open { .. }) {
        record::append(s, &Record::name(name.clone()), cx, out);
    }
    out.fact(Fact::Session(s.id, SessionFact::Named { name: name.clone() }));
    name
}

/// The model that the session's next turn will ask.
pub fn info(s: &Session, catalog: &Catalog) -> Option<Arc<ModelInfo>> {
    s.choice.model.as_ref().and_then(|m| find(catalog, &m.to_string()).ok())
}

/// A resumed session goes on with the model it spoke to last, as soon as that is known.
pub fn resume_model(s: &mut Session, cx: &mut Cx<'_>, out: &mut Out) {
    if !cx.catalog.loaded {
        return;
    }
    let wanted = s.choice.wanted.take();
    match wanted.as_deref().and_then(|w| find(cx.catalog, w).ok()).filter(|m| m.usable) {
        Some(model) => adopt(s, &model, cx, out),
        None => {
            if let Some(gone) = wanted {
                out.notice(Tone::Warning, format!("{gone}, which this session used, can't be used now."));
            }
            choose(s, false, false, cx, out);
        }
    }
}
