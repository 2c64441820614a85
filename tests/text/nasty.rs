//! Strategies for text that attacks: escapes, joiners, wide and combining characters, tabs, direction controls.

use proptest::prelude::*;

const BITS: &[&str] = &[
    "a",
    "b",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "word",
    "longer-word",
    "x.y",
    "漢",
    "字",
    "가",
    "、",
    "（",
    "é",
    "e\u{301}",
    "\u{301}",
    "ü",
    "ß",
    "👩\u{200D}🚀",
    "🏳\u{FE0F}\u{200D}🌈",
    "👍🏽",
    "🇳🇱",
    "🇳",
    "🏴",
    "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{E0067}",
    "\u{E007F}",
    "\u{200D}",
    "\u{200C}",
    "\u{FE0F}",
    "\u{200B}",
    "\u{202E}",
    "\u{2066}",
    "\u{2069}",
    "\u{FEFF}",
    "\u{200F}",
    "\u{61C}",
    "\u{AD}",
    "\u{A0}",
    "\u{3000}",
    "\u{2028}",
    "\u{1161}",
    "\u{0E1B}\u{0E39}\u{0E49}",
    "क्ष",
    "שלום",
    "مرحبا",
    "\u{1b}",
    "\u{1b}[",
    "\u{1b}[31m",
    "\u{1b}[?1049l",
    "\u{1b}]0;t",
    "\u{7}",
    "\u{1b}\\",
    "\u{1b}P",
    "\u{1b}_",
    "\u{1b}(B",
    "\u{1b}#",
    "\u{9b}",
    "\u{9b}2J",
    "\u{9d}8;;",
    "\u{9c}",
    "\u{90}",
    "\u{98}",
    "\u{85}",
    "\u{0}",
    "\u{8}",
    "\u{7f}",
    "m",
    "K",
    "\\",
    "<U+202E>",
    "<",
    "\u{FFFD}",
    "\u{10FFFF}",
    "\u{FF9E}",
    "ﾊﾞ",
    "¼",
    "…",
    "─",
    "0",
    "1;2",
];

/// Any of the bits above, and now and then any character at all.
pub fn text() -> impl Strategy<Value = String> {
    let bit = prop_oneof![
        12 => prop::sample::select(BITS).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(bit, 0..40).prop_map(|bits| bits.concat())
}

/// A text and its cuts: the pieces join to the text.
pub fn pieces() -> impl Strategy<Value = (String, Vec<String>)> {
    (text(), prop::collection::vec(any::<prop::sample::Index>(), 0..6)).prop_map(|(text, cuts)| {
        let chars: Vec<char> = text.chars().collect();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(chars.len() + 1)).collect();
        at.push(0);
        at.push(chars.len());
        at.sort_unstable();
        let pieces = at.windows(2).map(|pair| chars[pair[0]..pair[1]].iter().collect()).collect();
        (text, pieces)
    })
}

/// The house's number of cases.
pub fn cases() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1000);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}
