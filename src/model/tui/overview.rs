//! The page of `/extensions`: what each one is and how it does, as a list that a cursor moves in.

use std::collections::VecDeque;

use crate::model::ext::live::{State, Stats};
use crate::model::ext::world::Traffic;
use crate::model::ext::{Ext, Exts};
use crate::model::id::ExtId;
use crate::model::text::clean::Clean;
use crate::model::text::row::{Attrs, Row, Span, Token};
use crate::model::text::wrap::{self, Wrap};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overview {
    pub entries: Vec<Entry>,
    /// Files that are not started, and why.
    pub skipped: Vec<(Clean, Clean)>,
    /// Index into the entries.
    pub cursor: usize,
    /// Whether to end the one under the cursor is being asked.
    pub asking: bool,
    /// Where extensions are put.
    pub home: Clean,
}

/// One extension.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub ext: ExtId,
    pub file: Clean,
    /// What it calls itself, with its version.
    pub name: Clean,
    pub state: Clean,
    pub tone: Token,
    /// Name and words of each thing there is to say.
    pub facts: Vec<(&'static str, Vec<Clean>)>,
}

impl Overview {
    /// As things stand; the cursor stays on the extension it was on, else at its place.
    pub fn new(exts: &Exts, traffic: &[(ExtId, Traffic)], home: &str, before: Option<&Overview>) -> Self {
        let each = exts.order.iter().filter_map(|id| Some((*id, exts.all.get(id)?)));
        let entries: Vec<Entry> = each
            .map(|(id, ext)| {
                let crossed = traffic.iter().find(|(of, _)| *of == id).map(|(_, traffic)| *traffic);
                Entry::new(id, ext, crossed)
            })
            .collect();
        let skipped = exts
            .skipped
            .iter()
            .map(|file| (Clean::name(&file.file), Clean::collapsed(&file.why.words())))
            .collect();
        let was = before.and_then(|page| Some((page.entries.get(page.cursor)?.ext, page.cursor)));
        let cursor = was.map_or(0, |(ext, place)| {
            let same = entries.iter().position(|entry| entry.ext == ext);
            same.unwrap_or_else(|| place.min(entries.len().saturating_sub(1)))
        });
        Overview { entries, skipped, cursor, asking: false, home: Clean::name(home) }
    }

    pub fn chosen(&self) -> Option<&Entry> {
        self.entries.get(self.cursor)
    }

    /// Moves the cursor; stops at the ends.
    pub fn step(&mut self, down: bool) {
        let last = self.entries.len().saturating_sub(1);
        self.cursor = if down { (self.cursor + 1).min(last) } else { self.cursor.saturating_sub(1) };
    }

    pub fn hint(&self) -> &'static str {
        match (self.asking, self.entries.is_empty()) {
            (true, _) => "y end it for this session · n or esc keep it",
            (false, true) => "esc close",
            (false, false) => "pgup pgdn scroll · ↑↓ move · r restart · d disable · esc close",
        }
    }

    /// The rows of the page, and where each entry begins and ends in them.
    pub fn rows(&self, columns: usize) -> (Vec<Row>, Vec<std::ops::Range<usize>>) {
        let mut rows =
            vec![Row::from(Span::new("Extensions", Token::MdHeading).attrs(Attrs::BOLD)), Row::empty()];
        let mut places = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let from = rows.len();
            entry.rows(&mut rows, at == self.cursor, columns);
            places.push(from..rows.len());
            rows.push(Row::empty());
        }
        if self.entries.is_empty() {
            let text = format!(
                "No extension is running. Put an executable file into {}/extensions and type /reload; \
                 e docs extensions explains the rest.",
                self.home
            );
            rows.extend(wrap::text(&Clean::vanish(&text), Token::Muted, Wrap::words(columns)));
            rows.push(Row::empty());
        }
        if !self.skipped.is_empty() {
            rows.push(Row::from(Span::new("Not started", Token::MdHeading).attrs(Attrs::BOLD)));
            rows.push(Row::empty());
        }
        for (file, why) in &self.skipped {
            let line = Row::from(Span::blanks(2))
                .with(Span::new(file.clone(), Token::Plain))
                .with(Span::new("  ", Token::Plain))
                .with(Span::new(why.clone(), Token::Muted));
            rows.extend(wrap::row(&line, Wrap::words(columns)));
        }
        (rows, places)
    }
}

/// Columns of the names of facts.
const NAMES: usize = 11;
const INDENT: usize = 4;

impl Entry {
    fn new(id: ExtId, ext: &Ext, traffic: Option<Traffic>) -> Self {
        let (state, tone) = match &ext.state {
            State::Greeting => ("starting".to_owned(), Token::Muted),
            State::Live => ("running".to_owned(), Token::Success),
            State::Dead(why) => (format!("not running: {why}"), Token::Error),
            State::Off => ("disabled for this session".to_owned(), Token::Warning),
        };
        let name = ext.manifest.as_ref().map(|manifest| {
            let version = manifest.version.as_ref().map(Clean::as_str).unwrap_or_default();
            Clean::collapsed(&format!("{} {version}", manifest.name))
        });
        let mut facts = vec![("file", vec![Clean::name(&ext.found.path)])];
        facts.extend(declared(ext));
        let latency = latencies(&ext.stats);
        if !latency.is_empty() {
            facts.push(("answers in", latency));
        }
        if ext.stats.timeouts > 0 {
            facts.push(("time-outs", vec![Clean::collapsed(&ext.stats.timeouts.to_string())]));
        }
        if let Some(traffic) = traffic {
            facts.push(("traffic", vec![crossed(traffic)]));
        }
        if let Some(line) = &ext.stats.stderr {
            facts.push(("stderr", vec![line.clone()]));
        }
        let file = Clean::name(&ext.found.file);
        Entry { ext: id, file, name: name.unwrap_or_default(), state: Clean::collapsed(&state), tone, facts }
    }

