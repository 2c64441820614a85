//! The dice play: any answer, late or early, and a person who types and interrupts at any moment.

use e::model::ask::{Ask, SessionAsk};
use e::model::ext::{HookValue, InputVerdict};
use e::model::id::{CallId, StreamId, TimerId};
use e::model::msg::{Msg, StoreMsg};
use e::model::provider::{ModelRef, Stop, StreamMsg};
use e::model::session::turn::Work;
use e::model::tool::ToolMsg;
use e::update::Input;

use super::{World, scripts};

impl World {
    /// One thing happens.
    pub fn act(&mut self) {
        match self.dice.below(24) {
            0..=8 => self.speak(),
            9..=13 => self.work(),
            14..=16 => self.answer_hook(),
            17 => self.ring(),
            18 => self.settle_files(),
            19..=20 => self.person(),
            21 => self.late(),
            22 => self.duplicate(),
            _ => self.identify(),
        }
    }

    /// The open stream says its next piece.
    pub fn speak(&mut self) {
        let Some(id) = self.open.streams.keys().next().copied() else { return };
        let pieces = self.open.streams.get_mut(&id).unwrap();
        if pieces.is_empty() {
            return;
        }
        let piece = pieces.remove(0);
        self.stream(id, piece);
    }

    /// A running call says something or ends.
    fn work(&mut self) {
        let running: Vec<CallId> = self.open.jobs.keys().copied().collect();
        if running.is_empty() {
            return;
        }
        let id = *self.dice.pick(&running);
        let msg = if self.dice.one_in(3) { self.any_chunk() } else { self.any_output() };
        self.finish_job(id, msg);
    }

    fn identify(&mut self) {
        let Some((id, path)) = self.open.identify.pop_first() else { return };
        self.give(Input::Msg(Msg::Tool(id, ToolMsg::Identified(Some(scripts::key_of(&path))))));
    }

    fn answer_hook(&mut self) {
        if self.open.hooks.is_empty() {
            return;
        }
        let place = self.dice.below(self.open.hooks.len());
        let (ticket, mut value) = self.open.hooks.remove(place);
        if self.dice.one_in(4) {
            self.twist(ticket, &mut value);
        }
        if self.dice.one_in(8) {
            self.dead.hooks.push((ticket, value.clone()));
        }
        self.give(Input::Ask(Ask::HookDone { ticket, value }));
    }

    /// An extension has its own mind.
    fn twist(&mut self, ticket: e::model::id::Ticket, value: &mut HookValue) {
        match value {
            HookValue::Input { verdict, notices, .. } => {
                *verdict = InputVerdict::Pass;
                notices.push("a notice".into());
            }
            HookValue::BeforeTurn { suffixes, .. } => suffixes.push("Be brief.".into()),
            HookValue::ToolCall { block, .. } => {
                *block = Some("because the world says so".into());
                if let Some(call) = self.gated(ticket) {
                    let _ = self.blocked.insert(call);
                }
            }
            HookValue::ToolResult { content, rewritten, is_error, .. } => {
                if !*is_error {
                    *content = "rewritten".into();
                    *rewritten = true;
                }
            }
            HookValue::CompactSummary { summary } => *summary = "another summary".into(),
            HookValue::Render { .. } => {}
        }
    }

    /// The call that waits at this gate.
    fn gated(&self, ticket: e::model::id::Ticket) -> Option<CallId> {
        use e::model::session::batch::CallPhase;
        use e::model::session::turn::Phase;
        let Phase::Tools(batch) = &self.session().turn()?.phase else { return None };
        batch.calls.iter().find(|c| c.phase == CallPhase::Gate(ticket)).map(|c| c.id)
    }

    /// The clock moves to the next timer.
    pub fn ring(&mut self) {
        let Some((id, due)) = self.open.timers.iter().min_by_key(|(_, due)| **due).map(|(i, d)| (*i, *d))
        else {
            return;
        };
        self.now = self.now.max(due);
        let _ = self.open.timers.remove(&id);
        self.dead.timers.push(id);
        self.give(Input::Msg(Msg::Timer(id)));
    }

