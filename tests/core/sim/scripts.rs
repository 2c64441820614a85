//! What the simulated provider and tools say.

use std::sync::Arc;

use e::model::msg::FilesMsg;
use e::model::provider::{Cause, Fault, Purpose, Request, Stage, Stop, StreamMsg, Usage};
use e::model::session::library::{Skill, Template};
use e::model::tool::{FileKey, Outcome, Pipe, ToolMsg, ToolOutput};

use super::World;

/// One reply of the provider.
#[derive(Debug, Clone)]
pub struct Reply(pub Vec<StreamMsg>);

pub fn fault(cause: Cause) -> Fault {
    Fault {
        cause,
        stage: Stage::Stream,
        summary: format!("a fault: {}", cause.name()).into(),
        detail: "".into(),
        http_status: None,
        request_id: None,
        retry_after: None,
    }
}

impl Reply {
    pub fn text(words: &str) -> Reply {
        Reply(vec![StreamMsg::Text(words.into()), StreamMsg::Done(Stop::End)])
    }

    pub fn fails(cause: Cause) -> Reply {
        Reply(vec![StreamMsg::Failed(fault(cause))])
    }

    /// `(id, tool, arguments)` each.
    pub fn calls(calls: &[(&str, &str, &str)]) -> Reply {
        let mut out = Vec::new();
        for (index, (id, name, arguments)) in calls.iter().enumerate() {
            out.push(StreamMsg::CallStart { index, id: (*id).into(), name: (*name).into() });
            out.push(StreamMsg::CallArgs { index, delta: (*arguments).into() });
            out.push(StreamMsg::CallEnd { index, signature: None });
        }
        out.push(StreamMsg::Done(Stop::End));
        Reply(out)
    }

    /// The same with token counts before its end.
    pub fn counted(mut self, input: u64, output: u64) -> Reply {
        let usage = Usage { input, output, ..Usage::default() };
        self.0.insert(self.0.len() - 1, StreamMsg::Usage(usage));
        self
    }

    pub fn pieces(self) -> Vec<StreamMsg> {
        self.0
    }
}

pub fn templates() -> FilesMsg {
    FilesMsg::Templates {
        prompts: vec![Template {
            name: "greet".into(),
            description: "".into(),
            argument_hint: None,
            body: "Greet $1 and ${2:-nobody}.".into(),
        }],
        skills: vec![Skill {
            name: "deploy".into(),
            description: "How to deploy".into(),
            path: "/home/skills/deploy/SKILL.md".into(),
            for_model: true,
        }],
        complaints: Vec::new(),
    }
}

const CAUSES: [Cause; 8] = [
    Cause::Auth,
    Cause::Network,
    Cause::Stalled,
    Cause::RateLimited,
    Cause::QuotaExhausted,
    Cause::Unavailable,
    Cause::Rejected,
    Cause::Overflow,
];

const CALLS: [(&str, &str); 9] = [
    ("read", "{\"path\":\"a.rs\"}"),
    ("edit", "{\"path\":\"a.rs\",\"old_string\":\"x\",\"new_string\":\"y\"}"),
    ("write", "{\"path\":\"./a.rs\",\"content\":\"z\"}"),
    ("read", "{\"path\":\"b.rs\"}"),
    ("bash", "{\"command\":\"make\"}"),
    ("bash", "{\"command\":"),
    ("nonsense", "{}"),
    ("read_result", "{\"id\":\"r1\"}"),
    ("grep", ""),
];

impl World {
    /// Whatever a provider might do.
    pub fn any_reply(&mut self, request: &Request) -> Reply {
        let mut out = Vec::new();
        if self.dice.one_in(5) {
            out.push(StreamMsg::Failed(fault(self.any_cause())));
            return Reply(out);
        }
        out.push(StreamMsg::Opened);
        if self.dice.one_in(12) {
            out.push(StreamMsg::Done(Stop::End));
            return Reply(out);
        }
        if self.dice.one_in(3) {
            out.push(StreamMsg::Reasoning("hm".into()));
            out.push(StreamMsg::ReasoningEnd { signature: Some("seal".into()), sealed: None });
        }
        for n in 0..self.dice.below(4) {
            out.push(StreamMsg::Text(format!("word{n}-{} ", self.dice.below(1000))));
        }
        if request.purpose == Purpose::Compact {
            out.push(StreamMsg::Text("a summary".into()));
        } else if self.dice.one_in(2) {
            for index in 0..1 + self.dice.below(5) {
                let (name, arguments) = *self.dice.pick(&CALLS);
                let id: Arc<str> =
                    if self.dice.one_in(6) { "same".into() } else { format!("c{index}").into() };
                out.push(StreamMsg::CallStart { index, id, name: name.into() });
                let half = arguments.len() / 2;
                out.push(StreamMsg::CallArgs { index, delta: arguments[..half].into() });
                out.push(StreamMsg::CallArgs { index, delta: arguments[half..].into() });
                out.push(StreamMsg::CallEnd { index, signature: None });
            }
        }
        let input = self.dice.roll() % 60_000;
        out.push(StreamMsg::Usage(Usage { input, output: 9, ..Usage::default() }));
        let last = match self.dice.below(12) {
            0 => StreamMsg::Failed(fault(self.any_cause())),
            1 => StreamMsg::Done(Stop::Length),
            2 => StreamMsg::Done(Stop::Refused),
            _ => StreamMsg::Done(Stop::End),
        };
        out.push(last);
        Reply(out)
    }

    fn any_cause(&mut self) -> Cause {
        match *self.dice.pick(&CAUSES) {
            Cause::Overflow if self.no_overflow => Cause::Network,
            cause => cause,
        }
    }

    pub fn any_output(&mut self) -> ToolMsg {
        let outcomes = [Outcome::Completed, Outcome::Completed, Outcome::Failed, Outcome::TimedOut];
        let length = if self.dice.one_in(8) { 50_000 } else { 20 };
        let mut output = ToolOutput::new(*self.dice.pick(&outcomes), "line of output\n".repeat(length / 15));
        if self.dice.one_in(4) {
            let path: Arc<str> = format!("/work/app/sub{}/AGENTS.md", self.dice.below(2)).into();
            output.instructions.push((path, "Use tabs.".into()));
        }
        ToolMsg::Done(Box::new(output))
    }

    pub fn any_chunk(&mut self) -> ToolMsg {
        ToolMsg::Output { pipe: Pipe::Stdout, chunk: format!("chunk {}\n", self.dice.below(100)).into() }
    }
}

/// `a.rs` and `./a.rs` are one file.
pub fn key_of(path: &str) -> FileKey {
    FileKey::Path(path.trim_start_matches("./").into())
}
