//! The reader opened and closed again and again while a reply streams.

use serde_json::json;

use super::rig::{Rig, over, quit, submit};
use crate::term::written::foreign;

#[test]
fn the_reader_in_and_out_twenty_times_loses_and_repeats_no_row() {
    let mut reply = Vec::new();
    for n in 0..60 {
        let more = if n % 20 == 9 { "\n```text\ncode of it\n```\n" } else { "" };
        reply.push(json!(format!("Paragraph {n:02} of the reply.\n{more}\n")));
        reply.push(json!({"pause_ms": 60}));
    }
    reply.push(json!("The very end."));
    let (_rig, mut pty) = Rig::new(&json!([reply])).started();
    submit(&pty, "tell me");
    pty.wait_for("Paragraph 02");
    pty.send("draft");
    pty.wait_for("› draft");
    for _ in 0..20 {
        pty.send("\x0f");
        pty.wait_until("the alternate screen", |screen| screen.alternate_screen());
        std::thread::sleep(std::time::Duration::from_millis(40));
        pty.send("\x0f");
        pty.wait_until("the main screen", |screen| !screen.alternate_screen());
        std::thread::sleep(std::time::Duration::from_millis(40));
    }
    pty.wait_for("The very end.");
    over(&pty);
    let all = pty.history();
    let count = |text: &str| all.iter().filter(|row| row.contains(text)).count();
    for n in 0..60 {
        assert_eq!(count(&format!("Paragraph {n:02} ")), 1, "{n}: {all:#?}");
    }
    for (text, times) in
        [("tell me", 1), ("The very end.", 1), ("› draft", 1), ("code of it", 3), ("────────", 2)]
    {
        assert_eq!(count(text), times, "{text}: {all:#?}");
    }
    let order: Vec<usize> = (0..60)
        .filter_map(|n| all.iter().position(|row| row.contains(&format!("Paragraph {n:02} "))))
        .collect();
    assert!(order.is_sorted(), "{all:#?}");
    assert_eq!(foreign(&pty.raw()), None);
    pty.send("\x03");
    pty.wait_gone("draft");
    assert_eq!(quit(&mut pty), Some(0));
}
