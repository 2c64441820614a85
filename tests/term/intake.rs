//! What one read brought, on its way to the core.

use e::effects::intake::typed;
use e::model::config::chord::Chord;
use e::model::term::TermMsg;

fn keys(text: &str) -> Vec<TermMsg> {
    text.chars().map(|c| TermMsg::Key(Chord::typed(c).unwrap())).collect()
}

#[test]
fn g07_thousands_of_keys_in_one_read_are_one_edit() {
    let words = "uno dos ".repeat(40);
    let mut read = keys(&words);
    read.push(TermMsg::Text("\n".into()));
    read.extend(keys("tres"));
    read.push(TermMsg::Key("enter".parse().unwrap()));
    read.extend(keys("x"));
    let expected = [
        TermMsg::Text(format!("{words}\ntres")),
        TermMsg::Key("enter".parse().unwrap()),
        TermMsg::Key(Chord::typed('x').unwrap()),
    ];
    assert_eq!(typed(read), expected);
}

#[test]
fn keys_that_a_hand_could_press_stay_keys() {
    let read = keys(&"jk".repeat(30));
    assert_eq!(typed(read.clone()), read);
}
