//! The themes that come with the program, as the files they are: a person's theme takes the same road.

/// Names and texts of the built-in themes, the default first.
pub const BUILTIN: &[(&str, &str)] = &[
    ("dark", include_str!("../../themes/dark.json")),
    ("light", include_str!("../../themes/light.json")),
    ("high-contrast-dark", include_str!("../../themes/high-contrast-dark.json")),
    ("high-contrast-light", include_str!("../../themes/high-contrast-light.json")),
    // For eyes that do not tell red from green: what is added is blue, what is removed orange.
    ("blue-orange-dark", include_str!("../../themes/blue-orange-dark.json")),
    ("blue-orange-light", include_str!("../../themes/blue-orange-light.json")),
];

/// The text of the built-in theme of that name.
pub fn builtin(name: &str) -> Option<&'static str> {
    BUILTIN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