    fn person(&mut self) {
        match self.dice.below(16) {
            0..=6 => {
                let words = format!("words {}", self.dice.roll());
                self.counters_typed(&words);
                self.type_line(&words);
            }
            7..=8 => self.interrupt(),
            9 => self.tell(SessionAsk::Unqueue { index: 0 }),
            10 => self.tell(SessionAsk::Compact { focus: None }),
            11 => {
                let id = *self.dice.pick(&["one", "two"]);
                self.tell(SessionAsk::Model(ModelRef { provider: "sim".into(), id: id.into() }));
            }
            12 => self.type_line("!make test"),
            13 => self.tell(SessionAsk::Effort("low".into())),
            14 => self.type_line("/greet Ann"),
            _ => self.tell(SessionAsk::Undo),
        }
    }

    fn counters_typed(&mut self, words: &str) {
        self.log.push(format!("typed {words}"));
    }

    /// T3: whatever runs is over in the same update.
    pub fn interrupt(&mut self) {
        let opening = matches!(self.session().work, Work::Opening(_));
        let waits = self.session().queue.run_next;
        self.tell(SessionAsk::Interrupt);
        if !opening && !waits {
            assert!(self.session().work == Work::Idle, "T3: {:?}", self.session().work);
            assert!(self.session().shell.is_none(), "T3: a command goes on");
        }
    }

    /// Something said about what is over changes nothing (T4).
    fn late(&mut self) {
        let before = format!("{:?}", self.sessions());
        let facts = self.facts.len();
        match self.dice.below(5) {
            0 => {
                let Some(id) = self.some_dead_stream() else { return };
                let msg = if self.dice.one_in(2) {
                    StreamMsg::Text("late".into())
                } else {
                    StreamMsg::Done(Stop::End)
                };
                self.give(Input::Msg(Msg::Stream(id, msg)));
            }
            1 => {
                if self.dead.calls.is_empty() {
                    return;
                }
                let id = *self.dice.pick(&self.dead.calls);
                let msg = self.any_output();
                self.give(Input::Msg(Msg::Tool(id, msg)));
            }
            2 => {
                if self.dead.timers.is_empty() {
                    return;
                }
                let id: TimerId = *self.dice.pick(&self.dead.timers);
                self.give(Input::Msg(Msg::Timer(id)));
            }
            3 => {
                let Some((ticket, value)) = self.dead.hooks.pop() else { return };
                self.give(Input::Ask(Ask::HookDone { ticket, value }));
            }
            _ => self.give(Input::Msg(Msg::Store(e::model::id::Ticket(u64::MAX), StoreMsg::Missing))),
        }
        assert_eq!(before, format!("{:?}", self.sessions()), "T4: a late answer changed something");
        assert_eq!(facts, self.facts.len(), "T4: a late answer was told");
    }

    fn some_dead_stream(&mut self) -> Option<StreamId> {
        if self.dead.streams.is_empty() { None } else { Some(*self.dice.pick(&self.dead.streams)) }
    }

    /// A call's identity comes twice, or output of a call after its end.
    fn duplicate(&mut self) {
        let Some(id) = self.dead.calls.last().copied() else { return };
        let chunk = self.any_chunk();
        self.give(Input::Msg(Msg::Tool(id, chunk)));
    }

    /// The world answers everything; the person is still. The turn must end (T2).
    pub fn come_to_rest(&mut self) {
        for _ in 0..20_000 {
            if !self.open.files.is_empty() || !self.open.store.is_empty() {
                self.settle_files();
            } else if !self.open.hooks.is_empty() {
                let (ticket, value) = self.open.hooks.remove(0);
                self.give(Input::Ask(Ask::HookDone { ticket, value }));
            } else if !self.open.streams.is_empty() {
                self.speak();
            } else if !self.open.identify.is_empty() {
                self.identify();
            } else if !self.open.jobs.is_empty() {
                let id = *self.open.jobs.keys().next().unwrap();
                let msg = self.any_output();
                self.finish_job(id, msg);
            } else if !self.open.timers.is_empty() {
                self.ring();
            } else {
                return;
            }
        }
        panic!("T2: the world answers and the turn does not end");
    }
}

