//! `e doctor`: what a bug report needs, safe to paste: no key, no path of the person's.

use std::collections::BTreeMap;
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::check;
use super::cli::providers::Known;
use super::ext::greet::{Hall, greet};
use super::home::Home;
use super::store::logs::Logs;
use crate::model::text::clean::Clean;
use crate::model::wire::ext::Manifest;

/// How long one connection is tried.
const PATIENCE: Duration = Duration::from_secs(3);

/// The report. With `network` each provider that has a key is tried to be reached. Extensions are started in `cwd`.
pub fn report(home: &Home, env: &BTreeMap<String, String>, cwd: &Path, network: bool) -> String {
    let mut out =
        format!("e {} on {} {}\n", env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH);
    let place = if env.get("E_HOME").is_some_and(|v| !v.is_empty()) { "E_HOME" } else { "~/.e" };
    let there = if home.root().is_dir() { "there" } else { "not made yet" };
    let sessions = Logs::new(home.clone()).list(None).len();
    out += &format!("home      {place}, {there}; {sessions} saved sessions\n");
    out += &format!("terminal  {}\n", terminal(env));
    for program in ["bash", "git"] {
        out += &format!("{program:<9} {}\n", version(program).unwrap_or_else(|| "not found".into()));
    }
    let (text, wrong) = check::report(home, env);
    out += &match wrong {
        false => "files     nothing is wrong\n".to_owned(),
        true => format!("files     {} complaints; `e check` names them\n", text.lines().count()),
    };
    let known = Known::load(home, env);
    for provider in known.with_key() {
        out += &format!("{:<9} {}", provider.name, known.key(provider));
        if network {
            out += &format!("; {}", reach(&provider.base_url));
        }
        out.push('\n');
    }
    if known.with_key().next().is_none() {
        out += "keys      none; /login stores one, `e docs models` tells more\n";
    }
    out + &extensions(&greet(home, env, cwd))
}

/// A line for each extension, and for each file that is none.
fn extensions(hall: &Hall) -> String {
    if hall.all.is_empty() && hall.skipped.is_empty() {
        return "extensions none\n".into();
    }
    let mut out = "extensions\n".to_owned();
    for one in &hall.all {
        let state = match &one.manifest {
            Ok(manifest) => declared(manifest, one.took),
            Err(why) => format!("failed: {why}"),
        };
        let stray = match one.traffic.stray {
            0 => String::new(),
            1 => "; 1 stray line on stdout".into(),
            n => format!("; {n} stray lines on stdout"),
        };
        out += &format!("  {}: {state}{stray}\n", Clean::name(&one.found.file));
        for notice in &one.notices {
            out += &format!("    {}\n", Clean::collapsed(notice));
        }
    }
    for skipped in &hall.skipped {
        out += &format!("  {}: not started: {}\n", Clean::name(&skipped.file), skipped.why.words());
    }
    out
}

/// What an extension is, without what only it knows.
fn declared(manifest: &Manifest, took: u64) -> String {
    let version = manifest.version.as_ref().map(|v| format!(" {v}")).unwrap_or_default();
    let count = |n: usize, what: &str| match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    };
    let parts: Vec<String> = [
        count(manifest.tools.len(), "tool"),
        count(manifest.commands.len(), "command"),
        count(manifest.flags.len(), "flag"),
        count(manifest.hooks.len() + usize::from(manifest.startup), "hook"),
        count(manifest.shortcuts.len(), "shortcut"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let what = if parts.is_empty() { "declares nothing".to_owned() } else { parts.join(", ") };
    format!("{}{version}: {what}; answered in {took} ms", manifest.name)
}

/// Whether the provider's host can be connected to. A proxy is not asked: it answers for every host.
fn reach(base_url: &str) -> String {
    let (scheme, rest) = base_url.split_once("://").unwrap_or(("https", base_url));
    let authority = rest.split('/').next().unwrap_or_default();
    let address = if authority.contains(':') {
        authority.to_owned()
    } else {
        format!("{authority}:{}", if scheme == "http" { 80 } else { 443 })
    };
    let found = match address.to_socket_addrs() {
        Ok(found) => found,
        Err(_) => return "its host is not found".into(),
    };
    let connected = found.take(2).any(|a| TcpStream::connect_timeout(&a, PATIENCE).is_ok());
    if connected { "its host answers" } else { "its host does not answer" }.into()
}

/// The variables that decide what the screen may use; none of them is private.
fn terminal(env: &BTreeMap<String, String>) -> String {
    let names = ["TERM", "COLORTERM", "TERM_PROGRAM", "NO_COLOR", "LANG"];
    let set: Vec<String> =
        names.iter().filter_map(|name| env.get(*name).map(|value| format!("{name}={value}"))).collect();
    let inside: Vec<&str> = [("TMUX", "in tmux"), ("STY", "in screen"), ("SSH_CONNECTION", "over ssh")]
        .iter()
        .filter(|(name, _)| env.contains_key(*name))
        .map(|(_, what)| *what)
        .collect();
    [set.join(" "), inside.join(" ")].join(" ").trim().to_owned()
}

/// The first line of `program --version`.
fn version(program: &str) -> Option<String> {
    let output =
        Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    output.status.success().then(|| text.lines().next().unwrap_or_default().to_owned())
}
