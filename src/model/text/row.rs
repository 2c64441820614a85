//! Rows of spans with theme words. Colours are the theme's business, never known here.

use std::ops::Range;
use std::sync::Arc;

use super::clean::{Clean, escapes};
use super::clip::ELLIPSIS;
use super::width::{clusters, width};

macro_rules! tokens {
    ($($variant:ident $name:literal $what:literal;)*) => {
        /// A word of the theme (extensions-notes 22); `Plain` is the terminal's own colour.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Token {
            /// The terminal's own.
            #[default]
            Plain,
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl Token {
            /// Every token a theme may define, in the order of the list; `Plain` is none.
            pub const ALL: &'static [Token] = &[$(Token::$variant,)*];

            /// The name as it stands in a theme file; empty for `Plain`.
            pub const fn name(self) -> &'static str {
                match self {
                    Token::Plain => "",
                    $(Token::$variant => $name,)*
                }
            }

            /// What it paints, in words for `e docs themes`; empty for `Plain`.
            pub const fn meaning(self) -> &'static str {
                match self {
                    Token::Plain => "",
                    $(Token::$variant => $what,)*
                }
            }

            /// The token of that exact name.
            pub fn parse(name: &str) -> Option<Token> {
                match name {
                    $($name => Some(Token::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

tokens! {
    Accent "accent" "the chosen, the first status segment, the activity dot";
    Border "border" "the composer's and dividers' lines";
    BorderAccent "borderAccent" "a line around what has the keys";
    BorderMuted "borderMuted" "a line that stays in the background";
    Success "success" "what went well";
    Error "error" "what went wrong";
    Warning "warning" "what needs a look";
    Muted "muted" "secondary words, the rest of the status row";
    Dim "dim" "hints, rows not chosen, details";
    Text "text" "the conversation's words";
    SelectedBg "selectedBg" "the ground of the row under the cursor and of selections";
    SelectedText "selectedText" "selected words";
    ScrollbarThumb "scrollbarThumb" "the mark of where one is";
    SearchMatchBg "searchMatchBg" "the ground of what a search found";
    SearchMatchText "searchMatchText" "what a search found";
    UserMessageBg "userMessageBg" "the ground of your messages";
    UserMessageText "userMessageText" "your messages, titles, the chosen item";
    CustomMessageBg "customMessageBg" "the ground of what an extension shows";
    CustomMessageText "customMessageText" "what an extension shows";
    CustomMessageLabel "customMessageLabel" "its title";
    ThinkingText "thinkingText" "the model's reasoning";
    AttachmentText "attachmentText" "markers of pastes, images and snapshots";
    ToolPendingBg "toolPendingBg" "the ground of a call that runs";
    ToolSuccessBg "toolSuccessBg" "the ground of a call that went well";
    ToolErrorBg "toolErrorBg" "the ground of a call that failed";
    ToolTitle "toolTitle" "what a call does";
    ToolOutput "toolOutput" "what a command prints";
    ToolDetailRail "toolDetailRail" "the line beside a call's details";
    ToolDiffAdded "toolDiffAdded" "added lines";
    ToolDiffRemoved "toolDiffRemoved" "removed lines";
    ToolDiffContext "toolDiffContext" "lines around a change";
    ToolDiffAddedMarker "toolDiffAddedMarker" "the + of added lines, in true colour";
    ToolDiffAddedMarkerFallback "toolDiffAddedMarkerFallback" "the same where there are fewer colours";
    ToolDiffRemovedMarker "toolDiffRemovedMarker" "the - of removed lines, in true colour";
    ToolDiffRemovedMarkerFallback "toolDiffRemovedMarkerFallback" "the same where there are fewer colours";
    ToolDiffAddedBg "toolDiffAddedBg" "the ground of added lines";
    ToolDiffRemovedBg "toolDiffRemovedBg" "the ground of removed lines";
    ToolDiffAddedWordBg "toolDiffAddedWordBg" "the ground of added words";
    ToolDiffRemovedWordBg "toolDiffRemovedWordBg" "the ground of removed words";
    MdHeading "mdHeading" "headings";
    MdLink "mdLink" "links";
    MdLinkUrl "mdLinkUrl" "where a link leads";
    MdCode "mdCode" "code in a sentence";
    MdCodeBlock "mdCodeBlock" "code without a language";
    MdCodeBlockBorder "mdCodeBlockBorder" "what frames a block of code";
    MdQuote "mdQuote" "quotes";
    MdQuoteBorder "mdQuoteBorder" "the line beside a quote";
    MdHr "mdHr" "rules";
    MdListBullet "mdListBullet" "bullets and numbers";
    SyntaxComment "syntaxComment" "comments";
    SyntaxKeyword "syntaxKeyword" "keywords";
    SyntaxFunction "syntaxFunction" "names of functions";
    SyntaxVariable "syntaxVariable" "names of variables";
    SyntaxString "syntaxString" "strings";
    SyntaxNumber "syntaxNumber" "numbers";
    SyntaxType "syntaxType" "types";
    SyntaxOperator "syntaxOperator" "operators";
    SyntaxPunctuation "syntaxPunctuation" "brackets, commas";
    ThinkingOff "thinkingOff" "effort off";
    ThinkingMinimal "thinkingMinimal" "effort minimal";
    ThinkingLow "thinkingLow" "effort low";
    ThinkingMedium "thinkingMedium" "effort medium";
    ThinkingHigh "thinkingHigh" "effort high";
    ThinkingXhigh "thinkingXhigh" "effort xhigh";
    ThinkingMax "thinkingMax" "effort max";
    BashMode "bashMode" "the composer of a ! command";
}

/// How a span's letters look beside their colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attrs {
    /// Heavier.
    pub bold: bool,
    /// Slanted.
    pub italic: bool,
    /// Underlined.
    pub underline: bool,
    /// Colour and ground exchanged.
    pub reversed: bool,
    /// Struck through.
    pub strikethrough: bool,
    /// Fainter.
    pub dim: bool,
}

impl Attrs {
    /// No attribute.
    pub const NONE: Attrs = Attrs {
        bold: false,
        italic: false,
        underline: false,
        reversed: false,
        strikethrough: false,
        dim: false,
    };
    /// Bold alone.
    pub const BOLD: Attrs = Attrs { bold: true, ..Attrs::NONE };
    /// Dim alone.
    pub const DIM: Attrs = Attrs { dim: true, ..Attrs::NONE };

    /// What either of the two sets.
    #[must_use]
    pub fn with(self, other: Attrs) -> Attrs {
        Attrs {
            bold: self.bold || other.bold,
            italic: self.italic || other.italic,
            underline: self.underline || other.underline,
            reversed: self.reversed || other.reversed,
            strikethrough: self.strikethrough || other.strikethrough,
            dim: self.dim || other.dim,
        }
    }
}

/// What a span is to someone who copies the row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Text of the source.
    #[default]
    Text,
    /// The blanks that stand for one tab of the source.
    Tab,
    /// Marks that stand for as many spaces of the source.
    Blanks,
    /// Gutters, borders, bullets, indents: not part of the source.
    Decor,
}

/// A stretch of a row in one look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The text, without newlines.
    pub text: Clean,
    /// Colour of the letters.
    pub token: Token,
    /// Colour of the ground, the row's own when `None`.
    pub bg: Option<Token>,
    /// Bold and the like.
    pub attrs: Attrs,
    /// Where a hyperlink leads; already clean.
    pub link: Option<Arc<str>>,
    /// What it is to someone who copies.
    pub kind: Kind,
}

impl Span {
    /// A span of source text.
    pub fn new(text: impl Into<Clean>, token: Token) -> Self {
        Self { text: text.into(), token, ..Self::default() }
    }

    /// A span that copying leaves out.
    pub fn decor(text: impl Into<Clean>, token: Token) -> Self {
        Self { kind: Kind::Decor, ..Self::new(text, token) }
    }

    /// `columns` blanks that copying leaves out.
    pub fn blanks(columns: usize) -> Self {
        Self::decor(Clean::trusted(" ".repeat(columns)), Token::Plain)
    }

    /// The span with these attributes as well.
    #[must_use]
    pub fn attrs(mut self, attrs: Attrs) -> Self {
        self.attrs = self.attrs.with(attrs);
        self
    }

    /// The span on this ground.
    #[must_use]
    pub fn bg(mut self, bg: Token) -> Self {
        self.bg = Some(bg);
        self
    }

    /// Columns, a tab going to its stop from the span's own start.
    pub fn width(&self) -> usize {
        width(self.text.as_str())
    }

    /// The same look with other text.
    pub(in crate::model::text) fn like(&self, text: &str) -> Span {
        Span { text: Clean::trusted(text), ..self.look() }
    }

    fn look(&self) -> Span {
        Span { text: Clean::default(), link: self.link.clone(), ..*self }
    }
}

/// How a row follows the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Join {
    /// It begins a line of the source.
    #[default]
    Line,
    /// It goes on behind white space that wrapping left out.
    Space,
    /// It goes on in the middle of a word.
    Glue,
}

/// One row of the screen, or, before wrapping, one line of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The spans from left to right.
    pub spans: Vec<Span>,
    /// The ground of the whole row to its right end.
    pub fill: Option<Token>,
    /// How it follows the row before.
    pub join: Join,
}

