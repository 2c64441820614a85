//! The clipboard's image or text read, and text written, by the desktop's own command where there is one.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::effects::tool::images;
use crate::model::msg::FilesMsg;

/// A command that waits for a desktop that does not answer is given up after this.
const PATIENCE: Duration = Duration::from_secs(2);
/// The most that is taken.
const LIMIT: u64 = 16 * 1024 * 1024;

/// The commands of one desktop: for a PNG image, for text, and to take text.
struct Desktop {
    /// The variable that says it is there; empty for a system that has no other.
    variable: &'static str,
    image: &'static [&'static str],
    text: &'static [&'static str],
    take: &'static [&'static str],
}

impl Desktop {
    fn is_here(&self, env: &BTreeMap<String, String>) -> bool {
        self.variable.is_empty() || env.get(self.variable).is_some_and(|v| !v.is_empty())
    }
}

const DESKTOPS: &[Desktop] = &[
    Desktop {
        variable: "WAYLAND_DISPLAY",
        image: &["wl-paste", "--no-newline", "--type", "image/png"],
        text: &["wl-paste", "--no-newline", "--type", "text"],
        take: &["wl-copy"],
    },
    Desktop {
        variable: "DISPLAY",
        image: &["xclip", "-selection", "clipboard", "-target", "image/png", "-out"],
        text: &["xclip", "-selection", "clipboard", "-out"],
        take: &["xclip", "-selection", "clipboard", "-in"],
    },
    Desktop { variable: "", image: &["pngpaste", "-"], text: &["pbpaste"], take: &["pbcopy"] },
];

/// An image when there is one, otherwise the text.
pub fn read(env: &BTreeMap<String, String>) -> FilesMsg {
    for desktop in DESKTOPS.iter().filter(|d| d.is_here(env)) {
        if let Some(bytes) = output(desktop.image, env)
            && let Ok(image) = images::from_bytes(&bytes, "clipboard")
        {
            return FilesMsg::Image(image);
        }
        if let Some(bytes) = output(desktop.text, env) {
            return FilesMsg::Text(String::from_utf8_lossy(&bytes).into());
        }
    }
    FilesMsg::Failed {
        error: "the clipboard cannot be read here; paste with the terminal's own key, or install wl-clipboard or xclip".into(),
    }
}

/// Gives text to the first desktop that takes it, and the command's name.
pub fn write(text: &str, env: &BTreeMap<String, String>) -> Option<&'static str> {
    DESKTOPS.iter().filter(|d| d.is_here(env)).find_map(|d| {
        let (program, arguments) = d.take.split_first()?;
        // It may stay behind to hand the text out: nothing of ours is left open in it.
        let mut child = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(env)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut stdin = child.stdin.take()?;
        let bytes = text.as_bytes().to_vec();
        // A command that does not read must not hold this up.
        let writer = std::thread::spawn(move || stdin.write_all(&bytes).is_ok());
        let ended = ended(&mut child)?;
        (ended && writer.join().unwrap_or(false)).then_some(*program)
    })
}

/// Whether it ended well; `None` when it was slow and had to be stopped.
fn ended(child: &mut Child) -> Option<bool> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(5)),
            Ok(None) | Err(_) => {
                let _gone = child.kill();
                let _reaped = child.wait();
                return None;
            }
        }
    }
}

/// What the command prints; `None` when it is missing, fails, is slow or prints nothing.
fn output(words: &[&str], env: &BTreeMap<String, String>) -> Option<Vec<u8>> {
    let (program, arguments) = words.split_first()?;
    let mut child = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(env)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let stdout = child.stdout.take()?;
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.take(LIMIT).read_to_end(&mut bytes).map(|_| bytes)
    });
    let ended = ended(&mut child)?;
    let bytes = reader.join().ok()?.ok()?;
    (ended && !bytes.is_empty()).then_some(bytes)
}
