//! The page of `/export`: hostile words stay words.

use std::sync::Arc;

use e::model::provider::{Assistant, Message, Part, ToolResult, User, UserKind, UserPart};
use e::model::session::export::{Page, file_name, html};
use e::model::tool::{Display, Format, Image, Outcome};
use proptest::prelude::*;

fn page(messages: Vec<Message>) -> String {
    let messages = messages.into_iter().map(Arc::new).collect();
    html(&Page { title: "a <b> \"title\"".into(), messages, model: "p/m".into(), date: "2026-12-01".into() })
}

fn reply(parts: Vec<Part>) -> Message {
    Message::Assistant(Assistant { parts, origin: None })
}

fn said(text: &str) -> String {
    page(vec![reply(vec![Part::Text(text.into())])])
}

#[test]
fn hostile_markdown_cannot_become_markup() {
    let page = said(
        "<script>alert(1)</script>\n\nhi <img src=x onerror=alert(2)>\n\n[a](javascript:alert(3)) [b](JaVa&#9;Script:x) \
         [c](<data:text/html,x>) [d](https://e.org/\"onclick=\"x) [f](vbscript:x) [g](docs/a.md) ![h](http://t.org/p.png)\n\n\
         ```x\"onload=\"y\n</code></pre><script>\n```\n",
    );
    assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("</pre><script"), "{page}");
    let lower = page.to_lowercase();
    assert!(
        !lower.contains("javascript:") && !lower.contains("vbscript:") && !lower.contains("href=\"data:")
    );
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(!page.contains("\"onclick=") && !page.contains("\"onload="));
    assert!(page.contains("href=\"docs/a.md\"") && page.contains("href=\"http://t.org/p.png\""));
    assert_eq!(page.matches("href=\"\"").count(), 4, "{page}");
    assert!(page.contains("<title>a &lt;b&gt; &quot;title&quot;</title>"));
}

#[test]
fn calls_stand_with_their_results_and_what_is_internal_is_left_out() {
    let user = |text: &str, internal, kind| {
        Message::User(User { content: vec![UserPart::Text(text.into())], internal, kind })
    };
    let call = Part::ToolCall {
        id: "c1".into(),
        name: "edit".into(),
        arguments: r#"{"path":"a<b>.rs"}"#.into(),
        signature: None,
    };
    let result = ToolResult {
        call: "c1".into(),
        name: "edit".into(),
        outcome: Outcome::Completed,
        content: "unused".into(),
        summary: Some("+1 -1".into()),
        display: Some(Display {
            text: "@@ -1 +1 @@\n-old <x>\n+new\n".into(),
            format: Format::Diff,
            cut: false,
        }),
        images: Vec::new(),
    };
    let page = page(vec![
        user("my *own* words", false, UserKind::Prompt),
        user("hidden words", true, UserKind::Prompt),
        user("rules", false, UserKind::Instructions),
        reply(vec![Part::Text("**done**".into()), call]),
        Message::Tool(result),
    ]);
    assert!(page.contains("my *own* words") && !page.contains("hidden words") && !page.contains("rules"));
    assert!(page.contains("<strong>done</strong>"));
    assert!(page.contains("<summary><code>edit</code> · a&lt;b&gt;.rs · +1 -1</summary>"), "{page}");
    assert!(
        page.contains("<span class=\"del\">-old &lt;x&gt;</span>")
            && page.contains("<span class=\"add\">+new</span>")
    );
}

#[test]
fn an_image_is_data_or_only_a_name() {
    let image = |mime: &str, data: &str| Image {
        mime: mime.into(),
        data: data.into(),
        width: 1,
        height: 1,
        name: "\"x\".png".into(),
    };
    let shown = |image| {
        let content = vec![UserPart::Image(image)];
        page(vec![Message::User(User { content, internal: false, kind: UserKind::Prompt })])
    };
    assert!(shown(image("image/png", "AAAA")).contains("src=\"data:image/png;base64,AAAA\""));
    assert!(!shown(image("image/svg+xml", "AAAA")).contains("<img"));
    assert!(!shown(image("image/png", "A\" onerror=\"x")).contains("<img"));
}

#[test]
fn file_names_are_safe() {
    assert_eq!(file_name("Fix the ../../etc parser!"), "fix-the-etc-parser.html");
    assert_eq!(file_name(" /// "), "session.html");
}

proptest! {
    /// No text opens a tag that the page does not write itself.
    #[test]
    fn no_text_escapes(text in "[<>\"'&a-z()\\[\\]:!/`*|\\n -]{0,120}") {
        let page = said(&text);
        let body = page.split_once("<main>").unwrap().1;
        for tag in body.split('<').skip(1) {
            let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
            const OWN: [&str; 24] = [
                "p", "div", "a", "code", "pre", "em", "strong", "del", "ul", "ol", "li", "blockquote", "hr", "br", "h1",
                "h2", "h3", "h4", "h5", "h6", "table", "tr", "main", "body",
            ];
            prop_assert!(OWN.contains(&&*name) || ["td", "th", "html"].contains(&&*name), "{tag}");
        }
    }
}
