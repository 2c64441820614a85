//! What to leave out when a provider refuses a request for an optional part of it; each part is left out once.

use std::sync::Arc;

use super::super::dialect::{Leave, image_keys};
use crate::model::provider::Request;
use crate::model::provider::history::{IdForm, ordered};

/// What the next request leaves out, and what the person is told; `None` when the refusal is about something else.
pub fn without(request: &Request, leave: &Leave, status: u16, body: &str) -> Option<(Leave, Arc<str>)> {
    if !matches!(status, 400 | 413 | 415 | 422) {
        return None;
    }
    let text = body.to_lowercase();
    let any = |words: &[&str]| words.iter().any(|w| text.contains(w));
    let who = &request.model.reference.provider;
    let mut next = leave.clone();
    let mut said = Vec::new();
    // A gateway that names no field is asked without all that it may not know.
    let unnamed = any(&[
        "unrecognized",
        "unknown field",
        "unknown parameter",
        "extra fields",
        "extra inputs",
        "unexpected keyword",
    ]);
    let named = any(&["stream_options", "include_usage", "reasoning_effort", "prompt_cache_key"]);
    let unnamed = unnamed && !named;
    if !leave.stream_options && (unnamed || any(&["stream_options", "include_usage"])) {
        next.stream_options = true;
        said.push("stream_options, so its token counts may be missing");
    }
    let has_effort = request.effort.is_some() && !request.model.efforts.is_empty();
    if has_effort
        && !leave.reasoning_effort
        && (unnamed || any(&["reasoning_effort", "reasoning effort", "reasoning.effort"]))
    {
        next.reasoning_effort = true;
        said.push("reasoning_effort, so it decides by itself how long to think");
    }
    if request.model.quirks.cache_key && !leave.cache_key && (unnamed || any(&["prompt_cache_key"])) {
        next.cache_key = true;
        said.push("prompt_cache_key");
    }
    if said.is_empty() && any(&["image", "vision", "multimodal", "media type", "media_type"]) {
        let turns = ordered(&request.messages, &request.model.reference, IdForm::Plain);
        next.images.extend(image_keys(&turns));
        if request.model.image_input && next.images != leave.images {
            let text = format!("{who} refused an image of this conversation; it is left out from now on");
            return Some((next, text.into()));
        }
        return None;
    }
    (!said.is_empty()).then(|| (next, format!("{who} does not know {}", said.join(", and ")).into()))
}
