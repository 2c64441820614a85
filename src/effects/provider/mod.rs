//! Asks providers: one task per stream, from request to last frame. It never asks again by itself after a failure, but for a
//! gateway that refuses an optional field; retries are the core's.

mod answer;
mod refusal;
pub mod veil;

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use self::answer::Answer;
use self::veil::Veil;
use super::auth::{Access, Auth};
use super::dialect::{self, Decoder, Leave, Wire, error};
use super::http::{Http, chain};
use super::script::Scripts;
use super::secrets::Secrets;
use crate::model::provider::{Cause, Dialect, Fault, ModelRef, Request, Stage, StreamMsg};

/// Everything that asking needs; shared by all sessions of the process.
#[derive(Debug)]
pub struct Providers {
    pub http: Http,
    pub auth: Auth,
    secrets: Secrets,
    scripts: Scripts,
    learned: Mutex<Learned>,
}

/// What this process found out about its providers.
#[derive(Debug, Default)]
struct Learned {
    leave: BTreeMap<ModelRef, Leave>,
    /// Notices that were given, so that each is given once.
    said: BTreeSet<(ModelRef, Arc<str>)>,
}

/// A stream that runs; dropping it ends it at once, and nothing is sent any more.
#[derive(Debug)]
#[must_use = "dropping it aborts the stream"]
pub struct Running(JoinHandle<()>);

