//! Questions as lines: numbered choices, yes or no, a line of text; one at a time, answered by the next line that fits.

use super::{press, say};
use crate::model::session::Sessions;
use crate::model::text::clean::Clean;
use crate::model::tui::Tui;
use crate::model::tui::draft::Draft;
use crate::model::tui::lines::Lines;
use crate::model::tui::list::{Item, List};
use crate::model::tui::modal::{Field, Modal, Owner, Question};
use crate::update::tui::route::ModalOp;
use crate::update::{Cx, Out};

/// Choices that are read out at once.
const CHOICES: usize = 30;

/// Says the open question, once, and again when it is another.
pub fn question(tui: &Tui, lines: &mut Lines, out: &mut Out) {
    let Some(modal) = tui.modals.open() else { return lines.asked.clear() };
    let words = words(modal);
    if words != lines.asked {
        let text: Vec<&str> = words.iter().map(Clean::as_str).collect();
        say(lines, &text.join("\n"), out);
        lines.asked = words;
    }
}

fn words(modal: &Modal) -> Vec<Clean> {
    let head = match modal.asker.is_empty() {
        true => format!("Question: {}", modal.title),
        false => format!("Question of the extension {}: {}", modal.asker, modal.title),
    };
    let mut words = vec![Clean::vanish(&head)];
    words.extend(modal.message.iter().cloned());
    match &modal.question {
        Question::Select { list, .. } => choices(&mut words, modal, list),
        Question::Confirm { message, .. } => {
            words.extend((!message.is_empty()).then(|| message.clone()));
            words.push(Clean::from("Type y for yes or n for no. An empty line means no."));
        }
        Question::Input(field) | Question::Editor(field) => field_words(&mut words, field),
    }
    words
}

fn choices(words: &mut Vec<Clean>, modal: &Modal, list: &List) {
    if !list.query().is_empty() {
        words.push(Clean::vanish(&format!("What matches {}:", list.query())));
    }
    if list.total() == 0 {
        words.push(modal.empty.clone());
    }
    let numbered = list.matching().take(CHOICES).enumerate();
    words.extend(numbered.map(|(at, item)| Clean::vanish(&format!("{}. {}", at + 1, choice(item)))));
    let more = list.len().saturating_sub(CHOICES);
    if more > 0 {
        words.push(Clean::vanish(&format!("And {more} more; a part of a name narrows the list.")));
    }
    words.push(match modal.owner {
        Owner::Trust => Clean::from("Type a number or a name. An empty line leaves."),
        Owner::ScopedModel => Clean::from("Type a number or a name. An empty line is done."),
        _ => Clean::from("Type a number or a name. An empty line cancels."),
    });
}

fn choice(item: &Item) -> String {
    let mut text = item.label.to_string();
    for more in [&item.description, &item.right] {
        if !more.is_empty() {
            text += &format!(", {more}");
        }
    }
    if item.indent > 0 {
        text += &format!(", depth {}", item.indent);
    }
    text + if item.current { ", the current one" } else { "" }
}

fn field_words(words: &mut Vec<Clean>, field: &Field) {
    let how = match (field.draft.is_empty(), field.lines) {
        (true, false) => "Type the answer. An empty line cancels.",
        (true, true) => "Type the answer; a backslash at the end of a line goes on. An empty line cancels.",
        (false, false) => "Type another answer. An empty line takes this one, ctrl+c cancels.",
        (false, true) => {
            "Type another answer; a backslash at the end of a line goes on. An empty line takes this one, ctrl+c cancels."
        }
    };
    if !field.placeholder.is_empty() {
        words.push(field.placeholder.clone());
    }
    if !field.draft.is_empty() && !field.secret {
        words.push(Clean::vanish(&format!("It is now: {}", field.draft.text())));
    }
    if field.secret {
        words.push(Clean::from("What you type does not show."));
    }
    words.push(Clean::from(how));
}

/// A line was typed while a question is open.
pub fn answer(tui: &mut Tui, text: &str, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(modal) = tui.modals.open_mut() else { return };
    let op = match &mut modal.question {
        Question::Select { .. } => select(modal, text.trim()),
        Question::Confirm { .. } => match text.trim().to_lowercase().as_str() {
            "y" | "yes" => Ok(ModalOp::Say(true)),
            "n" | "no" | "" => Ok(ModalOp::Say(false)),
            _ => Err("Please type y for yes or n for no.".to_owned()),
        },
        Question::Input(field) | Question::Editor(field) => Ok(filled(field, text)),
    };
    match (op, &mut tui.lines) {
        (Ok(op), _) => press(tui, op, sessions, cx, out),
        (Err(words), Some(lines)) => {
            if !words.is_empty() {
                say(lines, &words, out);
            }
        }
        (Err(_), None) => {}
    }
}

/// A number of the list as it was read out, a name, or a part of some; with the words to say when it is no answer yet.
fn select(modal: &mut Modal, text: &str) -> Result<ModalOp, String> {
    let Question::Select { list, filter } = &mut modal.question else { return Ok(ModalOp::Cancel) };
    if text.is_empty() {
        return Ok(ModalOp::Cancel);
    }
    let same = |item: &Item| item.label.as_str().eq_ignore_ascii_case(text);
    let number = || text.trim_end_matches('.').parse::<usize>().ok()?.checked_sub(1);
    let named = list.matching().position(same);
    if let Some(at) = named.or_else(number) {
        if at >= list.len() {
            return Err(format!("There is no {text}: the numbers go from 1 to {}.", list.len()));
        }
        list.select(at);
        return Ok(ModalOp::Answer);
    }
    list.filter(text);
    let missed = list.is_empty();
    if missed {
        list.filter("");
    }
    filter.draft = Draft::of(list.query());
    // What matches is read out, with numbers of its own.
    Err(if missed { format!("Nothing matches {text}.") } else { String::new() })
}

fn filled(field: &mut Field, text: &str) -> ModalOp {
    match (text.is_empty(), field.draft.is_empty()) {
        (true, true) => ModalOp::Cancel,
        (true, false) => ModalOp::Answer,
        (false, _) => {
            field.draft = Draft::of(text);
            ModalOp::Answer
        }
    }
}
