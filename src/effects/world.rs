//! The interpreter: takes the core's effects apart and hands each to whoever can do it. Holds every handle that must end
//! with the process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;

use tokio::sync::mpsc::Sender;

use super::auth::{Auth, Env};
use super::catalog;
use super::cli;
use super::ext::flow::Parcel;
use super::ext::{Extensions, overlay};
use super::files::Files;
use super::highlight::{Highlighter, Job};
use super::home::Home;
use super::http::{Http, Timeouts};
use super::kept;
use super::out::Printer;
use super::post::Post;
use super::provider::{Providers, Running};
use super::script::Scripts;
use super::secrets::Secrets;
use super::store::Store;
use super::tool::{self, Tools};
use crate::model::boot::Mode;
use crate::model::config::complaint::Complaint;
use crate::model::effect::{AuthFx, Effect, FilesFx, StreamFx};
use crate::model::ext::world::{Become, ExtFx, ExtMsg};
use crate::model::id::{StreamId, Ticket};
use crate::model::msg::{AuthMsg, FilesMsg, Msg};
use crate::model::term::Caps;
use crate::model::tool::ToolFx;
use crate::model::wire::ext;

/// The script of `demo/tour`.
const TOUR: &str = include_str!("data/tour.json");

#[derive(Debug)]
pub struct World {
    home: Home,
    env: Env,
    post: Post,
    providers: Arc<Providers>,
    streams: BTreeMap<StreamId, Running>,
    tools: Tools,
    extensions: Extensions,
    /// What children get: the environment as captured, what startup hooks changed, and who is trusted for this time.
    children: Arc<tool::Env>,
    /// The front that runs.
    front: Mode,
    becoming: Option<Become>,
    secrets: Secrets,
    store: Store,
    files: Files,
    highlighter: Highlighter,
    printer: Printer,
    /// What is wrong in `auth.json`, until it is said with the first list of models.
    complaints: Vec<Complaint>,
}

impl World {
    /// Nothing is started, read or asked before the first effect wants it. Must be called inside the runtime.
    pub fn new(
        home: Home,
        env: Env,
        front: Mode,
        post: Post,
        tool_messages: Sender<Msg>,
        from_extensions: Sender<Parcel>,
    ) -> Self {
        let secrets = Secrets::default();
        let (providers, complaints) = providers(&home, &env, &secrets);
        let printer = Printer::new(post.clone());
        let children: tool::Env = env.iter().map(|(k, v)| (OsString::from(k), OsString::from(v))).collect();
        let children = Arc::new(children);
        let tools = Tools::new(Arc::clone(&children), secrets.clone(), move |call, message| {
            let sender = tool_messages.clone();
            async move {
                let _loop_ended = sender.send(Msg::Tool(call, message)).await;
            }
        });
        let colours = post.clone();
        World {
            streams: BTreeMap::new(),
            extensions: Extensions::new(home.clone(), post.clone(), from_extensions, secrets.clone()),
            children,
            front,
            becoming: None,
            store: Store::new(home.clone(), post.clone()),
            files: Files::new(home.clone(), env.clone(), post.clone()),
            highlighter: Highlighter::new(move |ticket, msg| colours.send(Msg::Files(ticket, msg))),
            printer,
            complaints,
            home,
            env,
            post,
            providers,
            tools,
            secrets,
        }
    }

    /// The environment as captured at start, for programs that are lent the terminal.
    pub fn environment(&self) -> Env {
        self.env.clone()
    }

    pub fn apply(&mut self, effect: Effect) {
        match effect {
            Effect::Stream(StreamFx::Open { id, request }) => {
                self.streams.retain(|_, running| !running.is_finished());
                let post = self.post.clone();
                let running = self.providers.open(request, move |piece| post.send(Msg::Stream(id, piece)));
                self.streams.insert(id, running);
            }
            Effect::Stream(StreamFx::Abort(id)) => drop(self.streams.remove(&id)),
            Effect::Tool(fx) => {
                if let ToolFx::Trusted(dir) = &fx {
                    self.tell_children(&vec![("E_TRUSTED".into(), Some(dir.clone()))]);
                }
                self.tools.handle(fx);
            }
            Effect::Store(fx) => self.store.apply(kept::records(fx, &self.secrets)),
            Effect::Files(fx) => {
                if let Some(rest) = self.files.apply(kept::words(fx, &self.secrets)) {
                    self.apply_rest(rest);
                }
            }
            Effect::Auth(fx) => self.auth(fx),
            Effect::Out(text) => self.printer.out(text),
            Effect::Err(line) => self.printer.err(line),
            // The loop's own.
            Effect::Timer(_) | Effect::Term(_) | Effect::Exit(_) => {}
            Effect::Ext(fx) => {
                if let Some(rest) = self.extensions.apply(fx, &self.children) {
                    self.apply_launch(rest);
                }
            }
        }
    }

    /// What extensions change in the launch of the whole process.
    fn apply_launch(&mut self, fx: ExtFx) {
        match fx {
            ExtFx::Env(changes) => self.change_env(&changes),
            ExtFx::Parse { ticket, argv } => {
                let (front, post) = (self.front, self.post.clone());
                std::thread::spawn(move || {
                    let line = cli::reread(&argv, front);
                    post.send(Msg::Ext(ExtMsg::Parsed { ticket, line }));
                });
            }
            ExtFx::Become(becoming) => self.becoming = Some(becoming),
            _ => {}
        }
    }

