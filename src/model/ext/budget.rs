//! What `e` owes one extension: every request of it is answered exactly once, and at most 32 wait
//! (`extensions-notes.md` 12).

use std::collections::BTreeMap;

use crate::model::wire::ext::{Reply, UNANSWERED, WireId};

/// One open request. Extensions may use one id twice, so it is not the wire's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owed(u64);

/// The open requests of one extension, oldest first; `T` is what each is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget<T> {
    last: u64,
    open: BTreeMap<Owed, (WireId, T)>,
}

impl<T> Default for Budget<T> {
    fn default() -> Self {
        Budget { last: 0, open: BTreeMap::new() }
    }
}

impl<T> Budget<T> {
    /// Takes a request in; past the limit it is refused, with the line that says so.
    pub fn open(&mut self, id: WireId, about: T) -> Result<Owed, String> {
        if self.open.len() >= UNANSWERED {
            return Err(Reply::too_many().line(&id));
        }
        self.last += 1;
        let owed = Owed(self.last);
        self.open.insert(owed, (id, about));
        Ok(owed)
    }

    /// The line that answers a request, once; later answers find nothing.
    #[must_use]
    pub fn answer(&mut self, owed: Owed, reply: &Reply) -> Option<String> {
        self.open.remove(&owed).map(|(id, _)| reply.line(&id))
    }

    /// What a request is about, while it is open.
    pub fn about(&self, owed: Owed) -> Option<&T> {
        self.open.get(&owed).map(|(_, about)| about)
    }

    pub fn len(&self) -> usize {
        self.open.len()
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether a request of this kind is open.
    pub fn any(&self, mut which: impl FnMut(&T) -> bool) -> bool {
        self.open.values().any(|(_, about)| which(about))
    }

    /// Ends everything that is open with one error (reload, session switch, shutdown): what each was about and the line
    /// that answers it, oldest first.
    #[must_use]
    pub fn end_all(&mut self, why: &str) -> Vec<(Owed, T, String)> {
        let reply = Reply::Error(why.into());
        std::mem::take(&mut self.open)
            .into_iter()
            .map(|(owed, (id, about))| (owed, about, reply.line(&id)))
            .collect()
    }

    /// The extension is gone and hears nothing: what was open, oldest first.
    pub fn forget_all(&mut self) -> Vec<(Owed, T)> {
        std::mem::take(&mut self.open).into_iter().map(|(owed, (_, about))| (owed, about)).collect()
    }
}
