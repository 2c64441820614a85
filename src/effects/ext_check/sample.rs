//! Arguments made up from a tool's JSON Schema: good ones, and ones that break it.

use serde_json::{Map, Value, json};

/// How deep schemas are followed; references may go in circles.
const DEPTH: usize = 8;
/// How much is made, roughly in bytes; a schema may ask for any number of anything.
const BYTES: usize = 100_000;
/// What no program can read as JSON: a model's call that was cut off reaches a tool as this string.
pub const NO_JSON: &str = "{\"path\": \"unfinis";

/// Arguments with every property, or with the required ones only.
pub fn good(schema: &Value, all: bool) -> Value {
    Maker { root: schema, all, left: BYTES }.value(schema, DEPTH)
}

/// Arguments that the schema does not allow, and what no schema allows.
pub fn bad(schema: &Value) -> Vec<Value> {
    let mut out = vec![Value::from(NO_JSON)];
    let required = schema.get("required").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    if required {
        out.push(json!({}));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    if let Some(properties) = properties.filter(|properties| !properties.is_empty()) {
        let wrong = |(name, schema): (&String, &Value)| (name.clone(), other_type(&good(schema, false)));
        out.push(Value::Object(properties.iter().map(wrong).collect()));
        out.push(Value::Object(properties.keys().map(|name| (name.clone(), Value::Null)).collect()));
    }
    out
}

/// What is not a JSON Schema object, if anything is.
pub fn complaint(schema: &Value) -> Option<String> {
    let Some(root) = schema.as_object() else { return Some("it is not an object".into()) };
    if root.get("type").is_some_and(|kind| kind != "object") {
        return Some("its `type` is not \"object\"".into());
    }
    fields(schema, DEPTH)
}

/// A keyword with a value of the wrong type, anywhere in a schema.
fn fields(schema: &Value, depth: usize) -> Option<String> {
    const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];
    let Some(fields_here) = schema.as_object() else {
        return (!schema.is_boolean()).then(|| "a schema in it is neither an object nor a boolean".into());
    };
    if depth == 0 {
        return None;
    }
    for (key, value) in fields_here {
        let known = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
        let right = match key.as_str() {
            "type" => known(value) || value.as_array().is_some_and(|list| list.iter().all(known)),
            "required" => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
            "properties" | "$defs" | "definitions" => value.is_object(),
            "enum" | "anyOf" | "oneOf" | "allOf" => value.is_array(),
            "description" | "title" | "pattern" => value.is_string(),
            _ => true,
        };
        if !right {
            return Some(format!("`{key}` in it cannot be {value}"));
        }
        let inner: Vec<&Value> = match (key.as_str(), value) {
            ("properties" | "$defs" | "definitions", Value::Object(map)) => map.values().collect(),
            ("anyOf" | "oneOf" | "allOf", Value::Array(list)) => list.iter().collect(),
            ("items", value) => vec![value],
            _ => Vec::new(),
        };
        if let Some(why) = inner.into_iter().find_map(|schema| fields(schema, depth - 1)) {
            return Some(why);
        }
    }
    None
}

fn other_type(value: &Value) -> Value {
    match value {
        Value::String(_) => json!(7),
        Value::Number(_) => json!("seven"),
        Value::Bool(_) => json!("yes"),
        Value::Array(_) => json!({"a": 1}),
        Value::Object(_) => json!(["a"]),
        Value::Null => json!({"a": [null]}),
    }
}

struct Maker<'s> {
    root: &'s Value,
    all: bool,
    left: usize,
}

impl Maker<'_> {
    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        let Some(depth) = depth.checked_sub(1).filter(|_| self.pays(8)) else { return Value::Null };
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let found = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            return found.map_or(Value::Null, |schema| self.value(schema, depth));
        }
        for given in
            [schema.get("const"), schema.get("default"), first(schema, "enum"), first(schema, "examples")]
        {
            if let Some(value) = given.filter(|value| self.pays(value.to_string().len())) {
                return value.clone();
            }
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            if let Some(choice) = first(schema, key).filter(|_| schema.get("properties").is_none()) {
                return self.value(choice, depth);
            }
        }
        let kind = match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
            Some(kind) => kind.as_str(),
            None => schema.get("properties").map(|_| "object"),
        };
        match kind {
            Some("object") => Value::Object(self.object(schema, depth)),
            Some("array") => self.array(schema, depth),
            Some("integer") => json!(least(schema).map_or(1, |least| least.ceil() as i64)),
            Some("number") => json!(least(schema).unwrap_or(1.5)),
            Some("boolean") => json!(true),
            Some("null") => Value::Null,
            _ => {
                let text = text(schema);
                if self.pays(text.len()) { text.into() } else { Value::Null }
            }
        }
    }

    /// Takes that many bytes, while there are some.
    fn pays(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Map<String, Value> {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|list| list.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let mut out = Map::new();
        for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if self.all || required.contains(&name.as_str()) {
                out.insert(name.clone(), self.value(schema, depth));
            }
        }
        for name in required {
            out.entry(name).or_insert_with(|| "x".into());
        }
        out
    }

    fn array(&mut self, schema: &Value, depth: usize) -> Value {
        let count = schema.get("minItems").and_then(Value::as_u64).unwrap_or(1).clamp(1, 100);
        let mut out = Vec::new();
        for _ in 0..count {
            let item = schema.get("items").map_or_else(|| "x".into(), |items| self.value(items, depth));
            out.push(item);
            if self.left == 0 {
                break;
            }
        }
        Value::Array(out)
    }
}

fn first<'v>(schema: &'v Value, key: &str) -> Option<&'v Value> {
    schema.get(key)?.as_array()?.first()
}

/// The smallest number that is allowed.
fn least(schema: &Value) -> Option<f64> {
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    number("minimum").or_else(|| number("exclusiveMinimum").map(|least| least + 1.0))
}

/// A string of the wanted length; patterns are not tried to be met.
fn text(schema: &Value) -> String {
    let length = |key: &str| schema.get(key).and_then(Value::as_u64);
    let made = match schema.get("format").and_then(Value::as_str) {
        Some("date") => "2001-02-03".to_owned(),
        Some("date-time") => "2001-02-03T04:05:06Z".to_owned(),
        Some("uri") => "https://example.org/".to_owned(),
        Some("email") => "someone@example.org".to_owned(),
        _ => "sample".repeat(length("minLength").unwrap_or(1).clamp(1, 10_000).div_ceil(6) as usize),
    };
    match length("maxLength") {
        Some(most) => made.chars().take(most as usize).collect(),
        None => made,
    }
}