    /// The environment of `e` itself and of everything that it starts from now on. Nothing runs yet that had the old one.
    fn change_env(&mut self, changes: &ext::Env) {
        let mut env = (*self.env).clone();
        overlay(&mut env, changes);
        self.env = Arc::new(env);
        (self.providers, self.complaints) = providers(&self.home, &self.env, &self.secrets);
        self.files.set_env(self.env.clone());
        self.tell_children(changes);
        let surroundings =
            ExtMsg::Surroundings { caps: Caps::from_env(&self.env), editor: editor(&self.env) };
        self.post.send(Msg::Ext(surroundings));
    }

    fn tell_children(&mut self, changes: &ext::Env) {
        overlay(Arc::make_mut(&mut self.children), changes);
        self.tools.set_env(Arc::clone(&self.children));
    }

    /// Whether the core still wants to hear this of an extension.
    pub fn hears(&mut self, msg: &ExtMsg) -> bool {
        self.extensions.hears(msg)
    }

    /// What the process becomes when the session has ended, and the environment for it.
    pub fn what_next(&mut self) -> Option<(Become, Env)> {
        self.becoming.take().map(|becoming| (becoming, self.env.clone()))
    }

    fn apply_rest(&mut self, fx: FilesFx) {
        match fx {
            FilesFx::LoadCatalog { ticket } => self.load_catalog(ticket),
            FilesFx::ProbeLocal { ticket } => {
                let (providers, home, post) = (self.providers.clone(), self.home.clone(), self.post.clone());
                tokio::spawn(async move {
                    let auth = providers.auth.clone();
                    let answer = match tokio::task::spawn_blocking(move || catalog::load(&home, &auth)).await
                    {
                        Ok(known) => FilesMsg::Catalog {
                            models: catalog::with_local(&known, &providers.http, &providers.auth).await,
                            complaints: Vec::new(),
                        },
                        Err(error) => FilesMsg::Failed { error: error.to_string().into() },
                    };
                    // Also when nothing was found: a prompt without a model waits for it.
                    post.send(Msg::Files(ticket, answer));
                });
            }
            FilesFx::Highlight { ticket, language, text, from_line } => {
                self.highlighter.request(Job { ticket, language, text, from_line });
            }
            _ => {}
        }
    }

    /// On a thread of its own: the first frame waits for no list of models.
    fn load_catalog(&mut self, ticket: Ticket) {
        let mut said = std::mem::take(&mut self.complaints);
        let (auth, home, post) = (self.providers.auth.clone(), self.home.clone(), self.post.clone());
        std::thread::spawn(move || {
            let catalog::Catalog { models, complaints, .. } = catalog::load(&home, &auth);
            said.extend(complaints);
            post.send(Msg::Files(ticket, FilesMsg::Catalog { models, complaints: said }));
        });
    }

    fn auth(&self, fx: AuthFx) {
        let (auth, home, post) = (self.providers.auth.clone(), self.home.clone(), self.post.clone());
        std::thread::spawn(move || {
            let (ticket, answer) = match fx {
                AuthFx::Store { ticket, provider, key } => match auth.store(&provider, &key.0) {
                    Ok(_moved_aside) => (ticket, AuthMsg::Stored { provider }),
                    Err(error) => (ticket, AuthMsg::Failed { error: error.into() }),
                },
                AuthFx::Remove { ticket, provider } => match auth.remove(&provider) {
                    Ok(_was_there) => (ticket, AuthMsg::Removed { provider }),
                    Err(error) => (ticket, AuthMsg::Failed { error: error.into() }),
                },
            };
            let catalog::Catalog { models, complaints, .. } = catalog::load(&home, &auth);
            // First the answer: it takes the ticket, a catalogue is taken in without one.
            post.send(Msg::Auth(ticket, answer));
            post.send(Msg::Files(ticket, FilesMsg::Catalog { models, complaints }));
        });
    }

    /// Ends everything that runs and waits until all that was written is written.
    pub async fn finish(&mut self, status: u8) {
        self.streams.clear();
        self.tools.shutdown().await;
        self.extensions.finish().await;
        self.store.finish();
        self.files.finish();
        self.printer.finish(status);
    }
}

impl Drop for World {
    /// After an orderly end there is nothing left to kill; after a panic there is.
    fn drop(&mut self) {
        self.tools.kill_all();
    }
}

/// Providers with the keys that the home and the environment hold, and what is wrong in `auth.json`.
fn providers(home: &Home, env: &Env, secrets: &Secrets) -> (Arc<Providers>, Vec<Complaint>) {
    let (auth, complaints) = Auth::load(home, env.clone(), secrets.clone());
    let http = Http::new(env.clone(), Timeouts::default());
    (Arc::new(Providers::new(http, auth, secrets.clone(), Scripts::new(TOUR))), complaints)
}

/// The person's editor (`$VISUAL`, `$EDITOR` or `vi`).
pub fn editor(env: &Env) -> Arc<str> {
    let var = |name: &str| env.get(name).filter(|v| !v.trim().is_empty());
    var("VISUAL").or_else(|| var("EDITOR")).map_or("vi".into(), |v| v.as_str().into())
}
