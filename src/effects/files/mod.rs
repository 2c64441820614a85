//! The interpreter of what the core wants of files: the home's small ones in order on one worker, and on threads of their own
//! whatever may take long (walking the workspace, the clipboard, images).

pub mod branch;
pub mod clipboard;
pub mod export;
pub mod front_matter;
pub mod history;
pub mod instructions;
pub mod library;
pub mod walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use super::catalog;
use super::cli::facts as config;
use super::home::edit::Change;
use super::home::{Home, trust};
use super::post::Post;
use super::store::usage;
use super::tool::images;
use crate::model::effect::FilesFx;
use crate::model::id::Ticket;
use crate::model::msg::{FilesMsg, Msg};

/// Starts its worker with the first thing to do.
#[derive(Debug)]
pub struct Files {
    home: Home,
    /// The environment as it was captured at start.
    env: Arc<BTreeMap<String, String>>,
    post: Post,
    worker: Option<(Sender<FilesFx>, JoinHandle<()>)>,
    walks: BTreeMap<Ticket, Arc<AtomicBool>>,
}

impl Files {
    pub fn new(home: Home, env: Arc<BTreeMap<String, String>>, post: Post) -> Files {
        Files { home, env, post, worker: None, walks: BTreeMap::new() }
    }

    /// What startup hooks made of the environment.
    pub fn set_env(&mut self, env: Arc<BTreeMap<String, String>>) {
        self.env = env;
    }

    /// Begins what is asked for; gives back what others interpret (the models' catalogue, colours).
    pub fn apply(&mut self, fx: FilesFx) -> Option<FilesFx> {
        match fx {
            FilesFx::LoadCatalog { .. } | FilesFx::ProbeLocal { .. } | FilesFx::Highlight { .. } => {
                return Some(fx);
            }
            FilesFx::Walk { ticket, cwd } => self.walk(ticket, &cwd),
            FilesFx::StopWalk(ticket) | FilesFx::StopUsage(ticket) => {
                if let Some(stop) = self.walks.remove(&ticket) {
                    stop.store(true, Ordering::Relaxed);
                }
            }
            FilesFx::ReadImage { ticket, path } => {
                let user = self.home.user().to_path_buf();
                self.aside(ticket, move || match images::load(&expand(&path, &user), &path) {
                    Ok(image) => FilesMsg::Image(image),
                    Err(error) => FilesMsg::Failed { error: error.into() },
                });
            }
            FilesFx::ReadClipboard { ticket } => {
                let env = self.env.clone();
                self.aside(ticket, move || clipboard::read(&env));
            }
            FilesFx::Export { ticket, cwd, path, page } => {
                let home = self.home.clone();
                self.aside(ticket, move || export::write(&home, &cwd, path.as_deref(), &page));
            }
            FilesFx::CountUsage { ticket, since } => self.count(ticket, since),
            FilesFx::ReadBranch { ticket, cwd } => {
                self.aside(ticket, move || FilesMsg::Branch(branch::of(Path::new(&*cwd))));
            }
            ordered => {
                let (sender, _) =
                    self.worker.get_or_insert_with(|| start(self.home.clone(), self.post.clone()));
                let _worker_died = sender.send(ordered);
            }
        }
        None
    }

    /// Waits until everything that is written is written.
    pub fn finish(&mut self) {
        for stop in self.walks.values() {
            stop.store(true, Ordering::Relaxed);
        }
        if let Some((sender, thread)) = self.worker.take() {
            drop(sender);
            let _panicked = thread.join();
        }
    }

    fn aside(&self, ticket: Ticket, work: impl FnOnce() -> FilesMsg + Send + 'static) {
        let post = self.post.clone();
        std::thread::spawn(move || post.send(Msg::Files(ticket, work())));
    }

    fn count(&mut self, ticket: Ticket, since: Option<u64>) {
        self.walks.retain(|_, stop| Arc::strong_count(stop) > 1);
        let stop = Arc::new(AtomicBool::new(false));
        self.walks.insert(ticket, stop.clone());
        let sessions = self.home.path("sessions");
        self.aside(ticket, move || FilesMsg::Usage(usage::count(&sessions, since, &stop)));
    }

