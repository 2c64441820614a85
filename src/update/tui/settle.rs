//! What holds after every change: the right screen, finished blocks on their way to scrollback, code asked for its
//! colours, the draft kept, the next question opened.

use super::{extras, pane, reading, settings, status, timers};
use crate::model::effect::{Effect, FilesFx, TermFx};
use crate::model::time::{At, Span};
use crate::model::tui::block::{Block, Body};
use crate::model::tui::shade::Question;
use crate::model::tui::{Awaiting, Due, Tui};
use crate::update::{Cx, Out};

/// A finished block waits this long for the colours of its code.
const COLOURS: Span = Span(200);
/// The draft is written this long after a change.
const KEEP: Span = Span(400);

pub fn settle(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    let free = tui.picker.is_none() && tui.reader.is_none();
    tui.modals.settle(free);
    extras::settle(tui, out);
    settings::profile(tui, cx);
    if tui.lines.is_some() {
        return;
    }
    settings::preview(tui, cx);
    pane::settle(tui, cx, out);
    reading::rewrap(tui, cx);
    screen(tui, cx, out);
    colours(tui, cx, out);
    prints(tui, cx, out);
    if tui.composer.draft.version() != tui.composer.kept {
        timers::ensure(&mut tui.pending, Due::KeepDraft, KEEP, cx, out);
    }
    status::tick(tui, cx, out);
}

/// Enters or leaves the alternate screen, and takes the mouse there alone.
fn screen(tui: &mut Tui, cx: &Cx<'_>, out: &mut Out) {
    let screen = &mut tui.screen;
    let alternate = screen.fullscreen || screen.reading || tui.reader.is_some() || tui.pane.is_some();
    if alternate != screen.alternate {
        screen.alternate = alternate;
        out.effect(Effect::Term(TermFx::Alternate(alternate)));
    }
    let mouse = alternate && cx.config.settings.mouse;
    if mouse != screen.mouse {
        screen.mouse = mouse;
        out.effect(Effect::Term(TermFx::Mouse(mouse)));
    }
}

/// Asks for the colours of code that is new, at most one question a code block at a time.
fn colours(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    for index in tui.transcript.uncoloured()..tui.transcript.blocks().len() {
        let transcript = &mut tui.transcript;
        let Some(block) = transcript.at_mut(index) else { break };
        let (id, done) = (block.id(), block.is_done());
        if done {
            scan(block);
        }
        let wanting = |block: &Block| block.codes().and_then(crate::model::tui::code::Codes::wanting);
        while let Some(code) = transcript.blocks().get(index).and_then(wanting) {
            let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Colours { block: id, code });
            let Some(Body::Text(prose)) = transcript.at_mut(index).map(Block::edit) else { break };
            let Some(code) = prose.codes.all.get_mut(code) else { break };
            code.asked = code.count;
            out.effect(Effect::Files(FilesFx::Highlight {
                ticket,
                language: code.language.clone(),
                text: code.source.as_str().into(),
                from_line: code.lines.len(),
            }));
        }
        // A block that is done may want once more, when its first colours are there.
        shades(tui, index, cx, out);
        let transcript = &mut tui.transcript;
        let awaiting = transcript.blocks().get(index).is_some_and(Block::awaits_colours);
        if done && !awaiting && index == transcript.uncoloured() {
            transcript.coloured_up_to(index + 1);
        }
    }
}

/// Blocks from the end of a conversation that was opened again whose diffs get their colours.
const RECENT: usize = 64;

/// Asks for the colours of a block's diffs, each once.
fn shades(tui: &mut Tui, index: usize, cx: &mut Cx<'_>, out: &mut Out) {
    let recent = index + RECENT >= tui.transcript.blocks().len();
    let Some(block) = tui.transcript.at_mut(index).filter(|_| recent) else { return };
    if !block.body().has_new_diff() {
        return;
    }
    let id = block.id();
    for Question { index, language, text } in block.edit().ask() {
        let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Colours { block: id, code: index });
        let text = text.into();
        out.effect(Effect::Files(FilesFx::Highlight { ticket, language, text, from_line: 0 }));
    }
}

/// Finds the code of a text of an earlier run, which was not scanned as it grew.
fn scan(block: &mut Block) {
    let Body::Text(prose) = block.body() else { return };
    if prose.codes.scanned() > 0 || prose.words.is_empty() {
        return;
    }
    if let Body::Text(prose) = block.edit() {
        let text = prose.text().into_owned();
        prose.codes.finish(text.as_str());
    }
}

/// Blocks that are done and above all that lives leave for scrollback, in order, each once.
fn prints(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    if tui.screen.fullscreen || tui.screen.alternate {
        return;
    }
    for id in tui.transcript.leaving() {
        out.effect(Effect::Term(TermFx::Print(id)));
    }
    while let Some(block) = tui.transcript.live().first() {
        let Some(done) = block.done_at() else { break };
        if tui.transcript.is_held(block.id()) {
            break;
        }
        if block.awaits_colours()
            && let Some(wait) = left(done, cx.now)
        {
            timers::ensure(&mut tui.pending, Due::Colours, wait, cx, out);
            break;
        }
        if let Some(id) = tui.transcript.print_next() {
            out.effect(Effect::Term(TermFx::Print(id)));
        }
    }
}

/// What is left of a block's wait.
fn left(done: At, now: At) -> Option<Span> {
    COLOURS.0.checked_sub(now.since(done).0).filter(|ms| *ms > 0).map(Span)
}

/// Writes the draft to disk as it is, or forgets it when it is empty.
pub fn keep_draft(tui: &mut Tui, cx: &Cx<'_>, out: &mut Out) {
    let composer = &mut tui.composer;
    // Lines are sent as they are typed: the draft that a screen has kept is not theirs to forget.
    if tui.lines.is_some() || composer.draft.version() == composer.kept {
        return;
    }
    composer.kept = composer.draft.version();
    let text = composer.draft.body().expanded();
    let draft = (!text.trim().is_empty()).then(|| text.into());
    out.effect(Effect::Files(FilesFx::KeepDraft { cwd: cx.boot.cwd.clone(), draft }));
}
