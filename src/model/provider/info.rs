//! Facts about one model, and the name a person writes for it (`home.md`, Credentials and models).

use std::fmt;
use std::sync::Arc;

use super::usage::Usage;

/// How a provider's HTTP interface is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    OpenaiCompletions,
    OpenaiResponses,
    AnthropicMessages,
    GoogleGenerativeAi,
    /// The embedded scripted provider (`demo/tour`, `script/<path>`): no network.
    Script,
}

impl Dialect {
    /// The full name, or one of the short ones; `None` is a load error.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "openai-completions" | "completions" => Dialect::OpenaiCompletions,
            "openai-responses" | "responses" => Dialect::OpenaiResponses,
            "anthropic-messages" | "anthropic" => Dialect::AnthropicMessages,
            "google-generative-ai" | "google" => Dialect::GoogleGenerativeAi,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Dialect::OpenaiCompletions => "openai-completions",
            Dialect::OpenaiResponses => "openai-responses",
            Dialect::AnthropicMessages => "anthropic-messages",
            Dialect::GoogleGenerativeAi => "google-generative-ai",
            Dialect::Script => "script",
        }
    }
}

/// `provider/model`; the provider ends at the first slash, the id may hold more.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelRef {
    pub provider: Arc<str>,
    pub id: Arc<str>,
}

impl ModelRef {
    pub fn parse(text: &str) -> Option<Self> {
        let (provider, id) = text.trim().split_once('/')?;
        (!provider.is_empty() && !id.is_empty())
            .then(|| ModelRef { provider: Arc::from(provider), id: Arc::from(id) })
    }
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.id)
    }
}

/// Prices in dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pricing {
    pub input: f64,
    pub output: f64,
    pub cache_read: f64,
    pub cache_write_5m: f64,
    pub cache_write_1h: f64,
}

impl Pricing {
    /// The cost of a response in dollars.
    pub fn cost(&self, u: Usage) -> f64 {
        (u.input as f64 * self.input
            + u.output as f64 * self.output
            + u.cache_read as f64 * self.cache_read
            + u.cache_write_5m as f64 * self.cache_write_5m
            + u.cache_write_1h as f64 * self.cache_write_1h)
            / 1_000_000.0
    }
}

/// One model that can be asked. Holds no secret: keys are found by provider name in the effects layer.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelInfo {
    pub reference: ModelRef,
    pub dialect: Dialect,
    pub base_url: Arc<str>,
    /// Tokens the model can hold.
    pub context_window: u64,
    /// Most tokens of one reply; 0 when unknown, the provider then decides.
    pub max_output: u64,
    /// Reasoning effort levels, weakest first; empty when the model has none.
    pub efforts: Vec<Arc<str>>,
    pub image_input: bool,
    pub tools: bool,
    pub pricing: Option<Pricing>,
    /// A key, a variable or a keyless provider is at hand.
    pub usable: bool,
    /// The key is one that `/login` stored.
    pub stored: bool,
    pub quirks: Quirks,
}

impl ModelInfo {
    /// A model of which nothing is known but its address: tools, no images, no efforts.
    pub fn new(reference: ModelRef, dialect: Dialect, base_url: impl Into<Arc<str>>) -> Self {
        ModelInfo {
            reference,
            dialect,
            base_url: base_url.into(),
            context_window: DEFAULT_WINDOW,
            max_output: 0,
            efforts: Vec::new(),
            image_input: false,
            tools: true,
            pricing: None,
            usable: true,
            stored: false,
            quirks: Quirks::default(),
        }
    }
}

/// Assumed of a model that says nothing about its window.
pub const DEFAULT_WINDOW: u64 = 32_768;

/// How an `anthropic-messages` model is told to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Thinking {
    /// By a budget of tokens.
    #[default]
    Budget,
    /// By an effort word; the model decides how long.
    Adaptive,
}

/// Where a provider differs from the common form of its dialect; the default is the common form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Quirks {
    pub thinking: Thinking,
    /// The output limit is asked for as `max_completion_tokens`.
    pub max_completion_tokens: bool,
    /// The message field in which the provider wants its own reasoning back.
    pub reasoning_replay: Option<Arc<str>>,
    /// Call ids must be nine letters or digits.
    pub short_call_ids: bool,
    /// The session's id is sent so that its requests meet the same cache.
    pub cache_key: bool,
}

/// One provider: where it is and how its key is found. Holds no key.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderInfo {
    pub name: Arc<str>,
    pub base_url: Arc<str>,
    pub dialect: Dialect,
    /// The environment variable that may hold its key.
    pub key_env: Option<Arc<str>>,
    /// Works without a key (local servers, a user's own providers); a key is still sent when there is one.
    pub keyless: bool,
    /// Its models are whatever its server lists (Ollama, LM Studio, llama.cpp).
    pub discovered: bool,
}

/// The models known right now, and the one a session would start with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Catalog {
    pub models: Arc<[Arc<ModelInfo>]>,
    /// False until the first load: nothing may be called unknown yet.
    pub loaded: bool,
}

impl Catalog {
    pub fn find(&self, reference: &ModelRef) -> Option<&Arc<ModelInfo>> {
        self.models.iter().find(|m| m.reference == *reference)
    }
}
