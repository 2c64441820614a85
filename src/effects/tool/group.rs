//! The processes of one command: a session of their own, found and ended whole, also those that left its group.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

use super::guardian::{Guardian, MARK};
use super::shell::Env;

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
pub struct Groups(Arc<Mutex<Charge>>);

#[derive(Debug, Default)]
struct Charge {
    /// By their leaders.
    marks: BTreeMap<i32, Arc<str>>,
    guardian: Option<Guardian>,
    count: u64,
}

impl Groups {
    /// Gives the mark of the next command; its guardian is there from now on.
    pub fn mark(&self, env: &Env) -> Arc<str> {
        let mut charge = self.lock();
        if charge.guardian.is_none() {
            // Without one the commands run as well; only a killed `e` leaves them behind.
            charge.guardian = Guardian::start(env).ok();
        }
        charge.count += 1;
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Arc::from(format!("{}-{:x}-{}", std::process::id(), time.as_nanos(), charge.count))
    }

    /// Takes charge of a session whose leader was just started.
    pub fn adopt(&self, leader: u32, mark: Arc<str>) -> Option<Group> {
        let leader = i32::try_from(leader).ok()?;
        Pid::from_raw(leader)?;
        let mut charge = self.lock();
        if let Some(guardian) = &mut charge.guardian {
            guardian.tell('+', leader, &mark);
        }
        charge.marks.insert(leader, mark.clone());
        Some(Group { leader, mark, all: self.clone(), escaped: None })
    }

    fn forget(&self, leader: i32) {
        let mut charge = self.lock();
        if let Some(mark) = charge.marks.remove(&leader)
            && let Some(guardian) = &mut charge.guardian
        {
            guardian.tell('-', leader, &mark);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Charge> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn list(&self) -> Vec<Group> {
        let charge = self.lock();
        let group = |(leader, mark): (&i32, &Arc<str>)| Group {
            leader: *leader,
            mark: mark.clone(),
            all: self.clone(),
            escaped: Some(Arc::default()),
        };
        charge.marks.iter().map(group).collect()
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

/// Ids of processes and the times they were started.
type Escaped = Arc<Mutex<BTreeSet<(i32, u64)>>>;

/// One command's session.
#[derive(Debug, Clone)]
pub struct Group {
    leader: i32,
    /// In the environment of everything that the command starts.
    mark: Arc<str>,
    all: Groups,
    /// Where what left the session belongs to it too: such processes seen so far.
    escaped: Option<Escaped>,
}

impl Group {
    /// The session and everything else that the command started, a daemon in a session of its own too. At its ordinary end a
    /// command may leave such a one behind; an interrupt, a time limit and the end of the program may not.
    pub fn whole(&self) -> Group {
        Group { escaped: Some(Arc::default()), ..self.clone() }
    }

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

    /// Its processes that live, where the system lists them.
    fn members(&self) -> Vec<Process> {
        let all: Vec<Seen> = if PROC { seen() } else { Vec::new() };
        let mut known = self.escaped.as_ref().map(|e| e.lock().unwrap_or_else(PoisonError::into_inner));
        let first = |p: &&Seen| {
            p.session == self.leader
                || known.as_ref().is_some_and(|k| k.contains(&(p.process.id, p.start)) || self.marked(p))
        };
        let mut ours: BTreeSet<i32> = all.iter().filter(first).map(|p| p.process.id).collect();
        if let Some(known) = &mut known {
            let mut before = 0;
            while ours.len() > before {
                before = ours.len();
                let children = all.iter().filter(|p| ours.contains(&p.parent)).map(|p| p.process.id);
                let children: Vec<i32> = children.collect();
                ours.extend(children);
            }
            known
                .extend(all.iter().filter(|p| ours.contains(&p.process.id)).map(|p| (p.process.id, p.start)));
        }
        all.into_iter().map(|p| p.process).filter(|p| ours.contains(&p.id)).collect()
    }

    fn marked(&self, seen: &Seen) -> bool {
        let variables = std::fs::read(format!("/proc/{}/environ", seen.process.id)).unwrap_or_default();
        let ours = |variable: &[u8]| {
            let value = variable.strip_prefix(MARK.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
            value == Some(self.mark.as_bytes())
        };
        variables.split(|b| *b == 0).any(ours)
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

/// A living process as the system lists it; one that only waits to be reaped is none.
struct Seen {
    process: Process,
    parent: i32,
    session: i32,
    /// In the system's own unit.
    start: u64,
}

fn seen() -> Vec<Seen> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|e| look(e.file_name().to_str()?.parse().ok()?)).collect()
}

fn look(id: i32) -> Option<Seen> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // `pid (name) state ppid pgrp session …`, the start as field 22; the name may hold anything.
    let (front, back) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = back.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<i32>().ok();
    if matches!(*fields.first()?, "Z" | "X") {
        return None;
    }
    Some(Seen {
        process: Process { id, name: front.split_once('(').map_or("", |(_, name)| name).to_owned() },
        parent: number(1)?,
        session: number(3)?,
        start: fields.get(19)?.parse().ok()?,
    })
}

/// Whether the system lists its processes in `/proc`.
const PROC: bool = cfg!(target_os = "linux");
