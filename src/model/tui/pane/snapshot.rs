//! Rows of a pane as they are sent to the model: whole lines of the source under the names of pane and section
//! (`extensions-notes.md` 17, "Snapshot").

use std::ops::Range;

use crate::model::text::clean::Clean;
use crate::model::text::diff::{Diff, Kind};
use crate::model::tui::code::fence;
use crate::model::tui::draft::{Attachment, Fragment};

use super::Pane;
use super::section::{Content, Section};

/// Characters of a title in a marker.
const TITLE: usize = 36;
/// Digits of a line number before its column grows.
const DIGITS: usize = 5;

/// The marker for the selected rows of the section with the keys, or for the one under the cursor; none where there is
/// nothing.
pub fn snapshot(pane: &Pane) -> Option<Fragment> {
    let section = pane.section()?;
    let (count, body) = selected(section)?;
    let title = if section.title.is_empty() { &pane.title } else { &section.title };
    let plural = if count == 1 { "" } else { "s" };
    let label = Clean::collapsed(&format!("[{}, {count} line{plural}]", title.chars(TITLE)));
    let head = match section.title.is_empty() {
        true => pane.title.to_string(),
        false => format!("{} ({})", pane.title, section.title),
    };
    let text = format!("{head}\n{body}");
    Some(Fragment::mark(label.as_str(), Attachment::Snapshot(text.into())))
}

/// How many lines, and what they say.
fn selected(section: &Section) -> Option<(usize, String)> {
    if section.is_empty() {
        return None;
    }
    let rows = section.selection().unwrap_or(section.cursor()..section.cursor() + 1);
    match &section.content {
        Content::List(_) => None,
        Content::Diff(sheet) => {
            let rows = rows.start + sheet.skipped..rows.end + sheet.skipped;
            Some((rows.len(), of_diff(&sheet.diff, rows)))
        }
        Content::Rows(all) => {
            let lines: Vec<String> = all.get(rows)?.iter().map(|row| row.plain()).collect();
            Some((lines.len(), lines.join("\n")))
        }
        Content::Text(body) => Some(of_text(body, section.source_lines(rows), false)),
        Content::Markdown { body, .. } => Some(of_text(body, section.source_lines(rows), true)),
    }
}

fn of_text(body: &Clean, lines: Range<usize>, trimmed: bool) -> (usize, String) {
    let mut lines: Vec<&str> = body.as_str().lines().skip(lines.start).take(lines.len()).collect();
    // What lies between two blocks belongs to neither, nor does the end of a fence that began before.
    let is_fence = |line: &&str| fence(line.trim_start()).is_some();
    let fences = lines.iter().filter(|line| is_fence(line)).count();
    let mut over = !fences.is_multiple_of(2);
    while trimmed && lines.len() > 1 {
        match lines.last() {
            Some(line) if line.trim().is_empty() => {}
            Some(line) if over && is_fence(line) => over = false,
            _ => break,
        }
        lines.pop();
    }
    (lines.len(), lines.join("\n"))
}

/// Numbered rows, each under its file's path.
fn of_diff(diff: &Diff, rows: Range<usize>) -> String {
    let digits = DIGITS.max(diff.highest.max(1).ilog10() as usize + 1);
    let mut lines = Vec::new();
    let mut file = None;
    for row in diff.rows.get(rows).unwrap_or_default() {
        let path = || diff.files.get(row.file).map(|file| file.name.to_string()).unwrap_or_default();
        let named = matches!(row.kind, Kind::File | Kind::Blank);
        if !named && file != Some(row.file) && !path().is_empty() {
            lines.push(path());
        }
        if row.kind != Kind::Blank {
            file = Some(row.file);
        }
        lines.push(match row.kind {
            Kind::File => {
                let notes = diff.files.get(row.file).map(|file| file.notes.as_slice()).unwrap_or_default();
                let notes: String = notes.iter().map(|note| format!("  {note}")).collect();
                format!("{}{notes}", row.text)
            }
            Kind::Blank => String::new(),
            Kind::Gap => format!("{:>digits$} ⋯ {}", "", row.text).trim_end().to_owned(),
            Kind::Plain => row.text.to_string(),
            Kind::Context | Kind::Added | Kind::Removed | Kind::NoNewline => {
                let number = row.number().map(|number| number.to_string()).unwrap_or_default();
                let columns = row.signs.len().max(1);
                format!("{number:>digits$} {:<columns$} {}", row.signs.as_str(), row.text)
            }
        });
    }
    lines.join("\n")
}
