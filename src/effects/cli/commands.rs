//! The commands that need no session: each prints and ends.

use std::collections::BTreeMap;
use std::path::Path;

use super::args::{Command, LayoutCommand, PackagesCommand, ThemeCommand};
use super::providers::Known;
use super::{ext, parse, print, refuse};
use crate::effects::home::{Home, trust};
use crate::effects::{check, docs, doctor, layout_explain, theme_check};

/// Does it; the exit status.
pub fn run(command: Command, home: &Home, env: &BTreeMap<String, String>, cwd: &Path) -> u8 {
    match command {
        Command::Docs { topic: None } => print(&docs::topics()),
        Command::Docs { topic: Some(topic) } => match docs::topic(&topic) {
            Ok(text) => print(&text),
            Err(why) => refuse(2, &why),
        },
        Command::Trust { dir } => record(home, cwd, dir.as_deref(), true),
        Command::Untrust { dir } => record(home, cwd, dir.as_deref(), false),
        Command::Auth => print(&Known::load(home, env).keys()),
        Command::Providers => print(&Known::load(home, env).list()),
        Command::Doctor { no_network } => print(&doctor::report(home, env, cwd, !no_network)),
        Command::Check => {
            let (text, wrong) = check::report(home, env);
            let status = print(&text);
            if wrong { 1 } else { status }
        }
        Command::Completions { shell } => print(&parse::completions(shell)),
        Command::Tour => 0,
        Command::Rpc => not_yet("e rpc"),
        Command::Layout { command: LayoutCommand::Explain { size } } => {
            match layout_explain::report(home, env, size.as_deref()) {
                Ok(text) => print(&text),
                Err(why) => refuse(2, &why),
            }
        }
        Command::Theme { command: ThemeCommand::Check { name } } => {
            match theme_check::report(home, name.as_deref()) {
                Ok((text, wrong)) => {
                    let status = print(&text);
                    if wrong { 1 } else { status }
                }
                Err(why) => refuse(2, &why),
            }
        }
        Command::Install { .. } => not_yet("e install"),
        Command::Remove { .. } => not_yet("e remove"),
        Command::Packages { command: None } => not_yet("e packages"),
        Command::Packages { command: Some(PackagesCommand::Init { .. }) } => not_yet("e packages init"),
        Command::Ext { command } => ext::run(command, home, env),
    }
}

fn not_yet(command: &str) -> u8 {
    refuse(2, &format!("this version does not have `{command}` yet"))
}

fn record(home: &Home, cwd: &Path, dir: Option<&str>, trusted: bool) -> u8 {
    let dir = cwd.join(dir.unwrap_or("."));
    match trust::record(home, &dir, trusted) {
        Ok(notice) => {
            if let Some(notice) = notice {
                refuse(0, &notice);
            }
            let word = if trusted { "trusted" } else { "not trusted" };
            print(&format!("{word}: {}\n", trust::real(&dir).display()))
        }
        Err(why) => refuse(1, &why),
    }
}
