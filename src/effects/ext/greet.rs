//! Greeting all extensions only to hear what they declare: `initialize`, then `shutdown`, for help and for diagnostics.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, channel};
use tokio::time::{Instant, timeout_at};

use super::child::Job;
use super::dirs;
use super::flow::{self, Parcel};
use super::host::Host;
use crate::effects::home::{Home, said};
use crate::effects::secrets::Secrets;
use crate::effects::tool::Env;
use crate::model::config::settings;
use crate::model::ext::discover::{Found, Skipped};
use crate::model::ext::flags;
use crate::model::ext::world::{ExtMsg, Traffic};
use crate::model::id::{ExtId, Ticket};
use crate::model::text::clean::Clean;
use crate::model::wire::ext::{self as wire, Call, INITIALIZE_TIME, Incoming, Init, Manifest, Scope};

/// One extension, greeted.
#[derive(Debug)]
pub struct Greeted {
    pub found: Found,
    /// What it declares, or why it failed.
    pub manifest: Result<Manifest, String>,
    /// What is wrong with parts of its manifest.
    pub notices: Vec<String>,
    pub traffic: Traffic,
    /// Milliseconds until it answered.
    pub took: u64,
}

/// Everything in the home's `extensions/`.
#[derive(Debug, Default)]
pub struct Hall {
    pub all: Vec<Greeted>,
    pub skipped: Vec<Skipped>,
}

/// The id of the only request there is.
const CALL: u64 = 1;

/// Starts, greets and ends all of them. Blocks until they are reaped.
pub fn greet(home: &Home, env: &BTreeMap<String, String>, cwd: &Path) -> Hall {
    let (found, skipped) = dirs::look(home);
    if found.is_empty() {
        return Hall { all: Vec::new(), skipped };
    }
    let failed = |error: std::io::Error| {
        let why = format!("it could not be started: {}", said(&error));
        found.iter().map(|found| Greeted::failed(found, why.clone())).collect()
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_time().build() {
        Ok(runtime) => runtime,
        Err(error) => return Hall { all: failed(error), skipped },
    };
    let (core, parcels) = channel(flow::BACKLOG);
    let host = match Host::start(core, Secrets::default()) {
        Ok(host) => host,
        Err(error) => return Hall { all: failed(error), skipped },
    };
    let children: Env = env.iter().map(|(k, v)| (OsString::from(k), OsString::from(v))).collect();
    let children = Arc::new(children);
    let cwd: Arc<str> = cwd.to_string_lossy().into();
    let line: Arc<str> = Call::Initialize(init(home, cwd.clone())).line(CALL, &Scope::ONLY).into();
    for (ext, found) in ids(&found) {
        let env = Arc::clone(&children);
        host.spawn(ext, Job { path: found.path.clone(), cwd: cwd.clone(), env });
        host.send(ext, line.clone());
    }
    let all = runtime.block_on(hear(&host, parcels, &found));
    Hall { all, skipped }
}

fn ids(found: &[Found]) -> impl Iterator<Item = (ExtId, &Found)> {
    found.iter().enumerate().map(|(at, found)| (ExtId(at as u64), found))
}

/// What the handshake tells; help and diagnostics are read by somebody, so that is what it says.
fn init(home: &Home, cwd: Arc<str>) -> Init {
    let text = home.read("settings.json").ok().flatten().unwrap_or_default();
    let config = settings::parse("settings.json", &text).0.extensions;
    Init { ui: true, version: env!("CARGO_PKG_VERSION").into(), cwd, config: Arc::new(config.into()) }
}

async fn hear(host: &Host, mut parcels: Receiver<Parcel>, found: &[Found]) -> Vec<Greeted> {
    let began = Instant::now();
    let end = began + Duration::from_millis(INITIALIZE_TIME.0);
    let mut answers: BTreeMap<ExtId, Greeted> = BTreeMap::new();
    while answers.len() < found.len()
        && let Ok(Some(parcel)) = timeout_at(end, parcels.recv()).await
    {
        let (ext, answer) = match parcel.msg {
            ExtMsg::Said(ext, Incoming::Response(answer)) if answer.id == CALL => (ext, answer.result),
            ExtMsg::Over(ext, over) => (ext, Err(over.words().into())),
            _ => continue,
        };
        let Some(found) = found.get(ext.0 as usize) else { continue };
        let took = began.elapsed().as_millis() as u64;
        answers.entry(ext).or_insert_with(|| Greeted::of(found, answer, took));
    }
    host.measure(Ticket(0));
    let wait = Instant::now() + Duration::from_secs(1);
    while let Ok(Some(parcel)) = timeout_at(wait, parcels.recv()).await {
        if let ExtMsg::Measured { traffic, .. } = parcel.msg {
            for (ext, traffic) in traffic {
                if let Some(greeted) = answers.get_mut(&ext) {
                    greeted.traffic = traffic;
                }
            }
            break;
        }
    }
    host.finish().await;
    let late = format!("no answer to initialize within {} seconds", INITIALIZE_TIME.as_secs());
    let greeted = |(ext, found)| answers.remove(&ext).unwrap_or_else(|| Greeted::failed(found, late.clone()));
    ids(found).map(greeted).collect()
}

impl Greeted {
    fn of(found: &Found, answer: Result<serde_json::Value, Arc<str>>, took: u64) -> Greeted {
        let read = match answer {
            Ok(value) => wire::manifest(&value, &flags::OWN),
            Err(error) => Err(Clean::collapsed(&error).to_string()),
        };
        let (manifest, notices) = match read {
            Ok((manifest, notices)) => (Ok(manifest), notices),
            Err(why) => (Err(why), Vec::new()),
        };
        Greeted { found: found.clone(), manifest, notices, traffic: Traffic::default(), took }
    }

    fn failed(found: &Found, why: String) -> Greeted {
        let manifest = Err(why);
        Greeted { found: found.clone(), manifest, notices: Vec::new(), traffic: Traffic::default(), took: 0 }
    }
}
