//! The loop: messages in, the pure update, effects out, a frame when something changed. It owns the time and the world
//! and decides nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{Receiver, UnboundedReceiver};

use super::clock::Clock;
use super::ext::flow::{Parcel, Slot};
use super::ext::next::Ended;
use super::intake::{self, BATCH};
use super::lines::Lines;
use super::post::Post;
use super::term::reader::TtyEvent;
use super::terminal::{Painter, Terminal};
use super::timer::Timers;
use super::world::World;
use crate::model::Model;
use crate::model::effect::{Effect, Effects, TermFx};
use crate::model::msg::{FilesMsg, Msg, Signal, Stamped, StoreMsg};
use crate::model::term::TermMsg;

/// Frames that nobody pressed a key for are at least this far apart.
const FRAME: Duration = Duration::from_millis(16);
/// Messages of extensions between two looks at the keyboard: a key waits for no more of a flood than these.
const SPOKEN: usize = 8;
/// Messages of tools that may wait before the tools do.
pub const BACKLOG: usize = 1024;

/// What the loop waits for, with the world's own pieces behind it.
#[derive(Debug)]
pub struct Inbox {
    pub world: UnboundedReceiver<Msg>,
    /// Bounded: a tool that floods waits for the core.
    pub tools: Receiver<Msg>,
    /// Bounded: an extension that floods waits, or is not heard.
    pub extensions: Receiver<Parcel>,
    pub tty: UnboundedReceiver<TtyEvent>,
    pub signals: Receiver<Signal>,
}

/// What a person sits at.
#[derive(Debug)]
pub enum Attached {
    /// Nothing that is known of (headless).
    Nothing,
    Screen(Box<Terminal>),
    Lines(Lines),
}

pub struct Loop<U, P> {
    pub update: U,
    pub painter: P,
    pub world: World,
    pub terminal: Option<Terminal>,
    /// The terminal in the accessible look, where it edits its lines itself.
    pub lines: Option<Lines>,
    /// What the loop itself has to say to the core next.
    pub post: Post,
    model: Option<Model>,
    clock: Clock,
    timers: Timers,
    dirty: bool,
    /// When the next frame that nobody waits for may be drawn.
    next_frame: Instant,
    exit: Option<u8>,
    /// Notices that no frame has shown yet.
    unpainted: Vec<Slot>,
    /// It began with a terminal.
    screened: bool,
    /// Lines for stderr, until the terminal is given back.
    held: Vec<Arc<str>>,
    edited: tokio::task::JoinSet<Msg>,
}

impl<U, P> std::fmt::Debug for Loop<U, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loop")
            .field("terminal", &self.terminal)
            .field("exit", &self.exit)
            .finish_non_exhaustive()
    }
}

/// What woke the loop.
enum Woken {
    World,
    Tty(Option<TtyEvent>),
    Signal(Option<Signal>),
    Edited(Msg),
    Clock,
}

