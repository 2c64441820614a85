//! Markdown as HTML that can only show: raw HTML is text, addresses with dangerous schemes are emptied, images are links.

use std::fmt::Write as _;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::model::text::clean::Clean;

/// Text for between tags and inside quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// An address a page may lead to, escaped; empty for every scheme but the harmless ones.
pub fn address(address: &str) -> String {
    let address = Clean::collapsed(address);
    // Browsers pass over white space and control characters inside a scheme.
    let plain: String = address.as_str().chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    let scheme = match plain.find([':', '/', '?', '#']) {
        Some(at) if plain.as_bytes().get(at) == Some(&b':') => plain.get(..at).unwrap_or_default(),
        _ => return escape(address.as_str()),
    };
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" | "mailto" => escape(address.as_str()),
        _ => String::new(),
    }
}

/// Where a table's cell stands.
#[derive(Default)]
struct Table {
    columns: Vec<Alignment>,
    at: usize,
    head: bool,
}

/// Adds a whole Markdown text.
pub fn markdown(out: &mut String, text: &str) {
    let text = Clean::vanish(text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut table = Table::default();
    for event in Parser::new_ext(text.as_str(), options) {
        match event {
            Event::Start(tag) => open(out, tag, &mut table),
            Event::End(tag) => close(out, tag, &mut table),
            Event::Code(code) => {
                let _ = write!(out, "<code>{}</code>", shown(&code));
            }
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text) => *out += &shown(&text),
            Event::FootnoteReference(label) => {
                let _ = write!(out, "[^{}]", shown(&label));
            }
            Event::SoftBreak => out.push('\n'),
            Event::HardBreak => *out += "<br>\n",
            Event::Rule => *out += "<hr>\n",
            Event::TaskListMarker(done) => *out += if done { "☑ " } else { "☐ " },
        }
    }
}

/// What entities stand for was not in the cleaned text.
fn shown(text: &str) -> String {
    escape(Clean::vanish(text).as_str())
}

fn open(out: &mut String, tag: Tag<'_>, table: &mut Table) {
    match tag {
        Tag::Paragraph => *out += "<p>",
        Tag::Heading { level, .. } => {
            let _ = write!(out, "<{level}>");
        }
        Tag::BlockQuote(_) => *out += "<blockquote>\n",
        Tag::CodeBlock(CodeBlockKind::Fenced(info)) if !info.trim().is_empty() => {
            let language = info.split_whitespace().next().unwrap_or_default();
            let _ = write!(out, "<pre><code class=\"language-{}\">", shown(language));
        }
        Tag::CodeBlock(_) => *out += "<pre><code>",
        Tag::HtmlBlock => *out += "<p>",
        Tag::List(Some(start)) => {
            let _ = writeln!(out, "<ol start=\"{start}\">");
        }
        Tag::List(None) => *out += "<ul>\n",
        Tag::Item => *out += "<li>",
        Tag::Table(columns) => {
            *table = Table { columns, ..Table::default() };
            *out += "<table>\n";
        }
        Tag::TableHead => {
            (table.at, table.head) = (0, true);
            *out += "<tr>";
        }
        Tag::TableRow => {
            (table.at, table.head) = (0, false);
            *out += "<tr>";
        }
        Tag::TableCell => {
            let align = match table.columns.get(table.at) {
                Some(Alignment::Center) => " style=\"text-align:center\"",
                Some(Alignment::Right) => " style=\"text-align:right\"",
                Some(Alignment::Left | Alignment::None) | None => "",
            };
            table.at += 1;
            let _ = write!(out, "<{}{align}>", if table.head { "th" } else { "td" });
        }
        Tag::Emphasis => *out += "<em>",
        Tag::Strong => *out += "<strong>",
        Tag::Strikethrough => *out += "<del>",
        // A page that stands alone loads no image: it leads to it.
        Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
            let _ = write!(out, "<a rel=\"noreferrer\" href=\"{}\">", address(&dest_url));
        }
        Tag::FootnoteDefinition(_)
        | Tag::MetadataBlock(_)
        | Tag::DefinitionList
        | Tag::DefinitionListTitle
        | Tag::DefinitionListDefinition
        | Tag::Superscript
        | Tag::Subscript => {}
    }
}

fn close(out: &mut String, tag: TagEnd, table: &mut Table) {
    match tag {
        TagEnd::Paragraph | TagEnd::HtmlBlock => *out += "</p>\n",
        TagEnd::Heading(level) => {
            let _ = writeln!(out, "</{level}>");
        }
        TagEnd::BlockQuote(_) => *out += "</blockquote>\n",
        TagEnd::CodeBlock => *out += "</code></pre>\n",
        TagEnd::List(true) => *out += "</ol>\n",
        TagEnd::List(false) => *out += "</ul>\n",
        TagEnd::Item => *out += "</li>\n",
        TagEnd::Table => *out += "</table>\n",
        TagEnd::TableHead | TagEnd::TableRow => *out += "</tr>\n",
        TagEnd::TableCell => *out += if table.head { "</th>" } else { "</td>" },
        TagEnd::Emphasis => *out += "</em>",
        TagEnd::Strong => *out += "</strong>",
        TagEnd::Strikethrough => *out += "</del>",
        TagEnd::Link | TagEnd::Image => *out += "</a>",
        TagEnd::FootnoteDefinition
        | TagEnd::MetadataBlock(_)
        | TagEnd::DefinitionList
        | TagEnd::DefinitionListTitle
        | TagEnd::DefinitionListDefinition
        | TagEnd::Superscript
        | TagEnd::Subscript => {}
    }
}
