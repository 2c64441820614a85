//! `e auth` and `e providers`: where each key comes from and which models there are. No key is ever shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::effects::auth::{Auth, Source};
use crate::effects::catalog::{self, Catalog};
use crate::effects::home::Home;
use crate::effects::secrets::Secrets;
use crate::model::provider::ProviderInfo;

/// The providers as they are known without asking anybody.
#[derive(Debug)]
pub struct Known {
    pub catalog: Catalog,
    auth: Auth,
}

impl Known {
    pub fn load(home: &Home, env: &BTreeMap<String, String>) -> Known {
        let (auth, _complaints) = Auth::load(home, Arc::new(env.clone()), Secrets::default());
        Known { catalog: catalog::load(home, &auth), auth }
    }

    /// Those that a key is there for.
    pub fn with_key(&self) -> impl Iterator<Item = &ProviderInfo> {
        self.catalog.providers.iter().filter(|p| self.auth.source(p).is_some())
    }

    /// In words: where the key comes from, or what would give one.
    pub fn key(&self, provider: &ProviderInfo) -> String {
        match self.auth.source(provider) {
            Some(Source::Stored) => "key in auth.json".into(),
            Some(Source::Variable(name)) => format!("key in {name}"),
            None if provider.keyless => "needs no key".into(),
            None => match &provider.key_env {
                Some(name) => format!("no key: /login {}, or set {name}", provider.name),
                None => format!("no key: /login {}", provider.name),
            },
        }
    }

    /// `e auth`.
    pub fn keys(&self) -> String {
        let mut out = String::new();
        for provider in &self.catalog.providers {
            out += &format!("{:<14} {}\n", provider.name, self.key(provider));
        }
        out
    }

    /// `e providers`.
    pub fn list(&self) -> String {
        let mut out = String::new();
        for provider in &self.catalog.providers {
            let models = self.catalog.models.iter().filter(|m| m.reference.provider == provider.name);
            let names: Vec<&str> = models.map(|m| &*m.reference.id).collect();
            out += &format!(
                "{}  {}  {}\n  {}\n",
                provider.name,
                provider.dialect.name(),
                provider.base_url,
                self.key(provider)
            );
            out += &match names.as_slice() {
                [] if provider.discovered => "  models: asked of the server when it runs\n".to_owned(),
                [] => "  models: none listed; name one with -m\n".to_owned(),
                names => format!("  models: {}\n", names.join(", ")),
            };
        }
        out
    }
}
