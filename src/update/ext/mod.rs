//! Extensions: who is asked at a hook point. Nobody answers yet, so a chain is done as soon as it is asked.

use crate::model::ask::Ask;
use crate::model::ext::{Exts, HookValue};
use crate::model::id::Ticket;
use crate::update::Out;

/// Runs a hook chain: every extension that lists the hook is asked in launch order, then the asker gets the value.
pub fn run(_exts: &Exts, ticket: Ticket, value: HookValue, out: &mut Out) {
    out.ask(Ask::HookDone { ticket, value });
}
