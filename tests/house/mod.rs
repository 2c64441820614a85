//! The law of the houses: who may import whom, what the pure houses may not name, and a first line for every file.
//! The checker is itself tested with planted violations.

mod claims;
mod lexer;
mod rules;

use std::path::{Path, PathBuf};

use rules::{Broken, check};

fn sources(root: &Path) -> Vec<(String, String)> {
    fn walk(dir: &Path, into: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, into);
            } else if path.extension().is_some_and(|e| e == "rs") {
                into.push(path);
            }
        }
    }
    let mut files = Vec::new();
    walk(&root.join("src"), &mut files);
    files.sort();
    files
        .into_iter()
        .map(|p| {
            let name = p.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            (name, std::fs::read_to_string(&p).unwrap())
        })
        .collect()
}

#[test]
fn the_houses_keep_their_law() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = sources(root);
    assert!(files.len() > 20, "the walk found too few files to mean anything");
    let broken: Vec<Broken> = files.iter().flat_map(|(name, text)| check(name, text)).collect();
    let report: Vec<String> = broken.iter().map(Broken::to_string).collect();
    assert!(report.is_empty(), "\n{}", report.join("\n"));
}

fn rules_broken(file: &str, text: &str) -> Vec<&'static str> {
    check(file, &format!("//! x\n{text}")).into_iter().map(|b| b.rule).collect()
}

#[test]
fn planted_imports_between_houses_are_found() {
    for (file, text) in [
        ("src/model/a.rs", "use crate::update::x;"),
        ("src/model/a.rs", "use crate::view as v;"),
        ("src/model/a/b.rs", "use super::super::super::effects::http;"),
        ("src/model/a.rs", "use crate::{model::id, update};"),
        ("src/model/a.rs", "use crate::{\n    model::{id, text},\n    effects::{self as fx},\n};"),
        ("src/update/a.rs", "fn f() { crate::effects::run(); }"),
        ("src/update/a.rs", "use crate::view::Cache;"),
        ("src/view/a.rs", "use crate::update::Out;"),
        ("src/view/a.rs", "use crate::{effects as world};"),
        ("src/effects/a.rs", "pub use crate::view::paint;"),
        ("src/effects/a.rs", "use super::super::update::update;"),
        ("src/effects/mod.rs", "use super::view;"),
        ("src/update/a.rs", "use e::effects::x;"),
        ("src/model/a.rs", "use crate as root;"),
        ("src/model/a.rs", "use crate::*;"),
    ] {
        assert!(!rules_broken(file, text).is_empty(), "{file}: {text}");
    }
}

#[test]
fn planted_imports_up_the_model_are_found() {
    for (file, text) in [
        ("src/model/text/a.rs", "use crate::model::session::Session;"),
        ("src/model/id.rs", "use crate::model::text::clean::Clean;"),
        ("src/model/provider/a.rs", "use super::super::tui::Tui;"),
        ("src/model/provider/a.rs", "use crate::model::{text, session};"),
        ("src/model/session/a.rs", "fn f() -> crate::model::tui::Tui { x }"),
        ("src/model/tui/a.rs", "use crate::model::msg::Msg;"),
    ] {
        assert_eq!(rules_broken(file, text), vec![rules::RANK], "{file}: {text}");
    }
}

#[test]
fn planted_rooms_of_update_that_know_each_other_are_found() {
    for text in
        ["use crate::update::tui::observe;", "use super::super::ext::calls;", "use crate::{update::{tui}};"]
    {
        assert_eq!(rules_broken("src/update/session/a.rs", text), vec![rules::ROOMS], "{text}");
    }
    assert!(rules_broken("src/update/mod.rs", "use crate::update::tui;").is_empty());
    assert!(rules_broken("src/update/session/a.rs", "use crate::update::session::turn;").is_empty());
}

#[test]
fn planted_touches_of_the_world_are_found() {
    for text in [
        "use std::fs;",
        "use std::{collections::BTreeMap, fs::File};",
        "use std::collections::{BTreeMap, HashMap as Map};",
        "fn f() { std::env::var(\"A\"); }",
        "use std::time::Instant;",
        "use std::time as t;",
        "use std as s;",
        "use ::std::process;",
        "fn f() { println!(\"x\"); }",
        "static mut X: u8 = 0;",
        "fn f() { let x = std::cell::RefCell::new(1); }",
        "use tokio::spawn;",
        "fn f() { unsafe { } }",
        "use std::sync::Mutex;",
        "use std::sync::atomic::AtomicU64;",
        "thread_local!(static X: u8 = 1);",
    ] {
        for house in ["model", "update", "view"] {
            assert_eq!(
                rules_broken(&format!("src/{house}/a.rs"), text).first(),
                Some(&rules::WORLD),
                "{house}: {text}"
            );
        }
    }
    assert!(rules_broken("src/effects/a.rs", "use std::fs; use std::time::Instant;").is_empty());
}

#[test]
fn planted_foreign_crates_are_found() {
    assert_eq!(rules_broken("src/update/a.rs", "use ratatui::buffer::Buffer;"), vec![rules::CRATES]);
    assert_eq!(rules_broken("src/model/a.rs", "use ratatui::{buffer::Buffer};"), vec![rules::CRATES]);
    assert_eq!(rules_broken("src/update/a.rs", "fn f() { syntect::x(); }"), vec![rules::CRATES]);
    assert!(rules_broken("src/view/a.rs", "use ratatui::buffer::Buffer;").is_empty());
}

#[test]
fn what_only_looks_like_a_violation_is_let_be() {
    for text in [
        "// use crate::update::x;",
        "/* nested /* std::fs */ crate::view */",
        "const A: &str = \"crate::effects::x std::fs HashMap\";",
        "const A: &str = r#\"println!(\"x\") \"# ;",
        "const A: char = '\"'; // std::fs",
        "fn f<'a>(x: &'a str) -> &'a str { x }",
        "use crate::model::id::Ids;",
        "/// Reads no `std::env`.\nfn f() {}",
    ] {
        assert!(rules_broken("src/model/tui/a.rs", text).is_empty(), "{text}");
    }
}

#[test]
fn a_file_without_its_first_line_is_found() {
    let rules: Vec<_> =
        check("src/model/a.rs", "use std::sync::Arc;\n").into_iter().map(|b| b.rule).collect();
    assert_eq!(rules, vec![rules::HEADER]);
}

#[test]
fn a_finding_names_file_line_and_sentence() {
    let found = check("src/model/a.rs", "//! x\n\nuse crate::update::x;\n");
    assert_eq!(found.len(), 1);
    assert!(found[0].to_string().starts_with("src/model/a.rs:3: "), "{}", found[0]);
}

/// Every source file below `dir`.
fn rust_below(dir: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all += &rust_below(&path);
        } else if path.extension().is_some_and(|e| e == "rs") {
            all += &std::fs::read_to_string(&path).unwrap();
        }
    }
    all
}

#[test]
fn every_invariant_of_the_architecture_page_has_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    let tests = rust_below(&root.join("tests"));
    let (_, table) = page.split_once("| id | what a person may rely on |").unwrap();
    let ids: Vec<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(' ').map(|(id, _)| id))
        .filter(|id| id.ends_with(|c: char| c.is_ascii_digit()))
        .collect();
    assert!(ids.len() > 40, "the table was not read: {ids:?}");
    let without: Vec<&&str> =
        ids.iter().filter(|id| !tests.contains(&format!("fn {}_", id.to_lowercase()))).collect();
    assert!(without.is_empty(), "no test begins with the ids {without:?}");
}
