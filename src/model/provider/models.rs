//! `models.json`, built in or the user's: providers and models as data, with complaints that name the place (`home.md`).

use std::sync::Arc;

use super::info::{DEFAULT_WINDOW, Dialect, ModelInfo, ModelRef, Pricing, ProviderInfo, Thinking};
use crate::model::config::complaint::{Complaint, nearest};
use crate::model::config::jsonc::{Json, Member, Node, Reader, parse};

/// All providers and models known, in the order in which they were first named.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    pub providers: Vec<ProviderInfo>,
    pub models: Vec<ModelInfo>,
}

/// Whose file is read: the built-in one knows more keys, and its providers need a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    BuiltIn,
    User,
}

/// Dialects, and their short names.
pub const APIS: [&str; 8] = [
    "openai-completions",
    "openai-responses",
    "anthropic-messages",
    "google-generative-ai",
    "completions",
    "responses",
    "anthropic",
    "google",
];

/// Keys that a provider may say for all its models, and a model for itself.
pub const FACTS: [&str; 11] = [
    "context_window",
    "max_output",
    "supports_tools",
    "image_input",
    "effort",
    "pricing",
    "thinking",
    "max_completion_tokens",
    "reasoning_replay",
    "short_call_ids",
    "cache_key",
];
/// Keys that are a provider's alone.
pub const OF_PROVIDER: [&str; 5] = ["base_url", "api", "api_key_env", "models", "discovered"];

/// Keys of `pricing`, in dollars.
pub const PRICES: [&str; 5] = [
    "input_per_million",
    "output_per_million",
    "cache_read_per_million",
    "cache_write_5m_per_million",
    "cache_write_1h_per_million",
];

/// Reads a file on top of what is known already; what is wrong in it costs that place alone.
pub fn read(table: &mut Table, file: &str, bytes: &[u8], author: Author) -> Vec<Complaint> {
    let root = match parse(file, bytes) {
        Ok(root) => root,
        Err(complaint) => return vec![complaint],
    };
    let mut reader = Reader::new(file);
    let mut load = Load { table, reader: &mut reader, author };
    if let Some(members) = load.reader.object("models.json", &root) {
        for member in members {
            load.near_key(member, &["providers", "format_version"]);
        }
    }
    if let Some(providers) = root.get("providers").and_then(|n| load.reader.object("providers", n)) {
        providers.iter().for_each(|member| load.provider(member));
    }
    reader.finish()
}

struct Load<'a> {
    table: &'a mut Table,
    reader: &'a mut Reader,
    author: Author,
}

/// What a person said of a model or of all models of a provider; `None` where they said nothing.
#[derive(Debug, Clone, Default)]
struct Said {
    context_window: Option<u64>,
    max_output: Option<u64>,
    tools: Option<bool>,
    image_input: Option<bool>,
    efforts: Option<Vec<Arc<str>>>,
    pricing: Option<Pricing>,
    thinking: Option<Thinking>,
    max_completion_tokens: Option<bool>,
    reasoning_replay: Option<Arc<str>>,
    short_call_ids: Option<bool>,
    cache_key: Option<bool>,
}

