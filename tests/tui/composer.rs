//! The composer by its keys: history, stash, pickers, shell mode, the editor, the kept draft.

use std::sync::Arc;

use e::model::ask::{Ask, SessionAsk};
use e::model::effect::{Effect, FilesFx, TermFx};
use e::model::id::Ticket;
use e::model::msg::FilesMsg;
use e::model::tui::Due;
use e::model::tui::composer::LineMode;
use e::model::tui::picker::PickerKind;
use e::update::tui as front;

use super::stage::Stage;

fn history(stage: &mut Stage, entries: &[&str]) {
    stage.tui.composer.recall.entries = entries.iter().map(|s| Arc::from(*s)).collect();
}

fn walk_ticket(stage: &Stage) -> Option<Ticket> {
    stage
        .files_fx()
        .filter_map(|fx| if let FilesFx::Walk { ticket, .. } = fx { Some(*ticket) } else { None })
        .last()
}

#[test]
fn enter_sends_and_empties() {
    let mut stage = Stage::new(80, 24);
    stage.typed("  fix it ").keys("enter");
    assert_eq!(stage.sent(), Some("fix it"));
    assert!(stage.tui.composer.draft.is_empty());
    assert!(
        stage.files_fx().any(|fx| matches!(fx, FilesFx::AppendHistory { text, .. } if &**text == "fix it"))
    );
    stage.asks.clear();
    stage.typed("   ").keys("enter");
    assert_eq!(stage.sent(), None);
}

#[test]
fn up_recalls_and_the_draft_comes_back() {
    let mut stage = Stage::new(80, 24);
    history(&mut stage, &["first", "second"]);
    stage.typed("half").keys("up");
    assert_eq!(stage.draft(), "second");
    stage.keys("up up up");
    assert_eq!(stage.draft(), "first");
    stage.keys("down");
    assert_eq!(stage.draft(), "second");
    stage.keys("down");
    assert_eq!(stage.draft(), "half");
    stage.keys("ctrl+_");
    assert_eq!(stage.draft(), "", "its undo came back with it");
}

#[test]
fn up_moves_through_rows_before_history() {
    let mut stage = Stage::new(80, 24);
    history(&mut stage, &["old"]);
    stage.typed("one").keys("ctrl+j").typed("two").keys("up");
    assert_eq!(stage.draft(), "one\ntwo");
    stage.keys("up");
    assert_eq!(stage.draft(), "old");
}

#[test]
fn an_edited_recall_is_a_draft_of_its_own() {
    let mut stage = Stage::new(80, 24);
    history(&mut stage, &["first", "second"]);
    stage.keys("up").typed("!").keys("up");
    assert_eq!(stage.draft(), "second");
    stage.keys("down");
    assert_eq!(stage.draft(), "second!");
}

#[test]
fn stash_and_back() {
    let mut stage = Stage::new(80, 24);
    stage.typed("later").keys("ctrl+s");
    assert_eq!(stage.draft(), "");
    stage.keys("ctrl+s");
    assert_eq!(stage.draft(), "later");
}

#[test]
fn history_search_takes_what_is_found() {
    let mut stage = Stage::new(80, 24);
    history(&mut stage, &["run the tests", "write docs"]);
    stage.typed("draft").keys("ctrl+r").typed("tests");
    assert_eq!(stage.draft(), "draft", "the search is not typed into the draft");
    stage.keys("enter");
    assert_eq!(stage.draft(), "run the tests");
    assert_eq!(stage.sent(), None);
    stage.keys("ctrl+_");
    assert_eq!(stage.draft(), "draft");
}

#[test]
fn the_command_picker_runs_completes_and_closes() {
    let mut stage = Stage::new(80, 24);
    stage.typed("/hel");
    assert_eq!(stage.tui.picker.as_ref().unwrap().kind, PickerKind::Commands);
    stage.keys("enter");
    assert_eq!(stage.sent(), Some("/help"));
    stage.typed("/na").keys("tab");
    assert_eq!(stage.draft(), "/name ");
    assert!(stage.tui.picker.is_none());
    stage.keys("ctrl+u").typed("/na").keys("enter");
    assert_eq!(stage.draft(), "/name ", "an argument is wanted");
    stage.keys("ctrl+u").typed("/re").keys("esc").typed("s");
    assert!(stage.tui.picker.is_none(), "closed by hand, it stays closed for this word");
    stage.keys("ctrl+u").typed("/r");
    assert!(stage.tui.picker.is_some());
    stage.keys("ctrl+u").typed("/usr/bin is a path");
    assert!(stage.tui.picker.is_none());
}

