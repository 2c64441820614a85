//! Ends what commands started when `e` itself is killed and can't: a small shell that holds the other end of a pipe. It is
//! started with the first command, is told which are running, and wakes when the pipe closes. After an orderly end nothing is
//! running and it ends at once.

use std::ffi::OsStr;
use std::io::{self, PipeWriter, Write as _};
use std::process::Stdio;

use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};

use super::shell::Env;

/// The variable that marks what a command starts, so that it is found wherever it went.
pub const MARK: &str = "E_COMMAND";

/// Reads `+ group mark` and `- group mark`; at the end of input kills the groups that are left, and what bears their marks.
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM PIPE
list=
while read -r sign group mark; do
  case $sign in
    +) list="$list $group:$mark" ;;
    -) kept=
       for one in $list; do
         [ "$one" = "$group:$mark" ] || kept="$kept $one"
       done
       list=$kept ;;
  esac
done
for one in $list; do
  kill -9 "-${one%%:*}"
  for process in /proc/[0-9]*; do
    if grep -q "E_COMMAND=${one#*:}" "$process/environ"; then kill -9 "${process#/proc/}"; fi
  done
done
"#;

/// The guardian of this process; ends by itself when this is dropped.
#[derive(Debug)]
pub struct Guardian {
    pipe: PipeWriter,
    /// Never waited for while it runs: the runtime reaps it.
    _child: Box<dyn ChildWrapper>,
}

impl Guardian {
    /// Starts it. Must be called inside the runtime.
    pub fn start(env: &Env) -> io::Result<Guardian> {
        let (reader, pipe) = io::pipe()?;
        // Its reader may be stopped or gone: neither may hold up a command.
        rustix::io::ioctl_fionbio(&pipe, true)?;
        let mut wrap = CommandWrap::with_new("/bin/sh", |c| {
            c.arg("-c").arg(SCRIPT).arg(format!("e-guardian-{}", std::process::id())).current_dir("/");
            c.env_clear().envs(env.get_key_value(OsStr::new("PATH")));
            c.stdin(Stdio::from(reader)).stdout(Stdio::null()).stderr(Stdio::null());
        });
        // A session of its own: it has no terminal, and is in no group that is killed.
        let child = wrap.wrap(ProcessSession).spawn()?;
        Ok(Guardian { pipe, _child: child })
    }

    /// A command is running, or no longer is. Should it fail there is nobody who would do better.
    pub fn tell(&mut self, sign: char, group: i32, mark: &str) {
        let _gone = self.pipe.write_all(format!("{sign} {group} {mark}\n").as_bytes());
    }
}
