//! What an example answered, read as `e` reads it.

use std::sync::Arc;

use e::model::wire::ext::{
    Call, CommandAnswer, HookAnswer, HookKind, StartupAnswer, ToolAnswer, command, hook, startup, tool,
};
use serde_json::Value;

use super::rig::{Ext, text};

impl Ext {
    pub fn command(&mut self, name: &str, args: &str) -> CommandAnswer {
        command(&self.ask(Call::Command { name: text(name), args: text(args) }).unwrap()).unwrap()
    }

    pub fn tool(&mut self, name: &str, arguments: Value) -> ToolAnswer {
        tool(&self.ask(tool_call(name, arguments)).unwrap()).unwrap()
    }

    pub fn hook(&mut self, call: Call) -> HookAnswer {
        let kind = kind(&call);
        hook(kind, &self.ask(call).unwrap()).unwrap()
    }

    pub fn hook_answer(&mut self, id: u64) -> HookAnswer {
        hook(HookKind::ToolCall, &self.answer(id).unwrap()).unwrap()
    }

    pub fn startup(&mut self, cwd: &str, argv: &[&str], flags: Value) -> Result<StartupAnswer, Arc<str>> {
        let flags = Arc::new(flags.as_object().unwrap().clone());
        let argv = argv.iter().map(|word| text(word)).collect();
        let answer = self.ask(Call::Startup { cwd: text(cwd), argv, flags })?;
        Ok(startup(&answer).unwrap())
    }
}

fn kind(call: &Call) -> HookKind {
    HookKind::parse(call.method().strip_prefix("hook.").unwrap()).unwrap()
}

pub fn tool_call(name: &str, arguments: Value) -> Call {
    Call::ToolCall { name: text(name), arguments: Arc::new(arguments) }
}

pub fn gated(name: &str, arguments: Value) -> Call {
    Call::HookToolCall { name: text(name), arguments: Arc::new(arguments) }
}

pub fn input(line: &str) -> Call {
    Call::HookInput { text: text(line) }
}

/// Whether a `tool_call` hook's answer lets the call through; else the reason it gives.
pub fn allows(answer: &HookAnswer) -> Result<(), String> {
    match answer {
        HookAnswer::ToolCall { block: false, .. } => Ok(()),
        HookAnswer::ToolCall { block: true, reason } => Err(reason.as_deref().unwrap_or_default().to_owned()),
        other => panic!("no answer to that hook: {other:?}"),
    }
}
