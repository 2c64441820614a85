//! A question in the composer's place: title, message, and a list, two answers or a field.

use ratatui::layout::Rect;

use super::composer::{Drawn, field, rules};
use super::rows::Canvas;
use super::{Scene, picker, rect, sample};
use crate::model::text::clean::Clean;
use crate::model::text::row::{Attrs, Row, Span, Token};
use crate::model::text::wrap::{self, Wrap};
use crate::model::tui::geometry::{GUTTER, Regions};
use crate::model::tui::modal::{BESIDE, Field, Modal, Owner, Question, beside_yes};
use crate::model::tui::wrapped::Frame;

/// Paints the question and gives the cursor's cell.
pub fn paint(
    canvas: &mut Canvas<'_>,
    modal: &Modal,
    regions: Regions,
    scene: Scene<'_>,
) -> Option<(u16, u16)> {
    let area = rect(regions.composer);
    let mut left = Rows(area);
    // What is typed into or chosen from comes first when there is little room.
    let head = area.height.saturating_sub(least(&modal.question));
    let mut rows = vec![title(modal)];
    for line in &modal.message {
        rows.extend(wrap::text(line, Token::Plain, Wrap::words(area.width.into())));
    }
    rows.truncate(head.into());
    let top = left.take(rows.len() as u16);
    canvas.rows(top, rows.iter());
    let drawn = match &modal.question {
        Question::Select { list, filter } => {
            let line = left.take(1);
            let drawn = input(canvas, line, filter, scene);
            if modal.owner == Owner::Theme {
                sample::paint(canvas, &mut left.0);
            }
            picker::list(canvas, list, left.0, &modal.empty);
            drawn
        }
        Question::Confirm { message, yes } => {
            Drawn { cursor: answers(canvas, left.0, message, *yes), above: 0, below: 0 }
        }
        Question::Input(one) | Question::Editor(one) => input(canvas, left.0, one, scene),
    };
    rules(canvas, regions, Token::BorderAccent, &drawn);
    drawn.cursor
}

/// Rows the question itself can't do without.
fn least(question: &Question) -> u16 {
    match question {
        Question::Select { .. } | Question::Confirm { .. } => 2,
        Question::Input(_) | Question::Editor(_) => 1,
    }
}

/// What is left of an area, from the top.
struct Rows(Rect);

impl Rows {
    fn take(&mut self, height: u16) -> Rect {
        let height = height.min(self.0.height);
        let taken = Rect { height, ..self.0 };
        self.0.y += height;
        self.0.height -= height;
        taken
    }
}

fn title(modal: &Modal) -> Row {
    Row::from(Span::new(modal.title.clone(), Token::UserMessageText).attrs(Attrs::BOLD))
}

fn input(canvas: &mut Canvas<'_>, area: Rect, one: &Field, scene: Scene<'_>) -> Drawn {
    let gutter = if area.width > 2 * GUTTER { GUTTER } else { 0 };
    let text = Rect { x: area.x + gutter, width: area.width - gutter, ..area };
    let frame = Frame {
        columns: usize::from(text.width).max(1),
        tab: scene.tui.screen.tab.max(1),
        secret: one.secret,
    };
    let drawn = field(canvas, text, &one.draft, frame);
    if gutter > 0 && drawn.above == 0 {
        canvas.row(area, &Row::from(Span::decor("› ", Token::Accent).attrs(Attrs::BOLD)));
    }
    if one.draft.is_empty() {
        let hint = Row::from(Span::decor(one.placeholder.clone(), Token::Dim));
        canvas.row(text, &hint.ellipsis(text.width.into()));
    }
    drawn
}

/// `› Yes  message` over `No`, the cursor at the one chosen. Of a long message its last rows give way to the answers.
fn answers(canvas: &mut Canvas<'_>, area: Rect, message: &Clean, yes: bool) -> Option<(u16, u16)> {
    let mut beside = beside_yes(message, area.width.into());
    beside.truncate(usize::from(area.height).saturating_sub(1).max(1));
    let answer = |words: &'static str, chosen: bool| {
        let (token, look) =
            if chosen { (Token::UserMessageText, Attrs::BOLD) } else { (Token::Dim, Attrs::NONE) };
        let sign = Span::decor(if chosen { "› " } else { "  " }, Token::Accent);
        Row { fill: chosen.then_some(Token::SelectedBg), ..Row::from(sign) }
            .with(Span::new(Clean::from(words), token).attrs(look))
    };
    let mut rows: Vec<Row> = Vec::new();
    for (at, text) in beside.into_iter().enumerate() {
        let blank = Row { fill: yes.then_some(Token::SelectedBg), ..Row::empty() };
        let mut row = if at == 0 { answer("Yes", yes) } else { blank };
        row.push(Span::blanks(BESIDE.saturating_sub(row.width())));
        text.spans.into_iter().for_each(|span| row.push(span));
        rows.push(row);
    }
    let chosen = if yes { 0 } else { rows.len() as u16 };
    rows.push(answer("No", !yes));
    canvas.rows(area, &rows);
    (chosen < area.height && area.width > 2).then(|| (area.x + 2, area.y + chosen))
}