impl Load<'_> {
    fn provider(&mut self, member: &Member) {
        let name = member.key.trim();
        let Some(members) = self.reader.object(&format!("provider {name:?}"), &member.value) else { return };
        if name.is_empty() || name.contains('/') || matches!(name, "script" | "demo") {
            self.reader.complain(member.at, format!("{name:?} can't be a provider's name"));
            return;
        }
        let known: Vec<&str> = OF_PROVIDER.iter().chain(&FACTS).copied().collect();
        members.iter().for_each(|m| self.near_key(m, &known));
        self.no_keys(name, members);
        let Some(info) = self.provider_info(name, member) else { return };
        let said = self.facts(&member.value);
        match self.table.providers.iter_mut().find(|p| p.name == info.name) {
            Some(known) => {
                for model in self.table.models.iter_mut().filter(|m| m.reference.provider == info.name) {
                    model.base_url = info.base_url.clone();
                    model.dialect = info.dialect;
                }
                *known = info.clone();
            }
            None => self.table.providers.push(info.clone()),
        }
        let models = member.value.get("models").and_then(|n| self.reader.array("models", n));
        for node in models.unwrap_or_default() {
            self.model(&info, &said, node);
        }
    }

    fn provider_info(&mut self, name: &str, member: &Member) -> Option<ProviderInfo> {
        let value = &member.value;
        let known = self.table.providers.iter().find(|p| &*p.name == name).cloned();
        let base_url = match value.get("base_url") {
            Some(node) => {
                let url = self.reader.string("base_url", node)?.trim();
                if !url.starts_with("http://") && !url.starts_with("https://") {
                    self.reader.wrong("base_url", node, "an address that begins with http:// or https://");
                    return None;
                }
                Arc::from(url.trim_end_matches('/'))
            }
            None => match &known {
                Some(known) => known.base_url.clone(),
                None => {
                    let like = nearest(name, self.table.providers.iter().map(|p| &*p.name));
                    let hint =
                        like.map(|n| format!(", or did you mean the provider {n:?}?")).unwrap_or_default();
                    self.reader
                        .complain(member.at, format!("the new provider {name:?} needs a \"base_url\"{hint}"));
                    return None;
                }
            },
        };
        let dialect = match value.get("api") {
            Some(node) => Dialect::parse(self.reader.choice("api", node, &APIS)?)?,
            None => known.as_ref().map_or(Dialect::OpenaiCompletions, |k| k.dialect),
        };
        let variable = value.get("api_key_env").and_then(|n| self.reader.string("api_key_env", n));
        let discovered = value.get("discovered").and_then(|n| self.reader.boolean("discovered", n));
        let discovered = discovered.unwrap_or(known.as_ref().is_some_and(|k| k.discovered));
        Some(ProviderInfo {
            name: Arc::from(name),
            base_url,
            dialect,
            key_env: variable.map(Arc::from).or_else(|| known.as_ref().and_then(|k| k.key_env.clone())),
            keyless: known.as_ref().map_or(discovered || self.author == Author::User, |k| k.keyless),
            discovered,
        })
    }

    /// A model is its id alone, or an object with an id.
    fn model(&mut self, provider: &ProviderInfo, of_provider: &Said, node: &Node) {
        let (id, said) = match &node.json {
            Json::String(id) => (id.as_str(), Said::default()),
            Json::Object(members) => {
                let known: Vec<&str> = FACTS.iter().chain(&["id"]).copied().collect();
                members.iter().for_each(|m| self.near_key(m, &known));
                self.no_keys(&provider.name, members);
                let Some(id) = node.get("id") else {
                    self.reader.complain(node.at, "a model needs an \"id\"");
                    return;
                };
                let Some(id) = self.reader.string("id", id) else { return };
                (id, self.facts(node))
            }
            _ => return self.reader.wrong("a model", node, "its id, or an object with \"id\""),
        };
        if id.trim().is_empty() {
            return self.reader.complain(node.at, "a model's id can't be empty");
        }
        let reference = ModelRef { provider: provider.name.clone(), id: Arc::from(id.trim()) };
        let at = self.table.models.iter().position(|m| m.reference == reference);
        let mut info = match at.and_then(|at| self.table.models.get(at)) {
            Some(known) => known.clone(),
            None => ModelInfo {
                usable: false,
                ..ModelInfo::new(reference, provider.dialect, provider.base_url.clone())
            },
        };
        of_provider.apply(&mut info);
        said.apply(&mut info);
        match at.and_then(|at| self.table.models.get_mut(at)) {
            Some(slot) => *slot = info,
            None => self.table.models.push(info),
        }
    }

    fn facts(&mut self, node: &Node) -> Said {
        let reader = &mut *self.reader;
        let mut said = Said {
            context_window: node
                .get("context_window")
                .and_then(|n| reader.integer("context_window", n, 1024, 1 << 40)),
            max_output: node.get("max_output").and_then(|n| reader.integer("max_output", n, 1, 1 << 40)),
            tools: node.get("supports_tools").and_then(|n| reader.boolean("supports_tools", n)),
            image_input: node.get("image_input").and_then(|n| reader.boolean("image_input", n)),
            max_completion_tokens: node
                .get("max_completion_tokens")
                .and_then(|n| reader.boolean("max_completion_tokens", n)),
            short_call_ids: node.get("short_call_ids").and_then(|n| reader.boolean("short_call_ids", n)),
            cache_key: node.get("cache_key").and_then(|n| reader.boolean("cache_key", n)),
            ..Said::default()
        };
        said.efforts = node
            .get("effort")
            .and_then(|n| reader.strings("effort", n))
            .map(|list| list.into_iter().map(Arc::from).collect());
        said.reasoning_replay =
            node.get("reasoning_replay").and_then(|n| reader.string("reasoning_replay", n)).map(Arc::from);
        let thinking =
            node.get("thinking").and_then(|n| reader.choice("thinking", n, &["adaptive", "budget"]));
        said.thinking =
            thinking.map(|word| if word == "adaptive" { Thinking::Adaptive } else { Thinking::Budget });
        said.pricing = node.get("pricing").and_then(|n| self.pricing(n));
        said
    }

    fn pricing(&mut self, node: &Node) -> Option<Pricing> {
        let members = self.reader.object("pricing", node)?;
        members.iter().for_each(|m| self.near_key(m, &PRICES));
        let mut price = |key: &str| node.get(key).and_then(|n| self.reader.number(key, n));
        let input = price("input_per_million")?;
        let cache_write_5m = price("cache_write_5m_per_million").unwrap_or(input);
        Some(Pricing {
            input,
            output: price("output_per_million").unwrap_or(0.0),
            cache_read: price("cache_read_per_million").unwrap_or(input),
            cache_write_5m,
            cache_write_1h: price("cache_write_1h_per_million").unwrap_or(cache_write_5m),
        })
    }

    /// A secret has another place than this file.
    fn no_keys(&mut self, provider: &str, members: &[Member]) {
        const SECRETS: [&str; 6] = ["api_key", "apiKey", "api-key", "key", "token", "secret"];
        for member in members.iter().filter(|m| SECRETS.contains(&m.key.as_str())) {
            let why = format!(
                "{:?} is not read here: `/login {provider}` stores a key in auth.json, or \"api_key_env\" names the \
                 variable that holds it",
                member.key
            );
            self.reader.complain(member.at, why);
        }
    }

    /// A key that is nearly a known one is a slip; any other belongs to somebody else and is left alone.
    fn near_key(&mut self, member: &Member, known: &[&str]) {
        let unknown = !known.contains(&member.key.as_str());
        if unknown && nearest(&member.key, known.iter().copied()).is_some() {
            self.reader.unknown_key(member, known);
        }
    }
}

