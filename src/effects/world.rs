//! The interpreter: takes the core's effects apart and hands each to whoever can do it. Holds every handle that must end
//! with the process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;

use tokio::sync::mpsc::Sender;

use super::auth::{Auth, Env};
use super::catalog;
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
use super::tool::Tools;
use crate::model::config::complaint::Complaint;
use crate::model::effect::{AuthFx, Effect, FilesFx, StreamFx};
use crate::model::id::{StreamId, Ticket};
use crate::model::msg::{AuthMsg, FilesMsg, Msg};

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
    pub fn new(home: Home, env: Env, post: Post, tool_messages: Sender<Msg>) -> Self {
        let secrets = Secrets::default();
        let (auth, complaints) = Auth::load(&home, env.clone(), secrets.clone());
        let printer = Printer::new(post.clone());
        let http = Http::new(env.clone(), Timeouts::default());
        let providers = Arc::new(Providers::new(http, auth, secrets.clone(), Scripts::new(TOUR)));
        let children = env.iter().map(|(k, v)| (OsString::from(k), OsString::from(v))).collect();
        let tools = Tools::new(Arc::new(children), secrets.clone(), move |call, message| {
            let sender = tool_messages.clone();
            async move {
                let _loop_ended = sender.send(Msg::Tool(call, message)).await;
            }
        });
        let colours = post.clone();
        World {
            streams: BTreeMap::new(),
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
            Effect::Tool(fx) => self.tools.handle(fx),
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
            Effect::Ext(_) => {}
        }
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
