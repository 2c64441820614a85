//! A second real process for tests of locks and crashes: this test binary, told by a variable what to do.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use e::effects::home::{Home, edit::Change};
use e::effects::store::logs::Logs;
use e::model::effect::Which;

const JOB: &str = "E_TEST_STORE_JOB";

/// Starts a process that does `job` in `home`; its stdout can be read.
pub fn start(home: &Home, job: &str) -> Child {
    command(home, job).spawn().expect("the test binary starts")
}

fn command(home: &Home, job: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "store::child::job", "--nocapture"]);
    command.env(JOB, job).env("E_TEST_HOME", home.root()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// As [`start`], where no file may grow over so many blocks of 512 bytes (or 1 KiB, as the shell counts).
pub fn start_with_a_small_disk(home: &Home, job: &str, blocks: u32) -> Child {
    let own = command(home, job);
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = Command::new("bash");
    command.arg("-c").arg(script).arg(own.get_program()).args(own.get_args());
    command
        .envs(own.get_envs().filter_map(|(k, v)| Some((k, v?))))
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command.spawn().expect("bash starts")
}

/// Not a test of its own: what the second process does.
#[test]
fn job() {
    let Ok(job) = std::env::var(JOB) else { return };
    let home = Home::at(std::env::var("E_TEST_HOME").unwrap(), "/nowhere");
    let (job, argument) = job.split_once(' ').unwrap_or((&job, ""));
    match job {
        // Sets thirty keys, one write each.
        "settings" => {
            for n in 0..30 {
                home.edit("settings.json", &[Change::set(&[&format!("k{argument}_{n}")], n)]).unwrap();
            }
        }
        // Opens a log and keeps it until it is killed.
        "hold" => {
            let mut logs = Logs::new(home);
            let opened = logs.open(&Which::Path(argument.into()), &mut drop);
            say(if matches!(opened, e::effects::store::logs::Opened::Log { .. }) {
                "open"
            } else {
                "not open"
            });
            std::thread::sleep(std::time::Duration::from_secs(60));
        }
        // Writes to a new log for as long as it can, and says how many lines it was told are safe.
        "write" => {
            let mut logs = Logs::new(home);
            let first: Arc<str> = r#"{"type":"session","id":"x","cwd":"/w"}"#.into();
            logs.create("/w", "x", &[first]).unwrap();
            for n in 0.. {
                let line: Arc<str> = format!(r#"{{"type":"name","name":"{n} {}"}}"#, "x".repeat(5000)).into();
                if logs.append(&line).is_err() {
                    say(&format!("stopped {n}"));
                    return;
                }
                say(&format!("safe {n}"));
            }
        }
        other => panic!("no job {other}"),
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout();
    let _gone = writeln!(out, "{line}").and_then(|()| out.flush());
}