    fn rows(&self, out: &mut Vec<Row>, here: bool, columns: usize) {
        let token = if here { Token::UserMessageText } else { Token::Plain };
        let mut head = Row { fill: here.then_some(Token::SelectedBg), ..Row::empty() };
        head.push(Span::decor(if here { "› " } else { "  " }, Token::Accent));
        head.push(Span::decor("● ", self.tone));
        head.push(Span::new(self.file.clone(), token).attrs(Attrs::BOLD));
        head.push(Span::new("  ", Token::Plain));
        head.push(Span::new(self.state.clone(), self.tone));
        if !self.name.is_empty() {
            head.push(Span::new("  ", Token::Plain));
            head.push(Span::new(self.name.clone(), Token::Muted));
        }
        out.push(head.ellipsis(columns));
        let room = columns.saturating_sub(INDENT + NAMES).max(1);
        for (name, lines) in &self.facts {
            let mut label = Row::from(Span::blanks(INDENT)).with(Span::decor(*name, Token::Dim));
            label.push(Span::blanks((INDENT + NAMES).saturating_sub(label.width())));
            let token = if *name == "stderr" { Token::Warning } else { Token::Muted };
            for (at, row) in
                lines.iter().flat_map(|line| wrap::text(line, token, Wrap::words(room))).enumerate()
            {
                let mut line = if at == 0 { label.clone() } else { Row::from(Span::blanks(INDENT + NAMES)) };
                row.spans.into_iter().for_each(|span| line.push(span));
                out.push(line.cut(columns));
            }
        }
    }
}

/// What it brought along, by kind.
fn declared(ext: &Ext) -> Vec<(&'static str, Vec<Clean>)> {
    let Some(manifest) = &ext.manifest else { return Vec::new() };
    let renders = [
        manifest.renders.assistant().then_some("assistant".to_owned()),
        manifest.renders.tool("").then_some("tool:*".to_owned()),
    ];
    let mut hooks: Vec<String> = manifest.startup.then(|| "startup".to_owned()).into_iter().collect();
    hooks.extend(manifest.hooks.iter().map(|hook| hook.name().to_owned()));
    let all = [
        ("tools", manifest.tools.iter().map(|tool| tool.name.to_string()).collect()),
        ("commands", manifest.commands.iter().map(|command| format!("/{}", command.name)).collect()),
        ("shortcuts", manifest.shortcuts.iter().map(|shortcut| shortcut.chord.to_string()).collect()),
        ("hooks", hooks),
        ("renders", renders.into_iter().flatten().collect()),
        ("events", manifest.events.iter().map(ToString::to_string).collect()),
        ("flags", manifest.flags.iter().map(|flag| format!("--{}", flag.name)).collect()),
    ];
    let listed = |(name, words): (&'static str, Vec<String>)| {
        (!words.is_empty()).then(|| (name, vec![Clean::collapsed(&words.join(", "))]))
    };
    all.into_iter().filter_map(listed).collect()
}

/// Median, 95th percentile and worst of each hook's answers.
fn latencies(stats: &Stats) -> Vec<Clean> {
    let line = |(hook, times): (&crate::model::ext::HookKind, &VecDeque<u64>)| {
        let mut sorted: Vec<u64> = times.iter().copied().collect();
        sorted.sort_unstable();
        let worst = sorted.last()?;
        let text = format!(
            "{}: {} median, {} p95, {} worst of {}",
            hook.name(),
            milliseconds(nth(&sorted, 50)),
            milliseconds(nth(&sorted, 95)),
            milliseconds(*worst),
            sorted.len()
        );
        Some(Clean::collapsed(&text))
    };
    stats.hooks.iter().filter_map(line).collect()
}

/// The value below which `percent` of the sorted ones lie (nearest rank); 0 of none.
pub fn nth(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

fn milliseconds(ms: u64) -> String {
    if ms < 10_000 { format!("{ms} ms") } else { format!("{:.1} s", ms as f64 / 1000.0) }
}

fn crossed(traffic: Traffic) -> Clean {
    let mut text = format!(
        "{} in {}, {} out {}",
        lines(traffic.lines_in),
        bytes(traffic.bytes_in),
        lines(traffic.lines_out),
        bytes(traffic.bytes_out)
    );
    if traffic.stray > 0 {
        text += &format!("; {} of no known shape", lines(traffic.stray));
    }
    if traffic.dropped > 0 {
        text += &format!("; {} notices dropped", traffic.dropped);
    }
    Clean::collapsed(&text)
}

fn lines(count: u64) -> String {
    format!("{count} line{}", if count == 1 { "" } else { "s" })
}

fn bytes(count: u64) -> String {
    match count {
        0..1024 => format!("({count} B)"),
        1024..1_048_576 => format!("({:.1} KiB)", count as f64 / 1024.0),
        _ => format!("({:.1} MiB)", count as f64 / 1_048_576.0),
    }
}
