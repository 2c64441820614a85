//! Arguments of a call while they stream: nothing and `null` become `{}`, and the end of a whole object is seen (cases G54, G55).

use std::collections::BTreeSet;
use std::sync::Arc;

/// One call's argument text.
#[derive(Debug, Default)]
pub struct Args {
    /// Kept back while it may still be nothing or `null`.
    held: String,
    begun: bool,
    depth: u32,
    in_string: bool,
    escaped: bool,
    whole: bool,
}

impl Args {
    /// Takes a piece; gives what may be handed on.
    pub fn push(&mut self, delta: &str) -> Option<String> {
        self.scan(delta);
        if self.begun {
            return (!delta.is_empty()).then(|| delta.to_owned());
        }
        self.held.push_str(delta);
        if "null".starts_with(self.held.trim()) {
            return None;
        }
        self.begun = true;
        Some(std::mem::take(&mut self.held))
    }

    /// The last piece, when there was nothing so far.
    pub fn finish(&mut self) -> Option<String> {
        if self.begun {
            return None;
        }
        self.begun = true;
        let held = std::mem::take(&mut self.held);
        let nothing = matches!(held.trim(), "" | "null");
        Some(if nothing { "{}".to_owned() } else { held })
    }

    /// What came so far holds one whole JSON object at least.
    pub fn whole(&self) -> bool {
        self.whole
    }

    fn scan(&mut self, delta: &str) {
        for byte in delta.bytes() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.whole |= self.depth == 0;
                }
                _ => {}
            }
        }
    }
}

/// Call ids of one reply, each given out once.
#[derive(Debug, Default)]
pub struct ReplyIds(BTreeSet<Arc<str>>);

impl ReplyIds {
    /// The provider's id, or one made from `number` when it gave none; changed when an earlier call has it.
    pub fn unique(&mut self, given: &str, number: usize) -> Arc<str> {
        let base = if given.trim().is_empty() { format!("call_{number}") } else { given.to_owned() };
        let mut id: Arc<str> = Arc::from(base.as_str());
        let mut round = 1;
        while self.0.contains(&id) {
            round += 1;
            id = Arc::from(format!("{base}_{round}"));
        }
        self.0.insert(id.clone());
        id
    }
}
