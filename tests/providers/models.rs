//! `models.json`: what is built in, what people write, what they get wrong, and the model that a typed name means.

use std::sync::Arc;

use e::effects::auth::Auth;
use e::effects::catalog::{self, Catalog};
use e::effects::home::Home;
use e::effects::http::{Http, Timeouts};
use e::effects::secrets::Secrets;
use e::model::provider::models::{Author, Table, read};
use e::model::provider::resolve::resolve;
use e::model::provider::{Dialect, ModelInfo, ModelRef, Pricing};

use super::server::{Server, answer};
use super::wire::{env, runtime};

fn home_with(models: &str) -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("models.json"), models).unwrap();
    let home = Home::at(dir.path(), dir.path());
    (dir, home)
}

fn load(models: &str, pairs: &[(&str, &str)]) -> Catalog {
    let (_dir, home) = home_with(models);
    let (auth, _) = Auth::load(&home, env(pairs), Secrets::default());
    catalog::load(&home, &auth)
}

fn find<'a>(catalog: &'a Catalog, name: &str) -> &'a ModelInfo {
    let reference = ModelRef::parse(name).unwrap();
    catalog.models.iter().find(|m| m.reference == reference).unwrap_or_else(|| panic!("no {name}"))
}

fn said(catalog: &Catalog) -> Vec<String> {
    catalog.complaints.iter().map(ToString::to_string).collect()
}

#[test]
fn the_built_in_models_are_whole_and_usable_by_their_variables() {
    let variables = [
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "XAI_API_KEY",
        "GROQ_API_KEY",
        "MISTRAL_API_KEY",
        "DEEPSEEK_API_KEY",
        "CEREBRAS_API_KEY",
        "OPENROUTER_API_KEY",
        "TOGETHER_API_KEY",
        "FIREWORKS_API_KEY",
    ];
    let none = load("{}", &[]);
    assert_eq!(said(&none), [] as [String; 0]);
    assert!(none.models.iter().all(|m| !m.usable));
    let mut seen = std::collections::BTreeSet::new();
    for model in none.models.iter() {
        assert!(seen.insert(model.reference.clone()), "{} twice", model.reference);
        assert!(model.max_output > 0 && model.max_output < model.context_window, "{}", model.reference);
        assert!(model.pricing.is_some_and(|p| p.output > 0.0), "{}", model.reference);
    }
    for variable in variables {
        let provider = none.providers.iter().find(|p| p.key_env.as_deref() == Some(variable)).unwrap();
        let one = load("{}", &[(variable, "some-key-value")]);
        for model in one.models.iter() {
            assert_eq!(
                model.usable,
                model.reference.provider == provider.name,
                "{variable} {}",
                model.reference
            );
        }
    }
    assert_eq!(none.providers.iter().filter(|p| p.discovered).count(), 3);
}

#[test]
fn the_example_of_the_contract_is_read_with_mark_comments_and_trailing_commas() {
    let text = "\u{feff}// mine\n{\"providers\": {\"local\": {\"base_url\": \"http://localhost:8080/v1/\", \"api\": \"completions\",\n\
        \"context_window\": 64000, \"supports_tools\": false, \"image_input\": false, \"x_note\": 1,\n\
        \"models\": [\"small\", /* big one */ {\"id\": \"big\", \"context_window\": 1000000, \"max_output\": 32000,\n\
        \"effort\": [\"low\", \"high\"], \"image_input\": true, \"pricing\": {\"input_per_million\": 1.0, \"output_per_million\": 4.0,\n\
        \"cache_read_per_million\": 0.1, \"cache_write_5m_per_million\": 1.25, \"cache_write_1h_per_million\": 2.0,},},]}}}";
    let catalog = load(text, &[]);
    assert_eq!(said(&catalog), [] as [String; 0]);
    let small = find(&catalog, "local/small");
    assert_eq!((small.context_window, small.tools, small.usable, small.max_output), (64_000, false, true, 0));
    assert_eq!((&*small.base_url, small.dialect), ("http://localhost:8080/v1", Dialect::OpenaiCompletions));
    let big = find(&catalog, "local/big");
    assert_eq!(
        (big.context_window, big.max_output, big.image_input, big.tools),
        (1_000_000, 32_000, true, false)
    );
    assert_eq!(big.efforts, ["low".into(), "high".into()] as [Arc<str>; 2]);
    let price =
        Pricing { input: 1.0, output: 4.0, cache_read: 0.1, cache_write_5m: 1.25, cache_write_1h: 2.0 };
    assert_eq!(big.pricing, Some(price));
}

