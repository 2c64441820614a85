//! The clipboard's image or text, by the desktop's own command where there is one.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::effects::tool::images;
use crate::model::msg::FilesMsg;

/// A command that waits for a desktop that does not answer is given up after this.
const PATIENCE: Duration = Duration::from_secs(2);
/// The most that is taken.
const LIMIT: u64 = 16 * 1024 * 1024;

/// The commands of one desktop: for a PNG image, then for text.
struct Desktop {
    /// The variable that says it is there; empty for a system that has no other.
    variable: &'static str,
    image: &'static [&'static str],
    text: &'static [&'static str],
}

const DESKTOPS: &[Desktop] = &[
    Desktop {
        variable: "WAYLAND_DISPLAY",
        image: &["wl-paste", "--no-newline", "--type", "image/png"],
        text: &["wl-paste", "--no-newline", "--type", "text"],
    },
    Desktop {
        variable: "DISPLAY",
        image: &["xclip", "-selection", "clipboard", "-target", "image/png", "-out"],
        text: &["xclip", "-selection", "clipboard", "-out"],
    },
    Desktop { variable: "", image: &["pngpaste", "-"], text: &["pbpaste"] },
];

/// An image when there is one, otherwise the text.
pub fn read(env: &BTreeMap<String, String>) -> FilesMsg {
    let here = |d: &&Desktop| d.variable.is_empty() || env.get(d.variable).is_some_and(|v| !v.is_empty());
    for desktop in DESKTOPS.iter().filter(here) {
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
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(5)),
            Ok(None) | Err(_) => {
                let _gone = child.kill();
                let _reaped = child.wait();
                return None;
            }
        }
    };
    let bytes = reader.join().ok()?.ok()?;
    (status.success() && !bytes.is_empty()).then_some(bytes)
}
