//! The models there are: the built-in data file, the user's `models.json` on top, and what local servers list when asked.

use std::sync::Arc;
use std::time::Duration;

use super::auth::{Access, Auth, Source};
use super::dialect;
use super::home::Home;
use super::http::Http;
use crate::model::config::complaint::Complaint;
use crate::model::provider::models::{Author, Table, listed, read};
use crate::model::provider::{ModelInfo, ProviderInfo};

const BUILT_IN: &str = include_str!("data/models.json");
pub const FILE: &str = "models.json";

/// How long a local server may take to list its models.
const PATIENCE: Duration = Duration::from_secs(2);

/// Everything known without asking anybody.
#[derive(Debug, Clone)]
pub struct Catalog {
    pub providers: Vec<ProviderInfo>,
    pub models: Arc<[Arc<ModelInfo>]>,
    pub complaints: Vec<Complaint>,
}

/// What is wrong in the person's file.
pub fn complaints(home: &Home) -> Vec<Complaint> {
    tables(home).1
}

/// Reads both files and tells `auth` which providers there are.
pub fn load(home: &Home, auth: &Auth) -> Catalog {
    let (table, complaints) = tables(home);
    auth.learn(&table.providers);
    let models = table.models.into_iter().map(|model| mark(model, &table.providers, auth));
    Catalog { models: models.collect(), providers: table.providers, complaints }
}

fn tables(home: &Home) -> (Table, Vec<Complaint>) {
    let mut table = Table::default();
    let mut complaints = read(&mut table, "built-in models", BUILT_IN.as_bytes(), Author::BuiltIn);
    match home.read(FILE) {
        Ok(Some(text)) => complaints.extend(read(&mut table, FILE, text.as_bytes(), Author::User)),
        Ok(None) => {}
        Err(why) => complaints.push(Complaint { file: FILE.into(), line: 1, column: 1, message: why.into() }),
    }
    (table, complaints)
}

/// A model can be asked when its provider can.
fn mark(mut model: ModelInfo, providers: &[ProviderInfo], auth: &Auth) -> Arc<ModelInfo> {
    let provider = providers.iter().find(|p| p.name == model.reference.provider);
    model.usable = provider.is_some_and(|p| auth.usable(p));
    model.stored = provider.is_some_and(|p| auth.source(p) == Some(Source::Stored));
    Arc::new(model)
}

/// The catalog's models and, after them, those that local servers answer with now. Servers that are not there are no error.
pub async fn with_local(catalog: &Catalog, http: &Http, auth: &Auth) -> Arc<[Arc<ModelInfo>]> {
    let asked = catalog.providers.iter().filter(|p| p.discovered).map(|p| list(p, http, auth));
    let found = futures_util::future::join_all(asked).await;
    let mut models = catalog.models.to_vec();
    for model in found.into_iter().flatten().flatten() {
        if !models.iter().any(|m| m.reference == model.reference) {
            models.push(Arc::new(model));
        }
    }
    models.into()
}

/// A provider's own list of models.
pub async fn list(provider: &ProviderInfo, http: &Http, auth: &Auth) -> Result<Vec<ModelInfo>, String> {
    let url =
        format!("{}{}", provider.base_url.trim_end_matches('/'), dialect::models_path(provider.dialect));
    let client = http.client(&url).await?;
    let mut request = client.get(url).timeout(PATIENCE);
    if let Access::Key(key) = auth.access(&provider.name) {
        let (name, value) = dialect::key_header(provider.dialect, key.expose());
        request = request.header(name, value);
    }
    let response = request.send().await.map_err(|e| e.without_url().to_string())?;
    if !response.status().is_success() {
        return Err(format!("{} answered {}", provider.name, response.status()));
    }
    let body = response.json().await.map_err(|e| e.without_url().to_string())?;
    let stored = auth.source(provider) == Some(Source::Stored);
    let models = listed(provider, &body).into_iter();
    Ok(models.map(|model| ModelInfo { stored, ..model }).collect())
}