#[test]
fn the_file_picker_inserts_and_late_files_are_ignored() {
    let mut stage = Stage::new(80, 24);
    stage.typed("see @ma");
    let ticket = walk_ticket(&stage).unwrap();
    let found = |paths: &[&str], done| FilesMsg::Found {
        paths: paths.iter().map(|p| Arc::from(*p)).collect(),
        done,
        truncated: false,
    };
    stage.files(ticket, found(&["src/lib.rs", "src/main.rs", "a b/main.md"], true));
    assert_eq!(stage.tui.picker.as_ref().unwrap().list.len(), 2);
    stage.keys("tab");
    assert_eq!(stage.draft(), "see @src/main.rs ");
    // S5: an answer for an earlier word is never shown.
    stage.typed("@li");
    stage.files(ticket, found(&["src/late.rs"], true));
    assert!(stage.tui.picker.as_ref().unwrap().list.is_empty());
}

#[test]
fn s5_a_closed_picker_stops_its_walk() {
    let mut stage = Stage::new(80, 24);
    stage.typed("@x");
    let ticket = walk_ticket(&stage).unwrap();
    stage.keys("esc");
    assert!(stage.files_fx().any(|fx| *fx == FilesFx::StopWalk(ticket)));
    assert!(stage.tui.pending.tickets.get(ticket).is_none());
    assert_eq!(stage.draft(), "@x");
}

#[test]
fn an_image_by_path_becomes_a_marker_and_is_sent_beside() {
    let mut stage = Stage::new(80, 24);
    stage.typed("look @shot");
    let walk = walk_ticket(&stage).unwrap();
    stage.files(walk, FilesMsg::Found { paths: vec![Arc::from("shot.png")], done: true, truncated: false });
    stage.keys("enter");
    let read = stage.files_fx().find_map(|fx| match fx {
        FilesFx::ReadImage { ticket, path } if &**path == "shot.png" => Some(*ticket),
        _ => None,
    });
    let image = e::model::tool::Image {
        mime: Arc::from("image/png"),
        data: Arc::from("AA=="),
        width: 4,
        height: 3,
        name: Arc::from("shot.png"),
    };
    stage.files(read.unwrap(), FilesMsg::Image(image.clone()));
    assert_eq!(stage.draft(), "look [Image #1 shot.png, 4×3]");
    stage.keys("enter");
    let Some(Ask::Line(line)) = stage.asks.last() else { panic!("not sent") };
    assert_eq!(line.images, [image]);
}

#[test]
fn shell_modes_and_no_picker_in_them() {
    let mut stage = Stage::new(80, 24);
    stage.typed("!ls @");
    assert_eq!((stage.tui.composer.mode(), stage.tui.picker.is_none()), (LineMode::Shell, true));
    stage.keys("ctrl+u").typed("!!ls").keys("enter");
    assert_eq!(stage.sent(), Some("!!ls"));
}

#[test]
fn the_editor_gets_the_whole_draft_and_gives_it_back() {
    let mut stage = Stage::new(80, 24);
    stage.typed("a ").paste(&"x".repeat(1500)).keys("ctrl+g");
    let lent = stage.effects.iter().find_map(|e| match e {
        Effect::Term(TermFx::Editor { ticket, text, .. }) => Some((*ticket, text.clone())),
        _ => None,
    });
    let (ticket, text) = lent.unwrap();
    assert_eq!(text.len(), 1502);
    stage.files(ticket, FilesMsg::Edited(Arc::from("new\r\ntext\n")));
    assert_eq!(stage.draft(), "new\ntext");
}

