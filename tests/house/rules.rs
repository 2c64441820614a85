//! The rules: paths are read out of code (grouped imports, aliases and `super` chains resolved) and held against the law.

use std::fmt;

use super::lexer::{Tok, lex};

pub const HEADER: &str = "every file starts with a `//!` line that says what it is for";
pub const HOUSES: &str = "a house may name only model and itself (model only itself); main.rs ties them";
pub const RANK: &str = "inside model, imports go down the rank only";
pub const ROOMS: &str =
    "the rooms of update never know each other; they meet in update/mod.rs through facts and asks";
pub const WORLD: &str = "model, update and view touch no file, net, clock, process, thread, environment, hash order or shared cell";
pub const CRATES: &str = "the pure houses use pure crates only";

pub struct Broken {
    pub file: String,
    pub line: usize,
    pub rule: &'static str,
    pub what: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {} ({})", self.file, self.line, self.rule, self.what)
    }
}

/// Low to high; a room imports only rooms before it. Rooms on one line are peers that do not import each other.
const RANKS: &[&[&str]] = &[
    &["id", "time"],
    &["text"],
    &["config"],
    &["term"],
    &["tool"],
    &["provider"],
    &["boot"],
    &["wire"],
    &["ext"],
    &["session"],
    &["tui"],
    &["front"],
    &["ask", "effect", "fact", "msg"],
    &["event"],
];
const UPDATE_ROOMS: &[&str] = &["session", "ext", "tui", "front"];
const BANNED_STD: &[&str] = &["fs", "net", "process", "env", "thread", "os", "io"];
const BANNED_WORDS: &[&str] = &[
    "Instant",
    "SystemTime",
    "HashMap",
    "HashSet",
    "RefCell",
    "Cell",
    "OnceCell",
    "Mutex",
    "RwLock",
    "LazyLock",
    "OnceLock",
    "AtomicU64",
    "AtomicUsize",
    "AtomicBool",
    "AtomicU32",
    "unsafe",
];
const BANNED_MACROS: &[&str] = &["println", "eprintln", "print", "eprint", "thread_local"];
const PURE_CRATES: &[(&str, &[&str])] = &[
    (
        "model",
        &[
            "serde",
            "serde_json",
            "unicode_width",
            "unicode_segmentation",
            "similar",
            "pulldown_cmark",
            "jsonc_parser",
            "nucleo_matcher",
        ],
    ),
    ("update", &["serde_json"]),
    ("view", &["ratatui", "unicode_width", "unicode_segmentation"]),
];
/// Every dependency by the name code uses, so that an unknown first segment is not taken for a crate.
const ALL_CRATES: &[&str] = &[
    "ratatui",
    "crossterm",
    "unicode_width",
    "unicode_segmentation",
    "vte",
    "tokio",
    "futures_util",
    "rustix",
    "process_wrap",
    "signal_hook",
    "reqwest",
    "rustls",
    "webpki_roots",
    "sse_stream",
    "serde",
    "serde_json",
    "jsonc_parser",
    "base64",
    "uuid",
    "jiff",
    "sha2",
    "pulldown_cmark",
    "syntect",
    "two_face",
    "similar",
    "nucleo_matcher",
    "anstream",
    "ignore",
    "globset",
    "grep_searcher",
    "grep_regex",
    "grep_matcher",
    "tempfile",
    "imagesize",
    "infer",
    "shlex",
    "clap",
    "clap_complete",
    "regex",
    "notify",
    "libc",
];

/// Everything a file breaks.
pub fn check(file: &str, source: &str) -> Vec<Broken> {
    let mut broken = Vec::new();
    let mut add = |line: usize, rule: &'static str, what: String| {
        broken.push(Broken { file: file.to_string(), line, rule, what });
    };
    if !source.starts_with("//!") {
        add(1, HEADER, "first line".into());
    }
    let parts: Vec<&str> = file.trim_start_matches("src/").trim_end_matches(".rs").split('/').collect();
    let house = parts[0];
    if parts.len() < 2 || !["model", "update", "view", "effects"].contains(&house) {
        return broken;
    }
    let mut here: Vec<&str> = parts.clone();
    if here.last() == Some(&"mod") {
        here.pop();
    }
    let toks = lex(source);
    for (line, path) in paths(&toks, &here) {
        let segs: Vec<&str> = path.iter().map(String::as_str).collect();
        if let Some(rule) = judge(house, &here, &segs) {
            add(line, rule, segs.join("::"));
        }
    }
    if house != "effects" {
        for (i, tok) in toks.iter().enumerate() {
            let next = toks.get(i + 1).map(|t| t.text.as_str()).unwrap_or("");
            let word = tok.text.as_str();
            if BANNED_WORDS.contains(&word)
                || (BANNED_MACROS.contains(&word) && next == "!")
                || (word == "static" && next == "mut")
            {
                add(tok.line, WORLD, word.to_string());
            }
        }
    }
    broken.sort_by_key(|b| (b.line, b.rule));
    broken.dedup_by(|a, b| a.line == b.line && a.rule == b.rule);
    broken
}

