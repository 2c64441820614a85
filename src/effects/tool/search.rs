//! The `grep` tool: searches files by a regular expression, and says what it passed over and why (case G51).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use globset::{GlobBuilder, GlobMatcher};
use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use ignore::{DirEntry, WalkBuilder};

use super::paths::{self, Target};
use super::skipped::{self, Skipped};
use crate::model::tool::args::Args;
use crate::model::tool::{Outcome, ToolOutput, limit};

/// Most matches shown.
const MATCHES: usize = 200;
/// A shown line is at most this long; a longer one is cut around its match.
const WIDE: usize = 400;
/// A search ends after this, with what it has.
const LONGEST: Duration = Duration::from_secs(30);
/// How long the files that were passed over are counted: longer where nothing was found, for the reason may be there.
const SKIPPED: Duration = Duration::from_millis(150);
const SKIPPED_WHEN_NONE: Duration = Duration::from_millis(800);

/// Runs `grep`; the error is what the model reads.
pub fn run(cwd: &Path, target: &Target, args: &Args<'_>, stop: &AtomicBool) -> Result<ToolOutput, String> {
    let pattern = args.text("pattern").map_err(|refusal| refusal.0)?;
    let glob = args.opt_text("glob").map_err(|refusal| refusal.0)?.filter(|glob| !glob.is_empty());
    let many = pattern.contains("\\n") || pattern.contains("(?s");
    // Parsed alone first: the matcher puts a group around it, and its error would stand at the wrong place.
    regex_syntax::Parser::new().parse(pattern).map_err(|error| bad_pattern(&error.to_string()))?;
    let matcher = RegexMatcherBuilder::new().multi_line(true).build(pattern);
    let matcher = matcher.map_err(|error| bad_pattern(&error.to_string()))?;
    if pattern.is_empty() {
        return Err("`pattern` is empty: it would match every line. Use read to see a file.".into());
    }
    let meta = std::fs::metadata(&target.real).map_err(|error| paths::missing(target, &error))?;
    if !meta.is_dir() {
        paths::regular(target)?;
    }
    let place = Place::new(cwd, target, glob)?;
    let mut hunt = Hunt::new(cwd, matcher, many, stop);
    hunt.named_file = meta.is_file();
    let mut seen = Vec::new();
    for entry in place.walk(stop) {
        if hunt.over() {
            break;
        }
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                if place.fits(entry.path()) {
                    hunt.file(entry.path());
                    seen.push(entry.into_path());
                }
            }
            Ok(_) => {}
            Err(_) => hunt.unreadable += 1,
        }
    }
    if stop.load(Ordering::Relaxed) {
        return Err("cancelled".into());
    }
    let most = if hunt.matches == 0 { SKIPPED_WHEN_NONE } else { SKIPPED };
    let passed = if place.filtered && meta.is_dir() && !hunt.full() {
        Some(skipped::count(&place.root, seen, |path| place.fits(path), Instant::now() + most, stop))
    } else {
        None
    };
    Ok(hunt.answer(&place, passed))
}

/// Says where a pattern is wrong, as the expression's own parser shows it.
fn bad_pattern(error: &str) -> String {
    let shown = error.trim_start_matches("regex parse error:").trim_matches('\n');
    format!(
        "`pattern` is not a valid regular expression:\n{shown}\nTo search for one of ( ) [ ] {{ }} . * + ? | ^ $ itself, \
         put \\ before it."
    )
}

/// Where a search looks.
pub struct Place {
    cwd: PathBuf,
    /// The folder or file to walk.
    root: PathBuf,
    glob: Option<(GlobMatcher, bool)>,
    /// Ignore rules and hidden names count: the place was not named outright.
    filtered: bool,
    hidden: bool,
    pub given: Option<String>,
}

