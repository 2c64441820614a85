//! JSON Schemas of the files that a person writes by hand, made from the same lists that their readers use.

use serde_json::{Map, Value, json};

use crate::model::config::keymap::Context;
use crate::model::config::settings::{KEYS, Kind};
use crate::model::config::words::WORDS;
use crate::model::config::{layout, theme};
use crate::model::provider::models;
use crate::model::text::row::Token;

/// Names and texts, as they stand in `docs/schemas/<name>.schema.json`.
pub fn all() -> Vec<(&'static str, String)> {
    let made = [
        ("settings", settings()),
        ("layout", layout_file()),
        ("keybindings", keybindings()),
        ("theme", theme_file()),
        ("models", models_file()),
    ];
    made.map(|(name, schema)| (name, format!("{schema:#}\n"))).to_vec()
}

/// A file: an object of these keys. What else is in it is kept, so that it is not refused either.
fn file(title: &str, description: &str, properties: Map<String, Value>) -> Value {
    let mut all = Map::new();
    all.insert("$schema".into(), json!({"type": "string", "description": "This schema, for editors"}));
    all.extend(properties);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "description": description,
        "type": "object",
        "properties": all,
    })
}

fn kind(kind: Kind) -> Value {
    match kind {
        Kind::Text => json!({"type": "string", "minLength": 1}),
        Kind::Model => json!({"type": "string", "pattern": "^[^/]+/.+$"}),
        Kind::OneOf(words) => json!({"enum": words}),
        Kind::Switch => json!({"enum": ["on", "off", true, false]}),
        Kind::Integer { least, most } => json!({"type": "integer", "minimum": least, "maximum": most}),
        Kind::Strings => json!({"type": "array", "items": {"type": "string"}}),
        Kind::List => json!({"type": "array"}),
        Kind::Object => json!({"type": "object"}),
    }
}

fn settings() -> Value {
    let mut properties = Map::new();
    properties.insert("format_version".into(), json!({"type": "integer", "description": "Written by e"}));
    for key in KEYS {
        let mut schema = kind(key.kind);
        schema["description"] = format!("{}. Default: {}", key.meaning, key.default).into();
        properties.insert(key.name.into(), schema);
    }
    for word in WORDS {
        let description = format!("{}. Default: {}", word.meaning, word.default);
        properties.insert(word.key.into(), json!({"type": "string", "description": description}));
    }
    file("settings.json", "Preferences of e", properties)
}

/// The schema of each key of `layout.json`; what a profile may override is the same.
fn of_layout(key: &str) -> Value {
    let templates = json!({"type": "array", "items": {"type": "string"}});
    match key {
        "split_min" => {
            json!({"type": "integer", "minimum": layout::SPLIT_FLOOR, "maximum": u16::MAX, "description": "Columns from which a pane stands beside the conversation"})
        }
        "focus" => {
            json!({"type": "string", "description": "The key that moves between conversation and pane"})
        }
        "banner" => {
            json!({"enum": ["on", "off", true, false], "description": "Whether a session begins with version, directory and model"})
        }
        "activity" => json!({"type": "string", "description": "Template of the activity row"}),
        "status" => {
            json!({"type": "object", "properties": {"left": templates, "right": templates}, "additionalProperties": false, "description": "Templates of the status row"})
        }
        "panes" => {
            json!({"type": "object", "description": "By a pane's name, or * for all", "additionalProperties": {
                "type": "object",
                "properties": {"side": {"enum": ["left", "right"]}, "width": {"type": "integer", "minimum": 0, "maximum": 100, "description": "Percent; held between 30 and 70"}},
                "additionalProperties": false,
            }})
        }
        "when" => {
            let cells = json!({"type": "integer", "minimum": 0, "maximum": u16::MAX});
            let conditions = layout::WHEN_KEYS.iter().map(|key| {
                let schema = match *key {
                    "pane" => json!({"type": "string"}),
                    "ssh" => json!({"type": "boolean"}),
                    _ => cells.clone(),
                };
                ((*key).to_owned(), schema)
            });
            json!({"type": "object", "properties": Map::from_iter(conditions), "additionalProperties": false})
        }
        _ => {
            json!({"type": "array", "description": "The first whose `when` holds overrides the keys it names", "items": {
                "type": "object",
                "properties": of_keys(&layout::PROFILE_KEYS),
                "required": ["when"],
                "additionalProperties": false,
            }})
        }
    }
}

