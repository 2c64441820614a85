//! Finds the model that a person meant by what they typed.

use std::sync::Arc;

use super::info::{Dialect, ModelInfo, ModelRef};
use crate::model::config::complaint::nearest;

/// How many names an error lists.
const LISTED: usize = 6;

/// The provider of the embedded tour, and that of script files.
pub const DEMO: &str = "demo";
pub const SCRIPT: &str = "script";

/// `provider/id`, an id alone, or a part of either that leaves no doubt; else an error that lists what is near.
pub fn resolve(models: &[Arc<ModelInfo>], typed: &str) -> Result<Arc<ModelInfo>, String> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Err("no model was named; write provider/model".into());
    }
    if let Some(info) = scripted(typed) {
        return Ok(Arc::new(info));
    }
    let word = typed.to_lowercase();
    let full = |m: &ModelInfo| m.reference.to_string().to_lowercase();
    let id = |m: &ModelInfo| m.reference.id.to_lowercase();
    let tail = |m: &ModelInfo| id(m).rsplit('/').next().unwrap_or_default().to_owned();
    let rules: [&dyn Fn(&ModelInfo) -> bool; 6] = [
        &|m| m.reference.to_string() == typed,
        &|m| full(m) == word,
        &|m| id(m) == word || tail(m) == word,
        &|m| full(m).starts_with(&word) || id(m).starts_with(&word) || tail(m).starts_with(&word),
        &|m| full(m).contains(&word),
        &|m| parts(&word).all(|part| full(m).contains(part)),
    ];
    for rule in rules {
        let found: Vec<&Arc<ModelInfo>> = models.iter().filter(|m| rule(m)).collect();
        let usable: Vec<&Arc<ModelInfo>> = found.iter().filter(|m| m.usable).copied().collect();
        match (found.as_slice(), usable.as_slice()) {
            ([], _) => {}
            ([only], _) | (_, [only]) => return Ok((*only).clone()),
            (_, []) => return Err(several(typed, &found)),
            _ => return Err(several(typed, &usable)),
        }
    }
    Err(unknown(models, typed))
}

/// A script needs no entry in any list.
fn scripted(typed: &str) -> Option<ModelInfo> {
    let reference = ModelRef::parse(typed)?;
    let known = &*reference.provider == SCRIPT || (&*reference.provider == DEMO && &*reference.id == "tour");
    known.then(|| ModelInfo {
        context_window: 200_000,
        image_input: true,
        ..ModelInfo::new(reference, Dialect::Script, "")
    })
}

fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(|c: char| !c.is_alphanumeric() && c != '.').filter(|p| !p.is_empty())
}

fn several(typed: &str, found: &[&Arc<ModelInfo>]) -> String {
    let names: Vec<String> = found.iter().take(LISTED).map(|m| m.reference.to_string()).collect();
    let more = found.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{typed:?} may mean {}{more}; write one of them", names.join(", "))
}

fn unknown(models: &[Arc<ModelInfo>], typed: &str) -> String {
    let names: Vec<String> = models.iter().map(|m| m.reference.to_string()).collect();
    let near = nearest(typed, names.iter().map(String::as_str)).map(str::to_owned).or_else(|| {
        let ids = models.iter().map(|m| &*m.reference.id);
        let id = nearest(typed, ids)?;
        models.iter().find(|m| &*m.reference.id == id).map(|m| m.reference.to_string())
    });
    let provider = typed.split('/').next().unwrap_or_default();
    let of_provider: Vec<&String> =
        names.iter().filter(|n| n.split('/').next() == Some(provider)).take(LISTED).collect();
    match near {
        Some(near) => format!("there is no model {typed:?}; did you mean {near}?"),
        None if !of_provider.is_empty() && typed.contains('/') => {
            let list: Vec<&str> = of_provider.iter().map(|n| n.as_str()).collect();
            format!(
                "{provider} has no model {typed:?}; it has {}. models.json can add others",
                list.join(", ")
            )
        }
        None => format!("there is no model {typed:?}; /model lists all, and models.json can add others"),
    }
}
