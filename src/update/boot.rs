//! The start of a run: files read into the configuration, the front chosen, trust asked, the workspace opened. Nothing
//! here waits: the first frame is drawn from what the first message brought.

use std::sync::Arc;

use super::session;
use super::{Cx, Out};
use crate::model::Model;
use crate::model::ask::{Ask, ExtAsk, Line, UiAsk};
use crate::model::boot::{BootFacts, Launch, Mode, Resume, Trusted};
use crate::model::config::complaint::Complaint;
use crate::model::config::{settings, trust};
use crate::model::effect::{Effect, FilesFx};
use crate::model::fact::{Fact, OpenReason, SessionFact};
use crate::model::front::{Front, Print};
use crate::model::id::{Ids, Ticket};
use crate::model::msg::FilesMsg;
use crate::model::session::notice::Tone;
use crate::model::session::toolset::Toolset;
use crate::model::session::{First, LogState, Owed, Rules, Session, Sessions};
use crate::model::tool::{ToolFx, spec};
use crate::model::tui::Tui;

/// Takes what the first message brought into the model; gives the complaints about the person's files.
pub fn begin(model: &mut Model, facts: BootFacts) -> Vec<Complaint> {
    model.ids = Ids::new(facts.seed);
    let file = |name: &str| facts.files.iter().find(|(n, _)| &**n == name).map(|(_, text)| text.clone());
    let mut complaints = Vec::new();
    if let Some(text) = file("settings.json") {
        let (settings, mut wrong) = settings::parse("settings.json", &text);
        model.config.settings = settings;
        complaints.append(&mut wrong);
    }
    if let Some(text) = file("trust.json") {
        complaints.extend(trust::parse("trust.json", &text).1);
    }
    model.front = match facts.launch.mode {
        Mode::Terminal => {
            let lines = facts.accessible.then(Box::default);
            Front::Tui(Box::new(Tui { lines, ..Tui::default() }))
        }
        Mode::Print { json } => Front::Print(Box::new(Print::new(json))),
    };
    model.boot = Arc::new(facts);
    complaints
}

/// Makes the first session and asks for what it needs. With extensions the rest waits for [`launched`].
pub fn start(sessions: &mut Sessions, complaints: Vec<Complaint>, cx: &mut Cx<'_>, out: &mut Out) {
    let id = cx.ids.session();
    let uuid = cx.ids.uuid(cx.now.wall).into();
    let mut first = Session::new(id, cx.boot.cwd.clone(), uuid);
    first.tools.set = Toolset { all: spec::builtins(), ..Toolset::default() };
    sessions.all.insert(id, first);
    sessions.front = id;
    sessions.rules.headless = cx.boot.launch.mode != Mode::Terminal;
    out.fact(Fact::Session(
        id,
        SessionFact::Opened { reason: OpenReason::Startup, branch: Vec::new(), path: None },
    ));
    for complaint in complaints {
        out.notice(Tone::Warning, complaint.to_string());
    }
    match cx.boot.calling.pending {
        true => out.ask(Ask::Ext(ExtAsk::Begin)),
        false => go(sessions, cx, out),
    }
}

/// Extensions had their say: this is what the command line means.
pub fn launched(sessions: &mut Sessions, launch: Launch, cx: &mut Cx<'_>, out: &mut Out) {
    Arc::make_mut(cx.boot).launch = launch;
    go(sessions, cx, out);
}

