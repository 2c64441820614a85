//! What a submitted line is taken for: commands, templates, skills, paths, words; and the order of verdicts.

use super::sim::{Reply, World};
use super::turns::spoken;
use e::model::ask::Ask;
use e::model::ext::{HookValue, InputVerdict};
use e::model::fact::{Fact, SessionFact};
use e::model::session::commands::{COMMANDS, find, split};
use e::model::session::template;
use e::update::Input;

fn world() -> World {
    let mut w = World::ready(9);
    w.replies = (0..4).map(|_| Reply::text("ok")).collect();
    w
}

fn returned(w: &World) -> Vec<String> {
    let text = |f: &Fact| match f {
        Fact::Session(_, SessionFact::Returned { text, .. }) => Some(text.to_string()),
        _ => None,
    };
    w.facts.iter().filter_map(text).collect()
}

#[test]
fn a_template_is_filled_in_and_sent() {
    let mut w = world();
    w.type_line("/greet \"Ann Lee\"");
    w.come_to_rest();
    assert_eq!(spoken(&w)[0], "user: Greet Ann Lee and nobody.");
}

#[test]
fn an_unknown_command_is_told_with_the_nearest_and_comes_back() {
    let mut w = world();
    w.type_line("/modle");
    w.come_to_rest();
    assert!(
        w.notices().iter().any(|n| n == "There is no command /modle. Did you mean /model?"),
        "{:?}",
        w.notices()
    );
    assert_eq!(returned(&w), ["/modle"]);
    assert!(w.requests.is_empty());
}

#[test]
fn lines_that_look_like_paths_are_words() {
    for line in ["/usr/bin/env is missing", "/", "// a comment", "/-x"] {
        let mut w = world();
        w.type_line(line);
        w.come_to_rest();
        assert_eq!(spoken(&w)[0], format!("user: {line}"));
    }
}

#[test]
fn a_skill_by_name_brings_the_place_of_its_instructions() {
    let mut w = world();
    w.type_line("please $deploy now, not $deployment");
    w.come_to_rest();
    let said = &spoken(&w)[0];
    assert_eq!(said.matches("/home/skills/deploy/SKILL.md").count(), 1, "{said}");
}

#[test]
fn verdicts_keep_the_order_of_submission() {
    let mut w = World::ready(9);
    w.replies = vec![Reply::text("ok"), Reply::text("ok")];
    w.hooks_are_slow = true;
    w.type_line("slow");
    w.type_line("fast");
    assert_eq!(w.open.hooks.len(), 1, "only the head is asked about");
    let (ticket, mut value) = w.open.hooks.remove(0);
    if let HookValue::Input { verdict, .. } = &mut value {
        *verdict = InputVerdict::Replace("slow, replaced".into());
    }
    w.give(Input::Ask(Ask::HookDone { ticket, value }));
    w.come_to_rest();
    assert_eq!(spoken(&w)[0], "user: slow, replaced");
    assert!(spoken(&w).contains(&"user: fast".to_owned()));
}

#[test]
fn a_consumed_line_starts_nothing_and_says_its_notice() {
    let mut w = World::ready(9);
    w.hooks_are_slow = true;
    w.type_line("gone");
    let (ticket, mut value) = w.open.hooks.remove(0);
    if let HookValue::Input { verdict, notices, .. } = &mut value {
        *verdict = InputVerdict::Consume;
        *notices = vec!["taken".into(), " ".into()];
    }
    w.give(Input::Ask(Ask::HookDone { ticket, value }));
    assert!(w.requests.is_empty() && w.session().tree.is_empty());
    assert_eq!(w.notices().last().unwrap(), "taken");
    assert!(w.facts.iter().any(|f| matches!(f, Fact::Session(_, SessionFact::NoTurn { status: 0 }))));
}

#[test]
fn every_builtin_command_is_listed_once_and_found() {
    let wanted = "help new resume tree fork name model effort scoped-models login logout compact undo copy export usage context settings theme \
                  keys layout extensions reload trust quit";
    for name in wanted.split_whitespace() {
        assert_eq!(find(name).unwrap().name, name);
    }
    assert_eq!(find("models").unwrap().name, "model");
    assert_eq!(COMMANDS.len(), wanted.split_whitespace().count());
    assert_eq!(split("/name  my   session "), Some(("name", "my   session")));
    assert_eq!(split("/etc/passwd"), None);
    assert_eq!(split("name"), None);
}

#[test]
fn templates_know_every_placeholder() {
    for (body, arguments, wanted) in [
        ("$1-$2", "a b", "a-b"),
        ("$1", "\"a b\" c", "a b"),
        ("$1", "'a b' c", "a b"),
        ("$@", "a \"b c\"", "a b c"),
        ("$ARGUMENTS!", "a b", "a b!"),
        ("${2:-x}", "a", "x"),
        ("${1:-x}", "a", "a"),
        ("${@:-none}", "", "none"),
        ("${@:2}", "a b c", "b c"),
        ("${@:2:1}", "a b c", "b"),
        ("${1}", "a", "a"),
        ("$1", "don't stop", "don't"),
        ("costs $5.00", "", "costs .00"),
        ("$HOME ${x} $", "", "$HOME ${x} $"),
        ("no place", "for this", "no place\n\nfor this"),
        ("$1", "$2 $1", "$2"),
        ("ä${1:-ö}ü", "", "äöü"),
    ] {
        assert_eq!(template::fill(body, arguments), wanted, "{body} with {arguments}");
    }
}

proptest::proptest! {
    /// Arguments are put in as they are: nothing in them is read again, whatever they hold.
    #[test]
    fn templates_never_read_arguments_as_placeholders(argument in "[$@{}A-Za-z0-9:-]{1,12}") {
        proptest::prop_assert_eq!(template::fill("<$1>", &argument), format!("<{argument}>"));
    }

    #[test]
    fn templates_never_panic(body in ".{0,40}", arguments in ".{0,40}") {
        let _ = template::fill(&body, &arguments);
    }
}

#[test]
fn prompts_typed_during_a_reload_are_held_and_submitted_after() {
    let mut w = world();
    let mut tui = e::model::tui::Tui::default();
    let ticket = tui.pending.tickets.issue(&mut e::model::id::Ids::new(99), e::model::tui::Awaiting::Reload);
    w.model.as_mut().unwrap().front = e::model::front::Front::Tui(Box::new(tui));
    w.type_line("first");
    w.type_line("second");
    assert!(w.requests.is_empty() && spoken(&w).is_empty(), "held");
    let config = e::model::msg::FilesMsg::Config { files: Vec::new(), complaints: Vec::new() };
    w.give(Input::Msg(e::model::msg::Msg::Files(ticket, config)));
    w.come_to_rest();
    let said = spoken(&w);
    assert!(
        said.contains(&"user: first".to_owned()) && said.contains(&"user: second".to_owned()),
        "{said:?}"
    );
}
