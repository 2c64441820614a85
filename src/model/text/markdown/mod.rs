//! Markdown to rows at a width. Top-level blocks are independent but for the link definitions before them, so that
//! a streamed text can be rendered in two parts: what can never change again, and the rest. The text is that of a
//! `Clean`; what entities in it stand for is cleaned again.

mod block;
mod grow;
mod inline;
mod stream;
mod table;

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, Parser, Tag, TagEnd};

use self::block::Renderer;
use super::clean::Clean;
use super::row::{Row, Token};
use super::width::TAB;

pub use self::grow::{Growing, Rows};
pub use self::stream::{Progress, safe_prefix};

/// How to render.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Columns of a row, at least 1.
    pub width: usize,
    /// Columns between tab stops.
    pub tab: usize,
    /// The token of plain prose.
    pub base: Token,
    /// Whether a link whose text is not its address shows the address behind it: for terminals without hyperlinks.
    pub urls: bool,
    /// Whether more text may come: what is half written at the end shows as it will most likely look when it is whole.
    pub streaming: bool,
}

impl Options {
    /// Whole text in the text colour, with addresses shown.
    pub fn new(width: usize) -> Self {
        Self { width, tab: TAB, base: Token::Text, urls: true, streaming: false }
    }
}

/// Colours of code, found elsewhere and later.
pub trait CodeColours {
    /// The coloured byte ranges of a line of a code block, in order, if they are known. `block` is the block's
    /// ordinal in the text, `line` counts from 0; both and the line's text are those of [`code_blocks`].
    fn line(&self, block: usize, language: &str, line: usize) -> Option<&[(Range<usize>, Token)]>;

    /// Whether nothing about a line's colours will change while the text grows.
    fn is_final(&self, _block: usize, _line: usize) -> bool {
        false
    }
}

/// No colours.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uncoloured;

impl CodeColours for Uncoloured {
    fn line(&self, _: usize, _: &str, _: usize) -> Option<&[(Range<usize>, Token)]> {
        None
    }

    fn is_final(&self, _: usize, _: usize) -> bool {
        true
    }
}

/// What a part of a text leaves to the part behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carry {
    /// Whether there were rows, so that a blank one goes first.
    rows: bool,
    /// Code blocks so far.
    code: usize,
    /// Link targets by folded label; the first definition of a label counts.
    links: BTreeMap<String, String>,
}

impl Carry {
    fn define(&mut self, label: String, target: String) {
        self.links.entry(label).or_insert(target);
    }
}

/// The rows of a whole text.
pub fn render(md: &str, options: Options, code: &dyn CodeColours) -> Vec<Row> {
    render_part(md, options, code, &mut Carry::default())
}

/// The rows of a whole text, each with the line of the text that what it shows begins in.
pub fn render_lines(md: &str, options: Options, code: &dyn CodeColours) -> (Vec<Row>, Vec<usize>) {
    let carry = &mut Carry::default();
    let (rows, places, _) = rendered(md, options, code, carry).finish_with_places();
    let ends: Vec<usize> = md.match_indices('\n').map(|(at, _)| at).collect();
    let lines = places.into_iter().map(|place| ends.partition_point(|end| *end < place)).collect();
    (rows, lines)
}

/// The rows of a part of a text that begins where `safe_prefix` ended; `carry` comes from the parts before.
pub fn render_part(md: &str, options: Options, code: &dyn CodeColours, carry: &mut Carry) -> Vec<Row> {
    let healed = if options.streaming { stream::heal(md) } else { md.into() };
    let (rows, code) = rendered(&healed, options, code, carry).finish();
    carry.code = code;
    carry.rows |= !rows.is_empty();
    rows
}

fn rendered<'a>(md: &'a str, options: Options, code: &'a dyn CodeColours, carry: &mut Carry) -> Renderer<'a> {
    let mut renderer = Renderer::new(options, code, carry);
    if carry.links.is_empty() && !md.contains("]:") {
        renderer.source = md;
        parser(md, &carry.links)
            .into_offset_iter()
            .for_each(|(event, at)| renderer.event(event, at, &carry.links));
    } else {
        let blocks = blocks(md);
        for block in &blocks {
            let source = &md[block.source.clone()];
            (renderer.source, renderer.base) = (source, block.source.start);
            let parser = parser(source, &carry.links);
            let defined = definitions(&parser);
            parser.into_offset_iter().for_each(|(event, at)| renderer.event(event, at, &carry.links));
            defined.into_iter().for_each(|(label, target)| carry.define(label, target));
        }
        let rest = &md[blocks.last().map_or(0, |block| block.source.end)..];
        let defined = definitions(&parser(rest, &BTreeMap::new()));
        defined.into_iter().for_each(|(label, target)| carry.define(label, target));
    }
    renderer
}

