//! Syntax colours off the frame's path: one worker that turns code into byte ranges with theme words. The common
//! languages have a lexer of the house's own; nothing of the big highlighter is touched before another is asked for.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use syntect::parsing::{BasicScopeStackOp, ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::languages::{self, Language};
use super::{lexer, scopes};
use crate::model::id::Ticket;
use crate::model::msg::FilesMsg;
use crate::model::text::row::Token;

/// Lines of one text that get colours; the rest stays plain.
pub const MAX_LINES: usize = 2_000;
/// Bytes of a line that gets colours.
pub const MAX_LINE: usize = 4 * 1024;
/// Texts whose end state is kept, so that a text that grows is not parsed again from its start.
const KEPT: usize = 4;

/// The name of the worker's thread: a panic in it costs one text its colours and nothing else.
pub const THREAD: &str = "e-highlight";

/// The colours of one line: byte ranges in rising order, what lies between them is plain.
pub type Line = Vec<(Range<usize>, Token)>;

/// The colours wanted for a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    pub ticket: Ticket,
    /// A language's name, a file extension or a path.
    pub language: Arc<str>,
    /// The whole text as far as it is known.
    pub text: Arc<str>,
    /// The first line whose colours are wanted.
    pub from_line: usize,
}

/// Where an answer goes.
type Answer = Box<dyn Fn(Ticket, FilesMsg) + Send>;

/// Hands jobs to the worker, which starts with the first one and ends when this is dropped.
pub struct Highlighter {
    answer: Option<Answer>,
    jobs: Option<Sender<Job>>,
}

impl std::fmt::Debug for Highlighter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Highlighter").field("started", &self.jobs.is_some()).finish_non_exhaustive()
    }
}

impl Highlighter {
    /// A highlighter whose answers (`FilesMsg::Coloured`, one for each job) go to `answer`, called on the worker's thread.
    pub fn new(answer: impl Fn(Ticket, FilesMsg) + Send + 'static) -> Self {
        Highlighter { answer: Some(Box::new(answer)), jobs: None }
    }

    /// Queues a job.
    pub fn request(&mut self, job: Job) {
        if let Some(answer) = self.answer.take() {
            let (sender, jobs) = channel();
            let worker = std::thread::Builder::new().name(THREAD.into()).spawn(move || work(&jobs, &answer));
            // Without a thread there are no colours; the text stays plain.
            self.jobs = worker.ok().map(|_| sender);
        }
        if let Some(jobs) = &self.jobs {
            let _ = jobs.send(job);
        }
    }
}

fn work(jobs: &Receiver<Job>, answer: &Answer) {
    let mut colourist = Colourist::default();
    while let Ok(job) = jobs.recv() {
        let lines = catch_unwind(AssertUnwindSafe(|| colourist.colours(&job))).unwrap_or_else(|_| {
            colourist = Colourist::default();
            vec![Line::new(); job.text.lines().count().saturating_sub(job.from_line)]
        });
        answer(job.ticket, FilesMsg::Coloured { from_line: job.from_line, lines });
    }
}

/// How far a text was parsed.
struct End {
    language: String,
    /// Whole lines parsed, and what they were.
    lines: usize,
    bytes: usize,
    digest: u64,
    state: State,
}

/// Where the parsing of a text stands.
#[derive(Clone)]
enum State {
    Own(&'static Language, lexer::State),
    Big(Box<Big>),
}

/// The big highlighter's.
#[derive(Clone)]
struct Big {
    parse: ParseState,
    scopes: ScopeStack,
    tokens: Tokens,
    given_up: bool,
}

/// The highlighter itself: loads its syntaxes at the first text that needs them.
#[derive(Default)]
pub struct Colourist {
    set: Option<SyntaxSet>,
    ends: Vec<End>,
    words: HashMap<Scope, Option<Token>>,
}

impl std::fmt::Debug for Colourist {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Colourist").field("loaded", &self.set.is_some()).finish_non_exhaustive()
    }
}

