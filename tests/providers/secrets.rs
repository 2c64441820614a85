//! Masking: whole and in pieces; and telling a pasted key from a prompt.

use e::effects::secrets::Secrets;
use e::model::provider::key::looks_like_key;
use proptest::prelude::*;

#[test]
fn masks_every_occurrence_and_no_short_word() {
    let secrets = Secrets::default();
    secrets.add("sk-ant-0123456789");
    secrets.add("ollama");
    let text = "key=sk-ant-0123456789 and sk-ant-0123456789日本 ollama";
    let masked = secrets.mask(text);
    assert_eq!(masked, "key=***************** and *****************日本 ollama");
    assert!(!format!("{secrets:?}").contains("0123"));
}

#[test]
fn a_clone_masks_what_is_added_later() {
    let secrets = Secrets::default();
    let other = secrets.clone();
    let mut stream = other.stream();
    secrets.add("abcdefgh12");
    let mut out = stream.push(b"x abcdefg");
    out.extend(stream.push(b"h12 y"));
    out.extend(stream.finish());
    assert_eq!(out, b"x ********** y");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn masking_pieces_equals_masking_the_whole(
        keys in prop::collection::vec("[ab]{8,11}", 1..4),
        text in "[abc]{0,80}",
        cuts in prop::collection::vec(0usize..80, 0..8),
        plant in any::<prop::sample::Index>(),
    ) {
        let secrets = Secrets::default();
        for key in &keys { secrets.add(key); }
        let mut bytes = text.into_bytes();
        let at = plant.index(bytes.len() + 1);
        bytes.splice(at..at, keys[0].bytes());
        let whole = secrets.mask_bytes(bytes.clone());
        let mut stream = secrets.stream();
        let mut out = Vec::new();
        let mut last = 0;
        let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).collect();
        cuts.sort_unstable();
        for cut in cuts.into_iter().chain([bytes.len()]) {
            out.extend(stream.push(&bytes[last..cut]));
            last = cut;
        }
        out.extend(stream.finish());
        prop_assert_eq!(&out, &whole);
        for key in &keys {
            prop_assert!(!String::from_utf8_lossy(&out).contains(key.as_str()));
        }
    }
}

#[test]
fn a_pasted_key_is_recognised_and_words_are_not() {
    let long = "aB3".repeat(20);
    for (text, provider) in [
        (format!("sk-ant-api03-{long}"), "anthropic"),
        (format!("  sk-or-v1-{long}\n"), "openrouter"),
        (format!("sk-proj-{long}"), "openai"),
        (format!("sk-{long}"), "openai"),
        (format!("sk-{}", "0123456789abcdef".repeat(2)), "deepseek"),
        (format!("AIza{long}"), "google"),
        (format!("gsk_{long}"), "groq"),
        (format!("xai-{long}"), "xai"),
    ] {
        assert_eq!(looks_like_key(&text), Some(provider), "{text}");
    }
    for text in [
        "",
        "fix the test",
        "sk-",
        "sk-learn",
        "sk-please-explain-what-this-repository-is-about",
        "AIza is what",
        "my key is sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ] {
        assert_eq!(looks_like_key(text), None, "{text}");
    }
}
