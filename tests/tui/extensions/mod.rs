//! What extensions show and ask: questions in the one queue, slots, widgets, the panel, commands, completions, shortcuts,
//! the render hook and the page that tells how they do.

mod commands;
mod lines;
pub mod overview;
mod pane;
mod pane_cases;
mod panel;
mod questions;
mod render;
mod slots;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use e::model::ask::{Ask, ExtAsk};
use e::model::config::chord::Chord;
use e::model::ext::Debt;
use e::model::ext::budget::Budget;
use e::model::ext::registry::{Greeted, Registry};
use e::model::id::ExtId;
use e::model::wire::ext::{self as wire, Note, Reply, UiAsk, WireId};
use e::update::tui as front;
use serde_json::{Value, json};

use super::stage::Stage;

/// A stage with extensions beside it, whose requests are counted.
pub struct Room {
    pub stage: Stage,
    budgets: BTreeMap<ExtId, Budget<()>>,
    serial: u64,
}

impl Room {
    pub fn new(cols: u16, rows: u16) -> Self {
        Room { stage: Stage::new(cols, rows), budgets: BTreeMap::new(), serial: 0 }
    }

    /// A request as it comes over the wire.
    pub fn ask(&mut self, ext: u64, method: &str, params: &Value) -> Debt {
        let wire::Ask::Ui(ask) = wire::Ask::read(method, params) else { panic!("{method} {params}") };
        self.serial += 1;
        let ext = ExtId(ext);
        let id = WireId(Arc::from(self.serial.to_string()));
        // The limit is tested where it is kept.
        let budget = self.budgets.entry(ext).or_default();
        if budget.len() == 32 {
            *budget = Budget::default();
        }
        let debt = Debt { ext, owed: budget.open(id, ()).unwrap() };
        self.asked(debt, ask);
        debt
    }

    fn asked(&mut self, debt: Debt, ask: UiAsk) {
        let name = name(debt.ext);
        self.stage.run(|tui, sessions, cx, out| front::asked(tui, debt, &name, ask, sessions, cx, out));
    }

    pub fn withdraw(&mut self, debts: &[Debt]) {
        self.stage.run(|tui, _, cx, out| front::withdraw(tui, debts, cx, out));
    }

    pub fn gone(&mut self, ext: u64) {
        self.stage.run(|tui, _, cx, out| front::ext_gone(tui, ExtId(ext), cx, out));
    }

    /// What was answered, in order.
    pub fn replies(&self) -> Vec<(Debt, Reply)> {
        let reply = |ask: &Ask| match ask {
            Ask::Ext(ExtAsk::Reply { debt, reply }) => Some((*debt, reply.clone())),
            _ => None,
        };
        self.stage.asks.iter().filter_map(reply).collect()
    }

    pub fn reply(&self, debt: Debt) -> Option<Reply> {
        let mut all = self.replies().into_iter().filter(|(to, _)| *to == debt).map(|(_, reply)| reply);
        let first = all.next();
        assert_eq!(all.next(), None, "answered twice");
        first
    }

    /// What extensions were told, in order.
    pub fn told(&self) -> Vec<(u64, Note)> {
        let note = |ask: &Ask| match ask {
            Ask::Ext(ExtAsk::Tell { ext, note }) => Some((ext.0, note.clone())),
            _ => None,
        };
        self.stage.asks.iter().filter_map(note).collect()
    }

    pub fn keys_told(&self) -> Vec<Chord> {
        let key = |(_, note): (u64, Note)| if let Note::Key(chord) = note { Some(chord) } else { None };
        self.told().into_iter().filter_map(key).collect()
    }

    pub fn title(&self) -> Option<String> {
        self.stage.tui.modals.open().map(|modal| modal.title.to_string())
    }
}

pub fn name(ext: ExtId) -> String {
    format!("ext{}", ext.0)
}

/// What these manifests declare, as the first, second, … extension.
pub fn registry(manifests: &[Value]) -> Arc<Registry> {
    let read: Vec<wire::Manifest> = manifests.iter().map(|v| wire::manifest(v, &[]).unwrap().0).collect();
    let files: Vec<String> = (0..read.len()).map(|at| format!("{at}.sh")).collect();
    let greeted: Vec<Greeted<'_>> = read
        .iter()
        .enumerate()
        .map(|(at, manifest)| Greeted { id: ExtId(at as u64), file: &files[at], manifest })
        .collect();
    Arc::new(Registry::new(&greeted, &BTreeSet::new()).0)
}

pub fn lines(count: usize) -> Value {
    json!((1..=count).map(|n| format!("line {n}")).collect::<Vec<_>>())
}
