//! The prompt of `-p`: the argument, what is piped in, or both. A pipe is read to its end; one that stays silent is named.

use std::io::{self, IsTerminal, Read};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// After this long without a byte stderr says what is waited for.
const SILENCE: Duration = Duration::from_secs(2);
/// The most that is read.
const LIMIT: u64 = 10 * 1024 * 1024;

/// Joins argument and piped text; the error is for a person.
pub fn prompt(argument: Option<&str>, say: impl FnOnce(&str)) -> Result<String, String> {
    let piped = if io::stdin().is_terminal() { String::new() } else { read(say)? };
    join(argument, &piped)
}

/// The argument first.
pub fn join(argument: Option<&str>, piped: &str) -> Result<String, String> {
    let argument = argument.unwrap_or_default().trim();
    let piped = piped.trim_end();
    match (argument.is_empty(), piped.trim().is_empty()) {
        (true, true) => Err("-p needs a prompt: give it as an argument or pipe it in".into()),
        (false, true) => Ok(argument.to_owned()),
        (true, false) => Ok(piped.to_owned()),
        (false, false) => Ok(format!("{argument}\n\n{piped}")),
    }
}

fn read(say: impl FnOnce(&str)) -> Result<String, String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut stdin = io::stdin().lock().take(LIMIT + 1);
        let mut all = Vec::new();
        let mut piece = vec![0; 64 * 1024];
        loop {
            match stdin.read(&mut piece) {
                Ok(0) => break,
                Ok(n) => {
                    all.extend_from_slice(piece.get(..n).unwrap_or_default());
                    let _reader_gone = sender.send(None);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A stdin that cannot be read (a folder, a closed one) holds no prompt.
                Err(_) => break,
            }
        }
        let _reader_gone = sender.send(Some(all));
    });
    let mut say = Some(say);
    let bytes = loop {
        let next = match &say {
            Some(_) => receiver.recv_timeout(SILENCE),
            None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match next {
            Ok(Some(bytes)) => break bytes,
            Ok(None) => say = None,
            Err(RecvTimeoutError::Timeout) => {
                if let Some(say) = say.take() {
                    say("waiting for the rest of the prompt on stdin; end it, or start e with </dev/null");
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Err("stdin cannot be read".into()),
        }
    };
    if bytes.len() as u64 > LIMIT {
        return Err(
            "the piped prompt is larger than 10 MiB; put it in a file and name the file in the prompt".into(),
        );
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
