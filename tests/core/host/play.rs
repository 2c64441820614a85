//! The world around the core, as far as extensions need one: everything is answered at once but what the test answers
//! itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::core::sim::model_info;
use e::model::Model;
use e::model::ask::{Ask, ExtAsk, SessionAsk};
use e::model::boot::{BootFacts, BootMsg, Calling, Launch, Mode, Trusted};
use e::model::config::chord::{Chord, Key, Mods};
use e::model::effect::{Effect, FilesFx, StoreFx, StreamFx, TimerFx};
use e::model::ext::discover::Found;
use e::model::ext::world::{CommandLine, ExtFx, ExtMsg, Over};
use e::model::id::{CallId, ExtId, StreamId, TimerId};
use e::model::msg::{FilesMsg, Msg, Stamped, StoreMsg};
use e::model::provider::{Message, Request, Stop, StreamMsg};
use e::model::session::Session;
use e::model::term::{Size, TermMsg};
use e::model::time::At;
use e::model::tool::{Outcome, Pipe, ToolFx, ToolMsg, ToolOutput};
use e::model::wire::ext::read;
use e::update::{told, update};

pub struct Play {
    model: Option<Model>,
    now: u64,
    pub effects: Vec<Effect>,
    timers: BTreeMap<TimerId, u64>,
    files: Vec<String>,
    /// In the order they were started.
    pub started: Vec<ExtId>,
    sent: Vec<(ExtId, Value)>,
    pub requests: Vec<Arc<Request>>,
    stream: Option<StreamId>,
    pub running: Vec<CallId>,
    pub parsed: Option<Vec<String>>,
    pub line_is: CommandLine,
    pub exit: Option<u8>,
    stopping: Option<e::model::id::Ticket>,
    calls: u32,
}

impl Play {
    /// A terminal that starts with these arguments and finds these files.
    pub fn launch(argv: &[&str], files: &[&str]) -> Play {
        Play::begin(argv, files, Launch { mode: Mode::Terminal, ..Launch::default() })
    }

    /// `e -p prompt`, with everyone greeted.
    pub fn print(prompt: &str, manifests: &[Value]) -> Play {
        let mode = Mode::Print { json: false };
        let launch = Launch { mode, prompt: Some(prompt.into()), ..Launch::default() };
        let files: Vec<String> = (0..manifests.len()).map(|n| format!("a{n}.sh")).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let mut play = Play::begin(&["-p", prompt], &files, launch);
        for (n, manifest) in manifests.iter().enumerate() {
            play.greet(n, manifest.clone());
        }
        play
    }

    fn begin(argv: &[&str], files: &[&str], launch: Launch) -> Play {
        let mut play = Play {
            model: Some(Model::empty()),
            now: 1_000,
            effects: Vec::new(),
            timers: BTreeMap::new(),
            files: files.iter().map(|f| (*f).to_owned()).collect(),
            started: Vec::new(),
            sent: Vec::new(),
            requests: Vec::new(),
            stream: None,
            running: Vec::new(),
            parsed: None,
            line_is: CommandLine::Session(Box::new(launch.clone())),
            exit: None,
            stopping: None,
            calls: 0,
        };
        let argv = argv.iter().map(|word| Arc::from(*word)).collect();
        let facts = BootFacts {
            cwd: "/work".into(),
            trusted: Trusted::Yes,
            size: Size::new(100, 30),
            launch,
            calling: Calling { pending: true, argv, ..Calling::default() },
            ..BootFacts::default()
        };
        play.give(Msg::Boot(Box::new(BootMsg::Start(facts))));
        play
    }

    /// Everyone has said what it is.
    pub fn ready(manifests: &[Value]) -> Play {
        let files: Vec<String> = (0..manifests.len()).map(|n| format!("a{n}.sh")).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let mut play = Play::launch(&[], &files);
        for (n, manifest) in manifests.iter().enumerate() {
            play.greet(n, manifest.clone());
        }
        play
    }

    fn at(&self) -> At {
        At { mono: self.now, wall: self.now }
    }

    pub fn give(&mut self, msg: Msg) {
        let at = self.at();
        let model = self.model.take().unwrap();
        let (model, effects) = update(model, Stamped { at, msg });
        self.model = Some(model);
        self.take(effects.0);
    }