fn judge(house: &str, here: &[&str], path: &[&str]) -> Option<&'static str> {
    match path {
        ["crate"] | ["crate", "*"] => Some(HOUSES),
        ["crate", to, rest @ ..] => {
            let allowed = *to == house || (*to == "model" && house != "model");
            if !allowed {
                return Some(HOUSES);
            }
            match house {
                "model" => rest.first().filter(|room| climbs(here, room)).map(|_| RANK),
                "update" if *to == "update" => {
                    let mine = here.get(1).copied().unwrap_or("");
                    let other = rest.first().copied().unwrap_or("");
                    (UPDATE_ROOMS.contains(&mine) && UPDATE_ROOMS.contains(&other) && mine != other)
                        .then_some(ROOMS)
                }
                _ => None,
            }
        }
        ["e", ..] => Some(HOUSES),
        ["std"] | ["std", "*"] if house != "effects" => Some(WORLD),
        ["std", "time"] | ["std", "time", "*"] if house != "effects" => Some(WORLD),
        ["std", what, ..] if house != "effects" && BANNED_STD.contains(what) => Some(WORLD),
        ["tokio" | "reqwest" | "rustix", ..] if house != "effects" => Some(WORLD),
        [first, _, ..] if house != "effects" && ALL_CRATES.contains(first) => {
            let allowed = PURE_CRATES.iter().find(|(h, _)| *h == house).map(|(_, c)| *c).unwrap_or(&[]);
            (!allowed.contains(first)).then_some(CRATES)
        }
        _ => None,
    }
}

/// `room` of model stands as high as the file's own room, or higher, and is another.
fn climbs(here: &[&str], room: &str) -> bool {
    let rank = |r: &str| RANKS.iter().position(|peers| peers.contains(&r));
    let Some(mine) = here.get(1) else { return false };
    if *mine == room {
        return false;
    }
    match (rank(mine), rank(room)) {
        (Some(m), Some(r)) => r >= m && !(m == RANKS.len() - 1 && r == m),
        (_, None) | (None, _) => false,
    }
}

/// Every path in the code, made absolute: `crate::…`, `std::…` or a crate's name, groups and aliases taken apart.
fn paths(toks: &[Tok], here: &[&str]) -> Vec<(usize, Vec<String>)> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < toks.len() {
        let text = toks[i].text.as_str();
        let starts = i == 0 || toks[i - 1].text != "::";
        if text == "use" {
            let mut at = i + 1;
            tree(toks, &mut at, Vec::new(), here, &mut out);
            i = at;
        } else if starts && is_word(text) && toks.get(i + 1).is_some_and(|t| t.text == "::") {
            let line = toks[i].line;
            let mut segs = vec![text.to_string()];
            i += 1;
            while toks.get(i).is_some_and(|t| t.text == "::")
                && toks.get(i + 1).is_some_and(|t| is_word(&t.text))
            {
                segs.push(toks[i + 1].text.clone());
                i += 2;
            }
            out.push((line, absolute(segs, here)));
        } else {
            i += 1;
        }
    }
    out
}

fn is_word(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
}

/// One use tree from `at`; leaves `at` behind it.
fn tree(
    toks: &[Tok],
    at: &mut usize,
    prefix: Vec<String>,
    here: &[&str],
    out: &mut Vec<(usize, Vec<String>)>,
) {
    let mut segs = prefix;
    while let Some(tok) = toks.get(*at) {
        match tok.text.as_str() {
            "::" => *at += 1,
            "{" => {
                *at += 1;
                while toks.get(*at).is_some_and(|t| t.text != "}") {
                    if toks[*at].text == "," {
                        *at += 1;
                    } else {
                        let before = *at;
                        tree(toks, at, segs.clone(), here, out);
                        *at = (*at).max(before + 1);
                    }
                }
                *at += 1;
                return;
            }
            "self" if !segs.is_empty() => *at += 1,
            "as" => *at += 2,
            "*" => {
                segs.push("*".into());
                *at += 1;
            }
            word if is_word(word) => {
                segs.push(word.to_string());
                *at += 1;
            }
            _ => break,
        }
    }
    if !segs.is_empty() {
        let line = toks.get(at.saturating_sub(1)).map(|t| t.line).unwrap_or(1);
        out.push((line, absolute(segs, here)));
    }
}

fn absolute(segs: Vec<String>, here: &[&str]) -> Vec<String> {
    let mut base: Vec<String> =
        std::iter::once("crate".to_string()).chain(here.iter().map(|s| s.to_string())).collect();
    match segs[0].as_str() {
        "self" => base.extend(segs.into_iter().skip(1)),
        "super" => {
            let ups = segs.iter().take_while(|s| *s == "super").count();
            base.truncate(base.len().saturating_sub(ups).max(1));
            base.extend(segs.into_iter().skip(ups));
        }
        _ => return segs,
    }
    base
}
