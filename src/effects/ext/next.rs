//! What the process becomes when its session has ended: itself in another directory, or whatever its arguments mean by
//! then.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use super::overlay;
use crate::effects::auth::Env;
use crate::effects::home::said;
use crate::model::ext::startup::Relaunch;
use crate::model::ext::world::Become;

/// How many relaunches are behind a process; read once and never handed on.
pub const RELAUNCHES: &str = "E_RELAUNCHES";

/// How a session ended.
#[derive(Debug)]
pub struct Ended {
    pub status: u8,
    /// What is to come, and the environment as startup hooks left it.
    pub next: Option<(Become, Env)>,
}

impl Ended {
    pub fn with(status: u8) -> Ended {
        Ended { status, next: None }
    }
}

/// Takes the count out of an environment.
pub fn behind(env: &mut Env) -> u32 {
    if !env.contains_key(RELAUNCHES) {
        return 0;
    }
    let count = Arc::make_mut(env).remove(RELAUNCHES);
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

/// Becomes the same program with these arguments in another directory. Comes back only when that fails, with the reason.
pub fn relaunch(program: &Path, argv: &[Arc<str>], to: &Relaunch, behind: u32, env: &Env) -> String {
    let dir = Path::new(&*to.cwd);
    if !dir.is_dir() {
        let what = if dir.exists() { "is no directory" } else { "does not exist" };
        return format!("an extension wanted e to start in {}, which {what}", to.cwd);
    }
    let mut env: BTreeMap<String, String> = (**env).clone();
    overlay(&mut env, &to.env);
    env.insert(RELAUNCHES.into(), behind.to_string());
    let words = argv.iter().map(|word| &**word);
    let error = Command::new(program).args(words).current_dir(dir).env_clear().envs(&env).exec();
    format!("an extension wanted e to start in {}, which failed: {}", to.cwd, said(&error))
}
