//! What the raw command line says about extensions before any of them runs (`extensions-notes.md` 2, 7): hooks may
//! rewrite it later, but who is started, and whether anybody can answer, is decided here.

/// Which extensions a command line starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    All,
    /// `initialize` and `shutdown` only, to list what there is.
    Greet,
    /// The command's own, if it has one (`tour`, `ext check`).
    Own,
    None,
}

/// A raw command line, read up to `--`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    pub start: Start,
    /// `ui` of the handshake: somebody can answer.
    pub ui: bool,
    /// What is interactive: the terminal's front runs.
    pub terminal: bool,
    /// `--json`: a headless turn prints events.
    pub json: bool,
    /// `--no-extensions`.
    pub off: bool,
    /// `-P`, in order.
    pub packages: Vec<String>,
}

/// Options that take the next word.
const VALUES: [&str; 6] = ["model", "effort", "ef", "image", "package", "size"];
/// Their short forms.
const SHORT_VALUES: [char; 3] = ['m', 'i', 'P'];

/// Reads the words behind the program's name.
pub fn launch(words: &[impl AsRef<str>]) -> Launch {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).take_while(|word| *word != "--").collect();
    let mut out =
        Launch { start: Start::All, ui: true, terminal: true, json: false, off: false, packages: Vec::new() };
    let mut seen = Seen::default();
    let mut rest = words.iter().copied();
    while let Some(word) = rest.next() {
        match word.strip_prefix("--") {
            Some(body) => {
                let (name, value) = body.split_once('=').map_or((body, None), |(n, v)| (n, Some(v)));
                seen.long(name);
                if VALUES.contains(&name) {
                    let value = value.or_else(|| rest.next());
                    out.packages.extend(value.filter(|_| name == "package").map(str::to_owned));
                }
            }
            None => short(word, &mut rest, &mut seen, &mut out),
        }
    }
    let command = words.first().copied().unwrap_or_default();
    match command {
        "doctor" | "help" => out.start = Start::Greet,
        "tour" => out.start = Start::Own,
        "ext" => out.start = Start::Own,
        "install" | "remove" | "packages" | "trust" | "untrust" | "auth" | "providers" | "docs" | "check"
        | "completions" | "layout" | "theme" | "replay" => out.start = Start::None,
        "rpc" => out.terminal = false,
        _ => (out.ui, out.terminal) = (!seen.print, !seen.print),
    }
    if matches!(out.start, Start::Greet | Start::None) || command == "ext" {
        out.terminal = false;
    }
    if seen.help && out.start == Start::All {
        (out.start, out.terminal) = (Start::Greet, false);
    }
    (out.json, out.off) = (seen.json, seen.off);
    if seen.version || seen.off {
        out.start = Start::None;
    }
    if seen.version {
        out.terminal = false;
    }
    out
}

/// The options that count.
#[derive(Default)]
struct Seen {
    print: bool,
    json: bool,
    help: bool,
    version: bool,
    off: bool,
}

impl Seen {
    fn long(&mut self, name: &str) {
        match name {
            "print" => self.print = true,
            "json" => self.json = true,
            "help" => self.help = true,
            "version" => self.version = true,
            "no-extensions" | "ne" => self.off = true,
            _ => {}
        }
    }
}

/// A cluster of short options; the first that takes a value ends it.
fn short<'w>(word: &'w str, rest: &mut impl Iterator<Item = &'w str>, seen: &mut Seen, out: &mut Launch) {
    let Some(cluster) = word.strip_prefix('-') else { return };
    for (at, letter) in cluster.char_indices() {
        match letter {
            'p' => seen.print = true,
            'j' => seen.json = true,
            'h' => seen.help = true,
            'V' => seen.version = true,
            letter if SHORT_VALUES.contains(&letter) => {
                let glued = &cluster[at + letter.len_utf8()..];
                let glued = glued.strip_prefix('=').unwrap_or(glued);
                let value = if glued.is_empty() { rest.next() } else { Some(glued) };
                out.packages.extend(value.filter(|_| letter == 'P').map(str::to_owned));
                return;
            }
            _ => {}
        }
    }
}