impl<U, P> Loop<U, P>
where
    U: Fn(Model, Stamped) -> (Model, Effects),
    P: Painter,
{
    pub fn new(update: U, painter: P, world: World, front: Attached, post: Post) -> Self {
        let (terminal, lines) = match front {
            Attached::Nothing => (None, None),
            Attached::Screen(terminal) => (Some(*terminal), None),
            Attached::Lines(lines) => (None, Some(lines)),
        };
        let screened = terminal.is_some();
        Loop {
            update,
            painter,
            world,
            terminal,
            lines,
            post,
            model: Some(Model::empty()),
            clock: Clock::start(),
            timers: Timers::default(),
            dirty: false,
            next_frame: Instant::now(),
            exit: None,
            unpainted: Vec::new(),
            screened,
            held: Vec::new(),
            edited: tokio::task::JoinSet::new(),
        }
    }

    /// Runs until the core wants to end.
    pub async fn run(mut self, first: Msg, mut inbox: Inbox) -> Ended {
        self.step(first);
        self.paint();
        let mut ready = Vec::with_capacity(BATCH);
        let mut from_tools = Vec::with_capacity(BATCH);
        let mut batch = Vec::with_capacity(BATCH);
        let mut parcels = Vec::new();
        while self.exit.is_none() {
            let until = self.wake_at();
            let woken = tokio::select! {
                biased;
                event = inbox.tty.recv(), if self.terminal.is_some() => Woken::Tty(event),
                signal = inbox.signals.recv() => Woken::Signal(signal),
                _ = inbox.world.recv_many(&mut ready, BATCH) => Woken::World,
                _ = inbox.tools.recv_many(&mut from_tools, BATCH) => Woken::World,
                Some(done) = self.edited.join_next() => match done {
                    Ok(msg) => Woken::Edited(msg),
                    Err(_) => Woken::Clock,
                },
                _ = inbox.extensions.recv_many(&mut parcels, SPOKEN) => Woken::World,
                () = sleep_until(until) => Woken::Clock,
            };
            // Whatever else floods, an extension's answer is not left waiting.
            while parcels.len() < SPOKEN
                && let Ok(parcel) = inbox.extensions.try_recv()
            {
                parcels.push(parcel);
            }
            if let Some(gap) = self.clock.slept() {
                self.step(Msg::Signal(Signal::Slept(gap)));
            }
            ready.append(&mut from_tools);
            let urgent = self.on(woken, &mut ready, &mut batch);
            for parcel in parcels.drain(..) {
                self.take(parcel);
            }
            while let Some(id) = self.timers.take_due(Instant::now()) {
                self.step(Msg::Timer(id));
            }
            if urgent || Instant::now() >= self.next_frame {
                self.paint();
            }
        }
        self.end(inbox).await
    }

    /// The last frame, then everything in order.
    async fn end(mut self, mut inbox: Inbox) -> Ended {
        self.dirty = true;
        if let Some(terminal) = &mut self.terminal {
            terminal.hold_no_longer();
        }
        self.paint();
        if let Some(terminal) = self.terminal.take() {
            terminal.close();
        }
        drop(self.lines.take());
        for line in self.held.drain(..) {
            self.world.apply(Effect::Err(line));
        }
        let mut status = self.exit.unwrap_or(0);
        self.world.finish(status).await;
        let mut told = false;
        while let Ok(msg) = inbox.world.try_recv() {
            if msg == Msg::Signal(Signal::Unwritable) {
                status = status.max(1);
            } else if let Some(lost) = not_saved(&msg).filter(|_| !told) {
                told = true;
                let _unread = super::cli::refuse(1, &lost);
            }
        }
        Ended { status, next: self.world.what_next() }
    }

    /// A message of an extension.
    fn take(&mut self, parcel: Parcel) {
        let Parcel { msg, notice, .. } = parcel;
        if self.world.hears(&msg) {
            self.step(Msg::Ext(msg));
            // Without a screen it is written already.
            self.unpainted.extend(notice.filter(|_| self.terminal.is_some()));
        }
    }

    /// Handles what woke the loop; true when a person waits for the frame.
    fn on(&mut self, woken: Woken, ready: &mut Vec<Msg>, batch: &mut Vec<Msg>) -> bool {
        match woken {
            Woken::World => {
                for msg in ready.drain(..) {
                    intake::push(batch, msg);
                }
                // A conversation that was asked for is waited for.
                let opens = |msg: &Msg| {
                    matches!(msg, Msg::Store(_, StoreMsg::Ending { .. } | StoreMsg::Opened { .. }))
                };
                let urgent = batch.iter().any(opens);
                for msg in batch.drain(..) {
                    self.step(msg);
                }
                urgent
            }
            Woken::Tty(Some(TtyEvent::Batch(b))) => {
                if let Some(terminal) = &mut self.terminal {
                    b.replies.iter().for_each(|reply| terminal.learn(reply));
                }
                for msg in intake::typed(b.msgs) {
                    if let (TermMsg::Resize(size), Some(t)) = (&msg, &mut self.terminal) {
                        t.resize(*size);
                    }
                    self.step(Msg::Term(msg));
                }
                true
            }
            Woken::Tty(Some(TtyEvent::Closed) | None) => {
                self.step(Msg::Signal(Signal::HangUp));
                self.exit.get_or_insert(129);
                false
            }
            Woken::Signal(Some(signal)) => {
                if signal == Signal::Continued {
                    self.terminal.iter_mut().for_each(Terminal::redraw);
                    self.lines.iter_mut().for_each(Lines::again);
                }
                self.step(Msg::Signal(signal));
                true
            }
            Woken::Edited(msg) => {
                if let Some(Ok(size)) = self.terminal.as_mut().map(Terminal::take_back) {
                    self.step(Msg::Term(TermMsg::Resize(size)));
                }
                self.step(msg);
                true
            }
            Woken::Signal(None) | Woken::Clock => false,
        }
    }

    fn wake_at(&self) -> Option<Instant> {
        let frame = (self.dirty && self.terminal.is_some()).then_some(self.next_frame);
        match (frame, self.timers.next_due()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn step(&mut self, msg: Msg) {
        let Some(model) = self.model.take() else { return };
        let stamped = Stamped { at: self.clock.now(), msg };
        let (model, Effects(effects)) = (self.update)(model, stamped);
        for effect in effects {
            self.apply(&model, effect);
        }
        self.model = Some(model);
        self.dirty = true;
    }

    fn apply(&mut self, model: &Model, effect: Effect) {
        match effect {
            Effect::Timer(fx) => self.timers.apply(fx, Instant::now()),
            Effect::Term(fx) => self.apply_term(model, fx),
            Effect::Err(line) if self.screened => self.held.push(format!("e: {line}").into()),
            Effect::Exit(status) => {
                self.exit.get_or_insert(status);
            }
            other => self.world.apply(other),
        }
    }

    fn apply_term(&mut self, model: &Model, fx: TermFx) {
        if let (TermFx::Echo(on), Some(lines)) = (&fx, &mut self.lines) {
            return lines.echo(*on);
        }
        let Some(terminal) = &mut self.terminal else { return };
        // A terminal that cannot be written to is gone; the reading thread says so.
        let _ = match fx {
            TermFx::Print(block) => terminal.print(model, block, &mut self.painter),
            TermFx::Alternate(on) => {
                terminal.alternate(on);
                Ok(())
            }
            TermFx::Mouse(on) => {
                terminal.mouse(on);
                Ok(())
            }
            TermFx::Erase => {
                if let Some(terminal) = self.terminal.take() {
                    terminal.vanish();
                }
                return;
            }
            TermFx::Redraw => {
                terminal.redraw();
                Ok(())
            }
            TermFx::Title(text) => terminal.title(&text),
            TermFx::Bell => terminal.bell(),
            TermFx::Echo(_) => Ok(()),
            TermFx::Copy(text) => {
                terminal.copy(text, self.world.environment(), self.post.clone());
                Ok(())
            }
            TermFx::Suspend => terminal.suspend().map(|size| {
                self.post.send(Msg::Signal(Signal::Continued));
                self.post.send(Msg::Term(TermMsg::Resize(size)));
            }),
            TermFx::Editor { ticket, text, command } => terminal.lend().map(|()| {
                let env = self.world.environment();
                self.edited.spawn_blocking(move || {
                    let msg = match super::terminal::edit(&text, &command, &env) {
                        Ok(text) => FilesMsg::Edited(text),
                        Err(error) => FilesMsg::Failed { error: error.into() },
                    };
                    Msg::Files(ticket, msg)
                });
            }),
        };
    }

    fn paint(&mut self) {
        if !self.dirty {
            return;
        }
        if let Some(until) = self.terminal.as_ref().and_then(Terminal::held) {
            self.next_frame = until;
            return;
        }
        self.dirty = false;
        let began = Instant::now();
        if let (Some(terminal), Some(model)) = (&mut self.terminal, &self.model) {
            let _ = terminal.draw(model, &mut self.painter);
        }
        if self.terminal.as_ref().is_none_or(Terminal::shows) {
            self.unpainted.clear();
        }
        // A frame that was dear is followed by twice its time for messages, so that drawing never starves them.
        let ended = Instant::now();
        self.next_frame = ended + FRAME.max((ended - began) * 2);
    }
}

/// A write that failed when the core had ended already: nobody else can say so.
fn not_saved(msg: &Msg) -> Option<String> {
    match msg {
        Msg::Store(_, StoreMsg::AppendFailed { error } | StoreMsg::Failed { error }) => {
            Some(format!("the end of the session could not be saved: {error}"))
        }
        Msg::Files(_, FilesMsg::Failed { error }) => Some(error.to_string()),
        _ => None,
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
