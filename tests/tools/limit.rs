//! What the model reads of long results, and paging the rest.

use std::sync::Arc;

use e::model::tool::kept::{self, Kept};
use e::model::tool::limit::{self, MARK, MODEL};
use e::model::tool::{Outcome, ToolOutput};
use proptest::prelude::*;
use serde_json::{Value, json};

fn lines(n: usize) -> String {
    (1..=n).map(|n| format!("line {n}\n")).collect()
}

fn run(kept: &Kept, arguments: Value) -> String {
    kept.run(&arguments).content.to_string()
}

#[test]
fn a_short_result_is_read_as_it_is_and_not_kept() {
    let mut kept = Kept::default();
    let text = "x".repeat(MODEL);
    let output = ToolOutput::new(Outcome::Completed, text.as_str());
    assert_eq!(&*limit::for_model(&output, &mut kept, true), text);
    assert!(kept.is_empty());
}

#[test]
fn a_long_result_is_cut_at_a_line_and_pages_on_from_there() {
    let mut kept = Kept::starting_at(3);
    let text = lines(10_000);
    let output = ToolOutput::new(Outcome::Completed, text.as_str());
    let read = limit::for_model(&output, &mut kept, true);
    assert!(read.len() <= MODEL);
    let (body, last) = read.rsplit_once('\n').unwrap();
    assert!(text.starts_with(body) && body.ends_with(|c: char| c.is_ascii_digit()));
    let shown = body.lines().count();
    assert_eq!(
        last,
        format!(
            "[cut: lines 1-{shown} of 10000 shown, {} in all; read_result with {{\"id\":\"r3\",\"offset\":{}}} goes on]",
            limit::bytes(text.len()),
            shown + 1
        )
    );
    let next = run(&kept, json!({"id": "r3", "offset": shown + 1, "limit": "2"}));
    assert!(next.starts_with(&format!("line {}\nline {}\n[r3: lines", shown + 1, shown + 2)), "{next}");
    let unpageable = limit::for_model(&output, &mut kept, false);
    assert!(unpageable.ends_with("the rest can't be shown]"));
    assert_eq!(kept.len(), 1);
}

#[test]
fn a_commands_output_keeps_its_beginning_and_end_and_names_the_gap() {
    let text = lines(20_000);
    let excerpt = limit::excerpt(&text).unwrap();
    assert!(excerpt.len() <= MODEL);
    let read = limit::resolve(&excerpt, Some("r1"));
    assert!(read.starts_with("line 1\n") && read.ends_with("line 20000\n"));
    assert!(
        read.contains("left out here (") && read.contains("read_result with {\"id\":\"r1\"}"),
        "no gap named"
    );
    assert!(!read.contains(MARK));
    assert!(limit::excerpt("short").is_none());
}

#[test]
fn searching_shows_numbered_lines_also_inside_a_huge_one() {
    let mut kept = Kept::default();
    let id =
        kept.keep(format!("one\ntwo needle\n{}needle{}\n", "x".repeat(20_000), "y".repeat(20_000)).into());
    let found = run(&kept, json!({"id": &*id, "query": "needle"}));
    assert!(found.starts_with("2\ttwo needle\n5\t…xxx"), "{found}");
    assert!(found.ends_with("[r1: 2 of 2 lines with \"needle\"]"), "{found}");
    assert!(found.len() < 1500);
    assert!(
        run(&kept, json!({"id": "r1", "query": "absent"})).contains("no line from 1 on contains \"absent\"")
    );
    let one = run(&kept, json!({"id": "r1", "query": "needle", "limit": 1}));
    assert!(one.ends_with("1 of 2 lines with \"needle\"; go on with offset 5]"), "{one}");
}

#[test]
fn what_is_not_kept_is_said_to_be_gone() {
    let mut kept = Kept::default();
    assert!(run(&kept, json!({"id": "r1"})).contains("nothing is kept now"));
    for n in 0..40 {
        kept.keep(format!("{n}").into());
    }
    assert_eq!(kept.len(), kept::COUNT);
    let gone = kept.run(&json!({"id": "r1"}));
    assert_eq!(gone.outcome, Outcome::Failed);
    assert!(gone.content.contains("Kept now: r9,"), "{}", gone.content);
    assert!(run(&kept, json!({"id": "r40", "offset": 9})).contains("line 9 is past its end"));
    assert!(run(&kept, json!({})).contains("`id` is missing"));
}

#[test]
fn g75_the_store_has_a_plateau() {
    let mut kept = Kept::default();
    let megabyte: Arc<str> = "x".repeat(1 << 20).into();
    for _ in 0..100 {
        kept.keep(Arc::clone(&megabyte));
        assert!(kept.bytes() <= kept::BYTES && kept.len() <= kept::COUNT);
    }
    assert_eq!(kept.len(), 16);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Paging from the first line to the last shows the whole text, however its lines are cut.
    #[test]
    fn paging_reaches_every_byte(
        rows in prop::collection::vec((0..3usize, "[a-zé]{0,8}"), 1..60),
        last in any::<bool>(),
    ) {
        let mut text: String =
            rows.iter().map(|(size, s)| format!("{}\n", s.repeat([1, 200, 3000][*size]))).collect();
        if !last {
            text.pop();
        }
        let mut kept = Kept::default();
        let id = kept.keep(text.as_str().into());
        let (mut offset, mut whole) = (1u64, String::new());
        if text.is_empty() {
            return Ok(());
        }
        loop {
            let page = run(&kept, json!({"id": &*id, "offset": offset}));
            prop_assert!(page.len() <= MODEL);
            let (body, footer) = page.rsplit_once("[r1: lines ").unwrap();
            whole.push_str(body);
            // A piece of a long line ends without a line end of its own.
            let end: u64 = footer.split(['-', ' ']).nth(1).unwrap().parse().unwrap();
            let true_end: usize = limit::rows(&text).take(usize::try_from(end).unwrap()).map(str::len).sum();
            whole.truncate(true_end);
            match footer.split_once("offset ") {
                Some((_, next)) => offset = next.trim_end_matches(']').parse().unwrap(),
                None => break,
            }
        }
        prop_assert_eq!(whole, text);
    }
}