    fn walk(&mut self, ticket: Ticket, cwd: &str) {
        // Those that came to their end are only held by us.
        self.walks.retain(|_, stop| Arc::strong_count(stop) > 1);
        let stop = Arc::new(AtomicBool::new(false));
        self.walks.insert(ticket, stop.clone());
        let (post, cwd) = (self.post.clone(), PathBuf::from(cwd));
        std::thread::spawn(move || {
            walk::run(&cwd, &stop, walk::MOST, |paths, done, truncated| {
                post.send(Msg::Files(ticket, FilesMsg::Found { paths, done, truncated }));
            });
        });
    }
}

/// `~/x` as a person types it.
fn expand(path: &str, user: &Path) -> PathBuf {
    match path.strip_prefix("~/") {
        Some(rest) => user.join(rest),
        None => PathBuf::from(path),
    }
}

fn start(home: Home, post: Post) -> (Sender<FilesFx>, JoinHandle<()>) {
    let (sender, receiver) = channel();
    let thread = std::thread::spawn(move || {
        for fx in receiver {
            if let Some((ticket, msg)) = work(&home, fx) {
                post.send(Msg::Files(ticket, msg));
            }
        }
    });
    (sender, thread)
}

/// Does one small thing; what there is to answer, if anything.
pub fn work(home: &Home, fx: FilesFx) -> Option<(Ticket, FilesMsg)> {
    Some(match fx {
        FilesFx::WriteSettings { ticket, entries } => {
            let changes: Vec<Change> = entries.into_iter().map(change).collect();
            (ticket, said(home.edit("settings.json", &changes))?)
        }
        FilesFx::WriteTrust { ticket, dir, trusted } => {
            (ticket, said(trust::record(home, Path::new(&*dir), trusted))?)
        }
        FilesFx::LoadInstructions { ticket, cwd, trusted } => {
            (ticket, instructions::load(home, &cwd, trusted))
        }
        FilesFx::LoadTemplates { ticket, cwd, trusted } => {
            (ticket, library::load(home, Path::new(&*cwd), trusted))
        }
        FilesFx::ReadConfig { ticket } => {
            let mut complaints = Vec::new();
            let mut files = config::files(home, &mut complaints);
            if let Ok(Some(text)) = home.read(catalog::FILE) {
                files.push((Arc::from(catalog::FILE), Arc::from(text)));
            }
            complaints.extend(catalog::complaints(home).into_iter().map(|said| Arc::from(said.to_string())));
            (ticket, FilesMsg::Config { files, complaints })
        }
        FilesFx::LoadHistory { ticket } => (ticket, FilesMsg::History(history::load(home))),
        FilesFx::AppendHistory { cwd, text } => {
            // What cannot be recalled later is not worth a word now.
            let _lost = history::append(home, &cwd, &text);
            return None;
        }
        FilesFx::KeepDraft { cwd, draft } => {
            let _lost = history::keep_draft(home, &cwd, draft.as_deref());
            return None;
        }
        FilesFx::LoadDraft { ticket, cwd } => (ticket, FilesMsg::Draft(history::load_draft(home, &cwd))),
        FilesFx::LoadCatalog { .. }
        | FilesFx::ProbeLocal { .. }
        | FilesFx::Highlight { .. }
        | FilesFx::Walk { .. }
        | FilesFx::StopWalk(_)
        | FilesFx::ReadImage { .. }
        | FilesFx::ReadClipboard { .. }
        | FilesFx::Export { .. }
        | FilesFx::CountUsage { .. }
        | FilesFx::StopUsage(_)
        | FilesFx::ReadBranch { .. } => return None,
    })
}

/// `null` removes a key.
fn change((key, value): (Arc<str>, serde_json::Value)) -> Change {
    let value = (!value.is_null()).then_some(value);
    Change { path: vec![key.to_string()], value }
}

/// A write is silent unless it failed, or something was moved aside.
fn said(written: Result<Option<String>, String>) -> Option<FilesMsg> {
    match written {
        Ok(None) => None,
        Ok(Some(notice)) | Err(notice) => Some(FilesMsg::Failed { error: notice.into() }),
    }
}