impl Said {
    fn apply(&self, info: &mut ModelInfo) {
        fn set<T: Clone>(slot: &mut T, said: &Option<T>) {
            if let Some(value) = said {
                *slot = value.clone();
            }
        }
        set(&mut info.context_window, &self.context_window);
        set(&mut info.max_output, &self.max_output);
        set(&mut info.tools, &self.tools);
        set(&mut info.image_input, &self.image_input);
        set(&mut info.efforts, &self.efforts);
        set(&mut info.quirks.thinking, &self.thinking);
        set(&mut info.quirks.max_completion_tokens, &self.max_completion_tokens);
        set(&mut info.quirks.short_call_ids, &self.short_call_ids);
        set(&mut info.quirks.cache_key, &self.cache_key);
        info.pricing = self.pricing.or(info.pricing);
        info.quirks.reasoning_replay = self.reasoning_replay.clone().or(info.quirks.reasoning_replay.take());
    }
}

/// What a local server's model list says of each model (`GET /models`), in any of the common shapes.
pub fn listed(provider: &ProviderInfo, body: &serde_json::Value) -> Vec<ModelInfo> {
    let list = body.get("data").or_else(|| body.get("models")).unwrap_or(body);
    let mut models: Vec<ModelInfo> = Vec::new();
    for entry in list.as_array().into_iter().flatten() {
        let id = entry.get("id").or_else(|| entry.get("name")).unwrap_or(entry).as_str().map(str::trim);
        let Some(id) = id.filter(|id| !id.is_empty()) else { continue };
        let reference = ModelRef { provider: provider.name.clone(), id: Arc::from(id) };
        if models.iter().any(|m| m.reference == reference) || id.contains("embed") {
            continue;
        }
        let window = [
            "/meta/n_ctx",
            "/meta/n_ctx_train",
            "/loaded_context_length",
            "/max_context_length",
            "/max_model_len",
            "/context_length",
            "/context_window",
        ];
        let window = window.iter().find_map(|path| entry.pointer(path)?.as_u64()).filter(|n| *n >= 1024);
        models.push(ModelInfo {
            context_window: window.unwrap_or(DEFAULT_WINDOW),
            ..ModelInfo::new(reference, provider.dialect, provider.base_url.clone())
        });
    }
    models
}
