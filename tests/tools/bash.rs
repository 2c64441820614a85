//! `bash` with real processes: order, limits, leaks, floods, editors and prompts.

use std::time::{Duration, Instant};

use e::model::id::CallId;
use e::model::tool::kept::Kept;
use e::model::tool::{Outcome, ToolFx, ToolMsg, limit};
use serde_json::json;

use super::{Rig, end, runs, soon};

/// A number of seconds for `sleep` that no other test or process uses.
fn nap(n: u32) -> String {
    format!("{}.{n}", 10_000 + std::process::id())
}

#[test]
fn output_comes_in_the_order_it_was_written() {
    let mut rig = Rig::new();
    let output = rig.bash("echo a; echo b >&2; echo c; echo d >&2; pwd");
    assert_eq!(&*output.content, format!("a\nb\nc\nd\n{}", rig.cwd.display()));
    assert_eq!((output.outcome, output.summary), (Outcome::Completed, None));
    assert_eq!(rig.live, format!("a\nb\nc\nd\n{}\n", rig.cwd.display()));
}

#[test]
fn the_exit_status_is_told() {
    let mut rig = Rig::new();
    let output = rig.bash("echo no; exit 3");
    assert_eq!(&*output.content, "no\n[exit 3]");
    assert_eq!((output.outcome, output.summary.as_deref()), (Outcome::Failed, Some("exit 3")));
    assert_eq!(&*rig.bash("true").content, "(no output)");
    let killed = rig.bash("kill -SEGV $$");
    assert_eq!(&*killed.content, "(no output)\n[killed by SIGSEGV]");
    assert_eq!(rig.bash("no-such-command-here").summary.as_deref(), Some("exit 127"));
}

#[test]
fn unusable_arguments_are_refused() {
    let mut rig = Rig::new();
    for (arguments, why) in [
        (json!({}), "bash: `command` is missing"),
        (json!({"command": "  "}), "`command` must be a text that is not empty"),
        (json!({"command": "true", "timeout": 601}), "`timeout` must be a whole number from 1 to 600"),
        (json!({"command": "true", "signal": "TERM"}), "`handle` is missing"),
        (json!({"handle": "b9"}), "no background command \"b9\"; none is running"),
        (json!({"command": "a\u{0}b"}), "NUL character"),
        (json!({"command": "x".repeat(200_000)}), "Write it to a file and run that"),
    ] {
        let output = rig.call("bash", arguments);
        assert_eq!(output.outcome, Outcome::Failed);
        assert!(output.content.contains(why), "{}", output.content);
    }
}

#[test]
fn g37_a_child_that_holds_the_pipe_does_not_delay_the_result() {
    let mut rig = Rig::new();
    let nap = nap(37);
    for command in [
        format!("sleep {nap} & echo ready"),
        "(while :; do echo tick; sleep 0.1; done) & echo ready".to_owned(),
        format!("(trap '' TERM HUP; sleep {nap}) & echo ready"),
    ] {
        let call = rig.start("bash", json!({"command": command}));
        let output = rig.wait_at_most(call, Duration::from_secs(20)).expect("the call hung");
        assert!(
            output.content.starts_with("ready\n") || output.content.contains("\nready\n"),
            "{}",
            output.content
        );
        assert!(output.content.contains("[ended what it had left running: "), "{}", output.content);
        assert_eq!(output.outcome, Outcome::Completed);
        assert!(!runs(&nap));
    }
}

#[test]
fn g37_one_that_left_the_session_is_told_and_left_alone() {
    let mut rig = Rig::new();
    let nap = nap(371);
    let call = rig.start("bash", json!({"command": format!("setsid sleep {nap} & sleep 1; echo ready")}));
    let output = rig.wait_at_most(call, Duration::from_secs(20)).expect("the call hung");
    assert!(output.content.starts_with("ready\n"), "{}", output.content);
    assert!(output.content.contains("still holds its output and was left running"), "{}", output.content);
    assert!(runs(&nap));
    end(&nap);
}

