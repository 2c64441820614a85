//! Templates and number formats.

use e::model::text::clean::Clean;
use e::model::text::template::{context, cost, count, elapsed, fill, tokens, traffic};
use proptest::prelude::*;

use super::nasty::cases;

fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let value = |name: &str| {
        values.iter().find(|(n, _)| *n == name).map_or(Clean::default(), |(_, v)| Clean::vanish(v))
    };
    fill(template, &value).to_string()
}

fn template() -> impl Strategy<Value = String> {
    let bit = prop::sample::select(vec!["{a}", "{b}", "{c}", " · ", " / ", " ", "word", "{", "}", "·"]);
    prop::collection::vec(bit, 0..14).prop_map(|bits| bits.concat())
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn s3_a_template_with_all_tokens_empty_vanishes(template in template()) {
        let out = filled(&template, &[("a", " ")]);
        prop_assert!(out.is_empty() || tokens(&template).is_empty(), "{template:?} -> {out:?}");
    }

    #[test]
    fn s3_no_doubled_or_dangling_separators(
        parts in prop::collection::vec(prop::sample::select(vec!["{a}", "{b} {c}", "x {c}", "{d}", "word", ""]), 1..8),
        joins in prop::collection::vec(any::<bool>(), 8), values in prop::collection::vec(prop::sample::select(vec!["", " ", "v", "two words"]), 4),
    ) {
        let mut template = String::new();
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                template.push_str(if joins[at] { " · " } else { " / " });
            }
            template.push_str(part);
        }
        let values: Vec<(&str, &str)> = ["a", "b", "c", "d"].into_iter().zip(values).collect();
        let out = filled(&template, &values);
        let words: Vec<&str> = out.split(' ').collect();
        let separator = |word: &str| word == "·" || word == "/";
        prop_assert!(out.is_empty() || !words.contains(&""), "{template:?} -> {out:?}");
        prop_assert!(!separator(words[0]) && !separator(words[words.len() - 1]), "{template:?} -> {out:?}");
        prop_assert!(!words.windows(2).any(|pair| separator(pair[0]) && separator(pair[1])), "{template:?} -> {out:?}");
    }
}

#[test]
fn parts_around_empty_tokens_go() {
    assert_eq!(filled("{model} / {effort}", &[("model", "m"), ("effort", "high")]), "m / high");
    assert_eq!(filled("{model} / {effort}", &[("model", "m")]), "m");
    assert_eq!(filled("{phase} {elapsed} {tokens} · {activity}", &[("activity", "busy")]), "busy");
    assert_eq!(
        filled("{phase} {elapsed} {tokens} · {activity}", &[("phase", "Thinking"), ("elapsed", "(3s)")]),
        "Thinking (3s)"
    );
    assert_eq!(filled("cost {cost} · {cwd}", &[("cwd", "~/x")]), "~/x");
    assert_eq!(filled("ctx {context}", &[]), "");
    assert_eq!(filled("plain  words", &[]), "plain words");
}

#[test]
fn an_unclosed_brace_is_literal() {
    assert_eq!(filled("{a} {b", &[("a", "1")]), "1 {b");
    assert_eq!(filled("{x{a}", &[("a", "1")]), "{x1");
    assert_eq!(tokens("{status:git} {b"), ["status:git"]);
}

#[test]
fn values_never_bring_escapes_or_newlines() {
    assert_eq!(filled("{a}\x1b[31m x", &[("a", "1\n2")]), "1 2 x");
}

#[test]
fn numbers_are_short() {
    assert_eq!([elapsed(3_400), elapsed(125_000), elapsed(3_723_000)], ["(3s)", "(2m 05s)", "(1h 02m)"]);
    assert_eq!(
        [count(999), count(1_234), count(2_000), count(150_999), count(999_999), count(2_540_000)],
        ["999", "1.2k", "2k", "150k", "999k", "2.5M"]
    );
    assert_eq!([traffic(1_234, 20), traffic(0, 0)], ["(↑1.2k ↓20)", ""]);
    assert_eq!([context(12_900, 100_000), context(900, 100_000), context(5, 0)], ["12%", "", ""]);
    assert_eq!([cost(Some(0.041)), cost(None)], ["$0.04", ""]);
}