impl World {
    /// An act that is not the person's.
    pub fn act_quietly(&mut self) {
        match self.dice.below(4) {
            0 => self.work(),
            1 => self.identify(),
            2 => self.answer_hook(),
            _ => self.settle_files(),
        }
    }

    /// How often these words wait, or went back to the person.
    pub fn queued(&self, words: &str) -> usize {
        use e::model::fact::{Fact, SessionFact};
        use e::model::provider::Message;
        let returned = |fact: &Fact| match fact {
            Fact::Session(_, SessionFact::Returned { text, .. }) => {
                text.lines().filter(|l| *l == words).count()
            }
            _ => 0,
        };
        let is = |m: &Message| matches!(m, Message::User(user) if user.text() == words);
        let s = self.session();
        s.queue.steers.iter().filter(|m| is(&m.message)).count()
            + s.lines.waiting.iter().filter(|l| &*l.text == words).count()
            + self.facts.iter().map(returned).sum::<usize>()
    }

    /// A message that makes no sense now, or never.
    pub fn odd(&mut self) {
        use e::model::id::Ticket;
        use e::model::msg::{FilesMsg, Signal};
        use e::model::time::Span;
        let n = self.dice.roll() % 40;
        let odd = match self.dice.below(12) {
            0 => Msg::Stream(StreamId(n), StreamMsg::CallArgs { index: 7, delta: "x".into() }),
            1 => Msg::Stream(StreamId(n), StreamMsg::CallEnd { index: 9, signature: None }),
            2 => Msg::Stream(
                StreamId(n),
                StreamMsg::ReasoningEnd { signature: Some("s".into()), sealed: None },
            ),
            3 => Msg::Tool(CallId(n), self.any_output()),
            4 => Msg::Tool(CallId(n), ToolMsg::Identified(None)),
            5 => Msg::Timer(TimerId(n)),
            6 => Msg::Store(Ticket(n), StoreMsg::Busy { path: "p".into() }),
            7 => Msg::Store(Ticket(n), StoreMsg::AppendFailed { error: "no".into() }),
            8 => Msg::Files(Ticket(n), FilesMsg::Failed { error: "no".into() }),
            9 => Msg::Files(Ticket(n), FilesMsg::History(Vec::new())),
            10 => Msg::Signal(Signal::Slept(Span(n))),
            _ => Msg::Files(Ticket(n), FilesMsg::Text("t".into())),
        };
        self.give(Input::Msg(odd));
    }
}

impl World {
    /// Pretends that the provider counted this much in the window.
    pub fn session_context(&mut self, tokens: u64) {
        let model = self.model.as_mut().unwrap();
        let front = model.sessions.front;
        model.sessions.all.get_mut(&front).unwrap().tally.context = tokens;
    }
}

impl World {
    /// A second session beside the first, as `rpc` will have them.
    pub fn add_session(&mut self) -> e::model::id::SessionId {
        let model = self.model.as_mut().unwrap();
        let id = model.ids.session();
        let mut twin = model.sessions.front().unwrap().clone();
        twin.id = id;
        twin.log.state = e::model::session::LogState::Off;
        model.sessions.all.insert(id, twin);
        self.loose = true;
        id
    }

    pub fn say_in(&mut self, session: e::model::id::SessionId, words: &str) {
        self.replies = vec![scripts::Reply(
            (0..8)
                .map(|n| StreamMsg::Text(format!("{words} {n} ")))
                .chain([StreamMsg::Done(Stop::End)])
                .collect(),
        )];
        let line = e::model::ask::Line { session, text: words.into(), images: Vec::new() };
        self.give(Input::Ask(Ask::Line(line)));
    }

    /// The next piece of what this session waits for.
    pub fn speak_in(&mut self, session: e::model::id::SessionId) {
        use e::model::session::turn::Phase;
        let Some(turn) = self.sessions().get(session).unwrap().turn() else { return };
        let Phase::Asking(asking) = &turn.phase else { return };
        let id = asking.stream;
        let pieces = self.open.streams.get_mut(&id).unwrap();
        if !pieces.is_empty() {
            let piece = pieces.remove(0);
            self.stream(id, piece);
        }
    }
}
