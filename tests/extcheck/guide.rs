//! The guide and the code name the same rules with the same words.

use e::effects::docs;
use e::effects::ext_check::{Advice, Rule};

/// Rows of a table below a heading: name, words, and what to do.
fn rows(text: &str, heading: &str) -> Vec<(String, String, String)> {
    let (_, rest) = text.split_once(heading).unwrap();
    let section = rest.split("\n## ").next().unwrap();
    let row = |line: &str| -> Option<(String, String, String)> {
        let cells: Vec<String> =
            line.trim_matches('|').split(" | ").map(|cell| cell.trim().replace("\\|", "|")).collect();
        let [name, words, fix] = cells.as_slice() else { return None };
        let name = name.strip_prefix('`')?.strip_suffix('`')?;
        Some((name.into(), words.clone(), fix.clone()))
    };
    section.lines().filter_map(row).collect()
}

#[test]
fn the_guide_has_a_row_for_every_rule_in_the_words_of_a_report() {
    let text = docs::topic("ext-check").unwrap();
    let rules: Vec<(&str, &str)> = Rule::ALL.iter().map(|rule| (rule.id(), rule.text())).collect();
    let advice: Vec<(&str, &str)> = Advice::ALL.iter().map(|advice| (advice.id(), advice.text())).collect();
    for (heading, wanted) in [("## Rules", rules), ("## Warnings", advice)] {
        let rows = rows(&text, heading);
        let written: Vec<(&str, &str)> =
            rows.iter().map(|(id, text, _)| (id.as_str(), text.as_str())).collect();
        assert_eq!(written, wanted);
        for (id, _, fix) in &rows {
            assert!(fix.len() > 10, "{id} says what to do");
        }
    }
}
