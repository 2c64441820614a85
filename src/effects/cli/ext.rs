//! `e ext`: what people who write extensions need.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use super::args::ExtCommand;
use super::{print, refuse};
use crate::effects::ext_check::{Subject, check};
use crate::effects::home::{Home, said};
use crate::model::config::settings;

/// Does it; the exit status.
pub fn run(command: ExtCommand, home: &Home, env: &BTreeMap<String, String>) -> u8 {
    let ExtCommand::Check { path, json, settings: file, patience } = command;
    let config = match config(file.as_deref()) {
        Ok(config) => config,
        Err(why) => return refuse(2, &why),
    };
    let own = home.read("settings.json").ok().flatten().map(|text| settings::parse("settings.json", &text).0);
    let own = Value::Object(own.map(|settings| settings.extensions).unwrap_or_default());
    let patience = Duration::from_secs(patience);
    let stop = Arc::new(AtomicUsize::new(0));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // Without it, a signal only leaves the scratch folder behind.
        let _unheard = flag::register_usize(signal, stop.clone(), signal as usize);
    }
    match check(Subject { path: &path, env, config, own: &own, patience, stop: stop.clone() }) {
        _ if stop.load(Ordering::Relaxed) != 0 => 128 + stop.load(Ordering::Relaxed) as u8,
        Err(why) => refuse(2, &why),
        Ok(report) => {
            let text = if json { format!("{}\n", report.json()) } else { report.text() };
            let status = print(&text);
            if report.failed().is_empty() { status } else { 1 }
        }
    }
}

/// The `extensions` object of a settings file.
fn config(file: Option<&Path>) -> Result<Value, String> {
    let Some(file) = file else { return Ok(Value::Object(Default::default())) };
    let name = file.to_string_lossy();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{name}: {}", said(&error)))?;
    let (settings, complaints) = settings::parse(&name, &text);
    match complaints.first() {
        Some(complaint) => Err(complaint.to_string()),
        None => Ok(Value::Object(settings.extensions)),
    }
}
