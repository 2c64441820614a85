//! What a raw command line says about extensions.

use e::model::ext::launch::{Launch, Start, launch};

fn read(line: &str) -> Launch {
    launch(&line.split(' ').filter(|w| !w.is_empty()).collect::<Vec<_>>())
}

#[test]
fn who_is_started_and_whether_anybody_can_answer() {
    use Start::{All, Greet, None, Own};
    for (line, start, ui, terminal) in [
        ("", All, true, true),
        ("fix the tests", All, true, true),
        ("-c", All, true, true),
        ("-p hello", All, false, false),
        ("-cp hello", All, false, false),
        ("--print", All, false, false),
        ("-m -p hello", All, true, true),
        ("--model -p x", All, true, true),
        ("--model=x -p", All, false, false),
        ("-- -p", All, true, true),
        ("rpc", All, true, false),
        ("hello rpc", All, true, true),
        ("--ne", None, true, true),
        ("rpc --no-extensions", None, true, false),
        ("-p --no-extensions x", None, false, false),
        ("-- --ne", All, true, true),
        ("-m --ne", All, true, true),
        ("--version", None, true, false),
        ("-V", None, true, false),
        ("--help", Greet, true, false),
        ("-h", Greet, true, false),
        ("help", Greet, true, false),
        ("doctor", Greet, true, false),
        ("--help --ne", None, true, false),
        ("tour", Own, true, true),
        ("ext check ./x.mjs", Own, true, false),
        ("-c doctor", All, true, true),
    ] {
        let got = read(line);
        assert_eq!((got.start, got.ui, got.terminal), (start, ui, terminal), "{line}");
    }
    for command in [
        "install",
        "remove",
        "packages",
        "trust",
        "untrust",
        "auth",
        "providers",
        "docs",
        "check",
        "completions",
        "layout",
        "theme",
        "replay",
    ] {
        assert_eq!((read(command).start, read(command).terminal), (None, false), "{command}");
    }
}

#[test]
fn packages_of_this_run_in_order() {
    let packages = |line: &str| read(line).packages.join(" ");
    assert_eq!(packages("-P a --package b --package=c -Pd -P=e -cP f"), "a b c d e f");
    assert_eq!(packages("-m -P a -- -P b"), "");
    assert_eq!(packages("-P"), "");
}
