//! `e doctor`: what a bug report needs, safe to paste: no key, no path of the person's.

use std::collections::BTreeMap;
use std::net::{TcpStream, ToSocketAddrs};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::check;
use super::cli::providers::Known;
use super::home::Home;
use super::store::logs::Logs;

/// How long one connection is tried.
const PATIENCE: Duration = Duration::from_secs(3);

/// The report. With `network` each provider that has a key is tried to be reached.
pub fn report(home: &Home, env: &BTreeMap<String, String>, network: bool) -> String {
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
    out
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
