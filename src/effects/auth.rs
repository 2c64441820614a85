//! API keys: `auth.json` first, then the provider's variable in the captured environment. Keys leave this house in a request's
//! header only.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use super::home::Home;
use super::home::edit::Change;
use super::secrets::Secrets;
use crate::model::config::complaint::Complaint;
use crate::model::config::jsonc::{Reader, parse};
use crate::model::provider::ProviderInfo;

/// The environment as it was at start. Keys are in it: whatever holds one must not print it.
pub type Env = Arc<BTreeMap<String, String>>;

const FILE: &str = "auth.json";

/// A key's value. Shown to nobody.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Arc<str>);

impl Key {
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Where a provider's key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Stored,
    Variable(Arc<str>),
}

/// What a request to a provider carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    Key(Key),
    /// It works without.
    Keyless,
    /// Nothing is there; the variable that could hold it.
    Missing {
        variable: Option<Arc<str>>,
    },
}

/// All keys of this process; clones share them.
#[derive(Clone)]
pub struct Auth {
    home: Home,
    env: Env,
    secrets: Secrets,
    state: Arc<RwLock<State>>,
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Auth(…)")
    }
}

#[derive(Default)]
struct State {
    stored: BTreeMap<String, Key>,
    providers: BTreeMap<Arc<str>, ProviderInfo>,
}

impl Auth {
    /// Reads `auth.json`; what is wrong in it is complained about and left out.
    pub fn load(home: &Home, env: Env, secrets: Secrets) -> (Self, Vec<Complaint>) {
        let auth = Auth { home: home.clone(), env, secrets, state: Arc::default() };
        let complaints = auth.reload();
        (auth, complaints)
    }

    /// Reads `auth.json` again.
    pub fn reload(&self) -> Vec<Complaint> {
        let (stored, complaints) = read(&self.home);
        for key in stored.values() {
            self.secrets.add(key.expose());
        }
        self.write_state(|state| state.stored = stored);
        complaints
    }

    /// Takes note of the providers there are; the values of their variables are secrets from now on.
    pub fn learn(&self, providers: &[ProviderInfo]) {
        for variable in providers.iter().filter_map(|p| p.key_env.as_deref()) {
            if let Some(value) = self.env.get(variable) {
                self.secrets.add(value);
            }
        }
        let table = providers.iter().map(|p| (p.name.clone(), p.clone())).collect();
        self.write_state(|state| state.providers = table);
    }

    /// The key for a provider, or why there is none.
    pub fn access(&self, provider: &str) -> Access {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let info = state.providers.get(provider);
        if let Some(key) = state.stored.get(provider) {
            return Access::Key(key.clone());
        }
        let variable = info.and_then(|i| i.key_env.clone());
        if let Some(key) = variable.as_deref().and_then(|v| self.variable(v)) {
            return Access::Key(key);
        }
        // A provider nobody declared is a user's own that is gone: asking without a key shows what it says.
        if info.is_none_or(|i| i.keyless) { Access::Keyless } else { Access::Missing { variable } }
    }

    /// Where the key that would be used comes from.
    pub fn source(&self, provider: &ProviderInfo) -> Option<Source> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if state.stored.contains_key(&*provider.name) {
            return Some(Source::Stored);
        }
        let variable = provider.key_env.clone()?;
        self.variable(&variable).map(|_| Source::Variable(variable))
    }

    /// Can this provider be asked?
    pub fn usable(&self, provider: &ProviderInfo) -> bool {
        provider.keyless || self.source(provider).is_some()
    }

    /// Stores a key (`/login`). Gives a notice when a corrupt file had to be moved aside.
    pub fn store(&self, provider: &str, key: &str) -> Result<Option<String>, String> {
        let key = key.trim();
        if key.is_empty() {
            return Err("the key is empty".into());
        }
        if !key.bytes().all(|b| b.is_ascii_graphic()) {
            return Err("a key has no spaces and only plain characters; check what was pasted".into());
        }
        self.secrets.add(key);
        let notice = self.home.edit(FILE, &[Change::set(&["providers", provider, "key"], key)])?;
        self.write_state(|state| drop(state.stored.insert(provider.to_owned(), Key(Arc::from(key)))));
        Ok(notice)
    }

    /// Forgets a stored key; false when there was none.
    pub fn remove(&self, provider: &str) -> Result<bool, String> {
        let (stored, _) = read(&self.home);
        let found = stored.contains_key(provider);
        if found {
            self.home.edit(FILE, &[Change::remove(&["providers", provider])])?;
        }
        self.write_state(|state| drop(state.stored.remove(provider)));
        Ok(found)
    }

    fn variable(&self, name: &str) -> Option<Key> {
        let value = self.env.get(name)?.trim();
        (!value.is_empty()).then(|| Key(Arc::from(value)))
    }

    fn write_state(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.write().unwrap_or_else(PoisonError::into_inner));
    }
}

fn read(home: &Home) -> (BTreeMap<String, Key>, Vec<Complaint>) {
    let mut stored = BTreeMap::new();
    let text = match home.read(FILE) {
        Ok(Some(text)) => text,
        Ok(None) => return (stored, Vec::new()),
        Err(why) => {
            let complaint = Complaint { file: FILE.into(), line: 1, column: 1, message: why.into() };
            return (stored, vec![complaint]);
        }
    };
    let root = match parse(FILE, text.as_bytes()) {
        Ok(root) => root,
        Err(complaint) => return (stored, vec![complaint]),
    };
    let mut reader = Reader::new(FILE);
    let providers = root.get("providers").and_then(|node| reader.object("providers", node));
    for member in providers.unwrap_or_default() {
        let name = &member.key;
        let Some(key) = member.value.get("key") else {
            reader.complain(member.at, format!("{name} has no \"key\""));
            continue;
        };
        if let Some(key) =
            reader.string(&format!("{name}'s key"), key).map(str::trim).filter(|k| !k.is_empty())
        {
            stored.insert(name.clone(), Key(Arc::from(key)));
        }
    }
    (stored, reader.finish())
}
