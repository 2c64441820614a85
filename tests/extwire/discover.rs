//! Entry points and launch order, as a function of listings.

use e::model::ext::discover::{Dir, Found, Kind, Listed, Skip, Skipped, discover, startup_order};
use proptest::collection::vec;
use proptest::prelude::*;

use super::strategies;

fn exe(name: &str) -> Listed {
    Listed { name: name.into(), kind: Kind::File { executable: true } }
}

fn plain(name: &str) -> Listed {
    Listed { name: name.into(), kind: Kind::File { executable: false } }
}

fn folder(name: &str, inside: Vec<Listed>) -> Listed {
    Listed { name: name.into(), kind: Kind::Dir(inside) }
}

fn dir(path: &str, entries: Vec<Listed>) -> Dir {
    Dir { path: path.into(), real: path.into(), filter: Vec::new(), entries }
}

/// A glob that ends in `*`, or a plain name: enough for the rules around it.
fn glob(pattern: &str, path: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => path.starts_with(start),
        None => path == pattern,
    }
}

fn files(dirs: &[Dir]) -> Vec<String> {
    discover(dirs, glob).0.iter().map(|f| f.file.to_string()).collect()
}

/// The entry point of a bundle called `foo`.
fn chosen(inside: Vec<Listed>) -> Option<String> {
    files(&[dir("/x", vec![folder("foo", inside)])]).first().map(|f| f["foo/".len()..].to_owned())
}

#[test]
fn a_bundle_s_entry_point_follows_the_guides_order() {
    let pick = |names: &[&str]| chosen(names.iter().map(|n| exe(n)).collect());
    assert_eq!(pick(&["zz", "foo", "index.mjs"]).as_deref(), Some("index.mjs"));
    assert_eq!(pick(&["index.py", "index.mjs"]).as_deref(), Some("index.mjs"), "path order breaks the tie");
    assert_eq!(pick(&["aa", "foo.sh", "foo.mjs", "zz"]).as_deref(), Some("foo.mjs"));
    assert_eq!(pick(&["aa", "foo", "zz"]).as_deref(), Some("foo"));
    assert_eq!(pick(&["aa", "foo.test.mjs"]), None, "its stem is foo.test");
    assert_eq!(pick(&["only"]).as_deref(), Some("only"));
    assert_eq!(pick(&["one", "two"]), None);
    assert_eq!(pick(&["index", "two"]), None, "index.* has a dot");
    assert_eq!(pick(&[]), None);
    assert_eq!(chosen(vec![plain("index.mjs"), plain("foo.mjs"), exe("helper")]).as_deref(), Some("helper"));
    assert_eq!(chosen(vec![folder("bin", vec![exe("index.sh")])]), None, "deeper files never count");
    assert_eq!(chosen(vec![Listed { name: "index.mjs".into(), kind: Kind::Dangling }]), None);
    let dotted = vec![folder("my.ext", vec![exe("aa"), exe("my.ext")])];
    assert_eq!(files(&[dir("/x", dotted)]), ["my.ext/my.ext"]);
}

#[test]
fn top_level_entries_and_what_is_skipped() {
    let entries = vec![
        exe("b.mjs"),
        plain("notes.txt"),
        exe(".x"),
        folder("a", vec![exe("one"), exe("two")]),
        folder("lib", vec![plain("x")]),
        Listed { name: "gone".into(), kind: Kind::Dangling },
        Listed { name: "pipe".into(), kind: Kind::Other },
    ];
    let (found, skipped) = discover(&[dir("/home/.e/extensions", entries)], glob);
    let paths: Vec<&str> = found.iter().map(|f| &*f.path).collect();
    assert_eq!(paths, ["/home/.e/extensions/.x", "/home/.e/extensions/b.mjs"]);
    let why: Vec<(&str, Skip)> = skipped.iter().map(|s: &Skipped| (&*s.file, s.why)).collect();
    assert_eq!(
        why,
        [
            ("a", Skip::NoEntryPoint { executables: 2 }),
            ("gone", Skip::Dangling),
            ("lib", Skip::NoEntryPoint { executables: 0 }),
            ("notes.txt", Skip::NotExecutable),
            ("pipe", Skip::NotAFile),
        ]
    );
    assert!(skipped.iter().filter(|s| s.why.notice()).map(|s| &*s.file).eq(["gone"]));
    assert!(skipped.iter().all(|s| !s.why.words().is_empty()));
}