/// The launch is known: its rules hold, models are loaded, trust is asked.
fn go(sessions: &mut Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let launch = &cx.boot.launch;
    sessions.rules = Rules {
        headless: launch.mode != Mode::Terminal,
        no_save: launch.no_save,
        no_tools: launch.no_tools,
        trusted: false,
    };
    let id = sessions.front;
    if let Some(first) = sessions.all.get_mut(&id) {
        first.tools.set.none = launch.no_tools;
        first.choice.wanted = launch.model.clone();
        if launch.no_save {
            first.log.state = LogState::Off;
        }
    }
    let ticket = sessions.owed.issue(cx.ids, Owed::Catalog);
    out.effect(Effect::Files(FilesFx::LoadCatalog { ticket }));
    match cx.boot.trusted {
        Trusted::Yes => trusted(sessions, false, cx, out),
        Trusted::Unknown | Trusted::Refused if sessions.rules.headless => {
            let dir = &cx.boot.cwd;
            let what_to_do = match *dir == cx.boot.user_home {
                true => "A home directory is never trusted as a whole: change to a project's directory."
                    .to_owned(),
                false => format!("Run `e trust {dir}` if you trust it."),
            };
            let words = format!("{dir} is not trusted yet: its instructions would be followed. {what_to_do}");
            out.notice(Tone::Error, words);
            out.fact(Fact::Session(id, SessionFact::NoTurn { status: 1 }));
        }
        Trusted::Unknown | Trusted::Refused => out.ask(Ask::Ui(UiAsk::Trust)),
    }
}

/// The directory's instructions may be followed: loads them, continues or resumes, and sends the first prompt.
pub fn trusted(sessions: &mut Sessions, record: bool, cx: &mut Cx<'_>, out: &mut Out) {
    let again = std::mem::replace(&mut sessions.rules.trusted, true);
    let dir = cx.boot.cwd.clone();
    if record {
        let ticket = sessions.owed.issue(cx.ids, Owed::Settings);
        out.effect(Effect::Files(FilesFx::WriteTrust { ticket, dir, trusted: true }));
    }
    if again {
        return;
    }
    if !record && cx.boot.trusted != Trusted::Yes {
        out.effect(Effect::Tool(ToolFx::Trusted(cx.boot.cwd.clone())));
    }
    let id = sessions.front;
    session::load_desk(sessions, id, cx, out);
    match cx.boot.launch.resume {
        Resume::Fresh => {}
        Resume::Latest => session::continue_latest(sessions, id, cx, out),
        Resume::Pick => out.ask(Ask::Ui(UiAsk::ResumePicker)),
    }
    let Some(text) = cx.boot.launch.prompt.clone() else { return };
    sessions.first = Some(First { text, images: Vec::new(), reading: cx.boot.launch.images.len() });
    for path in &cx.boot.launch.images {
        let ticket = sessions.owed.issue(cx.ids, Owed::FirstImage);
        out.effect(Effect::Files(FilesFx::ReadImage { ticket, path: path.clone() }));
    }
    send_first(sessions, out);
}

/// An image of the command line's prompt is read, or cannot be; whether it was one.
pub fn image(sessions: &mut Sessions, ticket: Ticket, msg: &FilesMsg, out: &mut Out) -> bool {
    if sessions.owed.get(ticket) != Some(&Owed::FirstImage) {
        return false;
    }
    let _answered = sessions.owed.take(ticket);
    let Some(first) = &mut sessions.first else { return true };
    match msg {
        FilesMsg::Image(image) => {
            first.images.push(image.clone());
            first.reading -= 1;
            send_first(sessions, out);
        }
        FilesMsg::Failed { error } => {
            out.notice(Tone::Error, error.clone());
            give_back(sessions, out);
        }
        _ => out.oops("an image was answered with something else"),
    }
    true
}

/// An image is missing: nothing is sent without it, and nothing typed is lost.
fn give_back(sessions: &mut Sessions, out: &mut Out) {
    let (id, headless) = (sessions.front, sessions.rules.headless);
    let Some(first) = sessions.first.take() else { return };
    out.fact(Fact::Session(id, SessionFact::Returned { text: first.text, images: first.images }));
    if headless {
        out.fact(Fact::Session(id, SessionFact::NoTurn { status: 1 }));
    }
}

/// Submits the command line's prompt once its images are read.
pub fn send_first(sessions: &mut Sessions, out: &mut Out) {
    if let Some(first) = sessions.first.take_if(|first| first.reading == 0) {
        out.ask(Ask::Line(Line { session: sessions.front, text: first.text, images: first.images }));
    }
}
