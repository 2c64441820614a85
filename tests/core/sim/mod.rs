//! A world made of data: it answers the core's effects under virtual time, by seeded choices that favour races, and
//! checks after every update what must always hold.

mod check;
mod play;
mod scripts;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use e::model::Model;
use e::model::ask::{Ask, Line, SessionAsk};
use e::model::boot::{BootFacts, BootMsg, Trusted};
use e::model::effect::{Effect, FilesFx, StoreFx, StreamFx, TimerFx};
use e::model::ext::HookValue;
use e::model::ext::{ExtFx, ExtMsg};
use e::model::fact::Fact;
use e::model::front::{Front, Print};
use e::model::id::{CallId, StreamId, Ticket, TimerId};
use e::model::msg::{FilesMsg, Msg, StoreMsg};
use e::model::provider::{Dialect, ModelInfo, ModelRef, Pricing, Request, StreamMsg};
use e::model::session::{Session, Sessions, load};
use e::model::time::At;
use e::model::tool::{ToolFx, ToolMsg};
use e::update::{Input, watched};

pub use check::times_said;
pub use scripts::{Reply, fault};

/// Seeded chance (splitmix64).
#[derive(Debug, Clone)]
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.roll() % n.max(1) as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// A call that the core had started.
#[derive(Debug, Clone)]
pub struct Job {
    pub name: Arc<str>,
    pub path: Option<String>,
    pub hidden: bool,
}

/// What the world still has to do for the core; what is here must be wanted (the leak oracle).
#[derive(Debug, Default)]
pub struct Open {
    pub streams: BTreeMap<StreamId, Vec<StreamMsg>>,
    pub timers: BTreeMap<TimerId, u64>,
    pub jobs: BTreeMap<CallId, Job>,
    pub identify: BTreeMap<CallId, String>,
    pub hooks: Vec<(Ticket, HookValue)>,
    pub files: Vec<(Ticket, FilesMsg)>,
    pub store: Vec<(Ticket, StoreMsg)>,
    pub extensions: Vec<ExtMsg>,
}

#[derive(Debug)]
pub struct World {
    pub model: Option<Model>,
    pub now: u64,
    pub dice: Dice,
    pub open: Open,
    /// Everything that was heard.
    pub facts: Vec<Fact>,
    pub effects: Vec<Effect>,
    pub requests: Vec<Arc<Request>>,
    /// Replies still to be given, in order; then the dice decide.
    pub replies: Vec<Reply>,
    /// Streams, timers and calls the core let go of: anything said about them now is late.
    pub dead: Dead,
    /// What each stream's deltas said.
    pub said: BTreeMap<StreamId, String>,
    /// The logs as they are on disk.
    pub disk: BTreeMap<String, Vec<Arc<str>>>,
    pub current: Option<String>,
    pub disk_full: bool,
    /// A log that is opened shows its end first.
    pub ends_first: bool,
    pub counters: check::Counters,
    /// Blocked by the world's gate: provider's words → reason.
    pub blocked: BTreeSet<CallId>,
    pub hooks_are_slow: bool,
    /// The provider never says that the conversation is too long.
    pub no_overflow: bool,
    /// Odd messages are given: of the oracles only a panic counts.
    pub loose: bool,
    pub window: u64,
    pub log: Vec<String>,
}

#[derive(Debug, Default)]
pub struct Dead {
    pub streams: Vec<StreamId>,
    pub timers: Vec<TimerId>,
    pub calls: Vec<CallId>,
    pub hooks: Vec<(Ticket, HookValue)>,
}

pub const CWD: &str = "/work/app";

pub fn model_info(id: &str, window: u64) -> Arc<ModelInfo> {
    let reference = ModelRef { provider: "sim".into(), id: id.into() };
    Arc::new(ModelInfo {
        context_window: window,
        efforts: vec!["low".into(), "high".into()],
        pricing: Some(Pricing { input: 1.0, output: 2.0, ..Pricing::default() }),
        image_input: true,
        ..ModelInfo::new(reference, Dialect::AnthropicMessages, "http://sim")
    })
}

impl World {
    pub fn new(seed: u64) -> World {
        World::with_boot(seed, BootFacts { seed, ..World::boot_facts() })
    }

    pub fn boot_facts() -> BootFacts {
        BootFacts {
            cwd: CWD.into(),
            date: "2026-12-01".into(),
            platform: "linux".into(),
            trusted: Trusted::Yes,
            ..BootFacts::default()
        }
    }

    pub fn with_boot(seed: u64, facts: BootFacts) -> World {
        let mut world = World {
            model: Some(Model::empty()),
            now: 1_000,
            dice: Dice(seed),
            open: Open::default(),
            facts: Vec::new(),
            effects: Vec::new(),
            requests: Vec::new(),
            replies: Vec::new(),
            dead: Dead::default(),
            said: BTreeMap::new(),
            disk: BTreeMap::new(),
            current: None,
            disk_full: false,
            ends_first: true,
            counters: check::Counters::default(),
            blocked: BTreeSet::new(),
            hooks_are_slow: false,
            no_overflow: false,
            loose: false,
            window: 200_000,
            log: Vec::new(),
        };
        world.give(Input::Msg(Msg::Boot(Box::new(BootMsg::Start(facts)))));
        // A front that only looks on: what is tested is the core.
        let model = world.model.as_mut().unwrap();
        if matches!(model.front, Front::Tui(_)) {
            model.front = Front::Print(Box::new(Print { ended: true, ..Print::new(false) }));
        }
        world
    }

