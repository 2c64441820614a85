//! Prompt templates and skills, as found on disk.

use std::sync::Arc;

/// A prompt template (`home.md`): its body is read on each use.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    pub name: Arc<str>,
    pub description: Arc<str>,
    pub argument_hint: Option<Arc<str>>,
    pub body: Arc<str>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Skill {
    pub name: Arc<str>,
    pub description: Arc<str>,
    pub path: Arc<str>,
    /// Listed in the system prompt; otherwise only the `$` picker has it.
    pub for_model: bool,
}