#[test]
fn g38_the_time_limit_ends_children_that_ignore_the_polite_signal() {
    let mut rig = Rig::new();
    let nap = nap(38);
    let command = format!("trap '' TERM; (trap '' TERM; sleep {nap}) & echo part; sleep {nap}");
    let call = rig.start("bash", json!({"command": command, "timeout": 1}));
    let output = rig.wait_at_most(call, Duration::from_secs(30)).expect("the limit did not fire");
    assert_eq!(output.outcome, Outcome::TimedOut);
    assert!(output.content.starts_with("part\n[timed out after 1 s"), "{}", output.content);
    assert_eq!(output.summary.as_deref(), Some("timed out after 1 s"));
    assert!(!runs(&nap));
}

#[test]
fn g39_editors_and_terminal_readers_fail_at_once() {
    let mut rig = Rig::new();
    rig.put("README", "words\n");
    rig.bash("git init -q . && git commit -q --allow-empty -m one && git commit -q --allow-empty -m two");
    for (command, outcome, why) in [
        ("git commit --allow-empty", Outcome::Failed, "no editor can open here"),
        ("git rebase -i HEAD~1", Outcome::Failed, "no editor can open here"),
        ("sh -c 'head -1 </dev/tty'", Outcome::Failed, "/dev/tty"),
        ("${EDITOR} x", Outcome::Failed, ""),
        ("cat README | ${PAGER}", Outcome::Completed, "words"),
        ("git log --format=%s", Outcome::Completed, "two\none"),
    ] {
        let call = rig.start("bash", json!({"command": command}));
        let output = rig.wait_at_most(call, Duration::from_secs(20)).expect(command);
        assert_eq!(output.outcome, outcome, "{command}: {}", output.content);
        assert!(output.content.contains(why), "{command}: {}", output.content);
    }
}

#[test]
fn g40_whoever_asks_gets_the_end_of_input() {
    let mut rig = Rig::new();
    assert_eq!(&*rig.bash("printf 'Go on? '; read -r x; echo \"got:$x:$?\"").content, "Go on? got::1");
    assert_eq!(&*rig.bash("cat").content, "(no output)");
    let asked = rig.bash("sh -c 'printf \"Sure? \"; read -r x || echo end of input'");
    assert_eq!(&*asked.content, "Sure? end of input");
}

#[test]
fn g41_a_flood_is_bounded_and_its_limit_fires() {
    let mut rig = Rig::new();
    let call = rig.start("bash", json!({"command": "yes", "timeout": 1}));
    let output = rig.wait_at_most(call, Duration::from_secs(30)).expect("the limit was starved");
    assert_eq!(output.outcome, Outcome::TimedOut);
    assert!(output.content.starts_with("y\ny\n"));
    let output = rig.bash("yes | head -c 9000000");
    assert_eq!(output.outcome, Outcome::Completed);
    assert!(output.content.len() <= 4 * 1024 * 1024);
    assert!(output.content.starts_with("y\ny\n"));
    assert!(output.content.contains("of its middle were dropped]"));
    let read = limit::for_model(&output, &mut Kept::default(), true);
    assert!(read.len() <= limit::MODEL);
    assert!(read.starts_with("y\ny\n") && read.contains("read_result with {\"id\":\"r1\"}"));
    assert!(read.ends_with("of its middle were dropped]"), "{}", &read[read.len() - 300..]);
    // What is shown live is bounded too: a share whole, then samples.
    assert!(rig.live.len() < 10 * 1024 * 1024, "{}", rig.live.len());
}

#[test]
fn g41_of_a_flood_the_first_and_the_last_lines_are_whole() {
    let mut rig = Rig::new();
    let output = rig.bash("seq 1 2000000");
    let lines: Vec<&str> = output.content.lines().collect();
    let gap = lines.iter().position(|line| line.starts_with("[… ")).unwrap();
    assert!(lines[gap].ends_with(" were dropped here …]"), "{}", lines[gap]);
    let numbers = |lines: &[&str]| lines.iter().map(|line| line.parse::<u32>().unwrap()).collect::<Vec<_>>();
    let head = numbers(&lines[..gap]);
    let tail = numbers(&lines[gap + 1..lines.len() - 1]);
    assert!(head.iter().zip(1..).all(|(line, number)| *line == number));
    assert!(tail.iter().rev().zip(0..).all(|(line, back)| *line == 2_000_000 - back));
    assert!(head.len() > 250_000 && tail.len() > 250_000);
    let told: Vec<&str> = output.content.rsplit('\n').take(1).collect();
    assert!(told[0].starts_with("[the output was too long to keep whole: "), "{}", told[0]);
}