    /// A world whose boot is over.
    pub fn ready(seed: u64) -> World {
        let mut world = World::new(seed);
        world.settle_files();
        world
    }

    pub fn model(&self) -> &Model {
        self.model.as_ref().unwrap()
    }

    pub fn sessions(&self) -> &Sessions {
        &self.model().sessions
    }

    pub fn session(&self) -> &Session {
        self.sessions().front().unwrap()
    }

    /// One update, its effects taken in, its facts heard, everything checked.
    pub fn give(&mut self, input: Input) {
        self.now += 1;
        self.log.push(format!("{input:?}").chars().take(160).collect());
        let at = At { mono: self.now, wall: 1_764_576_000_000 + self.now };
        let (model, effects, seen) = watched(self.model.take().unwrap(), at, input);
        self.model = Some(model);
        for effect in effects.0 {
            if self.loose {
                self.absorb(&effect);
            } else {
                self.take_in(&effect);
            }
            self.effects.push(effect);
        }
        for (ticket, value) in seen.hooks {
            self.open.hooks.push((ticket, value));
        }
        let new = self.facts.len();
        self.facts.extend(seen.facts);
        if !self.loose {
            self.check(new);
        }
        if !self.hooks_are_slow {
            while let Some((ticket, value)) = self.open.hooks.pop() {
                self.give(Input::Ask(Ask::HookDone { ticket, value }));
            }
        }
    }

    /// Takes an effect in where the world may have been fooled: what it does not know is no error.
    pub fn absorb(&mut self, effect: &Effect) {
        match effect {
            Effect::Stream(StreamFx::Abort(id)) => drop(self.open.streams.remove(id)),
            Effect::Timer(TimerFx::Drop(id)) => drop(self.open.timers.remove(id)),
            Effect::Tool(ToolFx::Kill(id)) => drop(self.open.jobs.remove(id)),
            other => self.take_in(other),
        }
    }

    fn take_in(&mut self, effect: &Effect) {
        match effect {
            Effect::Stream(StreamFx::Open { id, request }) => {
                self.requests.push(request.clone());
                let reply =
                    if self.replies.is_empty() { self.any_reply(request) } else { self.replies.remove(0) };
                self.said.insert(*id, String::new());
                self.open.streams.insert(*id, reply.pieces());
            }
            Effect::Stream(StreamFx::Abort(id)) => {
                assert!(self.open.streams.remove(id).is_some(), "aborts a stream that is not open");
                self.dead.streams.push(*id);
            }
            Effect::Timer(TimerFx::Set { id, after }) => {
                let _ = self.open.timers.insert(*id, self.now + after.0);
            }
            Effect::Timer(TimerFx::Drop(id)) => {
                assert!(self.open.timers.remove(id).is_some(), "drops a timer that is not set");
                self.dead.timers.push(*id);
            }
            Effect::Tool(fx) => self.take_in_tool(fx),
            Effect::Store(fx) => self.take_in_store(fx),
            Effect::Files(fx) => self.take_in_files(fx),
            Effect::Ext(fx) => self.take_in_extensions(fx),
            _ => {}
        }
    }

    fn take_in_tool(&mut self, fx: &ToolFx) {
        match fx {
            ToolFx::Identify { call, path, .. } => {
                let _ = self.open.identify.insert(*call, path.to_string());
            }
            ToolFx::Run { call, name, arguments, .. } => {
                let path = arguments.get("path").and_then(|p| p.as_str()).map(str::to_owned);
                let hidden = arguments.get("timeout").is_some();
                self.start_job(*call, Job { name: name.clone(), path, hidden });
            }
            ToolFx::Kill(call) => {
                assert!(self.open.jobs.remove(call).is_some(), "kills a call that does not run");
                self.dead.calls.push(*call);
            }
            ToolFx::Undo { call, .. } => {
                let _ = self.open.jobs.insert(*call, Job { name: "undo".into(), path: None, hidden: true });
            }
            ToolFx::Session { .. } | ToolFx::Trusted(_) => {}
        }
    }

