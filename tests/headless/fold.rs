//! A small window fills in the middle of a task: older steps are summarised and the task goes on by itself.

use serde_json::{Value, json};

use super::place::Place;
use super::speak::{BOTH, known, strict};
use crate::providers::server::Server;

fn summarising(body: &Value) -> bool {
    body["tools"].as_array().is_none_or(Vec::is_empty)
}

/// The fixture's usage is a fixed dozen of tokens, which nobody can believe: the window fills all the same.
#[test]
fn a_full_window_folds_between_requests_and_the_old_log_stays() {
    for dialect in BOTH {
        let place = Place::new();
        let server = Server::answering(move |number, seen| {
            let command = json!({"command": "seq -f 'line %g of a long listing' 250"});
            if summarising(&seen.body) {
                dialect.reply("The person wants all steps done; some are.", &[])
            } else if number < 9 {
                dialect.reply(&format!("Step {number}."), &[(&format!("c{number}"), "bash", command)])
            } else {
                dialect.reply("All done.", &[])
            }
        });
        known(&place, dialect, &server, 10_000);
        let done = place.run(&["-p", "do every step"]);
        assert_eq!(done.status, Some(0), "{done:?}");
        assert!(done.stdout.ends_with("All done.\n"), "{done:?}");
        assert!(done.stderr.contains("summarising"), "{done:?}");
        let bodies = strict(&server);
        let folds = bodies.iter().filter(|b| summarising(b)).count();
        assert!((1..5).contains(&folds), "{folds} summaries in {} requests", bodies.len());
        let last = bodies.last().unwrap().to_string();
        assert!(last.len() < 60_000, "{} bytes in a window of 10,000 tokens", last.len());
        assert!(last.contains("do every step") && last.contains("some are"), "{last}");
        assert_eq!(place.logs().len(), 1 + folds, "each conversation has its log");

        let done = place.run(&["-p", "-c", "and now"]);
        assert_eq!(done.status, Some(0), "{done:?}");
        assert!(strict(&server).last().unwrap().to_string().contains("some are"));
    }
}