#[test]
fn g41_a_reader_that_does_not_read_holds_up_neither_command_nor_limit() {
    let mut rig = Rig::new();
    let nap = nap(41);
    // Nobody takes messages while it runs: the live output fills its bounds and waits.
    let command = format!("head -c 3000000 /dev/zero | tr '\\0' x; touch done; sleep {nap}");
    let call = rig.start("bash", json!({"command": command, "timeout": 2}));
    let began = Instant::now();
    let cwd = rig.cwd.clone();
    rig.rt.block_on(async {
        while runs(&nap) || !cwd.join("done").exists() {
            tokio::time::sleep(Duration::from_millis(20)).await;
            if began.elapsed() > Duration::from_secs(2) && !runs(&nap) {
                break;
            }
            assert!(began.elapsed() < Duration::from_secs(30), "the limit did not fire");
        }
    });
    assert_eq!(rig.wait(call).outcome, Outcome::TimedOut);
}

#[test]
fn g42_a_killed_call_leaves_no_process_and_gives_no_answer() {
    let mut rig = Rig::new();
    let (a, b) = (nap(421), nap(422));
    let call =
        rig.start("bash", json!({"command": format!("echo on; bash -c 'sleep {a} & sleep {b} | cat'")}));
    let (id, message) = rig.message();
    assert!(id == call && matches!(message, ToolMsg::Output { .. }));
    rig.rt.block_on(async {
        while !(runs(&a) && runs(&b)) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    rig.handle(ToolFx::Kill(call));
    assert!(rig.wait_at_most(call, Duration::from_secs(2)).is_none(), "a killed call answered");
    assert!(!runs(&a) && !runs(&b));
}

#[test]
fn g42_what_left_the_session_is_ended_with_its_call_too() {
    let mut rig = Rig::new();
    let naps: Vec<String> = (425..429).map(nap).collect();
    let [daemon, bare, jobs, last] = &naps[..] else { unreachable!() };
    let sleep = "$(command -v sleep)";
    let command = format!(
        "(setsid sleep {daemon} &); setsid env -i {sleep} {bare} & set -m; sleep {jobs} & sleep {last}"
    );
    let call = rig.start("bash", json!({"command": command}));
    rig.rt.block_on(async {
        while !naps.iter().all(|nap| runs(nap)) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    rig.handle(ToolFx::Kill(call));
    assert!(rig.wait_at_most(call, Duration::from_secs(2)).is_none(), "a killed call answered");
    assert!(!naps.iter().any(|nap| runs(nap)));
    let output = rig.call("bash", json!({"command": command, "timeout": 2}));
    assert_eq!(output.outcome, Outcome::TimedOut);
    assert!(!naps.iter().any(|nap| runs(nap)));
    rig.call("bash", json!({"command": format!("setsid sleep {daemon} & sleep {last}"), "background": true}));
    assert!(soon(|| runs(daemon) && runs(last)));
    rig.call("bash", json!({"handle": "b1", "signal": "KILL"}));
    assert!(soon(|| !runs(daemon) && !runs(last)));
}

#[test]
fn g42_nothing_survives_the_end_of_the_program() {
    let mut rig = Rig::new();
    let (a, b) = (nap(423), nap(424));
    rig.call("bash", json!({"command": format!("trap '' TERM; sleep {a}"), "background": true}));
    rig.start("bash", json!({"command": format!("set -m; sleep {b} & wait")}));
    rig.rt.block_on(async {
        while !(runs(&a) && runs(&b)) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    rig.rt.block_on(rig.tools.shutdown());
    assert!(!runs(&a) && !runs(&b));
    // In the last moment of a program that is dying, without a runtime to wait on.
    let mut rig = Rig::new();
    rig.call("bash", json!({"command": format!("sleep {a}"), "background": true}));
    rig.tools.kill_all();
    assert!(soon(|| !runs(&a)));
}

#[test]
fn g43_output_that_is_not_utf8_is_whole_where_it_is_text() {
    let mut rig = Rig::new();
    let output = rig.bash("printf 'caf\\xe9 \\xff\\xfe\\x00\\x01 ok\\n'");
    assert_eq!(&*output.content, "caf\u{FFFD} \u{FFFD}\u{FFFD} ok");
    let split = rig.bash("printf '\\xe6'; sleep 0.1; printf '\\xbc'; sleep 0.1; printf '\\xa2\\n'");
    assert_eq!(&*split.content, "漢");
    assert!(rig.live.ends_with("漢\n"), "{:?}", rig.live);
    rig.put("p.png", super::read::png());
    assert_eq!(&*rig.bash("cat p.png").content, "[binary output, image/png, 70 bytes; not shown]");
    assert_eq!(&*rig.bash("head -c 5000 /dev/zero").content, "[binary output, 4.8 KiB; not shown]");
    let list = rig.bash("printf 'one-file-name\\0another-file-name\\0and-a-third-file-name\\0'");
    assert_eq!(&*list.content, "one-file-nameanother-file-nameand-a-third-file-name");
}

#[test]
fn escape_sequences_and_progress_do_not_reach_the_result() {
    let mut rig = Rig::new();
    let output =
        rig.bash("printf '\\033[31mred\\033[0m\\n'; printf '1%%\\r2%%\\r100%%\\n'; printf 'a\\r\\n'");
    assert_eq!(&*output.content, "red\n100%\na");
    assert!(!rig.live.contains('\u{1b}'));
}

#[test]
fn long_output_is_read_as_head_and_tail() {
    let mut rig = Rig::new();
    let output = rig.bash("seq 1 100000");
    let mut kept = Kept::default();
    let read = limit::for_model(&output, &mut kept, true);
    assert!(read.starts_with("1\n2\n") && read.ends_with("99999\n100000") && read.len() <= limit::MODEL);
    let page = kept.run(&json!({"id": "r1", "offset": 50_000, "limit": 1}));
    assert!(page.content.starts_with("50000\n"), "{}", page.content);
}

#[test]
fn a_background_command_is_polled_and_ended() {
    let mut rig = Rig::new();
    let nap = nap(50);
    let command = format!("echo up; sleep 0.8; echo more; sleep {nap}");
    let started = rig.call("bash", json!({"command": command, "background": true}));
    assert!(started.content.starts_with("up\n[started in the background as b1;"), "{}", started.content);
    assert_eq!(started.summary.as_deref(), Some("running as b1"));
    let mut seen = String::new();
    while !seen.contains("more") {
        seen.push_str(&rig.call("bash", json!({"handle": "b1"})).content);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!seen.contains("up"), "shown twice: {seen}");
    assert!(rig.call("bash", json!({"handle": "b1"})).content.contains("b1 is running; no new output"));
    assert!(rig.call("bash", json!({"handle": "b1", "signal": "NONSENSE"})).content.contains("such as TERM"));
    let ended = rig.call("bash", json!({"handle": "b1", "signal": "TERM"}));
    assert!(ended.content.contains("[killed by SIGTERM]"), "{}", ended.content);
    assert!(soon(|| !runs(&nap)));
    let again = rig.call("bash", json!({"handle": "b1"}));
    assert!(again.content.contains("[killed by SIGTERM]"), "{}", again.content);
}

#[test]
fn a_background_command_that_ends_at_once_is_told_so() {
    let mut rig = Rig::new();
    let failed = rig.call("bash", json!({"command": "echo port taken >&2; exit 98", "background": true}));
    assert_eq!(&*failed.content, "port taken\n[exit 98]");
    assert_eq!(failed.outcome, Outcome::Failed);
    let fine = rig.call("bash", json!({"command": "echo done", "background": true}));
    assert_eq!(&*fine.content, "done\n[b2 has ended: exit 0]");
}

#[test]
fn calls_run_side_by_side() {
    let mut rig = Rig::new();
    let first = rig.start("bash", json!({"command": "while [ ! -e go ]; do sleep 0.02; done; echo first"}));
    let second = rig.start("bash", json!({"command": "touch go; echo second"}));
    assert_eq!((first, second), (CallId(1), CallId(2)));
    // The first ends only because the second ran meanwhile.
    assert_eq!(&*rig.wait(first).content, "first");
}

#[test]
fn an_unknown_tool_is_an_error_and_a_kill_of_nothing_is_none() {
    let mut rig = Rig::new();
    assert!(rig.call("frobnicate", json!({})).content.contains("no tool \"frobnicate\""));
    rig.handle(ToolFx::Kill(CallId(77)));
    assert_eq!(&*rig.bash("echo still here").content, "still here");
}