impl Row {
    /// A row without spans.
    pub fn empty() -> Self {
        Self::default()
    }

    /// A row of one span.
    pub fn of(text: impl Into<Clean>, token: Token) -> Self {
        Self::from(Span::new(text, token))
    }

    /// Text that a person reviews: what the sanitiser made visible (`<U+202E>`) is in the warning token.
    pub fn reviewed(text: &Clean, token: Token) -> Self {
        let mut row = Row::empty();
        let mut at = 0;
        for mark in escapes(text.as_str()) {
            row.push(Span::new(Clean::trusted(&text.as_str()[at..mark.start]), token));
            row.push(Span::new(Clean::trusted(&text.as_str()[mark.clone()]), Token::Warning));
            at = mark.end;
        }
        row.push(Span::new(Clean::trusted(&text.as_str()[at..]), token));
        row
    }

    /// Appends a span; empty ones are left out and one of the same look is joined to the last.
    pub fn push(&mut self, span: Span) {
        if span.text.is_empty() {
            return;
        }
        match self.spans.last_mut() {
            Some(last) if last.kind == span.kind && span.kind != Kind::Tab && same_look(last, &span) => {
                last.text.push(&span.text);
            }
            _ => self.spans.push(span),
        }
    }

    /// The row with one more span.
    #[must_use]
    pub fn with(mut self, span: Span) -> Self {
        self.push(span);
        self
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.spans.iter().map(Span::width).sum()
    }

