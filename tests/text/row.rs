//! Rows, spans and tokens.

use e::model::text::row::{Attrs, Join, Kind, Row, Span, Token, source};

#[test]
fn token_names_parse_back() {
    for token in Token::ALL {
        assert_eq!(Token::parse(token.name()), Some(*token));
    }
    assert_eq!(Token::ALL.len(), 66);
    assert_eq!(Token::parse("toolDiffAddedMarkerFallback"), Some(Token::ToolDiffAddedMarkerFallback));
    assert_eq!((Token::parse("Accent"), Token::parse("")), (None, None));
}

#[test]
fn equal_looks_join_and_empty_spans_go() {
    let row = Row::of("a", Token::Dim).with(Span::new("b", Token::Dim)).with(Span::new("", Token::Error));
    assert_eq!(row.spans.len(), 1);
    let row = row.with(Span::new("c", Token::Dim).attrs(Attrs::BOLD));
    assert_eq!((row.spans.len(), row.plain().as_str()), (2, "abc"));
}

#[test]
fn rows_are_cut_and_scrolled_by_columns() {
    let row = Row::of("漢字ab", Token::Text).with(Span::new("cd", Token::Dim));
    assert_eq!(row.cut(3).plain(), "漢");
    assert_eq!(row.ellipsis(6).plain(), "漢字a…");
    assert_eq!(row.ellipsis(8).plain(), "漢字abcd");
    assert_eq!(row.scrolled(1).plain(), " 字abcd");
    assert_eq!(row.scrolled(7).plain(), "d");
    assert_eq!(row.ellipsis(0).plain(), "");
}

#[test]
fn copying_leaves_out_decoration_and_soft_breaks() {
    let tab = Span { kind: Kind::Tab, ..Span::new("    ", Token::Plain) };
    let first = Row::from(Span::decor("│ ", Token::Border)).with(tab).with(Span::new("a", Token::Plain));
    let rest = Row { join: Join::Space, ..Row::of("b", Token::Plain) };
    let glued = Row { join: Join::Glue, ..Row::of("c", Token::Plain) };
    assert_eq!(source(&[first, rest, glued, Row::of("d", Token::Plain)]), "\ta bc\nd");
}