impl Place {
    fn new(cwd: &Path, target: &Target, glob: Option<&str>) -> Result<Self, String> {
        let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_path_buf());
        let mut root = target.real.clone();
        let mut matcher = None;
        let mut hidden = false;
        if let Some(glob) = glob {
            // The part before the first wildcard names a folder outright: `dist/**` looks into an ignored `dist`.
            let fixed = fixed_part(glob);
            for base in [root.clone(), cwd.clone()] {
                let inside = base.join(&fixed);
                if !fixed.as_os_str().is_empty() && inside.is_dir() && inside.starts_with(&root) {
                    root = inside;
                    break;
                }
            }
            hidden = glob.split('/').any(|part| part.starts_with('.') && part != "." && part != "..");
            let slash = glob.contains('/');
            let built = GlobBuilder::new(glob.trim_start_matches("./")).literal_separator(slash).build();
            let built = built.map_err(|error| format!("`glob` is not a valid glob: {}.", error.kind()))?;
            matcher = Some((built.compile_matcher(), slash));
        }
        let filtered = reachable(&cwd, &root);
        Ok(Place { cwd, root, glob: matcher, filtered, hidden, given: glob.map(str::to_owned) })
    }

    fn builder(&self) -> WalkBuilder {
        let mut builder = WalkBuilder::new(&self.root);
        builder
            .standard_filters(self.filtered)
            .hidden(self.filtered && !self.hidden)
            .require_git(false)
            .follow_links(false)
            .sort_by_file_name(std::cmp::Ord::cmp);
        let inside_git = self.root.components().any(|part| part.as_os_str() == ".git");
        builder.filter_entry(move |entry| inside_git || entry.depth() == 0 || entry.file_name() != ".git");
        builder
    }

    fn walk<'s>(
        &self,
        stop: &'s AtomicBool,
    ) -> impl Iterator<Item = Result<DirEntry, ignore::Error>> + use<'s> {
        self.builder().build().take_while(move |_| !stop.load(Ordering::Relaxed))
    }

    /// Whether the glob takes the path: by its name alone, or by its path from the workspace or from the root.
    fn fits(&self, path: &Path) -> bool {
        let Some((glob, slash)) = &self.glob else { return true };
        if !slash {
            return path.file_name().is_some_and(|name| glob.is_match(name));
        }
        let from = |base: &Path| path.strip_prefix(base).is_ok_and(|rest| glob.is_match(rest));
        from(&self.cwd) || self.root.ancestors().take_while(|base| base.starts_with(&self.cwd)).any(from)
    }
}

/// The leading parts of a glob that hold no wildcard; never its last part.
fn fixed_part(glob: &str) -> PathBuf {
    let parts: Vec<&str> = glob.trim_start_matches("./").split('/').collect();
    let fixed = parts.iter().take(parts.len().saturating_sub(1));
    fixed.take_while(|part| !part.contains(['*', '?', '[', '{', '!'])).collect()
}

/// Whether an ordinary walk from the workspace comes to the path: if not, it is hidden or ignored, and was named
/// outright.
fn reachable(cwd: &Path, path: &Path) -> bool {
    if !path.starts_with(cwd) || path == cwd {
        return true;
    }
    let wanted = path.to_path_buf();
    let mut builder = WalkBuilder::new(cwd);
    builder.require_git(false).filter_entry(move |entry| wanted.starts_with(entry.path()));
    builder.build().flatten().any(|entry| entry.path() == path)
}

/// A search at work.
struct Hunt<'a> {
    cwd: PathBuf,
    matcher: RegexMatcher,
    searcher: Searcher,
    stop: &'a AtomicBool,
    deadline: Instant,
    named_file: bool,
    out: String,
    matches: usize,
    files: usize,
    with: usize,
    binary: usize,
    unreadable: usize,
    late: bool,
}

impl<'a> Hunt<'a> {
    fn new(cwd: &Path, matcher: RegexMatcher, many: bool, stop: &'a AtomicBool) -> Self {
        let searcher = SearcherBuilder::new().line_number(true).multi_line(many).build();
        Hunt {
            cwd: cwd.canonicalize().unwrap_or_else(|_| cwd.to_path_buf()),
            matcher,
            searcher,
            stop,
            deadline: Instant::now() + LONGEST,
            named_file: false,
            out: String::new(),
            matches: 0,
            files: 0,
            with: 0,
            binary: 0,
            unreadable: 0,
            late: false,
        }
    }

    fn full(&self) -> bool {
        self.matches >= MATCHES || self.out.len() > limit::MODEL - 1024
    }

    fn over(&mut self) -> bool {
        self.late |= Instant::now() > self.deadline;
        self.late || self.full() || self.stop.load(Ordering::Relaxed)
    }

