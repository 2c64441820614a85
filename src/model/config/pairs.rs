//! Which letters stand on which ground, as data: what `e theme check` judges, held against rendered frames by a test.

use super::theme::{Base, Colour, Theme};
use crate::model::text::row::Token::{self, *};

/// Words must be read; lines, marks and code on a changed word must be seen (WCAG 2, 1.4.3 and 1.4.11).
const WORDS: f64 = 4.5;
const MARKS: f64 = 3.0;

const SYNTAX: &[Token] = &[
    SyntaxComment,
    SyntaxKeyword,
    SyntaxFunction,
    SyntaxVariable,
    SyntaxString,
    SyntaxNumber,
    SyntaxType,
    SyntaxOperator,
    SyntaxPunctuation,
];

/// A ground (`None` is the terminal's own), the letters that stand on it, and the contrast they need at least.
type Group = (Option<Token>, &'static [Token], f64);

#[rustfmt::skip]
const GROUPS: &[Group] = &[
    (None, &[
        Plain, Accent, Success, Error, Warning, Muted, Dim, Text, UserMessageText, CustomMessageText,
        CustomMessageLabel, ThinkingText, AttachmentText, ToolTitle, ToolOutput, ToolDiffContext, ToolDiffAdded,
        ToolDiffRemoved, ToolDiffAddedMarker, ToolDiffRemovedMarker, ToolDiffAddedMarkerFallback,
        ToolDiffRemovedMarkerFallback, MdHeading, MdLink, MdLinkUrl, MdCode, MdCodeBlock, MdQuote, MdListBullet,
        ThinkingMinimal, ThinkingLow, ThinkingMedium, ThinkingHigh, ThinkingXhigh, ThinkingMax, BashMode,
    ], WORDS),
    (None, SYNTAX, WORDS),
    (None, &[
        Border, BorderMuted, BorderAccent, ToolDetailRail, MdHr, MdCodeBlockBorder, MdQuoteBorder, ScrollbarThumb,
        ThinkingOff,
    ], MARKS),
    (Some(UserMessageBg), &[UserMessageText, Plain, Accent, Dim, Muted, AttachmentText], WORDS),
    (Some(SelectedBg), &[SelectedText, UserMessageText, Plain, Accent], WORDS),
    (Some(SelectedBg), &[Dim, Muted, Success, Warning], MARKS),
    (Some(SearchMatchBg), &[SearchMatchText], WORDS),
    (Some(CustomMessageBg), &[CustomMessageText, CustomMessageLabel], WORDS),
    (Some(ToolErrorBg), &[Error, Text, Plain], WORDS),
    (Some(ToolDiffAddedBg), &[ToolDiffAdded, Plain, ToolDiffAddedMarker, ToolDiffAddedMarkerFallback], WORDS),
    (Some(ToolDiffAddedBg), SYNTAX, WORDS),
    (Some(ToolDiffAddedBg), &[Dim], MARKS),
    (Some(ToolDiffAddedWordBg), SYNTAX, MARKS),
    (Some(ToolDiffAddedWordBg), &[ToolDiffAdded, Plain], WORDS),
    (Some(ToolDiffRemovedBg), &[ToolDiffRemoved, Plain, ToolDiffRemovedMarker, ToolDiffRemovedMarkerFallback], WORDS),
    (Some(ToolDiffRemovedBg), SYNTAX, WORDS),
    (Some(ToolDiffRemovedBg), &[Dim], MARKS),
    (Some(ToolDiffRemovedWordBg), SYNTAX, MARKS),
    (Some(ToolDiffRemovedWordBg), &[ToolDiffRemoved, Plain], WORDS),
];

/// Letters on a ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    pub letters: Token,
    /// `None` is the terminal's own.
    pub ground: Option<Token>,
    /// The contrast it needs, 1 to 21.
    pub least: f64,
}

/// Every pair that is painted.
pub fn all() -> impl Iterator<Item = Pair> {
    GROUPS.iter().flat_map(|(ground, tokens, least)| {
        tokens.iter().map(|letters| Pair { letters: *letters, ground: *ground, least: *least })
    })
}

/// A pair that cannot be read well enough.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    pub pair: Pair,
    pub letters: Colour,
    pub ground: Colour,
    pub contrast: f64,
    /// The nearest colour for the letters that passes on every ground they stand on; else on this one.
    pub passing: Option<Colour>,
}

/// What terminals of a base have for grounds, and for letters.
fn own(base: Base) -> ([Colour; 2], Colour) {
    let rgb = |hex: u32| Colour::Rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8);
    match base {
        Base::Dark => ([rgb(0x00_0000), rgb(0x1e_1e2e)], rgb(0xd4_d8e0)),
        Base::Light => ([rgb(0xff_ffff), rgb(0xf5_f1e6)], rgb(0x24_292f)),
    }
}

/// The grounds a pair may stand on.
fn grounds(theme: &Theme, pair: Pair) -> Vec<Colour> {
    match pair.ground.and_then(|token| theme.colour(token)) {
        Some(ground) => vec![ground],
        None => own(theme.base).0.to_vec(),
    }
}

/// Every painted pair that fails. Where neither letters nor ground have a colour, both are the terminal's affair.
pub fn judge(theme: &Theme) -> Vec<Fault> {
    let mut faults = Vec::new();
    for pair in all() {
        let set = theme.colour(pair.letters);
        if set.is_none() && pair.ground.and_then(|token| theme.colour(token)).is_none() {
            continue;
        }
        let letters = set.unwrap_or(own(theme.base).1);
        let worst = grounds(theme, pair)
            .into_iter()
            .min_by(|a, b| letters.contrast(*a).total_cmp(&letters.contrast(*b)));
        let Some(ground) = worst else { continue };
        let contrast = letters.contrast(ground);
        if contrast < pair.least {
            let passing = passing(theme, pair, letters);
            faults.push(Fault { pair, letters, ground, contrast, passing });
        }
    }
    faults
}

/// The nearest colour that passes: the letters, lightened or darkened as little as does.
fn passing(theme: &Theme, pair: Pair, letters: Colour) -> Option<Colour> {
    let everywhere: Vec<Pair> = all().filter(|other| other.letters == pair.letters).collect();
    nearest(theme, &everywhere, letters).or_else(|| nearest(theme, &[pair], letters))
}

fn nearest(theme: &Theme, pairs: &[Pair], letters: Colour) -> Option<Colour> {
    let needs: Vec<(Colour, f64)> = pairs
        .iter()
        .flat_map(|pair| grounds(theme, *pair).into_iter().map(|ground| (ground, pair.least)))
        .collect();
    let passes = |colour: Colour| needs.iter().all(|(ground, least)| colour.contrast(*ground) >= *least);
    let mix = |towards: u8, share: u16| {
        let (r, g, b) = letters.rgb();
        let one = |channel: u8| {
            let (from, to) = (u16::from(channel), u16::from(towards));
            u8::try_from((from * (255 - share) + to * share + 127) / 255).unwrap_or(towards)
        };
        Colour::Rgb(one(r), one(g), one(b))
    };
    (0..=255).find_map(|share| [255, 0].map(|towards| mix(towards, share)).into_iter().find(|c| passes(*c)))
}