/// A code block of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// Its place among the code blocks of the text, from 0.
    pub ordinal: usize,
    /// The first word behind the fence; empty where there is none, and for indented blocks.
    pub language: Clean,
    /// The lines, each with its newline.
    pub text: Clean,
    /// Whether its end is written, so that the text can't grow any more.
    pub closed: bool,
}

/// The code blocks of a text in order.
pub fn code_blocks(md: &str) -> Vec<CodeBlock> {
    let mut found = Vec::new();
    let mut open: Option<CodeBlock> = None;
    for (event, range) in parser(md, &BTreeMap::new()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let (language, closed) = (language(&kind), is_closed(md, &kind, &range));
                open = Some(CodeBlock { ordinal: found.len(), language, text: Clean::default(), closed });
            }
            Event::Text(text) => {
                if let Some(block) = &mut open {
                    block.text.push(&Clean::vanish(&text));
                }
            }
            Event::End(TagEnd::CodeBlock) => found.extend(open.take()),
            _ => {}
        }
    }
    found
}

fn definitions<'a, F: pulldown_cmark::BrokenLinkCallback<'a>>(
    parser: &Parser<'a, F>,
) -> Vec<(String, String)> {
    parser
        .reference_definitions()
        .iter()
        .map(|(label, found)| (fold(label), found.dest.to_string()))
        .collect()
}

fn language(kind: &CodeBlockKind<'_>) -> Clean {
    match kind {
        CodeBlockKind::Indented => Clean::default(),
        CodeBlockKind::Fenced(info) => {
            let word = info.split([' ', ',', '{', '\t']).find(|word| !word.is_empty());
            Clean::collapsed(word.unwrap_or_default())
        }
    }
}

fn is_closed(md: &str, kind: &CodeBlockKind<'_>, range: &Range<usize>) -> bool {
    let block = md[range.clone()].trim_end();
    let more_follows = !md[range.end..].trim().is_empty();
    match kind {
        CodeBlockKind::Indented => more_follows,
        CodeBlockKind::Fenced(_) => {
            let Some((first, rest)) = block.split_once('\n') else { return more_follows };
            let fence = if first.trim_start().starts_with('~') { '~' } else { '`' };
            let opened = first.trim_start().chars().take_while(|c| *c == fence).count();
            let last = rest.rsplit('\n').next().unwrap_or(rest).trim_start_matches([' ', '\t', '>']);
            more_follows || (last.chars().count() >= opened.max(3) && last.chars().all(|c| c == fence))
        }
    }
}

/// A top-level block.
struct Block {
    /// The block with what stands between it and the one before: blank lines and link definitions.
    source: Range<usize>,
    /// Where the block itself begins.
    start: usize,
    paragraph: bool,
    /// Whether it ends in prose, not in code or HTML.
    prose: bool,
}

/// The top-level blocks of a text, in order. What follows the last one belongs to none.
fn blocks(md: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut depth = 0usize;
    for (event, range) in parser(md, &BTreeMap::new()).into_offset_iter() {
        let (opens, closes) = (matches!(event, Event::Start(_)), matches!(event, Event::End(_)));
        if depth == 0 && !closes {
            let paragraph = matches!(event, Event::Start(Tag::Paragraph));
            let end = blocks.last().map_or(0, |block| block.source.end);
            // A list's own range may take in link definitions behind it: it ends where its last item ends.
            let own = if matches!(event, Event::Start(Tag::List(_))) { range.start } else { range.end };
            blocks.push(Block { source: end..own, start: range.start, paragraph, prose: false });
        }
        if let Some(block) = blocks.last_mut() {
            match event {
                Event::Text(_) | Event::Code(_) => block.prose = true,
                Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock) => block.prose = false,
                Event::Start(Tag::Item) if depth == 1 => block.source.end = range.end,
                _ => {}
            }
        }
        depth = (depth + usize::from(opens)).saturating_sub(usize::from(closes));
    }
    blocks
}

fn parser<'a>(
    md: &'a str,
    links: &'a BTreeMap<String, String>,
) -> Parser<'a, impl FnMut(BrokenLink<'a>) -> Option<(CowStr<'a>, CowStr<'a>)>> {
    use pulldown_cmark::Options as Syntax;
    let syntax = Syntax::ENABLE_TABLES
        | Syntax::ENABLE_STRIKETHROUGH
        | Syntax::ENABLE_TASKLISTS
        | Syntax::ENABLE_FOOTNOTES;
    let known = move |link: BrokenLink<'a>| {
        let target = links.get(&fold(&link.reference))?;
        Some((CowStr::Borrowed(target.as_str()), CowStr::Borrowed("")))
    };
    Parser::new_with_broken_link_callback(md, syntax, Some(known))
}

/// Labels match without regard to case and to runs of white space.
fn fold(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