    fn file(&mut self, path: &Path) {
        // A file named outright is searched whatever it holds.
        let detection = if self.named_file { BinaryDetection::none() } else { BinaryDetection::quit(0) };
        self.searcher.set_binary_detection(detection);
        let name = paths::shown(&self.cwd, path);
        let room = MATCHES - self.matches;
        let mut page = Lines {
            name: &name,
            matcher: &self.matcher,
            out: String::new(),
            count: 0,
            room,
            binary: false,
            stop: self.stop,
            deadline: self.deadline,
        };
        let result = self.searcher.search_path(&self.matcher, path, &mut page);
        let Lines { out, count, binary, .. } = page;
        if binary {
            self.binary += 1;
            return;
        }
        self.files += 1;
        if result.is_err() && count == 0 {
            self.unreadable += 1;
            return;
        }
        self.matches += count;
        self.with += usize::from(count > 0);
        self.out.push_str(&out);
    }

    fn answer(mut self, place: &Place, passed: Option<Skipped>) -> ToolOutput {
        let mut notes = Vec::new();
        if self.matches == 0 {
            let files = if self.files == 1 { "1 file".into() } else { format!("{} files", self.files) };
            let glob = place.given.as_ref().map(|glob| format!(" matching {glob}")).unwrap_or_default();
            notes.push(format!("no matches in {files}{glob}"));
        }
        if self.full() {
            notes.push(format!(
                "the first {} matches; narrow the pattern, path or glob for more",
                self.matches
            ));
        }
        if self.late {
            notes.push(format!("stopped after {} s; narrow the path or glob", LONGEST.as_secs()));
        }
        let mut skipped = passed.map(|passed| passed.words(&self.cwd)).unwrap_or_default();
        if self.binary > 0 {
            skipped.push(format!("{} binary", self.binary));
        }
        if self.unreadable > 0 {
            skipped.push(format!("{} that can't be read", self.unreadable));
        }
        if !skipped.is_empty() {
            notes.push(format!("skipped: {}", skipped.join(", ")));
            notes.push("to search them, give such a file or folder as path".into());
        }
        for note in notes {
            self.out.push_str(&format!("[{note}]\n"));
        }
        self.out.truncate(self.out.trim_end().len());
        let summary = match (self.matches, self.with) {
            (0, _) => "no matches".into(),
            (1, _) => "1 match".into(),
            (n, 1) => format!("{n} matches"),
            (n, files) => format!("{n} matches in {files} files"),
        };
        let mut output = ToolOutput::new(Outcome::Completed, self.out);
        output.summary = Some(summary.into());
        output
    }
}

/// Collects the matching lines of one file.
struct Lines<'a> {
    name: &'a str,
    matcher: &'a RegexMatcher,
    out: String,
    count: usize,
    room: usize,
    binary: bool,
    stop: &'a AtomicBool,
    deadline: Instant,
}

impl Sink for Lines<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        for (number, line) in (found.line_number().unwrap_or_default()..).zip(found.lines()) {
            let line = trim(line);
            let at = self.matcher.find(line).ok().flatten().map_or((0, 0), |m| (m.start(), m.end()));
            self.out.push_str(&format!("{}:{number}:{}\n", self.name, cut(line, at)));
        }
        self.count += 1;
        Ok(self.count < self.room && !self.stop.load(Ordering::Relaxed) && Instant::now() < self.deadline)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, Self::Error> {
        self.binary = true;
        Ok(false)
    }
}

fn trim(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A line as it is shown: one that is too long is cut around its match.
fn cut(line: &[u8], (start, end): (usize, usize)) -> String {
    if line.len() <= WIDE {
        return String::from_utf8_lossy(line).into_owned();
    }
    let length = (end - start).min(WIDE / 2);
    let from = start.saturating_sub((WIDE - length) / 2);
    let to = (from + WIDE).min(line.len());
    let from = boundary(line, from.min(to.saturating_sub(WIDE)));
    let to = boundary(line, to);
    let (lead, tail) = (if from > 0 { "…" } else { "" }, if to < line.len() { "…" } else { "" });
    format!("{lead}{}{tail}", String::from_utf8_lossy(line.get(from..to).unwrap_or_default()))
}

/// The nearest start of a character at or above.
fn boundary(line: &[u8], mut at: usize) -> usize {
    while line.get(at).is_some_and(|byte| byte & 0xC0 == 0x80) {
        at += 1;
    }
    at
}
