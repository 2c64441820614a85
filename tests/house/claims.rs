//! The table of the extension guide's claims and the tests that hold them, kept together.

use std::path::Path;

use super::rust_below;

const PAGE: &str = include_str!("../../docs/guides/extend/claims.md");
const GUIDE: &str = include_str!("../../docs/guides/extend/extensions.md");

/// The claims with the names of their tests.
fn rows(page: &str) -> Vec<(&str, Vec<&str>)> {
    page.lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.rsplit_once(" | "))
        .filter(|(claim, _)| !matches!(*claim, "claim" | "---"))
        .map(|(claim, tests)| (claim, tests.split(", ").map(|name| name.trim_matches('`')).collect()))
        .collect()
}

/// The names that no test has.
fn without(page: &str, tests: &str) -> Vec<String> {
    rows(page)
        .into_iter()
        .flat_map(|(_, names)| names)
        .filter(|name| !tests.contains(&format!("fn {name}(")))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_claim_of_the_extension_guide_has_a_test() {
    let below = |folder: &str| rust_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let tests = below("tests") + &below("src/effects/ext");
    assert!(rows(PAGE).len() > 60, "the page was not read");
    assert_eq!(without(PAGE, &tests), [""; 0]);
    let headings = |page: &'static str| page.lines().filter_map(|line| Some(line.split_once("## ")?.1));
    for section in headings(PAGE) {
        assert!(headings(GUIDE).any(|heading| heading == section), "the guide has no section {section:?}");
    }
}

#[test]
fn a_planted_claim_without_a_test_is_found() {
    let page = "| claim | held by |\n| --- | --- |\n| It flies | `it_flies`, `it_lands` |\n| It sings | sometimes |\n";
    assert_eq!(without(page, "fn it_lands() {}"), ["it_flies", "sometimes"]);
}