    /// Whether it has no text.
    pub fn is_empty(&self) -> bool {
        self.spans.iter().all(|span| span.text.is_empty())
    }

    /// The text as it is seen.
    pub fn plain(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    /// The text as it is copied: tabs are tabs again, and decoration is left out.
    pub fn source(&self) -> String {
        let mut out = String::new();
        for span in &self.spans {
            match span.kind {
                Kind::Text => out.push_str(span.text.as_str()),
                Kind::Tab => out.push('\t'),
                Kind::Blanks => out.extend(span.text.as_str().chars().map(|_| ' ')),
                Kind::Decor => {}
            }
        }
        out
    }

    /// The row cut to `columns`, with an ellipsis in the look of the span it cuts.
    #[must_use]
    pub fn ellipsis(&self, columns: usize) -> Row {
        if self.width() <= columns {
            return self.clone();
        }
        let mut row = self.cut(columns.saturating_sub(1));
        if columns > 0 {
            let last = row.spans.last().or(self.spans.first()).map(|s| s.like(ELLIPSIS));
            row.push(last.unwrap_or_default());
        }
        row
    }

    /// The row cut to `columns`.
    #[must_use]
    pub fn cut(&self, columns: usize) -> Row {
        let mut row = Row { spans: Vec::new(), fill: self.fill, join: self.join };
        let mut room = columns;
        for span in &self.spans {
            let text = super::clip::columns(span.text.as_str(), room);
            row.push(span.like(text));
            room -= width(text);
            if text.len() < span.text.len() {
                break;
            }
        }
        row
    }

    /// What of the row stands in these columns; a cluster or a tab that is only touched is in whole.
    #[must_use]
    pub fn within(&self, columns: &Range<usize>) -> Row {
        let mut row = Row { spans: Vec::new(), fill: self.fill, join: self.join };
        let mut col = 0;
        let touched = |from: usize, width: usize| from < columns.end && from + width.max(1) > columns.start;
        for span in &self.spans {
            let width = span.width();
            if span.kind == Kind::Tab {
                if touched(col, width) {
                    row.push(span.clone());
                }
            } else {
                let mut at = col;
                for cluster in clusters(span.text.as_str()) {
                    if touched(at, cluster.width) {
                        row.push(span.like(cluster.text));
                    }
                    at += cluster.width;
                }
            }
            col += width;
        }
        row
    }

    /// The row without its first `columns`; a cluster cut by that edge leaves blanks.
    #[must_use]
    pub fn scrolled(&self, columns: usize) -> Row {
        let mut row = Row { spans: Vec::new(), fill: self.fill, join: self.join };
        let mut left = columns;
        for span in &self.spans {
            let mut from = 0;
            for cluster in clusters(span.text.as_str()) {
                if left == 0 {
                    break;
                }
                from = cluster.end();
                if cluster.width > left {
                    row.push(span.like(&" ".repeat(cluster.width - left)));
                }
                left = left.saturating_sub(cluster.width);
            }
            row.push(span.like(&span.text.as_str()[from..]));
        }
        row
    }
}

impl From<Span> for Row {
    fn from(span: Span) -> Self {
        Row::empty().with(span)
    }
}

fn same_look(a: &Span, b: &Span) -> bool {
    a.token == b.token && a.bg == b.bg && a.attrs == b.attrs && a.link == b.link
}

/// The text of rows as it is copied: soft breaks vanish, decoration is left out.
pub fn source(rows: &[Row]) -> String {
    let mut out = String::new();
    for (at, row) in rows.iter().enumerate() {
        match row.join {
            _ if at == 0 => {}
            Join::Line => out.push('\n'),
            Join::Space => out.push(' '),
            Join::Glue => {}
        }
        out.push_str(&row.source());
    }
    out
}
