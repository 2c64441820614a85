//! Which tools a session may use: what there is, less what the launch, an allowlist or an extension takes away.

use std::sync::Arc;

use crate::model::id::ExtId;
use crate::model::tool::{Owner, ToolSpec};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Toolset {
    /// Everything that could be offered, in order.
    pub all: Vec<ToolSpec>,
    /// `--no-tools`.
    pub none: bool,
    /// A front end's allowlist of built-ins.
    pub allow: Option<Vec<Arc<str>>>,
    /// `session.tools` of extensions, oldest first; they intersect.
    pub narrowings: Vec<(ExtId, Vec<Arc<str>>)>,
}

impl Toolset {
    pub fn find(&self, name: &str) -> Option<&ToolSpec> {
        self.all.iter().find(|t| &*t.name == name)
    }

    /// Who runs a tool of this name. With a front end's allowlist no extension owns one: the built-in runs.
    pub fn owner(&self, name: &str) -> Owner {
        match self.find(name) {
            Some(tool) if self.allow.is_none() => tool.owner,
            _ => Owner::Builtin,
        }
    }

    /// One extension's narrowing, in place of its former one; `None` lifts it. None widens another's.
    pub fn narrow(&mut self, ext: ExtId, names: Option<Vec<Arc<str>>>) {
        let place = self.narrowings.iter().position(|(owner, _)| *owner == ext);
        match (place, names) {
            (Some(at), Some(names)) => {
                if let Some((_, old)) = self.narrowings.get_mut(at) {
                    *old = names;
                }
            }
            (Some(at), None) => drop(self.narrowings.remove(at)),
            (None, Some(names)) => self.narrowings.push((ext, names)),
            (None, None) => {}
        }
    }

    /// The names in force, in the oldest narrowing's order; `None` without any narrowing.
    pub fn narrowed(&self) -> Option<Vec<Arc<str>>> {
        let ((_, oldest), rest) = self.narrowings.split_first()?;
        let everywhere = |name: &&Arc<str>| rest.iter().all(|(_, names)| names.contains(name));
        Some(oldest.iter().filter(everywhere).cloned().collect())
    }

    /// Why a call of this name must not run, in words for the model; `None` when it may.
    pub fn refusal(&self, name: &str) -> Option<&'static str> {
        if self.narrowings.iter().any(|(_, names)| !names.iter().any(|n| &**n == name)) {
            return Some("it is not among the tools in force now");
        }
        if self.none {
            return Some("tools are turned off in this session");
        }
        match &self.allow {
            Some(names) if !names.iter().any(|n| &**n == name) => {
                Some("it is not among the tools allowed here")
            }
            _ => None,
        }
    }

    /// The tools a request offers.
    pub fn offered(&self) -> Vec<ToolSpec> {
        self.all.iter().filter(|t| self.refusal(&t.name).is_none()).cloned().collect()
    }
}
