//! A terminal front on its own: keys, facts and answers go in, effects and asks come out.

use std::sync::Arc;

use e::model::ask::{Ask, UiAsk};
use e::model::boot::BootFacts;
use e::model::config::Config;
use e::model::effect::{Effect, FilesFx, TermFx, TimerFx};
use e::model::fact::{Fact, SessionFact, TextFact, ToolFact, TurnFact};
use e::model::id::{BlockId, CallId, Ids, SessionId, Ticket};
use e::model::msg::FilesMsg;
use e::model::provider::{Catalog, Message};
use e::model::session::turn::Work;
use e::model::session::{Session, Sessions};
use e::model::term::{Size, TermMsg};
use e::model::time::At;
use e::model::tool::{CallView, Label, Outcome};
use e::model::tui::look::{self, Look};
use e::model::tui::viewer::Depth;
use e::model::tui::{Due, Tui};
use e::update::{Cx, Out, tui as front};

pub struct Stage {
    pub tui: Tui,
    pub sessions: Sessions,
    pub config: Config,
    pub catalog: Catalog,
    pub boot: Arc<BootFacts>,
    pub registry: Arc<e::model::ext::registry::Registry>,
    pub effects: Vec<Effect>,
    pub asks: Vec<Ask>,
    pub now: At,
    ids: Ids,
}

pub const ME: SessionId = SessionId(1);

impl Stage {
    /// A started front on a screen of that size, its start-up effects forgotten.
    pub fn new(cols: u16, rows: u16) -> Self {
        Self::with(cols, rows, |_| {})
    }

    pub fn fullscreen(cols: u16, rows: u16) -> Self {
        Self::with(cols, rows, |config| {
            config.settings.tui_mode = e::model::config::settings::TuiMode::Fullscreen;
        })
    }

    pub fn with(cols: u16, rows: u16, change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config::default();
        change(&mut config);
        let boot =
            BootFacts { size: Size::new(cols, rows), cwd: Arc::from("/work/parser"), ..BootFacts::default() };
        let mut sessions = Sessions { front: ME, ..Sessions::default() };
        sessions.rules.trusted = true;
        let mut session = Session::new(ME, boot.cwd.clone(), Arc::from("uuid"));
        session.tools.set.all = e::model::tool::spec::builtins();
        sessions.all.insert(ME, session);
        let mut stage = Stage {
            tui: Tui::default(),
            sessions,
            config,
            catalog: Catalog::default(),
            boot: Arc::new(boot),
            registry: Arc::default(),
            effects: Vec::new(),
            asks: Vec::new(),
            now: At { mono: 1_000, wall: 1_764_590_000_000 },
            ids: Ids::new(7),
        };
        stage.run(front::start);
        stage.effects.clear();
        stage
    }

    pub fn run<R>(&mut self, f: impl FnOnce(&mut Tui, &Sessions, &mut Cx<'_>, &mut Out) -> R) -> R {
        let mut out = Out::default();
        let mut cx = Cx {
            now: self.now,
            ids: &mut self.ids,
            boot: &mut self.boot,
            registry: &mut self.registry,
            config: &mut self.config,
            catalog: &mut self.catalog,
        };
        let result = f(&mut self.tui, &self.sessions, &mut cx, &mut out);
        self.asks.extend(out.asks().cloned());
        self.effects.extend(out.into_effects().0);
        result
    }

    pub fn term(&mut self, msg: TermMsg) -> &mut Self {
        self.run(|tui, sessions, cx, out| front::term(tui, msg, sessions, cx, out));
        self
    }

    /// Presses keys, separated by spaces.
    pub fn keys(&mut self, keys: &str) -> &mut Self {
        for key in keys.split(' ') {
            self.term(TermMsg::Key(key.parse().unwrap()));
        }
        self
    }

    /// Types text as a keyboard does.
    pub fn typed(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match e::model::config::chord::Chord::typed(c) {
                Some(chord) if chord.text() == Some(c) => self.term(TermMsg::Key(chord)),
                _ => self.term(TermMsg::Text(c.to_string())),
            };
        }
        self
    }

    pub fn paste(&mut self, text: &str) -> &mut Self {
        self.term(TermMsg::Paste(text.to_owned()))
    }

    pub fn fact(&mut self, fact: &Fact) -> &mut Self {
        self.run(|tui, sessions, cx, out| front::observe(tui, fact, sessions, cx, out));
        self
    }

    pub fn ui(&mut self, ask: UiAsk) -> &mut Self {
        self.run(|tui, sessions, cx, out| front::ui(tui, ask, sessions, cx, out));
        self
    }

    pub fn files(&mut self, ticket: Ticket, msg: FilesMsg) -> &mut Self {
        self.run(|tui, sessions, cx, out| front::files(tui, ticket, msg, sessions, cx, out));
        self
    }