#[test]
fn the_prefix_takes_one_more_key() {
    let mut stage = Stage::new(80, 24);
    stage.keys("ctrl+x ctrl+k");
    assert!(stage.tui.reader.is_some(), "all keys");
    stage.keys("esc ctrl+x");
    assert!(stage.tui.composer.prefix.is_some());
    stage.typed("q");
    assert_eq!((stage.draft(), stage.tui.composer.prefix), ("", None), "the second key is no text");
}

#[test]
fn the_draft_is_kept_a_moment_after_a_change_and_forgotten_when_sent() {
    let mut stage = Stage::new(80, 24);
    stage.typed("keep me");
    assert!(stage.fire(Due::KeepDraft));
    let kept = |stage: &Stage| {
        stage
            .files_fx()
            .filter_map(
                |fx| if let FilesFx::KeepDraft { draft, .. } = fx { Some(draft.clone()) } else { None },
            )
            .last()
    };
    assert_eq!(kept(&stage), Some(Some(Arc::from("keep me"))));
    stage.keys("enter");
    stage.fire(Due::KeepDraft);
    assert_eq!(kept(&stage), Some(None));
    assert!(!stage.fire(Due::KeepDraft), "nothing is due while nothing changes");
}

#[test]
fn a_queued_steer_comes_back_for_editing() {
    use e::model::fact::{Fact, TurnFact};
    let mut stage = Stage::new(80, 24);
    let waiting = ["first", "second"].map(|t| Arc::new(e::model::provider::Message::prompt(t))).to_vec();
    stage.fact(&Fact::Turn(super::stage::ME, TurnFact::Queue { waiting }));
    stage.keys("up");
    assert_eq!(stage.draft(), "second");
    assert!(stage.asks.contains(&Ask::Session(super::stage::ME, SessionAsk::Unqueue { index: 1 })));
}

#[test]
fn a_line_that_could_not_be_sent_comes_back_and_nothing_typed_is_lost() {
    use e::model::fact::{Fact, SessionFact};
    let mut stage = Stage::new(80, 24);
    stage.typed("typed since");
    let returned = SessionFact::Returned { text: Arc::from("sent before"), images: Vec::new() };
    stage.fact(&Fact::Session(super::stage::ME, returned));
    assert_eq!(stage.draft(), "sent before\ntyped since");
}

#[test]
fn what_the_start_asks_for() {
    let mut stage = Stage::new(80, 24);
    stage.effects.clear();
    stage.run(front::start);
    let fx: Vec<_> = stage.files_fx().collect();
    assert!(fx.iter().any(|fx| matches!(fx, FilesFx::LoadHistory { .. })));
    assert!(fx.iter().any(|fx| matches!(fx, FilesFx::LoadDraft { .. })));
    assert_eq!(stage.timers_set(), 0, "an idle front has no timer");
}

#[test]
fn a_dropped_image_file_is_attached_and_its_path_stays_when_it_is_none() {
    let path = "'/home/ann/shot\\ one.png'";
    let asked = |stage: &Stage| {
        stage.files_fx().find_map(|fx| match fx {
            FilesFx::ReadImage { ticket, path } => Some((*ticket, path.to_string())),
            _ => None,
        })
    };
    let mut stage = Stage::new(80, 24);
    stage.typed("see ").paste(path);
    let (ticket, wanted) = asked(&stage).unwrap();
    assert_eq!(wanted, "/home/ann/shot one.png");
    stage.files(ticket, FilesMsg::Failed { error: Arc::from("it is no image") });
    assert_eq!(stage.draft(), format!("see {path}"));
    let mut stage = Stage::new(80, 24);
    stage.paste("look at /a.png\nand more");
    assert!(asked(&stage).is_none());
}

#[test]
fn a_prompt_too_long_to_edit_comes_back_as_one_marker_and_is_sent_whole() {
    let mut stage = Stage::new(60, 20);
    let long = format!("first\n{}last", "a line of a log\n".repeat(100_000));
    stage.paste(&long).keys("enter");
    assert_eq!(stage.sent(), Some(long.as_str()));
    stage.keys("up");
    assert_eq!(stage.draft(), format!("[Long text, {} chars]", long.chars().count()));
    stage.typed("!").keys("backspace");
    stage.keys("enter");
    assert_eq!(stage.sent(), Some(long.as_str()));
}
