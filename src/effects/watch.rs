//! Tells when a file that a person writes by hand was saved. It waits in the kernel: nothing wakes while nothing is written.
//! Where the kernel has no inotify, `/reload` does the same by hand.

use super::home::Home;
use super::post::Post;

#[cfg(target_os = "linux")]
pub use linux::start;

/// Nothing to wait on here.
#[cfg(not(target_os = "linux"))]
pub fn start(_home: &Home, _post: Post) {}

/// Whether saving a file of that name in the home matters; themes have a folder of their own.
#[cfg(target_os = "linux")]
fn matters(name: &str) -> bool {
    matches!(name, "settings.json" | "layout.json" | "keybindings.json")
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};

    use super::{Home, Post, matters};
    use crate::model::msg::{Msg, Signal};

    /// Editors write in several steps; what follows a step this closely belongs to it.
    const QUIET: Duration = Duration::from_millis(10);
    /// Steps that are waited for, so that a file that is written without end is read all the same.
    const STEPS: usize = 5;

    /// Which names of a watched folder matter.
    #[derive(Debug, Clone, PartialEq)]
    enum Names {
        /// The home's own files, and the folder of themes when it is made.
        Home,
        /// Every theme.
        Themes,
        /// What a file of the home is a link to.
        Targets(Vec<String>),
    }

    /// Begins to watch, on a thread of its own. A system that has no more watches to give leaves `/reload`.
    pub fn start(home: &Home, post: Post) {
        let root = home.root().to_path_buf();
        let spawned = std::thread::Builder::new().name("watch".into()).spawn(move || {
            if let Ok(fd) = inotify::init(CreateFlags::CLOEXEC) {
                let _no_more_events = watch(&fd, &root, &post);
            }
        });
        let _reload_does_it = spawned;
    }

    fn watch(fd: &OwnedFd, root: &Path, post: &Post) -> rustix::io::Result<()> {
        let mut buffer = [MaybeUninit::<u8>::uninit(); 4096];
        let mut reader = Reader::new(fd, &mut buffer);
        let mut folders = BTreeMap::new();
        cover(fd, root, &mut folders);
        loop {
            let mut saved = concerns(&reader.next()?, root, &folders);
            let mut steps = 0;
            // The rest of what was read, and what follows at once.
            while !reader.is_buffer_empty() || (saved && steps < STEPS && follows(fd)) {
                steps += usize::from(reader.is_buffer_empty());
                saved |= concerns(&reader.next()?, root, &folders);
            }
            if saved {
                // A link may lead elsewhere now, and the folder of themes may be new.
                cover(fd, root, &mut folders);
                post.send(Msg::Signal(Signal::Saved));
            }
        }
    }

    fn follows(fd: &OwnedFd) -> bool {
        let wait = Timespec { tv_sec: 0, tv_nsec: QUIET.as_nanos() as i64 };
        let mut fds = [PollFd::new(fd, PollFlags::IN)];
        poll(&mut fds, Some(&wait)).is_ok_and(|ready| ready > 0)
    }

    /// A new file is not written yet: its closing tells. A new link or folder has nothing more to come.
    fn concerns(event: &inotify::Event<'_>, root: &Path, folders: &BTreeMap<i32, Names>) -> bool {
        let name = event.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        if event.events().contains(ReadFlags::CREATE) {
            let made = [root.join(&*name), root.join("themes").join(&*name)];
            return &*name == "themes" || made.iter().any(|path| path.is_symlink());
        }
        match folders.get(&event.wd()) {
            Some(Names::Home) => matters(&name) || &*name == "themes",
            Some(Names::Themes) => name.ends_with(".json"),
            Some(Names::Targets(targets)) => targets.iter().any(|target| **target == *name),
            None => false,
        }
    }

    /// Watches the home, its themes, and the folders that its links lead to; what is watched already stays.
    fn cover(fd: &OwnedFd, root: &Path, folders: &mut BTreeMap<i32, Names>) {
        let themes = root.join("themes");
        let mut targets: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
        let inside = std::fs::read_dir(&themes).into_iter().flatten().flatten().map(|entry| entry.path());
        let own = ["settings.json", "layout.json", "keybindings.json"].map(|name| root.join(name));
        for path in own.into_iter().chain(inside).filter(|path| path.is_symlink()) {
            if let Ok(real) = path.canonicalize()
                && let (Some(folder), Some(name)) = (real.parent(), real.file_name())
            {
                targets.entry(folder.to_path_buf()).or_default().push(name.to_string_lossy().into_owned());
            }
        }
        let mut add = |path: &Path, names: Names| {
            let flags = WatchFlags::CLOSE_WRITE
                | WatchFlags::MOVED_TO
                | WatchFlags::MOVED_FROM
                | WatchFlags::DELETE
                | WatchFlags::CREATE;
            if let Ok(watch) = inotify::add_watch(fd, path, flags) {
                folders.insert(watch, names);
            }
        };
        for (folder, names) in targets {
            add(&folder, Names::Targets(names));
        }
        add(&themes, Names::Themes);
        add(root, Names::Home);
    }
}