#[test]
fn an_entry_for_a_built_in_inherits_what_it_leaves_unsaid() {
    let before = load("{}", &[]);
    let catalog = load(
        r#"{"providers": {"anthropic": {"models": [{"id": "claude-haiku-4-5", "context_window": 50000}, "claude-new"]},
            "openai": {"base_url": "https://proxy.corp/v1", "api_key_env": "CORP_KEY"}}}"#,
        &[("CORP_KEY", "abcdefgh")],
    );
    assert_eq!(said(&catalog), [] as [String; 0]);
    let (old, new) =
        (find(&before, "anthropic/claude-haiku-4-5"), find(&catalog, "anthropic/claude-haiku-4-5"));
    assert_eq!(new, &ModelInfo { context_window: 50_000, ..old.clone() });
    assert_eq!(catalog.models.len(), before.models.len() + 1);
    let added = find(&catalog, "anthropic/claude-new");
    assert_eq!((added.dialect, &added.base_url), (Dialect::AnthropicMessages, &old.base_url));
    let gpt = find(&catalog, "openai/gpt-5");
    assert_eq!(
        (&*gpt.base_url, gpt.usable, gpt.context_window),
        ("https://proxy.corp/v1", true, find(&before, "openai/gpt-5").context_window)
    );
}

#[test]
fn a_key_in_the_models_file_is_told_its_right_place() {
    let text = "{\"providers\": {\"local\": {\n  \"api_key\": \"sk-hidden-value\",\n  \"base_url\": \"http://x\",\n  \
                \"models\": [{\"id\": \"m\", \"token\": \"sk-hidden-value\"}]}}}";
    let said = said(&load(text, &[]));
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("models.json:2:3: \"api_key\" is not read here: `/login local`"), "{said:?}");
    assert!(said[0].contains("\"api_key_env\"") && said[1].starts_with("models.json:4:"), "{said:?}");
    assert!(!said.concat().contains("hidden"));
}

#[test]
fn wrong_values_cost_their_place_alone_and_name_it() {
    let text = r#"{"providers": {
  "a": {"base_url": "http://x", "context_window": "big", "image_inptu": true, "models": ["m", 7, {"idd": "q"}, {"id": "n", "max_output": -1, "effort": "high"}]},
  "b": {"api": "openai-complections", "base_url": "http://x", "models": ["m"]},
  "c": {"models": ["m"]},
  "antrhopic": {},
  "d": {"base_url": "x.example", "models": ["m"]},
  "e/f": {"base_url": "http://x"},
  "g": {"base_url": "http://x", "models": [{"id": "ok", "pricing": {"input_per_million": "1"}, "context_window": 9000}]}
}}"#;
    let catalog = load(text, &[]);
    assert_eq!(
        said(&catalog),
        [
            "models.json:2:58: unknown key \"image_inptu\"; did you mean \"image_input\"?",
            "models.json:2:51: context_window must be a whole number from 1024 to 1099511627776, not \"big\"",
            "models.json:2:95: a model must be its id, or an object with \"id\", not 7",
            "models.json:2:99: unknown key \"idd\"; did you mean \"id\"?",
            "models.json:2:98: a model needs an \"id\"",
            "models.json:2:138: max_output must be a whole number from 1 to 1099511627776, not -1",
            "models.json:2:152: effort must be a list, not \"high\"",
            "models.json:3:16: api must be \"openai-completions\", \"openai-responses\", \"anthropic-messages\", \"google-generative-ai\", \
             \"completions\", \"responses\", \"anthropic\" or \"google\", not \"openai-complections\"; did you mean \"openai-completions\"?",
            "models.json:4:3: the new provider \"c\" needs a \"base_url\"",
            "models.json:5:3: the new provider \"antrhopic\" needs a \"base_url\", or did you mean the provider \"anthropic\"?",
            "models.json:6:21: base_url must be an address that begins with http:// or https://, not \"x.example\"",
            "models.json:7:3: \"e/f\" can't be a provider's name",
            "models.json:8:90: input_per_million must be a number that is not negative, not \"1\"",
        ]
    );
    assert!(find(&catalog, "a/m").usable && find(&catalog, "a/n").efforts.is_empty());
    assert_eq!((find(&catalog, "g/ok").context_window, find(&catalog, "g/ok").pricing), (9000, None));
    assert!(catalog.models.iter().all(|m| !matches!(&*m.reference.provider, "b" | "c" | "d")));
    // The whole file wrong: the built-in ones are still there.
    let broken = load("{\"providers\": ", &[]);
    assert_eq!(broken.complaints.len(), 1);
    assert!(broken.models.len() > 20);
    assert_eq!(said(&load("[]", &[])), ["models.json:1:1: models.json must be an object, not a list"]);
}

