//! The extension's own requests: what is open, and what each is answered with.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::judge::Finding;
use super::rules::Rule;
use crate::model::wire::ext::{Ask, Body, Info, Reply, Request, SessionAsk, UNANSWERED, UiAsk};

/// How the person, and the session, answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// As somebody who says yes to everything.
    #[default]
    Answer,
    /// As somebody who presses Esc.
    Cancel,
    /// As a session that was switched meanwhile: everything is an error.
    Refuse,
}

/// An item of a pane's list, for notifications about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub pane: Arc<str>,
    pub section: Arc<str>,
    pub id: Arc<str>,
}

/// Questions of one step that are answered; whoever asks on and on is cancelled.
const QUESTIONS: usize = 20;
/// How long a request waits while the extension goes on talking.
const LONGEST: Duration = Duration::from_millis(20);

#[derive(Debug, Default)]
pub struct Owed {
    /// The manifest is there: what waits is served.
    pub greeted: bool,
    pub policy: Policy,
    open: Vec<Request>,
    /// When the oldest of them came.
    since: Option<Instant>,
    /// Questions of this step.
    asked: usize,
    /// It asked anything, in any step.
    pub any: bool,
    /// It asked a person something.
    pub questions: bool,
    /// It opened a panel.
    pub panel: bool,
    /// It opened a pane, and what its cursor may stand on.
    pub pane: Option<Place>,
}

impl Owed {
    pub fn begin(&mut self) {
        self.asked = 0;
    }

    /// Something waits for an answer.
    pub fn waits(&self) -> bool {
        self.greeted && !self.open.is_empty()
    }

    /// Something has waited long enough, however much is still heard.
    pub fn long(&self) -> bool {
        self.waits() && self.since.is_some_and(|since| since.elapsed() > LONGEST)
    }

    /// Takes a request in, with what its being open says. `name` stands for a pane's missing id.
    pub fn take(&mut self, request: Request, name: &str) -> Vec<Finding> {
        let mut out = vec![Finding::Tried(Rule::RequestIds), Finding::Tried(Rule::RequestLimit)];
        if self.open.iter().any(|other| other.id == request.id) {
            let why = format!("the id {} is in use by a request that has no answer yet", request.id.0);
            out.push(Finding::Broken(Rule::RequestIds, why));
        }
        self.any = true;
        self.noted(&request.ask, name);
        self.since.get_or_insert_with(Instant::now);
        self.open.push(request);
        if self.open.len() > UNANSWERED {
            let why = format!("{} requests are open; e refuses all past {UNANSWERED}", self.open.len());
            out.push(Finding::Broken(Rule::RequestLimit, why));
        }
        out
    }

    fn noted(&mut self, ask: &Ask, name: &str) {
        let Ask::Ui(ask) = ask else { return };
        self.questions |= ask.is_question();
        match ask {
            UiAsk::Panel(panel) => self.panel |= panel.is_some(),
            UiAsk::Pane(Some(pane)) => {
                let item = pane.sections.iter().find_map(|section| match &section.body {
                    Body::List { items, .. } => Some((section.id.clone(), items.first()?.id.clone())),
                    _ => None,
                });
                let first = || pane.sections.first().map_or("0".into(), |section| section.id.clone());
                let (section, id) = item.unwrap_or_else(|| (first(), "".into()));
                let pane = pane.id.clone().unwrap_or_else(|| name.into());
                self.pane = Some(Place { pane, section, id });
            }
            _ => {}
        }
    }

    /// The lines that answer everything that is open.
    pub fn answers(&mut self, ui: bool, cwd: &Arc<str>) -> Vec<String> {
        self.since = None;
        let open = std::mem::take(&mut self.open);
        open.into_iter()
            .enumerate()
            .map(|(at, request)| {
                let reply = if at < UNANSWERED { self.reply(&request, ui, cwd) } else { Reply::too_many() };
                reply.line(&request.id)
            })
            .collect()
    }

    fn reply(&mut self, request: &Request, ui: bool, cwd: &Arc<str>) -> Reply {
        if !ui && request.is_ui() {
            return Reply::no_ui();
        }
        let ask = match &request.ask {
            Ask::Unknown => return Reply::unknown(&request.method),
            Ask::Refused(why) => return Reply::Error(why.clone()),
            _ if self.policy == Policy::Refuse => return Reply::Error("the session was switched".into()),
            Ask::Session(SessionAsk::Info) => return Reply::Info(Box::new(info(cwd))),
            Ask::Session(_) => return Reply::Done,
            Ask::Ui(ask) => ask,
        };
        if ask.is_question() {
            self.asked += 1;
        }
        let cancel = self.policy == Policy::Cancel || self.asked > QUESTIONS;
        match ask {
            UiAsk::Confirm { .. } => Reply::Confirmed(!cancel),
            question if question.is_question() && cancel => Reply::Cancelled,
            UiAsk::Select { choices, .. } => match choices.first() {
                Some(choice) => {
                    Reply::Chosen { value: choice.value.clone(), label: choice.label.as_str().into() }
                }
                None => Reply::Cancelled,
            },
            UiAsk::Input { prefill: text, .. } | UiAsk::Editor { text, .. } => {
                let text = if text.is_empty() { "sample" } else { text.as_str() };
                Reply::Text(text.into())
            }
            _ => Reply::Done,
        }
    }
}

/// What `session.info` tells here.
fn info(cwd: &Arc<str>) -> Info {
    Info {
        cwd: cwd.clone(),
        model: "demo/sample".into(),
        context_tokens: 1000,
        context_window: 100_000,
        ..Info::default()
    }
}