    pub fn give_ask(&mut self, ask: Ask) {
        let (model, effects) = told(self.model.take().unwrap(), self.at(), ask);
        self.model = Some(model);
        self.take(effects.0);
    }

    fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            self.effects.push(effect.clone());
            match effect {
                Effect::Ext(fx) => self.ext(fx),
                Effect::Timer(TimerFx::Set { id, after }) => drop(self.timers.insert(id, self.now + after.0)),
                Effect::Timer(TimerFx::Drop(id)) => drop(self.timers.remove(&id)),
                Effect::Stream(StreamFx::Open { id, request }) => {
                    self.stream = Some(id);
                    self.requests.push(request);
                }
                Effect::Stream(StreamFx::Abort(_)) => self.stream = None,
                Effect::Tool(ToolFx::Run { call, .. }) => self.running.push(call),
                Effect::Tool(ToolFx::Kill(call)) => self.running.retain(|c| *c != call),
                Effect::Tool(ToolFx::Identify { call, .. }) => {
                    self.give(Msg::Tool(call, ToolMsg::Identified(None)));
                }
                Effect::Store(StoreFx::Create { ticket, .. }) => {
                    self.give(Msg::Store(ticket, StoreMsg::Created { path: "/log.jsonl".into() }));
                }
                Effect::Files(fx) => self.file(fx),
                Effect::Exit(status) => self.exit = Some(status),
                _ => {}
            }
        }
    }

    fn file(&mut self, fx: FilesFx) {
        let (ticket, msg) = match fx {
            FilesFx::LoadCatalog { ticket } | FilesFx::ProbeLocal { ticket } => {
                let models = [model_info("m", 200_000)].into();
                (ticket, FilesMsg::Catalog { models, complaints: Vec::new() })
            }
            FilesFx::LoadInstructions { ticket, .. } => (
                ticket,
                FilesMsg::Instructions { files: Vec::new(), system_prompt: None, complaints: Vec::new() },
            ),
            FilesFx::LoadTemplates { ticket, .. } => (
                ticket,
                FilesMsg::Templates { prompts: Vec::new(), skills: Vec::new(), complaints: Vec::new() },
            ),
            _ => return,
        };
        self.give(Msg::Files(ticket, msg));
    }

    fn ext(&mut self, fx: ExtFx) {
        match fx {
            ExtFx::Discover { ticket } => {
                let found = self.files.iter().map(|file| Found {
                    path: format!("/ext/{file}").into(),
                    file: file.as_str().into(),
                    top: file.as_str().into(),
                });
                let found = found.collect();
                self.give(Msg::Ext(ExtMsg::Found { ticket, found, skipped: Vec::new() }));
            }
            ExtFx::Spawn { ext, .. } => self.started.push(ext),
            ExtFx::Send { ext, line } => self.sent.push((ext, serde_json::from_str(&line).unwrap())),
            ExtFx::Shutdown { ticket, .. } => self.stopping = Some(ticket),
            ExtFx::Parse { ticket, argv } => {
                self.parsed = Some(argv.iter().map(|w| w.to_string()).collect());
                let line = self.line_is.clone();
                self.give(Msg::Ext(ExtMsg::Parsed { ticket, line }));
            }
            ExtFx::Kill(_) | ExtFx::Measure { .. } | ExtFx::Env(_) | ExtFx::Become(_) => {}
        }
    }

    /// Time passes; what is due rings in order.
    pub fn pass(&mut self, ms: u64) {
        let until = self.now + ms;
        while let Some((id, due)) =
            self.timers.iter().map(|(id, due)| (*id, *due)).min_by_key(|(_, due)| *due)
            && due <= until
        {
            self.now = due.max(self.now);
            self.timers.remove(&id);
            self.give(Msg::Timer(id));
        }
        self.now = until;
    }

    pub fn say(&mut self, n: usize, line: Value) {
        self.say_text(n, &line.to_string());
    }

    pub fn say_text(&mut self, n: usize, line: &str) {
        let ext = self.started[n];
        self.give(Msg::Ext(ExtMsg::Said(ext, read(line))));
    }

    /// What `e` sent to the nth process.
    pub fn sent(&self, n: usize) -> Vec<&Value> {
        let ext = self.started[n];
        self.sent.iter().filter(|(id, _)| *id == ext).map(|(_, line)| line).collect()
    }

    pub fn methods(&self, n: usize) -> Vec<String> {
        self.sent(n).iter().filter_map(|l| l["method"].as_str().map(str::to_owned)).collect()
    }

    /// The params of the last request of this method.
    pub fn asked(&self, n: usize, method: &str) -> Value {
        let sent = self.sent(n);
        let call = sent.iter().rev().find(|l| l["method"] == method && l.get("id").is_some());
        call.unwrap_or_else(|| panic!("no {method} among {sent:?}"))["params"].clone()
    }

    pub fn id_of(&self, n: usize, method: &str) -> u64 {
        let sent = self.sent(n);
        let call = sent.iter().rev().find(|l| l["method"] == method && l.get("id").is_some());
        call.unwrap_or_else(|| panic!("no {method} among {sent:?}"))["id"].as_u64().unwrap()
    }

    pub fn note(&self, n: usize, method: &str) -> Option<Value> {
        self.sent(n).iter().rev().find(|l| l["method"] == method).map(|l| l["params"].clone())
    }

    pub fn events(&self, n: usize) -> Vec<Value> {
        self.sent(n).iter().filter(|l| l["method"] == "event").map(|l| l["params"].clone()).collect()
    }

    pub fn replies(&self, n: usize, id: impl Into<Value>) -> Vec<Value> {
        self.answers(n, id.into(), "result")
    }

    pub fn errors(&self, n: usize, id: impl Into<Value>) -> Vec<Value> {
        self.answers(n, id.into(), "error")
    }

    fn answers(&self, n: usize, id: Value, key: &str) -> Vec<Value> {
        let mine = |l: &&&Value| l["id"] == id && l.get("method").is_none();
        self.sent(n).iter().filter(mine).filter_map(|l| l.get(key).cloned()).collect()
    }

    pub fn clear(&mut self) {
        self.sent.clear();
    }

    pub fn reply_raw(&mut self, n: usize, method: &str, mut answer: Value) {
        answer["id"] = self.id_of(n, method).into();
        self.say(n, answer);
    }

    pub fn answer(&mut self, n: usize, method: &str, result: Value) {
        self.reply_raw(n, method, json!({"result": result}));
    }

    pub fn greet(&mut self, n: usize, manifest: Value) {
        self.answer(n, "initialize", manifest);
    }

    pub fn over(&mut self, n: usize, over: Over) {
        let ext = self.started[n];
        self.give(Msg::Ext(ExtMsg::Over(ext, over)));
    }

    pub fn stopped(&mut self) {
        let ticket = self.stopping.take().expect("nobody is being ended");
        self.give(Msg::Ext(ExtMsg::Stopped(ticket)));
    }

    pub fn update(&mut self, n: usize, call: u64, chunk: &str) {
        let params = json!({"id": call, "stream": "stdout", "chunk": chunk});
        self.say(n, json!({"method": "tool.update", "params": params}));
    }

    pub fn reload(&mut self) {
        self.tell(ExtAsk::Reload);
    }

    pub fn restart(&mut self, n: usize) {
        let ext = self.started[n];
        self.tell(ExtAsk::Restart(ext));
    }

    fn tell(&mut self, ask: ExtAsk) {
        self.give_ask(Ask::Ext(ask));
    }

    pub fn command(&mut self, name: &str, args: &str) {
        let session = self.model().sessions.front;
        self.tell(ExtAsk::Command { session, shown: name.into(), args: args.into() });
    }

    pub fn line(&mut self, text: &str) {
        // Typed, so that hooks are answered as they are for a person.
        self.give(Msg::Term(TermMsg::Paste(text.into())));
        self.give(Msg::Term(TermMsg::Key(Chord::named(Mods::NONE, Key::Enter).unwrap())));
    }

    pub fn keys(&mut self, keys: &str) {
        for key in keys.split(' ') {
            self.give(Msg::Term(TermMsg::Key(key.parse().unwrap())));
        }
    }

    pub fn typed(&mut self, text: &str) {
        text.chars().for_each(|c| self.give(Msg::Term(TermMsg::Key(Chord::typed(c).unwrap()))));
    }

    pub fn tui(&self) -> &e::model::tui::Tui {
        match &self.model().front {
            e::model::front::Front::Tui(tui) => tui,
            e::model::front::Front::Print(_) => panic!("no terminal"),
        }
    }

    /// What was written to stdout and to stderr.
    pub fn written(&self) -> (String, String) {
        let (mut to_out, mut to_err) = (String::new(), String::new());
        for effect in &self.effects {
            match effect {
                Effect::Out(text) => to_out += text,
                Effect::Err(text) => to_err += &format!("{text}\n"),
                _ => {}
            }
        }
        (to_out, to_err)
    }

    pub fn answer_modal(&mut self) {
        self.give(Msg::Term(TermMsg::Key(Chord::named(Mods::NONE, Key::Enter).unwrap())));
    }

    pub fn new_session(&mut self, session: e::model::id::SessionId) {
        self.give_ask(Ask::Session(session, SessionAsk::New));
    }

    pub fn interrupt(&mut self) {
        let session = self.model().sessions.front;
        self.give_ask(Ask::Session(session, SessionAsk::Interrupt));
    }

    pub fn stream(&mut self, msg: StreamMsg) {
        let id = self.stream.expect("nothing streams");
        self.give(Msg::Stream(id, msg));
    }

    /// The model calls a tool and says no more.
    pub fn call_tool(&mut self, name: &str, arguments: Value) {
        self.calls += 1;
        let id = Arc::from(format!("call-{}", self.calls));
        self.stream(StreamMsg::CallStart { index: 0, id, name: name.into() });
        self.stream(StreamMsg::CallArgs { index: 0, delta: arguments.to_string() });
        self.stream(StreamMsg::CallEnd { index: 0, signature: None });
        self.stream(StreamMsg::Done(Stop::End));
    }

    pub fn tool_says(&mut self, text: &str) {
        let call = *self.running.last().unwrap();
        self.give(Msg::Tool(call, ToolMsg::Output { pipe: Pipe::Stdout, chunk: text.into() }));
    }

    pub fn finish_tool(&mut self, content: &str) {
        let call = self.running.pop().unwrap();
        let output = ToolOutput::new(Outcome::Completed, content);
        self.give(Msg::Tool(call, ToolMsg::Done(Box::new(output))));
    }

    pub fn model(&self) -> &Model {
        self.model.as_ref().unwrap()
    }

    pub fn session(&self) -> &Session {
        self.model().sessions.front().unwrap()
    }

    /// Some message of the last request holds these words.
    pub fn said_to_model(&self, words: &str) -> bool {
        let text = |m: &Arc<Message>| match &**m {
            Message::User(user) => user.text(),
            Message::Tool(result) => result.content.to_string(),
            Message::Assistant(reply) => reply.text(),
        };
        self.requests.last().is_some_and(|r| r.messages.iter().any(|m| text(m).contains(words)))
    }

    pub fn said_in_tree(&self, words: &str) -> bool {
        let text = |m: &Message| match m {
            Message::User(user) => user.text(),
            Message::Tool(result) => result.content.to_string(),
            Message::Assistant(reply) => reply.text(),
        };
        self.session().tree.branch().iter().any(|n| text(&n.message).contains(words))
    }

    /// The transcript's state holds these words.
    pub fn screen_has(&self, words: &str) -> bool {
        match &self.model().front {
            e::model::front::Front::Tui(tui) => format!("{:?}", tui.transcript).contains(words),
            e::model::front::Front::Print(_) => false,
        }
    }

    /// The notices in the transcript, in order.
    /// The conversation as the reader shows it.
    pub fn reader_rows(&self) -> Vec<String> {
        let tui = self.tui();
        let look = tui.look(e::model::tui::viewer::Depth::Whole, &self.model().config.settings, self.at());
        let blocks = tui.transcript.blocks().iter();
        blocks.flat_map(|b| e::model::tui::look::rows(b, look)).map(|row| row.plain()).collect()
    }

    pub fn notices(&self) -> Vec<String> {
        let e::model::front::Front::Tui(tui) = &self.model().front else { return Vec::new() };
        let blocks = tui.transcript.blocks().iter();
        blocks
            .filter_map(|block| match block.body() {
                e::model::tui::block::Body::Notice { text, .. } => Some(text.clean().as_str().to_owned()),
                _ => None,
            })
            .collect()
    }
}