#[test]
fn local_servers_are_listed_when_asked_and_their_absence_is_no_error() {
    let list = r#"{"data": [{"id": "qwen3", "meta": {"n_ctx_train": 40960}}, {"id": "nomic-embed"}, {"id": "qwen3"}, {"no": 1}, {"id": "llama"}]}"#;
    let server = Server::start(vec![answer(200, "content-type: application/json\r\n", list)]);
    let text = format!(
        "{{\"providers\": {{\"ollama\": {{\"base_url\": \"{}/v1\"}}, \"lmstudio\": {{\"base_url\": \"http://127.0.0.1:9\"}},\
         \"llamacpp\": {{\"base_url\": \"{}/v1\", \"models\": [{{\"id\": \"qwen3\", \"context_window\": 5000}}]}}}}}}",
        server.base, server.base
    );
    let (_dir, home) = home_with(&text);
    let (auth, _) = Auth::load(&home, env(&[]), Secrets::default());
    let catalog = catalog::load(&home, &auth);
    let http = Http::new(env(&[]), Timeouts::default());
    let models = runtime().block_on(catalog::with_local(&catalog, &http, &auth));
    let found: Vec<String> =
        models.iter().filter(|m| m.usable).map(|m| format!("{} {}", m.reference, m.context_window)).collect();
    assert_eq!(
        found,
        ["llamacpp/qwen3 5000", "ollama/qwen3 40960", "ollama/llama 32768", "llamacpp/llama 32768"]
    );
    assert_eq!(server.requests()[0].path, "/v1/models");
}

fn models(names: &[(&str, bool)]) -> Vec<Arc<ModelInfo>> {
    let make = |(name, usable): &(&str, bool)| {
        Arc::new(ModelInfo { usable: *usable, ..super::request::model(name, Dialect::OpenaiCompletions) })
    };
    names.iter().map(make).collect()
}

#[test]
fn a_typed_name_finds_its_model_or_what_is_near() {
    let list = models(&[
        ("anthropic/claude-sonnet-5", true),
        ("anthropic/claude-opus-4-7", true),
        ("openai/gpt-5", false),
        ("openai/gpt-5-mini", false),
        ("openrouter/openai/gpt-5", true),
        ("ollama/qwen3:8b", true),
    ]);
    let found = |typed: &str| resolve(&list, typed).map(|m| m.reference.to_string());
    for (typed, name) in [
        ("anthropic/claude-sonnet-5", "anthropic/claude-sonnet-5"),
        (" Anthropic/Claude-Sonnet-5 ", "anthropic/claude-sonnet-5"),
        ("claude-opus-4-7", "anthropic/claude-opus-4-7"),
        ("sonnet", "anthropic/claude-sonnet-5"),
        ("opus 4-7", "anthropic/claude-opus-4-7"),
        ("qwen3", "ollama/qwen3:8b"),
        ("openai/gpt-5", "openai/gpt-5"),
        // Of several by that name, the one that can be asked.
        ("gpt-5", "openrouter/openai/gpt-5"),
        ("gpt-5-mini", "openai/gpt-5-mini"),
        ("demo/tour", "demo/tour"),
        ("script//tmp/x.json", "script//tmp/x.json"),
    ] {
        assert_eq!(found(typed), Ok(name.to_owned()), "{typed}");
    }
    assert_eq!(resolve(&list, "script/a/b.json").unwrap().dialect, Dialect::Script);
    let doubt = found("claude").unwrap_err();
    assert!(doubt.contains("claude-sonnet-5, anthropic/claude-opus-4-7"), "{doubt}");
    assert_eq!(
        found("anthropic/claude-sonet-5").unwrap_err(),
        "there is no model \"anthropic/claude-sonet-5\"; did you mean anthropic/claude-sonnet-5?"
    );
    assert!(found("anthropic/zzz").unwrap_err().contains("it has anthropic/claude-sonnet-5"));
    assert!(found("zzz").unwrap_err().contains("/model"));
    assert!(found(" ").is_err());
}

#[test]
fn built_in_and_user_files_are_read_by_one_reader() {
    let mut table = Table::default();
    assert_eq!(
        read(
            &mut table,
            "f",
            b"{\"providers\": {\"x\": {\"base_url\": \"http://x\", \"models\": [\"m\"]}}}",
            Author::BuiltIn
        ),
        []
    );
    assert!(!table.providers[0].keyless, "a built-in provider needs a key");
    assert_eq!(
        read(
            &mut table,
            "f",
            b"{\"providers\": {\"y\": {\"base_url\": \"http://y\", \"models\": [\"m\"]}}}",
            Author::User
        ),
        []
    );
    assert!(table.providers[1].keyless, "a user's own does not");
}
