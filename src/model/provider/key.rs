//! Recognises an API key that someone pasted alone, so that it never becomes a prompt. Looks, keeps nothing.

/// How each provider's keys begin, longest prefix first where one begins with another, and how long they are at least.
const SHAPES: &[(&str, &str, usize)] = &[
    ("sk-ant-", "anthropic", 30),
    ("sk-or-", "openrouter", 30),
    ("sk-proj-", "openai", 30),
    ("sk-svcacct-", "openai", 30),
    ("sk-admin-", "openai", 30),
    ("AIza", "google", 35),
    ("xai-", "xai", 30),
    ("gsk_", "groq", 30),
    ("csk-", "cerebras", 30),
    ("fw_", "fireworks", 20),
    ("tgp_v1_", "together", 30),
];

/// The provider whose key this text is, when it is one key and nothing else.
pub fn looks_like_key(text: &str) -> Option<&'static str> {
    let text = text.trim();
    if text.len() > 400 || !text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_') {
        return None;
    }
    if let Some((_, provider, _)) =
        SHAPES.iter().find(|(p, _, least)| text.starts_with(p) && text.len() >= *least)
    {
        return Some(provider);
    }
    let rest = text.strip_prefix("sk-")?;
    let hex = rest.len() == 32 && rest.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    if hex {
        return Some("deepseek");
    }
    let random = rest.bytes().any(|b| b.is_ascii_digit()) && rest.bytes().any(|b| b.is_ascii_alphabetic());
    (rest.len() >= 32 && random).then_some("openai")
}
