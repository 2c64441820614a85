//! Background commands: started by one call, asked about and ended by later ones through their handle.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::bash::{self, End, Owned};
use super::capture::{Capture, Text};
use super::group::Group;
use super::shell::{self, Running};
use crate::effects::secrets::Secrets;
use crate::model::tool::{Outcome, ToolOutput, limit};

/// How long a signal is given to show in the answer.
const EFFECT: Duration = Duration::from_millis(600);

/// One background command.
#[derive(Debug)]
pub struct Background {
    handle: String,
    group: Group,
    /// Output that no answer has shown yet.
    unread: Arc<Mutex<Capture>>,
    end: watch::Receiver<Option<Arc<End>>>,
}

/// All of them, by handle.
#[derive(Debug, Default)]
pub struct Backgrounds(Mutex<BTreeMap<usize, Arc<Background>>>);

impl Backgrounds {
    /// Takes over a command that was just started.
    pub fn start(&self, running: Running, limit: Option<Duration>) -> Arc<Background> {
        let Running { mut child, group, output } = running;
        let unread = Arc::new(Mutex::new(Capture::default()));
        let (tell, end) = watch::channel(None);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = all.last_key_value().map_or(1, |(last, _)| last + 1);
        let started = Arc::new(Background {
            handle: format!("b{number}"),
            group: group.clone(),
            unread: Arc::clone(&unread),
            end,
        });
        all.insert(number, Arc::clone(&started));
        tokio::spawn(async move {
            let pump = Owned(tokio::spawn(bash::pump(output, unread, None)));
            let (status, timed_out) = match limit {
                None => (child.wait().await.ok(), None),
                Some(limit) => match timeout(limit, child.wait()).await {
                    Ok(status) => (status.ok(), None),
                    Err(_) => {
                        group.whole().end().await;
                        (child.wait().await.ok(), Some(limit))
                    }
                },
            };
            let (left, held) = bash::clean_up(&group, pump).await;
            // Nobody may be asking any more.
            let _ = tell.send(Some(Arc::new(End { status, timed_out, left, held })));
        });
        started
    }

    /// Answers a call with a `handle`: new output and how the command stands, after the signal when one is given.
    pub async fn ask(
        &self,
        handle: &str,
        signal: Option<&str>,
        secrets: &Secrets,
    ) -> Result<ToolOutput, String> {
        let found = {
            let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.values().find(|one| one.handle == handle).cloned()
        };
        let Some(one) = found else { return Err(self.unknown(handle)) };
        if let Some(word) = signal {
            let signal = shell::signal(word).ok_or_else(|| {
                format!(
                    "`signal` must be a signal's name or number, such as TERM, INT or KILL; got {word:?}."
                )
            })?;
            one.group.whole().signal(signal);
            let _ = timeout(EFFECT, one.ended()).await;
        }
        Ok(one.report(secrets, false).await)
    }

    fn unknown(&self, handle: &str) -> String {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let running: Vec<&str> =
            all.values().filter(|one| one.end.borrow().is_none()).map(|one| one.handle.as_str()).collect();
        match running.is_empty() {
            true => format!("There is no background command {handle:?}; none is running."),
            false => format!("There is no background command {handle:?}. Running: {}.", running.join(", ")),
        }
    }
}

impl Background {
    /// Waits for its end.
    pub async fn ended(&self) {
        let mut end = self.end.clone();
        // An error is an end too: the task that watched it is gone.
        let _ = end.wait_for(Option::is_some).await;
    }

    /// What is new, and how it stands.
    pub async fn report(&self, secrets: &Secrets, first: bool) -> ToolOutput {
        let end = self.end.borrow().clone();
        let (unread, secrets, ended) = (Arc::clone(&self.unread), secrets.clone(), end.is_some());
        let text = spawn_blocking(move || {
            let taken = unread.lock().unwrap_or_else(PoisonError::into_inner).take(&secrets, ended);
            if taken.is_empty() { None } else { Some(taken.text(&secrets)) }
        });
        let text = text.await.ok().flatten();
        match end {
            Some(end) => {
                let Text { text, dropped } = text.unwrap_or(Text { text: String::new(), dropped: 0 });
                let mut output = bash::result(text, dropped, &end);
                if output.summary.is_none() {
                    output.summary = Some("ended".into());
                    output.content =
                        format!("{}\n[{} has ended: exit 0]", output.content, self.handle).into();
                    output.excerpt = limit::excerpt(&output.content).map(Into::into);
                }
                output
            }
            None => self.running(text, first),
        }
    }

    fn running(&self, text: Option<Text>, first: bool) -> ToolOutput {
        let new = text.is_some();
        let mut content = text.map(|text| text.text).unwrap_or_default();
        if !content.is_empty() && !content.ends_with('\n') {
            content.push('\n');
        }
        let handle = &self.handle;
        let status = match (first, new) {
            (true, _) => format!(
                "[started in the background as {handle}; it ends with this program. {{\"handle\":\"{handle}\"}} reads \
                 new output, with \"signal\":\"TERM\" it is ended]"
            ),
            (false, true) => format!("[{handle} is running]"),
            (false, false) => format!("[{handle} is running; no new output]"),
        };
        content.push_str(&status);
        let mut output = ToolOutput::new(Outcome::Completed, "");
        output.excerpt = limit::excerpt(&content).map(Into::into);
        output.content = content.into();
        output.summary = Some(if first { format!("running as {handle}") } else { "running".into() }.into());
        output
    }
}
