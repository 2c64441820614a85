//! The processes of one command: a session of their own, found and ended whole, also those that left its group.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

/// Between the polite signal and the one that can't be ignored.
const GRACE: Duration = Duration::from_millis(400);
/// How long the end of killed processes is waited for.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(10);

/// A process of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub id: i32,
    pub name: String,
}

/// Every command session that may still have processes: what the end of the program must end.
#[derive(Debug, Clone, Default)]
pub struct Groups(Arc<Mutex<BTreeSet<i32>>>);

impl Groups {
    /// Takes charge of a session whose leader was just started.
    pub fn adopt(&self, leader: u32) -> Option<Group> {
        let leader = i32::try_from(leader).ok()?;
        Pid::from_raw(leader)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(leader);
        Some(Group { leader, all: self.clone() })
    }

    fn forget(&self, leader: i32) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&leader);
    }

    fn list(&self) -> Vec<Group> {
        let leaders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        leaders.iter().map(|leader| Group { leader: *leader, all: self.clone() }).collect()
    }

    /// Ends everything: politely, then for good. Returns when nothing is left.
    pub async fn end_all(&self) {
        let groups = self.list();
        for group in &groups {
            group.signal(Signal::TERM);
        }
        if !settle(&groups, GRACE).await {
            for group in &groups {
                group.signal(Signal::KILL);
            }
            settle(&groups, PATIENCE).await;
        }
    }

    /// Ends everything without waiting, for the last moment of a dying program.
    pub fn kill_all(&self) {
        for group in self.list() {
            group.signal(Signal::KILL);
        }
    }
}

/// Waits until no group has a process, at most so long; says whether none has.
async fn settle(groups: &[Group], most: Duration) -> bool {
    let end = Instant::now() + most;
    loop {
        let look = groups.to_vec();
        // Reading the list of all processes may take a while: not on the thread that draws.
        let dead =
            spawn_blocking(move || look.into_iter().filter(|group| !group.alive()).collect::<Vec<_>>());
        let dead = dead.await.unwrap_or_default();
        dead.iter().for_each(|group| group.all.forget(group.leader));
        if dead.len() == groups.len() {
            return true;
        }
        if Instant::now() >= end {
            return false;
        }
        sleep(TICK).await;
    }
}

/// One command's session.
#[derive(Debug, Clone)]
pub struct Group {
    leader: i32,
    all: Groups,
}

impl Group {
    /// Sends a signal to the whole group, and to what is in the session but left the group.
    pub fn signal(&self, signal: Signal) {
        if let Some(group) = Pid::from_raw(self.leader) {
            // Nobody there is no error here.
            let _ = kill_process_group(group, signal);
        }
        for process in self.members() {
            if let Some(id) = Pid::from_raw(process.id) {
                let _ = kill_process(id, signal);
            }
        }
    }

    /// Whether a process is left; one that only waits to be reaped does not count.
    fn alive(&self) -> bool {
        if PROC {
            return !self.members().is_empty();
        }
        Pid::from_raw(self.leader).is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    /// The processes of the session, where the system lists them.
    fn members(&self) -> Vec<Process> {
        let entries = if PROC { std::fs::read_dir("/proc").ok() } else { None };
        let ids = entries
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok());
        ids.filter_map(|id| self.member(id)).collect()
    }

    /// The process, when it is of this session and lives.
    fn member(&self, id: i32) -> Option<Process> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // `pid (name) state ppid pgrp session …`; the name may hold anything.
        let (front, back) = stat.rsplit_once(')')?;
        let mut fields = back.split_whitespace();
        let state = fields.next()?;
        let session: i32 = fields.nth(2)?.parse().ok()?;
        let ours = session == self.leader && !matches!(state, "Z" | "X");
        ours.then(|| Process { id, name: front.split_once('(').map_or("", |(_, name)| name).to_owned() })
    }

    /// What is left of it, looked up on a thread of its own.
    pub async fn left(&self) -> Vec<Process> {
        let group = self.clone();
        spawn_blocking(move || group.members()).await.unwrap_or_default()
    }

    /// Ends what is left of it: politely, then for good; returns when it is gone, or could not be ended.
    pub async fn end(&self) {
        let own = std::slice::from_ref(self);
        if settle(own, Duration::ZERO).await {
            return;
        }
        self.signal(Signal::TERM);
        if !settle(own, GRACE).await {
            self.signal(Signal::KILL);
            settle(own, PATIENCE).await;
        }
    }
}

/// Whether the system lists its processes in `/proc`.
const PROC: bool = cfg!(target_os = "linux");
