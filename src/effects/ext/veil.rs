//! Masks loaded keys in what an extension sends, before anything of it is read: what it prints may be shown, stored and
//! sent to a model. Extensions have the environment and so the keys; that one of them quotes a key is an accident.

use crate::effects::secrets::Secrets;

/// The line with every key in its strings masked; `None` when there is none. The line's own `id` comes back as it was
/// sent, and so does what a startup hook wants the environment and the arguments to be.
pub fn masked(line: &str, secrets: &Secrets) -> Option<String> {
    let escaped = line.contains('\\');
    if secrets.is_empty() || (!escaped && !secrets.hits_in(line)) {
        return None;
    }
    let mut walk = Walk { line, out: String::new(), copied: 0, depth: 0, keys: [None, None] };
    let mut at = 0;
    while let Some(byte) = line.as_bytes().get(at) {
        let next = at + 1;
        at = match byte {
            b'"' => walk.string(at, secrets),
            b'{' | b'[' => {
                walk.depth += 1;
                next
            }
            b'}' | b']' => {
                walk.forget();
                walk.depth -= 1;
                next
            }
            b',' => {
                walk.forget();
                next
            }
            _ => next,
        };
    }
    (walk.copied > 0).then(|| walk.out + line.get(walk.copied..).unwrap_or_default())
}

struct Walk<'l> {
    line: &'l str,
    out: String,
    /// So much of the line is in `out`, as it was or masked.
    copied: usize,
    depth: isize,
    /// The keys that lead here, of the two outermost objects. Deeper ones do not matter.
    keys: [Option<&'l str>; 2],
}

impl<'l> Walk<'l> {
    /// A member is over.
    fn forget(&mut self) {
        if let Some(key) = self.key() {
            *key = None;
        }
    }

    /// Where the key of the present object stands.
    fn key(&mut self) -> Option<&mut Option<&'l str>> {
        usize::try_from(self.depth - 1).ok().and_then(|at| self.keys.get_mut(at))
    }

    /// Takes the string that begins at `at`; gives where it is over.
    fn string(&mut self, at: usize, secrets: &Secrets) -> usize {
        let end = end(self.line, at);
        let Some(token) = self.line.get(at..end) else { return end };
        let behind = self.line.get(end..).unwrap_or_default();
        if behind.trim_start().starts_with(':')
            && let Some(key) = self.key()
        {
            *key = Some(token);
            return end;
        }
        if !self.exempt()
            && let Some(masked) = mask(token, secrets)
        {
            self.out.push_str(self.line.get(self.copied..at).unwrap_or_default());
            self.out.push_str(&masked);
            self.copied = end;
        }
        end
    }

    fn exempt(&self) -> bool {
        let second = self.keys[1].filter(|_| self.depth > 1);
        match (self.keys[0], second) {
            (Some("\"id\""), _) => true,
            (Some("\"result\""), Some(key)) => matches!(key, "\"env\"" | "\"argv\"" | "\"relaunch\""),
            _ => false,
        }
    }
}

/// Behind the closing quote of the string that begins at `at`.
fn end(line: &str, at: usize) -> usize {
    let mut escaped = false;
    for (more, byte) in line.bytes().skip(at + 1).enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + more + 2,
            _ => {}
        }
    }
    line.len()
}

/// A string as it is written, quotes included, with what it means masked.
fn mask(token: &str, secrets: &Secrets) -> Option<String> {
    let plain = !token.contains('\\');
    if plain && !secrets.hits_in(token) {
        return None;
    }
    match serde_json::from_str::<String>(token) {
        Ok(means) if secrets.hits_in(&means) => serde_json::to_string(&secrets.mask(&means)).ok(),
        Ok(_) => None,
        // Half of a character, say: the words as they stand.
        Err(_) => secrets.hits_in(token).then(|| secrets.mask(token)),
    }
}