    fn take_in_store(&mut self, fx: &StoreFx) {
        match fx {
            StoreFx::Create { ticket, id, lines, .. } => {
                if self.disk_full {
                    return self.open.store.push((*ticket, StoreMsg::Failed { error: "disk full".into() }));
                }
                let path = format!("/home/{id}.jsonl");
                self.disk.insert(path.clone(), lines.clone());
                self.current = Some(path.clone());
                self.open.store.push((*ticket, StoreMsg::Created { path: path.into() }));
            }
            StoreFx::Append { ticket, line } => {
                if self.disk_full {
                    return self
                        .open
                        .store
                        .push((*ticket, StoreMsg::AppendFailed { error: "disk full".into() }));
                }
                let path = self.current.clone().expect("an append without a log");
                self.disk.get_mut(&path).unwrap().push(line.clone());
            }
            StoreFx::Close => self.current = None,
            StoreFx::Open { ticket, which } => {
                let path = match which {
                    e::model::effect::Which::Latest { .. } => self.disk.keys().next_back().cloned(),
                    e::model::effect::Which::Path(path) => Some(path.to_string()),
                };
                let found = path.and_then(|p| self.disk.get(&p).map(|lines| (p.clone(), lines.clone())));
                let answer = match found {
                    Some((path, lines)) => {
                        self.current = Some(path.clone());
                        let lines = || lines.iter().map(|l| &**l);
                        if self.ends_first {
                            let branch = load::ending(lines().skip(lines().len() / 2));
                            self.open.store.push((*ticket, StoreMsg::Ending { branch }));
                        }
                        StoreMsg::Opened { path: path.into(), session: Box::new(load::load(lines())) }
                    }
                    None => StoreMsg::Missing,
                };
                self.open.store.push((*ticket, answer));
            }
            StoreFx::Read { ticket, path } => {
                let lines = self.disk.get(&**path).cloned().unwrap_or_default();
                let session = Box::new(load::load(lines.iter().map(|l| &**l)));
                self.open.store.push((*ticket, StoreMsg::Opened { path: path.clone(), session }));
            }
            StoreFx::List { .. } | StoreFx::ErrorDetails { .. } => {}
        }
    }

    fn take_in_files(&mut self, fx: &FilesFx) {
        let window = self.window;
        let answer = match fx {
            FilesFx::LoadCatalog { ticket } | FilesFx::ProbeLocal { ticket } => {
                let models = vec![model_info("one", window), model_info("two", window)];
                (*ticket, FilesMsg::Catalog { models: models.into(), complaints: Vec::new() })
            }
            FilesFx::LoadInstructions { ticket, .. } => {
                let files = vec![("/work/app/AGENTS.md".into(), "Be kind.".into())];
                (*ticket, FilesMsg::Instructions { files, system_prompt: None, complaints: Vec::new() })
            }
            FilesFx::LoadTemplates { ticket, .. } => (*ticket, scripts::templates()),
            _ => return,
        };
        self.open.files.push(answer);
    }

    /// There are no extensions in this world.
    fn take_in_extensions(&mut self, fx: &ExtFx) {
        let answer = match fx {
            ExtFx::Discover { ticket } => {
                ExtMsg::Found { ticket: *ticket, found: Vec::new(), skipped: Vec::new() }
            }
            ExtFx::Shutdown { ticket, .. } => ExtMsg::Stopped(*ticket),
            _ => return,
        };
        self.open.extensions.push(answer);
    }

    /// Gives every answer that files and store owe.
    pub fn settle_files(&mut self) {
        loop {
            if let Some(msg) = self.open.extensions.pop() {
                self.give(Input::Msg(Msg::Ext(msg)));
            } else if !self.open.files.is_empty() {
                let (ticket, msg) = self.open.files.remove(0);
                self.give(Input::Msg(Msg::Files(ticket, msg)));
            } else if !self.open.store.is_empty() {
                let (ticket, msg) = self.open.store.remove(0);
                self.give(Input::Msg(Msg::Store(ticket, msg)));
            } else {
                return;
            }
        }
    }

    pub fn type_line(&mut self, text: &str) {
        let session = self.sessions().front;
        self.give(Input::Ask(Ask::Line(Line { session, text: text.into(), images: Vec::new() })));
    }

    pub fn tell(&mut self, ask: SessionAsk) {
        let session = self.sessions().front;
        self.give(Input::Ask(Ask::Session(session, ask)));
    }

    pub fn stream(&mut self, id: StreamId, msg: StreamMsg) {
        if let (StreamMsg::Text(delta), Some(said)) = (&msg, self.said.get_mut(&id)) {
            said.push_str(delta);
        }
        if matches!(msg, StreamMsg::Done(_) | StreamMsg::Failed(_)) {
            let _ = self.open.streams.remove(&id);
            self.dead.streams.push(id);
        }
        self.counters.speaking = Some(id);
        self.give(Input::Msg(Msg::Stream(id, msg)));
        self.counters.speaking = None;
    }

    pub fn finish_job(&mut self, id: CallId, msg: ToolMsg) {
        if matches!(msg, ToolMsg::Done(_)) {
            let _ = self.open.jobs.remove(&id);
            self.dead.calls.push(id);
        }
        self.give(Input::Msg(Msg::Tool(id, msg)));
    }

    pub fn notices(&self) -> Vec<String> {
        let text = |f: &Fact| if let Fact::Notice(n) = f { Some(n.text.to_string()) } else { None };
        self.facts.iter().filter_map(text).collect()
    }
}