impl Colourist {
    /// The colours of the lines from `from_line` on.
    pub fn colours(&mut self, job: &Job) -> Vec<Line> {
        let count = job.text.lines().count();
        let plain = vec![Line::new(); count.saturating_sub(job.from_line)];
        let Some(language) = scopes::language(&job.language) else { return plain };
        if plain.is_empty() || job.from_line >= MAX_LINES {
            return plain;
        }
        let Some((mut line_no, mut at, mut state)) = self.resume(&language, job) else { return plain };
        let mut out = Vec::with_capacity(plain.len());
        for line in job.text.get(at..).unwrap_or_default().split_inclusive('\n') {
            if line_no >= MAX_LINES {
                break;
            }
            let fits = line.len() <= MAX_LINE;
            // Half a line will be parsed again when it is whole: its end is not kept.
            let mut half = (!line.ends_with('\n')).then(|| state.clone());
            let state = half.as_mut().unwrap_or(&mut state);
            let colours = match (fits, state) {
                (false, _) => Line::new(),
                (true, State::Own(language, state)) => lexer::line(language, state, line),
                (true, State::Big(big)) => match &self.set {
                    Some(set) => big.line(set, &mut self.words, line),
                    None => Line::new(),
                },
            };
            if line_no >= job.from_line {
                out.push(colours);
            }
            if half.is_some() {
                break;
            }
            line_no += 1;
            at += line.len();
        }
        let digest = digest(job.text.get(..at).unwrap_or_default());
        self.ends.push(End { language, lines: line_no, bytes: at, digest, state });
        if self.ends.len() > KEPT {
            self.ends.remove(0);
        }
        out.resize(count.saturating_sub(job.from_line), Line::new());
        out
    }

    /// The end state of the longest known start of the text, taken out; or the start of the text. There is none for a
    /// language nobody knows.
    fn resume(&mut self, language: &str, job: &Job) -> Option<(usize, usize, State)> {
        let fits = |end: &End| {
            end.language == language
                && end.lines <= job.from_line
                && job.text.get(..end.bytes).is_some_and(|start| digest(start) == end.digest)
        };
        let best =
            (0..self.ends.len()).filter(|at| fits(&self.ends[*at])).max_by_key(|at| self.ends[*at].lines);
        if let Some(at) = best {
            let end = self.ends.remove(at);
            return Some((end.lines, end.bytes, end.state));
        }
        let state = match languages::find(extension(language)) {
            Some(language) => State::Own(language, lexer::State::default()),
            None => {
                let set = self.set.get_or_insert_with(two_face::syntax::extra_newlines);
                State::Big(Box::new(Big::new(find(set, language)?)))
            }
        };
        Some((0, 0, state))
    }
}

fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The extension of a path; a language's name is all of it.
fn extension(language: &str) -> &str {
    let name = language.rsplit(['/', '\\']).next().unwrap_or(language);
    name.rsplit_once('.').map_or(name, |(_, extension)| extension)
}

fn find<'s>(set: &'s SyntaxSet, language: &str) -> Option<&'s SyntaxReference> {
    let name = language.rsplit(['/', '\\']).next().unwrap_or(language);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    set.find_syntax_by_token(name).or_else(|| set.find_syntax_by_token(extension?))
}

impl Big {
    fn new(syntax: &SyntaxReference) -> Big {
        let parse = ParseState::new(syntax);
        Big { parse, scopes: ScopeStack::new(), tokens: Tokens::default(), given_up: false }
    }

    /// Parses one line. Where the highlighter gives up, it and all that follows stay plain.
    fn line(&mut self, set: &SyntaxSet, words: &mut HashMap<Scope, Option<Token>>, line: &str) -> Line {
        if self.given_up {
            return Line::new();
        }
        let Ok(ops) = self.parse.parse_line(line, set) else {
            self.given_up = true;
            return Line::new();
        };
        let end = line.trim_end_matches(['\n', '\r']).len();
        let mut out = Line::new();
        let mut from = 0;
        for (at, op) in ops {
            emit(&mut out, from..at.min(end), self.tokens.current());
            from = at.min(end).max(from);
            let tokens = &mut self.tokens;
            let applied = self.scopes.apply_with_hook(&op, |basic, _| match basic {
                BasicScopeStackOp::Push(scope) => {
                    tokens.push(*words.entry(scope).or_insert_with(|| scopes::token(&scope.build_string())));
                }
                BasicScopeStackOp::Pop => tokens.pop(),
            });
            if applied.is_err() {
                self.given_up = true;
                return Line::new();
            }
        }
        emit(&mut out, from..end, self.tokens.current());
        out
    }
}

fn emit(out: &mut Line, range: Range<usize>, token: Token) {
    if range.is_empty() || token == Token::Plain {
        return;
    }
    match out.last_mut() {
        Some((last, known)) if last.end == range.start && *known == token => last.end = range.end,
        _ => out.push((range, token)),
    }
}

/// The words of the open scopes, each one its own or what it inherits.
#[derive(Clone, Default)]
struct Tokens {
    stack: Vec<Token>,
}

impl Tokens {
    fn current(&self) -> Token {
        self.stack.last().copied().unwrap_or_default()
    }

    fn push(&mut self, word: Option<Token>) {
        let below = self.current();
        let token = match word {
            // The quotes and letters of a key are a key.
            Some(Token::SyntaxString) if below == scopes::KEY => below,
            Some(word) => word,
            None => below,
        };
        self.stack.push(token);
    }

    fn pop(&mut self) {
        self.stack.pop();
    }
}
