//! The HTTP client: made at first use from the captured environment, TLS with the system's roots, no redirects.

use std::time::Duration;

use reqwest::{Client, ClientBuilder, NoProxy, Proxy, redirect};
use tokio::sync::OnceCell;

use super::auth::Env;

/// How long each stage of a request may take.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    pub connect: Duration,
    /// From the start to the response's headers.
    pub headers: Duration,
    /// From one complete event, or keep-alive, to the next.
    pub event: Duration,
    /// For what may follow after a reply is whole.
    pub tail: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts {
            connect: Duration::from_secs(30),
            headers: Duration::from_secs(180),
            event: Duration::from_secs(180),
            tail: Duration::from_secs(3),
        }
    }
}

pub struct Http {
    env: Env,
    pub timeouts: Timeouts,
    client: OnceCell<Client>,
    /// For addresses without TLS: no certificates are read for it, so that a local server costs a start nothing.
    plain: OnceCell<Client>,
}

impl std::fmt::Debug for Http {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Http(…)")
    }
}

impl Http {
    pub fn new(env: Env, timeouts: Timeouts) -> Self {
        Http { env, timeouts, client: OnceCell::new(), plain: OnceCell::new() }
    }

    /// The client for an address: one with the system's certificates, and one without for plain addresses.
    pub async fn client(&self, url: &str) -> Result<Client, String> {
        // A proxy may speak TLS itself.
        let plain = url.starts_with("http://") && proxies(&self.env)?.is_empty();
        if plain {
            return self.plain.get_or_try_init(|| async { self.without_tls() }).await.cloned();
        }
        let made = self.client.get_or_try_init(|| async {
            // Reading the system's certificates takes milliseconds.
            let (env, connect) = (self.env.clone(), self.timeouts.connect);
            match tokio::task::spawn_blocking(move || build(&env, connect)).await {
                Ok(client) => client,
                Err(e) => Err(e.to_string()),
            }
        });
        made.await.cloned()
    }

    fn without_tls(&self) -> Result<Client, String> {
        provide_crypto();
        let none = rustls::RootCertStore::empty();
        let config = rustls::ClientConfig::builder().with_root_certificates(none).with_no_client_auth();
        let builder = builder(&self.env, self.timeouts.connect)?.tls_backend_preconfigured(config);
        builder.build().map_err(|e| chain(&e))
    }
}

fn provide_crypto() {
    // Somebody installed one before: as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

fn build(env: &Env, connect: Duration) -> Result<Client, String> {
    provide_crypto();
    let system = builder(env, connect)?.build();
    match system {
        Ok(client) => Ok(client),
        // A machine without certificates, as bare containers are.
        Err(_) => {
            builder(env, connect)?.tls_backend_preconfigured(own_roots()).build().map_err(|e| chain(&e))
        }
    }
}

fn builder(env: &Env, connect: Duration) -> Result<ClientBuilder, String> {
    let mut builder = Client::builder()
        .user_agent(concat!("e/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .referer(false)
        .connect_timeout(connect)
        .tcp_keepalive(Duration::from_secs(30))
        .http2_adaptive_window(true)
        // The proxies come from the captured environment, not from the process's own.
        .no_proxy();
    for proxy in proxies(env)? {
        builder = builder.proxy(proxy);
    }
    Ok(builder)
}

fn own_roots() -> rustls::ClientConfig {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let mut config = rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}

fn proxies(env: &Env) -> Result<Vec<Proxy>, String> {
    let value = |names: &[&str]| {
        names.iter().find_map(|n| {
            env.get(*n).map(|v| v.trim()).filter(|v| !v.is_empty()).map(|v| (n.to_string(), v.to_owned()))
        })
    };
    let except = value(&["no_proxy", "NO_PROXY"]).and_then(|(_, list)| NoProxy::from_string(&list));
    // HTTP_PROXY in capitals can be set by a web request where this runs under CGI.
    let http: &[&str] =
        if env.contains_key("REQUEST_METHOD") { &["http_proxy"] } else { &["http_proxy", "HTTP_PROXY"] };
    let (http, https) = (value(http), value(&["https_proxy", "HTTPS_PROXY"]));
    // What both others cover needs no third.
    let all = value(&["all_proxy", "ALL_PROXY"]).filter(|_| http.is_none() || https.is_none());
    let mut proxies = Vec::new();
    for (found, make) in [
        (http, Proxy::http::<String> as fn(String) -> reqwest::Result<Proxy>),
        (https, Proxy::https::<String>),
        (all, Proxy::all::<String>),
    ] {
        if let Some((name, url)) = found {
            let url = if url.contains("://") { url } else { format!("http://{url}") };
            let known = reqwest::Url::parse(&url).is_ok_and(|u| matches!(u.scheme(), "http" | "https"));
            let proxy = make(url).ok().filter(|_| known);
            let proxy =
                proxy.ok_or_else(|| format!("the variable {name} is not the address of an HTTP proxy"))?;
            proxies.push(proxy.no_proxy(except.clone()));
        }
    }
    Ok(proxies)
}

/// An error and its causes, outermost first, without the address.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        if words.last().is_none_or(|last| !last.contains(&text)) {
            words.push(text);
        }
        next = error.source();
    }
    words.join(": ")
}
