//! Why an extension could not be started and how one ended, in a person's words.

use std::io::{self, Read as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;

use super::child::Job;
use crate::effects::home::said;

/// The system's number for a file that is no program (ENOEXEC).
const NO_PROGRAM: i32 = rustix::io::Errno::NOEXEC.raw_os_error();

/// The cause, and what to do where something can be done.
pub fn not_started(job: &Job, error: &io::Error) -> String {
    let path = Path::new(&*job.path);
    let cause = match error.kind() {
        _ if !Path::new(&*job.cwd).is_dir() => format!("the directory {} is gone", job.cwd),
        io::ErrorKind::NotFound => match interpreter(path) {
            _ if !path.exists() => "the file is gone".to_owned(),
            Some(name) => format!("its interpreter {name} is not there; install it or correct its #! line"),
            None => "a library or the loader it needs is not there".to_owned(),
        },
        io::ErrorKind::PermissionDenied => match interpreter(path) {
            Some(name) if !executable(Path::new(&name)) => {
                format!("its interpreter {name} may not be executed; correct its #! line")
            }
            _ => "permission denied; check the file's mode and owner, and that its disk may hold programs"
                .into(),
        },
        _ if error.raw_os_error() == Some(NO_PROGRAM) => {
            "it is no program this system can run; a script begins with a line such as #!/bin/sh".to_owned()
        }
        io::ErrorKind::ExecutableFileBusy => "the file is open for writing".to_owned(),
        _ => said(error),
    };
    format!("it could not be started: {cause}")
}

/// What a script's first line names.
fn interpreter(path: &Path) -> Option<String> {
    let mut head = [0; 256];
    let count = std::fs::File::open(path).ok()?.read(&mut head).ok()?;
    let head = String::from_utf8_lossy(head.get(..count)?).into_owned();
    let line = head.strip_prefix("#!")?.split('\n').next()?;
    line.split([' ', '\t']).find(|word| !word.is_empty()).map(str::to_owned)
}

fn executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// `exit status 1`, `signal 9`.
pub fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "without a status".into(),
    }
}
