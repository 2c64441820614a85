//! The extensions' processes: found, started, spoken to and ended, as the core wants it. Nothing of this exists until the
//! core asks for it.

mod child;
mod dirs;
pub mod flow;
pub mod greet;
mod host;
pub mod next;
mod stdin;
pub mod veil;
mod why;

pub use dirs::any;

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::mpsc::Sender;

use self::child::Job;
use self::flow::Parcel;
use self::host::Host;
use super::home::Home;
use super::post::Post;
use super::secrets::Secrets;
use super::tool::Env;
use crate::model::ext::world::{ExtFx, ExtMsg, Over};
use crate::model::id::ExtId;
use crate::model::msg::Msg;
use crate::model::wire::ext;

/// The loop's side of the extensions.
#[derive(Debug)]
pub struct Extensions {
    home: Home,
    post: Post,
    core: Sender<Parcel>,
    /// Masked in what they send.
    secrets: Secrets,
    host: Option<Host>,
    /// Those that the core still wants to hear.
    heard: BTreeSet<ExtId>,
}

impl Extensions {
    pub fn new(home: Home, post: Post, core: Sender<Parcel>, secrets: Secrets) -> Extensions {
        Extensions { home, post, core, secrets, host: None, heard: BTreeSet::new() }
    }

    /// Does what only concerns the processes; gives back the rest. `env` is what a process that is started now gets.
    pub fn apply(&mut self, fx: ExtFx, env: &Arc<Env>) -> Option<ExtFx> {
        match fx {
            ExtFx::Discover { ticket } => {
                let (home, post) = (self.home.clone(), self.post.clone());
                std::thread::spawn(move || {
                    let (found, skipped) = dirs::look(&home);
                    post.send(Msg::Ext(ExtMsg::Found { ticket, found, skipped }));
                });
            }
            ExtFx::Spawn { ext, path, cwd } => self.spawn(ext, Job { path, cwd, env: Arc::clone(env) }),
            ExtFx::Send { ext, line } => {
                if let Some(host) = &self.host {
                    host.send(ext, line);
                }
            }
            ExtFx::Kill(ext) => {
                self.heard.remove(&ext);
                if let Some(host) = &self.host {
                    host.kill(ext);
                }
            }
            ExtFx::Shutdown { ticket, exts } => {
                self.heard.retain(|ext| !exts.contains(ext));
                match &self.host {
                    Some(host) => host.shutdown(ticket, exts),
                    None => self.post.send(Msg::Ext(ExtMsg::Stopped(ticket))),
                }
            }
            ExtFx::Measure { ticket } => match &self.host {
                Some(host) => host.measure(ticket),
                None => self.post.send(Msg::Ext(ExtMsg::Measured { ticket, traffic: Vec::new() })),
            },
            ExtFx::Env(_) | ExtFx::Parse { .. } | ExtFx::Become(_) => return Some(fx),
        }
        None
    }

    fn spawn(&mut self, ext: ExtId, job: Job) {
        self.heard.insert(ext);
        if self.host.is_none() {
            match Host::start(self.core.clone(), self.secrets.clone()) {
                Ok(host) => self.host = Some(host),
                Err(error) => {
                    let why = format!("it could not be started: {}", super::home::said(&error));
                    return self.post.send(Msg::Ext(ExtMsg::Over(ext, Over::NotStarted(why.into()))));
                }
            }
        }
        if let Some(host) = &self.host {
            host.spawn(ext, job);
        }
    }

    /// Whether a message is still wanted: nothing follows what was ended, even what was under way then.
    pub fn hears(&mut self, msg: &ExtMsg) -> bool {
        match msg {
            ExtMsg::Said(ext, _) | ExtMsg::Stderr(ext, _) => self.heard.contains(ext),
            ExtMsg::Over(ext, _) => self.heard.remove(ext),
            _ => true,
        }
    }

    /// Ends all of them in an orderly way; returns when they are reaped.
    pub async fn finish(&mut self) {
        if let Some(host) = self.host.take() {
            host.finish().await;
        }
    }
}

/// What a startup hook changes in an environment.
pub fn overlay<K: Ord + for<'a> From<&'a str>>(
    env: &mut std::collections::BTreeMap<K, K>,
    changes: &ext::Env,
) {
    for (name, value) in changes {
        match value {
            Some(value) => env.insert(K::from(&**name), K::from(&**value)),
            None => env.remove(&K::from(&**name)),
        };
    }
}