    /// Time passes; every timer that is due by then fires.
    pub fn wait(&mut self, ms: u64) -> &mut Self {
        self.now.mono += ms;
        self.now.wall += ms;
        self
    }

    pub fn fire(&mut self, due: Due) -> bool {
        let Some(id) = self.tui.pending.timers.get(&due).copied() else { return false };
        self.run(|tui, sessions, cx, out| front::timer(tui, id, sessions, cx, out))
    }

    /// Something runs: a turn, as far as the front can tell.
    pub fn busy(&mut self, busy: bool) -> &mut Self {
        let session = self.sessions.all.get_mut(&ME).unwrap();
        session.work = if busy { Work::Opening(Ticket(999_999)) } else { Work::Idle };
        self
    }

    pub fn draft(&self) -> &str {
        self.tui.composer.draft.text()
    }

    /// The text of the line that was submitted last.
    pub fn sent(&self) -> Option<&str> {
        self.asks
            .iter()
            .rev()
            .find_map(|ask| if let Ask::Line(line) = ask { Some(&*line.text) } else { None })
    }

    pub fn exited(&self) -> bool {
        self.asks.iter().any(|ask| matches!(ask, Ask::Exit(_)))
    }

    pub fn printed(&self) -> Vec<BlockId> {
        let print =
            |effect: &Effect| if let Effect::Term(TermFx::Print(id)) = effect { Some(*id) } else { None };
        self.effects.iter().filter_map(print).collect()
    }

    pub fn files_fx(&self) -> impl Iterator<Item = &FilesFx> {
        self.effects.iter().filter_map(|e| if let Effect::Files(fx) = e { Some(fx) } else { None })
    }

    pub fn timers_set(&self) -> usize {
        self.effects.iter().filter(|e| matches!(e, Effect::Timer(TimerFx::Set { .. }))).count()
    }

    /// The composer's cursor as row and column.
    pub fn cursor(&self) -> (usize, usize) {
        use e::model::tui::wrapped;
        let (draft, frame) = (&self.tui.composer.draft, self.tui.frame());
        wrapped::place(draft, &wrapped::lines(draft, frame), draft.cursor(), frame)
    }

    pub fn look(&self) -> Look<'_> {
        self.tui.look(Depth::Brief, &self.config.settings, self.now)
    }

    /// All rows of the conversation as plain text.
    pub fn rows(&self) -> Vec<String> {
        let look = self.look();
        self.tui.transcript.blocks().iter().flat_map(|b| look::rows(b, look)).map(|row| row.plain()).collect()
    }
}

pub fn began(text: &str) -> Fact {
    Fact::Turn(ME, TurnFact::Began { node: Arc::from("n"), message: Arc::new(Message::prompt(text)) })
}

pub fn ended(aborted: bool) -> Fact {
    Fact::Turn(ME, TurnFact::Ended { aborted })
}

pub fn text(piece: &str) -> Fact {
    Fact::Text(ME, TextFact::Text(Arc::from(piece)))
}

pub fn reasoning(piece: &str) -> Fact {
    Fact::Text(ME, TextFact::Reasoning(Arc::from(piece)))
}

pub fn committed() -> Fact {
    let message = Arc::new(Message::Assistant(Default::default()));
    Fact::Text(ME, TextFact::Committed { node: Arc::from("n"), message, partial: false })
}

pub fn batch(ids: &[u64]) -> Fact {
    let call = |id: &u64| CallView {
        id: CallId(*id),
        name: Arc::from("read"),
        arguments: Arc::new(serde_json::json!({"path": "a.rs"})),
        label: Label {
            category: Arc::from("read"),
            running: Arc::from("Reading"),
            completed: Arc::from("Read"),
            target: Some(Arc::from("path")),
        },
        target: Some(Arc::from("a.rs")),
    };
    Fact::Tool(ME, ToolFact::Batch { calls: ids.iter().map(call).collect() })
}

pub fn call_start(id: u64) -> Fact {
    Fact::Tool(ME, ToolFact::Start { id: CallId(id) })
}

pub fn call_output(id: u64, chunk: &str) -> Fact {
    let pipe = e::model::tool::Pipe::Stdout;
    Fact::Tool(ME, ToolFact::Output { id: CallId(id), pipe, chunk: Arc::from(chunk) })
}

pub fn call_end(id: u64, outcome: Outcome, content: &str) -> Fact {
    let (summary, display, kept) = (None, None, None);
    Fact::Tool(
        ME,
        ToolFact::End {
            id: CallId(id),
            outcome,
            summary,
            content: Arc::from(content),
            whole: None,
            display,
            kept,
        },
    )
}

pub fn opened(branch: Vec<(Arc<str>, Arc<Message>)>) -> Fact {
    let reason = e::model::fact::OpenReason::Resume;
    Fact::Session(ME, SessionFact::Opened { reason, branch, path: None })
}