impl Running {
    pub fn is_finished(&self) -> bool {
        self.0.is_finished()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Providers {
    pub fn new(http: Http, auth: Auth, secrets: Secrets, scripts: Scripts) -> Self {
        Providers { http, auth, secrets, scripts, learned: Mutex::default() }
    }

    /// Sends the request and every piece of its answer, loaded keys masked; the last is `Done` or `Failed`. Needs a tokio runtime.
    pub fn open(
        self: &Arc<Self>,
        request: Arc<Request>,
        send: impl Fn(StreamMsg) + Send + Sync + 'static,
    ) -> Running {
        let this = self.clone();
        let veil = Mutex::new(Veil::new(&this.secrets));
        let send = move |message| {
            veil.lock().unwrap_or_else(PoisonError::into_inner).pass(message, &send);
        };
        Running(tokio::spawn(async move {
            let result = match request.model.dialect {
                Dialect::Script => this.scripts.play(&request, &send).await,
                _ => this.stream(&request, &send).await,
            };
            if let Err(fault) = result {
                send(StreamMsg::Failed(fault));
            }
        }))
    }

    async fn stream(&self, request: &Request, send: &(impl Fn(StreamMsg) + Sync)) -> Result<(), Fault> {
        let model = &request.model.reference;
        let key = self.key(request)?;
        loop {
            let leave = self.learned().leave.get(model).cloned().unwrap_or_default();
            let wire = dialect::encode(request, &leave)?;
            if let Some(notice) = &wire.notice {
                self.say_once(model, notice.clone(), send);
            }
            let response = self.post(request, &wire, &key).await?;
            let status = response.status().as_u16();
            if response.status().is_success() {
                send(StreamMsg::Opened);
                let decoder = Decoder::new(request.model.dialect, model.clone(), wire.names);
                return Answer::new(request, response, decoder, self.http.timeouts).read(send).await;
            }
            let headers = response.headers().clone();
            let body = answer::error_body(response, self.http.timeouts.headers).await;
            match refusal::without(request, &leave, status, &body) {
                Some((next, notice)) => {
                    self.learned().leave.insert(model.clone(), next);
                    self.say_once(model, notice, send);
                }
                None => return Err(answer::refused(model, &request.model.base_url, status, &headers, &body)),
            }
        }
    }

    fn key(&self, request: &Request) -> Result<Option<(HeaderName, HeaderValue)>, Fault> {
        let who = &request.model.reference.provider;
        let fault = |text: String| error::fault(Cause::Auth, Stage::Authorization, text, "");
        match self.auth.access(who) {
            Access::Keyless => Ok(None),
            Access::Missing { variable } => {
                let variable = variable.map(|v| format!(", or set {v}")).unwrap_or_default();
                Err(fault(format!("There is no API key for {who}. Use /login {who}{variable}")))
            }
            Access::Key(key) => {
                let (name, value) = dialect::key_header(request.model.dialect, key.expose());
                let mut value = HeaderValue::from_str(&value).map_err(|_| {
                    fault(format!("The API key for {who} has characters that can't be sent. Use /login {who} to enter it again"))
                })?;
                value.set_sensitive(true);
                Ok(Some((HeaderName::from_static(name), value)))
            }
        }
    }

    async fn post(
        &self,
        request: &Request,
        wire: &Wire,
        key: &Option<(HeaderName, HeaderValue)>,
    ) -> Result<reqwest::Response, Fault> {
        let who = &request.model.reference.provider;
        let network =
            |summary: String, detail: &str| error::fault(Cause::Network, Stage::Request, summary, detail);
        let client = self
            .http
            .client(&request.model.base_url)
            .await
            .map_err(|e| network(format!("Can't make an HTTP client: {e}"), &e))?;
        let url = address(&request.model.base_url, &wire.path);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in &wire.headers {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(*name, value);
            }
        }
        headers.extend(key.clone());
        let body = serde_json::to_vec(&wire.body).unwrap_or_default();
        let limit = self.http.timeouts.headers;
        let sent = timeout(limit, client.post(&url).headers(headers).body(body).send()).await;
        match sent {
            Err(_) => Err(error::fault(
                Cause::Stalled,
                Stage::ResponseHeaders,
                format!(
                    "{who} did not answer within {} s. Try again, or choose another /model",
                    limit.as_secs()
                ),
                "",
            )),
            Ok(Ok(response)) => Ok(response),
            Ok(Err(e)) if e.is_builder() => Err(error::fault(
                Cause::Rejected,
                Stage::Request,
                format!("The address {url:?} of {who} can't be used. Correct base_url in models.json"),
                &chain(&e.without_url()),
            )),
            Ok(Err(e)) => {
                let detail = chain(&e.without_url());
                Err(network(format!("Can't reach {who} at {}: {}", host(&url), reason(&detail)), &detail))
            }
        }
    }

    fn say_once(&self, model: &ModelRef, notice: Arc<str>, send: &(impl Fn(StreamMsg) + Sync)) {
        if self.learned().said.insert((model.clone(), notice.clone())) {
            send(StreamMsg::Notice(notice));
        }
    }

    fn learned(&self) -> std::sync::MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The `base_url` with the dialect's path; a version that stands in both is taken once.
fn address(base: &str, path: &str) -> String {
    let base = base.trim().trim_end_matches('/');
    let path = if base.ends_with("/v1") { path.strip_prefix("/v1").unwrap_or(path) } else { path };
    format!("{base}{path}")
}

/// Scheme and host: an address may hold a password.
fn host(url: &str) -> String {
    match reqwest::Url::parse(url) {
        Ok(url) => match (url.host_str(), url.port()) {
            (Some(host), Some(port)) => format!("{}://{host}:{port}", url.scheme()),
            (Some(host), None) => format!("{}://{host}", url.scheme()),
            (None, _) => "its address".into(),
        },
        Err(_) => "its address".into(),
    }
}

/// A network error in words, with what to do.
fn reason(detail: &str) -> &'static str {
    let lower = detail.to_lowercase();
    let any = |words: &[&str]| words.iter().any(|w| lower.contains(w));
    if any(&["refused"]) {
        "the connection was refused. Is the server running, and is base_url right?"
    } else if any(&["dns", "lookup", "resolve", "name or service not known"]) {
        "its name was not found. Check the network connection and base_url"
    } else if any(&["certificate", "unknownissuer", "tls", "handshake"]) {
        "there is no trusted TLS connection. Check the system's certificates or the proxy"
    } else if any(&["proxy", "tunnel"]) {
        "the proxy did not connect. Check HTTPS_PROXY and HTTP_PROXY"
    } else if any(&["timed out", "deadline"]) {
        "the connection timed out. Check the network connection"
    } else if any(&["reset", "closed", "broken pipe", "incomplete"]) {
        "the connection was cut. Try again"
    } else {
        "the connection failed. Check the network connection"
    }
}

/// Runs a future for at most `limit`; `None` when it takes longer.
async fn within<T>(limit: std::time::Duration, future: impl Future<Output = T>) -> Option<T> {
    timeout(limit, future).await.ok()
}
