//! What the highlighter's scopes and language names mean to a theme.

use crate::model::text::row::Token;

/// The word for keys of objects and tables.
pub const KEY: Token = Token::SyntaxFunction;

/// Scope prefixes and their words; the longest that fits wins. `Plain` ends what it stands in.
const WORDS: &[(&str, Token)] = &[
    ("comment", Token::SyntaxComment),
    ("constant", Token::SyntaxNumber),
    ("entity.name.class", Token::SyntaxType),
    ("entity.name.enum", Token::SyntaxType),
    ("entity.name.function", Token::SyntaxFunction),
    ("entity.name.impl", Token::SyntaxType),
    ("entity.name.interface", Token::SyntaxType),
    ("entity.name.label", Token::SyntaxNumber),
    ("entity.name.macro", Token::SyntaxFunction),
    ("entity.name.section", Token::SyntaxFunction),
    ("entity.name.struct", Token::SyntaxType),
    ("entity.name.tag", Token::SyntaxKeyword),
    ("entity.name.tag.yaml", KEY),
    ("entity.name.tag.toml", KEY),
    ("entity.name.trait", Token::SyntaxType),
    ("entity.name.type", Token::SyntaxType),
    ("entity.name.union", Token::SyntaxType),
    ("entity.other.attribute-name", Token::SyntaxType),
    ("entity.other.inherited-class", Token::SyntaxType),
    ("keyword", Token::SyntaxKeyword),
    ("keyword.operator", Token::SyntaxOperator),
    ("keyword.operator.word", Token::SyntaxKeyword),
    ("keyword.operator.logical.python", Token::SyntaxKeyword),
    ("markup.deleted", Token::ToolDiffRemovedMarker),
    ("markup.heading", Token::SyntaxFunction),
    ("markup.inserted", Token::ToolDiffAddedMarker),
    ("markup.raw", Token::SyntaxString),
    ("meta.diff.range", Token::SyntaxFunction),
    ("meta.interpolation", Token::Plain),
    ("meta.mapping.key", KEY),
    ("meta.structure.dictionary.key", KEY),
    ("meta.template.expression", Token::Plain),
    ("punctuation", Token::SyntaxPunctuation),
    ("punctuation.definition.comment", Token::SyntaxComment),
    ("punctuation.definition.string", Token::SyntaxString),
    ("punctuation.definition.deleted", Token::ToolDiffRemovedMarker),
    ("punctuation.definition.inserted", Token::ToolDiffAddedMarker),
    ("punctuation.definition.keyword", Token::SyntaxKeyword),
    ("punctuation.definition.heading", Token::SyntaxFunction),
    ("storage", Token::SyntaxKeyword),
    ("storage.type.c", Token::SyntaxType),
    ("storage.type.c++", Token::SyntaxType),
    ("storage.type.cs", Token::SyntaxType),
    ("storage.type.go", Token::SyntaxType),
    ("storage.type.java", Token::SyntaxType),
    ("storage.type.numeric.go", Token::SyntaxType),
    ("storage.type.primitive", Token::SyntaxType),
    ("storage.type.rust", Token::SyntaxType),
    ("storage.type.swift", Token::SyntaxType),
    ("string", Token::SyntaxString),
    ("string.unquoted.yaml", Token::Plain),
    ("string.unquoted.plain", Token::Plain),
    ("support.class", Token::SyntaxType),
    ("support.constant", Token::SyntaxNumber),
    ("support.function", Token::SyntaxFunction),
    ("support.macro", Token::SyntaxFunction),
    ("support.type", Token::SyntaxType),
    ("support.type.property-name", KEY),
    ("variable", Token::SyntaxVariable),
    ("variable.function", Token::SyntaxFunction),
    ("variable.language", Token::SyntaxKeyword),
    ("variable.annotation", Token::SyntaxOperator),
];

/// The word of a scope such as `keyword.control.rust`; `None` leaves what it stands in.
pub fn token(scope: &str) -> Option<Token> {
    let fits = |prefix: &str| {
        scope.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let best = WORDS.iter().filter(|(prefix, _)| fits(prefix)).max_by_key(|(prefix, _)| prefix.len());
    best.map(|(_, token)| *token)
}

/// The highlighter's own spelling of a language, extension or path; `None` for text that has no colours.
pub fn language(name: &str) -> Option<String> {
    let name = name.split([',', ' ', '{']).next().unwrap_or_default().trim_start_matches('.').to_lowercase();
    Some(match name.as_str() {
        "" | "text" | "txt" | "plain" | "plaintext" | "none" | "output" | "log" => return None,
        "console" | "shell" | "shell-session" | "terminal" | "sh-session" | "zsh" | "fish-shell" => {
            "sh".into()
        }
        "jsonc" | "json5" => "json".into(),
        "golang" => "go".into(),
        "mjs" | "cjs" | "jsx" | "node" => "js".into(),
        "mts" | "cts" => "ts".into(),
        "csharp" | "c#" => "cs".into(),
        "cxx" | "hpp" => "cpp".into(),
        "py3" | "python3" => "python".into(),
        "patch" => "diff".into(),
        "docker" => "dockerfile".into(),
        "make" => "makefile".into(),
        "kt" => "kotlin".into(),
        "rs" | "rust" => "rust".into(),
        _ => name,
    })
}