fn of_keys(keys: &[&str]) -> Map<String, Value> {
    keys.iter().map(|key| ((*key).to_owned(), of_layout(key))).collect()
}

fn layout_file() -> Value {
    file("layout.json", "Status row, activity row and panes of e", of_keys(&layout::KEYS))
}

fn keybindings() -> Value {
    let actions = |context: Context| {
        let mut names = context.actions();
        names.push("none");
        json!({"enum": names})
    };
    let objects = Context::OBJECTS.map(|context| {
        let schema = json!({"type": "object", "additionalProperties": actions(context)});
        (context.name().to_owned(), schema)
    });
    let mut schema = file(
        "keybindings.json",
        "Keys of e: a chord and its action, or none; objects bind a context",
        Map::from_iter(objects),
    );
    schema["additionalProperties"] = actions(Context::Composer);
    schema
}

fn theme_file() -> Value {
    let literal = json!([
        {"type": "integer", "minimum": 0, "maximum": 255},
        {"type": "string", "pattern": "^#[0-9A-Fa-f]{6}$"},
    ]);
    let colour = |token: &Token| {
        let schema = json!({
            "description": token.meaning(),
            "anyOf": [{"type": "integer", "minimum": 0, "maximum": 255}, {"type": "string"}],
        });
        (token.name().to_owned(), schema)
    };
    let of = |key: &str| match key {
        "name" => json!({"type": "string"}),
        "base" => {
            json!({"enum": ["dark", "light"], "description": "What the terminal's own colours are taken for"})
        }
        "vars" => json!({"type": "object", "additionalProperties": {"anyOf": literal}}),
        _ => json!({
            "type": "object",
            "description": "By token: a variable, 0 to 255, #RRGGBB, or empty for the terminal's own",
            "properties": Map::from_iter(Token::ALL.iter().map(colour)),
            "additionalProperties": false,
        }),
    };
    let properties = theme::KEYS.iter().map(|key| ((*key).to_owned(), of(key)));
    let mut schema = file("themes/<name>.json", "A theme of e", properties.collect());
    schema["required"] = json!(["vars", "colors"]);
    schema
}

/// A key of `models.json`, of a provider or of a model.
fn of_models(key: &str) -> Value {
    let price = json!({"type": "number", "minimum": 0});
    match key {
        "base_url" => json!({"type": "string", "pattern": "^https?://"}),
        "api" => json!({"enum": models::APIS}),
        "context_window" | "max_output" => json!({"type": "integer", "minimum": 1}),
        "supports_tools" | "image_input" => json!({"type": "boolean"}),
        "effort" => json!({"type": "array", "items": {"type": "string"}}),
        "pricing" => {
            let prices = models::PRICES.iter().map(|price_of| ((*price_of).to_owned(), price.clone()));
            json!({"type": "object", "properties": Map::from_iter(prices)})
        }
        "id" | "api_key_env" => json!({"type": "string", "minLength": 1}),
        "models" => json!({"type": "array", "items": {"anyOf": [{"type": "string"}, {
            "type": "object",
            "properties": Map::from_iter(["id"].iter().chain(&models::FACTS).map(|key| ((*key).to_owned(), of_models(key)))),
            "required": ["id"],
        }]}}),
        _ => json!({}),
    }
}

fn models_file() -> Value {
    let keys = models::OF_PROVIDER.iter().chain(&models::FACTS);
    let provider = Map::from_iter(keys.map(|key| ((*key).to_owned(), of_models(key))));
    let providers =
        json!({"type": "object", "additionalProperties": {"type": "object", "properties": provider}});
    file("models.json", "Models added or corrected", Map::from_iter([("providers".to_owned(), providers)]))
}
