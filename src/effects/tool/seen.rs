//! What the agent has seen: fingerprints of file contents, so that a file that changed on disk is noticed by its bytes
//! and not by its time (case G50).

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

/// A content's fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Print([u8; 32]);

impl Print {
    pub fn of(bytes: &[u8]) -> Self {
        Print(Sha256::digest(bytes).into())
    }

    pub fn finish(hasher: Sha256) -> Self {
        Print(hasher.finalize().into())
    }

    pub fn hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// How a file stands to what the agent saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    Unknown,
    Same,
    Changed,
}

/// The contents the agent saw last, by real path.
#[derive(Debug, Default)]
pub struct Seen(Mutex<HashMap<PathBuf, Print>>);

impl Seen {
    pub fn note(&self, path: &Path, print: Print) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_path_buf(), print);
    }

    pub fn check(&self, path: &Path, now: Print) -> Freshness {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path) {
            None => Freshness::Unknown,
            Some(print) if *print == now => Freshness::Same,
            Some(_) => Freshness::Changed,
        }
    }
}