#[test]
fn launch_order_is_by_directory_then_by_path_and_startup_order_by_name() {
    let dirs = [
        dir("/home", vec![exe("b"), exe("foo.mjs"), folder("foo", vec![exe("zzz")]), exe("B")]),
        dir("/pkg", vec![exe("a"), exe("b")]),
        Dir { path: "/link".into(), real: "/home".into(), ..Dir::default() },
    ];
    assert_eq!(files(&dirs), ["B", "b", "foo/zzz", "foo.mjs", "a", "b"]);
    let (found, _) = discover(&dirs, glob);
    let order: Vec<&str> = startup_order(&found).into_iter().map(|at| &*found[at].path).collect();
    assert_eq!(order, ["/home/B", "/pkg/a", "/home/b", "/pkg/b", "/home/foo/zzz", "/home/foo.mjs"]);
}

#[test]
fn filters_exclude_always_and_include_only_when_there_are_inclusions() {
    let with = |filter: &[&str]| {
        let filter = filter.iter().map(|p| (*p).into()).collect();
        let entries = vec![exe("a.mjs"), folder("b", vec![exe("index.mjs")]), exe("c.mjs")];
        files(&[Dir { filter, ..dir("/p/extensions", entries) }]).join(" ")
    };
    assert_eq!(with(&[]), "a.mjs b/index.mjs c.mjs");
    assert_eq!(with(&["!extensions/b"]), "a.mjs c.mjs");
    assert_eq!(with(&["extensions/b"]), "b/index.mjs");
    assert_eq!(with(&["extensions/*", "!extensions/a.mjs"]), "b/index.mjs c.mjs");
    assert_eq!(with(&["!extensions/*", "extensions/a.mjs"]), "");
    assert_eq!(with(&["a.mjs"]), "");
}

fn listed() -> impl Strategy<Value = Listed> {
    let name =
        prop::sample::select(vec!["index.mjs", "index.py", "foo", "foo.sh", "a", "b.mjs", ".x", "lib", "é"]);
    let file = any::<bool>().prop_map(|executable| Kind::File { executable });
    let kind = prop_oneof![4 => file.clone(), 1 => Just(Kind::Dangling), 1 => Just(Kind::Other)];
    let inside = vec((name.clone(), kind.clone()), 0..6).prop_map(|list| {
        let mut list: Vec<Listed> =
            list.into_iter().map(|(name, kind)| Listed { name: name.into(), kind }).collect();
        list.sort();
        list.dedup_by(|a, b| a.name == b.name);
        Kind::Dir(list)
    });
    (name, prop_oneof![1 => kind, 2 => inside]).prop_map(|(name, kind)| Listed { name: name.into(), kind })
}

fn shuffled(list: &[Listed], seed: u64) -> Vec<Listed> {
    let mut keyed: Vec<(u64, Listed)> = list
        .iter()
        .enumerate()
        .map(|(at, listed)| {
            let kind = match &listed.kind {
                Kind::Dir(inside) => Kind::Dir(shuffled(inside, seed ^ 77)),
                other => other.clone(),
            };
            let key = (at as u64 + 1).wrapping_mul(seed | 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 7;
            (key, Listed { name: listed.name.clone(), kind })
        })
        .collect();
    keyed.sort();
    keyed.into_iter().map(|(_, listed)| listed).collect()
}

proptest! {
    #![proptest_config(strategies::cases())]

    #[test]
    fn x12_the_choice_is_a_function_of_the_listing_whatever_its_order(
        entries in vec(listed(), 0..8), seed in any::<u64>(),
    ) {
        let mut entries = entries;
        entries.sort();
        entries.dedup_by(|a, b| a.name == b.name);
        let first = discover(&[dir("/x", entries.clone())], glob);
        let again = discover(&[dir("/x", shuffled(&entries, seed))], glob);
        prop_assert_eq!(&first, &again);
        // Every name is started or skipped, once.
        prop_assert_eq!(first.0.len() + first.1.len(), entries.len());
        let tops: Vec<&str> = first.0.iter().map(|f: &Found| &*f.top).collect();
        prop_assert!(tops.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
